package iofile

import (
	"hash/fnv"
	"math"
	"slices"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// This file is about worlds that explore (see [sched.Explorer]): it puts before
// the explorer what about files may go one way or another. Elsewhere nothing
// here does anything.

// object names something that ranks share, such as a file or its shared
// pointer, alike in all runs of a program. Files of two file systems may have
// one name; then more orders are tried than necessary.
func object(what, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what + "\x00" + name))
	return max(h.Sum64(), 1)
}

// holdAccess lets accesses in conflict with a go first, or not: which of those
// that nothing orders comes first is for the explorer to choose.
//
//go:noinline
func (f *File) holdAccess(a *access) error {
	if err := f.overtake(func(b *access) bool { return f.clash(a, b) }); err != nil {
		return err
	}
	return f.holdMove(a)
}

// holdMove is holdAccess without regard to this handle's own accesses under way.
func (f *File) holdMove(a *access) error {
	if !f.thread.Exploring() || a.etypes == 0 {
		return nil
	}
	lo, hi := f.reached(a)
	if f.atomic && hi > f.bytes.Size() { // it may depend on, or change, the size
		lo, hi = 0, 0
	}
	h := sched.Held{Object: object("file", f.name), Lo: lo, Hi: hi, Write: a.write}
	if a.write && f.past() != nil {
		return f.holdPlace(a, f.deed(a), h)
	}
	return f.thread.Hold(a, h)
}

// span returns bytes of the file between which all bytes of a lie.
func (f *File) span(a *access) (lo, hi int64) {
	return f.view.tiles.Span(f.view.packed(a.off), a.etypes*f.view.esize())
}

// holdShared is holdAccess for a move of, or a look at, the shared pointer.
//
//go:noinline
func (f *File) holdShared(op string, moves bool) error {
	if !f.thread.Exploring() {
		return nil
	}
	return f.thread.Hold(&access{call: call{op: op}}, sched.Held{Object: object("shared pointer", f.name), Write: moves})
}

// holdName is holdAccess for what a call of a rank does to the name of a file.
//
//go:noinline
func holdName(r *sched.Rank, op, name string, changes bool) error {
	if !r.Exploring() {
		return nil
	}
	return r.Hold(&access{call: call{op: op}}, sched.Held{Object: object("name", name), Write: changes})
}

// holdWhole is holdAccess for a call about the whole file.
//
//go:noinline
func (f *File) holdWhole(op string, writes bool) error {
	if !f.thread.Exploring() {
		return nil
	}
	return f.thread.Hold(&access{call: call{op: op}}, sched.Held{Object: object("file", f.name), Hi: math.MaxInt64, Write: writes})
}

// holdSync lets files that have been raced for be published in any order, if
// there is no past to tell what those see who race. Without a race no order of
// publishing makes a difference.
func (f *File) holdSync(op string) error {
	if f.track == nil || !f.thread.Exploring() || !f.set.file.raced || f.past() != nil {
		return nil
	}
	return f.holdWhole(op, true)
}

// overtake lets accesses of this handle that are under way and clash with a call
// take place before it, or not.
func (f *File) overtake(clash func(*access) bool) error {
	if !f.thread.Exploring() {
		return nil
	}
	for _, s := range slices.Clone(f.under) {
		if s.phase > phaseMove || !clash(&s.a) {
			continue
		}
		pick, err := f.thread.Choose(2, s)
		if err != nil {
			return err
		}
		if pick == 1 {
			s.hurry()
		}
	}
	if s := f.split; s != nil && !s.moved && clash(&s.a) {
		if pick, err := f.thread.Choose(2, &s.a); err != nil {
			return err
		} else if pick == 1 {
			s.move(f)
		}
	}
	return nil
}

// hurry lets an access take place now, if all ranks have come to it. It is called
// after a choice, when that is alike in all runs.
func (s *started) hurry() {
	if s.phase == phaseMeet && s.meet.Complete() {
		s.hear()
	}
	if s.phase == phaseMove {
		s.move()
	}
}

// mayHurry lets an atomic access of several ranks' file take place as soon as it
// has begun, or not: others may come between that and its end. In the midst of
// what its rank does until then it is not tried. One that is not atomic is seen by
// others or not, whenever it takes place.
func (f *File) mayHurry(s *started) error {
	if !f.thread.Exploring() || !f.atomic || s.a.etypes == 0 || f.thread.Sched().Len() == 1 {
		return nil
	}
	pick, err := f.thread.Choose(2, s)
	if pick == 1 {
		s.hurry()
	}
	return err
}

// clash reports accesses of one handle that may have a byte in common, which
// one of them writes. A read that the file may be too short for has to do with
// all that is written behind it.
func (f *File) clash(a, b *access) bool {
	if a == b || !a.write && !b.write || a.etypes == 0 || b.etypes == 0 {
		return false
	}
	alo, ahi := f.reached(a)
	blo, bhi := f.reached(b)
	return alo < bhi && blo < ahi
}

// reached is span, with all bytes behind a read that the file may be too short for.
func (f *File) reached(a *access) (lo, hi int64) {
	if lo, hi = f.span(a); !a.write && hi > f.sure() {
		hi = math.MaxInt64
	}
	return lo, hi
}

// Digest is that of the call, with what it writes; see [sched.Digester].
func (a *access) Digest() sched.Digest {
	d := sched.Digest(0).String(a.op).Int(int64(a.off)).Int(a.buf.Count())
	if !a.write || a.buf.Count() == 0 || a.buf.Check(reps.LP64LE) != nil {
		return d
	}
	packed := make([]byte, a.buf.Packed(reps.LP64LE))
	a.buf.Pack(packed, 0, reps.LP64LE)
	return d.Bytes(packed)
}
