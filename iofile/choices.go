package iofile

import (
	"errors"
	"hash/fnv"
	"math"
	"slices"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// This file is about worlds that explore (see [sched.Explorer]): it puts before
// the explorer what about files may go one way or another. Elsewhere nothing
// here does anything.

// list and unlist keep the handles whose writes may surface.
func (f *File) list() {
	if f.thread.Exploring() {
		f.set.file.handles = append(f.set.file.handles, f)
	}
}

func (f *File) unlist() {
	if f.thread.Exploring() {
		f.set.file.handles = slices.DeleteFunc(f.set.file.handles, func(g *File) bool { return g == f })
	}
}

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
	if err := f.overtake(a); err != nil {
		return err
	}
	return f.holdMove(a)
}

// holdMove is holdAccess without regard to this handle's own accesses under way.
func (f *File) holdMove(a *access) error {
	if !f.thread.Exploring() || a.etypes == 0 {
		return nil
	}
	lo, hi := f.span(a)
	if f.atomic && hi > f.bytes.Size() { // it may depend on, or change, the size
		lo, hi = 0, 0
	}
	return f.thread.Hold(a, sched.Held{Object: object("file", f.name), Lo: lo, Hi: hi, Write: a.write})
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

// holdSync lets files that have been raced for be published in any order.
// Without a race no order of publishing makes a difference.
func (f *File) holdSync(op string) error {
	if f.track == nil || !f.thread.Exploring() || !f.set.file.raced {
		return nil
	}
	return f.holdWhole(op, true)
}

// overtake lets accesses of this handle that are under way and in conflict with
// a take place before it, or not.
func (f *File) overtake(a *access) error {
	if !f.thread.Exploring() {
		return nil
	}
	for _, s := range f.under {
		if s.phase != phaseMove || !f.clash(a, &s.a) {
			continue
		}
		if pick, err := f.thread.Choose(2, s); err != nil {
			return err
		} else if pick == 1 {
			s.move()
		}
	}
	if s := f.split; s != nil && !s.moved && f.clash(a, &s.a) {
		if pick, err := f.thread.Choose(2, &s.a); err != nil {
			return err
		} else if pick == 1 {
			s.move(f)
		}
	}
	return nil
}

// clash reports accesses of one handle that may have a byte in common, which
// one of them writes.
func (f *File) clash(a, b *access) bool {
	if a == b || !a.write && !b.write || a.etypes == 0 || b.etypes == 0 {
		return false
	}
	alo, ahi := f.span(a)
	blo, bhi := f.span(b)
	return alo < bhi && blo < ahi
}

// hurry lets an access that has just begun, and is in conflict with others under
// way, take place at once, or not.
func (f *File) hurry(s *started) error {
	if !f.thread.Exploring() || s.phase != phaseMove {
		return nil
	}
	clash := f.split != nil && !f.split.moved && f.clash(&s.a, &f.split.a)
	for _, o := range f.under {
		clash = clash || o.phase == phaseMove && f.clash(&s.a, &o.a)
	}
	if !clash {
		return nil
	}
	pick, err := f.thread.Choose(2, s)
	if pick == 1 {
		s.move()
	}
	return err
}

// surface lets, or does not let, a read that races see what others wrote and
// did not sync: it may see that or not. Of all that it may see besides, such as
// parts of a write, nothing is tried.
//
//go:noinline
func (f *File) surface(op string) (bool, error) {
	if !f.thread.Exploring() {
		return false, nil
	}
	f.set.file.raced = true
	pick, err := f.thread.Choose(2, &access{call: call{op: op}})
	if err != nil || pick == 0 {
		return false, err
	}
	for _, g := range f.set.file.handles {
		if g != f {
			err = errors.Join(err, g.bytes.Publish())
			if g.set.ledger != nil {
				g.set.ledger.Publish(g)
			}
		}
	}
	f.bytes.Adopt()
	return true, err
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
