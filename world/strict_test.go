package world_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Programs that lean on memory which only ranks of one process share are told
// before they are taken to a cluster, where they would give other results without
// a word.
func TestStrict(t *testing.T) {
	type body = func(context.Context, *comm.Comm) error
	tell := func(c *comm.Comm, n int) error {
		all := make([]int64, c.Size())
		return c.AllGather(types.Of([]int64{int64(n)}), types.Of(all))
	}
	for name, setup := range map[string]func() body{
		"a shared counter": func() body {
			count := 0
			return func(_ context.Context, c *comm.Comm) error {
				count++
				return tell(c, count)
			}
		},
		"a shared slice": func() body {
			var list []int
			return func(_ context.Context, c *comm.Comm) error {
				list = append(list, c.Rank())
				return tell(c, list[0])
			}
		},
		"a shared map with a mutex": func() body {
			var mu sync.Mutex
			place := map[int]int{}
			return func(_ context.Context, c *comm.Comm) error {
				mu.Lock()
				place[c.Rank()] = len(place)
				mine := place[c.Rank()]
				mu.Unlock()
				return tell(c, mine)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := world.Strict(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) { return setup(), nil })
			var found *world.UncontrolledError
			require.ErrorAs(t, err, &found)
			assert.True(t, found.Reordered)
			assert.ErrorContains(t, err, "memory that ranks share")
			assert.ErrorContains(t, err, "AllGather")
			assert.ErrorContains(t, err, "ranks share memory, which processes of their own would not")
			assert.ErrorContains(t, err, "strict_test.go:")
			t.Log(err)
		})
	}
	t.Run("only messages", func(t *testing.T) {
		assert.NoError(t, world.Strict(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				sum := []int64{0}
				if err := c.Scan(types.Of([]int64{1}), types.Of(sum), comm.Sum); err != nil {
					return err
				}
				return tell(c, int(sum[0]))
			}, nil
		}))
	})
	t.Run("a context that has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := world.Strict(ctx, 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(context.Context, *comm.Comm) error { return nil }, nil
		})
		var ended *world.RunError
		require.ErrorAs(t, err, &ended)
		assert.ErrorIs(t, ended.Cause, context.Canceled)
	})
	t.Run("a program that fails", func(t *testing.T) {
		assert.ErrorContains(t, world.Strict(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				_, err := c.Recv(types.Of([]byte{0}), 1-c.Rank(), 0)
				return err
			}, nil
		}), "deadlock")
	})
}

var total int // for the ranks of TestStrictNames

type tally struct{ n int }

func (t *tally) rank(context.Context, *comm.Comm) error {
	t.n++
	return nil
}

// What no order of ranks brings to light is found in the source, and told with its
// name, its lines, and what to do instead.
func TestStrictNames(t *testing.T) {
	type body = func(context.Context, *comm.Comm) error
	for _, row := range []struct {
		name  string
		setup func() body
		want  []string // each a variable, what is done to it, and what to do
	}{
		{"a flag that is set before a barrier", func() body {
			ready := false
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 0 {
					ready = true
				}
				if err := c.Barrier(); err != nil || !ready {
					return err
				}
				return c.Barrier()
			}
		}, []string{`ready bool, .*written at strict_test.go:\d+; read at strict_test.go:\d+: each process would have its own`}},
		{"a slice by rank", func() body {
			out := make([]int, 3)
			return func(_ context.Context, c *comm.Comm) error {
				out[c.Rank()] = c.Rank()
				return nil
			}
		}, []string{`out \[\]int, .*: written at .*: each rank fills its own part, .*Gather`}},
		{"a variable of the package", func() body {
			return func(context.Context, *comm.Comm) error {
				total++
				return nil
			}
		}, []string{`total int, .*: each process would have its own`}},
		{"a channel", func() body {
			ch := make(chan int, 3)
			return func(context.Context, *comm.Comm) error {
				ch <- 1
				<-ch
				return nil
			}
		}, []string{`ch chan int, .*: sent to at .*; received from at .*: it leads only to goroutines of one process`}},
		{"a lock", func() body {
			var mu sync.Mutex
			return func(context.Context, *comm.Comm) error {
				mu.Lock()
				defer mu.Unlock()
				return nil
			}
		}, []string{`mu sync.Mutex, .*: Lock at .*; Unlock at .*: it orders only goroutines of one process`}},
		{"a method bound to a value", func() body { return new(tally).rank }, []string{`t \*world_test.tally, .*strict_test.go`}},
		{"what is only read", func() body {
			counts, names := []int64{1, 2, 3}, map[int]string{0: "a"}
			return func(_ context.Context, c *comm.Comm) error {
				return c.Bcast(types.Of([]int64{counts[0], int64(len(names[0]))}), 0)
			}
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := world.Strict(t.Context(), 3, func() (body, func() any) { return row.setup(), nil })
			if row.want == nil {
				assert.NoError(t, err)
				return
			}
			var found *world.SharingError
			require.ErrorAs(t, err, &found)
			t.Log(err)
			assert.NoError(t, found.Ran)
			assert.NoError(t, found.Unread)
			require.Len(t, found.Shared, len(row.want))
			for i, want := range row.want {
				assert.Regexp(t, want, found.Shared[i].String())
			}
		})
	}
}

// A program whose source is elsewhere passes for clean if nobody says that it was
// not read.
func TestStrictUnread(t *testing.T) {
	err := world.Strict(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) { return elsewhere(), nil })
	var found *world.SharingError
	require.ErrorAs(t, err, &found)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "nobody has looked for variables that ranks share")
	assert.ErrorContains(t, err, "/nowhere/prog.go")
	assert.Empty(t, found.Shared)
	assert.NoError(t, found.Ran)
}

func elsewhere() func(context.Context, *comm.Comm) error {
//line /nowhere/prog.go:7
	return func(_ context.Context, c *comm.Comm) error { return c.Barrier() }
}
