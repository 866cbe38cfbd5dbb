package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// everything is a program of messages, collectives of several kinds and files. Each of its
// results depends on the schedule if the standard lets it.
func everything(fsys *iofile.FS) program {
	return func(_ context.Context, c *comm.Comm) error {
		me, n := c.Rank(), c.Size()
		var order []byte
		for r := range n {
			if r != me {
				if err := c.Send(num(me), r, 0); err != nil {
					return err
				}
			}
		}
		for range n - 1 {
			src, err := from(c)
			if err != nil {
				return err
			}
			order = append(order, byte('0'+src))
		}
		q, err := c.IAllReduce(num(int(order[0])), num(0), comm.Sum)
		if err != nil {
			return err
		}
		half, err := c.Split(int(order[0])%2, 0)
		if err != nil {
			return err
		}
		polls := 0
		for ok := false; !ok; polls++ {
			if _, ok, err = q.Test(); err != nil {
				return err
			}
		}
		f, err := iofile.Open(half, fsys, fmt.Sprint("f", int(order[0])%2), iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		_, err = f.WriteShared(types.Of(order))
		_, err2 := f.WriteOrdered(types.Of([]byte(fmt.Sprint(" ", polls, " "))))
		_, err3 := f.WriteAtAll(types.Of(order), iofile.Offset(100+10*me))
		return errors.Join(err, err2, err3, f.Close(), half.Free())
	}
}

// A fingerprint has all visible results of a run: its trace, its log, its report, its error
// and its files.
func fingerprint(t *testing.T, n int, opt world.Option) string {
	var trace, log bytes.Buffer
	fsys := iofile.NewMem()
	rep, err := world.RunReport(t.Context(), n, everything(fsys), opt, world.Trace(&trace, world.Chrome), world.Trace(&log, world.ShiViz))
	files := ""
	for _, name := range []string{"f0", "f1"} {
		text, err := fs.ReadFile(fsys, name)
		files += fmt.Sprintf("%s: %q %v\n", name, text, err)
	}
	return fmt.Sprint(trace.String(), log.String(), rep, err, files)
}

// If a run under a seed were not the same to the last byte, a failure could disappear when
// the run is repeated.
func TestSeedReproducesBytes(t *testing.T) {
	runs := 1000
	if testing.Short() || !thorough.All() {
		runs = 100
	}
	for name, opt := range map[string]world.Option{"a seed": world.Seed(7), "round robin": world.Replay("roundrobin"), "priorities": world.Replay("pct:3:7")} {
		t.Run("WORLD-01 trace, log, report and files under "+name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
			want := fingerprint(t, 4, opt)
			for i := range runs {
				runtime.GOMAXPROCS([]int{1, 2, 4, 8}[i%4])
				if got := fingerprint(t, 4, opt); got != want {
					at := 0
					for at < min(len(got), len(want)) && got[at] == want[at] {
						at++
					}
					t.Fatalf("run %d, GOMAXPROCS %d, differs from byte %d on:\n...%.200s\nbefore:\n...%.200s",
						i, runtime.GOMAXPROCS(0), at, got[max(0, at-60):], want[max(0, at-60):])
				}
			}
			t.Log(len(want), "bytes each")
		})
	}
	t.Run("WORLD-01 another seed is another run", func(t *testing.T) {
		seen := map[string]bool{}
		for seed := range uint64(10) {
			seen[fingerprint(t, 4, world.Seed(seed))] = true
		}
		assert.Greater(t, len(seen), 5)
	})
}

// Programs that sleep can be tested in no time in a bubble, where time is
// virtual, if nothing of the world blocks in a way that a bubble cannot see.
func TestRunInSynctestBubble(t *testing.T) {
	sleepy := func(got *[]int) program {
		return func(ctx context.Context, c *comm.Comm) error {
			if c.Rank() > 0 {
				time.Sleep(time.Duration(c.Size()-c.Rank()) * time.Hour)
				return c.Send(num(c.Rank()), 0, 0)
			}
			for range c.Size() - 1 {
				src, err := from(c)
				if err != nil {
					return err
				}
				*got = append(*got, src)
			}
			return ctx.Err()
		}
	}
	t.Run("WORLD-01 free ranks sleep at the same time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var got []int
			began := time.Now()
			assert.NoError(t, world.Run(t.Context(), 4, sleepy(&got)))
			assert.Equal(t, 3*time.Hour, time.Since(began))
			assert.Equal(t, []int{3, 2, 1}, got) // who sleeps less comes first
		})
	})
	t.Run("WORLD-01 ranks under a seed sleep one after the other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var got []int
			began := time.Now()
			assert.NoError(t, world.Run(t.Context(), 4, sleepy(&got), world.Seed(1)))
			assert.Equal(t, 6*time.Hour, time.Since(began))
			assert.Len(t, got, 3)
		})
	})
	t.Run("WORLD-01 a world that waits is stopped by a deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			err := world.Run(ctx, 2, func(ctx context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					<-ctx.Done()
					time.Sleep(time.Second) // until the world knows it, too
					return nil
				}
				_, err := from(c)
				return err
			})
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
	})
	t.Run("WORLD-01 in a bubble of rapid: free, under a seed, explored, with files", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(2, 4).Draw(t, "ranks")
			seed := rapid.Uint64().Draw(t, "seed")
			rapid.SyncTest(t, func(t *rapid.T) {
				for _, opts := range [][]world.Option{nil, {world.Seed(seed)}} {
					var got []int
					if err := world.Run(t.Context(), n, sleepy(&got), opts...); err != nil || len(got) != n-1 {
						t.Fatalf("%v %v", got, err)
					}
					if err := world.Run(t.Context(), n, everything(iofile.NewMem()), opts...); err != nil {
						t.Fatal(err)
					}
				}
				x, err := world.Explore(t.Context(), 3, workers(1))
				if err != nil || !x.Complete || x.Schedules != 2 {
					t.Fatalf("%v %v", x, err)
				}
			})
		})
	})
}
