package iofile

import (
	"math"
	"slices"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/overlay"
	"github.com/commworld/commworld/internal/sched"
)

// In an exploring world, what a handle without a write history finds in the file depends on the
// order of three kinds of operations: those that bring bytes into the shared file (a write that
// is visible at once, a sync or close of others), those that look there (a read that sees the
// newest file, a query of the size), and those that adopt its present state for later reads (an
// open or sync, if reads see that of the last one). The explorer tries each order that made a
// difference. It makes none what an operation adopted if nothing of that is read later, so syncs
// cost a program without a race no runs.

// A footprint is what one of these operations has touched. It says the same in every order of
// operations that others cannot tell from this one: that a write made the file longer, for
// instance, is not in it, because another write may do so first.
type footprint struct {
	reads, writes []extent.Pattern
	ends          []extent.Pattern // bytes of which it found whether the file has them, if that may depend on writes of others
	there         []extent.Pattern // bytes of which it found only that, which a cut may take away
	reaches       int64            // the file has all bytes up to here
	adopts        bool             // later reads of its handle count as its own
	exact         bool             // it writes all bytes of writes

	rank                int // whose, plus 1, if accesses of its handle were under way; else 0
	ownReads, ownWrites []extent.Pattern
	settled             int64 // then, the size that no access of the handle that was under way has changed
}

// Open reports whether more may be added.
func (t *footprint) Open() bool { return t.adopts }

// Meets reports whether the order of two operations made a difference.
func (t *footprint) Meets(o sched.Footprint) bool {
	u := o.(*footprint)
	if t.rank > 0 && t.rank == u.rank && (meet(t.ownWrites, u.ownWrites) || meet(t.ownWrites, u.ownReads) || meet(t.ownReads, u.ownWrites)) {
		return true
	}
	return meet(t.writes, u.writes) || t.decides(u) || u.decides(t)
}

// Join returns all of both, to which more may be added.
func (t *footprint) Join(o sched.Footprint) sched.Footprint {
	u := o.(*footprint)
	if t.reaches >= u.reaches && covers(t.reads, u.reads) && covers(t.writes, u.writes) && covers(t.ends, u.ends) && covers(t.there, u.there) {
		return t
	}
	all := &footprint{reaches: max(t.reaches, u.reaches), adopts: true}
	all.reads, all.writes, all.ends, all.there = union(t.reads, u.reads), union(t.writes, u.writes), union(t.ends, u.ends), union(t.there, u.there)
	return all
}

// Overwrites reports whether t only writes, as u, and leaves nothing of what u has written.
func (t *footprint) Overwrites(o sched.Footprint) bool {
	u := o.(*footprint)
	return t.exact && t.rank == 0 && u.rank == 0 && t.reaches >= u.reaches &&
		len(t.reads)+len(t.ends)+len(t.there)+len(u.reads)+len(u.ends)+len(u.there) == 0 && !t.adopts && !u.adopts && covers(t.writes, u.writes)
}

// union returns a list of the patterns of both.
func union(a, b []extent.Pattern) []extent.Pattern {
	all := slices.Clone(a)
	for i := range b {
		all = add(all, b[i:i+1])
	}
	return all
}

// covers reports whether each pattern of b is within one of a.
func covers(a, b []extent.Pattern) bool {
	return !slices.ContainsFunc(b, func(q extent.Pattern) bool {
		return !slices.ContainsFunc(a, func(p extent.Pattern) bool { return p.Covers(&q) })
	})
}

// decides reports whether u found something that t changed.
func (t *footprint) decides(u *footprint) bool {
	return meet(t.writes, u.reads) || t.reaches == extent.MaxSize && meet(t.writes, u.there) || t.reaches > 0 && meet([]extent.Pattern{{Block: t.reaches, N: 1}}, u.ends)
}

// read adds the bytes of a read, or only whether the file has them.
func (t *footprint) read(f *File, a *access, bytes bool) {
	list := f.outline(a, nil)
	if bytes {
		t.reads = add(t.reads, list)
	} else {
		t.there = add(t.there, list)
	}
	t.ends = add(t.ends, beyond(list, f.leastSize()))
}

// happens sets the ends of a read that takes place now: while it was held, another handle may have
// cut the file.
func (t *footprint) happens(f *File, a *access) {
	least := f.leastSize()
	if t.rank > 0 { // the same in every order of the accesses under way
		least = min(least, t.settled)
	}
	if t.ends = beyond(f.outline(a, nil), least); t.rank > 0 && len(t.ends) > 0 { // so is how far its own rank writes
		lo, _ := f.span(a)
		t.ownReads = []extent.Pattern{{Lo: lo, Block: extent.MaxSize - lo, N: 1}}
	}
}

// readSize adds a query of the size.
func (t *footprint) readSize(f *File) {
	least := f.leastSize()
	t.ends = add(t.ends, []extent.Pattern{{Lo: least, Block: extent.MaxSize - least, N: 1}})
}

// leastSize returns a size that the file has for this handle in every order of unordered
// operations.
func (f *File) leastSize() int64 {
	if f.track == nil {
		return 0
	}
	least, _ := f.track.LeastSize(f.thread.Clock())
	return f.certain(least)
}

// beyond returns the patterns with bytes from offset n on, without blocks that have none.
func beyond(list []extent.Pattern, n int64) (rest []extent.Pattern) {
	for _, p := range list {
		i, ok := p.Meets(n, extent.MaxSize)
		if !ok {
			continue
		}
		if p.Lo, p.N = p.Start(i), p.N-i; p.N == 1 {
			lo := max(p.Lo, n)
			p = extent.Pattern{Lo: lo, Block: p.Hi() - lo, N: 1}
		}
		rest = append(rest, p)
	}
	return rest
}

// mostPatterns bounds the patterns of a footprint.
const mostPatterns = 1024

// bytesOf returns how many bytes patterns have.
func bytesOf(list []extent.Pattern) (n int64) {
	for _, p := range list {
		n += p.N * p.Block
	}
	return n
}

// add appends the patterns that list does not have. Of very many it keeps only from where to
// where they reach: then more orders are tried than necessary.
func add(list, more []extent.Pattern) []extent.Pattern {
	if len(more) == 1 && slices.Contains(list, more[0]) { // a loop of reads
		return list
	}
	if list = append(list, more...); len(list) <= mostPatterns {
		return list
	}
	lo, hi := list[0].Lo, int64(0)
	for i := range list {
		lo, hi = min(lo, list[i].Lo), max(hi, list[i].Hi())
	}
	return append(list[:0], extent.Pattern{Lo: lo, Block: hi - lo, N: 1})
}

// meet reports whether two lists of patterns share a byte.
func meet(a, b []extent.Pattern) bool {
	for i := range a {
		for j := range b {
			if _, _, ok := a[i].Common(&b[j]); ok {
				return true
			}
		}
	}
	return false
}

// outline appends the patterns of the bytes of a.
func (f *File) outline(a *access, list []extent.Pattern) []extent.Pattern {
	n := len(list)
	part := f.view.part(a)
	if list = extent.Outline(&part, list); len(list) == n {
		lo, hi := f.span(a)
		list = append(list, extent.Pattern{Lo: lo, Block: hi - lo, N: 1})
	}
	return list
}

// footprintOf is touches for a handle without a write history.
func (f *File) footprintOf(a *access) (h sched.Held, any bool) {
	t := new(footprint)
	switch {
	case !a.write && (f.adopting() || f.readsUnpublished(a)): // it finds what the handle has adopted, or written itself
	case !a.write:
		t.read(f, a, true)
		any = true
	case f.bytes.Direct(): // if not, others see it when it is published
		t.writes = f.outline(a, nil)
		_, t.reaches = f.span(a)
		t.exact = bytesOf(t.writes) == a.etypes*f.view.Unit.Size
		any = true
	}
	if len(f.allUnderWay()) > 0 {
		t.own(f, a)
		any = true
	}
	return sched.Held{Object: object("file", f.name), Write: a.write, Foot: t}, any
}

// own adds what concerns only accesses of the same rank. A read that the file may be too short for
// finds how far they write.
func (t *footprint) own(f *File, a *access) {
	t.rank, t.settled = f.thread.ID()+1, f.settled
	if a.write {
		t.ownWrites = f.outline(a, nil)
		return
	}
	t.ownReads = f.outline(a, nil)
	if lo, hi := f.reached(a); hi == math.MaxInt64 {
		t.ownReads = []extent.Pattern{{Lo: lo, Block: extent.MaxSize - lo, N: 1}}
	}
}

// adopt adds a read to what the handle has found of the state that it adopted last.
func (f *File) adopt(a *access) {
	if !a.write && f.writeHistory() == nil && f.adopting() && !f.readsOwn(a) {
		f.adopted.read(f, a, true)
	}
}

// readsOwn reports whether all bytes of a read through a handle that adopts are those that it has
// written itself since: then what it adopted does not matter.
func (f *File) readsOwn(a *access) bool {
	var own []extent.Pattern
	for p := range f.bytes.Written() {
		own = extent.Patterns(&p, own)
	}
	return covers(own, f.outline(a, nil))
}

// readsUnpublished reports whether all bytes of a read are those that the handle has written itself
// and that no one else sees yet.
func (f *File) readsUnpublished(a *access) bool {
	var own []extent.Pattern
	for p := range f.bytes.Unpublished() {
		own = extent.Patterns(&p, own)
	}
	return len(own) > 0 && covers(own, f.outline(a, nil))
}

// holdFile holds an operation on the file that touches t.
func (f *File) holdFile(a *access, t *footprint, writes bool) error {
	return f.thread.Hold(a, sched.Held{Object: object("file", f.name), Write: writes, Foot: t})
}

// movePointer holds the whole access, or if that is only begun, the move of the pointer.
func (f exploring) movePointer(a *access) error {
	switch {
	case a.etypes == 0:
		return nil
	case f.writeHistory() != nil && !f.atomic: // what is there is chosen; see follow
		if _, hi := f.span(a); a != &f.now && hi > f.minSize() && !slices.Contains(f.set.file.sized, a.op) {
			f.set.file.sized = append(f.set.file.sized, a.op)
		}
		return nil
	case a == &f.now:
		a.held = true
		return f.access(a)
	case !f.serial():
		if cause := f.thread.Sched().Cause(); cause != nil {
			return cause
		}
		return f.thread.Hold(a, sched.Held{Object: object("file", f.name), Hi: math.MaxInt64})
	}
	t, busy := new(footprint), len(f.allUnderWay()) > 0
	found := t
	if f.adopting() {
		found = f.adopted
	}
	var err error
	if busy {
		t.own(f.File, a)
	}
	if busy || found == t {
		err = f.holdFile(a, t, false)
	}
	found.read(f.File, a, false)
	return err
}

// holdResize is resize without a write history.
func (f exploring) holdResize(op string, x overlay.Write) error {
	t := &footprint{reaches: x.Size}
	if x.Kind == overlay.Resize {
		t.writes, t.reaches, t.exact = []extent.Pattern{{Lo: x.Size, Block: extent.MaxSize - x.Size, N: 1}}, extent.MaxSize, true
	}
	return f.holdFile(&access{call: call{op: op}}, t, true)
}

func (f exploring) askSize(op string) error {
	if err := f.overtake(func(b *access) bool { return b.write && b.etypes > 0 }); err != nil {
		return err
	}
	f.looks(false, math.MaxInt64)
	busy := len(f.allUnderWay()) > 0
	switch {
	case !f.serial():
		if cause := f.thread.Sched().Cause(); cause != nil {
			return cause
		}
		h := sched.Held{Object: object("file", f.name), Hi: math.MaxInt64}
		if !f.atomic { // what it finds is chosen
			h.Result = sched.Chosen
		}
		return f.thread.Hold(&access{call: call{op: op}}, h)
	case f.adopting() && !busy:
		f.adopted.readSize(f.File)
		return nil
	}
	t := new(footprint)
	if busy {
		t.rank, t.ownReads = f.thread.ID()+1, []extent.Pattern{{Block: extent.MaxSize, N: 1}}
	}
	err := f.holdFile(&access{call: call{op: op}}, t, false)
	if f.adopting() {
		f.adopted.readSize(f.File)
	} else {
		t.readSize(f.File)
	}
	return err
}

// publish lets operations of others come before this handle brings its unpublished writes into
// the file, and before it adopts the newest state if adopts says so.
func (f exploring) publish(op string, adopts bool) error {
	if f.writeHistory() != nil {
		return nil
	}
	writes := f.bytes.Pending()
	if !writes && !adopts {
		return nil
	}
	t := &footprint{adopts: adopts}
	parts := 0
	for p := range f.bytes.Unpublished() {
		list := extent.Patterns(&p, nil)
		parts += len(list)
		t.writes = add(t.writes, list)
		t.reaches = max(t.reaches, p.At.At(p.From+p.N-1)+1)
	}
	t.exact = parts <= mostPatterns
	if err := f.holdFile(&access{call: call{op: op}}, t, writes); err != nil {
		return err
	}
	if f.used(); adopts {
		f.adopted = t
	}
	return nil
}

// adopting reports whether the handle, in an exploring world, sees the state that it adopted last.
func (f *File) adopting() bool { return f.traffic != nil && f.adopted != nil }

// A nameUse is what a call did with the name of a file.
type nameUse struct {
	opens, deletes bool
	closes         *group // the collective open whose handle it closes; nil: none
	amode          Mode   // of the handle
	strict         bool   // files that are open cannot be deleted
}

// Open is false: a call has done all when it returns.
func (*nameUse) Open() bool { return false }

// Join is not needed.
func (n *nameUse) Join(sched.Footprint) sched.Footprint { return n }

// Overwrites is false: a call that uses a name finds something, too.
func (*nameUse) Overwrites(sched.Footprint) bool { return false }

// Meets reports whether the order of two calls made a difference.
func (n *nameUse) Meets(o sched.Footprint) bool {
	m := o.(*nameUse)
	if n.closes != nil && n.closes == m.closes { // the last rank of an open closes the file, whichever it is
		return false
	}
	return n.decides(m) || m.decides(n)
}

// decides reports whether what m finds or does to the name depends on n having been before.
func (n *nameUse) decides(m *nameUse) bool {
	switch unique := n.amode.has(UniqueOpen); {
	case n.deletes && (m.deletes || m.opens || m.closes != nil && n.strict):
		return true
	case n.opens && m.opens:
		return unique || n.amode.has(Excl) || n.amode.has(Create) && !m.amode.has(Create)
	case n.opens && m.closes != nil || n.closes != nil && m.opens:
		return unique
	}
	return false
}
