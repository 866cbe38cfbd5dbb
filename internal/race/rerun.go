package race

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/compact"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A fix of a Go program is judged by a rerun of the recorded run: it replays the marks of
// all ranks in an order that keeps their dependences, passes the accesses in between to a
// new detector, and inserts the syncs and barriers of the fix. If all ranks reach their end
// and the race is gone, the fix works in that run.
//
// Of a long run only the beginning is recorded, and it is judged up to a meeting of all
// ranks.

// mostEvents bounds the accesses of one handle, and the marks of one rank, that are kept
// for fixes.
const mostEvents = 1024

// MostRecorded bounds the ranks of a world whose run is recorded.
const MostRecorded = 256

// MostMarks returns how many marks of each rank are kept in a world of the given size; 0 if
// that world is not recorded.
func MostMarks(ranks int) int {
	if ranks > MostRecorded {
		return 0
	}
	return min(mostEvents, 1<<22/(ranks*ranks))
}

// mostHandles bounds the handles of one file that are kept.
const mostHandles = 2 * MostRecorded

// A Recording is the marks of the ranks of a run that has ended, for [Detector.Advise].
type Recording struct {
	Marks func(rank int) (marks []sched.Mark, whole bool)
	Over  func() bool // reports whether the search must end
	None  string      // why there is no recording; empty if there is one
}

// A record is what was done with a handle. It keeps nothing else alive, in particular not the
// tracker, and has no pointers in the list of events: the garbage collector would follow
// them again and again.
type record struct {
	open           any
	rank           int
	opened, closed uint64 // times; closed is 0 for a handle that stayed open
	events         compact.List[keptEvent]
	cut            bool   // there were more than Detector.mostKept
	last           uint64 // time of the last event
	begun          int32  // number of the accesses that were not complete at once

	sites   compact.Table[siteKey]
	layouts compact.Table[*types.Layout]
}

// A keptEvent is one call of a handle's tracker, with numbers in place of pointers.
type keptEvent struct {
	kind                 eventKind
	short                bool
	site, layout, number int32
	time                 uint64
	disp, from, n        int64 // of the bytes
	endsAt, asked        int64
	call                 uint64
}

// A recorded event is one call of a handle's tracker.
type recorded struct {
	kind   eventKind
	time   uint64
	a      *Access // of accesses
	number int32   // of the access that begins or ends, see Pending.number
	row    *row    // of the access, if it has one
}

// add adds an event.
func (h *record) add(e recorded) {
	k := keptEvent{kind: e.kind, time: e.time, number: e.number}
	if a := e.a; a != nil {
		k.site, k.layout = h.siteOf(e.row, a), h.layouts.Number(a.Bytes.At.L)
		k.disp, k.from, k.n = a.Bytes.At.Disp, a.Bytes.From, a.Bytes.N
		k.short, k.endsAt, k.asked, k.call = a.Short, a.EndsAt, a.Asked, a.Call
	}
	h.events.Add(k)
	h.last = e.time
}

// siteOf returns the number of the site of an access, which r remembers if it is not nil.
func (h *record) siteOf(r *row, a *Access) int32 {
	switch {
	case r == nil:
		return h.sites.Number(a.key(h.rank))
	case r.kept == 0:
		r.kept = h.sites.Number(a.key(h.rank)) + 1
	}
	return r.kept - 1
}

// all yields the events.
func (h *record) all(yield func(*recorded) bool) {
	for _, k := range h.events.All {
		e := &recorded{kind: k.kind, time: k.time, number: k.number}
		if k.kind == anAccess || k.kind == aBegin {
			s := h.sites.At(k.site)
			e.a = &Access{
				Op: s.op, Write: s.write, Atomic: s.atomic, Resize: s.resize, Where: s.where, Line: s.line, View: s.view, Time: k.time,
				Bytes: types.Part{At: types.Tiling{L: h.layouts.At(k.layout), Disp: k.disp}, From: k.from, N: k.n},
				Short: k.short, EndsAt: k.endsAt, Asked: k.asked, Call: k.call,
			}
		}
		if !yield(e) {
			return
		}
	}
}

type eventKind uint8

const (
	anOpen eventKind = iota
	anAccess
	aBegin
	anEnd
	aCancel
	aSync
	aClose
	aSwitch   // change of atomic mode
	aSameMode // the mode is set to what it is
)

// Records reports whether the events of handles are kept.
func (d *Detector) Records() bool { return d.mostKept > 0 }

// keep adds an event to the record of a handle.
func (t *Tracker) keep(e recorded) {
	r := t.record
	if r == nil {
		return
	}
	if r.events.Len() >= t.d.mostKept {
		r.cut = true
		return
	}
	r.add(e)
}

// A timeVector is the clock of a rank in a rerun: times by rank.
type timeVector []uint64

// Covers implements [Clock].
func (v timeVector) Covers(rank int, time uint64) bool { return v[rank] >= time }

func (v timeVector) join(w timeVector) {
	for i, t := range w {
		v[i] = max(v[i], t)
	}
}

// spread leaves unused times between events, for the events of a fix.
const spread = 256

// A spot is a call on a line of the program, before or after which a rank makes added
// calls.
type spot struct {
	place  sched.Place
	op     string
	before bool
}

func spotBefore(p *consistency.Party) spot { return spot{p.Place, p.Op, true} }

// A beginning is a line on which a rank begins accesses that are complete only later.
type beginning struct {
	rank  int
	place sched.Place
	op    string
}

// An ending is the spot from which on the accesses of a beginning are complete; none if their
// ends have no spot in common.
type ending struct {
	spot
	none bool
}

// after returns the spot after the access of p on a rank that makes it at that line. An access
// that is not complete at once is over after the call that completes it, and before that the
// file cannot be synced (CONS-SYNC-02).
func (r *rerun) after(rank int, p *consistency.Party) spot {
	if e, ok := r.ends[beginning{rank, p.Place, p.Op}]; ok {
		return e.spot
	}
	return spot{p.Place, p.Op, false}
}

// completes reports whether a call waits until an access that was begun before is complete. A
// program may repeat the calls that only test for that.
func completes(op string) bool {
	return strings.HasPrefix(op, "Wait") || strings.HasSuffix(op, "End")
}

// endsOf returns the endings of the accesses that a rank began.
func (r *rerun) endsOf(rank int, steps []rerunStep) {
	var last spot                     // of the last call
	begun := map[underKey]beginning{} // accesses under way
	var open []beginning              // complete since a call that does not wait for them: over before the next call
	end := func(b beginning, s spot) {
		if was, ok := r.ends[b]; ok && was.spot != s {
			r.ends[b] = ending{none: true}
			return
		}
		r.ends[b] = ending{spot: s}
	}
	for _, s := range steps {
		if s.mark >= 0 {
			if op := r.marks[rank][s.mark].Op; op != "" {
				last = spot{r.places[rank][s.mark], op, false}
				for _, b := range open {
					end(b, spot{last.place, op, true})
				}
				open = nil
			}
			continue
		}
		key := underKey{s.of, s.e.number}
		switch s.e.kind {
		case aBegin:
			begun[key] = beginning{rank, s.e.a.place(), s.e.a.Op}
		case anEnd:
			if b := begun[key]; completes(last.op) {
				end(b, last)
			} else {
				open = append(open, b)
			}
		}
	}
}

// An addition is some calls that ranks make at their spots: S is a sync of their handle of
// the open, B a barrier of these ranks, M a message from one rank to another, E completes the
// access that the rank began at of.
type addition struct {
	calls    string
	open     any
	of       sched.Place
	at       []spot // by rank; empty for ranks that do not make the calls
	from, to int    // ranks of a message
}

// ranks returns the number of ranks that make the calls.
func (x *addition) ranks() (n int) {
	for _, s := range x.at {
		if s.place.Line > 0 {
			n++
		}
	}
	return n
}

// A rerun is the record of one run, to be run again.
type rerun struct {
	d         *Detector
	marks     [][]sched.Mark
	places    [][]sched.Place      // of the marks
	lastKnown [][][]lastKnown      // of the marks
	program   [][]rerunStep        // by rank
	ends      map[beginning]ending // of the accesses that were not complete at once
	base      map[linePair]bool
	over      func() bool
	cost      int64 // work that may still be done
	work      int64 // of the run without changes
	tried     int   // changes tried
}

// mostWork bounds the work of all reruns for one file: steps times ranks, and the pairs of
// accesses that the detector judges.
const mostWork = 64_000_000

// workOfMeeting is the work of judging two accesses.
const workOfMeeting = 8

// A rerunStep is a mark or an event.
type rerunStep struct {
	time uint64
	mark int // index; -1: an event
	of   *record
	e    *recorded
}

// A lastKnown is an event of another rank that a mark is the first to know.
type lastKnown struct {
	rank int
	time uint64
}

// lastKnown returns, for each mark of a rank, the events of other ranks that the mark is the
// first to know.
func (d *Detector) lastKnown(rank int, ms []sched.Mark) [][]lastKnown {
	known, news := make([]uint64, d.ranks), make([][]lastKnown, len(ms))
	for i := range ms {
		for q := range known {
			if t := ms[i].Knows(q); q != rank && t > known[q] {
				known[q] = t
				news[i] = append(news[i], lastKnown{q, t})
			}
		}
	}
	return news
}

// newReruns makes reruns of the record of a run. If the record was cut, they have its
// beginning: one up to a meeting of all ranks, one as long as possible. If there are none,
// the text says why.
func (d *Detector) newReruns(rec Recording) ([]*rerun, string) {
	switch {
	case rec.None != "":
		return nil, rec.None
	case d.mostKept == 0:
		return nil, "the run was not recorded"
	case len(d.all) > mostHandles:
		return nil, fmt.Sprintf("the file was opened more than %d times", mostHandles)
	}
	r := &rerun{d: d, over: rec.Over, ends: map[beginning]ending{}}
	limits, cut := make([]uint64, d.ranks), false
	limit := func(rank int, time uint64) { limits[rank], cut = min(limits[rank], time), true }
	for rank := range d.ranks {
		ms, all := rec.Marks(rank)
		if limits[rank] = ^uint64(0); !all {
			limit(rank, ms[len(ms)-1].Time)
		}
		var steps []rerunStep
		var places []sched.Place
		for i := range ms {
			steps = append(steps, rerunStep{time: ms[i].Time, mark: i})
			places = append(places, lineOf(ms[i].Place()))
		}
		for _, h := range d.all {
			if h.rank != rank {
				continue
			}
			step := func(e *recorded) { steps = append(steps, rerunStep{e.time, -1, h, e}) }
			step(&recorded{kind: anOpen, time: h.opened})
			for e := range h.all {
				step(e)
			}
			if h.cut {
				limit(rank, h.last)
			}
			if h.closed > 0 {
				step(&recorded{kind: aClose, time: h.closed})
			}
		}
		slices.SortStableFunc(steps, func(a, b rerunStep) int { return cmp.Compare(a.time, b.time) })
		r.marks, r.places, r.lastKnown, r.program = append(r.marks, ms), append(r.places, places), append(r.lastKnown, d.lastKnown(rank, ms)), append(r.program, steps)
		r.endsOf(rank, steps)
	}
	if !cut {
		return r.ready([]*rerun{r})
	}
	limits = r.consistent(limits)
	all := []*rerun{r.upTo(limits)}
	if met := r.meeting(limits); met != nil {
		all = slices.Insert(all, 0, r.upTo(met))
	}
	return r.ready(all)
}

// ready runs the records without changes, and returns those that run to their end.
func (r *rerun) ready(all []*rerun) ([]*rerun, string) {
	tooLong := false
	all = slices.DeleteFunc(all, func(r *rerun) bool {
		r.cost = mostWork / 2
		races, ok := r.run(change{})
		if r.work = mostWork/2 - r.cost; r.cost <= 0 {
			tooLong = true
			return true
		}
		r.cost, r.base = mostWork-r.work, races
		return !ok || len(races) == 0
	})
	switch {
	case len(all) > 0:
		return all, ""
	case r.over():
		return nil, "the run was ended early"
	case tooLong:
		return nil, "the run is too long to be judged again; try a shorter one"
	}
	return nil, notShown
}

// notShown is the reason why no fix was tried for a race that the record does not show.
const notShown = "the part of the run that is recorded does not show the race; try a shorter run"

// upTo returns the record up to a time of each rank.
func (r *rerun) upTo(limits []uint64) *rerun {
	c := *r
	c.program, c.marks, c.places = slices.Clone(r.program), slices.Clone(r.marks), slices.Clone(r.places)
	for rank, steps := range r.program {
		marks, limit := r.marks[rank], limits[rank]
		n := sort.Search(len(steps), func(i int) bool { return steps[i].time >= limit })
		m := sort.Search(len(marks), func(i int) bool { return marks[i].Time >= limit })
		c.program[rank], c.marks[rank], c.places[rank] = steps[:n], marks[:m], r.places[rank][:m]
	}
	return &c
}

// consistent lowers limits until no rank knows an event beyond them, and no meeting is cut;
// to 0 if that takes too long.
func (r *rerun) consistent(limits []uint64) []uint64 {
	const most = 64
	limits = slices.Clone(limits)
	for changed, n := true, 0; changed; n++ {
		if changed = false; n == most || r.over() {
			return make([]uint64, len(limits))
		}
		here := map[jointKey]int32{}
		for rank, ms := range r.marks {
			for i := range ms {
				if ms[i].Time < limits[rank] && ms[i].Meets() {
					here[jointKey{ms[i].Object, ms[i].Round}]++
				}
			}
		}
		for rank, ms := range r.marks {
			for i := range ms {
				m := &ms[i]
				if m.Time >= limits[rank] {
					break
				}
				if m.Meets() && here[jointKey{m.Object, m.Round}] < m.Ranks ||
					slices.ContainsFunc(r.lastKnown[rank][i], func(h lastKnown) bool { return h.time >= limits[h.rank] }) {
					limits[rank], changed = m.Time, true
					break
				}
			}
		}
	}
	return limits
}

// meeting returns the times of the last meeting of all ranks within limits; nil if there is
// none.
func (r *rerun) meeting(limits []uint64) []uint64 {
	const most = 16
	n := len(r.program)
	for i, looked := len(r.marks[0])-1, 0; i >= 0 && looked < most; i-- {
		m := &r.marks[0][i]
		if m.Time >= limits[0] || !m.Meets() || int(m.Ranks) < n {
			continue
		}
		looked++
		met := make([]uint64, n)
		for rank, ms := range r.marks {
			if k := slices.IndexFunc(ms, func(o sched.Mark) bool { return o.Object == m.Object && o.Round == m.Round }); k >= 0 {
				met[rank] = ms[k].Time
			}
		}
		if slices.Equal(r.consistent(met), met) {
			return met
		}
	}
	return nil
}

// A linePair is two lines of the program with a race, in either order.
type linePair struct {
	a, b line
	rule string
}

func keyOf(e *consistency.RaceError) linePair {
	a, b := lineOfParty(&e.A), lineOfParty(&e.B)
	a.place, b.place = lineOf(a.place), lineOf(b.place)
	if b.less(a) {
		a, b = b, a
	}
	return linePair{a, b, e.Rule}
}

func (l line) less(o line) bool {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(l.place.File, o.place.File), cmp.Compare(l.place.Line, o.place.Line), cmp.Compare(l.op, o.op),
		number(l.write)-number(o.write), number(l.atomic)-number(o.atomic)) < 0
}

// lineOf returns a place with its file and line only.
func lineOf(p sched.Place) sched.Place { return sched.Place{File: p.File, Line: p.Line} }

// A joint is a meeting of ranks in a rerun.
type joint struct {
	here  int
	known timeVector

	sent, posted, received bool // of an added message
}

type jointKey struct {
	object any
	round  int32
}

// A change is what a rerun does otherwise than the recorded run.
type change struct {
	adds   []addition
	atomic any        // an open whose handles are in atomic mode
	moved  *movedCall // may be nil
}

// run runs the record again with a change. It returns the races, and false if the ranks do not
// reach their end.
func (r *rerun) run(c change) (map[linePair]bool, bool) {
	n := len(r.program)
	d := NewDetector(DetectorOptions{File: r.d.file, Profile: r.d.profile})
	d.StartsWith(r.d.startSize)
	x := &rerunState{rerun: r, d: d, change: c, joints: map[jointKey]*joint{}, handles: map[*record]*Tracker{}, under: map[underKey]*Pending{}}
	for rank := range n {
		x.ranks = append(x.ranks, &rerunRank{rank: rank, v: make(timeVector, n), steps: x.expand(rank, c.adds), own: map[any]*record{}})
	}
	judged := int64(0)
	for moved := true; moved; {
		moved = false
		for _, k := range x.ranks {
			for k.at < len(k.steps) && x.step(k) {
				k.at++
				moved = true
				r.cost -= int64(max(8, n)) + workOfMeeting*(d.judged-judged)
				if judged = d.judged; r.cost <= 0 || k.at%1024 == 0 && r.over() {
					return nil, false
				}
			}
		}
	}
	for _, k := range x.ranks {
		if k.at < len(k.steps) {
			return nil, false
		}
	}
	for _, j := range x.joints {
		if j.sent != j.received {
			return nil, false
		}
	}
	races := map[linePair]bool{}
	for _, e := range d.lists[aRace] {
		if races[keyOf(e)] = true; e.Unlisted > 0 {
			return nil, false
		}
	}
	return races, true
}

// A rerunState is the state while a rerun is run.
type rerunState struct {
	*rerun
	change
	d       *Detector
	ranks   []*rerunRank
	joints  map[jointKey]*joint
	handles map[*record]*Tracker
	under   map[underKey]*Pending
}

type rerunRank struct {
	rank  int
	v     timeVector
	steps []trialStep
	at    int
	came  bool // it has come to the meeting of the next step
	snaps []clockAt
	own   map[any]*record // its handles, by open
	begun []begun         // accesses under way

	viewed   []any // opens whose view it has set
	switched bool  // it has set the mode of the open that an addition makes atomic
}

// An underKey is an access under way: its number in the record of its handle.
type underKey struct {
	of     *record
	number int32
}

// A begun is an access under way, with the line that began it.
type begun struct {
	underKey
	place sched.Place
}

type clockAt struct {
	time uint64
	v    timeVector
}

// A trialStep is a step of the record, or an added call.
type trialStep struct {
	rerunStep
	call  byte // 0: of the record
	which int  // number of the addition
	round int32
}

// expand inserts additions into the steps of a rank.
func (x *rerunState) expand(rank int, adds []addition) []trialStep {
	var out []trialStep
	rounds := make([]int32, len(adds))
	add := func(i int) {
		for _, c := range []byte(adds[i].calls) {
			rounds[i]++
			out = append(out, trialStep{call: c, which: i, round: rounds[i]})
		}
	}
	within := make([]bool, len(adds)) // inside a call after which the addition comes
	last := -1                        // number of the mark before
	for _, s := range x.program[rank] {
		if s.mark >= 0 {
			m, p := &x.marks[rank][s.mark], x.places[rank][s.mark]
			goesOn := m.Op == "" && last >= 0 && x.places[rank][last] == p // it belongs to the call of the mark before
			last = s.mark
			for i := range adds { // what comes after the call before precedes what comes before this one
				if within[i] && (m.Op != "" || p != adds[i].at[rank].place) {
					within[i] = false
					add(i)
				}
			}
			for i := range adds {
				if at := adds[i].at[rank]; !goesOn && at.is(m, p) {
					if at.before {
						add(i)
					} else {
						within[i] = true
					}
				}
			}
		}
		if s.mark < 0 && s.e.kind == anEnd && last >= 0 && !completes(x.marks[rank][last].Op) {
			for i := range adds { // a later call, which leaves no mark, completes the access
				if within[i] {
					within[i] = false
					add(i)
				}
			}
		}
		out = append(out, trialStep{rerunStep: s})
	}
	for i := range adds {
		if within[i] {
			add(i)
		}
	}
	return out
}

// step makes the next step of a rank, and reports whether it could: it may have to wait.
func (x *rerunState) step(k *rerunRank) bool {
	s := &k.steps[k.at]
	switch {
	case s.call != 0:
		return x.added(k, s)
	case s.mark >= 0:
		m := &x.marks[k.rank][s.mark]
		if m.Meets() {
			if !x.meet(k, jointKey{m.Object, m.Round}, int(m.Ranks), false) {
				return false
			}
			k.came = true // it has met, and may have to wait for the clocks of others
		}
		if w, ok := m.Awaited(); ok && x.ranks[w.Rank].before(w.Time) {
			return false
		}
		for _, h := range x.lastKnown[k.rank][s.mark] {
			o := x.ranks[h.rank]
			if o.before(h.time) {
				return false
			}
			if i := sort.Search(len(o.snaps), func(i int) bool { return o.snaps[i].time > h.time }); i > 0 {
				k.v.join(o.snaps[i-1].v)
			}
			k.v[h.rank] = max(k.v[h.rank], h.time*spread)
		}
		if m.Op == "SetView" {
			k.viewed = append(k.viewed, m.Object)
		}
		k.v[k.rank] = max(k.v[k.rank], s.time*spread)
		k.snaps = append(k.snaps, clockAt{s.time, slices.Clone(k.v)}) // this event passes the clock to no rank
	default:
		k.v[k.rank] = max(k.v[k.rank], s.time*spread)
		x.event(k, s.of, s.e)
	}
	k.came = false
	return true
}

// before reports whether a rank still has to make steps of the record up to a time.
func (k *rerunRank) before(time uint64) bool {
	for i := k.at; i < len(k.steps); i++ {
		if k.steps[i].call == 0 {
			return k.steps[i].time <= time
		}
	}
	return false
}

// meet joins a meeting, and reports whether all have come. With order, the clock of each
// rank then includes those of all.
func (x *rerunState) meet(k *rerunRank, key jointKey, ranks int, order bool) bool {
	j := x.joints[key]
	if j == nil {
		j = &joint{known: make(timeVector, len(x.ranks))}
		x.joints[key] = j
	}
	if !k.came {
		k.came = true
		j.here++
		j.known.join(k.v)
	}
	if j.here < ranks {
		return false
	}
	if order {
		k.v.join(j.known)
	}
	return true
}

type addedKey struct{ which int }

// added makes a call of the fix, and reports whether it could.
func (x *rerunState) added(k *rerunRank, s *trialStep) bool {
	add := &x.adds[s.which]
	switch s.call {
	case 'M':
		return x.message(k, add, jointKey{addedKey{s.which}, s.round})
	case 'E':
		k.v[k.rank]++
		k.begun = slices.DeleteFunc(k.begun, func(b begun) bool {
			if b.place != add.of {
				return false
			}
			x.end(b.underKey, k.v[k.rank])
			return true
		})
		return true
	case 'S':
		h := x.handles[k.own[add.open]]
		if h == nil {
			return false // the file is not open here
		}
		if slices.ContainsFunc(k.begun, func(b begun) bool { return b.of.open == add.open }) {
			return false // an access is under way (CONS-SYNC-02)
		}
		if !k.came {
			k.v[k.rank]++
			h.Sync(k.v[k.rank], slices.Clone(k.v))
		}
	}
	ranks := add.ranks()
	if s.call == 'S' {
		ranks = len(x.ranksOf(add.open))
	}
	if !x.meet(k, jointKey{addedKey{s.which}, s.round}, ranks, s.call == 'B') {
		return false
	}
	k.came = false
	k.v[k.rank]++
	return true
}

// message sends or receives an added message, and reports whether the rank could.
func (x *rerunState) message(k *rerunRank, add *addition, key jointKey) bool {
	j := x.joints[key]
	if j == nil {
		j = &joint{known: make(timeVector, len(x.ranks))}
		x.joints[key] = j
	}
	if k.rank == add.from {
		j.sent = true
		j.known.join(k.v)
		if !j.posted {
			return false // a send may have to wait for its receive
		}
	} else if j.posted = true; j.sent {
		j.received = true
		k.v.join(j.known)
	} else {
		return false
	}
	k.v[k.rank]++
	return true
}

// end completes an access, unless an addition has done so.
func (x *rerunState) end(a underKey, time uint64) {
	if p := x.under[a]; p != nil {
		p.End(time)
		delete(x.under, a)
	}
}

// event passes an event to the detector.
func (x *rerunState) event(k *rerunRank, of *record, e *recorded) {
	time, clock := e.time*spread, slices.Clone(k.v)
	h, under := x.handles[of], underKey{of, e.number}
	switch e.kind {
	case anOpen:
		x.handles[of] = x.d.Open(of.open, k.rank, time, clock)
		k.own[of.open] = of
	case anAccess, aBegin:
		a := *e.a
		a.Time, a.Clock, a.LastKnown = time, clock, 0
		if a.Short && !a.Write && !a.Resize && a.Asked > 0 { // with the additions it may find more bytes: the detector decides
			a.Bytes.N, a.Short = a.Asked, false
		}
		x.moved.move(k.rank, slices.Contains(k.viewed, of.open), of, &a)
		if of.open == x.atomic && !k.switched {
			a.Atomic = true
		}
		if e.kind == anAccess {
			h.Access(&a)
		} else {
			x.under[under], _ = h.Begin(&a)
			k.begun = append(k.begun, begun{under, a.place()})
		}
	case anEnd:
		x.end(under, time)
		k.begun = slices.DeleteFunc(k.begun, func(b begun) bool { return b.underKey == under })
	case aCancel:
		if p := x.under[under]; p != nil {
			p.Cancel()
			delete(x.under, under)
		}
		k.begun = slices.DeleteFunc(k.begun, func(b begun) bool { return b.underKey == under })
	case aSync:
		h.Sync(time, clock)
	case aClose:
		h.Close(time, clock)
		x.handles[of] = nil
	case aSwitch, aSameMode:
		added := of.open == x.atomic && !k.switched // the mode is that of the addition
		k.switched = k.switched || added
		h.Atomicity((e.kind == aSwitch) != added, time, clock)
	}
}

// place returns the line of the program that made the access.
func (a *Access) place() sched.Place {
	if a.Line.Line > 0 {
		return lineOf(a.Line)
	}
	return lineOf(placeOf(a.Where))
}

// removes reports whether a change removes a race and creates no other one.
func (r *rerun) removes(e *consistency.RaceError, c change) bool {
	if r.cost <= 0 || r.over() {
		return false
	}
	r.tried++
	races, ok := r.run(c)
	if !ok || races[keyOf(e)] {
		return false
	}
	for key := range races {
		if !r.base[key] {
			return false
		}
	}
	return true
}

// firstFix returns the first of the given changes that removes a race; nil if none does.
func (r *rerun) firstFix(e *consistency.RaceError, all [][]addition) []addition {
	for _, adds := range all {
		if r.cost <= 0 || r.over() {
			break
		}
		if r.removes(e, change{adds: adds}) && !r.oneHalf(e, adds) {
			return adds
		}
	}
	return nil
}

// oneHalf reports whether one of two changes with a barrier each removes the race alone. Such a
// half orders the accesses the other way round than the two together are to do.
func (r *rerun) oneHalf(e *consistency.RaceError, adds []addition) bool {
	half := len(adds) / 2
	barrier := func(x addition) bool { return strings.Contains(x.calls, "B") }
	for _, part := range [][]addition{adds[:half], adds[half:]} {
		if !slices.ContainsFunc(part, barrier) {
			return false
		}
	}
	return r.removes(e, change{adds: adds[:half]}) || r.removes(e, change{adds: adds[half:]})
}

// mostCalls bounds the calls of the program at which fixes are tried.
const mostCalls = 12

// fix returns the change that fixes a race, in words; empty if nothing was found that works
// in the run.
func (r *rerun) fix(e *consistency.RaceError, l *lack) string {
	first, second := e.A, e.B
	first.Place, second.Place = lineOf(first.Place), lineOf(second.Place)
	a, b := &first, &second
	if e.Rule == "CONS-C1" {
		return r.complete(e, a, b)
	}
	if l.a == nil || l.b == nil {
		return ""
	}
	x, y := l.a.h.open, l.b.h.open
	if l.order && a.Place.File == b.Place.File && b.Place.Line < a.Place.Line {
		a, b, x, y = b, a, y, x
	}
	text := r.orders(e, l, a, b, x, y)
	if x != y || a.Atomic && b.Atomic {
		return text
	}
	if at := r.openedAt(r.ranksOf(x), x); at != "" && r.removes(e, change{atomic: x}) {
		if text != "" {
			text += "; or "
		}
		text += "add SetAtomicity(true) after " + at + ", on all ranks of the file"
		if l.order {
			text += ", and take either order"
		}
	}
	return text
}

// orders returns the changes, in words, that make a come before b and, if the program may
// mean that, b before a.
func (r *rerun) orders(e *consistency.RaceError, l *lack, a, b *consistency.Party, x, y any) string {
	change := r.inOrder(e, l, a, b, x, y)
	text := change
	if have := r.have(a, b); have != "" && text != "" {
		text += " (you have " + have + ")"
	}
	if !l.order {
		return text
	}
	switch other := r.inOrder(e, l, b, a, y, x); {
	case text == "":
		return other
	case other != "" && other != change:
		order := callAt(b) + " before " + callAt(a)
		if callAt(a) == callAt(b) {
			order = fmt.Sprintf("rank %d before rank %d", b.Rank, a.Rank)
		}
		text += "; or for the other order, " + order + ": " + other
	}
	return text
}

// inOrder returns the additions, in words, that make a come before b; the accesses are made
// through handles of the opens x and y.
func (r *rerun) inOrder(e *consistency.RaceError, l *lack, a, b *consistency.Party, x, y any) string {
	ranks, others := r.ranksOf(x), r.ranksOf(y)
	var all [][]addition
	if x == y {
		all = r.candidates(ranks, a, b, l, x)
	} else {
		all = r.apart(ranks, others, a, b, l, x, y)
	}
	adds := r.firstFix(e, all)
	if adds == nil {
		return ""
	}
	return r.words(adds, func(add *addition) string {
		switch {
		case x == y || add.open == nil:
			return ""
		case add.open == x:
			return " on the handle of " + callAt(a)
		}
		return " on the handle of " + callAt(b)
	})
}

// complete returns the place, in words, at which to complete an access that is under way.
func (r *rerun) complete(e *consistency.RaceError, a, b *consistency.Party) string {
	at := make([]spot, len(r.program))
	for rank, places := range r.places {
		if slices.Contains(places, a.Place) && slices.Contains(places, b.Place) {
			at[rank] = spotBefore(b)
		}
	}
	add := addition{calls: "E", of: a.Place, at: at}
	var text string
	if begins, split := strings.CutSuffix(a.Op, "Begin"); !split {
		text = fmt.Sprintf("complete %s before %s on %s: wait for its request there", callAt(a), callAt(b), r.rankNames(&add, add.at[b.Rank]))
	} else if end, ok := r.movable(&add, begins+"End"); ok {
		text = fmt.Sprintf("move %v to before %s on %s", spot{place: end, op: begins + "End"}, callAt(b), r.rankNames(&add, add.at[b.Rank]))
	} else {
		return ""
	}
	if !r.removes(e, change{adds: []addition{add}}) {
		return ""
	}
	return text
}

// movable returns the line of the call that ends split accesses and that the addition
// moves to an earlier place. ok is false if a rank meets others or sends a message between
// the two places.
func (r *rerun) movable(add *addition, end string) (at sched.Place, ok bool) {
	for rank, s := range add.at {
		within := false
		for i := range r.marks[rank] {
			m, p := &r.marks[rank][i], r.places[rank][i]
			switch {
			case s.place.Line > 0 && p == s.place && m.Op == s.op:
				within = true
			case !within:
			case m.Op == end:
				if within = false; at.Line > 0 && at != p {
					return at, false
				}
				at = p
			case m.Op == "" || m.Object != nil:
				return at, false
			}
		}
	}
	return at, at.Line > 0
}

// ranksOf returns the ranks that have a file by one open.
func (r *rerun) ranksOf(open any) []int {
	var ranks []int
	for _, h := range r.d.all {
		if h.open == open {
			ranks = append(ranks, h.rank)
		}
	}
	slices.Sort(ranks)
	return ranks
}

// times returns how often a rank makes the call of a spot.
func (r *rerun) times(rank int, s spot) (n int) {
	for i, p := range r.places[rank] {
		if p == s.place && r.marks[rank][i].Op == s.op {
			n++
		}
	}
	return n
}

// calls returns the calls that all of the given ranks make equally often, in the order of
// the first rank, as the spots after them.
func (r *rerun) calls(ranks []int) []spot {
	var all []spot
	for i, p := range r.places[ranks[0]] {
		s := spot{place: p, op: r.marks[ranks[0]][i].Op}
		if s.op == "" || p.Line == 0 || slices.Contains(all, s) {
			continue
		}
		n := r.times(ranks[0], s)
		if !slices.ContainsFunc(ranks[1:], func(rank int) bool { return r.times(rank, s) != n }) {
			all = append(all, s)
		}
	}
	return all
}

// own places the additions of each of the two ranks at its own call: after the first access,
// before the second. Other ranks make them after the last of the given calls, which all
// ranks make, that comes before the first access, or before the first that comes after it.
func (r *rerun) own(ranks []int, a, b *consistency.Party, calls []spot) (all [][]spot) {
	for _, other := range r.beside(a, calls) {
		own, uses := make([]spot, len(r.program)), false
		for _, rank := range ranks {
			switch has := func(p sched.Place) bool { return slices.Contains(r.places[rank], p) }; {
			case rank == a.Rank || rank != b.Rank && has(a.Place):
				own[rank] = r.after(rank, a)
			case rank == b.Rank || has(b.Place):
				own[rank] = spotBefore(b)
			default:
				own[rank], uses = other, true
			}
		}
		if all = append(all, own); !uses {
			break
		}
	}
	return all
}

// mostPast bounds the calls of a rank past which an addition is tried.
const mostPast = 3

// past returns the spots of [rerun.own] with those of the two ranks moved past calls in which they
// wait for others: after the first access and such calls, before the second and such calls. At its
// own access a rank may keep another one waiting that it needs afterwards.
func (r *rerun) past(own [][]spot, a, b *consistency.Party) (all [][]spot) {
	if len(own) == 0 || a.Rank == b.Rank {
		return nil
	}
	after := append([]spot{r.after(a.Rank, a)}, r.waits(a, false)...)
	before := append([]spot{spotBefore(b)}, r.waits(b, true)...)
	for i, s := range after {
		for k, t := range before {
			if i+k > 0 {
				at := slices.Clone(own[0])
				at[a.Rank], at[b.Rank] = s, t
				all = append(all, at)
			}
		}
	}
	return all
}

// waits returns the spots after the calls that follow an access and in which its rank may wait for
// others, or before those that precede it; the nearest first. The rank makes each of them once.
func (r *rerun) waits(p *consistency.Party, before bool) (all []spot) {
	marks, places, step := r.marks[p.Rank], r.places[p.Rank], 1
	if before {
		step = -1
	}
	at := slices.Index(places, p.Place)
	if at < 0 || r.times(p.Rank, spot{place: p.Place, op: p.Op}) != 1 {
		return nil
	}
	for i := at + step; i >= 0 && i < len(places) && len(all) < mostPast; i += step {
		s := spot{places[i], marks[i].Op, before}
		switch {
		case s.place == p.Place:
			continue
		case marks[i].Meets() && s.op != "" && r.times(p.Rank, s) == 1:
		case r.sends(p.Rank, i):
			s.op = theSend
		case r.isReceive(p.Rank, i):
			s.op = theReceive
		default:
			continue
		}
		all = append(all, s)
	}
	return all
}

// beside returns the spots after the last of the given calls that comes before an access, and
// before the first that comes after it. They are calls that its rank makes as often as the
// access. If there are none, beside returns an empty spot.
func (r *rerun) beside(a *consistency.Party, calls []spot) (all []spot) {
	places, n := r.places[a.Rank], r.times(a.Rank, spot{place: a.Place, op: a.Op})
	as := func(i int) (spot, bool) {
		s := spot{place: places[i], op: r.marks[a.Rank][i].Op}
		return s, slices.Contains(calls, s) && r.times(a.Rank, s) == n
	}
	first := max(0, slices.Index(places, a.Place))
	for i := first - 1; i >= 0 && len(all) == 0; i-- {
		if s, ok := as(i); ok {
			all = append(all, s)
		}
	}
	for i := first + 1; i < len(places); i++ {
		if s, ok := as(i); ok && s.place != a.Place {
			s.before = true
			return append(all, s)
		}
	}
	if len(all) == 0 {
		return []spot{{}}
	}
	return all
}

// Names of spots at messages, whose marks do not know the call.
const (
	theSend    = "the send"
	theReceive = "the receive"
)

// is reports whether a mark, at place p, is of the call of the spot.
func (s *spot) is(m *sched.Mark, p sched.Place) bool {
	return p == s.place && p.Line > 0 && (m.Op != "" && m.Op == s.op || m.Op == "" && (s.op == theSend || s.op == theReceive))
}

// aroundMessage returns the spots before and after a message that may order the two accesses:
// the first that the rank of a sends after a, and the last that the rank of b receives before
// b. Other ranks of the file make both additions where they make those of [rerun.own].
func (r *rerun) aroundMessage(ranks []int, a, b *consistency.Party, calls []spot) (all [][2][]spot) {
	i, j := slices.Index(r.places[a.Rank], a.Place), slices.Index(r.places[b.Rank], b.Place)
	if a.Rank == b.Rank || i < 0 || j < 0 {
		return nil
	}
	for i < len(r.places[a.Rank]) && !r.sends(a.Rank, i) {
		i++
	}
	for j >= 0 && !r.receives(b.Rank, j, a.Rank) {
		j--
	}
	if i == len(r.places[a.Rank]) || j < 0 {
		return nil
	}
	for _, before := range r.own(ranks, a, b, calls) {
		after := slices.Clone(before)
		before[a.Rank], after[a.Rank] = r.after(a.Rank, a), spot{place: r.places[a.Rank][i], op: theSend}
		before[b.Rank], after[b.Rank] = spot{place: r.places[b.Rank][j], op: theReceive, before: true}, spotBefore(b)
		all = append(all, [2][]spot{before, after})
	}
	return all
}

// sends reports whether the only mark at its line is that of a message that the rank sends.
func (r *rerun) sends(rank, k int) bool { return r.atLine(rank, k) == 1 && r.marks[rank][k].Op == "" }

// receives reports whether the only marks at the line of one are those of a message that the
// rank receives and from which it learns of another rank: at the start and when it has come.
func (r *rerun) receives(rank, k, of int) bool {
	m := r.marks[rank]
	return r.isReceive(rank, k) && m[k].Knows(of) < m[k+1].Knows(of)
}

// isReceive reports whether the only marks at the line of one are those of a message that the rank
// receives.
func (r *rerun) isReceive(rank, k int) bool {
	m := r.marks[rank]
	return r.atLine(rank, k) == 2 && k+1 < len(m) && r.places[rank][k+1] == r.places[rank][k] && m[k].Op+m[k+1].Op == ""
}

// atLine returns how many marks the rank has at the line of one, besides those of waits in sends;
// 0 if that is unknown.
func (r *rerun) atLine(rank, k int) (n int) {
	for i, p := range r.places[rank] {
		if _, waited := r.marks[rank][i].Awaited(); !waited && p == r.places[rank][k] && p.Line > 0 {
			n++
		}
	}
	return n
}

// around returns the spots before and after those of the given calls, which all of the ranks
// make, that are nearest to an access.
func (r *rerun) around(ranks []int, calls []spot, a *consistency.Party) (all [][]spot) {
	places := r.places[a.Rank]
	from := slices.Index(places, a.Place)
	distance := map[spot]int{}
	for i, p := range places {
		s := spot{place: p, op: r.marks[a.Rank][i].Op}
		if d, ok := distance[s]; !ok || d > max(i-from, from-i) {
			distance[s] = max(i-from, from-i)
		}
	}
	near := slices.Clone(calls)
	sort.SliceStable(near, func(i, j int) bool { return distance[near[i]] < distance[near[j]] })
	near = near[:min(len(near), mostCalls)]
	for _, s := range calls {
		if !slices.Contains(near, s) {
			continue
		}
		for _, before := range []bool{true, false} {
			at := make([]spot, len(r.program))
			for _, rank := range ranks {
				at[rank] = spot{s.place, s.op, before}
			}
			all = append(all, at)
		}
	}
	return all
}

// apart returns the additions to try for handles of two opens, the smallest first.
func (r *rerun) apart(ranks, others []int, a, b *consistency.Party, l *lack, x, y any) (all [][]addition) {
	publish := func(p []spot) addition { return addition{calls: "S", open: x, at: p} }
	fetch := func(p []spot) addition { return addition{calls: "S", open: y, at: p} }
	after := r.own(ranks, a, b, r.calls(ranks)) // each rank at its own line, after the first access
	before := r.own(others, b, a, r.calls(others))
	for _, at := range before {
		for rank := range at {
			if at[rank] == r.after(rank, b) {
				at[rank] = spotBefore(b)
			}
		}
	}
	first := slices.Concat(after, r.around(ranks, r.calls(ranks), a))
	second := slices.Concat(before, r.around(others, r.calls(others), b))
	if !l.order && !l.second {
		for _, p := range first {
			all = append(all, []addition{publish(p)})
		}
	}
	if !l.order && !l.first {
		for _, p := range second {
			all = append(all, []addition{fetch(p)})
		}
	}
	if !l.order {
		for _, p := range first {
			for _, q := range second {
				all = append(all, []addition{publish(p), fetch(q)})
			}
		}
	}
	both := slices.Concat(ranks, others)
	slices.Sort(both)
	both = slices.Compact(both)
	var own, around [][]spot
	if len(both) == len(r.program) { // a barrier of all ranks needs no communicator of its own
		own, around = r.own(both, a, b, r.calls(both)), r.around(both, r.calls(both), a)
	}
	places := slices.Concat(own, around)
	message := addition{calls: "M", at: make([]spot, len(r.program)), from: a.Rank, to: b.Rank}
	message.at[a.Rank], message.at[b.Rank] = r.after(a.Rank, a), spotBefore(b)
	if l.order { // a close and an open may be all the syncs that are needed
		for _, p := range slices.Concat(places, r.past(own, a, b)) {
			all = append(all, []addition{{calls: "B", at: p}})
		}
		if a.Rank != b.Rank {
			all = append(all, []addition{message})
		}
	}
	for _, p := range places {
		all = append(all, []addition{publish(after[0]), {calls: "B", at: p}, fetch(before[0])})
	}
	if a.Rank != b.Rank {
		for _, p := range after {
			for _, q := range before {
				all = append(all, []addition{publish(p), message, fetch(q)})
			}
		}
	}
	only := func(ranks []int, at []spot) []spot {
		part := make([]spot, len(at))
		for _, rank := range ranks {
			part[rank] = at[rank]
		}
		return part
	}
	forth := func(p []spot) []addition { // all of it at one place on each rank
		return []addition{publish(only(ranks, p)), {calls: "B", at: p}, fetch(only(others, p))}
	}
	back := func(p []spot) []addition {
		return []addition{fetch(only(others, p)), {calls: "B", at: p}, publish(only(ranks, p))}
	}
	for _, p := range slices.Concat(places, r.past(own, a, b)) {
		all = append(all, forth(p))
	}
	for _, p := range own {
		all = append(all, append(forth(p), back(r.back(p, b))...))
	}
	for i := range around {
		for _, q := range around[i+1:] {
			all = append(all, append(forth(around[i]), back(q)...), append(back(around[i]), forth(q)...))
		}
	}
	return all
}

// back returns spots that come after the second access where those of [rerun.own] come before it.
// In a loop each access comes before and after the other.
func (r *rerun) back(own []spot, b *consistency.Party) []spot {
	back := slices.Clone(own)
	for rank, s := range own {
		if s == spotBefore(b) {
			back[rank] = r.after(rank, b)
		}
	}
	return back
}

// candidates returns the additions to try for handles of one open, the smallest first.
func (r *rerun) candidates(ranks []int, a, b *consistency.Party, l *lack, open any) [][]addition {
	calls := r.calls(ranks)
	around, own := r.around(ranks, calls, a), r.own(ranks, a, b, calls)
	places := slices.Concat(around, own)
	add := func(calls string, at []spot) addition { return addition{calls: calls, open: open, at: at} }
	var all [][]addition
	one := "S"
	if l.order {
		one = "B"
	}
	for _, at := range places {
		all = append(all, []addition{add(one, at)})
	}
	if !l.order {
		for apart := 1; apart < len(around); apart++ {
			for i := 0; i+apart < len(around); i++ {
				all = append(all, []addition{add("S", around[i]), add("S", around[i+apart])})
			}
		}
		for _, at := range r.aroundMessage(ranks, a, b, calls) {
			publish, fetch := add("S", at[0]), add("S", at[1])
			all = append(all, []addition{publish}, []addition{fetch}, []addition{publish, fetch})
		}
	}
	for _, calls := range []string{"SB", "BS", "SBS"} {
		for _, at := range places {
			all = append(all, []addition{add(calls, at)})
		}
	}
	for _, at := range own {
		all = append(all, []addition{add("SBS", at), add("SBS", r.back(at, b))})
	}
	for _, at := range r.past(own, a, b) {
		all = append(all, []addition{add("SBS", at)})
	}
	for apart := 1; apart < len(around); apart++ {
		for i := 0; i+apart < len(around); i++ {
			all = append(all, []addition{add("SBS", around[i]), add("SBS", around[i+apart])})
		}
	}
	return all
}

// words returns a text for additions; handle names the handle of a sync, if necessary.
func (r *rerun) words(adds []addition, handle func(*addition) string) string {
	var parts []string
	for i := range adds {
		x := &adds[i]
		if x.calls == "M" {
			parts = append(parts, fmt.Sprintf("add Send to rank %d %s on rank %d", x.to, x.at[x.from].words(), x.from),
				fmt.Sprintf("add Recv from rank %d %s on rank %d", x.from, x.at[x.to].words(), x.to))
			continue
		}
		var calls []string
		for _, c := range x.calls {
			calls = append(calls, map[rune]string{'S': "Sync", 'B': "Barrier"}[c])
		}
		var where []string
		var seen []spot
		for _, s := range x.at {
			if s.place.Line == 0 || slices.Contains(seen, s) {
				continue
			}
			seen = append(seen, s)
			text := s.words()
			if r.doubled(s) {
				text = strings.Replace(text, " ", " each ", 1)
			}
			where = append(where, text+" on "+r.rankNames(x, s))
		}
		parts = append(parts, "add "+strings.Join(calls, ", ")+handle(x)+" "+strings.Join(where, ", "))
	}
	return strings.Join(parts, ", and ")
}

// doubled reports whether a rank makes the call of a spot twice in a row: perhaps a line has
// two of them.
func (r *rerun) doubled(s spot) bool {
	for rank, places := range r.places {
		for i := 1; i < len(places); i++ {
			if places[i-1] == s.place && places[i] == s.place && r.marks[rank][i-1].Op == s.op && r.marks[rank][i].Op == s.op {
				return true
			}
		}
	}
	return false
}

// rankNames returns the names of the ranks that make an addition at a spot.
func (r *rerun) rankNames(x *addition, s spot) string {
	var here []string
	for rank, o := range x.at {
		if o == s {
			here = append(here, fmt.Sprint(rank))
		}
	}
	switch all := x.ranks(); {
	case len(here) == 1:
		return "rank " + here[0]
	case len(here) < all || x.calls == "E":
		return "ranks " + strings.Join(here, ", ")
	case x.open == nil:
		return "all ranks"
	case r.othersAt(x, s):
		return "ranks " + strings.Join(here, ", ")
	}
	return "all ranks of the file"
}

// othersAt reports whether ranks that do not make an addition come to one of its spots: the
// line may open the file for each part of a communicator.
func (r *rerun) othersAt(x *addition, s spot) bool {
	for rank, at := range x.at {
		if at.place.Line == 0 && slices.Contains(r.places[rank], s.place) {
			return true
		}
	}
	return false
}

// words returns the spot as part of a sentence.
func (s spot) words() string {
	if s.before {
		return "before " + s.String()
	}
	return "after " + s.String()
}

// String returns the call with its line.
func (s spot) String() string { return fmt.Sprintf("%s (%v)", s.op, s.place) }

// have returns the syncs and barriers between two accesses that all ranks make, as text.
func (r *rerun) have(a, b *consistency.Party) string {
	var all []string
	between := false
	for i, p := range r.places[a.Rank] {
		op := r.marks[a.Rank][i].Op
		if op == "" {
			continue
		}
		if between && p != a.Place && (op == "Sync" || op == "Barrier") && r.precedes(b, p) {
			if text := (spot{place: p, op: op}).String(); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		between = between || p == a.Place
	}
	return strings.Join(all, ", ")
}

// precedes reports whether the rank of b comes to p before it comes to b.
func (r *rerun) precedes(b *consistency.Party, p sched.Place) bool {
	i, j := slices.Index(r.places[b.Rank], p), slices.Index(r.places[b.Rank], b.Place)
	return i >= 0 && i < j
}

// openedAt returns the line on which all ranks open a file, as text.
func (r *rerun) openedAt(ranks []int, open any) string {
	var at sched.Place
	for _, rank := range ranks {
		for i := range r.marks[rank] {
			m := &r.marks[rank][i]
			if m.Op == "Open" && m.Object == open {
				if p := r.places[rank][i]; at.Line == 0 {
					at = p
				} else if p != at {
					return ""
				}
			}
		}
	}
	if at.Line == 0 {
		return ""
	}
	return spot{place: at, op: "Open"}.String()
}

// Advise tries possible fixes of each race on the recorded run. The races that
// [Detector.Races] returns then contain the fix that works, or the reason why there is none.
// If there are many races, trying ends when it has taken too long.
func (d *Detector) Advise(rec Recording) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.lists[aRace]
	if len(list) == 0 {
		return
	}
	if rec.Over == nil {
		rec.Over = func() bool { return false }
	}
	all, none := d.newReruns(rec)
	d.countCalls(list)
	for _, e := range list {
		l := d.lacks[e]
		l.countCalls(e)
		switch {
		case l == nil:
		case none != "":
			if !e.AboutViews() {
				l.none = none
			}
		default:
			advise(all, e, l)
		}
	}
}

// countCalls sets in races which of their calls the run makes several times, and which all ranks
// of their open make.
func (d *Detector) countCalls(races []*consistency.RaceError) {
	type callLine struct {
		place sched.Place
		op    string
	}
	times, byHandle, updates := map[callLine]int{}, map[callLine]map[*record]int{}, map[callLine]int{}
	for _, e := range races {
		for _, p := range []*consistency.Party{&e.A, &e.B} {
			l := callLine{lineOf(p.Place), p.Op}
			times[l], byHandle[l] = 0, map[*record]int{}
		}
	}
	for _, h := range d.all {
		var call uint64 // a collective call may be several accesses
		var last *Access
		for e := range h.all {
			if e.a == nil || call > 0 && e.a.Call == call {
				continue
			}
			call = e.a.Call
			l := callLine{e.a.place(), e.a.Op}
			if n, ok := times[l]; ok {
				times[l] = n + 1
				byHandle[l][h]++
				if e.a.updates(last) {
					updates[l]++
				}
			}
			last = e.a
		}
	}
	byAll := func(n map[*record]int) bool {
		opens := map[any]int{}
		for h := range n {
			opens[h.open] = n[h]
		}
		return !slices.ContainsFunc(d.all, func(h *record) bool { return n[h] != opens[h.open] })
	}
	for _, e := range races {
		for _, p := range []*consistency.Party{&e.A, &e.B} {
			l := callLine{lineOf(p.Place), p.Op}
			p.Repeated, p.ByAll = times[l] > 1, times[l] > 0 && byAll(byHandle[l])
			p.Updates = times[l] > 0 && updates[l] == times[l]
		}
	}
}

// updates reports whether an access writes the bytes that its rank has read right before.
func (a *Access) updates(last *Access) bool {
	if last == nil || last.Write || !a.Write || a.Resize || last.Resize {
		return false
	}
	return a.Bytes.At == last.Bytes.At && a.Bytes.From == last.Bytes.From && (a.Bytes.N == last.Bytes.N || a.Bytes.N == last.Asked)
}

// advise sets the fix of a race from the first record that shows it, or the reason why there is
// none. Of the likely mistake behind the race it keeps a change of offsets only if that works.
func advise(all []*rerun, e *consistency.RaceError, l *lack) {
	i := slices.IndexFunc(all, func(r *rerun) bool { return r.base[keyOf(e)] })
	if i < 0 {
		e.A.Stays, e.B.Stays = true, true
		l.none = notShown
		return
	}
	r := all[i]
	for m := e.Mistake(); m != nil && m.Moves != nil && !r.moves(e, l, m.Moves); m = e.Mistake() {
		m.Moves.Of.Stays = true
	}
	if e.AboutViews() {
		return
	}
	r.tried = 0
	l.fix = r.fix(e, l)
	switch {
	case l.fix != "":
	case r.over():
		l.none = "the run was ended early"
	case r.cost <= 0:
		l.none = "trying more would take too long"
	case r.tried == 0:
		l.none = "the record of the run does not say enough"
	default:
		l.failed = r.tried
	}
}
