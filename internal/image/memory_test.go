package image

import (
	"bytes"
	"maps"
	"sync/atomic"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If pages that are shorter than others showed, what a small file holds would
// depend on how it was written.
func TestMemoryStoresBytes(t *testing.T) {
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

// If a page had room twice, or a file kept room that it gave up, a bound would hold
// too much or, after a while, nothing; if a reserved page could be without, a
// program would find out after hours that there is none for its results.
func TestMemoryReservations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const all = 6
		room := new(atomic.Int64)
		room.Store(all)
		type file struct {
			*Memory
			has map[int64]bool // pages, made or reserved
		}
		var files [2]file
		for i := range files {
			files[i] = file{NewMemory(Poison), map[int64]bool{}}
			files[i].Within(room)
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			f := files[rapid.IntRange(0, 1).Draw(t, "file")]
			n := rapid.Int64Range(0, 8).Draw(t, "pages")*PageSize - rapid.Int64Range(0, 1).Draw(t, "less")
			free := all - len(files[0].has) - len(files[1].has)
			switch rapid.SampledFrom([]string{"reserve", "make", "make", "renew", "size", "recycle"}).Draw(t, "what") {
			case "reserve":
				want := map[int64]bool{}
				for i := int64(0); i*PageSize < n; i++ {
					if !f.has[i] {
						want[i] = true
					}
				}
				if err := f.Reserve(max(n, 0)); len(want) > free {
					assert.ErrorIs(t, err, errclass.NoSpace)
				} else {
					assert.NoError(t, err)
					maps.Copy(f.has, want)
				}
			case "make":
				if _, err := f.WriteAt([]byte{1}, max(n, 0)); free == 0 && !f.has[max(n, 0)/PageSize] {
					assert.ErrorIs(t, err, errclass.NoSpace)
				} else {
					assert.NoError(t, err)
					f.has[max(n, 0)/PageSize] = true
				}
			case "renew":
				if old, err := f.Renew(max(n, 0)/PageSize, newPage()); free == 0 && !f.has[max(n, 0)/PageSize] {
					assert.ErrorIs(t, err, errclass.NoSpace)
				} else {
					assert.NoError(t, err)
					assert.True(t, old == nil || f.has[max(n, 0)/PageSize])
					f.has[max(n, 0)/PageSize] = true
					f.Grow(max(n, 0) + 1)
				}
			case "size":
				if cut := max(n, 0); cut < f.Size() {
					maps.DeleteFunc(f.has, func(i int64, _ bool) bool { return i*PageSize >= cut })
				}
				assert.NoError(t, f.SetSize(max(n, 0)))
			case "recycle":
				f.Recycle()
				clear(f.has)
			}
			if got := room.Load(); got != int64(all-len(files[0].has)-len(files[1].has)) {
				t.Fatalf("room for %d, want %d less %d and %d", got, all, len(files[0].has), len(files[1].has))
			}
		}
	})
}

// A page that grows is still one page of the room that all files have.
func TestMemoryOfGrowingPages(t *testing.T) {
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
