package consistency

import (
	"bytes"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If pages that are shorter than others showed, what a small file holds would
// depend on how it was written.
func TestMemoryIsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, want := NewMemory(Poison), []byte{}
		grow := func(n int) {
			for len(want) < n {
				want = append(want, Poison)
			}
		}
		border := rapid.SampledFrom([]int{0, 8, pageHead, PageSize - 8, PageSize, PageSize + pageHead, 2 * PageSize})
		for step := range rapid.IntRange(1, 20).Draw(t, "steps") {
			off := max(0, border.Draw(t, "near")+rapid.IntRange(-9, 9).Draw(t, "off"))
			n := rapid.SampledFrom([]int{1, 8, 20, pageHead, PageSize + 3}).Draw(t, "n")
			switch rapid.SampledFrom([]string{"write", "write", "size", "renew"}).Draw(t, "what") {
			case "write":
				p := bytes.Repeat([]byte{byte(step)}, n)
				got, err := m.WriteAt(p, int64(off))
				assert.NoError(t, err)
				assert.Equal(t, n, got)
				grow(off + n)
				copy(want[off:], p)
			case "size":
				assert.NoError(t, m.SetSize(int64(off)))
				grow(off)
				want = want[:off]
			case "renew":
				if old := m.Page(0); old != nil {
					page := bytes.Repeat([]byte{Poison}, PageSize)
					copy(page, old)
					got, err := m.Renew(0, page)
					assert.NoError(t, err)
					assert.Equal(t, old, got)
				}
			}
			assert.Equal(t, int64(len(want)), m.Size())
			got := make([]byte, len(want))
			_, err := m.ReadAt(got, 0)
			assert.NoError(t, err)
			if !bytes.Equal(want, got) {
				t.Fatal("step", step)
			}
		}
	})
}

// A page that grows is still one page of the room that all files have.
func TestMemoryOfShortPages(t *testing.T) {
	room := new(atomic.Int64)
	room.Store(1)
	m := NewMemory(0)
	m.Within(room)
	for _, off := range []int64{3, pageHead, PageSize - 1} {
		_, err := m.WriteAt([]byte{1}, off)
		assert.NoError(t, err)
		assert.Zero(t, room.Load())
	}
	_, err := m.WriteAt([]byte{1}, PageSize)
	assert.Error(t, err)
	m.Recycle()
	assert.Equal(t, int64(1), room.Load())
}
