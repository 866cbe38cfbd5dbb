package image_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// calls is a backing without pages that records its writes.
type calls struct {
	image.Backing
	writes [][2]int64
	broken bool
	fills  bool
	pieces [][2]int64 // of the writes
}

func (c *calls) FillsGaps() bool { return c.fills }

func (c *calls) WritePieces(p []byte, off int64, pieces []image.Piece) (int, error) {
	for _, q := range pieces {
		c.pieces = append(c.pieces, [2]int64{q.Off, int64(len(q.Data))})
	}
	return c.WriteAt(p, off)
}

func (c *calls) WriteAt(p []byte, off int64) (int, error) {
	if c.broken {
		return 0, errFull
	}
	c.writes = append(c.writes, [2]int64{off, int64(len(p))})
	return c.Backing.WriteAt(p, off)
}

func (c *calls) Poison() byte { return 0 }

// If this fails, publishing loses or invents bytes, or asks for more than it has to.
func TestStage(t *testing.T) {
	usual := image.SetMostPieces(3)
	image.SetMostPieces(usual)
	for _, bound := range []int{3, usual} {
		t.Run(fmt.Sprintf("CONS-SYNC-01 any handles, at most %d pieces a call", bound), func(t *testing.T) {
			image.SetMostPieces(bound)
			defer image.SetMostPieces(usual)
			rapid.Check(t, func(rt *rapid.T) {
				b := &calls{Backing: image.NewMemory(0), fills: rapid.Bool().Draw(rt, "fills gaps")}
				im := image.NewImage(b)
				var requests [][2]int64
				var handles []*image.Handle
				var own []map[int64]byte // the unpublished writes of each handle
				for range rapid.IntRange(1, 4).Draw(rt, "handles") {
					rules := rapid.SampledFrom([]image.Rules{image.Weakest, image.Session, image.POSIX}).Draw(rt, "rules")
					handles, own = append(handles, im.OpenAs(rules)), append(own, map[int64]byte{})
				}
				want := map[int64]byte{} // the image
				next, size := byte(1), int64(0)
				check := func() {
					got := make([]byte, im.Size())
					_, err := im.ReadAt(got, 0)
					assert.NoError(rt, err)
					for off, v := range got {
						if want[int64(off)] != v {
							rt.Fatalf("byte %d is %d, not %d", off, v, want[int64(off)])
						}
					}
				}
				for range rapid.IntRange(1, 30).Draw(rt, "steps") {
					i := rapid.IntRange(0, len(handles)-1).Draw(rt, "handle")
					h := handles[i]
					publish := func() {
						for off, v := range own[i] {
							want[off] = v
						}
						clear(own[i])
					}
					switch rapid.IntRange(0, 9).Draw(rt, "call") {
					case 0:
						assert.NoError(rt, h.Flush())
						publish()
					case 1:
						assert.NoError(rt, h.Exchange())
						publish()
					case 2:
						assert.NoError(rt, im.Sync())
					case 3:
						r := [2]int64{rapid.Int64Range(0, 300000).Draw(rt, "off"), rapid.Int64Range(0, 100000).Draw(rt, "length")}
						requests = append(requests, r)
						im.Request(r[0], r[1])
					case 4:
						b.broken = true
						_ = im.Drain() // failed writes are repeated later
						b.broken = false
						check()
					default:
						block, gap := rapid.Int64Range(1, 40).Draw(rt, "block"), rapid.Int64Range(0, 5000).Draw(rt, "gap")
						at := tilingOf(t, types.Resized(types.Contiguous(block, types.Byte), 0, block+gap), rapid.Int64Range(0, 200000).Draw(rt, "disp"))
						p := make([]byte, rapid.IntRange(1, 600).Draw(rt, "bytes"))
						from, pos := rapid.Int64Range(0, 50).Draw(rt, "from"), 0
						for off, n := range at.Runs(from, int64(len(p))) {
							for k := range n {
								p[pos], own[i][off+k] = next, next
								pos++
								next = max(next+1, 1)
								size = max(size, off+k+1)
							}
						}
						assert.NoError(rt, h.Write(at, from, p))
						if h.Direct() {
							publish()
						}
					}
				}
				for i, h := range handles {
					h.Retire()
					assert.NoError(rt, h.Flush())
					for off, v := range own[i] {
						want[off] = v
					}
					check()
				}
				assert.NoError(rt, im.Sync())
				check()
				assert.Equal(rt, im.Size(), b.Size())
				assert.Equal(rt, size, b.Size())
				written := func(w [2]int64) bool {
					for off := w[0]; off < w[0]+w[1]; off++ {
						if _, ok := want[off]; !ok {
							return false
						}
					}
					return true
				}
				for _, w := range b.writes {
					if !written(w) && (!b.fills || !slices.ContainsFunc(requests, func(r [2]int64) bool {
						return r[0] <= w[0] && w[0]+w[1] <= r[0]+r[1]
					})) {
						rt.Fatalf("bytes of %v were written by no handle", w)
					}
				}
				for _, w := range b.pieces {
					if !written(w) {
						rt.Fatalf("bytes of %v were written by no handle", w)
					}
				}
			})
		})
	}
	t.Run("CONS-SYNC-01 neighbours of all handles are one call, cut where requests end", func(t *testing.T) {
		b := &calls{Backing: image.NewMemory(0)}
		im := image.NewImage(b)
		handles := []*image.Handle{im.Open(), im.Open(), im.Open(), im.Open()}
		write := func() {
			for r, h := range handles {
				at := tilingOf(t, types.Resized(types.Contiguous(8, types.Byte), 0, 32), int64(8*r))
				assert.NoError(t, h.Write(at, 0, make([]byte, 8000)))
				assert.NoError(t, h.Exchange())
			}
			assert.NoError(t, im.Sync())
		}
		write()
		assert.Equal(t, [][2]int64{{0, 32000}}, b.writes)
		b.writes = nil
		im.Request(0, 20000)
		im.Request(20000, 12000)
		write()
		assert.Equal(t, [][2]int64{{0, 20000}, {20000, 12000}}, b.writes)
		b.writes = nil
		write()
		assert.Len(t, b.writes, 1, "requests hold until they are made")
	})
	t.Run("CONS-LAY-01 requests that no other overlaps are written as a whole", rapid.MakeCheck(wholeRequests))
	t.Run("CONS-SYNC-01 runs far apart take little memory", func(t *testing.T) {
		b := &calls{Backing: image.NewMemory(0)}
		im := image.NewImage(b)
		h := im.Open()
		for i := range int64(8) {
			assert.NoError(t, h.Write(bytesAt(i<<40), 0, []byte{1}))
		}
		assert.NoError(t, h.Publish())
		assert.Len(t, b.writes, 8)
	})
}

// wholeRequests compares the calls that a backing gets with those that a list of bytes
// requires.
func wholeRequests(t *rapid.T) {
	const length = 400
	b := &calls{Backing: image.NewMemory(0), fills: true}
	im := image.NewImage(b)
	old := im.Open()
	size := rapid.Int64Range(0, length).Draw(t, "size")
	if size > 0 {
		assert.NoError(t, old.Write(bytesAt(0), 0, slices.Repeat([]byte{1}, int(size))))
		assert.NoError(t, old.Publish())
	}
	content := make([]byte, length)
	copy(content, slices.Repeat([]byte{1}, int(size)))
	var staged [length]bool
	handles := []*image.Handle{im.Open(), im.OpenAs(image.Session), im.OpenAs(image.Commit)}
	for i, h := range handles {
		for range rapid.IntRange(0, 4).Draw(t, "writes") {
			off, n := rapid.Int64Range(0, length-20).Draw(t, "off"), rapid.Int64Range(1, 20).Draw(t, "bytes")
			assert.NoError(t, h.Write(bytesAt(off), 0, slices.Repeat([]byte{byte(2 + i)}, int(n))))
			if size = max(size, off+n); i == 1 { // it is in the image at once
				for k := range n {
					content[off+k], staged[off+k] = 3, true
				}
				continue
			}
			assert.NoError(t, h.Flush())
			for k := range n {
				content[off+k], staged[off+k] = byte(2+i), true
			}
		}
	}
	requests := map[[2]int64]bool{} // begin and end
	border := map[int64]bool{}
	for range rapid.IntRange(0, 5).Draw(t, "requests") {
		off, n := rapid.Int64Range(0, length).Draw(t, "of"), rapid.Int64Range(1, 100).Draw(t, "length")
		im.Request(off, n)
		requests[[2]int64{off, off + n}], border[off], border[off+n] = true, true, true
	}
	var want [][2]int64
	for r := range requests {
		alone := true
		for o := range requests {
			alone = alone && (o == r || o[1] <= r[0] || r[1] <= o[0])
		}
		end := min(r[1], size)
		if !alone || r[0] >= end || !slices.Contains(staged[r[0]:end], true) {
			continue
		}
		want = append(want, [2]int64{r[0], end - r[0]})
		clear(staged[r[0]:end])
	}
	for off := int64(0); off < length; off++ {
		if lo := off; staged[off] {
			for off++; off < length && staged[off] && !border[off]; off++ {
			}
			want = append(want, [2]int64{lo, off - lo})
			off--
		}
	}
	other := im.Open() // unpublished bytes are not written
	assert.NoError(t, other.Write(bytesAt(0), 0, slices.Repeat([]byte{9}, length)))
	b.writes = nil
	assert.NoError(t, im.Sync())
	assert.ElementsMatch(t, want, b.writes)
	got := make([]byte, size)
	_, err := b.Backing.ReadAt(got, 0)
	assert.NoError(t, err)
	assert.Equal(t, content[:size], got)
	assert.Equal(t, size, b.Size())
}
