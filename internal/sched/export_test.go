package sched

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/callsite"
)

// Forget drops all memory that x keeps for the next run, except its knowledge of the
// program, so that the next run begins anew. The next run has been prepared.
func (x *Explorer) Forget() {
	x.pool.end()
	x.lines.lines, x.sites = nil, nil
	clear(walked[:])
	if x.run != nil && x.run != x.first {
		x.run.runBuffers = runBuffers{}
	}
	x.path = slices.Clip(x.path)
	for i, acts := range x.calls.acts {
		x.calls.acts[i] = slices.Clip(acts)
	}
}

// Rude makes the ranks of a free world sleep without yielding first, so that
// tests meet the moments around going to sleep more often.
func (s *Sched) Rude() *Sched {
	if f, ok := s.drv.(*free); ok {
		f.yieldLimit = -1
	}
	return s
}

// Crowd fills every place for lines that were noted with others that are not noted.
func Crowd() {
	for s := range nearLines {
		for i := range nearLines[s] {
			nearLines[s][i].Store(&cachedLine[callsite.Near]{callsite.Near{1, uintptr(s), uintptr(i), 1, 1}, nil})
		}
	}
}

// Drop forgets all lines.
func Drop() {
	for s := range nearLines {
		for i := range nearLines[s] {
			nearLines[s][i].Store(nil)
		}
	}
}

// Crowded counts those that remain.
func Crowded() (n int) {
	for s := range nearLines {
		for i := range nearLines[s] {
			if x := nearLines[s][i].Load(); x != nil && x.line == nil {
				n++
			}
		}
	}
	return n
}

// PCTPicks is the picks of PCT(depth, seed) in a world of n ranks, given which are
// ready at each step, and whether the one that runs has looked for something in
// vain.
func PCTPicks(n, depth int, seed uint64, ready [][]int, vain []bool) []int {
	p := newByPriority(n, depth, seed)
	var picks []int
	for step, ids := range ready {
		ranks := make([]*Rank, len(ids))
		for i, id := range ids {
			ranks[i] = &Rank{id: int32(id)}
		}
		i, _ := p.pick(ranks)
		picks = append(picks, i)
		if vain[step] {
			p.fallBehind(ranks[i])
		}
	}
	return picks
}

// Meet is MeetWith with all values as the result. The slice stays valid until the next
// meeting of this slot returns, and must not be written.
func (v *Meeting[T]) Meet(r *Rank, slot int, why fmt.Stringer, val T) ([]T, error) {
	vals, err := v.MeetWith(r, slot, why, val, func(vals []T) any { return vals })
	if err != nil {
		return nil, err
	}
	return vals.([]T), nil
}

// Await waits until the round is complete, leaves it and returns the result of join. If the
// world is aborted first, Await withdraws and returns the cause.
func (a *Arrival[T]) Await(r *Rank, why fmt.Stringer) (any, error) {
	for !a.Complete() {
		if err := r.Park(why); err != nil && a.Withdraw() {
			return nil, err
		}
	}
	return a.Leave(), nil
}
