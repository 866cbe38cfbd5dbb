package comm_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
)

// dimsNaive looks at every tuple of factors.
func dimsNaive(n, k int) (best []int) {
	var now []int
	var try func(rest, k, most int)
	try = func(rest, k, most int) {
		if k == 0 {
			if rest == 1 && (best == nil || better(now, best)) {
				best = slices.Clone(now)
			}
			return
		}
		for d := 1; d <= min(rest, most); d++ {
			if rest%d == 0 {
				now = append(now, d)
				try(rest/d, k-1, d)
				now = now[:len(now)-1]
			}
		}
	}
	try(n, k, n)
	return best
}

func better(a, b []int) bool {
	sa, sb := a[0]-a[len(a)-1], b[0]-b[len(b)-1]
	return sa < sb || sa == sb && slices.Compare(a, b) < 0
}

// Uneven grids are slow, and a program that derives a file's layout from
// them expects the standard's.
func TestDimsCreate(t *testing.T) {
	t.Run("TOPO-01 dims_create as in the standard", func(t *testing.T) {
		for _, tc := range []struct {
			n         int
			dims, out []int
		}{
			{6, []int{0, 0}, []int{3, 2}},
			{7, []int{0, 0}, []int{7, 1}},
			{6, []int{0, 3, 0}, []int{2, 3, 1}},
			{12, []int{0, 0, 0}, []int{3, 2, 2}},
			{16, []int{0, 0, 0}, []int{4, 2, 2}},
			{36, []int{0, 0}, []int{6, 6}},
			{72, []int{0, 0, 0}, []int{6, 4, 3}},
			{1, []int{0, 0}, []int{1, 1}},
			{6, []int{2, 3}, []int{2, 3}},
			{1, nil, nil},
		} {
			got, err := comm.DimsCreate(tc.n, tc.dims)
			assert.NoError(t, err)
			assert.Equal(t, tc.out, got, "%d %v", tc.n, tc.dims)
		}
	})
	t.Run("TOPO-01 dims_create errors", func(t *testing.T) {
		for _, tc := range []struct {
			n    int
			dims []int
			want error
		}{
			{7, []int{0, 3, 0}, comm.ErrDims},
			{6, []int{-1, 0}, comm.ErrDims},
			{6, []int{2, 2}, comm.ErrDims},
			{6, []int{3}, comm.ErrDims},
			{2, nil, comm.ErrDims},
			{0, []int{0}, comm.ErrArg},
			{-4, []int{0}, comm.ErrArg},
			{-1 << 31, []int{0}, comm.ErrArg},
		} {
			got, err := comm.DimsCreate(tc.n, tc.dims)
			assert.ErrorIs(t, err, tc.want, "%d %v", tc.n, tc.dims)
			assert.Nil(t, got)
		}
	})
	t.Run("TOPO-01 dims_create against all tuples", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			k := rapid.IntRange(1, 5).Draw(t, "dimensions")
			n := rapid.OneOf(rapid.IntRange(1, 600), rapid.SampledFrom([]int{720, 840, 1024, 1260, 2520})).Draw(t, "ranks")
			fixed := rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 0, 2, 3}), k, k).Draw(t, "given")
			rest, free := n, 0
			for _, d := range fixed {
				switch {
				case d == 0:
					free++
				case rest%d != 0:
					t.Skip("does not divide")
				default:
					rest /= d
				}
			}
			if free == 0 {
				t.Skip("nothing to choose")
			}
			got, err := comm.DimsCreate(n, fixed)
			assert.NoError(t, err)
			want := dimsNaive(rest, free)
			var chosen []int
			for i, d := range got {
				if fixed[i] == 0 {
					chosen = append(chosen, d)
				} else {
					assert.Equal(t, fixed[i], d)
				}
			}
			assert.Equal(t, want, chosen)
		})
	})
	t.Run("TOPO-01 dims_create of numbers with many divisors", func(t *testing.T) {
		for _, n := range []int{2095133040, 1 << 30, 1<<31 - 1, 1102701600, 223092870, 387420489} {
			for k := 1; k <= 33; k++ {
				got, err := comm.DimsCreate(n, make([]int, k))
				assert.NoError(t, err)
				product := 1
				for i, d := range got {
					product *= d
					assert.True(t, i == 0 || d <= got[i-1], "%v", got)
				}
				assert.Equal(t, n, product, "%v", got)
			}
		}
	})
}
