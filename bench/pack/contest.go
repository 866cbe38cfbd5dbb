package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/commworld/commworld/internal/peers"
	"github.com/commworld/commworld/types"
)

const (
	rounds = 7                    // turns of each side
	turn   = 8 * time.Millisecond // about what a turn takes
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

// external reports the directions that convert.
func (d direction) external() bool { return d == packingX || d == unpackingX }

// native is the direction that does not convert.
func (d direction) native() direction {
	if d == packingX {
		return packing
	}
	return unpacking
}

// A side runs one direction of one shape n times, after one time that does not
// count, and says how long the n times took.
type side struct {
	name string
	run  func(n int64) (time.Duration, error)
}

// A result is one row of the table. The figures of one side stand in the order
// of the rounds.
type result struct {
	shape  string
	bytes  int64
	names  []string
	figs   [][]float64 // MiB/s
	allocs float64
}

// contest measures s. All sides first show that they mean the same bytes.
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
	all := []side{ours(d, buf, room)}
	for _, p := range libs {
		if err := agree(p, s, end, room); err != nil {
			return nil, err
		}
		all = append(all, theirs(d, p))
	}
	if s.hand != nil {
		all = append(all, byHand(d, s.hand, array, packed))
	}
	r := &result{shape: s.name, bytes: int64(len(room))}
	return r, r.measure(all)
}

// agree builds s at p and compares what p packs with what we did.
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

func ours(d direction, buf types.Buffer, packed []byte) side {
	return timed("ours", func() {
		if d == packing {
			buf.Pack(packed, 0, types.Host)
		} else {
			buf.Unpack(packed, 0, types.Host)
		}
	})
}

func byHand(d direction, l *loops, array, packed []float64) side {
	return timed("loop", func() {
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

// measure gives each side as many calls as a turn holds, and then turns.
func (r *result) measure(all []side) error {
	calls := make([]int64, len(all))
	r.figs = make([][]float64, len(all))
	for i, s := range all {
		r.names = append(r.names, s.name)
		const few = 4
		t, err := s.run(few)
		if err != nil {
			return err
		}
		calls[i] = max(1, int64(turn)*few/max(1, int64(t)))
	}
	runtime.GC() // now, and not in somebody's turn
	for range rounds {
		for i, s := range all {
			before := mallocs(i == 0)
			t, err := s.run(calls[i])
			if err != nil {
				return err
			}
			if i == 0 {
				r.allocs += float64(mallocs(true)-before) / float64(calls[i]+1) / rounds
			}
			r.figs[i] = append(r.figs[i], float64(r.bytes*calls[i])/(1<<20)/t.Seconds())
		}
	}
	return nil
}

// mallocs returns how often this process has allocated, if that is wanted.
func mallocs(wanted bool) uint64 {
	var m runtime.MemStats
	if wanted {
		runtime.ReadMemStats(&m)
	}
	return m.Mallocs
}

func header(w io.Writer, d direction) {
	beside := "loop"
	if d.external() {
		beside = "native"
	}
	fmt.Fprintf(w, "\n%-30s %8s %8s %8s %8s %8s %8s %7s\n", d, "ours", "MPICH", "Open MPI", "o/better", beside, "o/"+beside, "allocs")
}

func (r *result) print(w io.Writer) {
	better := r.figsOf("MPICH")
	if o := r.figsOf("Open MPI"); better == nil || (o != nil && peers.Median(o) > peers.Median(better)) {
		better = o
	}
	mine, loop := r.figsOf("ours"), r.figsOf("loop")
	if loop == nil {
		loop = r.figsOf("native")
	}
	fmt.Fprintf(w, "%-30s %8s %8s %8s %8s %8s %8s %7.2f\n", r.shape, rate(mine), rate(r.figsOf("MPICH")), rate(r.figsOf("Open MPI")),
		peers.Short(peers.Ratio(mine, better)), rate(loop), peers.Short(peers.Ratio(mine, loop)), r.allocs)
}

func (r *result) figsOf(name string) []float64 {
	if i := slices.Index(r.names, name); i >= 0 {
		return r.figs[i]
	}
	return nil
}

func rate(v []float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f", peers.Median(v))
}
