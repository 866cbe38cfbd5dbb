package iofile

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// Programs make the same call over and over. What the door has found out about
// one access it remembers, in two steps: a [fitting] spares the checks of the
// datatype, and a [habit] the door itself, where a small access alone does
// nothing but copy and be judged.

// A fitting is items of a datatype that were found to fit a view that moves
// bytes as they are: programs make the same call over and over.
type fitting struct {
	view   *view
	items  *types.Type
	n      int64
	read   bool // they have one place for each byte
	etypes int64
	unit   int64 // bytes of an item, if items follow each other in memory; else 0
}

// good reports whether the checks of the datatype are known to find nothing.
func (t *fitting) good(v *view, a *access) bool {
	return t.view == v && t.items == a.buf.Type() && t.n == a.buf.Count() && (a.write || t.read)
}

// again takes the memory of an access whose items are known to follow each other
// in it. If it reports false, the buffer has yet to be checked.
func (t *fitting) again(a *access) bool {
	if t.unit == 0 {
		return false
	}
	mem, ok := a.buf.Again(t.items, t.unit)
	if ok {
		a.mem = mem
	}
	return ok
}

// fit remembers an access that has passed all checks of the datatype. What is
// larger than all that is not measured by its memory has to be measured again.
func (f *File) fit(a *access, unit int64) {
	const small = 1 << 30
	v := f.view
	if v.plain && !v.bytesLint && a.buf.Count() > 0 && a.etypes <= small/v.esize() {
		f.fits = fitting{v, a.buf.Type(), a.buf.Count(), !a.write, a.etypes, unit}
		f.habit = f.habitOf(&f.fits)
	}
}

// A habit is what accesses have in common that fit, lie in one run of bytes of
// the file, and about which nobody has to be asked or told but the race detector.
type habit struct {
	view        *view // nil: there are none
	items       *types.Type
	n, unit     int64
	write, read bool   // what may be done
	base        int64  // byte of the file at which etype 0 of the view lies
	esize       int64  // bytes of an etype
	last        Offset // at which such an access ends within what a file can hold
}

// habitOf returns the habit of accesses that fit as t says.
func (f *File) habitOf(t *fitting) (h habit) {
	v := t.view
	l, size := v.tiles.L, t.n*t.unit
	if !f.calm || t.unit == 0 || v.judged || !isDense(l) || l.TrueLB != 0 || v.tiles.Disp < 0 || v.tiles.Disp > extent.MaxSize-size {
		return h
	}
	return habit{
		v, t.items, t.n, t.unit, f.amode.writes(), t.read && !f.amode.has(WriteOnly),
		v.tiles.Disp, v.esize(), Offset((extent.MaxSize - size - v.tiles.Disp) / v.esize()),
	}
}

// isCalm reports a handle whose accesses concern nobody else: no fault may strike
// them, nobody counts, follows or observes them, no strategy plans them and the store
// is of this package.
func (f *File) isCalm() bool {
	return f.log == nil && f.faults == nil && f.how.progress == nil && f.fsys.opts.observer == nil && f.set.ledger == nil &&
		f.how.strategy == nil && f.visits == nil && !f.amode.has(Sequential)
}

// again carries out an access that is a habit, and returns how many bytes it
// moved: all. If it reports false it has changed nothing, and the door has to
// look: that, and no answer of its own, is what again does about anything
// unusual, be it an error or the end of the file.
func (f *File) again(c *call) (n int64, ok bool) {
	if f == nil || f.traffic == nil {
		return 0, false
	}
	h := &f.habit
	if h.view == nil || h.view != f.view || c.at != explicit || c.with != alone || c.wrong != nil || c.buf.Count() != h.n ||
		uint64(c.off) > uint64(h.last) || f.closed || f.inside != "" || !f.thread.Smooth() || sched.Stores.Any() {
		return 0, false
	}
	mem, ok := c.buf.Again(h.items, h.unit)
	if !ok {
		return 0, false
	}
	from := int64(c.off) * h.esize
	lo := h.base + from
	if c.write {
		ok = h.write && f.keepsForm(lo) && f.bytes.WriteRun(lo, mem)
	} else {
		ok = h.read && (h.view.tag == nil || f.set.file.written.only(h.view.tag)) && f.bytes.ReadRun(lo, mem)
	}
	if !ok {
		return 0, false
	}
	n = int64(len(mem))
	if c.write && h.view.tag != nil {
		f.formed(lo + n)
	}
	if r := &f.recent; r.op == c.op && r.write == c.write && r.part.At == h.view.tiles {
		r.part.From, r.part.N, r.plan = from, n, nil
	} else {
		*r = last{op: c.op, write: c.write, part: Part{h.view.tiles, from, n}}
	}
	return n, true
}

// keepsForm reports whether a write at byte lo tells the file nothing new of the
// form of its bytes, but where they end.
func (f *File) keepsForm(lo int64) bool {
	v, w := f.habit.view, f.set.file.written
	switch {
	case v.tag == nil:
		return true
	case v.raw:
		return lo >= f.raw.lo && lo <= f.raw.hi && f.raw.tag == v.tag && (f.odd || w.only(v.tag))
	}
	return w.first.Load() == v.tag && !w.mixed.Load()
}

// formed notes a write for which keepsForm was true, and which ends at hi.
func (f *File) formed(hi int64) {
	if f.habit.view.raw {
		f.raw.hi = max(f.raw.hi, hi)
	} else {
		f.set.file.written.reach(hi)
	}
}

// noteAgain tells the detector of an access of n bytes that again has carried
// out, and [File.here] knows the place of.
func (f *File) noteAgain(c *call, n int64) {
	e, v := &f.seen, f.view
	if e.Op != c.op || e.Write != c.write || e.View != v || e.Short {
		a := access{call: *c}
		f.describe(e, &a, n)
	} else {
		e.Bytes.From, e.Bytes.N = v.packed(c.off), n
	}
	e.Told = f.thread.Told()
	e.Time, e.Atomic = f.thread.Tick(), f.atomic
	f.track.Access(e)
}
