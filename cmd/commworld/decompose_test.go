package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// seen lists the elements that a rank's view shows, n of them.
func seen(t *rapid.T, v part, n int64) []int64 {
	l, err := v.filetype.Layout(types.Host)
	if err != nil {
		t.Fatalf("%v: %v", v.filetype, err)
	}
	var at []int64
	if n == 0 {
		return at
	}
	size, err := types.Double.Layout(types.Host)
	assert.NoError(t, err)
	w := types.Tiling{L: l, Disp: v.first * size.Extent}
	for off, length := range w.Runs(0, n*size.Size) {
		for ; length > 0; off, length = off+size.Size, length-size.Size {
			at = append(at, off/size.Size)
		}
	}
	return at
}

func drawShape(t *rapid.T) (shape, int64) {
	return shape{rapid.Int64Range(1, 24).Draw(t, "rows"), rapid.Int64Range(1, 24).Draw(t, "width")},
		rapid.Int64Range(1, 17).Draw(t, "ranks")
}

// If the view of a decomposition differed from the definition, verify would report its own
// mistake as a difference.
func TestDecompositionViews(t *testing.T) {
	for _, d := range decompositions {
		t.Run("IO-VIEW-20 "+d.name, rapid.MakeCheck(func(t *rapid.T) {
			s, p := drawShape(t)
			owned := make([][]int64, p)
			for e := range s.elements() {
				r := d.owner(s, p, e/s.width, e%s.width)
				owned[r] = append(owned[r], e)
			}
			for r := range p {
				v := d.view(s, p, r, types.Double)
				assert.Equal(t, owned[r], seen(t, v, int64(len(owned[r]))), "rank %d: %v", r, v.filetype)
			}
		}))
	}
}

// If the index of owners missed an element or gave it away twice, a byte could
// be wrong and no one would look at it.
func TestOwnership(t *testing.T) {
	for _, d := range decompositions {
		t.Run(d.name, rapid.MakeCheck(func(t *rapid.T) {
			s, p := drawShape(t)
			if rapid.IntRange(0, 9).Draw(t, "wide") == 9 { // a row is several bands
				s.width += 2 * bandLength
				s.rows = min(s.rows, 2)
			}
			o := own(d, s, p)
			array := make([]byte, s.elements())
			for i := range array {
				array[i] = byte(i*i>>3 + i)
			}
			total := int64(0)
			for r := range int(p) {
				var want []byte
				for e := range s.elements() {
					if d.owner(s, p, e/s.width, e%s.width) == int64(r) {
						want = append(want, array[e])
					}
				}
				local := make([]byte, o.counts[r])
				piece := rapid.IntRange(1, 100).Draw(t, "piece")
				in, out := o.cursor(r, 1), o.cursor(r, 1)
				for from := 0; from < len(local); from += piece {
					part := local[from:min(from+piece, len(local))]
					in.fill(part, array)
					_, _, same := out.check(part, array)
					assert.True(t, same)
				}
				assert.Equal(t, string(want), string(local), "rank %d", r)
				total += o.counts[r]
			}
			assert.Equal(t, s.elements(), total)
		}))
	}
}

// If the check overlooked a byte, or named another one, the report would send
// its reader to the wrong place.
func TestCheckReportsTheByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p := drawShape(t)
		d := rapid.SampledFrom(decompositions).Draw(t, "decomposition")
		size := rapid.SampledFrom([]int64{1, 2, 4, 8}).Draw(t, "size")
		o := own(d, s, p)
		array := make([]byte, s.elements()*size)
		for i := range array {
			array[i] = byte(i % 251)
		}
		at := rapid.Int64Range(0, int64(len(array))-1).Draw(t, "byte")
		rank := ownerOf(d, s, p, at, size)
		local := make([]byte, o.counts[rank]*size)
		o.cursor(rank, size).fill(local, array)
		array[at] ^= 0x40
		got, in, same := o.cursor(rank, size).check(local, array)
		assert.False(t, same)
		assert.Equal(t, at, got)
		assert.Equal(t, array[at]^0x40, local[in])
	})
}

// If the grid of ranks were not the most square one, the picture and the
// manual would not show what the program does.
func TestFactors(t *testing.T) {
	for p, want := range map[int64][2]int64{1: {1, 1}, 2: {1, 2}, 4: {2, 2}, 6: {2, 3}, 7: {1, 7}, 16: {4, 4}, 12: {3, 4}} {
		high, wide := factors(p)
		assert.Equal(t, want, [2]int64{high, wide}, p)
	}
}
