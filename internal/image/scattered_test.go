package image

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// readParts and writeParts are Read and Write of p.
func readParts(h *Handle, at types.Tiling, from int64, p []byte) (int64, error) {
	return h.ReadParts(at, from, int64(len(p)), func(src types.Place, pos, k int64) {
		types.Zip(types.Place{Mem: p, At: extent.Flat(), From: pos}, src, k)
	})
}

func writeParts(h *Handle, at types.Tiling, from int64, p []byte) (bool, error) {
	return h.WriteParts(at, from, int64(len(p)), func(dst types.Place, pos, k int64) {
		types.Zip(dst, types.Place{Mem: p, At: extent.Flat(), From: pos}, k)
	})
}

// If an access in parts differed from one of packed bytes, the results of reads would depend
// on the layout of memory.
func TestScatteredEqualsPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		images := [2]*Image{NewImage(NewMemory(Poison)), NewImage(NewMemory(Poison))}
		models := rapid.SliceOfN(rapid.SampledFrom([]Rules{POSIX, POSIX, Weakest, Session, Commit}), 1, 3).Draw(t, "models")
		var handles [2][]*Handle
		for i, im := range images {
			for _, m := range models {
				handles[i] = append(handles[i], im.OpenAs(m))
			}
		}
		tiling := rapid.Custom(func(t *rapid.T) types.Tiling {
			if rapid.Bool().Draw(t, "flat") {
				return types.Tiling{L: extent.BytesLayout, Disp: rapid.Int64Range(0, 2*PageSize).Draw(t, "disp")}
			}
			block := rapid.Int64Range(1, 9000).Draw(t, "block")
			return tileOf(block, block+rapid.Int64Range(1, 30000).Draw(t, "hole"), rapid.Int64Range(0, PageSize).Draw(t, "disp"))
		})
		for step := range rapid.IntRange(1, 20).Draw(t, "steps") {
			k := rapid.IntRange(0, len(models)-1).Draw(t, "handle")
			at, from := tiling.Draw(t, "at"), rapid.Int64Range(0, 10000).Draw(t, "from")
			n := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(1, 3*PageSize)).Draw(t, "n")
			n = at.Until(at.At(from)+64*PageSize, from, n) // bytes far from each other would fill all memory with pages
			what := rapid.SampledFrom([]string{"write", "write", "read", "read", "publish", "adopt", "atomic", "resize"}).Draw(t, "what")
			on := rapid.Bool().Draw(t, "on")
			var seen [2]string
			for i, im := range images {
				h := handles[i][k]
				switch what {
				case "write":
					p, done := bytes.Repeat([]byte{byte(step + 1)}, int(n)), false
					var err error
					if i > 0 {
						done, err = writeParts(h, at, from, p)
					}
					if !done {
						err = h.Write(at, from, p)
					}
					assert.NoError(t, err)
				case "read":
					p, got := make([]byte, n), n
					var err error
					if i > 0 {
						got, err = readParts(h, at, from, p)
					} else {
						got, err = h.Read(at, from, p)
					}
					seen[i] = fmt.Sprint(got, err) + string(p)
				case "publish":
					assert.NoError(t, h.Publish())
				case "adopt":
					h.Adopt()
				case "atomic":
					h.SetAtomic(on)
				case "resize":
					for _, h := range handles[i] {
						h.Resize(n)
					}
					assert.NoError(t, im.SetSize(n))
				}
				seen[i] += fmt.Sprint(" of ", h.Size(), im.Size())
			}
			require.True(t, seen[0] == seen[1], "step %d, %s by handle %d", step, what, k)
		}
		// Of few writes none may have gone in place: the last one surely does.
		at, p := tileOf(500, 700, rapid.Int64Range(0, PageSize).Draw(t, "disp")), bytes.Repeat([]byte{0xEE}, PageSize)
		require.NoError(t, images[0].OpenAs(POSIX).Write(at, 0, p))
		done, err := writeParts(images[1].OpenAs(POSIX), at, 0, p)
		require.NoError(t, err)
		require.True(t, done)
		for k := range models {
			var seen [2]string
			for i := range images {
				p := make([]byte, 3*PageSize)
				n, err := handles[i][k].Read(extent.Flat(), 0, p)
				require.NoError(t, err)
				seen[i] = fmt.Sprint(n) + string(p)
			}
			require.True(t, seen[0] == seen[1], "at the end, by handle %d", k)
		}
	})
}

// If a store is full, a write in parts reports the bytes that got into the image, as any
// other write does.
func TestScatteredWithFullStore(t *testing.T) {
	var room atomic.Int64
	room.Store(2)
	m := NewMemory(Poison)
	m.Within(&room)
	h := NewImage(m).OpenAs(POSIX)
	at := tileOf(64, 256, 0)
	ok, err := writeParts(h, at, 0, bytes.Repeat([]byte{7}, PageSize)) // of four pages
	assert.True(t, ok)
	assert.ErrorContains(t, err, "no room for another page")
	assert.Equal(t, int64(PageSize/2), h.Placed())
	got := make([]byte, PageSize)
	n, err := readParts(h, at, 0, got)
	assert.NoError(t, err)
	assert.Equal(t, bytes.Repeat([]byte{7}, PageSize/2), got[:n])

	ok, err = writeParts(h, at, -1, got)
	assert.False(t, ok, "a position that is negative")
	assert.NoError(t, err)
	require.NoError(t, h.Close())
	_, err = readParts(h, at, 0, got)
	assert.ErrorContains(t, err, "the handle is closed")
}

// The same holds for bytes that replaced pages which another handle still reads.
func TestReplacedPagesWithFullStore(t *testing.T) {
	var room atomic.Int64
	room.Store(2)
	m := NewMemory(Poison)
	m.Within(&room)
	im := NewImage(m)
	h := im.OpenAs(POSIX)
	require.NoError(t, h.Write(extent.Flat(), 0, bytes.Repeat([]byte{1}, 2*PageSize)))
	old := im.OpenAs(Weakest)
	assert.ErrorContains(t, h.Write(extent.Flat(), 0, bytes.Repeat([]byte{2}, 3*PageSize)), "no room for another page")
	assert.Equal(t, int64(2*PageSize), h.Placed())
	got := make([]byte, 2*PageSize)
	n, err := old.Read(extent.Flat(), 0, got)
	assert.NoError(t, err)
	assert.Equal(t, bytes.Repeat([]byte{1}, 2*PageSize), got[:n])
}
