package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Three ranks write one file; each owns every third letter.
func ExampleRun() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "letters", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		third := types.Resized(types.Char, 0, 3)
		err = f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Char, Filetype: third})
		if err == nil {
			_, err = f.WriteAtAll(types.Of(bytes.Repeat([]byte{'a' + byte(c.Rank())}, 4)).As(types.Char), 0)
		}
		return errors.Join(err, f.Close())
	})
	text, _ := fs.ReadFile(fsys, "letters")
	fmt.Println(string(text), err)
	// Output: abcabcabcabc <nil>
}

// Two ranks that both receive first wait for each other for ever. The run ends at once
// and says who waits for whom.
func ExampleRun_deadlock() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		peer := 1 - c.Rank()
		if _, err := c.Recv(types.Of(make([]int32, 1)), peer, 0); err != nil {
			return err
		}
		return c.Send(types.Of(make([]int32, 1)), peer, 0)
	})
	var d *world.DeadlockError
	fmt.Println(errors.As(err, &d), "circle", d.Cycle)
	// Output: true circle [0 1]
}

// A rank reads what another one wrote, with a barrier and no sync between them. Findings
// lists the findings of the run.
func ExampleFindings() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, forgottenSync(fsys), world.Seed(1))
	for _, f := range world.Findings(err) {
		fmt.Println(f.Kind, f.Rule, f.Ranks)
	}
	// Output: race CONS-C2 [0 1]
}

// forgottenSync is the commonest mistake with shared files.
func forgottenSync(fsys *iofile.FS) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte("new")), 0)
		}
		err = errors.Join(err, c.Barrier())
		if c.Rank() == 1 {
			_, e := f.ReadAt(types.Of(make([]byte, 3)), 0)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	}
}

// A receive from any source takes either message. Explore runs both ways.
func ExampleExplore() {
	x, err := world.Explore(context.Background(), 3, firstComes)
	fmt.Println(x.Schedules, err)
	for _, o := range x.Outcomes {
		fmt.Println(o.Value)
	}
	// Output:
	// 2 <nil>
	// rank 1 was first
	// rank 2 was first
}

// firstComes makes a program in which ranks 1 and 2 race to rank 0.
func firstComes() (body func(context.Context, *comm.Comm) error, outcome func() any) {
	first := 0
	return func(_ context.Context, c *comm.Comm) error {
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{1}), 0, 0)
		}
		x := make([]int32, 1)
		st, err := c.Recv(types.Of(x), comm.AnySource, 0)
		if err != nil {
			return err
		}
		first = st.Source
		_, err = c.Recv(types.Of(x), 3-first, 0)
		return err
	}, func() any { return fmt.Sprintf("rank %d was first", first) }
}

// An exploration prints a word for each outcome. Replay runs that schedule again.
func ExampleReplay() {
	x, _ := world.Explore(context.Background(), 3, firstComes)
	for _, o := range x.Outcomes {
		body, outcome := firstComes()
		err := world.Run(context.Background(), 3, body, world.Replay(o.Witness))
		fmt.Println(outcome() == o.Value, err)
	}
	// Output:
	// true <nil>
	// true <nil>
}

func ExampleLimit() {
	x, err := world.Explore(context.Background(), 3, firstComes, world.Limit(world.Limits{Schedules: 1}))
	fmt.Println(x.Schedules, errors.Is(x.Stopped, world.ErrLimit), err)
	// Output: 1 true <nil>
}

// A program that counts polls which find nothing has more outcomes if more of them may.
func ExampleLimit_polls() {
	counting := func() (func(context.Context, *comm.Comm) error, func() any) {
		missed := 0
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 1 {
				return c.Send(types.Of([]int32{1}), 0, 0)
			}
			for range 2 {
				if _, found, err := c.IProbe(1, 0); err != nil {
					return err
				} else if !found {
					missed++
				}
			}
			_, err := c.Recv(types.Of(make([]int32, 1)), 1, 0)
			return err
		}, func() any { return missed }
	}
	for _, n := range []int{1, 2} {
		x, err := world.Explore(context.Background(), 2, counting, world.Limit(world.Limits{Polls: n}))
		if err != nil {
			fmt.Println(err)
			return
		}
		most := 0
		for _, o := range x.Outcomes {
			most = max(most, o.Value.(int))
		}
		fmt.Println("at most", most)
	}
	// Output:
	// at most 1
	// at most 2
}

func ExampleRunReport() {
	fsys := iofile.NewMem()
	report, err := world.RunReport(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of(make([]byte, 8)), iofile.Offset(8*c.Rank()))
		return errors.Join(err, f.Close())
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Files {
		fmt.Println(f.Name, f.Writes.Count, "writes,", f.Writes.Bytes, "bytes")
	}
	// Output: f 2 writes, 16 bytes
}

// With every check on, an exchange of sends that only works because the library
// buffers them is found.
func ExampleCareful() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		peer := 1 - c.Rank()
		if err := c.Send(types.Of([]int32{1}), peer, 0); err != nil {
			return err
		}
		_, err := c.Recv(types.Of(make([]int32, 1)), peer, 0)
		return err
	}, world.Careful())
	for _, f := range world.Findings(err) {
		fmt.Println(f.Kind, f.Ranks)
	}
	// Output: deadlock [0 1]
}

func ExampleEager() {
	exchange := func(_ context.Context, c *comm.Comm) error {
		peer := 1 - c.Rank()
		if err := c.Send(types.Of([]int32{1}), peer, 0); err != nil {
			return err
		}
		_, err := c.Recv(types.Of(make([]int32, 1)), peer, 0)
		return err
	}
	var d *world.DeadlockError
	fmt.Println("buffered:", world.Run(context.Background(), 2, exchange))
	fmt.Println("not buffered: deadlock", errors.As(world.Run(context.Background(), 2, exchange, world.Eager(0)), &d))
	// Output:
	// buffered: <nil>
	// not buffered: deadlock true
}

// The same seed runs the same schedule.
func ExampleSeed() {
	run := func(o world.Option) any {
		body, outcome := firstComes()
		if err := world.Run(context.Background(), 3, body, o); err != nil {
			return err
		}
		return outcome()
	}
	fmt.Println(run(world.Seed(7)) == run(world.Seed(7)))
	// Output: true
}

// Priorities find faults that need few things in an unlikely order sooner than Seed.
func ExampleReplay_priorities() {
	seen := map[any]bool{}
	for seed := range uint64(20) {
		body, outcome := firstComes()
		if err := world.Run(context.Background(), 3, body, world.Replay(fmt.Sprint("pct:2:", seed))); err != nil {
			fmt.Println(err)
			return
		}
		seen[outcome()] = true
	}
	fmt.Println(len(seen), "outcomes")
	// Output: 2 outcomes
}

func ExampleReplay_roundRobin() {
	body, outcome := firstComes()
	err := world.Run(context.Background(), 3, body, world.Replay("roundrobin"))
	fmt.Println(outcome(), err)
	// Output: rank 1 was first <nil>
}

// Rank 1 is a big-endian machine. Messages are converted on the way.
func ExampleArch() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(types.Of([]int32{258}), 1, 0)
		}
		x := make([]int32, 1) // as Go has it; in the file of rank 1 it would be 00 00 01 02
		_, err := c.Recv(types.Of(x), 0, 0)
		fmt.Println(c.Arch(), x[0])
		return err
	}, world.Arch(1, reps.LP64BE))
	fmt.Println(err)
	// Output:
	// LP64BE 258
	// <nil>
}

// The disk is full after 8 bytes. Written bytes reach the store with a sync or
// the close, so that is where a program learns of it.
func ExampleFaults() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of(make([]byte, 16)), 0)
		return errors.Join(err, f.Close())
	}, world.Faults(faults.Must("write error=nospace after=8")...))
	fmt.Println(errors.Is(err, iofile.ErrNoSpace))
	// Output: true
}

// A buffer that is changed before its send is complete is an error.
func ExampleCheck() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 1 {
			_, err := c.Recv(types.Of(make([]int32, 1)), 0, 0)
			return err
		}
		x := []int32{1}
		r, err := c.ISend(types.Of(x), 1, 0)
		if err != nil {
			return err
		}
		x[0] = 2 // too early
		_, err = r.Wait()
		fmt.Println(errors.Is(err, comm.ErrBuffer))
		return nil
	}, world.Check(world.Buffers))
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// A communicator that is never freed is an error of the run.
func ExampleCheck_handles() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		_, err := c.Dup()
		return err
	}, world.Check(world.Handles))
	for _, f := range world.Findings(err) {
		fmt.Println(f.Kind, f.Ranks)
	}
	// Output: leak [0 1]
}

func ExampleUnchecked() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, forgottenSync(fsys), world.Unchecked())
	fmt.Println(err)
	// Output: <nil>
}

// The trace is JSON that Perfetto and chrome://tracing show.
func ExampleTrace() {
	var trace bytes.Buffer
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		return c.Barrier()
	}, world.Trace(&trace, world.Chrome))
	fmt.Println(strings.Contains(trace.String(), `"Barrier"`), err)
	// Output: true <nil>
}

func ExampleTrace_shiViz() {
	var log bytes.Buffer
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(types.Of([]int32{1}), 1, 0)
		}
		_, err := c.Recv(types.Of(make([]int32, 1)), 0, 0)
		return err
	}, world.Trace(&log, world.ShiViz))
	fmt.Println(strings.Contains(log.String(), "Send"), err)
	// Output: true <nil>
}

// Ranks that count in one Go variable get other numbers in another order, and on a cluster
// each would count alone. Strict runs both orders.
func ExampleStrict() {
	err := world.Strict(context.Background(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
		count := int32(0)
		return func(_ context.Context, c *comm.Comm) error {
			count++
			return c.AllGather(types.Of([]int32{count}), types.Of(make([]int32, 2)))
		}, func() any { return nil }
	})
	var differs *world.UncontrolledError
	if errors.As(err, &differs) {
		fmt.Println(differs.Reordered, "rank", differs.Rank)
	}
	// Output: true rank 1
}

// An engine that this program does not import is refused.
func ExampleEngine() {
	err := world.Run(context.Background(), 2, func(context.Context, *comm.Comm) error { return nil }, world.Engine("mpi"))
	fmt.Println(err != nil)
	// Output: true
}

// The check of threads reports two goroutines that use one rank at the same time.
func ExampleCheck_threads() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		return c.Send(types.Of([]int32{1}), comm.ProcNull, 0)
	}, world.Check(world.Threads))
	fmt.Println(err)
	// Output: <nil>
}

// A Report prints itself as a table.
func ExampleReport() {
	report, err := world.RunReport(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		return c.Barrier()
	}, world.Seed(1))
	if err == nil && report.Collectives[0].Name == "Barrier" {
		fmt.Fprintln(os.Stdout, report.Collectives[0].Name, report.Collectives[0].Count)
	}
	// Output: Barrier 2
}

// One run as a page to look at, to mail or to print.
func ExampleTrace_html() {
	var page strings.Builder
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		return c.Barrier()
	}, world.Trace(&page, world.HTML))
	fmt.Println(err, strings.Contains(page.String(), "rank 1: Barrier"))
	// Output: <nil> true
}
