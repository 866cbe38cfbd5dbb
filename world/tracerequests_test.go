package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, the picture of a run does not show by which requests its bytes moved.
func TestTraceRequests(t *testing.T) {
	const ranks = 4
	two := strategy.TwoPhase{Nodes: 2, Buffer: 200}
	for _, how := range []struct {
		name string
		opts []world.Option
		fsys []iofile.Option
		s    strategy.Strategy
	}{
		{"two phases", []world.Option{world.Seed(3)}, nil, two},
		{"two phases in a free world", nil, nil, two},
		{"two phases under POSIX", []world.Option{world.Seed(3)}, []iofile.Option{iofile.WithModel(consistency.POSIX)}, two},
		{"sieving", []world.Option{world.Seed(3)}, nil, strategy.Sieve{}},
	} {
		t.Run("CONS-LAY-01 "+how.name, func(t *testing.T) {
			var b bytes.Buffer
			fsys := iofile.NewMem(how.fsys...)
			counts := make([]strategy.Counts, ranks)
			var planned strategy.Counts
			err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
				opts := []iofile.OpenOption{iofile.WithStrategy(how.s)}
				f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite, opts...)
				if err != nil {
					return err
				}
				column := types.Resized(types.Double, 0, 8*ranks)
				if err = f.SetView(iofile.View{Disp: int64(8 * c.Rank()), Etype: types.Double, Filetype: column}); err != nil {
					return err
				}
				mem := types.Of(make([]float64, 100))
				_, err1 := f.WriteAtAll(mem, 0)
				_, err2 := f.ReadAtAll(mem, 0)
				req, err3 := f.IWriteAtAll(mem, 100)
				if err = errors.Join(err1, err2, err3); err != nil {
					return err
				}
				if _, err = req.Wait(); err != nil {
					return err
				}
				counts[c.Rank()] = f.Counts()
				return f.Close()
			}, append(how.opts, world.Trace(&b, world.Chrome))...)
			require.NoError(t, err)
			for _, n := range counts {
				planned.Add(n)
			}
			p := checkPicture(t, b.Bytes())
			lanes, requests, sum, arrows, counters := map[int]string{}, map[int]int{}, 0.0, 0, 0
			last := map[string]any{}
			for _, e := range p.Events {
				switch {
				case e.Ph == "M" && e.Name == "thread_name" && e.Tid > ranks:
					lanes[e.Tid] = e.Args["name"].(string)
				case e.Ph == "X" && e.Tid > ranks:
					requests[e.Tid]++
					sum += e.Args["bytes"].(float64)
				case e.Ph == "s" && e.Name == "share":
					arrows++
				case e.Ph == "C":
					counters++
					last = e.Args
				}
			}
			all := 0
			for tid, n := range requests {
				all += n
				if how.s == two {
					assert.True(t, strings.HasPrefix(lanes[tid], "aggregator rank"), lanes[tid])
				}
			}
			assert.EqualValues(t, planned.Reads+planned.Writes, all)
			assert.EqualValues(t, planned.ReadBytes+planned.WriteBytes, sum)
			if how.s == two {
				assert.Len(t, lanes, 2)
				assert.Positive(t, arrows)
			} else {
				assert.Len(t, lanes, ranks)
			}
			assert.Positive(t, counters)
			assert.Equal(t, map[string]any{"requests": 0.0, "messages": 0.0}, last, "nothing is in flight at the end")
		})
	}
	t.Run("a world without strategies has no such rows", func(t *testing.T) {
		var b bytes.Buffer
		require.NoError(t, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, iofile.NewMem(), "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte("x")), 0)
			return errors.Join(err, f.Close())
		}, world.Trace(&b, world.Chrome)))
		assert.NotContains(t, b.String(), fmt.Sprintf("%q:%q", "ph", "C"))
	})
}
