package sched

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An exploration is one run of an exploring world: its open questions and the choices made
// so far.
type exploration struct {
	s      *Sched
	choose chooser
	picks  []int // by choice: the chosen entry of its menu
	ranks  []rankState
	runBuffers

	stays    []callID  // ranks leave all other collective calls on files early
	promises []promise // of ranks that have
	broken   []callID  // calls of promises that were not kept
	meetings map[meetingID]int
	arrivals [][]arrival // by rank
}

// runBuffers are slices and maps that grow in a run and that the next run takes over,
// empty. They hold nothing that belongs to a rank or its program, because a goroutine left
// behind by a run may still use that.
type runBuffers struct {
	asked  []*Decision // open questions, oldest first
	polled []*Decision // decided polls that are asked for late answers
	made   []event
	late   []late
	left   []event // writes that were left out, because they overwrite what no operation has read
	menu   []label
	from   []*Decision // by menu entry: its question
	since  []Clock     // by menu entry: the clock of its answer
	spare  []Answer
	idle   []*Decision // decisions that no rank uses
}

// takeBuffers returns the buffers of a run that is over.
func (x *exploration) takeBuffers() runBuffers {
	r := x.runBuffers
	x.runBuffers = runBuffers{}
	return runBuffers{
		empty(r.asked), empty(r.polled), empty(r.made), empty(r.late), empty(r.left), empty(r.menu), empty(r.from), empty(r.since), empty(r.spare), r.idle,
	}
}

func empty[T any](list []T) []T {
	clear(list[:cap(list)])
	return list[:0]
}

// A rankState is what the explorer keeps about a rank.
type rankState struct {
	ops        int32 // number of questions so far
	first      int32 // number of those for [Choose], which do not count: some runs have fewer of them
	version    uint64
	emptyPolls int            // polls without an answer since the last change
	passed     map[any]passed // by polled object
	seen       Clock          // clock of everything that polls have found
}

// passed counts how often a poll was answered "nothing" although there was something, since
// the last change of the rank's situation.
type passed struct {
	version uint64
	times   int
}

// An event is a choice that was made.
type event struct {
	label label
	deps  *history // events before it, without itself
	foot  Footprint
	at    int // of one that was not made: number of events before
}

// A late answer is one that came after its question was decided by event.
type late struct {
	event, at int // at: number of events when it was reported
	label     label
	deps      *history
}

// maxEmptyPolls bounds polls without an answer in a world where nothing else can happen,
// maxChoices the length of a run.
const (
	maxEmptyPolls = 64
	maxChoices    = 100_000
)

// A chooser picks an entry of the menu, which is not empty. An error ends the run. The menu
// is sorted by rank and question; polls that find nothing come last, because waiting for an
// event is better.
type chooser interface {
	pick(menu []label) (int, error)
}

func newExploration(s *Sched, c chooser) *exploration {
	return &exploration{s: s, choose: c, ranks: make([]rankState, len(s.ranks))}
}

// explorer returns the Explorer that makes the choices of the world, nil if there is none.
func (s *Sched) explorer() *Explorer {
	if s.run == nil {
		return nil
	}
	x, _ := s.run.choose.(*Explorer)
	return x
}

func (x *exploration) open(d *Decision) *Decision {
	at := &x.ranks[d.r.id]
	d.label = label{rank: d.r.id, op: at.ops, held: d.held.span()}
	if d.first {
		at.first++
		d.label.op = -at.first
	} else {
		at.ops++
	}
	d.deps, d.event = d.r.deps, -1
	x.asked = append(x.asked, d)
	return d
}

// blank returns an empty Decision, possibly a recycled one.
func (x *exploration) blank() *Decision {
	n := len(x.idle) - 1
	if n < 0 {
		return new(Decision)
	}
	d := x.idle[n]
	x.idle = x.idle[:n]
	return d
}

// recycle takes back a Decision that has been made and that no rank uses.
func (x *exploration) recycle(d *Decision) {
	*d = Decision{known: d.known[:0]}
	x.idle = append(x.idle, d)
}

// decide makes one choice, or lets ranks do their due tasks, and reports whether it did
// either. No rank runs.
func (x *exploration) decide() bool {
	x.findLateAnswers()
	x.list()
	if !slices.ContainsFunc(x.menu, func(l label) bool { return l.pick != None }) && x.callForTasks() {
		return true
	}
	return x.makeChoice()
}

// end decides after the last rank has ended what its program left open.
func (x *exploration) end() {
	for x.s.cause.Load() == nil {
		if !x.decideLeft() {
			x.answerLeft()
			return
		}
	}
}

// decideLeft makes one choice after all ranks have ended, for a receive that was left open,
// and reports whether there was one. It shows which answers to polls came too late. A
// receive that can take only what came after all polls is left alone.
func (x *exploration) decideLeft() bool {
	x.findLateAnswers()
	x.list()
	n := 0
	for i, d := range x.from {
		if d.take != nil && x.comesLate(d) {
			x.menu[n], x.from[n], x.since[n] = x.menu[i], d, x.since[i]
			n++
		}
	}
	x.menu, x.from, x.since = x.menu[:n], x.from[:n], x.since[:n]
	return x.makeChoice()
}

// comesLate reports whether an answer of d in the menu may come too late for a poll: it did
// not come after it.
func (x *exploration) comesLate(d *Decision) bool {
	for i, o := range x.from {
		if o != d {
			continue
		}
		deps := d.deps.union(x.since[i].deps)
		for _, p := range x.polled {
			if !deps.has(p.event) {
				return true
			}
		}
	}
	return false
}

// answerLeft answers each question that is still open, so that reports do not name messages that
// are received. Another answer might leave another message; then the exploration says so.
func (x *exploration) answerLeft() {
	for len(x.asked) > 0 {
		d := x.asked[0]
		d.Close()
		x.spare = d.q.Answers(x.spare[:0])
		if d.take == nil || len(x.spare) == 0 {
			continue
		}
		pick := x.spare[0].Pick
		for _, a := range x.spare {
			pick = min(pick, a.Pick) // in whatever order they came
		}
		if len(x.spare) > 1 {
			x.s.NoteUntried("which message " + d.q.String() + " takes, for which no rank waits")
		}
		d.take(pick, Clock{})
	}
}

// makeChoice chooses an entry of the menu and reports whether there was one.
func (x *exploration) makeChoice() bool {
	if len(x.menu) == 0 {
		return false
	}
	if len(x.made) == maxChoices {
		x.s.Abort(ErrTooLong)
		return true
	}
	i, err := x.choose.pick(x.menu)
	if err != nil {
		x.s.Abort(err)
		return true
	}
	x.picks = append(x.picks, i)
	x.perform(x.from[i], x.menu[i], x.since[i])
	return true
}

// findLateAnswers finds answers of polls that came after the poll was decided.
func (x *exploration) findLateAnswers() {
	for _, d := range x.polled {
		x.spare = d.q.Answers(x.spare[:0])
		for _, a := range x.spare {
			if !slices.Contains(d.known, a.Pick) {
				d.known = append(d.known, a.Pick)
				d.Late(a.Pick, a.Since)
			}
		}
	}
}

// list fills the menu.
func (x *exploration) list() {
	x.menu, x.from, x.since = x.menu[:0], x.from[:0], x.since[:0]
	slices.SortStableFunc(x.asked, func(a, b *Decision) int { return int(a.label.rank) - int(b.label.rank) })
	add := func(d *Decision, a Answer) {
		l := d.label
		l.pick = a.Pick
		x.menu, x.from, x.since = append(x.menu, l), append(x.from, d), append(x.since, a.Since)
	}
	if i := slices.IndexFunc(x.asked, func(d *Decision) bool { return d.first }); i >= 0 {
		d := x.asked[i]
		for _, a := range d.q.Answers(x.spare[:0]) {
			add(d, a)
		}
		return
	}
	for _, d := range x.asked {
		if d.mustWait() {
			continue
		}
		x.spare = d.q.Answers(x.spare[:0])
		for _, a := range x.spare {
			add(d, a)
		}
		if d.poll != nil && len(x.spare) > 0 && x.mayPass(d, x.spare) {
			add(d, Answer{Pick: None})
		}
	}
	n := len(x.menu)
	for _, d := range x.asked {
		if d.poll != nil && !d.mustWait() && x.ranks[d.label.rank].emptyPolls < maxEmptyPolls && !slices.Contains(x.from[:n], d) {
			if len(d.q.Answers(x.spare[:0])) == 0 {
				add(d, Answer{Pick: None})
			}
		}
	}
}

// mustWait reports whether the rank could not act on an answer: it is in the middle of a task that asks
// something else.
func (d *Decision) mustWait() bool {
	cs := d.r.tasks
	return cs != nil && cs.busy && d.label.op < cs.from && d.take == nil
}

// mayPass reports whether a poll may be answered "nothing" although there is something.
func (x *exploration) mayPass(d *Decision, answers []Answer) bool {
	at := &x.ranks[d.label.rank]
	if p := at.passed[d.poll]; p.version == at.version && p.times >= x.s.polls {
		return false
	}
	now := d.r.Publish(false).Join(at.seen)
	return !slices.ContainsFunc(answers, func(a Answer) bool { return now.CoversEvent(a.Since) })
}

// perform carries out the choice of answer l for d.
func (x *exploration) perform(d *Decision, l label, since Clock) {
	deps := d.deps.union(since.deps)
	if l.held.object != 0 && d.held.Foot == nil {
		deps = x.order(l, deps)
	}
	d.event, d.pick = len(x.made), l.pick
	d.known = d.known[:0]
	for i, o := range x.menu {
		if x.from[i] == d {
			d.known = append(d.known, o.pick)
		}
	}
	x.made = append(x.made, event{label: l, deps: deps, foot: d.held.Foot})
	d.Close()
	if !d.reports {
		x.polled = append(x.polled, d)
	}
	at := &x.ranks[l.rank]
	if l.pick != None {
		at.emptyPolls = 0
		if d.waits {
			at.seen = at.seen.Join(since)
		}
	} else if len(d.known) == 1 {
		at.emptyPolls++
	} else {
		if at.passed == nil {
			at.passed = map[any]passed{}
		}
		p := at.passed[d.poll]
		if p.version != at.version {
			p = passed{version: at.version}
		}
		p.times++
		at.passed[d.poll] = p
	}
	deps = deps.with(d.event)
	if d.waits { // so that later clocks of the rank include the event
		d.r.deps = d.r.deps.union(deps)
		d.over = true
		d.r.Wake()
		return
	}
	d.take(l.pick, Clock{deps: deps})
}

// order puts a held operation after the conflicting operations that were performed before
// it, and records those that could also have come after it.
func (x *exploration) order(l label, deps *history) *history {
	for i := len(x.made) - 1; i >= 0; i-- {
		e := &x.made[i]
		if !l.held.conflicts(&e.label.held) || deps.has(i) {
			continue
		}
		x.late = append(x.late, late{i, len(x.made), l, deps})
		deps = deps.union(e.deps).with(i)
	}
	return deps
}

// leave records that the write at j in the menu is left out for now, so that the orders that it would
// have shown are planned.
func (x *exploration) leave(j int) {
	x.left = append(x.left, event{label: x.menu[j], deps: x.from[j].deps.union(x.since[j].deps), foot: x.from[j].held.Foot, at: len(x.made)})
}

// orderFootprints orders the operations with footprints after the run, when the footprints are
// complete, as order does for the others. If a footprint could still grow, it gets all that the
// same operation has touched in any run, because what it touches may depend on the order of later
// operations. Dependences are transitive, so they are recomputed; a message that was reported to
// come too late may then not be late.
func (x *exploration) orderFootprints(touched map[questionKey]Footprint) {
	var changed *history // events that depend on more than they did
	for k := range x.made {
		e := &x.made[k]
		deps := x.closed(e.deps, changed)
		if e.foot != nil {
			deps = x.orderFoot(e, k, deps, touched)
		}
		if deps != e.deps {
			e.deps, changed = deps, changed.with(k)
		}
	}
	for i := range x.left {
		e := &x.left[i]
		x.orderFoot(e, e.at, x.closed(e.deps, changed), touched)
	}
	if changed == nil {
		return
	}
	x.late = slices.DeleteFunc(x.late, func(l late) bool { return x.closed(l.deps, changed).has(l.event) })
	for i := range x.late {
		x.late[i].deps = x.closed(x.late[i].deps, changed)
	}
}

// allDeps returns, for each event, all events that its result may depend on: those of its deps, and
// those before it that are not tried after it because they can show no more there; see [Result].
// It is nil if there are none of the latter.
func (x *exploration) allDeps() []*history {
	var all []*history
	for k := range x.made {
		h := &x.made[k].label.held
		if all == nil && h.result == Fixed {
			continue
		}
		deps := x.made[k].deps
		for i := k - 1; i >= 0; i-- {
			o := &x.made[i].label.held
			if x.made[k].foot != nil || x.made[i].foot != nil || deps.has(i) || !h.touches(o) || h.conflicts(o) {
				continue
			}
			if all == nil {
				all = make([]*history, 0, len(x.made))
			}
			deps = deps.with(i)
		}
		if all == nil {
			continue
		}
		for len(all) < k {
			all = append(all, x.made[len(all)].deps)
		}
		for i := k - 1; i >= 0; i-- {
			if deps.has(i) {
				deps = deps.union(all[i])
			}
		}
		all = append(all, deps)
	}
	return all
}

// closed returns deps with all that those of its events depend on which have changed.
func (x *exploration) closed(deps, changed *history) *history {
	if !deps.meets(changed) {
		return deps
	}
	all := deps
	for i := range x.made {
		if changed.has(i) && deps.has(i) {
			all = all.union(x.made[i].deps)
		}
	}
	return all
}

// orderFoot is order for e, event k, which has a footprint and depends on deps.
func (x *exploration) orderFoot(e *event, k int, deps *history, touched map[questionKey]Footprint) *history {
	whole := func(e *event) Footprint {
		if e.foot != nil && e.foot.Open() {
			return touched[questionKey{e.label.rank, e.label.op}]
		}
		return e.foot
	}
	foot := whole(e)
	for i := k - 1; i >= 0; i-- {
		o := &x.made[i]
		if o.label.held.object != e.label.held.object || deps.has(i) {
			continue
		}
		if o.foot != nil && !whole(o).Meets(foot) || o.foot == nil && !e.label.held.conflicts(&o.label.held) {
			continue
		}
		x.late = append(x.late, late{i, k, e.label, deps})
		deps = deps.union(o.deps).with(i)
	}
	return deps
}

// unused returns an error if a given schedule has choices that no question used.
func (x *exploration) unused() error {
	if _, ok := x.choose.(*given); ok && len(x.breaches()) > 0 {
		return fmt.Errorf("the schedule does not fit the program: %w", errBroken)
	}
	if g, ok := x.choose.(*given); ok && g.made < len(g.list) {
		return fmt.Errorf("the schedule does not fit the program: it has %d choices, of which the program made %d; program, input and ranks have to be those that made it",
			len(g.list), g.made)
	}
	return nil
}

// token returns the choices of the run as text.
func (x *exploration) token() string {
	var b strings.Builder
	b.WriteString("choices:")
	for i, c := range x.picks {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.Itoa(c))
	}
	for _, call := range x.stays {
		fmt.Fprintf(&b, "+%x", uint32(call))
	}
	return b.String()
}

// switches returns how often another rank went on.
func (x *exploration) switches() (n int) {
	for i := range x.made {
		if i > 0 && x.made[i].label.rank != x.made[i-1].label.rank {
			n++
		}
	}
	return n
}

// ErrTooLong ends a run that asks for more choices than any exploration could try.
var ErrTooLong = errors.New("the run takes more than 100000 choices; it may never end")
