package replay

import (
	"cmp"
	"slices"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

// A batch is the accesses of one rank that become one call.
type batch struct {
	write      bool
	runs       []types.Block // bytes of the file, sorted; no two adjacent
	bytes      int64
	begin, end float64
	view       *types.Type // view of several runs, built when first asked for
}

// mostRuns bounds the runs of a batch.
const mostRuns = 1 << 14

// add adds bytes to the batch; it returns false if they overlap bytes that are already in
// it.
func (b *batch) add(off, n int64) bool {
	if n == 0 {
		return true
	}
	i, found := slices.BinarySearchFunc(b.runs, off, func(r types.Block, off int64) int { return cmp.Compare(r.Disp, off) })
	if found || i > 0 && b.runs[i-1].Disp+b.runs[i-1].Len > off || i < len(b.runs) && off+n > b.runs[i].Disp {
		return false
	}
	b.bytes += n
	before := i > 0 && b.runs[i-1].Disp+b.runs[i-1].Len == off
	after := i < len(b.runs) && off+n == b.runs[i].Disp
	switch {
	case before && after:
		b.runs[i-1].Len += n + b.runs[i].Len
		b.runs = slices.Delete(b.runs, i, i+1)
	case before:
		b.runs[i-1].Len += n
	case after:
		b.runs[i].Disp, b.runs[i].Len = off, b.runs[i].Len+n
	default:
		b.runs = slices.Insert(b.runs, i, types.Block{Len: n, Disp: off})
	}
	return true
}

// An epoch is consecutive batches of one rank in the same direction.
type epoch struct {
	rank    int
	write   bool
	batches []*batch
}

// add adds the items of a file.
func (b *builder) add(file int, f *File) {
	if b.way == Aligned {
		f = f.moved(b.o.Stripe)
	}
	if b.way == Sieved {
		for _, e := range b.epochs(f.Accesses, true) {
			b.alone(file, &e)
		}
		return
	}
	alone := f.Accesses
	if f.collectives() {
		var calls []Access
		for _, a := range f.Accesses {
			if a.Collective {
				calls = append(calls, a)
			}
		}
		alone = slices.DeleteFunc(slices.Clone(f.Accesses), func(a Access) bool { return a.Collective })
		epochs := b.epochs(calls, false)
		b.together(file, epochs, ranksOf(epochs))
	}
	if b.way == Collective || b.way == CollectiveAligned {
		epochs := b.epochs(alone, true)
		if ranks := ranksOf(epochs); len(ranks) > 1 {
			b.together(file, epochs, ranks)
			return
		}
	}
	b.each(file, alone)
}

// collectives reports whether some accesses are collective calls.
func (f *File) collectives() bool {
	return slices.ContainsFunc(f.Accesses, func(a Access) bool { return a.Collective })
}

// each makes each access an item.
func (b *builder) each(file int, list []Access) {
	for i := range list {
		a := &list[i]
		one := &batch{begin: a.Begin, end: a.End}
		one.add(a.Off, a.Len)
		if a.Len == 0 {
			one = nil
		}
		b.items = append(b.items, item{at: a.Begin, file: file, calls: i, write: a.Write, rank: a.Rank, one: one})
	}
}

// moved returns the file with its data aligned to stripes.
func (f *File) moved(stripe int64) *File {
	by, from := f.shift(stripe)
	if by == 0 {
		return f
	}
	g := *f
	g.Accesses = slices.Clone(f.Accesses)
	for i := range g.Accesses {
		if a := &g.Accesses[i]; a.Off >= from {
			a.Off += by
		}
	}
	return &g
}

// shift returns by how many bytes the data of a file must move so that most accesses
// begin at stripes, and from which byte on: from the first such access. Data before it
// stays.
func (f *File) shift(stripe int64) (by, from int64) {
	weight := map[int64]int64{}
	for i := range f.Accesses {
		weight[f.Accesses[i].Off%stripe] += f.Accesses[i].Len
	}
	best := int64(0)
	for residue, n := range weight {
		if most := weight[best]; n > most || n == most && residue < best {
			best = residue
		}
	}
	if best == 0 {
		return 0, 0
	}
	first := true
	for i := range f.Accesses {
		if off := f.Accesses[i].Off; off%stripe == best && (first || off < from) {
			from, first = off, false
		}
	}
	return stripe - best, from
}

// epochs divides the accesses of each rank into epochs, in the order in which they began. If
// join is false, each access is a batch.
func (b *builder) epochs(accesses []Access, join bool) []epoch {
	var list []epoch
	now := map[int]int{} // the last epoch of each rank
	for i := range accesses {
		a := &accesses[i]
		if a.Len == 0 && join {
			continue
		}
		k, ok := now[a.Rank]
		if !ok || list[k].write != a.Write {
			k = len(list)
			now[a.Rank] = k
			list = append(list, epoch{rank: a.Rank, write: a.Write})
		}
		e := &list[k]
		if n := len(e.batches); n > 0 && join {
			last := e.batches[n-1]
			if last.bytes+a.Len <= b.o.Batch && len(last.runs) < mostRuns && last.add(a.Off, a.Len) {
				last.end = max(last.end, a.End)
				continue
			}
		}
		next := &batch{write: a.Write, begin: a.Begin, end: a.End}
		next.add(a.Off, a.Len)
		e.batches = append(e.batches, next)
	}
	return list
}

func ranksOf(epochs []epoch) (ranks []int) {
	for i := range epochs {
		ranks = append(ranks, epochs[i].rank)
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// alone makes each batch an item of its rank.
func (b *builder) alone(file int, e *epoch) {
	for _, one := range e.batches {
		b.items = append(b.items, item{at: one.begin, file: file, calls: len(b.items), write: one.write, rank: e.rank, one: one})
	}
}

// together makes the k-th batches of the ranks one item. It joins epochs of several ranks
// if no rank has begun one of the other direction between them.
func (b *builder) together(file int, epochs []epoch, ranks []int) {
	var whole *machine.Group
	if len(ranks) < b.t.Ranks {
		whole = &machine.Group{Ranks: ranks}
	}
	first, at := len(b.items), 0.0
	for i := range epochs {
		e := &epochs[i]
		if i == 0 || e.write != epochs[i-1].write {
			first = len(b.items)
		}
		for k, one := range e.batches {
			if first+k == len(b.items) {
				at = max(at, one.begin)
				b.items = append(b.items, item{at: at, file: file, calls: len(b.items), write: e.write, group: ranks, whole: whole, parts: map[int]*batch{}})
			}
			b.items[first+k].parts[e.rank] = one
		}
	}
}
