package consistency

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/sched"
)

// A fix of a Go program is judged by running its record again: the marks of all
// ranks, in every order that they depend on, with the accesses in between given to
// a new detector, and with the syncs and barriers of the fix after the lines where
// it has them. If all ranks come to their end and the race is gone, the fix works
// in that run.

// MostEvents bounds the accesses and marks of one rank that are kept for fixes.
const MostEvents = 1024

// mostHandles bounds the handles of one file that are kept.
const mostHandles = 256

// A recorded event is one call of a handle's tracker.
type recorded struct {
	kind eventKind
	time uint64
	a    *Access  // of accesses
	p    *Pending // that begins, or ends
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
	aSwitch // of atomic mode
)

// keep adds an event to the record of a handle.
func (t *Tracker) keep(e recorded) {
	if !t.keeps {
		return
	}
	if len(t.kept) >= MostEvents {
		t.cut = true
		return
	}
	if e.a != nil {
		a := *e.a
		a.Clock = nil
		e.a = &a
	}
	t.kept = append(t.kept, e)
}

// A timeVector is the clock of a rank as a run again makes it: times by rank.
type timeVector []uint64

// Covers is that of [Clock].
func (v timeVector) Covers(rank int, time uint64) bool { return v[rank] >= time }

func (v timeVector) join(w timeVector) {
	for i, t := range w {
		v[i] = max(v[i], t)
	}
}

// spread leaves room between events for those of a fix.
const spread = 256

// A spot is a line of the program, before or after which a rank makes calls.
type spot struct {
	place  sched.Place
	before bool
}

// An addition is some calls that the ranks of a file make at their spots: S is a
// sync, B a barrier.
type addition struct {
	calls string
	at    []spot // by rank; of ranks that do not have the file, empty
}

// A rerun is the record of one run, to be run again.
type rerun struct {
	d       *Detector
	marks   [][]sched.Mark
	places  [][]sched.Place // of the marks
	program [][]rerunStep   // by rank
	base    map[racePair]bool
	cost    int // runs that may still be made
}

// mostSteps bounds the steps of all runs again that one file gets.
const mostSteps = 2_000_000

// A rerunStep is a mark or an event.
type rerunStep struct {
	time uint64
	mark int // index; -1: an event
	t    *Tracker
	e    *recorded
}

// newRerun puts the record of a run together; nil if it is not whole.
func (d *Detector) newRerun(marks func(rank int) ([]sched.Mark, bool)) *rerun {
	if !d.record || d.ranks == 0 || len(d.all) > mostHandles {
		return nil
	}
	r := &rerun{d: d}
	for rank := range d.ranks {
		ms, all := marks(rank)
		if !all {
			return nil
		}
		var steps []rerunStep
		var places []sched.Place
		for i := range ms {
			steps = append(steps, rerunStep{time: ms[i].Time, mark: i})
			places = append(places, lineOf(ms[i].Place()))
		}
		for _, t := range d.all {
			if t.rank != rank {
				continue
			}
			if t.cut {
				return nil
			}
			for i := range t.kept {
				steps = append(steps, rerunStep{t.kept[i].time, -1, t, &t.kept[i]})
			}
		}
		slices.SortStableFunc(steps, func(a, b rerunStep) int { return int(int64(a.time) - int64(b.time)) })
		r.marks, r.places, r.program = append(r.marks, ms), append(r.places, places), append(r.program, steps)
	}
	steps := 1
	for _, p := range r.program {
		steps += len(p)
	}
	if r.cost = mostSteps / (steps * (1 + len(d.list)/8)); r.cost < 2 { // many races cost more than their steps
		return nil
	}
	races, ok := r.run(nil, nil, nil)
	if !ok {
		return nil
	}
	for _, e := range d.list {
		if !races[keyOf(e)] {
			return nil // what was recorded does not show it
		}
	}
	r.base = races
	return r
}

func keyOf(e *RaceError) racePair {
	a, b := e.A.line(), e.B.line()
	a.place, b.place = lineOf(a.place), lineOf(b.place)
	if fmt.Sprint(b) < fmt.Sprint(a) {
		a, b = b, a
	}
	return racePair{a, b, e.Rule, aRace}
}

// lineOf is a place without what is not its line.
func lineOf(p sched.Place) sched.Place { return sched.Place{File: p.File, Line: p.Line} }

// A joint is a meeting of ranks in a run again.
type joint struct {
	here  int
	known timeVector
}

type jointKey struct {
	object any
	round  int
}

// run runs the record again with additions for the ranks that have a file by one
// open; atomic says that this file is in atomic mode. It returns the races, and
// false if the ranks do not come to their end.
func (r *rerun) run(open any, adds []addition, atomic any) (map[racePair]bool, bool) {
	n := len(r.program)
	d := NewDetector(DetectorOptions{File: r.d.file, Profile: r.d.profile})
	d.StartsWith(r.d.startSize)
	x := &again{rerun: r, d: d, open: open, atomic: atomic, joints: map[jointKey]*joint{}, handles: map[*Tracker]*Tracker{}, under: map[*Pending]*Pending{}}
	for _, t := range r.d.all {
		if open != nil && t.open == open {
			x.group++
		}
	}
	for rank := range n {
		x.ranks = append(x.ranks, &againRank{rank: rank, v: make(timeVector, n), seen: make([]uint64, n), steps: x.expand(rank, adds)})
	}
	for moved := true; moved; {
		moved = false
		for _, k := range x.ranks {
			for k.at < len(k.steps) && x.step(k) {
				k.at++
				moved = true
			}
		}
	}
	for _, k := range x.ranks {
		if k.at < len(k.steps) {
			return nil, false
		}
	}
	races := map[racePair]bool{}
	for _, e := range d.list {
		races[keyOf(e)] = true
	}
	return races, true
}

// again is one run again.
type again struct {
	*rerun
	d       *Detector
	open    any
	group   int
	atomic  any
	ranks   []*againRank
	joints  map[jointKey]*joint
	handles map[*Tracker]*Tracker
	under   map[*Pending]*Pending
}

type againRank struct {
	rank  int
	v     timeVector
	seen  []uint64 // what it had heard of others, in times of the record
	steps []againStep
	at    int
	came  bool // to the meeting of the next step
	snaps []againSnap
	own   *Tracker // its handle of the open
}

type againSnap struct {
	time uint64
	v    timeVector
}

// An againStep is a step of the record, or a call that was added.
type againStep struct {
	rerunStep
	call  byte // 0: of the record
	which int  // number of the addition
	round int
}

// expand puts additions into the steps of a rank.
func (x *again) expand(rank int, adds []addition) []againStep {
	var out []againStep
	rounds := make([]int, len(adds))
	add := func(i int) {
		for _, c := range []byte(adds[i].calls) {
			rounds[i]++
			out = append(out, againStep{call: c, which: i, round: rounds[i]})
		}
	}
	within := make([]bool, len(adds)) // in a call after which the addition comes
	for _, s := range x.program[rank] {
		if s.mark >= 0 {
			m, p := &x.marks[rank][s.mark], x.places[rank][s.mark]
			for i := range adds {
				at := adds[i].at[rank]
				if within[i] && (m.Op != "" || p != at.place) {
					within[i] = false
					add(i)
				}
				if m.Op != "" && p == at.place && at.place.Line > 0 {
					if at.before {
						add(i)
					} else {
						within[i] = true
					}
				}
			}
		}
		out = append(out, againStep{rerunStep: s})
	}
	for i := range adds {
		if within[i] {
			add(i)
		}
	}
	return out
}

// step makes the next step of a rank, unless it has to wait.
func (x *again) step(k *againRank) bool {
	s := &k.steps[k.at]
	switch {
	case s.call != 0:
		return x.added(k, s)
	case s.mark >= 0:
		m := &x.marks[k.rank][s.mark]
		if m.Object != nil && m.Ranks > 1 {
			if !x.meet(k, jointKey{m.Object, m.Round}, m.Ranks, false) {
				return false
			}
			k.came = true // it has met, and may have to wait for what others know
		}
		for q, o := range x.ranks {
			t := m.Clock.At(q)
			if q == k.rank || t <= k.seen[q] {
				continue
			}
			if o.before(t) {
				return false
			}
			i, _ := slices.BinarySearchFunc(o.snaps, t+1, func(s againSnap, t uint64) int { return int(int64(s.time) - int64(t)) })
			if i > 0 {
				k.v.join(o.snaps[i-1].v)
			}
			k.v[q], k.seen[q] = max(k.v[q], t*spread), t
		}
	default:
		k.v[k.rank] = max(k.v[k.rank], s.time*spread)
		x.event(k, s.t, s.e)
	}
	k.came = false
	k.v[k.rank] = max(k.v[k.rank], s.time*spread)
	k.snaps = append(k.snaps, againSnap{s.time, slices.Clone(k.v)})
	return true
}

// before reports whether a rank has steps of the record to make up to a time.
func (k *againRank) before(time uint64) bool {
	for i := k.at; i < len(k.steps); i++ {
		if k.steps[i].call == 0 {
			return k.steps[i].time <= time
		}
	}
	return false
}

// meet comes to a meeting, and reports whether all have come. With order each then
// knows what all do.
func (x *again) meet(k *againRank, key jointKey, ranks int, order bool) bool {
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

// added makes a call of the fix.
func (x *again) added(k *againRank, s *againStep) bool {
	if k.own == nil || x.handles[k.own] == nil {
		return false // the file is not open here
	}
	if s.call == 'S' && !k.came {
		k.v[k.rank]++
		x.handles[k.own].Sync(k.v[k.rank], slices.Clone(k.v))
	}
	if !x.meet(k, jointKey{addedKey{s.which}, s.round}, x.group, s.call == 'B') {
		return false
	}
	k.came = false
	k.v[k.rank]++
	return true
}

// event gives an event to the detector.
func (x *again) event(k *againRank, t *Tracker, e *recorded) {
	time, clock := e.time*spread, slices.Clone(k.v)
	h := x.handles[t]
	switch e.kind {
	case anOpen:
		x.handles[t] = x.d.Open(t.open, k.rank, time, clock)
		if t.open == x.open {
			k.own = t
		}
	case anAccess, aBegin:
		a := *e.a
		a.Time, a.Clock, a.Told = time, clock, 0
		if t.open == x.atomic && x.atomic != nil {
			a.Atomic = true
		}
		if e.kind == anAccess {
			h.Access(&a)
		} else {
			x.under[e.p], _ = h.Begin(&a)
		}
	case anEnd, aCancel:
		if p := x.under[e.p]; p == nil {
		} else if e.kind == anEnd {
			p.End(time)
		} else {
			p.Cancel()
		}
	case aSync:
		h.Sync(time, clock)
	case aClose:
		h.Close(time, clock)
		x.handles[t] = nil
	case aSwitch:
		if x.atomic == nil || t.open != x.atomic {
			h.Atomicity(time, clock)
		}
	}
}

// removes reports whether additions remove a race and bring none.
func (r *rerun) removes(e *RaceError, open any, adds []addition, atomic any) bool {
	races, ok := r.run(open, adds, atomic)
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

// mostLines bounds the lines of the program at which fixes are tried.
const mostLines = 12

// fix finds what to add for a race of two handles of one open; empty if nothing
// was found that works in the run.
func (r *rerun) fix(e *RaceError, l *lack) string {
	if l == nil || l.a == nil || e.Rule != "CONS-C2" || e.AboutViews() {
		return ""
	}
	open := l.a.h.open
	ranks := r.ranksOf(open)
	if len(ranks) < 2 {
		return ""
	}
	first, second := e.A, e.B
	first.Place, second.Place = lineOf(first.Place), lineOf(second.Place)
	a, b := &first, &second
	if l.order && a.Place.File == b.Place.File && b.Place.Line < a.Place.Line {
		a, b = b, a
	}
	text := ""
	for _, adds := range r.candidates(ranks, a, b, l) {
		if r.cost--; r.cost < 0 {
			return ""
		}
		if r.removes(e, open, adds, nil) {
			text = r.words(adds, ranks)
			break
		}
	}
	if text == "" {
		return ""
	}
	if have := r.have(a, b, ranks); have != "" {
		text += " (you have " + have + ")"
	}
	if !a.Atomic || !b.Atomic {
		if at := r.openedAt(ranks, open); at != "" && r.removes(e, open, nil, open) {
			text += "; or add SetAtomicity(true) after " + at + ", on all ranks of the file"
			if l.order {
				text += ", and take either order"
			}
		}
	}
	return text
}

// ranksOf are the ranks that have a file by one open.
func (r *rerun) ranksOf(open any) []int {
	var ranks []int
	for _, t := range r.d.all {
		if t.open == open {
			ranks = append(ranks, t.rank)
		}
	}
	slices.Sort(ranks)
	return ranks
}

// lines are the places of calls that all of some ranks make equally often, in the
// order in which the first of them came to them.
func (r *rerun) lines(ranks []int) []sched.Place {
	var all []sched.Place
	count := func(rank int, p sched.Place) int {
		n := 0
		for i, q := range r.places[rank] {
			if q == p && r.marks[rank][i].Op != "" {
				n++
			}
		}
		return n
	}
	for i, p := range r.places[ranks[0]] {
		if r.marks[ranks[0]][i].Op == "" || slices.Contains(all, p) || p.Line == 0 {
			continue
		}
		n := count(ranks[0], p)
		if !slices.ContainsFunc(ranks[1:], func(rank int) bool { return count(rank, p) != n }) {
			all = append(all, p)
		}
	}
	return all
}

// candidates are the additions to try, the smallest first.
func (r *rerun) candidates(ranks []int, a, b *Party, l *lack) [][]addition {
	n := len(r.program)
	same := func(p sched.Place, before bool) []spot {
		at := make([]spot, n)
		for _, rank := range ranks {
			at[rank] = spot{p, before}
		}
		return at
	}
	var places [][]spot
	lines := r.lines(ranks)
	for _, p := range lines[:min(len(lines), mostLines)] {
		places = append(places, same(p, true), same(p, false))
	}
	// Each rank at its own line: after the first access, before the second; the
	// others after the last line that all make before the first.
	own := make([]spot, n)
	other := sched.Place{}
	for i, p := range r.places[a.Rank] {
		if p == a.Place {
			break
		}
		if r.marks[a.Rank][i].Op != "" && slices.Contains(lines, p) {
			other = p
		}
	}
	for _, rank := range ranks {
		switch has := func(p sched.Place) bool { return slices.Contains(r.places[rank], p) }; {
		case rank == a.Rank || rank != b.Rank && has(a.Place):
			own[rank] = spot{place: a.Place}
		case rank == b.Rank || has(b.Place):
			own[rank] = spot{place: b.Place, before: true}
		default:
			own[rank] = spot{place: other}
		}
	}
	places = append(places, own)
	var all [][]addition
	one := []string{"S"}
	two := []string{"SB", "BS"}
	if l.order {
		one = []string{"B"}
	}
	for _, calls := range one {
		for _, at := range places {
			all = append(all, []addition{{calls, at}})
		}
	}
	if !l.order {
		for apart := 1; apart < len(places)-1; apart++ {
			for i := 0; i+apart < len(places)-1; i++ {
				all = append(all, []addition{{"S", places[i]}, {"S", places[i+apart]}})
			}
		}
	}
	for _, calls := range append(two, "SBS") {
		for _, at := range places {
			all = append(all, []addition{{calls, at}})
		}
	}
	return all
}

// words say what additions are.
func (r *rerun) words(adds []addition, ranks []int) string {
	var parts []string
	for _, x := range adds {
		var calls []string
		for _, c := range x.calls {
			calls = append(calls, map[rune]string{'S': "Sync", 'B': "Barrier"}[c])
		}
		var at []spot
		by := map[spot][]string{}
		for _, rank := range ranks {
			s := x.at[rank]
			if by[s] == nil {
				at = append(at, s)
			}
			by[s] = append(by[s], fmt.Sprint(rank))
		}
		where := ""
		for i, s := range at {
			word := "after "
			if s.before {
				word = "before "
			}
			who := "rank "
			if len(by[s]) > 1 {
				who = "ranks "
			}
			if len(at) == 1 {
				who = "all ranks of the file"
			} else {
				who += strings.Join(by[s], ", ")
			}
			if i > 0 {
				where += ", "
			}
			where += word + r.name(s.place) + " on " + who
		}
		parts = append(parts, "add "+strings.Join(calls, ", ")+" "+where)
	}
	return strings.Join(parts, ", and ")
}

// name is the call of a line, with the line.
func (r *rerun) name(p sched.Place) string {
	for rank, places := range r.places {
		for i, q := range places {
			if q == p && r.marks[rank][i].Op != "" {
				return fmt.Sprintf("%s (%v)", r.marks[rank][i].Op, p)
			}
		}
	}
	return p.String()
}

// have names the syncs and barriers between two accesses that all ranks make.
func (r *rerun) have(a, b *Party, ranks []int) string {
	var all []string
	between := false
	for i, p := range r.places[a.Rank] {
		op := r.marks[a.Rank][i].Op
		if op == "" {
			continue
		}
		if between && p != a.Place && (op == "Sync" || op == "Barrier") && r.precedes(b, p) {
			if text := fmt.Sprintf("%s (%v)", op, p); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		between = between || p == a.Place
	}
	return strings.Join(all, ", ")
}

// precedes reports whether the rank of b comes to p before it comes to b.
func (r *rerun) precedes(b *Party, p sched.Place) bool {
	i, j := slices.Index(r.places[b.Rank], p), slices.Index(r.places[b.Rank], b.Place)
	return i >= 0 && i < j
}

// openedAt names the line on which all ranks open a file.
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
	return r.name(at)
}

// Advise runs what was recorded again, with what may fix each race in it, and puts
// what works into the races that [Detector.Races] returns. Of many races only the
// first are tried. marks are those of each rank, and whether they are all.
func (d *Detector) Advise(marks func(rank int) ([]sched.Mark, bool)) {
	const most = 8
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == 0 {
		return
	}
	r := d.newRerun(marks)
	if r == nil {
		return
	}
	for _, e := range d.list[:min(len(d.list), most)] {
		if text := r.fix(e, e.lack); text != "" {
			e.lack.fix = text
		}
	}
}
