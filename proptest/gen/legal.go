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
	return -1
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
	same           bool // all ranks have the same view
	flat           bool // and it is bytes from 0
	placed, shared bool // pointers are where they may be used
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
	s.handles[i] = position{same: true, flat: true, placed: s.p.Far == 0, shared: s.p.Far == 0}
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
	s.position = &s.handles[o.handle()]
	switch o.Do {
	case Atomic: // the mode belongs to one open
		return s.p.Second == NoSecond
	case SetView:
		s.flat, s.placed, s.shared = false, true, true
		s.same = !slices.ContainsFunc(o.Views, func(v iofile.View) bool { return v != o.Views[0] })
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
	}
	return true
}

func (s *state) seek(o *Op) bool {
	switch {
	case o.Do == SeekShared:
		ok := s.same && s.leadsFar(o)
		s.shared = s.shared || ok
		return ok
	case s.p.Far > 0 && (o.Whence == iofile.SeekEnd || s.flat && o.Whence == iofile.SeekCur && !s.placed),
		o.Whence == iofile.SeekSet && !s.leadsFar(o):
		return false
	}
	s.placed = s.placed || o.All
	return true
}

// leadsFar reports whether, after seek o, accesses by the pointer stay within the bytes
// that the program may touch. Without a view the pointer must be in the far range, since
// accesses move it on; a view with a far displacement is always there.
func (s *state) leadsFar(o *Op) bool {
	for r := range s.p.Ranks {
		if off, _ := o.Args(r); o.By(r) && s.p.Far > 0 && s.flat != (off >= s.p.Far) {
			return false
		}
	}
	return true
}

// reaches reports whether an explicit access stays within the bytes that the program may
// touch: the first ones and the far ones, or any of a view that begins in the far range.
func (s *state) reaches(o *Op) bool {
	for r := range s.p.Ranks {
		off, n := o.Args(r)
		switch {
		case !o.By(r) || s.p.Far == 0:
		case s.flat && off < s.p.Far && off+n > Near, !s.flat && off >= s.p.Far:
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
