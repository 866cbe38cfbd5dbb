package consistency

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// A Clock says what a rank knew at some moment: whether event time of another
// rank had happened before. Nil knows nothing of other ranks.
type Clock interface {
	Covers(rank int, time uint64) bool
}

// A Profile is whose promises the race detector takes for granted.
type Profile struct {
	name    string
	visible bool // a write is seen by all who come after, without a sync
}

// The profiles. Strict is what the standard says and the default. ROMIO and
// OMPIO add what these libraries do on one machine, where every write goes
// straight to a file system that all ranks share: syncs are not needed there,
// order still is. What only they forgive works there and is not guaranteed;
// [Detector.Forgiven] tells of it.
var (
	Strict = Profile{name: "strict"}
	ROMIO  = Profile{name: "ROMIO", visible: true}
	OMPIO  = Profile{name: "OMPIO", visible: true}
)

// String returns the name.
func (p Profile) String() string { return cmp.Or(p.name, Strict.name) }

// A Detector finds the races on one file in one run, exactly: two accesses race
// if and only if they conflict and nothing that happened in the run puts them
// into the order that the standard asks for. It does not matter which of them
// came first this time. The rules, for accesses that share a byte and of which
// one writes:
//
//   - through one handle they race if one was begun before the other was
//     complete, unless both are atomic (CONS-C1);
//   - through two handles of one open they race unless both are atomic, or the
//     first is followed by a sync of its handle, that happened before a sync of
//     the other's, and that comes before the second (CONS-C2);
//   - through handles of different opens the syncs are needed even in atomic
//     mode (CONS-C3). Opening and closing are syncs.
//
// A Detector may be used by many ranks at once.
type Detector struct {
	file    string
	profile Profile
	ranks   int
	replay  string

	record    bool       // what handles do is kept, for Advise
	all       []*Tracker // then: all that there were
	startSize int64

	mu       sched.Mutex
	extents  footprints
	handles  map[*Tracker]bool
	latest   map[int]moment // of each rank that was heard of
	races    map[racePair]*RaceError
	list     []*RaceError
	infos    []*RaceError
	forgiven []*RaceError
	pointers map[any]*sharedPointer // by open
	audit    audit
	after    *hindsight // nil: nobody will ask
	deeds    *Past      // nil: nothing is chosen
	sized    bool       // how long the file was is known
	least    int64      // its size is at least that, for everybody
	growths  []growth
	cuts     []cutAt
	sweepAt  int // extents at which to forget some
	sweeps   int
	hits     []*footprint // covered by the access under judgement
	held     []*footprint // that it meets
	tallies  []tally      // of the races that it makes first
}

// A moment is what a rank knew at one of its events.
type moment struct {
	rank  int
	time  uint64
	clock Clock
}

func (m *moment) covers(rank int, time uint64) bool {
	if rank == m.rank {
		return time <= m.time
	}
	return m.clock != nil && m.clock.Covers(rank, time)
}

// DetectorOptions say what a [Detector] is for.
type DetectorOptions struct {
	File    string  // as it stands in reports
	Profile Profile // zero: Strict
	Ranks   int     // of the world; 0: not known, and then it remembers all there was
	Replay  string  // put into reports

	// Hindsight lets HoleReads and Leftover tell something; it costs nothing but
	// when the detector forgets.
	Hindsight bool

	// Record keeps what handles do, up to MostEvents each, so that Advise can try
	// fixes.
	Record bool
}

// NewDetector returns a detector for one file.
func NewDetector(o DetectorOptions) *Detector {
	d := &Detector{
		file: o.File, profile: o.Profile, ranks: o.Ranks, replay: o.Replay,
		handles: map[*Tracker]bool{}, latest: map[int]moment{},
		races: map[racePair]*RaceError{}, sweepAt: 1024,
	}
	if o.Hindsight {
		d.after = &hindsight{}
	}
	d.record = o.Record
	return d
}

// PCs are program counters of a call, innermost first.
type PCs [4]uintptr

// An Access is one access to a file as the detector needs to know it.
type Access struct {
	Op     string
	Write  bool
	Atomic bool
	Resize bool // a change of size, or a look at it, by all handles of the open in one call
	Bytes  extent.Stretch
	// Short says that a read found the end of the file, and so also tells how
	// long the file is: it reads all there is from EndsAt on, which is the end
	// or, if that is further, the first byte that was missed. Of a change of size
	// EndsAt is how long the file is at least afterwards.
	Short  bool
	EndsAt int64
	Call   uint64 // of a collective access: its number among those of the handle; else 0
	Where  PCs
	Line   sched.Place  // instead of Where
	View   fmt.Stringer // may be nil; printed when a race is reported
	Time   uint64       // of the rank, at the access
	Told   uint64       // one more than Time may have been when another rank heard of this one last; 0: not known
	Clock  Clock        // of the rank, at the access; it may change afterwards
}

// A site is a place of a program from which a handle is accessed in one way.
type site struct {
	siteKey
	row   *row   // of the handle, nil if it has none any more or never had
	party *Party // made when a race is reported
}

type siteKey struct {
	rank          int
	op            string
	where         PCs
	line          sched.Place
	view          fmt.Stringer
	write, atomic bool
	resize        bool
}

// A sequence is what a handle did between two syncs.
type sequence struct {
	h     *Tracker
	start moment
	end   uint64 // its rank's time at the sync that ended it; 0: not ended
	swept int    // the sweep that looked at it last
	gone  bool   // it can no longer race
	asked bool   // how long the file is for what comes before it

	touched, wrote bool // something was done in it

	opening, closing *syncCall // the calls around it, if they are syncs
}

// A Tracker is a handle as the detector knows it.
type Tracker struct {
	d       *Detector
	rank    int
	open    any
	seq     *sequence
	pending []*Pending
	kept    []recorded // for Advise
	cut     bool       // more than MostEvents
	keeps   bool       // what it does is kept
	list    []extent.Pattern
	call    uint64    // of the access under judgement, see Access.Call
	safe    *syncCall // that published what was written last, if nothing was done since

	reach int64 // where what it wrote ends, but for what is held
	told  int64 // and the last growth that tells of it
	sure  int64 // the file is at least so long, as far as it has been looked for

	rows   *[4]row // by the place from which it was accessed lately; nil: it never was
	newest int
	mu     sched.Mutex // of what is held, within d.mu

	first sequence // which many handles never outlive
}

// underWay is the time of an access that is not complete.
const underWay = ^uint64(0)

// A Pending is a nonblocking or split access under way.
type Pending struct {
	t        *Tracker
	site     *site
	begun    uint64
	atomic   bool
	patterns []extent.Pattern
	extents  []*footprint
}

// Open begins the life of a handle of a rank (of the world). Handles with equal
// open come from one collective open.
func (d *Detector) Open(open any, rank int, time uint64, clock Clock) *Tracker {
	t := &Tracker{d: d, rank: rank, open: open}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handles[t] = true
	if t.keeps = d.record && len(d.all) <= mostHandles; t.keeps { // one more says that there were too many
		d.all = append(d.all, t)
		t.keep(recorded{kind: anOpen, time: time})
	}
	t.begin(&t.first, moment{rank, time, clock})
	return t
}

func (t *Tracker) begin(s *sequence, m moment) {
	*s = sequence{h: t, start: m}
	t.seq, t.d.latest[t.rank] = s, m
}

// Sync says that the handle was synced at time; clock is what the rank knew
// then. It must not change afterwards.
func (t *Tracker) Sync(time uint64, clock Clock, where ...Where) {
	d := t.d
	t.keep(recorded{kind: aSync, time: time})
	d.mu.Lock()
	defer d.mu.Unlock()
	t.restart()
	t.grown(time)
	t.seq.end = time
	call := t.d.audit.call(where)
	t.calls(call, t.seq)
	t.seq.closing = call
	t.begin(new(sequence), moment{t.rank, time, clock})
	t.seq.opening = call
	d.sweep()
}

// Close ends the life of the handle.
func (t *Tracker) Close(time uint64, clock Clock) {
	d := t.d
	t.keep(recorded{kind: aClose, time: time})
	d.mu.Lock()
	defer d.mu.Unlock()
	t.restart()
	t.grown(time)
	t.seq.end = time
	t.closes(t.seq)
	d.latest[t.rank] = moment{t.rank, time, clock}
	delete(d.handles, t)
	delete(d.pointers, t.open) // closing, all ranks meet: none will use it any more
	d.sweep()
}

// Atomicity says that the mode of the handle has changed: accesses under way
// have nonatomic semantics only (CONS-ATOM-03). It returns the race which that
// makes, as [Tracker.Access] does.
func (t *Tracker) Atomicity(time uint64, clock Clock) (race *RaceError) {
	t.keep(recorded{kind: aSwitch, time: time})
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	now := moment{t.rank, time, clock}
	under := t.pending
	t.pending = nil // but for those that were atomic until now
	for _, p := range under {
		if !p.atomic {
			continue
		}
		s := &site{siteKey: p.site.siteKey}
		s.atomic, p.atomic, p.site = false, false, s
		for _, e := range p.extents {
			e.site = s
		}
		for i := range p.patterns {
			race = first(race, t.own(s, &p.patterns[i]))
			race = first(race, t.again(p, &p.patterns[i], &now))
		}
		t.pending = append(t.pending, p)
	}
	t.pending = under
	t.d.tell()
	return race
}

// again judges p, which is under way and has become nonatomic, against the
// atomic accesses with which it could not race before.
func (t *Tracker) again(p *Pending, q *extent.Pattern, now *moment) (race *RaceError) {
	t.d.extents.over(q, func(e *footprint) {
		switch {
		case e.seq.h.open != t.open || !e.site.atomic || !(e.site.write || p.site.write) || e.seq.gone:
		case e.seq.h != t:
			race = first(race, t.meet(e, p.site, q, now))
		case e.time > p.begun && e.time != underWay:
			if _, _, ok := e.Common(q); ok {
				race = first(race, t.d.note(p.site, e.site, q, &e.Pattern, need{order: true}, "CONS-C1", aRace))
			}
		}
	})
	return race
}

// Access judges a blocking access. It returns the race that it makes, if any,
// whose Count is 1 if it is new; only then has it to be told.
func (t *Tracker) Access(a *Access) *RaceError {
	if t.keeps {
		t.keep(recorded{kind: anAccess, time: a.Time, a: a})
	}
	if t.goesOn(a) {
		return nil
	}
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	r := t.rowOf(a)
	race := t.judge(a, r.site)
	onward := false
	for _, p := range t.list {
		if onward = t.append(r, p, a); onward {
			continue
		}
		r.last[1], r.last[0] = r.last[0], t.add(r.site, p, a.Time)
	}
	d.drop(t)
	if onward && race == nil {
		t.hold(r, a)
	}
	return race
}

// Begin judges an access that is not complete when the call returns.
func (t *Tracker) Begin(a *Access) (*Pending, *RaceError) {
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	s := t.rowOf(a).site
	t.settleAll()
	race := t.judge(a, s)
	p := &Pending{t: t, site: s, begun: a.Time, atomic: a.Atomic, patterns: slices.Clone(t.list)}
	for _, q := range t.list {
		p.extents = append(p.extents, t.add(s, q, underWay))
	}
	t.pending = append(t.pending, p)
	if t.keeps {
		t.keep(recorded{kind: aBegin, time: a.Time, a: a, p: p})
	}
	return p, race
}

// End says that the access is complete, at time of its rank.
func (p *Pending) End(time uint64) {
	d := p.t.d
	p.t.keep(recorded{kind: anEnd, time: time, p: p})
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range p.extents {
		e.time = time
	}
	p.t.pending = slices.DeleteFunc(p.t.pending, func(o *Pending) bool { return o == p })
}

// Cancel says that the access has failed: it touched nothing. Races that were
// found while it was under way stay found.
func (p *Pending) Cancel() {
	d := p.t.d
	p.t.keep(recorded{kind: aCancel, time: p.begun, p: p})
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range p.extents {
		d.extents.remove(e)
	}
	p.t.pending = slices.DeleteFunc(p.t.pending, func(o *Pending) bool { return o == p })
}

// judge finds what a races with. It leaves the patterns of a in t.list, and
// older extents of t that a covers in d.hits.
func (t *Tracker) judge(a *Access, s *site) (race *RaceError) {
	d := t.d
	t.list, t.call = a.Bytes.Patterns(t.list[:0]), a.Call
	now := moment{t.rank, a.Time, a.Clock}
	t.seq.touched, t.seq.wrote = true, t.seq.wrote || a.Write
	switch {
	case a.Resize: // all of the open have heard of this size
		t.reach = max(t.reach, a.EndsAt)
		d.after.sized(a)
	case !a.Write:
		t.doubt(a, &now)
	default:
		for i := range t.list {
			t.reach = max(t.reach, t.list[i].Hi())
		}
	}
	if a.Short {
		t.keepShort(s, a)
		t.list = append(t.list, a.tail())
	}
	d.hits = d.hits[:0]
	for i := range t.list {
		race = first(race, t.own(s, &t.list[i]))
		race = first(race, t.others(s, &t.list[i], &now))
	}
	d.tell()
	return race
}

// others judges an access against what other handles did.
func (t *Tracker) others(s *site, p *extent.Pattern, now *moment) (race *RaceError) {
	d := t.d
	held := d.held[:0]
	d.extents.over(p, func(e *footprint) {
		switch {
		case e.seq.h == t:
			if e.covered(s, p) {
				d.hits = append(d.hits, e)
			}
		case !(e.site.write || s.write) || e.seq.gone:
		case e.holder() != nil:
			held = append(held, e)
		default:
			race = first(race, t.meet(e, s, p, now))
		}
	})
	for _, e := range held {
		e.seq.h.settle(e.holder())
		race = first(race, t.meet(e, s, p, now))
	}
	d.held = held
	return race
}

func first(a, b *RaceError) *RaceError {
	if a == nil || b != nil && b.Count == 1 {
		return b
	}
	return a
}

// covered reports whether whatever races with e also races, at the same time,
// with a later access of the same handle from s to p, which is made by the same
// call of the program: accesses of another one are races of their own. So what is
// remembered of a byte between two syncs is at most one access of each call. What is
// under way may yet become nonatomic, and then race with what is atomic only.
func (e *footprint) covered(s *site, p *extent.Pattern) bool {
	return e.time != underWay && e.site.op == s.op && e.site.where == s.where && e.site.line == s.line && (s.write || !e.site.write) && e.site.atomic == s.atomic && (e.site.resize || !s.resize) && p.Covers(&e.Pattern)
}

// own judges an access against those under way through the same handle.
func (t *Tracker) own(s *site, p *extent.Pattern) (race *RaceError) {
	for _, q := range t.pending {
		if !q.site.write && !s.write {
			continue
		}
		for i := range q.patterns {
			if _, _, ok := q.patterns[i].Common(p); !ok {
				continue
			}
			n := need{order: true}
			if q.atomic && s.atomic {
				t.d.note(q.site, s, &q.patterns[i], p, n, "CONS-C1", eitherOrder)
			} else {
				race = first(race, t.d.note(q.site, s, &q.patterns[i], p, n, "CONS-C1", aRace))
			}
		}
	}
	return race
}

// meet judges an access against an extent of another handle.
func (t *Tracker) meet(e *footprint, s *site, p *extent.Pattern, now *moment) *RaceError {
	sameOpen := e.seq.h.open == t.open
	if sameOpen && (e.site.resize || s.resize) {
		return nil // all handles of the open made that call, so it has its place in the order of each
	}
	published := e.seq.end > 0
	if published && t.seq.start.covers(e.seq.h.rank, e.seq.end) {
		if !sameOpen || !e.site.atomic || !s.atomic {
			t.rely(e, p)
		}
		return nil
	}
	heard := e.time != underWay && now.covers(e.seq.h.rank, e.time)
	if _, _, ok := e.Common(p); !ok {
		return nil
	}
	if sameOpen && e.site.atomic && s.atomic {
		if !heard {
			t.d.note(e.site, s, &e.Pattern, p, need{order: true}, "CONS-C2", eitherOrder)
		}
		return nil
	}
	n := need{order: !heard}
	if heard {
		n.first = !published || !now.covers(e.seq.h.rank, e.seq.end)
		n.second = !n.first || !t.seq.start.covers(e.seq.h.rank, e.time)
	}
	rule := "CONS-C3"
	if sameOpen {
		rule = "CONS-C2"
	}
	of := aRace
	if t.d.profile.visible && heard {
		of = forgiven
	}
	race := t.d.note(e.site, s, &e.Pattern, p, n, rule, of)
	if race.Count == 1 && race.lack != nil && race.lack.a == nil {
		race.lack.a, race.lack.b = e.seq, t.seq
		if race.A.Place != e.site.party.Place || race.A.Rank != e.site.rank {
			race.lack.a, race.lack.b = t.seq, e.seq
		}
	}
	if race.Count == 1 && sameOpen && e.calls[0] <= t.call && t.call <= e.calls[1] && t.call > 0 && e.site.op == s.op {
		race.Together = true
	}
	if of == forgiven {
		return nil
	}
	return race
}

// A kind says what two conflicting accesses are to each other.
type kind uint8

const (
	aRace       kind = iota
	eitherOrder      // both are atomic or at the shared pointer: each order is legal
	forgiven         // a race, but not where the profile comes from
)

// racePair is what makes two races one: the lines, in either order.
type racePair struct {
	a, b line
	rule string
	kind kind
}

// line is a place of a program and what it does there.
type line struct {
	op            string
	place         sched.Place
	write, atomic bool
}

func (p *Party) line() line { return line{p.Op, p.Place, p.Write, p.Atomic} }

// known returns the race that was found before and has that key, and counts it.
func (d *Detector) known(key racePair) *RaceError {
	e := d.races[key]
	if e == nil {
		e = d.races[racePair{key.b, key.a, key.rule, key.kind}]
	}
	if e != nil {
		e.Count++
	}
	return e
}

// A tally is the bytes of a race that is new: two accesses may meet in several of
// their patterns.
type tally struct {
	race *RaceError
	a, b *site
	runs []extent.Range
}

// add takes in what p and q share. Of very many stretches the first are kept.
func (y *tally) add(p, q *extent.Pattern) {
	if y.runs = p.SharedWith(q, mostRanges+1, y.runs); len(y.runs) > 8*mostRanges {
		y.runs = joined(y.runs)
		y.runs = y.runs[:min(len(y.runs), mostRanges+1)]
	}
}

// tell puts what the tallies have come to into the races.
func (d *Detector) tell() {
	for i := range d.tallies {
		y := &d.tallies[i]
		y.runs = joined(y.runs)
		e := y.race
		e.Lo, e.Hi, e.More = y.runs[0].Lo, y.runs[0].Hi, min(int64(len(y.runs))-1, mostRanges)
		*y = tally{}
	}
	d.tallies = d.tallies[:0]
}

// note records a race, or what else two accesses are to each other, which meet in
// p and q.
func (d *Detector) note(a, b *site, p, q *extent.Pattern, n need, rule string, of kind) *RaceError {
	if n.order && rule != "CONS-C1" && b.before(a) {
		a, b = b, a
	}
	key := racePair{a.describe().line(), b.describe().line(), rule, of}
	if e := d.known(key); e != nil {
		for i := range d.tallies {
			if y := &d.tallies[i]; y.race == e && (y.a == a && y.b == b || y.a == b && y.b == a) {
				y.add(p, q)
			}
		}
		return e
	}
	e := &RaceError{
		File: d.file, A: *a.describe(), B: *b.describe(),
		Missing: n.missing(a.write), Rule: rule, Count: 1, Replay: d.replay,
	}
	e.lack = &lack{need: n}
	d.races[key] = e
	d.tallies = append(d.tallies, tally{race: e, a: a, b: b})
	d.tallies[len(d.tallies)-1].add(p, q)
	switch of {
	case aRace:
		d.list = append(d.list, e)
	case eitherOrder:
		e.lack, e.Fix = nil, "nothing: both are atomic; but the outcome depends on which comes first"
		d.infos = append(d.infos, e)
	case forgiven:
		e.Forgiven = d.profile.String()
		d.forgiven = append(d.forgiven, e)
	}
	return e
}

// before reports which of two accesses that nothing orders stands first in a
// report: not the one that came first this time, which is luck, but the writer,
// for the other then has something to wait for, or the lower rank.
func (s *site) before(o *site) bool {
	if s.write != o.write {
		return s.write
	}
	return s.rank < o.rank
}

// placeOf looks a place up.
func placeOf(pcs PCs) sched.Place {
	var l sched.Line
	copy(l.PCs[:], pcs[:])
	return l.Place()
}

func (s *site) describe() *Party {
	if s.party == nil {
		p := &Party{Rank: s.rank, Op: s.op, Write: s.write, Atomic: s.atomic, Place: s.line}
		if p.Place.Line == 0 {
			p.Place = placeOf(s.where)
		}
		if s.view != nil {
			p.View = s.view.String()
			p.view, _ = s.view.(ViewParts)
		}
		s.party = p
	}
	return s.party
}

func (t *Tracker) add(s *site, p extent.Pattern, time uint64) *footprint {
	e := &footprint{Pattern: p, seq: t.seq, site: s, time: time, calls: [2]uint64{t.call, t.call}}
	t.d.extents.add(e)
	return e
}

// sameTime reports whether a may count as made when another access, at time of
// the same rank, was: where it matters whether a rank has heard of one access and
// not of the other, none must have heard of the rank in between.
func (t *Tracker) sameTime(a *Access, time uint64) bool {
	return !a.Atomic && !t.d.profile.visible || a.Told > 0 && a.Told <= time
}

// append makes p part of what the handle accessed last from the same place.
func (t *Tracker) append(r *row, p extent.Pattern, now *Access) bool {
	a, b := r.last[1], r.last[0]
	switch {
	case b == nil || !t.sameTime(now, b.time):
		return false
	case b.Pattern.Covers(&p) || b.Includes(&p) || t.d.extents.grow(b, p):
		b.time, b.calls[1] = now.Time, now.Call
		return true
	case a != nil && t.sameTime(now, a.time) && t.d.extents.joinThree(a, b, p):
		a.time, a.calls[1] = now.Time, now.Call
		r.last = [2]*footprint{a, nil}
		return true
	}
	return false
}

// drop forgets the extents of t that judge found to be covered.
func (d *Detector) drop(t *Tracker) {
	for _, e := range d.hits {
		if t.remembers(e) {
			continue // small loss: the newest two of each place stay
		}
		d.extents.remove(e)
	}
	d.hits = d.hits[:0]
}

// sweep forgets what can no longer race: sequences that ended before whatever
// any rank still may do. It runs when what is remembered has doubled.
func (d *Detector) sweep() {
	if d.ranks == 0 || d.extents.n < d.sweepAt {
		return
	}
	if len(d.latest) == d.ranks {
		d.sweeps++
		d.forgetGrowths()
		var gone []*footprint
		d.extents.each(func(e *footprint) {
			if s := e.seq; s.swept != d.sweeps && s.end > 0 {
				s.swept, s.gone = d.sweeps, d.past(s.h.rank, s.end, s.h)
			}
			if e.seq.gone {
				gone = append(gone, e)
			}
		})
		d.audit.partial = d.audit.partial || len(gone) > 0
		d.hindsee(gone)
		for _, e := range gone {
			d.extents.remove(e)
		}
	}
	d.sweepAt = max(1024, 2*d.extents.n)
}

// past reports whether a sequence of a rank that ended at end did so before
// every sequence that is open or to come, but for those of handle h.
func (d *Detector) past(rank int, end uint64, h *Tracker) bool {
	for _, m := range d.latest {
		if !m.covers(rank, end) {
			return false
		}
	}
	for t := range d.handles {
		if t != h && !t.seq.start.covers(rank, end) {
			return false
		}
	}
	return true
}

// Races returns the races found so far, in the order in which they were found.
func (d *Detector) Races() []*RaceError {
	d.mu.Lock()
	defer d.mu.Unlock()
	return cloneRaces(d.list)
}

// Unordered returns the pairs of atomic accesses, and of calls at the shared
// pointer, whose order decides the outcome and is left open. They are no races:
// each order is legal. Those of the pointer have no bytes, and [RulePointer].
func (d *Detector) Unordered() []*RaceError {
	d.mu.Lock()
	defer d.mu.Unlock()
	return cloneRaces(d.infos)
}

// Forgiven returns the pairs of accesses that race by the standard and not by the
// profile: they work there and are not guaranteed. They are no races of this
// detector, and there are none under [Strict].
func (d *Detector) Forgiven() []*RaceError {
	d.mu.Lock()
	defer d.mu.Unlock()
	return cloneRaces(d.forgiven)
}

func cloneRaces(list []*RaceError) []*RaceError {
	all := make([]*RaceError, len(list))
	for i, e := range list {
		c := *e
		c.explain(c.lack)
		c.lack = nil
		all[i] = &c
	}
	return all
}

// Remembered returns how many extents the detector keeps.
func (d *Detector) Remembered() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.extents.n
}
