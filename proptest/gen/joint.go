package gen

import "slices"

// jointly changes several operations at once. Bugs that need no large offset often depend
// on the distance of accesses: then no offset can be lowered alone.
func (s *shrinker) jointly() (improved bool) {
	improved = s.nearer()
	improved = s.closer() || improved
	improved = s.withoutRanks() || improved
	return s.narrower() || improved
}

// nearer moves the far bytes of a program to the beginning of the file, or to the least far
// offset of farStarts that fails.
func (s *shrinker) nearer() bool {
	if s.best.Far == 0 {
		return false
	}
	starts := append([]int64{0}, farStarts...)
	slices.Sort(starts)
	for _, to := range starts {
		if to < s.best.Far && s.tryUnder(func(p *Program) bool {
			p.moveFar(to)
			return true
		}) {
			return true
		}
	}
	return false
}

// moveFar moves the far bytes of a program to another offset. In a view that begins before them,
// offsets count etypes from its beginning.
func (p *Program) moveFar(to int64) {
	type rule struct{ least, less int64 } // subtract less from places from least on
	inBytes := rule{p.Far, p.Far - to}
	through := [2]rule{inBytes, inBytes}
	for k := range p.Ops {
		o := &p.Ops[k]
		of := through[o.handle()]
		switch o.Do {
		case SetView, SetSize, Preallocate:
			of = inBytes
		case Reopen:
			through[o.handle()] = inBytes
		}
		if o.Do == SetView {
			before := etypesBefore(o.Views[0], p.Far)
			through[o.handle()] = rule{before, before - etypesBefore(o.Views[0], to)}
		}
		o.places(p.Ranks, func(at *int64) {
			if *at >= of.least {
				*at -= of.less
			}
		})
	}
	p.Far = to
}

// closer subtracts the same number from all offsets that are large enough.
func (s *shrinker) closer() (improved bool) {
	if s.best.Reach > 0 {
		return false
	}
	for _, d := range s.best.offsets() {
		for ; d > 0; d /= 2 {
			if s.try(func(p *Program) bool { p.shift(p.Far+d, d); return true }) {
				improved = true
				break
			}
		}
	}
	return improved
}

// offsets lists the distances of operations from the first byte that the program may
// use, the largest first.
func (p *Program) offsets() (all []int64) {
	for k := range p.Ops {
		p.Ops[k].places(p.Ranks, func(at *int64) {
			if *at > p.Far {
				all = append(all, *at-p.Far)
			}
		})
	}
	slices.Sort(all)
	slices.Reverse(all)
	return slices.Compact(all)
}

// places calls do with each absolute place of an operation. Views are copied before.
func (o *Op) places(ranks int, do func(at *int64)) {
	switch {
	case o.isAccess() && o.At == Explicit, o.Do == Seek && o.Whence == 0, o.Do == SeekShared:
		if o.Each == nil {
			do(&o.Off)
			break
		}
		o.Each = slices.Clone(o.Each)
		for r := range o.Each[:min(ranks, len(o.Each))] {
			do(&o.Each[r].Off)
		}
	case o.Do == SetSize || o.Do == Preallocate:
		do(&o.Size)
	case o.Do == SetView:
		o.Views = slices.Clone(o.Views)
		for r := range o.Views[:min(ranks, len(o.Views))] {
			do(&o.Views[r].Disp)
		}
	}
}

// shift subtracts d from all places from least on.
func (p *Program) shift(least, d int64) {
	for k := range p.Ops {
		p.Ops[k].places(p.Ranks, func(at *int64) {
			if *at >= least {
				*at -= d
			}
		})
	}
}

// withoutRanks removes single ranks; the ranks behind them move up. Operations of a removed
// rank are dropped or, in the end, performed by another rank.
func (s *shrinker) withoutRanks() (improved bool) {
	for r := s.best.Ranks - 1; r >= 0 && s.best.Ranks > 1; r-- {
		improved = s.tryUnder(func(p *Program) bool { return p.withoutRank(r, -1) }) || improved
		for to := range min(r, s.best.Ranks) {
			improved = r < s.best.Ranks && s.tryUnder(func(p *Program) bool { return p.withoutRank(r, to) }) || improved
		}
	}
	return improved
}

// withoutRank removes rank r. Its operations are those of rank to, or dropped if to is
// negative.
func (p *Program) withoutRank(r, to int) bool {
	if p.Reach > 0 || p.Ranks < 2 || r >= p.Ranks {
		return false
	}
	p.Ranks--
	var ops []Op
	for _, o := range p.Ops {
		if !o.All && o.Rank == r {
			if to < 0 {
				continue
			}
			o.Rank = to
		} else if !o.All && o.Rank > r {
			o.Rank--
		}
		if r < len(o.Views) {
			o.Views = slices.Delete(slices.Clone(o.Views), r, r+1)
		}
		if r < len(o.Each) {
			o.Each = slices.Delete(slices.Clone(o.Each), r, r+1)
		}
		if o.All && r < len(o.Regions) {
			o.Regions = slices.Delete(slices.Clone(o.Regions), r, r+1)
		}
		ops = append(ops, o)
	}
	p.Ops = ops
	return true
}

// narrower keeps the last etypes of an access: those that differ may be behind many that
// do not.
func (s *shrinker) narrower() (improved bool) {
	for k := range s.best.Ops {
		for _, part := range []int64{1, 2, 4} {
			improved = s.try(func(p *Program) bool {
				o := &p.Ops[k]
				if !o.isAccess() || o.At != Explicit || o.N < 2 || o.Each != nil {
					return false
				}
				drop := max(1, (o.N-1)/part)
				o.Off, o.N = o.Off+drop, o.N-drop
				return true
			}) || improved
		}
	}
	return improved
}

// tryUnder tries a change under the schedule of the program, and then under a few others.
// A change of the ranks or of the number of operations changes what a seed does.
func (s *shrinker) tryUnder(change func(p *Program) bool) bool {
	if s.try(change) {
		return true
	}
	for seed := range uint64(seedsPerMove) {
		if s.try(func(p *Program) bool {
			p.Schedule, p.Seed = "", seed
			return change(p)
		}) {
			return true
		}
	}
	return false
}

// seedsPerMove is the number of small seeds under which tryUnder tries a change.
const seedsPerMove = 6
