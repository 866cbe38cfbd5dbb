package iofile

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/overlay"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// A chooser comes before what a handle does whose result depends on the order of the ranks'
// calls. There are two: ordinary leaves that order to the scheduler, and exploring asks the
// explorer of the world (see [sched.Explorer]).
type chooser interface {
	take(op string, resolved any) (any, error) // takes the result of the meeting of Open
	ready()                                    // after Open
	last(op string, err error) (any, error)    // is the last meeting of Close

	join(op string, t *turn) (any, error)  // joins a meeting of all ranks, with turn t
	leaves() (call sched.Call, early bool) // reports whether the rank may leave its call before others have come to it

	// depart is consult for a call that the rank may leave before others have come to it, with the
	// result own. fits reports whether the result of the meeting is that; nil: any is. A rank with
	// an error stays.
	depart(op string, args any, err error, by resolve, own any, fits func(val any) bool) (any, error)

	access(a *access) error                                   // before an access takes place
	movePointer(a *access) error                              // before a read moves the individual pointer by what is there
	announce(a *access) error                                 // after an access was begun
	later(s *started)                                         // after that, if it may take place at any time until it is completed
	chooseRead(a *access, mem []byte, n int64) (int64, error) // after a read that has stored n bytes in mem; it may replace them
	choosesReads() bool                                       // reports whether chooseRead may replace any

	askSize(op string) error                                    // before a query of the size
	chooseSize(op string, n int64) (int64, error)               // after a query, whose answer is n; it may give another one
	changeSize(op string, x overlay.Write) (*race.Write, error) // before a change of size, on the rank that makes it for all

	sharedPointer(op string, moves bool) error // before a call of one rank that moves or reads the shared pointer
	publish(op string, adopts bool) error      // before unpublished writes are published, and before others' are adopted

	untriedOrders(pairs []*consistency.RaceError, known bool)
	found(race *consistency.RaceError)
}

// ordinary is the chooser of the handles of worlds that do not explore.
type ordinary struct{ *File }

func (f ordinary) take(op string, resolved any) (any, error) { return f.learn(op, resolved) }
func (ordinary) ready()                                      {}
func (f ordinary) last(op string, err error) (any, error) {
	return f.consult(op, err, nil, f.closeOnce)
}

func (f ordinary) join(_ string, t *turn) (any, error) {
	return f.meet.MeetWith(f.thread, f.rank, t, t, verdict)
}

func (ordinary) leaves() (call sched.Call, early bool) { return call, false }

func (f ordinary) depart(op string, args any, err error, by resolve, _ any, _ func(any) bool) (any, error) {
	return f.consult(op, args, err, by)
}

func (ordinary) access(*access) error                                   { return nil }
func (ordinary) movePointer(*access) error                              { return nil }
func (ordinary) announce(*access) error                                 { return nil }
func (ordinary) later(*started)                                         {}
func (ordinary) chooseRead(_ *access, _ []byte, n int64) (int64, error) { return n, nil }
func (ordinary) choosesReads() bool                                     { return false }
func (ordinary) askSize(string) error                                   { return nil }
func (ordinary) chooseSize(_ string, n int64) (int64, error)            { return n, nil }
func (ordinary) changeSize(string, overlay.Write) (*race.Write, error)  { return nil, nil }
func (ordinary) sharedPointer(string, bool) error                       { return nil }
func (ordinary) publish(string, bool) error                             { return nil }
func (ordinary) untriedOrders(_ []*consistency.RaceError, known bool)   {}
func (ordinary) found(*consistency.RaceError)                           {}

// exploring is the chooser of the handles of a world that explores.
type exploring struct{ *File }

// object returns a number for something that ranks share, such as a file or its shared
// pointer; it is the same in all runs of a program. Files of two file systems may have the
// same name; then more orders are tried than necessary.
func object(what, name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what + "\x00" + name))
	return max(h.Sum64(), 1)
}

// access lets conflicting accesses come before a, or not: the explorer chooses the order of
// unordered accesses.
func (f exploring) access(a *access) error {
	if err := f.overtake(func(b *access) bool { return f.clash(a, b) }); err != nil {
		return err
	}
	if a.etypes == 0 {
		return nil
	}
	_, hi := f.reached(a)
	f.looks(a.write, hi)
	switch h, any := f.touches(a); {
	case f.thread.Sched().Cause() != nil:
		return f.thread.Sched().Cause()
	case !any:
		f.adopt(a)
		return nil
	case a.write && f.writeHistory() != nil:
		return f.holdWrite(a, f.exploredWrite(a), h)
	default:
		err := f.thread.Hold(a, h)
		switch t, ok := h.Foot.(*footprint); {
		case a.write || err != nil:
		case !ok:
			err = f.asHeld(a, &h)
		case len(t.reads) > 0:
			t.happens(f.File, a)
		}
		f.adopt(a)
		return err
	}
}

// A look is the last access of a rank to a file, or query of its size.
type look struct {
	time           uint64 // of the rank
	reads, written int64  // ends of the bytes that it concerns, the highest of all so far
}

// looks records a look of the rank, at bytes up to reach.
func (f exploring) looks(write bool, reach int64) {
	file := f.set.file
	if file.looked == nil {
		file.looked = map[int]look{}
	}
	id := f.thread.ID()
	l := file.looked[id]
	l.time = f.thread.Tick()
	if write {
		l.written = max(l.written, reach)
	} else {
		l.reads = max(l.reads, reach)
	}
	file.looked[id] = l
}

// stays records that the rank comes to a collective call in which ranks stay until all have come.
func (f exploring) stays(op string) {
	if f.set != nil {
		f.staysFor(f.set.file.inUse, op)
		return
	}
	f.fsys.mu.Lock()
	defer f.fsys.mu.Unlock()
	for _, file := range f.fsys.open {
		f.staysFor(file, op)
	}
}

func (f exploring) staysFor(file *inUse, op string) {
	me := f.thread.ID()
	l := file.looked[me]
	for r := range f.c.Size() {
		if l.time > 0 && r != f.rank && !f.thread.Sched().Rank(f.inWorld(r)).Clock().Covers(me, l.time) {
			file.stayed = op
		}
	}
}

// noteEarlyResize records with the explorer that a change of size, which rank 0 makes now for all ranks,
// may come before looks of ranks that come to it later in other runs: here they have all come.
func (f exploring) noteEarlyResize(op string, x overlay.Write) {
	file, size := f.set.file, f.set.file.image.Size()
	if f.c.Size() == 1 || x.Size == size || x.Kind == overlay.Grow && x.Size < size {
		return
	}
	for r := range f.c.Size() {
		w := f.inWorld(r)
		l := file.looked[w]
		matters := l.reads > min(x.Size, size) || l.written > x.Size && x.Kind == overlay.Resize
		if r != f.rank && matters && !f.thread.Clock().Covers(w, l.time) {
			f.thread.Sched().NoteUntried(fmt.Sprintf("file %s: what may happen when %s (%v) changes the size before rank %d has come to it; a collective call need not wait for all ranks",
				f.name, op, f.thread.NoteLine(sched.AnyDepth).Place(), r))
			return
		}
	}
}

// touches returns what the explorer has to know about an access; false: nothing, because the access
// neither changes what others find nor finds what they change.
func (f *File) touches(a *access) (h sched.Held, any bool) {
	if f.writeHistory() == nil {
		return f.footprintOf(a)
	}
	lo, hi := f.reached(a)
	if f.atomic && (hi > f.bytes.Size() || hi == math.MaxInt64) { // it may depend on the size, or change it
		lo, hi = 0, 0
	}
	h = sched.Held{Object: object("file", f.name), Lo: lo, Hi: hi, Write: a.write}
	switch {
	case f.serial():
		own, _ := f.footprintOf(a)
		h.Foot = own.Foot
	case f.atomic:
	case a.write && a.under != nil: // others may have seen it already
		h.Result = sched.Placed
	default:
		h.Result = sched.Chosen
	}
	return h, true
}

// serial reports whether an access, or another call that finds or changes what the file has, comes after
// accesses that were all atomic and through the handles of one open, and is of them, too. What they have
// touched then says which of their orders matter, as under POSIX. Without a write history that is always
// so. Another handle may find each write of them, or not, whatever was written later: a run that comes to
// one of its accesses ends, and the explorer tries all orders.
func (f *File) serial() bool {
	if f.writeHistory() == nil {
		return true
	}
	file, call := f.set.file, sched.Call{What: "atomic accesses of " + f.name, At: unknownLine}
	switch own := f.atomic && (file.serial == nil || file.serial.set == f.set); {
	case file.mixed:
		return false
	case own && f.thread.Sched().LeavesEarly(call):
		file.serial = f
		return true
	case file.serial != nil:
		f.thread.Sched().Break(call)
	}
	file.mixed = true
	return false
}

// asHeld ends the run if a read depends on more than the explorer was told when it was held: another
// handle has cut the file since.
func (f *File) asHeld(a *access, h *sched.Held) error {
	now, _ := f.touches(a)
	if h.Hi == 0 || now.Hi > 0 && now.Hi <= h.Hi {
		return nil
	}
	f.thread.Sched().Break(f.lengthCall())
	return f.thread.Sched().Cause()
}

// lengthCall stands for the length that a file opened here certainly has: once another open has cut it
// beside a read, the explorer relies on none.
func (f *File) lengthCall() sched.Call {
	return sched.Call{What: "length", At: f.line}
}

// span returns a range of the file that contains all bytes of a.
func (f *File) span(a *access) (lo, hi int64) {
	return f.view.Tiles.Span(f.view.packed(a.off), a.etypes*f.view.Unit.Size)
}

func (f exploring) sharedPointer(op string, moves bool) error {
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

// Overwrites is false: what a call finds depends on all that came before.
func (*pointerUse) Overwrites(sched.Footprint) bool { return false }

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

// holdName is for a call that uses the name of a file what [chooser.access] is for an access.
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
	if len(deferred) > 0 {
		f.serial()
	}
	for _, s := range deferred {
		if !s.deferred.Done() {
			s.undefer()
			f.chooser.later(s)
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
func (f exploring) overtake(clash func(*access) bool) error {
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

// later lets the explorer order an access that has begun among the calls of all ranks. Where a
// race leaves open what others find, it need not.
func (f exploring) later(s *started) {
	if len(f.allUnderWay()) <= 1 {
		f.settled = f.bytes.Size()
	}
	if s.a.etypes == 0 || s.joint() || s.begin == "" && s.meets() || f.writeHistory() != nil && !f.atomic {
		return
	}
	if s.line == nil {
		s.line = f.thread.NoteLine(sched.AnyDepth)
	}
	h, _ := f.touches(&s.a)
	ways := sched.Ways{Stringer: &s.a, On: h, Count: func() int {
		if f.inside != "" {
			return 0
		}
		return 1
	}}
	var write *race.Write
	if s.a.write && f.writeHistory() != nil {
		write = f.exploredWrite(&s.a)
	}
	_, hi := f.reached(&s.a)
	s.deferred = sched.Defer(f.thread, ways, func(int) {
		f.looks(s.a.write, hi)
		if write == nil {
			if t, ok := h.Foot.(*footprint); ok && len(t.reads) > 0 {
				t.happens(f.File, &s.a)
			}
			f.adopt(&s.a)
		} else {
			_ = f.addWrite(&s.a, write) // at the end of the world it has some order
		}
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
	if lo, hi = f.span(a); !a.write && (hi > f.certain(f.minSize()) || f.thread.Sched().Stays(f.lengthCall())) {
		hi = math.MaxInt64
	}
	return lo, hi
}

// certain returns n, a size that the file has now, or less: what writes of this handle that are under way
// have made it longer may come after what its rank does meanwhile.
func (f *File) certain(n int64) int64 {
	if slices.ContainsFunc(f.allUnderWay(), func(s *started) bool { return s.a.write }) {
		return min(n, f.settled)
	}
	return n
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
