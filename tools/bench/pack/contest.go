package pack

import (
	"flag"
	"fmt"
	"runtime"
	"time"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
)

// Command returns the benchmark.
func Command() *measure.Command {
	kib := new(int64)
	return &measure.Command{
		Name: "pack", Short: "datatypes packed and unpacked, beside loops, MPICH and Open MPI", Rounds: 7, Seconds: 0.008, Libraries: true,
		Flags: func(f *flag.FlagSet) {
			f.Int64Var(kib, "payload", usual>>10, "KiB of data of each shape, a multiple of 32 up to 1024")
		},
		Rows: func() (names []string) {
			for _, s := range shapes(usual) {
				names = append(names, s.name)
			}
			for _, s := range shapes(least) { // names of arrays depend on their number of rows
				names = append(names, s.name)
			}
			return names
		},
		Run: func(s *measure.Session) error { return run(s, *kib<<10) },
	}
}

func run(s *measure.Session, payload int64) error {
	if payload < least || payload > usual || payload%least != 0 {
		return fmt.Errorf("a payload of %d KiB is not a multiple of %d up to %d", payload>>10, least>>10, usual>>10)
	}
	libs, done, err := s.Peers()
	defer done()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.W, "%d KiB of data a shape\n", payload>>10)
	for _, d := range []direction{packing, unpacking, packingX, unpackingX} {
		beside := loop
		if d.external() {
			beside = native
		}
		t := s.Table(string(d), 30, ours, peers.MPICH.Name, peers.OpenMPI.Name, "o/better", beside, "o/"+beside, "allocs")
		for _, shape := range shapes(payload) {
			if !s.Chosen(shape.name) {
				continue
			}
			r, err := shape.contest(d, libs)
			if err == nil {
				err = r.measure(s)
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", d, shape.name, err)
			}
			r.print(t, beside)
		}
	}
	return nil
}

// The names of our sides.
const (
	ours   = "ours"
	loop   = "loop"
	native = "native" // native packing, in the table for external32
)

type direction string

const (
	packing   direction = "pack"
	unpacking direction = "unpack"

	// The same in external32, which is compared with packing natively instead
	// of with a loop.
	packingX   direction = "pack external32"
	unpackingX direction = "unpack external32"
)

// external reports whether the direction converts.
func (d direction) external() bool { return d == packingX || d == unpackingX }

// native returns the direction without conversion.
func (d direction) native() direction {
	if d == packingX {
		return packing
	}
	return unpacking
}

// A side runs one direction of one shape once without counting, then n times, and returns
// the time of the n times.
type side struct {
	name string
	run  func(n int64) (time.Duration, error)
}

// A result is one row of the table.
type result struct {
	shape  string
	bytes  int64
	sides  []side
	figs   measure.Sides
	allocs float64
}

// contest makes the sides of s, and checks that all of them move the same bytes.
func (s *shape) contest(d direction, libs []*peers.Peer) (*result, error) {
	l, err := s.typ.Layout(types.Host)
	if err != nil {
		return nil, err
	}
	end := (s.count-1)*l.Extent + l.TrueUB
	array := make([]float64, (end+7)/8+1)
	mem := types.Of(array).Mem()
	peers.Pattern(mem, 0)
	packed := make([]float64, (s.count*l.Size+7)/8)
	buf := types.Raw(mem, s.count, s.typ)
	room := types.Of(packed).Mem()[:s.count*l.Size]
	if err := buf.Check(types.Host); err != nil {
		return nil, err
	}
	if d.external() {
		return s.contestExternal(d, libs, buf, room, end)
	}
	buf.Pack(room, 0, types.Host)
	all := []side{here(d, buf, room)}
	for _, p := range libs {
		if err := agree(p, s, end, room); err != nil {
			return nil, err
		}
		all = append(all, theirs(d, p))
	}
	if s.hand != nil {
		all = append(all, byHand(d, s.hand, array, packed))
	}
	return &result{shape: s.name, bytes: int64(len(room)), sides: all}, nil
}

// agree builds s with p and compares the bytes that p packs with ours.
func agree(p *peers.Peer, s *shape, end int64, packed []byte) error {
	if err := p.Build(s.typ); err != nil {
		return err
	}
	a, err := p.Describe(s.count, 0, end)
	if err != nil {
		return err
	}
	if a.Bytes != peers.Hash(packed) {
		return fmt.Errorf("%s packs other bytes", p.Library().Name)
	}
	return p.Window(s.count, 0, end)
}

func here(d direction, buf types.Buffer, packed []byte) side {
	return timed(ours, func() {
		if d == packing {
			buf.Pack(packed, 0, types.Host)
		} else {
			buf.Unpack(packed, 0, types.Host)
		}
	})
}

func byHand(d direction, l *loops, array, packed []float64) side {
	return timed(loop, func() {
		if d == packing {
			l.pack(packed, array)
		} else {
			l.unpack(array, packed)
		}
	})
}

func timed(name string, f func()) side {
	return side{name, func(n int64) (time.Duration, error) {
		f()
		start := time.Now()
		for range n {
			f()
		}
		return time.Since(start), nil
	}}
}

func theirs(d direction, p *peers.Peer) side {
	if d == packing {
		return side{p.Library().Name, p.Pack}
	}
	return side{p.Library().Name, p.Unpack}
}

// measure gives each side the number of calls that fill a turn, and then runs the turns.
func (r *result) measure(s *measure.Session) error {
	var all []measure.Side[*result]
	for i, side := range r.sides {
		const few = 4
		t, err := side.run(few)
		if err != nil {
			return err
		}
		calls := max(1, int64(s.Seconds*1e9)*few/max(1, int64(t)))
		all = append(all, measure.Side[*result]{Name: side.name, Turn: func(_ []*result, note func(*result, float64)) error {
			before := mallocs(i == 0)
			t, err := side.run(calls)
			if err != nil {
				return err
			}
			if i == 0 {
				r.allocs += float64(mallocs(true)-before) / float64(calls+1) / float64(s.Rounds)
			}
			note(r, t.Seconds()/float64(calls))
			return nil
		}})
	}
	figs, err := measure.Take(s.Rounds, []*result{r}, all...)
	r.figs = figs[r]
	return err
}

// mallocs returns the number of allocations of this process, or 0 if it is not wanted.
func mallocs(wanted bool) uint64 {
	var m runtime.MemStats
	if wanted {
		runtime.ReadMemStats(&m)
	}
	return m.Mallocs
}

func (r *result) print(t *measure.Table, beside string) {
	mib, f := float64(r.bytes)/(1<<20), r.figs
	t.Row(r.shape, f.Rate(ours, mib), f.Rate(peers.MPICH.Name, mib), f.Rate(peers.OpenMPI.Name, mib),
		measure.Short(f.Ratio(f.Better(peers.MPICH.Name, peers.OpenMPI.Name), ours)),
		f.Rate(beside, mib), measure.Short(f.Ratio(beside, ours)), fmt.Sprintf("%.2f", r.allocs))
}
