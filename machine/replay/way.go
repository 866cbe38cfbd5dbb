package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
	"github.com/commworld/commworld/types"
)

// A Way says how a replay makes the accesses of a trace.
type Way int

// The ways.
const (
	AsItWas           Way = iota // each access of the trace is a request of its rank
	Aligned                      // the same, with the data of each file moved so that most accesses begin at stripes
	Sieved                       // joins accesses of a rank through a view; each rank by itself, with data sieving
	Collective                   // joins accesses of all ranks through views, with collective buffering
	CollectiveAligned            // the same, with file domains that end at stripes
)

// Ways lists all ways, in the order of reports.
var Ways = []Way{AsItWas, Aligned, Sieved, Collective, CollectiveAligned}

var wayNames = [...]string{"as it was", "aligned to stripes", "through views, sieving", "with collective buffering", "with collective buffering, aligned to stripes"}

var wayKeys = [...]string{"as-it-was", "aligned", "sieving", "collective", "collective-aligned"}

// String returns the name of the way in reports.
func (w Way) String() string { return wayNames[w] }

// Key returns the name of the way on command lines and in JSON.
func (w Way) Key() string { return wayKeys[w] }

// WayOf returns the way with that key. Error: ErrArg.
func WayOf(key string) (Way, error) {
	for _, w := range Ways {
		if w.Key() == key {
			return w, nil
		}
	}
	return 0, fault("no way %q; there are %v", key, wayKeys)
}

// Options returns the model's strategy and hints for the way.
func (w Way) Options() machine.Options {
	switch w {
	case Sieved:
		return machine.Options{Strategy: strategy.Sieve{}}
	case Collective:
		return machine.Options{Strategy: collective, Hints: strategy.Hints{Unit: 1}}
	case CollectiveAligned:
		return machine.Options{Strategy: collective}
	}
	return machine.Options{Strategy: strategy.Direct{}}
}

var collective = strategy.TwoPhase{Read: strategy.Enable, Write: strategy.Enable}

// Options returns the model's strategy and hints for the trace in that way. The collective calls
// of [Trace.OfCalls] are those of ROMIO, with the file domains of the machine's driver.
func (t *Trace) Options(w Way) machine.Options {
	o := w.Options()
	if w == Sieved || !slices.ContainsFunc(t.Files, (*File).collectives) {
		return o
	}
	how := strategy.TwoPhase{}
	if w == Collective || w == CollectiveAligned || t.buffered[0] {
		how.Read = strategy.Enable
	}
	if w == Collective || w == CollectiveAligned || t.buffered[1] {
		how.Write = strategy.Enable
	}
	return machine.Options{Strategy: how}
}

// Options say how a trace becomes a workload.
type Options struct {
	Stripe int64 // of the machine, for [Aligned]; 0: that of the trace, or 1 MiB
	Batch  int64 // most bytes of a rank in one call of a joining way; 0: 16 MiB
	Gaps   bool  // ranks compute between their accesses, for as long as the trace shows no access
}

const (
	usualStripe = 1 << 20
	usualBatch  = 16 << 20
)

// Workload returns the trace as a workload in one of the ways. Each rank opens each of its
// files before its first access to it, and closes it after the last one. In the collective
// ways this holds for the ranks that use a file together; a file of one rank stays as it was.
//
// Accesses become one call if they have the same direction, do not overlap, and follow each
// other in their rank's accesses to the file; a call moves up to [Options.Batch] bytes. The k-th
// calls of the ranks are one collective call. Accesses that are collective calls already stay
// so in all ways but [Sieved], the k-th ones of the ranks together.
func (t *Trace) Workload(way Way, o Options) (*pattern.Workload, error) {
	if way < 0 || int(way) >= len(wayKeys) {
		return nil, fault("way %d; there are %v", way, wayKeys)
	}
	if o.Stripe < 0 || o.Batch < 0 {
		return nil, fault("stripes of %d bytes, calls of up to %d bytes; they need 0 or more", o.Stripe, o.Batch)
	}
	if o.Stripe == 0 {
		if o.Stripe, _ = t.Striping(); o.Stripe == 0 {
			o.Stripe = usualStripe
		}
	}
	if o.Batch == 0 {
		o.Batch = usualBatch
	}
	b := &builder{t: t, way: way, o: o, ranks: make([][]move, t.Ranks)}
	b.build()
	name := t.Name
	if name == "" {
		name = "trace"
	}
	return pattern.NewWorkload(name+", "+way.String(), t.Ranks, func(rank int) int { return len(b.ranks[rank]) }, b.step), nil
}

// A builder makes the steps of a workload.
type builder struct {
	t     *Trace
	way   Way
	o     Options
	items []item   // sorted by time
	ranks [][]move // what each rank does
	last  []float64
}

// An item is a call of one rank, or of all ranks of a file.
type item struct {
	at    float64
	file  int
	calls int // the number of this item among those of its file
	write bool
	group []int          // ranks; nil: rank alone
	whole *machine.Group // the group for the model; nil: all ranks
	rank  int
	parts map[int]*batch // by rank of the group
	one   *batch
}

// A move is one step of a rank.
type move struct {
	op      machine.Op
	file    int32
	item    int32 // of an access
	seconds float64
}

func (b *builder) build() {
	for i, f := range b.t.Files {
		b.add(i, f)
	}
	slices.SortStableFunc(b.items, func(x, y item) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.file, y.file), cmp.Compare(x.calls, y.calls))
	})
	type use struct{ first, last int32 }
	uses := make([]map[int]use, len(b.t.Files)) // by file, then by rank; -1 represents a group
	for i := range b.items {
		x := &b.items[i]
		if uses[x.file] == nil {
			uses[x.file] = map[int]use{}
		}
		who := x.rank
		if x.group != nil {
			who = -1
		}
		u, ok := uses[x.file][who]
		if !ok {
			u.first = int32(i)
		}
		u.last = int32(i)
		uses[x.file][who] = u
	}
	if b.o.Gaps {
		b.last = make([]float64, b.t.Ranks)
	}
	for i := range b.items {
		x := &b.items[i]
		who, ranks := x.rank, []int{x.rank}
		if x.group != nil {
			who, ranks = -1, x.group
		}
		u := uses[x.file][who]
		for _, rank := range ranks {
			b.one(x, rank, int32(i), u.first, u.last)
		}
	}
}

// one adds an item to the steps of a rank.
func (b *builder) one(x *item, rank int, i, first, last int32) {
	list := b.ranks[rank]
	if b.o.Gaps {
		begin, end := x.at, x.at
		if p := x.part(rank); p != nil {
			begin, end = p.begin, p.end
		}
		if gap := begin - b.last[rank]; gap > 0 {
			list = append(list, move{op: machine.Work, seconds: gap})
		}
		b.last[rank] = max(b.last[rank], end)
	}
	if i == first {
		list = append(list, move{op: machine.Open, file: int32(x.file), item: i})
	}
	op := machine.Read
	if x.write {
		op = machine.Write
	}
	list = append(list, move{op: op, file: int32(x.file), item: i})
	if i == last {
		list = append(list, move{op: machine.Close, file: int32(x.file), item: i})
	}
	b.ranks[rank] = list
}

// part returns the bytes that rank moves in the item; nil if none.
func (x *item) part(rank int) *batch {
	if x.group == nil {
		return x.one
	}
	return x.parts[rank]
}

// step returns the i-th step of rank.
func (b *builder) step(rank, i int) pattern.Step {
	m := b.ranks[rank][i]
	if m.op == machine.Work {
		return pattern.Step{Op: m.op, Seconds: m.seconds, Label: "between accesses"}
	}
	x, f := &b.items[m.item], b.t.Files[m.file]
	s := pattern.Step{Op: m.op, File: f.Name, Together: x.group != nil, Group: x.whole}
	if m.op != machine.Read && m.op != machine.Write {
		return s
	}
	s.Elem, s.Label = types.Byte, fmt.Sprintf("%s of %s", m.op, f.Name)
	p := x.part(rank)
	s.Views = x.group != nil || b.way == Sieved
	s.Renew = s.Views
	if p == nil || p.bytes == 0 {
		return s
	}
	s.Count = p.bytes
	switch len(p.runs) {
	case 1:
		s.Disp = p.runs[0].Disp
	default:
		if p.view == nil {
			p.view = types.Indexed(p.runs, types.Byte)
		}
		s.Filetype = p.view
	}
	return s
}
