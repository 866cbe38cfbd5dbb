package gen

import (
	"maps"
	"slices"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// Smaller returns the smallest program found that fails as p does: with fewer ranks and
// operations, smaller numbers, simpler forms. fails runs a program; it is called at most
// tries times. Programs that break a rule are not tried.
func Smaller(p *Program, fails func(*Program) bool, tries int) *Program {
	s := &shrinker{best: p.clone(), fails: fails, left: tries}
	for s.left > 0 {
		before := s.left
		improved := s.fewerOps()
		improved = s.jointly() || improved
		improved = s.fewerRanks() || improved
		improved = s.simplerOps() || improved
		improved = s.simplerArrays() || improved
		improved = s.simplerSchedule() || improved
		if !improved || s.left == before {
			break
		}
	}
	return s.best
}

type shrinker struct {
	best  *Program
	fails func(*Program) bool
	left  int
}

func (p *Program) clone() *Program {
	c := *p
	c.Ops, c.Faults, c.Hints = slices.Clone(p.Ops), slices.Clone(p.Faults), maps.Clone(p.Hints)
	c.Cuts, c.Vars = slices.Clone(p.Cuts), slices.Clone(p.Vars)
	return &c
}

// try keeps a changed program if it fails, too.
func (s *shrinker) try(change func(p *Program) bool) bool {
	c := s.best.clone()
	if s.left <= 0 || !change(c) || len(c.Ops) == 0 || c.illegal() >= 0 || c.String() == s.best.String() {
		return false
	}
	s.left--
	if !s.fails(c) {
		return false
	}
	s.best = c
	return true
}

// fewerOps drops operations, many at a time first.
func (s *shrinker) fewerOps() (improved bool) {
	for n := len(s.best.Ops) / 2; n > 0; n /= 2 {
		for at := len(s.best.Ops) - n; at >= 0; at -= n {
			if at+n > len(s.best.Ops) {
				continue
			}
			improved = s.try(func(p *Program) bool { p.deleteOps(at, n); return true }) || improved
		}
	}
	for a := 0; a < len(s.best.Ops); a++ { // pairs, such as a write and the sync after it
		for b := a + 1; b < min(len(s.best.Ops), a+4); b++ {
			if s.try(func(p *Program) bool {
				p.deleteOps(b, 1)
				p.deleteOps(a, 1)
				return true
			}) {
				improved = true
				b--
			}
		}
	}
	improved = s.earlierCuts() || improved
	for i := len(s.best.Faults) - 1; i >= 0 && len(s.best.Faults) > 1; i-- {
		improved = s.try(func(p *Program) bool { p.Faults = slices.Delete(p.Faults, i, i+1); return true }) || improved
	}
	return improved
}

// fewerRanks removes the last ranks with their operations, or gives these to other ranks.
func (s *shrinker) fewerRanks() (improved bool) {
	for ranks := 1; ranks < s.best.Ranks; ranks++ {
		for _, others := range []func(rank int) int{func(int) int { return -1 }, func(rank int) int { return rank % ranks }, func(int) int { return 0 }} {
			if s.try(func(p *Program) bool { p.onRanks(ranks, others); return true }) {
				return true
			}
		}
	}
	for r := range s.best.Ranks { // keep the lowest ranks
		for to := range r {
			improved = s.try(func(p *Program) bool { return p.Reach == 0 && p.swap(r, to) }) || improved
		}
	}
	return improved
}

func (p *Program) onRanks(ranks int, others func(rank int) int) {
	p.Ranks = ranks
	var kept []Op
	for _, o := range p.Ops {
		if o.Rank >= ranks {
			if o.Rank = others(o.Rank); o.Rank < 0 || p.Reach > 0 {
				continue
			}
		}
		if len(o.Views) > ranks {
			o.Views = o.Views[:ranks]
		}
		if len(o.Each) > ranks {
			o.Each = o.Each[:ranks]
		}
		if o.All && len(o.Regions) > ranks {
			o.Regions = o.Regions[:ranks]
		}
		kept = append(kept, o)
	}
	p.Ops = kept
}

// oneHandle makes all operations use one handle.
func (p *Program) oneHandle() (changed bool) {
	changed = p.Second != NoSecond
	p.Second = NoSecond
	for k := range p.Ops {
		p.Ops[k].Second, p.Ops[k].Over = false, BothHandles
	}
	return changed
}

// swap exchanges two ranks, if the first operation of either is by rank a.
func (p *Program) swap(a, b int) (changed bool) {
	for k := range p.Ops {
		o := &p.Ops[k]
		switch {
		case o.All:
		case o.Rank == a:
			o.Rank, changed = b, true
		case o.Rank == b:
			if !changed {
				return false
			}
			o.Rank = a
		}
	}
	return changed
}

// simplerOps makes each operation simpler.
func (s *shrinker) simplerOps() (improved bool) {
	for k := 0; k < len(s.best.Ops); k++ {
		for _, change := range plainerOps {
			improved = s.try(func(p *Program) bool { return change(p, &p.Ops[k]) }) || improved
		}
		for _, number := range numbers {
			improved = s.lower(k, number) || improved
		}
		for r := range s.best.Ops[k].Each {
			improved = s.lower(k, countOf(r)) || improved
			improved = s.lower(k, offsetOf(r)) || improved
		}
	}
	return improved
}

var plainerOps = []func(p *Program, o *Op) bool{
	func(_ *Program, o *Op) bool { was := o.Late; o.Late = false; return was },
	func(_ *Program, o *Op) bool { was := o.Form; o.Form, o.Late = Blocking, false; return was != Blocking },
	func(p *Program, o *Op) bool {
		if !o.isAccess() || o.At == Explicit || p.Reach > 0 {
			return false
		}
		o.At, o.Off = Explicit, p.Far
		return true
	},
	func(p *Program, o *Op) bool {
		if !o.isAccess() || !o.All || o.At == Shared || p.Reach > 0 {
			return false
		}
		o.All, o.Rank, o.Form, o.Late = false, 0, Blocking, false
		return true
	},
	func(p *Program, o *Op) bool {
		was := o.Step
		o.Step = 0
		return was != 0 && p.Reach == 0
	},
	func(_ *Program, o *Op) bool { return o.aloneOnArray() },
	func(_ *Program, o *Op) bool { return o.simplerKey() },
	func(_ *Program, o *Op) bool { was := o.Values; o.Values = Marks; return was != Marks },
	func(_ *Program, o *Op) bool { was := o.More; o.More = 0; return was != 0 },
	func(_ *Program, o *Op) bool { was := o.One; o.One = false; return was },
	func(_ *Program, o *Op) bool { was := o.Second; o.Second = false; return was },
	func(_ *Program, o *Op) bool { was := o.Over; o.Over = BothHandles; return was != BothHandles },
	func(_ *Program, o *Op) bool { was := o.Lacks; o.Lacks = Nothing; return was != Nothing },
	func(_ *Program, o *Op) bool { was := o.Times; o.Times = 0; return was != 0 },
	func(_ *Program, o *Op) bool { return o.regular(0) },
	func(_ *Program, o *Op) bool { return len(o.Each) > 0 && o.regular(len(o.Each)-1) },
	func(_ *Program, o *Op) bool { return o.eachPart(func(p *Part) { p.N = 0 }) },
	func(_ *Program, o *Op) bool { return o.eachPart(func(p *Part) { p.N = min(p.N, 1) }) },
	func(p *Program, o *Op) bool { return o.flatten(p.Far, false) },
	func(p *Program, o *Op) bool { return o.flatten(p.Far, true) },
}

// regular has all ranks do what one of them does.
func (o *Op) regular(rank int) bool {
	if o.Each == nil {
		return false
	}
	o.Off, o.N, o.Step, o.More, o.Each = o.Each[rank].Off, o.Each[rank].N, 0, 0, nil
	return true
}

// eachPart changes the parts of all ranks.
func (o *Op) eachPart(change func(*Part)) bool {
	o.Each = slices.Clone(o.Each)
	for r := range o.Each {
		change(&o.Each[r])
	}
	return len(o.Each) > 0
}

// flatten makes views simpler: no displacement, or bytes.
func (o *Op) flatten(disp int64, bytes bool) bool {
	if o.Do != SetView {
		return false
	}
	o.Views = slices.Clone(o.Views)
	for r := range o.Views {
		v := &o.Views[r]
		if bytes {
			*v = iofile.View{Disp: v.Disp, Etype: types.Byte, Filetype: types.Byte, Rep: v.Rep}
		} else {
			v.Disp = disp
		}
	}
	return true
}

// numbers lists the numbers of an operation that may be made smaller, with their minimum.
var numbers = []func(p *Program, o *Op) (n *int64, least int64){
	func(_ *Program, o *Op) (*int64, int64) { return &o.N, 0 },
	func(p *Program, o *Op) (*int64, int64) {
		if p.Reach > 0 {
			return &o.Off, o.Off
		}
		return &o.Off, min(o.Off, p.Far)
	},
	func(p *Program, o *Op) (*int64, int64) { return &o.Size, min(o.Size, p.Far) },
	func(_ *Program, o *Op) (*int64, int64) { return &o.Times, 0 },
}

// countOf returns the count of a rank, for lower.
func countOf(r int) func(p *Program, o *Op) (*int64, int64) {
	return func(_ *Program, o *Op) (*int64, int64) { return o.part(r, func(p *Part) *int64 { return &p.N }), 0 }
}

// offsetOf returns the offset of a rank, for lower.
func offsetOf(r int) func(p *Program, o *Op) (*int64, int64) {
	return func(p *Program, o *Op) (*int64, int64) {
		off := o.part(r, func(p *Part) *int64 { return &p.Off })
		return off, min(*off, p.Far)
	}
}

// part returns a number of a rank, in a list that may be changed.
func (o *Op) part(r int, of func(*Part) *int64) *int64 {
	if r >= len(o.Each) {
		return new(int64)
	}
	o.Each = slices.Clone(o.Each)
	return of(&o.Each[r])
}

// lower makes a number of operation k smaller.
func (s *shrinker) lower(k int, number func(*Program, *Op) (*int64, int64)) (improved bool) {
	for _, to := range []func(n, least int64) int64{
		func(_, least int64) int64 { return least },
		func(n, least int64) int64 { return least + (n-least)/2 },
		func(n, least int64) int64 { return n - (n-least)/4 },
		func(n, _ int64) int64 { return n - 1 },
	} {
		for times := 0; times < 16 && s.try(func(p *Program) bool {
			n, least := number(p, &p.Ops[k])
			old := *n
			*n = max(least, to(old, least))
			return *n != old
		}); times++ {
			improved = true
		}
	}
	return improved
}

// simplerSchedule tries simpler schedules, and no hints.
func (s *shrinker) simplerSchedule() (improved bool) {
	improved = s.try(func(p *Program) bool { return p.oneHandle() })
	improved = s.try(func(p *Program) bool { was := p.Values; p.Values = Marks; return was != Marks }) || improved
	improved = s.try(func(p *Program) bool { was := p.Hints; p.Hints = nil; return len(was) > 0 }) || improved
	for _, key := range slices.Sorted(maps.Keys(s.best.Hints)) {
		improved = s.try(func(p *Program) bool { delete(p.Hints, key); return true }) || improved
	}
	if s.best.Schedule == "" && s.best.Seed < seedsTried {
		return improved
	}
	for seed := range uint64(seedsTried) {
		if s.try(func(p *Program) bool { p.Schedule, p.Seed = "", seed; return true }) {
			return true
		}
	}
	return improved
}

// seedsTried is the number of small seeds that are tried in place of a large one.
const seedsTried = 8
