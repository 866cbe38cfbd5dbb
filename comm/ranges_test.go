package comm_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
)

// A library picks its ranks by ranges; one too many at an end is a rank that
// waits for ever.
func TestGroupRanges(t *testing.T) {
	t.Run("GRP-01 ranges against counting", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 9).Draw(t, "ranks")
			ranges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) comm.RankRange {
				return comm.RankRange{
					First: rapid.IntRange(0, n-1).Draw(t, "first"), Last: rapid.IntRange(0, n-1).Draw(t, "last"),
					Stride: rapid.SampledFrom([]int{1, -1, 2, -2, 3, -7}).Draw(t, "stride"),
				}
			}), 0, 3).Draw(t, "ranges")
			var want []int
			twice := false
			for _, r := range ranges {
				for i := r.First; r.Stride > 0 && i <= r.Last || r.Stride < 0 && i >= r.Last; i += r.Stride {
					twice = twice || slices.Contains(want, i)
					want = append(want, i)
				}
			}
			err := errors.Join(start(n, setting{}, func(c *comm.Comm) error {
				all, err := c.Group()
				in, inErr := all.RangeIncl(ranges)
				out, outErr := all.RangeExcl(ranges)
				if twice {
					return errors.Join(err, equal(true, errors.Is(inErr, comm.ErrRank)), equal(true, errors.Is(outErr, comm.ErrRank)))
				}
				rest := filter(slices.Collect(seq(n)), func(r int) bool { return !slices.Contains(want, r) })
				return errors.Join(err, inErr, outErr, isGroup(in, all, want), isGroup(out, all, rest))
			})...)
			if err != nil {
				t.Fatal(err)
			}
		})
	})
}
