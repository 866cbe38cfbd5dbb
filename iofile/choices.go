package iofile

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// This file is for exploring worlds (see [sched.Explorer]): it asks the explorer about
// calls on files that have more than one possible result. In other worlds nothing here has
// an effect.

// object returns a number for something that ranks share, such as a file or its shared
// pointer; it is the same in all runs of a program. Files of two file systems may have the
// same name; then more orders are tried than necessary.
func object(what, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what + "\x00" + name))
	return max(h.Sum64(), 1)
}

// holdAccess lets conflicting accesses come before a, or not: the explorer chooses the
// order of unordered accesses.
//
//go:noinline
func (f *File) holdAccess(a *access) error {
	if err := f.overtake(func(b *access) bool { return f.clash(a, b) }); err != nil {
		return err
	}
	return f.holdMove(a)
}

// holdMove is holdAccess without the check of this handle's own accesses under way.
func (f *File) holdMove(a *access) error {
	if !f.thread.Exploring() || a.etypes == 0 {
		return nil
	}
	switch h, any := f.touches(a); {
	case !any:
		f.adopt(a)
		return nil
	case a.write && f.writeHistory() != nil:
		return f.holdPosition(a, f.exploredWrite(a), h)
	default:
		err := f.thread.Hold(a, h)
		f.adopt(a)
		return err
	}
}

// touches returns what the explorer has to know about an access; false: nothing, because the access
// neither changes what others find nor finds what they change.
func (f *File) touches(a *access) (h sched.Held, any bool) {
	if f.writeHistory() == nil {
		return f.footprintOf(a)
	}
	lo, hi := f.reached(a)
	if f.atomic && hi > f.bytes.Size() { // it may depend on the size, or change it
		lo, hi = 0, 0
	}
	h = sched.Held{Object: object("file", f.name), Lo: lo, Hi: hi, Write: a.write}
	switch {
	case f.atomic:
	case a.write && a.under != nil: // others may have seen it already
		h.Result = sched.Placed
	default:
		h.Result = sched.Chosen
	}
	return h, true
}

// span returns a range of the file that contains all bytes of a.
func (f *File) span(a *access) (lo, hi int64) {
	return f.view.Tiles.Span(f.view.packed(a.off), a.etypes*f.view.Unit.Size)
}

// holdShared is holdAccess for a call of one rank that moves or reads the shared pointer.
//
//go:noinline
func (f *File) holdShared(op string, moves bool) error {
	if !f.thread.Exploring() {
		return nil
	}
	if call := f.pointerCall(); f.set.pointer.unheld && f.thread.Sched().LeavesEarly(call) {
		f.thread.Sched().Break(call)
		return f.thread.Sched().Cause()
	}
	return f.holdPointer(op, pointerUse{asks: true, moves: moves, round: f.round})
}

// pointerCall stands for the use of the shared pointer: as long as ranks may leave it early, the
// explorer knows of no call that uses it alone, and views move it without a choice.
func (f *File) pointerCall() sched.Call {
	return sched.Call{What: "shared pointer of " + f.name, At: f.line}
}

func (f *File) holdPointer(op string, use pointerUse) error {
	use.open = f.line.Place()
	return f.thread.Hold(&access{call: call{op: op}}, sched.Held{Object: object("shared pointer", f.name), Write: true, Foot: &use})
}

// passPointer moves the shared pointer to the place that to returns, for a collective call that
// the rank may leave early, unless another rank has come to that call before.
func (f *File) passPointer(op string, to func() (Offset, error)) error {
	if err := f.holdPointer(op, pointerUse{moves: true, round: f.round + 1}); err != nil {
		return f.stopped(op, err)
	}
	if f.set.pointer.movedIn(f.round + 1) {
		f.round++
		return nil
	}
	pos, err := to()
	if err == nil {
		f.moveShared(pos)
	}
	return err
}

// A pointerUse is what a call did with the shared pointer.
type pointerUse struct {
	asks, moves bool
	open        sched.Place // the line of the open
	round       int         // of a collective call, which does not ask: its number; else the last one that the rank took part in
}

// Open is false: a call has done all when it returns.
func (*pointerUse) Open() bool { return false }

// Join is not needed.
func (p *pointerUse) Join(sched.Footprint) sched.Footprint { return p }

// Meets reports whether the order of two calls made a difference. The first rank to come to a
// collective call moves the pointer for all, so all its ranks come after that.
func (p *pointerUse) Meets(o sched.Footprint) bool {
	switch q := o.(*pointerUse); {
	case !p.moves && !q.moves:
		return false
	case p.open != q.open || p.asks && q.asks:
		return true
	case p.asks:
		return p.round < q.round
	case q.asks:
		return q.round < p.round
	}
	return false
}

// holdName is holdAccess for a call that uses the name of a file.
//
//go:noinline
func holdName(r *sched.Rank, op, name string, use *nameUse) error {
	if !r.Exploring() {
		return nil
	}
	return r.Hold(&access{call: call{op: op}}, sched.Held{Object: object("name", name), Write: true, Foot: use})
}

// changeMode sets the mode of the handle. Accesses that are under way are deferred anew, because
// others see them otherwise now; that they take place later than the explorer has chosen is not
// explored.
func (f *File) changeMode(op string, atomic bool) {
	var deferred []*started
	for _, s := range f.allUnderWay() {
		if s.deferred == nil || atomic == f.atomic {
			continue
		}
		deferred = append(deferred, s)
		if f.thread.Sched().Len() > 1 {
			f.thread.Sched().NoteUntried(fmt.Sprintf("file %s: what may happen when %s (%v) takes place after %s, which changes the mode before it is completed",
				f.name, s.a.op, s.line.Place(), op))
		}
	}
	f.atomic = atomic
	f.bytes.SetAtomic(atomic)
	for _, s := range deferred {
		if !s.deferred.Done() {
			s.undefer()
			s.deferMove()
		}
	}
}

// allUnderWay returns the accesses under way, split ones included.
func (f *File) allUnderWay() []*started {
	if f.split == nil {
		return f.underWay()
	}
	return append(slices.Clone(f.underWay()), f.split)
}

// overtake lets accesses of this handle that are under way and conflict with a call take
// place before it, or not. Those that are deferred need no more.
func (f *File) overtake(clash func(*access) bool) error {
	if !f.thread.Exploring() {
		return nil
	}
	for _, s := range slices.Clone(f.underWay()) {
		if s.phase > phaseMove || s.deferred != nil || !clash(&s.a) {
			continue
		}
		if err := f.maybe(s, s.hurry); err != nil {
			return err
		}
	}
	if s := f.split; s != nil && s.phase == phaseMove && s.deferred == nil && clash(&s.a) {
		return f.maybe(&s.a, s.carry)
	}
	return nil
}

// maybe lets the explorer choose whether an operation that is under way does something now.
func (f *File) maybe(what fmt.Stringer, do func()) error {
	pick, err := f.thread.Ask(sched.Ways{Stringer: what, Count: func() int { return 2 }}, nil)
	if pick == 1 {
		do()
	}
	return err
}

// hurry makes an access take place now, if all ranks have come to it. It is called after a
// choice, when that condition is the same in all runs.
func (s *started) hurry() {
	if s.phase == phaseMeet && s.meet.Complete() {
		s.resume()
	}
	if s.phase == phaseMove {
		s.move()
	}
}

// deferMove lets an access that has begun take place at any time until it is completed: the
// explorer orders it among the calls of all ranks. Where a race leaves open what others find, it
// need not.
func (s *started) deferMove() {
	f := s.f
	if !f.thread.Exploring() || s.a.etypes == 0 || s.joint() || s.begin == "" && s.meets() || f.writeHistory() != nil && !f.atomic {
		return
	}
	if s.line == nil {
		s.line = f.thread.NoteLine(sched.AnyDepth)
	}
	h, _ := f.touches(&s.a)
	ways, place := f.positions(&s.a, h)
	count := ways.Count
	ways.Count = func() int {
		if f.inside != "" {
			return 0
		}
		return count()
	}
	s.deferred = sched.Defer(f.thread, ways, func(pick int) {
		place(pick)
		switch err := insideStore(); {
		case s.begin != "":
			s.carryNow()
		case err != nil:
			s.moved(0, err)
		default:
			s.moveNow()
		}
	})
}

// clash reports whether two accesses of one handle, of which one writes, may have a byte in
// common. A read that the file may be too short for also depends on everything that is
// written behind it.
func (f *File) clash(a, b *access) bool {
	if a == b || !a.write && !b.write || a.etypes == 0 || b.etypes == 0 {
		return false
	}
	alo, ahi := f.reached(a)
	blo, bhi := f.reached(b)
	return alo < bhi && blo < ahi
}

// reached is span, extended to the end for a read that the file may be too short for.
func (f *File) reached(a *access) (lo, hi int64) {
	if lo, hi = f.span(a); !a.write && hi > f.minSize() {
		hi = math.MaxInt64
	}
	return lo, hi
}

// Digest returns the digest of the call, with the bytes it writes; see [sched.Digester].
func (a *access) Digest() sched.Digest {
	d := sched.Digest(0).String(a.op).Int(int64(a.off)).Int(a.buf.Count())
	if !a.write || a.buf.Count() == 0 || a.buf.Check(reps.LP64LE) != nil {
		return d
	}
	packed := make([]byte, a.buf.Packed(reps.LP64LE))
	a.buf.Pack(packed, 0, reps.LP64LE)
	return d.Bytes(packed)
}
