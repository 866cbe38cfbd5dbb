package image_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// uniform returns the one value that all of p have.
func uniform(p []byte) (byte, bool) {
	return p[0], bytes.Count(p, p[:1]) == len(p)
}

// If this fails, ranks that run at the same time lose bytes, see half of what another
// published, or see bytes go back in time. Each rank owns the blocks that are its number
// modulo the ranks; all of them write the last bytes.
func TestConcurrentRanks(t *testing.T) {
	const ranks, each, rounds = 4, 80_000, 30
	for name, backing := range backings {
		t.Run(name, func(t *testing.T) {
			im := image.NewImage(backing())
			assert.NoError(t, im.SetSize(ranks*(each+1)))
			var hs []*image.Handle
			for range ranks {
				hs = append(hs, im.Open())
			}
			inParallel(ranks, func(r int) {
				rng := rand.New(rand.NewPCG(1, uint64(r)))
				mine := tilingOf(t, types.Resized(types.Contiguous(16, types.Byte), 0, 16*ranks), 16*int64(r))
				other := tilingOf(t, types.Resized(types.Contiguous(16, types.Byte), 0, 16*ranks), 16*int64((r+1)%ranks))
				h, last := hs[r], byte(image.Poison)
				p, seen := make([]byte, each), 0
				for round := range byte(rounds) {
					q := h.Space(each)
					copy(q, bytes.Repeat([]byte{round}, each))
					assert.NoError(t, h.Write(mine, 0, q))
					assert.NoError(t, h.Write(bytesAt(ranks*each), 0, []byte{round, byte(r)}))
					switch rng.IntN(4) {
					case 0:
					case 1:
						assert.NoError(t, h.Exchange())
					default:
						assert.NoError(t, h.Publish())
					}
					if rng.IntN(3) > 0 {
						h.Adopt()
					}
					_, err := h.Read(mine, 0, p)
					assert.NoError(t, err)
					v, ok := uniform(p)
					assert.True(t, ok && v == round, "rank %d round %d reads %d for its own bytes", r, round, v)
					_, err = h.Read(other, 0, p)
					assert.NoError(t, err)
					v, ok = uniform(p)
					assert.True(t, ok, "rank %d sees half of what its neighbour published", r)
					if v != last {
						assert.GreaterOrEqual(t, int(v), seen, "rank %d sees bytes go back", r)
						last, seen = v, int(v)
					}
				}
			})
			for _, h := range hs {
				assert.NoError(t, h.Close())
			}
			assert.Zero(t, im.Remembered())
			all := make([]byte, ranks*each)
			_, err := im.ReadAt(all, 0)
			assert.NoError(t, err)
			v, ok := uniform(all)
			assert.True(t, ok && v == rounds-1)
		})
	}
}

// If this fails, atomic mode is not atomic: a reader finds a mixture of two calls, or of one
// call and older bytes.
func TestConcurrentAtomicAccesses(t *testing.T) {
	const ranks, rounds = 4, 200
	for _, c := range []struct {
		name string
		ft   *types.Type // of all ranks
		n    int
	}{
		{"LIT-26 overlapping atomic writes of ten words", types.Byte, 40},
		{"LIT-27 interleaved atomic writes: on common bytes one rank wins entirely", types.Resized(types.Contiguous(8, types.Byte), 0, 12), 16},
		{"CONS-C5 across pages", types.Resized(types.Contiguous(3, types.Byte), 0, 30_000), 30},
	} {
		for name, backing := range backings {
			t.Run(c.name+", "+name, func(t *testing.T) {
				im := image.NewImage(backing())
				at := tilingOf(t, c.ft, 0)
				inParallel(ranks, func(r int) {
					h := im.Open()
					h.SetAtomic(true)
					buf := make([]byte, c.n)
					for range rounds {
						assert.NoError(t, h.Write(at, 0, bytes.Repeat([]byte{byte(r + 1)}, c.n)))
						n, err := h.Read(at, 0, buf)
						assert.NoError(t, err)
						assert.EqualValues(t, c.n, n)
						_, ok := uniform(buf)
						assert.True(t, ok, "rank %d read %v", r, buf)
					}
					assert.NoError(t, h.Close())
				})
			})
		}
	}
}

// If this fails, a program with races crashes or trips the race detector of Go
// instead of getting a report of its races.
func TestConcurrentRaces(t *testing.T) {
	const ranks, steps = 6, 400
	for name, backing := range backings {
		t.Run(name, func(t *testing.T) {
			im := image.NewImage(backing())
			inParallel(ranks, func(r int) {
				rng := rand.New(rand.NewPCG(2, uint64(r)))
				h := im.Open()
				for range steps {
					at := tilingOf(t, shapes[rng.IntN(len(shapes))], rng.Int64N(3*image.PageSize))
					p := make([]byte, rng.IntN(300))
					var err error
					switch rng.IntN(10) {
					case 0, 1, 2:
						err = h.Write(at, rng.Int64N(50), p)
					case 3, 4:
						_, err = h.Read(at, rng.Int64N(50), p)
					case 5:
						err = h.Publish()
					case 6:
						h.Adopt()
					case 7:
						n := rng.Int64N(4 * image.PageSize)
						h.Resize(n)
						err = im.SetSize(n)
					case 8:
						err = h.Publish()
						h.SetAtomic(rng.IntN(2) == 0)
					case 9:
						err = h.Close()
						h = im.Open()
					}
					assert.NoError(t, err)
				}
				assert.NoError(t, h.Close())
			})
			assert.Zero(t, im.Remembered(), "after all handles are closed")
		})
	}
}
