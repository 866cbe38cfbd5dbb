package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// TestDisplacements: in C programs the displacement of an empty block may have any value,
// and other displacements may be negative.
func TestDisplacements(t *testing.T) {
	t.Run("COLL-01 DT-DEF-07 blocks without data do not overlap", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			none := func(n int64) types.Buffer { return types.Raw(nil, n, types.Indexed(nil, types.Double)) }
			zero, one := []int64{0, 0}, []int64{1, 1}
			errs := []error{
				c.AllToAllV(types.Raw(make([]byte, 8), 0, types.Int), zero, zero, none(1), one, zero),
				c.AllToAllV(none(1), one, []int64{-3, 1 << 60}, none(1), one, []int64{-1 << 63, 1<<63 - 1}),
				c.GatherV(none(1), none(1), one, []int64{7, 7}, 0),
				c.ScatterV(none(1), []int64{5, 1}, []int64{1, -1}, none(7), 0),
				c.AllGatherV(none(1), none(0), one, zero),
			}
			return errors.Join(errs...)
		})
	})
	t.Run("COLL-01 an empty block may have any displacement", func(t *testing.T) {
		for _, d := range []int64{1000, -1, -1 << 63, 1<<63 - 1} {
			ranks(t, 2, func(c *comm.Comm) error {
				counts, displs := []int64{2, 0}, []int64{0, d}
				mine := []int32{5, 6}[:counts[c.Rank()]]
				got, back := make([]int32, 2), make([]int32, counts[c.Rank()])
				err := errors.Join(c.AllGatherV(types.Of(mine), types.Of(got), counts, displs),
					c.ScatterV(types.Of(got), counts, displs, types.Of(back), 0))
				return errors.Join(err, equal([]int32{5, 6}, got), equal(mine, back), equal([]int64{0, d}, displs))
			})
		}
	})
	t.Run("COLL-01 blocks before the origin", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			r := int32(c.Rank())
			mem := make([]int32, 6)
			displs := []int64{1, -3, -1}
			buf := types.Of(mem).At(12).Times(3) // items -3 to 2
			err := c.AllGatherV(ints(r+1, r+11), buf, []int64{2, 2, 2}, displs)
			err = errors.Join(err, equal([]int32{2, 12, 3, 13, 1, 11}, mem), equal([]int64{1, -3, -1}, displs))
			got := make([]int32, 2)
			err = errors.Join(err, c.ScatterV(buf, []int64{2, 2, 2}, displs, types.Of(got), 1), equal([]int32{r + 1, r + 11}, got))
			back := make([]int32, 6)
			return errors.Join(err, c.AllToAllV(buf, []int64{2, 2, 2}, displs, types.Of(back), []int64{2, 2, 2}, nil),
				equal([]int32{r + 1, r + 11, r + 1, r + 11, r + 1, r + 11}, back),
				c.AllToAllV(comm.InPlace, nil, nil, buf, []int64{2, 2, 2}, displs))
		})
	})
	t.Run("COLL-01 counts and displacements say what a buffer has, not its count", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			r := int32(c.Rank())
			counts, displs := []int64{2, 1}, []int64{2, 0}
			mem := make([]int32, 5)
			bare := types.Of(mem).Times(0)
			mine := []int32{10 * r, 10*r + 1}[:counts[c.Rank()]]
			err := errors.Join(c.AllGatherV(types.Of(mine), bare, counts, displs), equal([]int32{10, 0, 0, 1, 0}, mem))
			few := make([]byte, 4)
			err = errors.Join(err, c.AllGatherV(types.Of([]byte{7, 8}[:2-2*r]), types.Of(few).Times(0), []int64{2, 0}, []int64{1, 9}), equal([]byte{0, 7, 8, 0}, few))
			back := make([]int32, counts[c.Rank()])
			err = errors.Join(err, c.ScatterV(bare, counts, displs, types.Of(back), 0), equal(mine, back))
			all := make([]int32, 5)
			err = errors.Join(err, c.GatherV(types.Of(mine), types.Of(all).Times(1), counts, displs, 1))
			if r == 1 {
				err = errors.Join(err, equal([]int32{10, 0, 0, 1, 0}, all))
			}
			from, to := []int32{1 + r, 3 + r, 5 + r}, make([]int32, 4)
			err = errors.Join(err, c.AllToAllV(types.Of(from).Times(0), []int64{1, 1}, []int64{2, 0}, types.Of(to).Times(9), []int64{1, 1}, []int64{3, 1}))
			want := [][]int32{{0, 6, 0, 5}, {0, 2, 0, 1}}[r]
			sum := make([]int32, 2)
			err = errors.Join(err, equal(want, to), c.ReduceScatter(types.Of(from).Times(0), types.Of(sum[:counts[r]]), counts, comm.Sum))
			return errors.Join(err, equal([][]int32{{3, 7}, {11, 0}}[r], sum))
		})
	})
	t.Run("COLL-01 TOPO-01 counts and displacements of neighbours", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			ring, err := c.CartCreate(comm.CartDims(true, 2), false)
			if err != nil {
				return err
			}
			r := int32(c.Rank())
			got := make([]int32, 4)
			err = ring.NeighborAllGatherV(ints(7+r), types.Of(got).Times(0), []int64{1, 1}, []int64{3, 1})
			err = errors.Join(err, equal([]int32{0, 8 - r, 0, 8 - r}, got))
			err = errors.Join(err, ring.NeighborAllToAllV(types.Of([]int32{r, 2 + r}).Times(0), []int64{1, 1}, []int64{1, 0}, types.Of(got).Times(0), []int64{1, 1}, []int64{0, 2}))
			return errors.Join(err, equal([]int32{1 - r, 8 - r, 3 - r, 8 - r}, got), ring.Free())
		})
	})
	t.Run("COLL-01 what lies before the memory", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			mem := make([]int32, 6)
			for _, displs := range [][]int64{{-1, 0}, {0, -4}, {0, -1 << 63}, {-1 << 61, 0}, {-1 << 62, 0}, {1<<62 + 1, 0}, {0, 1<<63 - 1}, {0, 4}} {
				err := c.AllGatherV(ints(1), types.Of(mem).At(12).Times(3), []int64{1, 1}, displs)
				if displs[0] == -1 {
					if err != nil {
						return err
					}
					continue
				}
				var e *comm.Error
				assert.ErrorAs(t, err, &e)
				assert.Equal(t, comm.ErrBuffer, e.Class, "%v: %v", displs, err)
				assert.Regexp(t, "the block of rank [01] is items |displacement -[0-9]+ is outside of any memory", err)
			}
			refused(t, c.AllGatherV(ints(1), types.Of(mem).At(12).Times(-1), []int64{1, 1}, []int64{-3, -2}), comm.ErrCount, "DT-ARG-01")
			refused(t, c.AllGatherV(ints(1, 1), types.Of(mem).At(12).Times(3), []int64{2, 2}, []int64{-1, 0}), comm.ErrArg, "COLL-01")
			return nil
		})
	})
}
