package world_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// TestNodes: ranks on nodes know where they are, and aggregators are spread over nodes.
func TestNodes(t *testing.T) {
	const n, each = 10, 4
	for name, opt := range map[string]world.Option{"Nodes": world.Nodes(each), "On": world.On(func() machine.Machine {
		m := machine.Lustre(4, 1<<20)
		m.RanksPerNode, m.Driver = each, "ufs" // else only as many ranks write as the file has stripes
		return m
	}())} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error {
				r := &runner{}
				assert.Equal(t, fmt.Sprint("node", c.Rank()/each), c.ProcessorName())
				node, err := c.SplitType(comm.Shared, 0, nil)
				r.do(err)
				assert.Equal(t, min(each, n-c.Rank()/each*each), node.Size())
				assert.Equal(t, c.Rank()%each, node.Rank())
				r.do(node.Free())
				return r.err
			}, opt))
			for hint, want := range map[string][]int{"": {0, 4, 8}, "*:1": {0, 4, 8}, "*:2": {0, 1, 4, 5, 8, 9}, "*:*": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
				assert.Equal(t, want, carriers(t, n, hint, func(c *comm.Comm) (*comm.Comm, error) { return c.Dup() }, opt), hint)
			}
			reverse := func(c *comm.Comm) (*comm.Comm, error) { return c.Split(0, -c.Rank()) }
			assert.Equal(t, []int{0, 1, 2}, carriers(t, n, "", reverse, opt), "the first node has two ranks, so they do not fill the nodes in order")
		})
	}
	assert.Equal(t, []int{0}, carriers(t, n, "", func(c *comm.Comm) (*comm.Comm, error) { return c.Dup() }), "one node")
}

// carriers returns the ranks that write for all in a collective write.
func carriers(t *testing.T, n int, list string, of func(*comm.Comm) (*comm.Comm, error), opts ...world.Option) (ranks []int) {
	var mu sync.Mutex
	fsys := iofile.NewMem()
	require.NoError(t, world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error {
		r := &runner{}
		d, err := of(c)
		r.do(err)
		info := comm.NewInfo()
		r.do(info.Set("romio_cb_write", "enable"))
		r.do(info.Set("striping_unit", "1"))
		if list != "" {
			r.do(info.Set("cb_config_list", list))
		}
		f, err := iofile.Open(d, fsys, "f", iofile.Create|iofile.WriteOnly, iofile.WithInfo(info))
		r.do(err)
		_, err = f.WriteAtAll(types.Of(make([]byte, 100)), iofile.Offset(100*d.Rank()))
		r.do(err)
		mu.Lock()
		if ranks = nil; r.err == nil {
			for _, q := range f.Plan().Requests {
				ranks = append(ranks, q.Rank)
			}
		}
		mu.Unlock()
		r.do(f.Close())
		r.do(d.Free())
		return r.err
	}, opts...))
	return ranks
}

func TestNodesRefuses(t *testing.T) {
	body := func(context.Context, *comm.Comm) error { return nil }
	assert.ErrorIs(t, world.Run(t.Context(), 1, body, world.Nodes(0)), errclass.Arg)
	assert.ErrorContains(t, world.Run(t.Context(), 1, body, world.Nodes(3), world.On(machine.Lustre(1, 1<<20))), "leave Nodes out")
}
