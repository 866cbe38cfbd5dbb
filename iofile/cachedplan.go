package iofile

import (
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A cachedPlan keeps what the access path has found out about an access, for the next one
// like it: programs make the same call over and over. It saves the checks of the datatype.
// If a small access by one rank only copies one run of bytes, the lookup is the only step
// before listeners are notified.
type cachedPlan struct {
	view   *fileView // nil: there is no plan
	items  *types.Type
	n      int64
	etypes int64
	unit   int64 // bytes of an item, if items follow each other in memory; else 0
	reads  bool  // no two items share memory, as reads require

	direct   bool // an access is one run of bytes in the file
	mayRead  bool // the mode of the file allows reads, with every pointer
	mayWrite bool
	base     int64  // byte of the file at which etype 0 of the view begins
	esize    int64  // bytes of an etype
	last     Offset // the greatest offset at which such an access ends within what a file can hold
}

// fits reports whether the checks of the datatype are known to succeed.
func (p *cachedPlan) fits(v *fileView, a *access) bool {
	items, n := a.buf.Items()
	return p.view == v && p.items == items && p.n == n && (a.write || p.reads)
}

// covers reports whether all checks of an access are known to succeed, except that it ends
// within what a file can hold, and sets its memory and etypes if they are. If it returns
// false, it has changed nothing.
func (p *cachedPlan) covers(v *fileView, a *access) bool {
	if may := a.write && p.mayWrite || !a.write && p.mayRead; !may || p.unit == 0 || a.at == explicit && a.off < 0 || !p.fits(v, a) {
		return false
	}
	mem, ok := a.buf.Again(p.items, p.unit)
	if ok {
		a.mem, a.etypes = mem, p.etypes
	}
	return ok
}

// remember keeps the plan of an access that has passed all checks of the datatype. It
// leaves out accesses with more data than memory (items share memory), whose size must be
// checked each time.
func (f *File) remember(a *access, unit int64) {
	const small = 1 << 30
	v := f.view
	items, n := a.buf.Items()
	if !v.plain || f.layoutsOnly() || n <= 0 || a.etypes > small/v.Unit.Size {
		return
	}
	f.cached = cachedPlan{
		view: v, items: items, n: n, etypes: a.etypes, unit: unit, reads: !a.write,
		base: v.Tiles.Disp, esize: v.Unit.Size,
	}
	if !f.amode.has(Sequential) { // else it depends on the pointer that an access uses
		f.cached.mayRead, f.cached.mayWrite = !a.write && !f.amode.has(WriteOnly), f.amode.writes()
	}
	f.cached.direct = f.onlyCopies(&f.cached)
}

// onlyCopies reports whether accesses of plan p copy one run of bytes and need no other
// part of the library than the race detector: no fault is injected, no strategy plans them,
// no other listener wants them, and the store belongs to this package.
func (f *File) onlyCopies(p *cachedPlan) bool {
	const detector = 1 // bit of the first listener
	if f.listening&^detector != 0 || f.faults != nil || f.how.moves != nil || f.how.calls.Plan != nil || f.fsys.visits() != nil || f.amode.has(Sequential) {
		return false
	}
	v, size := p.view, p.n*p.unit
	if p.unit == 0 || v.judged || f.watchesKinds() || !v.Tiles.L.Gapless() || v.Tiles.L.TrueLB != 0 || p.base > extent.MaxSize-size {
		return false
	}
	p.last = Offset((extent.MaxSize - size - p.base) / p.esize)
	return true
}

// lookUp returns the memory and the first byte in the file of an access that the cached
// plan covers completely. If anything is unusual, such as an error or an open question of
// the explorer, it returns false and has changed nothing.
func (f *File) lookUp(c *call) (mem []byte, lo int64, ok bool) {
	p := &f.cached
	_, n := c.buf.Items()
	if !p.direct || p.view != f.view || c.wrong != nil || n != p.n ||
		uint64(c.off) > uint64(p.last) || !f.undisturbed() {
		return nil, 0, false
	}
	mem, ok = c.buf.Again(p.items, p.unit)
	return mem, p.base + int64(c.off)*p.esize, ok
}

// undisturbed reports whether the handle is open and neither a function of the user nor the
// scheduler can influence the access.
func (f *File) undisturbed() bool {
	return !f.closed && f.inside == "" && f.thread.CanSkipStep() && !sched.Stores.Any()
}

// copyPlanned carries out an access that the cached plan covers, and returns how many bytes
// it moved: all of them. If it returns false it has changed nothing.
func (f *File) copyPlanned(c *call) (n int64, ok bool) {
	if f.traffic == nil {
		return 0, false
	}
	mem, lo, ok := f.lookUp(c)
	if !ok {
		return 0, false
	}
	p := &f.cached
	if c.write {
		ok = p.mayWrite && f.keepsForm(lo) && f.bytes.WriteRun(lo, mem)
	} else {
		ok = p.mayRead && (p.view.tag == nil || f.set.file.written.only(p.view.tag)) && f.bytes.ReadRun(lo, mem)
	}
	if !ok {
		return 0, false
	}
	n = int64(len(mem))
	if c.write && p.view.tag != nil {
		f.formed(lo, lo+n)
	}
	f.setCopied(c)
	return n, true
}

// setCopied makes an access by the cached plan the one that [File.Plan] describes.
func (f *File) setCopied(c *call) {
	a := &f.now
	if f.recent != a || a.view != f.view || a.write != c.write || a.op != c.op {
		f.recent, a.view, a.write, a.op = a, f.view, c.write, c.op
	}
	a.off, a.etypes, a.plan = c.off, f.cached.etypes, nil
}

// keepsForm reports whether a write at byte lo changes nothing in the recorded form of the
// file's bytes, except their end.
func (f *File) keepsForm(lo int64) bool {
	v, w := f.cached.view, f.set.file.written
	switch {
	case v.tag == nil:
		return true
	case v.raw:
		return lo >= f.forms.raw.lo && lo <= f.forms.raw.hi && f.forms.raw.tag == v.tag && (f.forms.otherNoted || w.only(v.tag))
	}
	return w.first.Load() == v.tag && !w.several.Load()
}

// formed records a write of bytes [lo, hi) for which keepsForm returned true.
func (f *File) formed(lo, hi int64) {
	if f.cached.view.raw {
		f.forms.raw.hi = max(f.forms.raw.hi, hi)
	} else {
		f.set.file.written.reach(lo, hi)
	}
}

// describePlanned returns the description of an access of n bytes that copyPlanned has
// carried out; [File.here] fills in its place and time.
func (f *File) describePlanned(c *call, n int64) *race.Access {
	e, v := &f.latest, f.view
	if e.Kind != journal.Done || e.Op != c.op || e.Write != c.write || e.View != v || e.Short {
		a := access{call: *c}
		e = f.event(journal.Done, c.op)
		f.describe(e, &a, n)
	} else {
		e.Bytes.From, e.Bytes.N = v.packed(c.off), n
	}
	return &e.Access
}
