package race

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A Detector finds exactly the races on one file in one run: two accesses race if and only
// if they conflict and nothing in the run puts them into the order that the standard asks
// for. It does not matter which of them came first in this run. The rules, for accesses that
// share a byte and of which one writes:
//
//   - through one handle they race if one was begun before the other was
//     complete, unless both are atomic (CONS-C1);
//   - through two handles of one open they race unless both are atomic, or the
//     first is followed by a sync of its handle, that sync happened before a
//     sync of the other handle, and the second access comes after it (CONS-C2);
//   - through handles of different opens the syncs are needed even in atomic
//     mode (CONS-C3). Opening and closing are syncs.
//
// A Detector may be used by many ranks at once.
type Detector struct {
	file    string
	profile consistency.Profile
	ranks   int
	replay  string

	mostKept  int       // events of a handle that are kept, for Advise; 0: none
	all       []*record // of all handles ever opened, if events are kept
	startSize int64

	mu        sched.Mutex
	extents   footprints
	handles   map[*Tracker]bool
	latest    map[int]moment // latest moment known of each rank
	races     map[racePair]*consistency.RaceError
	lines     map[line]int32 // their numbers
	lists     [kinds][]*consistency.RaceError
	pointers  map[any]*sharedPointer            // by open
	groups    map[any]map[groupKey]*accessGroup // by open
	newest    uint64                            // number of a group
	audit     audit
	forgotten *forgottenAccesses // nil: not asked for
	writes    *WriteHistory      // nil: not an exploration
	sized     bool               // the size of the file at the start is known
	least     int64              // a lower bound of the size, valid for every rank
	growths   []growth
	cuts      []cutAt
	sweepAt   int // number of footprints at which to sweep
	sweeps    int
	hits      []*footprint                     // footprints covered by the access being judged
	held      []*footprint                     // held footprints that it meets
	lacks     map[*consistency.RaceError]*lack // of races whose text is not yet filled in
	tallies   []tally                          // of races that the present access is the first to show
	counted   map[counted]bool                 // the accesses with which it is counted in a race
	judged    int64                            // pairs of accesses that were compared
}

// A counted is one access that a race has counted. An access that has bytes and also
// depends on the end of the file may meet another one twice.
type counted struct {
	race *consistency.RaceError
	site *site
	time uint64
}

// A moment is the clock of a rank at one of its events.
type moment struct {
	rank  int
	time  uint64
	clock consistency.Clock
}

func (m *moment) covers(rank int, time uint64) bool {
	if rank == m.rank {
		return time <= m.time
	}
	return m.clock != nil && m.clock.Covers(rank, time)
}

// DetectorOptions configure a [Detector].
type DetectorOptions struct {
	File    string              // name in reports
	Profile consistency.Profile // zero: Strict
	Ranks   int                 // ranks of the world; 0: unknown, and then nothing is forgotten
	Replay  string              // replay token for reports

	// KeepForgotten makes HoleReads and Leftover work; it costs time only when the detector
	// forgets.
	KeepForgotten bool

	// Record keeps the first events of each handle, so that Advise can try fixes. Ranks must
	// be known.
	Record bool
}

// NewDetector returns a detector for one file.
func NewDetector(o DetectorOptions) *Detector {
	d := &Detector{
		file: o.File, profile: o.Profile, ranks: o.Ranks, replay: o.Replay,
		handles: map[*Tracker]bool{}, latest: map[int]moment{},
		races: map[racePair]*consistency.RaceError{}, lines: map[line]int32{}, groups: map[any]map[groupKey]*accessGroup{},
		lacks: map[*consistency.RaceError]*lack{}, sweepAt: 1024,
	}
	if o.KeepForgotten {
		d.forgotten = &forgottenAccesses{}
	}
	if o.Record && o.Ranks > 0 {
		d.mostKept = MostMarks(o.Ranks)
	}
	return d
}

// PCs are program counters of a call, innermost first.
type PCs [4]uintptr

// An Access describes one access to a file to the detector.
type Access struct {
	Op     string
	Write  bool
	Atomic bool
	Resize bool // a change or query of the size, by all handles of the open in one call
	Bytes  types.Part
	// Short says that a read reached the end of the file, and so also depends on the size:
	// it counts as a read of all bytes from EndsAt on. EndsAt is the end of the file or, if
	// that is further, the first missing byte. For a change of size, EndsAt is a lower bound
	// of the size afterwards.
	Short     bool
	EndsAt    int64
	Asked     int64  // bytes that a read asked for, for fixes; 0: not known
	Call      uint64 // number of a collective access among those of the handle; else 0
	Where     PCs
	Line      sched.Place       // used instead of Where
	View      fmt.Stringer      // may be nil; printed when a race is reported
	Time      uint64            // of the rank, at the access
	LastKnown uint64            // one more than the greatest Time that another rank can have known; 0: unknown
	Clock     consistency.Clock // of the rank, at the access; it may change afterwards
}

// A site is a line of the program with one kind of access to one handle.
type site struct {
	siteKey
	row    *row               // of the handle, nil if it has none
	party  *consistency.Party // made when a race is reported
	number int32              // of its line, see Detector.number; 0: not yet asked for
	sought bool               // the program had set the individual pointer before
	group  *accessGroup
	calls  *rankCalls // of its rank
}

type siteKey struct {
	op            string
	where         PCs
	line          sched.Place
	view          fmt.Stringer
	rank          int32
	write, atomic bool
	resize        bool
}

// A sequence is the events of a handle between two syncs.
type sequence struct {
	h     *Tracker
	start moment
	end   uint64 // the rank's time at the sync that ended it; 0: not ended
	swept int    // the last sweep that checked it
	gone  bool   // it can no longer race
	asked bool   // minSize has been computed for it

	touched, wrote bool // it has an access, a write

	opening, closing *syncCall // the calls before and after it, if they are syncs

	before int64 // see forgottenAccesses, as of its start
}

// A Tracker is the detector's record of a handle.
type Tracker struct {
	d       *Detector
	rank    int
	open    any
	seq     *sequence
	pending []*Pending
	list    []extent.Pattern
	call    uint32    // of the access being judged, see Access.Call
	sought  bool      // the program has set its individual pointer
	at      int8      // the row of rows.latest
	safe    *syncCall // the sync that published the last write, if nothing was done since
	syncs   int       // calls of Sync
	record  *record   // for Advise; nil: none
	groups  map[groupKey]*accessGroup

	reach         int64 // end of what it wrote, without held bytes
	recordedReach int64 // reach as of its last growth
	minSize       int64 // lower bound of the file size for this handle, as of the last update

	rows   *rows // nil: never accessed
	newest int
	mu     sched.Mutex // protects the held bytes; taken inside d.mu

	first sequence // the first sequence; many handles never need another
}

// underWay is the time of an access that is not complete.
const underWay = ^uint64(0)

// A Pending is a nonblocking or split access under way.
type Pending struct {
	t        *Tracker
	site     *site
	begun    uint64
	atomic   bool
	number   int32 // among those of the record, from 1 on; 0: not recorded
	patterns []extent.Pattern
	extents  []*footprint
	reach    int64 // end of the handle's writes when it is complete
}

// Open begins the life of a handle of a rank of the world. Handles with an equal open come
// from one collective open.
func (d *Detector) Open(open any, rank int, time uint64, clock consistency.Clock) *Tracker {
	t := &Tracker{d: d, rank: rank, open: open}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handles[t] = true
	if t.groups = d.groups[open]; t.groups == nil {
		t.groups = map[groupKey]*accessGroup{}
		d.groups[open] = t.groups
	}
	if d.mostKept > 0 && len(d.all) <= mostHandles { // one more shows that there were too many
		t.record = &record{open: open, rank: rank, opened: time}
		d.all = append(d.all, t.record)
	}
	t.begin(&t.first, moment{rank, time, clock})
	return t
}

func (t *Tracker) begin(s *sequence, m moment) {
	*s = sequence{h: t, start: m, before: t.d.forgotten.now()}
	t.seq, t.d.latest[t.rank] = s, m
}

// Sync records that the handle was synced at time; clock is the rank's clock then. It must
// not change afterwards.
func (t *Tracker) Sync(time uint64, clock consistency.Clock, where ...Where) {
	d := t.d
	t.keep(recorded{kind: aSync, time: time})
	d.mu.Lock()
	defer d.mu.Unlock()
	t.restart()
	t.grown(time)
	t.seq.end = time
	call := t.d.audit.call(t, where)
	t.calls(call, t.seq)
	t.seq.closing = call
	t.begin(new(sequence), moment{t.rank, time, clock})
	t.seq.opening = call
	d.sweep()
}

// Close ends the life of the handle.
func (t *Tracker) Close(time uint64, clock consistency.Clock) {
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	t.restart()
	t.grown(time)
	if t.seq.end = time; t.record != nil {
		t.record.closed = time
	}
	t.closes(t.seq)
	d.latest[t.rank] = moment{t.rank, time, clock}
	delete(d.handles, t)
	if p := d.pointers[t.open]; p != nil && p.close(t.open) {
		delete(d.pointers, t.open)
	}
	delete(d.groups, t.open)
	d.sweep()
}

// SetsPointer records that the program sets the individual pointer of the handle: from now on it is
// not where the open has set it.
func (t *Tracker) SetsPointer() {
	if t.sought { // only its own rank writes it
		return
	}
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	t.sought = true
}

// Atomicity records that the program sets the mode of the handle. If it changes, accesses under
// way have nonatomic semantics only (CONS-ATOM-03). It returns the race that this creates, as
// [Tracker.Access] does.
func (t *Tracker) Atomicity(changes bool, time uint64, clock consistency.Clock) (race *consistency.RaceError) {
	if !changes {
		t.keep(recorded{kind: aSameMode, time: time})
		return nil
	}
	t.keep(recorded{kind: aSwitch, time: time})
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	now := moment{t.rank, time, clock}
	under := t.pending
	t.pending = nil // except those that were atomic until now
	for _, p := range under {
		if !p.atomic {
			continue
		}
		k := p.site.siteKey
		k.atomic = false
		p.atomic, p.site = false, t.newSite(k)
		for _, e := range p.extents {
			t.d.extents.setSite(e, p.site)
		}
		for i := range p.patterns {
			race = first(race, t.own(p.site, &p.patterns[i]))
			race = first(race, t.rejudge(p, &p.patterns[i], &now))
		}
		t.pending = append(t.pending, p)
	}
	t.pending = under
	t.d.fillTallies()
	return race
}

// rejudge judges p, which is under way and has become nonatomic, against the atomic
// accesses with which it could not race before.
func (t *Tracker) rejudge(p *Pending, q *extent.Pattern, now *moment) (race *consistency.RaceError) {
	t.d.extents.over(q, nil, func(e *footprint) {
		switch {
		case e.seq.h.open != t.open || !e.site.atomic || !(e.site.write || p.site.write) || e.seq.gone:
		case e.seq.h != t:
			race = first(race, t.meet(e, p.site, q, now))
		case e.time > p.begun && e.time != underWay:
			if _, _, ok := e.Common(q); ok {
				race = first(race, t.d.note(p.site, e.site, q, &e.Pattern, need{order: true}, "CONS-C1", aRace, underWay))
			}
		}
	})
	return race
}

// Access judges a blocking access and returns the race that it creates, if any. The caller
// reports the race only if Count is 1: then it is new.
func (t *Tracker) Access(a *Access) *consistency.RaceError {
	r := t.find(a)
	if t.record != nil {
		t.keep(recorded{kind: anAccess, time: a.Time, a: a, row: r})
	}
	if r != nil && t.extendHold(r, a) {
		return nil
	}
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	r = t.rowOf(r, a)
	race := t.judge(a, r.site)
	r.call = t.call
	if t.rows.latest, t.at = (extent.Pattern{}), int8(t.newest); t.call > 0 && len(t.list) == 1 {
		t.rows.latest = t.list[0]
	}
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
func (t *Tracker) Begin(a *Access) (*Pending, *consistency.RaceError) {
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	s := t.rowOf(t.find(a), a).site
	t.endHolds()
	before := t.reach
	race := t.judge(a, s)
	p := &Pending{t: t, site: s, begun: a.Time, atomic: a.Atomic, patterns: slices.Clone(t.list), reach: t.reach}
	t.reach = before // until it is complete, the file need not be longer
	for _, q := range t.list {
		p.extents = append(p.extents, t.add(s, q, underWay))
	}
	t.pending = append(t.pending, p)
	if r := t.record; r != nil {
		r.begun++
		p.number = r.begun
		t.keep(recorded{kind: aBegin, time: a.Time, a: a, number: p.number})
	}
	return p, race
}

// End records that the access is complete, at time of its rank. Footprints that ended before
// it began and that it covers are dropped now, and not by Begin, because until its end it may
// fail and have touched no bytes.
func (p *Pending) End(time uint64) {
	d := p.t.d
	p.t.keep(recorded{kind: anEnd, time: time, number: p.number})
	d.mu.Lock()
	defer d.mu.Unlock()
	p.t.reach = max(p.t.reach, p.reach)
	d.hits = d.hits[:0]
	for i := range p.patterns {
		q := &p.patterns[i]
		d.extents.over(q, nil, func(e *footprint) {
			if e.seq.h == p.t && e.time <= p.begun && e.covered(p.site, q) {
				d.hits = append(d.hits, e)
			}
		})
	}
	d.drop(p.t)
	for _, e := range p.extents {
		e.time = time
	}
	p.t.pending = slices.DeleteFunc(p.t.pending, func(o *Pending) bool { return o == p })
}

// Cancel records that the access has failed and touched nothing. Races found while it was
// under way remain.
func (p *Pending) Cancel() {
	d := p.t.d
	p.t.keep(recorded{kind: aCancel, time: p.begun, number: p.number})
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range p.extents {
		d.extents.remove(e)
	}
	p.t.pending = slices.DeleteFunc(p.t.pending, func(o *Pending) bool { return o == p })
}

// judge returns a race of a, if any. It leaves the patterns of a in t.list, and older
// footprints of t that a covers in d.hits.
func (t *Tracker) judge(a *Access, s *site) (race *consistency.RaceError) {
	d := t.d
	clear(d.counted)
	t.list, t.call = extent.Patterns(&a.Bytes, t.list[:0]), uint32(a.Call)
	now := moment{t.rank, a.Time, a.Clock}
	t.seq.touched, t.seq.wrote = true, t.seq.wrote || a.Write
	switch {
	case a.Resize: // all ranks of the open know this size
		t.reach = max(t.reach, a.EndsAt)
		d.forgotten.sized(a)
	case !a.Write:
		t.addSizeDependence(a, &now)
	default:
		for i := range t.list {
			t.reach = max(t.reach, t.list[i].Hi())
		}
	}
	if a.Short {
		t.keepShort(s, a)
		t.list = append(t.list, a.tail())
	}
	if lo, hi := span(t.list); a.Write && hi > 0 {
		s.calls.add(lo, hi)
	}
	d.hits = d.hits[:0]
	for i := range t.list {
		race = first(race, t.own(s, &t.list[i]))
		race = first(race, t.others(s, &t.list[i], &now))
	}
	d.fillTallies()
	return race
}

// span returns the first byte of patterns, and the one behind the last.
func span(list []extent.Pattern) (lo, hi int64) {
	for i := range list {
		if p := &list[i]; i == 0 {
			lo, hi = p.Lo, p.Hi()
		} else {
			lo, hi = min(lo, p.Lo), max(hi, p.Hi())
		}
	}
	return lo, hi
}

// others judges an access against the accesses of other handles, except those of groups with
// which the race is known well enough.
func (t *Tracker) others(s *site, p *extent.Pattern, now *moment) (race *consistency.RaceError) {
	d := t.d
	held := d.held[:0]
	skipped := d.extents.over(p, func(o *accessGroup) bool { return o != s.group && s.group.skip[o] }, func(e *footprint) {
		switch {
		case e.seq.h == t:
			if e.covered(s, p) {
				d.hits = append(d.hits, e)
			}
		case s.group.skip[e.site.group]:
			race = first(race, known)
		case !(e.site.write || s.write) || e.seq.gone:
		case e.holder() != nil:
			held = append(held, e)
		default:
			race = first(race, t.meet(e, s, p, now))
		}
	})
	for _, e := range held {
		e.seq.h.endHold(e.holder())
		race = first(race, t.meet(e, s, p, now))
	}
	d.held = held
	if skipped {
		race = first(race, known)
	}
	return race
}

func first(a, b *consistency.RaceError) *consistency.RaceError {
	if a == nil || b != nil && b.Count == 1 {
		return b
	}
	return a
}

// covered reports whether e can be forgotten because of a later access of the same handle,
// from s to p by the same call of the program: every access that races with e then also
// races with the later one. (Accesses of other calls are races of their own.) So at most one
// access of each call is remembered for a byte between two syncs. An access under way may
// become nonatomic, and then race with an atomic one.
func (e *footprint) covered(s *site, p *extent.Pattern) bool {
	return e.time != underWay && e.site.op == s.op && e.site.where == s.where && e.site.line == s.line && (s.write || !e.site.write) && e.site.atomic == s.atomic && (e.site.resize || !s.resize) && p.Covers(&e.Pattern)
}

// own judges an access against those under way through the same handle.
func (t *Tracker) own(s *site, p *extent.Pattern) (race *consistency.RaceError) {
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
				t.d.note(q.site, s, &q.patterns[i], p, n, "CONS-C1", eitherOrder, underWay)
			} else {
				race = first(race, t.d.note(q.site, s, &q.patterns[i], p, n, "CONS-C1", aRace, underWay))
			}
		}
	}
	return race
}

// meet judges an access against a footprint of another handle.
func (t *Tracker) meet(e *footprint, s *site, p *extent.Pattern, now *moment) *consistency.RaceError {
	t.d.judged++
	sameOpen := e.seq.h.open == t.open
	if sameOpen && (e.site.resize || s.resize) {
		return nil // all handles of the open made that call, so the program order of each rank includes it
	}
	atomic := sameOpen && e.site.atomic && s.atomic
	if e.seq.end > 0 && t.seq.start.covers(e.seq.h.rank, e.seq.end) {
		if !atomic {
			t.needSyncs(e, p)
		}
		return nil
	}
	if _, _, ok := e.Common(p); !ok {
		return nil
	}
	switch ordered := e.time != underWay && now.covers(e.seq.h.rank, e.time); {
	case !atomic:
		return t.race(e, s, p, now, ordered)
	case !ordered:
		if x := t.d.note(e.site, s, &e.Pattern, p, need{order: true}, "CONS-C2", eitherOrder, e.time); x.Count == 1 {
			t.describe(x, e, s, p, now)
		}
	}
	return nil
}

// race records a race of an access with a footprint that shares bytes. It returns nil if
// the profile forgives the race.
func (t *Tracker) race(e *footprint, s *site, p *extent.Pattern, now *moment, ordered bool) *consistency.RaceError {
	n, rule, of := need{order: !ordered}, "CONS-C3", aRace
	if ordered {
		n.first = e.seq.end == 0 || !now.covers(e.seq.h.rank, e.seq.end)
		n.second = !n.first || !t.seq.start.covers(e.seq.h.rank, e.time)
		if t.d.profile.Visible() {
			of = forgiven
		}
	}
	if e.seq.h.open == t.open {
		rule = "CONS-C2"
	}
	race := t.d.note(e.site, s, &e.Pattern, p, n, rule, of, e.time)
	if race.Count == 1 {
		t.describe(race, e, s, p, now)
	}
	if of == forgiven {
		return nil
	}
	return race
}

// describe adds to a new race between which syncs its accesses are, and whether one
// collective call made both.
func (t *Tracker) describe(race *consistency.RaceError, e *footprint, s *site, p *extent.Pattern, now *moment) {
	first, second, own, other := e.seq, t.seq, &race.A, &race.B
	if race.A.Place != e.site.party.Place || race.A.Rank != int(e.site.rank) {
		first, second, own, other = second, first, &race.B, &race.A
	}
	if other.Time = now.time; e.time != underWay {
		own.Time = e.time
	}
	if l := t.d.lacks[race]; l != nil && l.a == nil {
		l.a, l.b = first, second
	}
	e.seq.knows(own, e.site, &e.Pattern)
	t.seq.knows(other, s, p)
	if e.seq.h.open == t.open && e.calls[0] <= t.call && t.call <= e.calls[1] && t.call > 0 && e.site.op == s.op {
		race.Together = true
		if q := e.inCall(t.call); q != nil {
			e.seq.knows(own, e.site, q)
			_, _, race.Together = q.Common(p)
		}
	}
	if g, ok := e.seq.h.open.(Group); ok && e.seq.h.open != t.open {
		o, ok := t.open.(Group)
		race.Separate = ok && !g.Has(t.rank) && !o.Has(int(e.site.rank))
	}
}

// inCall returns the bytes of e that its handle accessed in one of the collective calls that e
// consists of; nil: unknown.
func (e *footprint) inCall(call uint32) *extent.Pattern {
	if e.calls[0] == e.calls[1] {
		return &e.Pattern
	}
	t := e.seq.h
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := e.site.row; r != nil && r.site == e.site && r.last[0] == e && r.held == nil && r.call == call && &t.rows.all[t.at] == r && t.rows.latest.N > 0 {
		q := t.rows.latest
		return &q
	}
	return nil
}

// A kind is the relation of two conflicting accesses.
type kind uint8

const (
	aRace       kind = iota
	eitherOrder      // both are atomic or use the shared pointer: each order is legal
	forgiven         // a race by the standard, but not by the profile
	kinds
)

// A racePair is the key of a race: the numbers of its two lines, the lower one first.
type racePair struct {
	a, b int32
	rule string
	kind kind
}

// A line is a line of the program and the operation there.
type line struct {
	op            string
	place         sched.Place
	write, atomic bool
}

func lineOfParty(p *consistency.Party) line { return line{p.Op, p.Place, p.Write, p.Atomic} }

// number returns the number of the line of a site, from 1 on.
func (d *Detector) number(s *site) int32 {
	if s.number == 0 {
		l := lineOfParty(s.describe())
		if s.number = d.lines[l]; s.number == 0 {
			s.number = int32(len(d.lines)) + 1
			d.lines[l] = s.number
		}
	}
	return s.number
}

// pair returns the key of a race of two sites.
func (d *Detector) pair(a, b *site, rule string, of kind) racePair {
	i, j := d.number(a), d.number(b)
	return racePair{min(i, j), max(i, j), rule, of}
}

// known stands for a race that was counted to the end, or is not listed.
var known = &consistency.RaceError{Count: consistency.MostCounted}

// again counts one more pair of accesses in a race.
func again(e *consistency.RaceError) { e.Count = min(e.Count+1, consistency.MostCounted) }

// count counts the present access in a race with another access, which site made at time.
func (d *Detector) count(e *consistency.RaceError, site *site, time uint64) {
	if time != underWay {
		c := counted{e, site, time}
		if d.counted[c] {
			return
		}
		if d.counted == nil {
			d.counted = map[counted]bool{}
		}
		d.counted[c] = true
	}
	again(e)
}

// A tally collects the bytes of a new race: two accesses may share bytes in several of their
// patterns.
type tally struct {
	race *consistency.RaceError
	a, b *site
	runs []extent.Range
}

// add adds the bytes that p and q share. If there are very many, only the first are kept.
func (y *tally) add(p, q *extent.Pattern) {
	if y.runs = p.SharedWith(q, consistency.MostRanges+1, y.runs); len(y.runs) > 8*consistency.MostRanges {
		y.runs = joined(y.runs)
		y.runs = y.runs[:min(len(y.runs), consistency.MostRanges+1)]
	}
}

// fillTallies stores the results of the tallies in the races.
func (d *Detector) fillTallies() {
	for i := range d.tallies {
		y := &d.tallies[i]
		y.runs = joined(y.runs)
		e := y.race
		e.Lo, e.Hi, e.More = y.runs[0].Lo, y.runs[0].Hi, min(int64(len(y.runs))-1, consistency.MostRanges)
		*y = tally{}
	}
	d.tallies = d.tallies[:0]
}

// note records a race, or another relation of two accesses that share bytes of p and q; the
// first was made at time.
func (d *Detector) note(a, b *site, p, q *extent.Pattern, n need, rule string, of kind, time uint64) *consistency.RaceError {
	other := a
	if n.order && rule != "CONS-C1" && b.before(a) {
		a, b = b, a
	}
	key := d.pair(a, b, rule, of)
	if e := d.races[key]; e != nil {
		for i := range d.tallies {
			if y := &d.tallies[i]; y.race == e && (y.a == a && y.b == b || y.a == b && y.b == a) {
				y.add(p, q)
			}
		}
		d.count(e, other, time)
		d.skipCountedPairs(a, b, key, e)
		return e
	}
	e := &consistency.RaceError{
		File: d.file, A: *a.describe(), B: *b.describe(),
		Missing: n.missing(a.write), Rule: rule, Replay: d.replay,
	}
	d.count(e, other, time)
	d.tallies = append(d.tallies, tally{race: e, a: a, b: b})
	d.tallies[len(d.tallies)-1].add(p, q)
	switch of {
	case eitherOrder:
		e.Fix = "nothing: both are atomic; but the outcome depends on which comes first"
	case forgiven:
		e.Forgiven = d.profile.String()
	}
	if d.list(key, e) {
		d.lacks[e] = &lack{need: n, sites: [2]*site{a, b}}
	}
	d.skipCountedPairs(a, b, key, d.races[key])
	return e
}

// list lists a new race; if its list is full, it only counts it there.
func (d *Detector) list(key racePair, e *consistency.RaceError) bool {
	l := &d.lists[key.kind]
	if n := len(*l); n == consistency.MostRaces {
		d.races[key] = known
		(*l)[n-1].Unlisted++
		return false
	}
	d.races[key] = e
	*l = append(*l, e)
	return true
}

// skipCountedPairs ends the comparing of two sites' groups if their race has as many pairs as are counted.
// Accesses of one handle always meet, and those whose race is forgiven might also show one that
// is not.
func (d *Detector) skipCountedPairs(a, b *site, key racePair, e *consistency.RaceError) {
	if e.Count < consistency.MostCounted || key.rule == "CONS-C1" || key.kind == forgiven {
		return
	}
	a.group.skipPairsWith(b.group)
	b.group.skipPairsWith(a.group)
	d.audit.partial = true
}

// before reports whether a report names s first of two unordered accesses: the writer comes
// first, because the other access can wait for it, or else the lower rank. Their order in
// this run does not count.
func (s *site) before(o *site) bool {
	if s.write != o.write {
		return s.write
	}
	return s.rank < o.rank
}

// placeOf returns the place of a call.
func placeOf(pcs PCs) sched.Place {
	var l sched.Line
	copy(l.PCs[:], pcs[:])
	return l.Place()
}

func (s *site) describe() *consistency.Party {
	if s.party == nil {
		p := &consistency.Party{Rank: int(s.rank), Op: s.op, Write: s.write, Atomic: s.atomic, Place: s.line}
		if p.Place.Line == 0 {
			p.Place = placeOf(s.where)
		}
		if s.view != nil {
			p.View = s.view.String()
			p.Parts, _ = s.view.(consistency.ViewParts)
		}
		s.party = p
	}
	return s.party
}

func (t *Tracker) add(s *site, p extent.Pattern, time uint64) *footprint {
	e := &footprint{Pattern: p, seq: t.seq, site: s, time: time, calls: [2]uint32{t.call, t.call}}
	t.d.extents.add(e)
	return e
}

// sameTime reports whether a may count as made at the given time, at which the same rank
// made another access. It may if no other rank's clock can include the one access without
// the other, or if that makes no difference.
func (t *Tracker) sameTime(a *Access, time uint64) bool {
	return !a.Atomic && !t.d.profile.Visible() || a.LastKnown > 0 && a.LastKnown <= time
}

// append adds p to the newest footprint of the row.
func (t *Tracker) append(r *row, p extent.Pattern, now *Access) bool {
	a, b := r.last[1], r.last[0]
	switch {
	case b == nil || !t.sameTime(now, b.time):
		return false
	case b.Pattern.Covers(&p) || b.Includes(&p) || t.d.extents.grow(b, p):
		b.time, b.calls[1] = now.Time, t.call
		return true
	case a != nil && t.sameTime(now, a.time) && t.d.extents.joinThree(a, b, p):
		a.time, a.calls[1] = now.Time, t.call
		r.last = [2]*footprint{a, nil}
		return true
	}
	return false
}

// drop removes the footprints of t that judge found to be covered.
func (d *Detector) drop(t *Tracker) {
	for _, e := range d.hits {
		if t.remembers(e) {
			continue // the newest two of each place stay, which is a small loss
		}
		d.outlives(e)
		d.extents.remove(e)
	}
	d.hits = d.hits[:0]
}

// sweep removes footprints that can no longer race: those of sequences that ended before any
// present or later event of every rank. It runs when the number of footprints has doubled.
func (d *Detector) sweep() {
	if d.ranks == 0 || d.extents.n < d.sweepAt {
		return
	}
	if len(d.latest) == d.ranks {
		d.sweeps++
		h := d.horizon()
		d.forgetGrowths(h)
		var gone []*footprint
		d.extents.each(func(e *footprint) {
			if s := e.seq; s.swept != d.sweeps && s.end > 0 {
				s.swept, s.gone = d.sweeps, h.precedes(s.h.rank, s.end)
			}
			if e.seq.gone {
				gone = append(gone, e)
			}
		})
		d.audit.partial = d.audit.partial || len(gone) > 0
		d.keepForgotten(gone)
		for _, e := range gone {
			d.extents.remove(e)
		}
	}
	d.sweepAt = max(1024, 2*d.extents.n)
}

// A horizon says which events come before all present and later sequences.
type horizon struct {
	floor  sched.Floor
	others []moment // those whose clocks are not of package sched
}

func (h *horizon) add(m *moment) {
	switch k := m.clock.(type) {
	case nil:
		h.floor.Add(m.rank, m.time, sched.Known{})
	case sched.Known:
		h.floor.Add(m.rank, m.time, k)
	default:
		h.others = append(h.others, *m)
	}
}

// precedes reports whether a sequence of rank that ended at end comes before every sequence that
// is open or begins later.
func (h *horizon) precedes(rank int, end uint64) bool {
	return h.floor.Covers(rank, end) && !slices.ContainsFunc(h.others, func(m moment) bool { return !m.covers(rank, end) })
}

// horizon returns the present horizon.
func (d *Detector) horizon() *horizon {
	h := &horizon{}
	for _, m := range d.latest {
		h.add(&m)
	}
	for t := range d.handles {
		h.add(&t.seq.start)
	}
	return h
}

// Races returns the races found so far, in the order in which they were found.
func (d *Detector) Races() []*consistency.RaceError { return d.copies(aRace) }

// Unordered returns the pairs of atomic accesses, and of calls that use the shared pointer,
// whose order decides the outcome and is not determined. They are not races: each order is
// legal. Pairs of pointer calls have no bytes, and the rule [consistency.RulePointer].
func (d *Detector) Unordered() []*consistency.RaceError { return d.copies(eitherOrder) }

// Forgiven returns the pairs of accesses that race by the standard but not by the profile:
// they work there and are not guaranteed elsewhere. They are not races of this detector,
// and under [consistency.Strict] there are none.
func (d *Detector) Forgiven() []*consistency.RaceError { return d.copies(forgiven) }

// copies returns copies of the races of a kind with their advice.
func (d *Detector) copies(of kind) []*consistency.RaceError {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*consistency.RaceError, len(d.lists[of]))
	for i, e := range d.lists[of] {
		l := d.lacks[e]
		l.countCalls(e)
		c := *e
		if of != eitherOrder {
			explain(&c, l)
		}
		all[i] = &c
	}
	return all
}

// Remembered returns the number of footprints that the detector keeps.
func (d *Detector) Remembered() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.extents.n
}
