// Package scale shows the cost of a world of very many ranks: the time of some calls by
// all ranks, and the memory per rank that each call leaves in use.
//
//	go run ./bench scale -ranks 100000
//	go run ./bench scale -ranks 1000000 'open|write_at_all|sync|close'
//
// Memory is counted with all ranks at rest, after the garbage collector ran: the heap, and
// the stacks, which double when a call goes deeper than ever before. So it is what a rank
// holds, not what a call needed for a moment; the line at the end has the most that the
// process had.
package scale

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Command returns the benchmark.
func Command() *measure.Command {
	var n int
	var checked bool
	return &measure.Command{
		Name: "scale", Short: "time and memory of a world of very many ranks",
		Flags: func(f *flag.FlagSet) {
			f.IntVar(&n, "ranks", 100_000, "how many ranks the world has")
			f.BoolVar(&checked, "checked", false, "with all checks, as worlds are by default")
		},
		Rows: names,
		Run: func(s *measure.Session) error {
			_, err := run(s, n, checked)
			return err
		},
	}
}

func run(s *measure.Session, n int, checked bool) ([]figure, error) {
	var steps []step
	for _, st := range all {
		if s.Chosen(st.name) {
			steps = append(steps, st)
		}
	}
	if n < 1 {
		return nil, fmt.Errorf("%d ranks; there must be 1 or more", n)
	}
	var opts []world.Option
	if !checked {
		opts = append(opts, world.Unchecked())
	}
	fmt.Fprintf(s.W, "%d ranks, %d processors\n", n, runtime.GOMAXPROCS(0))
	b := &board{n: n, fsys: iofile.NewMem(), table: s.Table("step", 14, "      time", "ns per rank", "heap per rank", "stack per rank")}
	b.begun = time.Now()
	first := b.begun
	b.was = held()
	err := world.Run(context.Background(), n, func(_ context.Context, c *comm.Comm) error { return b.rank(c, steps) }, opts...)
	if err != nil {
		return nil, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(s.W, "\nthe whole run: %v, at most %.2f GiB\n", time.Since(first).Round(time.Millisecond), float64(m.Sys)/(1<<30))
	return b.seen, nil
}

// A step is an operation of all ranks. Values that ranks keep for later steps are in
// their seat.
type step struct {
	name string
	do   func(b *board, s *seat) error
}

// A seat is the state of one rank.
type seat struct {
	c    *comm.Comm
	half *comm.Comm
	f    *iofile.File
	data [64]byte
}

var all = []step{
	{"barrier", func(_ *board, s *seat) error { return s.c.Barrier() }},
	{"allreduce", func(_ *board, s *seat) error {
		sum := []int64{0}
		if err := s.c.AllReduce(types.Of([]int64{1}), types.Of(sum), comm.Sum); err != nil {
			return err
		}
		if sum[0] != int64(s.c.Size()) {
			return fmt.Errorf("the sum of %d ones is %d", s.c.Size(), sum[0])
		}
		return nil
	}},
	{"ring", func(_ *board, s *seat) error {
		n, me := s.c.Size(), s.c.Rank()
		got := []int64{-1}
		_, err := s.c.SendRecv(types.Of([]int64{int64(me)}), comm.To{Rank: (me + 1) % n}, types.Of(got), comm.From{Rank: (me + n - 1) % n})
		if err == nil && got[0] != int64((me+n-1)%n) {
			err = fmt.Errorf("rank %d got the message of %d", me, got[0])
		}
		return err
	}},
	{"split", func(_ *board, s *seat) (err error) {
		s.half, err = s.c.Split(s.c.Rank()%2, 0)
		return err
	}},
	{"open", func(b *board, s *seat) (err error) {
		s.f, err = iofile.Open(s.c, b.fsys, "scale", iofile.Create|iofile.ReadWrite)
		return err
	}},
	{"write_at_all", func(_ *board, s *seat) error {
		if s.f == nil {
			return fmt.Errorf("write_at_all needs open")
		}
		for i := range s.data {
			s.data[i] = byte(s.c.Rank())
		}
		st, err := s.f.WriteAtAll(types.Of(s.data[:]), iofile.Offset(s.c.Rank()*len(s.data)))
		if n, _ := st.Count(types.Byte); err == nil && n != int64(len(s.data)) {
			err = fmt.Errorf("rank %d wrote %d bytes", s.c.Rank(), n)
		}
		return err
	}},
	{"sync", func(_ *board, s *seat) error {
		if s.f == nil {
			return fmt.Errorf("sync needs open")
		}
		return s.f.Sync()
	}},
	{"close", func(b *board, s *seat) error {
		if s.f == nil {
			return fmt.Errorf("close needs open")
		}
		f := s.f
		s.f = nil
		return f.Close()
	}},
}

func names() (list []string) {
	for _, s := range all {
		list = append(list, s.name)
	}
	return list
}

// A board is where rank 0 writes its measurements.
type board struct {
	table *measure.Table
	n     int
	fsys  *iofile.FS
	begun time.Time
	was   memory
	seen  []figure
}

// A figure is the time of one step and the memory that it left in use.
type figure struct {
	step string
	took time.Duration
	more memory // additional memory of all ranks
}

// memory is the memory in use by ranks, in bytes.
type memory struct{ heap, stack int64 }

// rank is the program of each rank: the steps, and after each of them a rest in which
// rank 0 measures.
func (b *board) rank(c *comm.Comm, steps []step) error {
	s := &seat{c: c}
	if err := b.rest(c, "start"); err != nil {
		return err
	}
	for _, st := range steps {
		if err := st.do(b, s); err != nil {
			return err
		}
		if err := b.rest(c, st.name); err != nil {
			return err
		}
	}
	if s.f != nil {
		return s.f.Close()
	}
	return nil
}

// rest waits for all ranks and records the time since the last rest.
func (b *board) rest(c *comm.Comm, after string) error {
	err := c.Barrier()
	if err == nil && c.Rank() == 0 {
		took := time.Since(b.begun)
		now := held()
		more := memory{now.heap - b.was.heap, now.stack - b.was.stack}
		b.seen = append(b.seen, figure{after, took, more})
		n := int64(b.n)
		b.table.Row(after, took.Round(10*time.Microsecond).String(), fmt.Sprint(int64(took)/n), fmt.Sprint(more.heap/n), fmt.Sprint(more.stack/n))
		b.was, b.begun = now, time.Now()
	}
	if err == nil {
		err = c.Barrier()
	}
	return err
}

// held returns the memory in use.
func held() memory {
	runtime.GC()
	runtime.GC() // frees memory that pools have released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memory{int64(m.HeapAlloc), int64(m.StackInuse)}
}
