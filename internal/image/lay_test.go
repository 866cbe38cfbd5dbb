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

// bare hides that a backing has pages.
type bare struct{ Backing }

// If this fails, other handles change bytes that a handle wrote or adopted, because memory
// that a log, the image and its history exchanged was still in use. An image without pages
// copies everything.
func TestPageOwnership(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		images := [2]*Image{NewImage(NewMemory(Poison)), NewImage(bare{NewMemory(Poison)})}
		models := rapid.SliceOfN(rapid.SampledFrom([]Rules{Weakest, Weakest, Weakest, Session, Commit, POSIX}), 2, 4).Draw(t, "models")
		var handles [2][]*Handle
		for i, im := range images {
			for _, m := range models {
				handles[i] = append(handles[i], im.OpenAs(m))
			}
		}
		border := rapid.Custom(func(t *rapid.T) int64 {
			return max(0, rapid.Int64Range(0, 4).Draw(t, "page")*PageSize+rapid.SampledFrom([]int64{0, 0, 0, -7, 7, PageSize / 2}).Draw(t, "aside"))
		})
		tiling := rapid.Custom(func(t *rapid.T) types.Tiling {
			disp := border.Draw(t, "disp")
			if rapid.Bool().Draw(t, "flat") {
				return types.Tiling{L: extent.BytesLayout, Disp: disp}
			}
			block := rapid.SampledFrom([]int64{1000, PageSize / 2, PageSize, 2 * PageSize}).Draw(t, "block")
			return tileOf(block, block+rapid.SampledFrom([]int64{0, 500, PageSize}).Draw(t, "hole"), disp)
		})
		next := int64(0)
		for step := range rapid.IntRange(1, 25).Draw(t, "steps") {
			k := rapid.IntRange(0, len(models)-1).Draw(t, "handle")
			at, from, n := tiling.Draw(t, "at"), rapid.SampledFrom([]int64{0, 0, 5, PageSize}).Draw(t, "from"), border.Draw(t, "n")
			what := rapid.SampledFrom([]string{"write", "write", "go on", "read", "publish", "exchange", "exchange", "adopt", "resize"}).Draw(t, "what")
			if what == "go on" {
				at, from, n = extent.Flat(), next, min(n, rapid.SampledFrom([]int64{500, PageSize / 4, PageSize}).Draw(t, "at most"))
			}
			space := rapid.Bool().Draw(t, "space")
			var seen [2]string
			for i, im := range images {
				h := handles[i][k]
				switch what {
				case "write", "go on":
					p := make([]byte, n)
					if space {
						p = h.Space(n)
					}
					fill(p, byte(step+1))
					if space || at.L != extent.BytesLayout || !h.WriteRun(at.Disp+from, p) {
						assert.NoError(t, h.Write(at, from, p))
					}
					if !space {
						fill(p, 0xEE) // it is ours again
					}
					if n > 0 {
						next = at.At(from+n-1) + 1
					}
				case "read":
					p := make([]byte, n)
					got, err := h.Read(at, from, p)
					seen[i] = fmt.Sprint(got, err, p)
				case "publish":
					assert.NoError(t, h.Publish())
				case "exchange":
					if i > 0 {
						assert.NoError(t, h.Flush())
						h.Adopt()
						break
					}
					assert.NoError(t, h.Exchange())
				case "adopt":
					h.Adopt()
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
		for k := range models {
			var seen [2][]byte
			for i := range images {
				seen[i] = make([]byte, handles[i][k].Size())
				_, err := handles[i][k].Read(extent.Flat(), 0, seen[i])
				assert.NoError(t, err)
			}
			require.True(t, bytes.Equal(seen[0], seen[1]), "at the end, by handle %d", k)
		}
		for k := range models {
			assert.NoError(t, handles[0][k].Close())
		}
		assert.Zero(t, images[0].Remembered())
	})
}

// If this fails, bytes that did not fit into a store are lost, or a handle sees bytes that
// it should not see: the memory of one half of a failed write has been exchanged, and that
// of the other half has not.
func TestExchangeWithFullStore(t *testing.T) {
	for name, at := range map[string]types.Tiling{"pages": extent.Flat(), "blocks": tileOf(64, 128, 0)} {
		t.Run(name, func(t *testing.T) {
			var room atomic.Int64
			room.Store(2)
			m := NewMemory(Poison)
			m.Within(&room)
			im := NewImage(m)
			h := im.Open()
			require.NoError(t, h.Write(extent.Flat(), 0, bytes.Repeat([]byte{1}, 2*PageSize)))
			require.NoError(t, h.Exchange())
			old := im.Open()
			n := at.Until(4*PageSize, 0, 4*PageSize)
			require.NoError(t, h.Write(at, 0, bytes.Repeat([]byte{2}, int(n))))
			require.NoError(t, h.Write(extent.Flat(), 5, []byte{3}))

			check := func(h *Handle, want byte, n int64) {
				got := make([]byte, n)
				k, err := h.Read(at, 0, got)
				require.NoError(t, err)
				require.Equal(t, n, k)
				assert.Equal(t, int(n), bytes.Count(got, []byte{want})+bytes.Count(got[:6], []byte{3}))
			}
			assert.ErrorContains(t, h.Exchange(), "no room for another page")
			check(h, 2, n)
			check(old, 1, n/2)
			room.Store(1)
			assert.ErrorContains(t, h.Exchange(), "no room for another page")
			check(old, 1, n/2)
			old.Adopt() // no handle needs old versions any more
			for range 3 {
				fill(old.Space(n), 9)
			}
			check(h, 2, n)
			room.Store(1)
			require.NoError(t, h.Exchange())
			check(h, 2, n)
			old.Adopt()
			check(old, 2, n)
			assert.Zero(t, im.Remembered())
			var got [1]byte
			_, err := old.Read(extent.Flat(), 5, got[:])
			require.NoError(t, err)
			assert.Equal(t, byte(3), got[0])
		})
	}
}

// Small writes far apart, and runs that end soon behind the border of a page, must
// not take a page each in a log.
func TestLogMemory(t *testing.T) {
	held := func(h *Handle) (n int) {
		for i := range h.log.recs.n {
			if r := h.log.recs.at(i); r.page {
				n += cap(r.data)
			}
		}
		for _, c := range append(h.log.arena.full, h.log.arena.chunk) {
			n += cap(c)
		}
		return n
	}
	for _, c := range []struct {
		name          string
		n, lo, stride int64 // runs, where the first begins, and how far apart
		each, piece   int64 // bytes of a run, and of a write
		most          int64
	}{
		{"8 B a page", 1000, 0, PageSize, 8, 8, 16 << 10},
		{"across borders", 100, PageSize - 2000, 2 * PageSize, 4000, 50, 1 << 20},
		{"a page and a bit", 20, 0, 4 * PageSize, PageSize + 8, PageSize + 8, 40 * PageSize},
		{"in a row", 1, 0, 0, 64 * PageSize, 4096, 65 * PageSize},
		{"in a row at once", 1, 0, 0, 64 * PageSize, 64 * PageSize, 64 * PageSize},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := NewImage(NewMemory(Poison)).Open()
			p := make([]byte, c.piece)
			for i := range c.n {
				for at := c.lo + i*c.stride; at < c.lo+i*c.stride+c.each; at += c.piece {
					if !h.WriteRun(at, p) {
						require.NoError(t, h.Write(extent.Flat(), at, p))
					}
				}
			}
			assert.LessOrEqual(t, int64(held(h)), c.most)
		})
	}
}
