package image

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// unpaged hides the pages of a memory, so that no access takes the fast path for one page.
type unpaged struct{ m *Memory }

func (u unpaged) ReadAt(p []byte, off int64) (int, error)  { return u.m.ReadAt(p, off) }
func (u unpaged) WriteAt(p []byte, off int64) (int, error) { return u.m.WriteAt(p, off) }
func (u unpaged) Size() int64                              { return u.m.Size() }
func (u unpaged) SetSize(n int64) error                    { return u.m.SetSize(n) }
func (u unpaged) Sync() error                              { return u.m.Sync() }
func (u unpaged) Close() error                             { return u.m.Close() }
func (u unpaged) Poison() byte                             { return u.m.Poison() }

// If the fast path of accesses to one page differed from the general path, the result of a
// read would depend on the borders of pages, or on earlier accesses.
func TestOnePageEqualsGeneralPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		images := [2]*Image{NewImage(NewMemory(Poison)), NewImage(unpaged{NewMemory(Poison)})}
		models := rapid.SliceOfN(rapid.SampledFrom([]Rules{POSIX, POSIX, Weakest, Session, Commit}), 1, 3).Draw(t, "models")
		var handles [2][]*Handle
		end := int64(0) // of the last access
		for i, im := range images {
			for _, m := range models {
				handles[i] = append(handles[i], im.OpenAs(m))
			}
		}
		place := rapid.Custom(func(t *rapid.T) int64 {
			return rapid.SampledFrom([]int64{0, pageHead - 4, PageSize - 4, 2*PageSize - 1}).Draw(t, "base") + rapid.Int64Range(0, 8).Draw(t, "off")
		})
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			k := rapid.IntRange(0, len(models)-1).Draw(t, "handle")
			lo, n := place.Draw(t, "lo"), rapid.Int64Range(1, 9).Draw(t, "n")
			if rapid.Bool().Draw(t, "on from there") {
				lo = end
			}
			end = lo + n
			what := rapid.SampledFrom([]string{"write", "write", "read", "read", "publish", "adopt", "atomic", "size", "resize"}).Draw(t, "what")
			on := rapid.Bool().Draw(t, "on")
			var seen [2]string
			for i, im := range images {
				h := handles[i][k]
				switch what {
				case "write":
					if p := bytes.Repeat([]byte{byte(step + 1)}, int(n)); i > 0 || !on || !h.WriteRun(lo, p) {
						assert.NoError(t, h.Write(extent.Flat(), lo, p))
					}
				case "read":
					p, got := make([]byte, n), n
					if i > 0 || !on || !h.ReadRun(lo, p) {
						var err error
						got, err = h.Read(extent.Flat(), lo, p)
						assert.NoError(t, err)
					}
					seen[i] = fmt.Sprint(got, p)
				case "publish":
					assert.NoError(t, h.Publish())
				case "adopt":
					h.Adopt()
				case "atomic":
					h.SetAtomic(on)
				case "size":
					seen[i] = fmt.Sprint(h.Size(), im.Size())
				case "resize":
					for _, h := range handles[i] {
						h.Resize(lo)
					}
					assert.NoError(t, im.SetSize(lo))
				}
			}
			if seen[0] != seen[1] {
				t.Fatalf("step %d, %s by handle %d: with pages %s, without %s", step, what, k, seen[0], seen[1])
			}
		}
	})
}

// If an access to one page could see half of a larger one, a rank would see a write and
// then, in another page, the bytes from before it: in atomic mode whole calls would have no
// order.
func TestOnePageBesideLargeAccess(t *testing.T) {
	const size = 5 * PageSize
	im := NewImage(NewMemory(0))
	open := func() *Handle {
		h := im.Open()
		h.SetAtomic(true)
		return h
	}
	writer := open()
	write := func(v int) { assert.NoError(t, writer.Write(extent.Flat(), 0, bytes.Repeat([]byte{byte(v)}, size-1))) }
	write(0)
	var readers sync.WaitGroup
	for r := range 3 {
		readers.Go(func() {
			h, p := open(), make([]byte, size-1)
			for last, i := byte(0), int64(0); last < 250; i++ {
				got := p[:1]
				if lo := (i*3 + int64(r)) % 5 * PageSize; i%7 > 0 {
					_, _ = h.Read(extent.Flat(), lo, got)
					assert.NoError(t, h.Write(extent.Flat(), size-1, got)) // a write of one page, of no interest
				} else {
					_, _ = h.Read(extent.Flat(), 0, p)
					if !assert.Equal(t, len(p), bytes.Count(p, got), "half of a write") {
						return
					}
				}
				if !assert.GreaterOrEqual(t, got[0], last, "an old byte after a new one") {
					return
				}
				last = got[0]
			}
		})
	}
	for v := range 251 {
		write(v)
	}
	readers.Wait()
}

// If two accesses that only lie in each other's gaps waited for each other, the ranks of a
// grid would write one after the other; if two accesses with common bytes did not wait,
// their bytes would mix.
func TestSpansOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (*span, map[int64]bool) {
			n := rapid.Int64Range(1, 3).Draw(t, name+" rows")
			sub := rapid.Int64Range(1, 3).Draw(t, name+" sub")
			ft := types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: n}, {Size: 4, Sub: n}, {Size: 4, Sub: sub}}, types.Byte)
			l, err := ft.Layout(types.Host)
			assert.NoError(t, err)
			b := types.Part{At: types.Tiling{L: l, Disp: rapid.Int64Range(0, 30).Draw(t, name+" disp")}, From: 0, N: l.Size * rapid.Int64Range(1, 2).Draw(t, name+" copies")}
			if rapid.Bool().Draw(t, name+" cut") {
				b.N = rapid.Int64Range(1, b.N).Draw(t, name+" length")
			}
			lo, hi := b.At.Span(b.From, b.N)
			all := map[int64]bool{}
			for off, n := range b.At.Runs(b.From, b.N) {
				for i := range n {
					all[off+i] = true
				}
			}
			return &span{lo: lo, hi: hi, bytes: extent.Outline(&b, nil)}, all
		}
		a, as := draw("a")
		b, bs := draw("b")
		common := false
		for i := range as {
			common = common || bs[i]
		}
		exact := len(a.bytes) > 0 && len(b.bytes) > 0 // part of a block of an array is kept as a range
		if a.lo < b.hi && b.lo < a.hi && (exact || common) {
			assert.Equal(t, common, a.meets(b), "%v and %v", a.bytes, b.bytes)
		}
	})
}
