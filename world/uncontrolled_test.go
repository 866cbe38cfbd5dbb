package world_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A program that depends on more than its messages must be reported, because an exploration
// cannot have all of its outcomes.
func TestUncontrolled(t *testing.T) {
	const tries = 64 // a chance of one half shows in one of them
	toOne := func(tag func(c *comm.Comm) int) world.Setup {
		return func() (program, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				if c.Rank() > 0 {
					return c.Send(num(1), 0, tag(c))
				}
				for range c.Size() - 1 {
					if _, err := from(c); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}
	}
	counter := 0
	for _, row := range []struct {
		name  string
		setup world.Setup
		texts []string
	}{
		{"the order of a map", toOne(func(*comm.Comm) int {
			m := map[int]bool{}
			for i := range tries {
				m[i] = true
			}
			for k := range m {
				return k
			}
			return 0
		}), []string{"called Send to 0 tag ", "then called Send to 0 tag ", "uncontrolled_test.go:"}},
		{
			"the time", toOne(func(*comm.Comm) int { return int(time.Now().UnixNano() & 0xfffff) }),
			[]string{"called Send to 0 tag "},
		},
		{"chance", toOne(func(*comm.Comm) int { return rand.IntN(1 << 20) }), []string{"called Send to 0 tag "}},
		{"the environment", toOne(func(*comm.Comm) int {
			was := os.Getenv("COMMWORLD_TEST_RUNS")
			_ = os.Setenv("COMMWORLD_TEST_RUNS", was+"x")
			return len(was)
		}), []string{"called Send to 0 tag "}},
		{"memory that runs share", toOne(func(*comm.Comm) int { counter++; return counter }), []string{"called Send to 0 tag "}},
		{"memory that ranks of one run share", func() (program, func() any) {
			first := -1
			return func(_ context.Context, c *comm.Comm) error {
				if first < 0 {
					first = c.Rank()
				}
				if first == c.Rank() {
					return c.Self().Barrier()
				}
				return nil
			}, nil
		}, []string{"in two runs with the ranks in opposite orders rank ", "Barrier (1st collective) on COMM_SELF at uncontrolled_test.go:", "did nothing more", "ranks share a Go variable"}},
		{"data alone", func() (program, func() any) {
			return func(_ context.Context, c *comm.Comm) error {
				return c.Bcast(types.Of([]int64{rand.Int64()}), 0)
			}, nil
		}, []string{"rank 0 called Bcast (1st collective) on COMM_WORLD at ", "with different arguments or data"}},
		{"what a file is given", func() (program, func() any) {
			fsys := iofile.NewMem()
			return func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
				if err != nil {
					return err
				}
				_, err = f.WriteAt(types.Of([]byte("x")), iofile.Offset(c.Rank()*1000+rand.IntN(900)))
				if err != nil {
					return err
				}
				return f.Close()
			}, nil
		}, []string{"called WriteAt at uncontrolled_test.go:", "with different arguments or data"}},
		{"an outcome that is made of something else", func() (program, func() any) {
			return func(context.Context, *comm.Comm) error { return nil }, func() any { return rand.Int64() }
		}, []string{"the outcome"}},
	} {
		t.Run("WORLD-01 "+row.name, func(t *testing.T) {
			t.Setenv("COMMWORLD_TEST_RUNS", "")
			_, err := world.Explore(t.Context(), 3, row.setup)
			var e *world.UncontrolledError
			if assert.ErrorAs(t, err, &e) {
				t.Log(err)
				for _, text := range append(row.texts, "uncontrolled nondeterminism") {
					assert.ErrorContains(t, err, text)
				}
			}
		})
	}
	t.Run("WORLD-01 programs that do none of that are left in peace", func(t *testing.T) {
		x, err := world.Explore(t.Context(), 4, func() (program, func() any) {
			var got []string
			return func(_ context.Context, c *comm.Comm) error {
				half, err := c.Split(c.Rank()%2, 0)
				if err != nil {
					return err
				}
				alone, err := c.Self().Dup()
				if err != nil {
					return err
				}
				seen := map[int]string{}
				for r := range half.Size() {
					seen[r] = fmt.Sprint("rank ", r)
				}
				for _, r := range slices.Sorted(maps.Keys(seen)) {
					if err := half.Bcast(types.Of([]byte(seen[r])), r); err != nil {
						return err
					}
				}
				if c.Rank() > 0 {
					return c.Send(num(1), 0, 0)
				}
				for range 3 {
					src, err := from(c)
					if err != nil {
						return err
					}
					got = append(got, fmt.Sprint(src))
				}
				return alone.Free()
			}, func() any { return fmt.Sprint(got) }
		})
		assert.NoError(t, err)
		assert.Equal(t, 6, x.Schedules)
		assert.True(t, x.Complete)
	})
}
