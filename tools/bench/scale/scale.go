// Package scale shows the cost of a world of very many ranks: the time of some calls by
// all ranks, and the memory per rank that each call leaves in use.
//
//	go -C tools run ./bench scale -ranks 100000
//	go -C tools run ./bench scale -ranks 1000000 'open|write_at_all|sync|close'
//
// Memory is counted between two barriers, after a garbage collection: the heap, and the
// stacks, which double when a call goes deeper than any before. So it is what a rank
// retains, not what a call needed while it ran; the last line has the maximum of the process.
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
	m := &meter{ranks: int64(n), table: s.Table("step", 14, "      time", "ns per rank", "heap per rank", "stack per rank")}
	fsys := iofile.NewMem()
	m.before, m.begin = memoryInUse(), time.Now()
	begin := m.begin
	err := world.Run(context.Background(), n, func(_ context.Context, c *comm.Comm) error {
		return (&rank{c: c, fsys: fsys}).run(steps, m)
	}, opts...)
	if err != nil {
		return nil, err
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Fprintf(s.W, "\nthe whole run: %v, at most %.2f GiB\n", time.Since(begin).Round(time.Millisecond), float64(stats.Sys)/(1<<30))
	return m.figures, nil
}

// A step is an operation of all ranks.
type step struct {
	name string
	do   func(r *rank) error
}

// A rank is the state of one rank: what steps leave for later ones.
type rank struct {
	c    *comm.Comm
	fsys *iofile.FS
	half *comm.Comm   // made by split
	f    *iofile.File // between open and close
	data [64]byte
}

var all = []step{
	{"barrier", func(r *rank) error { return r.c.Barrier() }},
	{"allreduce", func(r *rank) error {
		sum := []int64{0}
		if err := r.c.AllReduce(types.Of([]int64{1}), types.Of(sum), comm.Sum); err != nil {
			return err
		}
		if sum[0] != int64(r.c.Size()) {
			return fmt.Errorf("the sum of %d ones is %d", r.c.Size(), sum[0])
		}
		return nil
	}},
	{"ring", func(r *rank) error {
		n, me := r.c.Size(), r.c.Rank()
		got := []int64{-1}
		_, err := r.c.SendRecv(types.Of([]int64{int64(me)}), comm.To{Rank: (me + 1) % n}, types.Of(got), comm.From{Rank: (me + n - 1) % n})
		if err == nil && got[0] != int64((me+n-1)%n) {
			err = fmt.Errorf("rank %d got the message of %d", me, got[0])
		}
		return err
	}},
	{"split", func(r *rank) (err error) {
		r.half, err = r.c.Split(r.c.Rank()%2, 0)
		return err
	}},
	{"open", func(r *rank) (err error) {
		r.f, err = iofile.Open(r.c, r.fsys, "scale", iofile.Create|iofile.ReadWrite)
		return err
	}},
	{"write_at_all", func(r *rank) error {
		if r.f == nil {
			return fmt.Errorf("write_at_all needs open")
		}
		for i := range r.data {
			r.data[i] = byte(r.c.Rank())
		}
		st, err := r.f.WriteAtAll(types.Of(r.data[:]), iofile.Offset(r.c.Rank()*len(r.data)))
		if n, _ := st.Count(types.Byte); err == nil && n != int64(len(r.data)) {
			err = fmt.Errorf("rank %d wrote %d bytes", r.c.Rank(), n)
		}
		return err
	}},
	{"sync", func(r *rank) error {
		if r.f == nil {
			return fmt.Errorf("sync needs open")
		}
		return r.f.Sync()
	}},
	{"close", func(r *rank) error {
		if r.f == nil {
			return fmt.Errorf("close needs open")
		}
		f := r.f
		r.f = nil
		return f.Close()
	}},
}

func names() (list []string) {
	for _, s := range all {
		list = append(list, s.name)
	}
	return list
}

// A meter measures each step, on rank 0.
type meter struct {
	table   *measure.Table
	ranks   int64
	begin   time.Time // of the current step
	before  memory    // at begin
	figures []figure
}

// A figure is the time of one step and the memory that it left in use.
type figure struct {
	step string
	took time.Duration
	more memory // additional memory of all ranks
}

// memory is the memory in use by ranks, in bytes.
type memory struct{ heap, stack int64 }

// run carries out the steps, and measures after each of them.
func (r *rank) run(steps []step, m *meter) error {
	if err := r.measure("start", m); err != nil {
		return err
	}
	for _, st := range steps {
		if err := st.do(r); err != nil {
			return err
		}
		if err := r.measure(st.name, m); err != nil {
			return err
		}
	}
	if r.f != nil {
		return r.f.Close()
	}
	return nil
}

// measure records a step on rank 0, while all ranks wait.
func (r *rank) measure(step string, m *meter) error {
	if err := r.c.Barrier(); err != nil {
		return err
	}
	if r.c.Rank() == 0 {
		m.record(step)
	}
	return r.c.Barrier()
}

// record ends the current step and begins the next.
func (m *meter) record(step string) {
	took, now := time.Since(m.begin), memoryInUse()
	more := memory{now.heap - m.before.heap, now.stack - m.before.stack}
	m.figures = append(m.figures, figure{step, took, more})
	m.table.Row(step, took.Round(10*time.Microsecond).String(), fmt.Sprint(int64(took)/m.ranks), fmt.Sprint(more.heap/m.ranks), fmt.Sprint(more.stack/m.ranks))
	m.before, m.begin = now, time.Now()
}

func memoryInUse() memory {
	runtime.GC()
	runtime.GC() // frees memory that pools have released
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return memory{int64(stats.HeapAlloc), int64(stats.StackInuse)}
}
