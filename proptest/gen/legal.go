package gen

import (
	"slices"

	"github.com/commworld/commworld/iofile"
)

// removeIllegal removes the illegal operations of a program.
func (p *Program) removeIllegal() {
	for {
		k := p.illegal()
		if k < 0 {
			return
		}
		p.Ops = slices.Delete(p.Ops, k, k+1)
	}
}

// Legal reports whether a program breaks no rule of the standard, and has no conflict if it
// is ConflictFree.
func (p *Program) Legal() bool { return p.illegal() < 0 }

// illegal returns the first operation that breaks a rule of the program, -1 if none does.
// Accesses by the shared pointer are allowed only while all ranks have the same view.
// Programs with far offsets use pointers only after a seek there, and conflict-free ones have no
// conflicts.
func (p *Program) illegal() int {
	s := state{p: p}
	s.opened(0)
	s.opened(1)
	for k := range p.Ops {
		if !s.allows(&p.Ops[k]) {
			return k
		}
	}
	return p.illegalSlab()
}

// A state is the state of a program at an operation.
type state struct {
	p       *Program
	handles [2]position // first and second; the second may be missing
	*position
	used []use
	size int64 // at the last sync
}

// A position is the state of a handle.
type position struct {
	same           bool  // all ranks have the same view
	flat           bool  // and it is bytes from 0
	placed, shared bool  // pointers are where they may be used
	base           int64 // etypes before the far range
}

// A use is an access of bytes [lo, hi) by a rank through a handle since the last sync.
type use struct {
	rank   int
	second bool
	lo, hi int64
	write  bool
}

// conflicts reports whether the order of two uses makes a difference: they share a byte that
// one writes, or one makes the file, which has this size, longer and the other reads up to
// its end.
func (u use) conflicts(o use, size int64) bool {
	if u.rank == o.rank && u.second == o.second || !u.write && !o.write {
		return false
	}
	grows := u.write != o.write && u.hi > size && o.hi > size
	return grows || u.lo < o.hi && o.lo < u.hi
}

// opened makes handle i new on all ranks.
func (s *state) opened(i int) {
	s.handles[i] = position{same: true, flat: true, placed: s.p.Far == 0, shared: s.p.Far == 0, base: s.p.Far}
	if s.p.Second == NoSecond {
		s.synced()
	}
}

// handle returns 1 for an operation through the second handle, else 0.
func (o *Op) handle() int {
	if o.Second {
		return 1
	}
	return 0
}

// hasHandle reports whether the program has the handles that o uses.
func (p *Program) hasHandle(o *Op) bool {
	return (!o.Second || p.Second != NoSecond) && (o.Over == BothHandles || p.Second == SameFile)
}

// synced records that all ranks see all writes.
func (s *state) synced() {
	for _, u := range s.used {
		if u.write && u.hi > u.lo {
			s.size = max(s.size, u.hi)
		}
	}
	s.used = nil
}

func (s *state) allows(o *Op) bool {
	if !s.p.hasHandle(o) {
		return false
	}
	if o.Each != nil && (!o.All || len(o.Each) != s.p.Ranks || o.Do > Read && o.Do != Seek || slices.ContainsFunc(o.Each, func(p Part) bool { return p.N < 0 })) {
		return false
	}
	s.position = &s.handles[o.handle()]
	switch o.Do {
	case Atomic: // the mode belongs to one open
		return s.p.Second == NoSecond
	case SetView:
		s.flat, s.placed, s.shared, s.base = false, true, true, 0
		s.same = !slices.ContainsFunc(o.Views, func(v iofile.View) bool { return v != o.Views[0] })
		return s.viewReaches(o)
	case Reopen:
		s.opened(o.handle())
	case Own: // its name and effect are those of the layer
		if o.Effect != ChangesNothing {
			s.synced()
		}
		return s.p.Second == NoSecond && o.Name != ""
	case Seek, SeekShared:
		return s.seek(o)
	case Sync, SetSize, Preallocate:
		if o.Lacks == Nothing && o.Over == BothHandles {
			s.synced()
		}
	case Write, Read:
		return s.access(o)
	case Put, Get, Delete, PutAll, Keys:
		return o.allowsStore()
	}
	return true
}

func (s *state) seek(o *Op) bool {
	switch {
	case o.Do == SeekShared:
		ok := s.same && s.leadsFar(o)
		s.shared = s.shared || ok
		return ok
	case s.p.Far > 0 && (o.Whence == iofile.SeekEnd || s.flat && o.Whence == iofile.SeekCur && !s.placed || s.base > 0 && !s.flat && o.Whence != iofile.SeekSet),
		o.Whence == iofile.SeekSet && !s.leadsFar(o):
		return false
	}
	s.placed = s.placed || o.All
	return true
}

// viewReaches reports whether a program may have a view: one that begins before the far
// range must be the same on all ranks, and is used only from there on.
func (s *state) viewReaches(o *Op) bool {
	near := func(v iofile.View) bool { return v.Disp < s.p.Far }
	if !slices.ContainsFunc(o.Views, near) {
		return true
	}
	s.placed, s.shared, s.base = false, false, etypesBefore(o.Views[0], s.p.Far)
	return s.same && s.base > 0
}

// leadsFar reports whether, after seek o, accesses by the pointer stay within the bytes
// that the program may touch: the pointer must be in the far range, since accesses move it on.
func (s *state) leadsFar(o *Op) bool {
	for r := range s.p.Ranks {
		if off, _ := o.Args(r); o.By(r) && s.p.Far > 0 && !s.isFar(off) {
			return false
		}
	}
	return true
}

// isFar reports whether an offset is in the far range, and not so far that the end of the
// file would be much farther.
func (s *state) isFar(off int64) bool {
	const most = 1 << 23
	return off >= s.base && off < s.base+most
}

// mostViewed is the greatest number of etypes of an access through a view: each may be at
// a place of its own.
const mostViewed = 1 << 16

// reaches reports whether an explicit access stays within the bytes that the program may
// touch: the first ones, unless there is a view, and the far ones.
func (s *state) reaches(o *Op) bool {
	for r := range s.p.Ranks {
		off, n := o.Args(r)
		switch {
		case !o.By(r):
		case !s.flat && n > mostViewed:
			return false
		case s.p.Far > 0 && !s.isFar(off) && (!s.flat || off+n > Near):
			return false
		}
	}
	return true
}

func (s *state) access(o *Op) bool {
	switch {
	case o.At == Shared && (!s.same || !s.shared), o.At == Individual && !s.placed:
		return false
	case o.At == Explicit && !s.reaches(o):
		return false
	case !s.p.ConflictFree:
		return true
	case o.At != Explicit || !s.flat:
		return false
	}
	return s.noConflict(o)
}

// noConflict adds the use of an access, and reports whether it conflicts with no other.
func (s *state) noConflict(o *Op) bool {
	for r := range s.p.Ranks {
		if !o.By(r) {
			continue
		}
		off, n := o.Args(r)
		now := use{r, o.Second, off, off + n, o.Do == Write}
		if slices.ContainsFunc(s.used, func(o use) bool { return now.conflicts(o, s.size) }) {
			return false
		}
		s.used = append(s.used, now)
	}
	return true
}
