package sched

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/callsite"
)

// An Explorer runs a program once for each sequence of choices that makes a difference.
// Each run starts from the beginning and repeats the first choices of an earlier one.
//
//	x := sched.NewExplorer()
//	for x.Next() {
//		s := sched.New(n, sched.Options{Explorer: x})
//		s.Run(body)
//		if x.Counts(s) {
//			... one outcome; s.Token() replays it
//		}
//	}
//	x.Close()
//
// This is dynamic partial-order reduction, depth first, with source sets and sleep sets.
// Two choices depend on each other if they answer the same question or touch the same
// object. At first only the answers of one question are tried at each point. A run then
// shows which other results were possible: an answer that became possible too late although
// it did not depend on the decision, or two held operations in an order that could be
// swapped. For each of these, the choice that leads to it is added at the point of the
// decision. An answer that has been tried sleeps while others are tried, until a choice
// that depends on it wakes it. Where the results of operations are chosen, dependence has a
// direction: a write may have to come before a read, but not after it; see [Result]. So two
// complete runs always differ in more than the order of independent choices.
//
// Nor do they differ only in the place of a write that no operation reads. A write that sleeps does
// not wake when it is overwritten: where it was tried, it would have had no effect. If it is made
// after that, and the next operation on its bytes overwrites it again, the run repeats one in which
// it was made where it was tried. That operation is left out until another reads the bytes. The
// orders that it would have shown are planned all the same, because another write may come last in
// them.
//
// The explorer does not hash states to stop a run at a state seen before. The next action
// of a rank is in its stack, which cannot be compared, so a state would have to be
// identified by its history: the calls of each rank, the answers it got, and the order of
// operations on shared objects. But two runs with the same history differ only in the order
// of independent choices, and only one of those is run anyway.
type Explorer struct {
	path    []*node
	depth   int // number of choices made in the present run
	run     *exploration
	started bool
	err     atomic.Pointer[UncontrolledError]

	pool  coroutinePool // goroutines, kept from run to run
	lines memory
	sites []callsite.Cache // by rank

	touched map[questionKey]Footprint // in all runs, of those that may touch more until the end of a run

	grown bool // one of them has touched more than in an earlier run

	stays   []callID // ranks leave all other collective calls on files early
	crossed bool     // some run was made only because of that

	calls  callLog
	checks bool         // the present run only repeats the first one
	first  *exploration // the first run, to be compared when the second is done

	Runs      int // complete runs
	Redundant int // runs that were stopped because they would repeat others

	Untried []string // see [Sched.NoteUntried]
}

// A questionKey names a question: rank, and number of the rank's questions before.
type questionKey struct{ rank, op int32 }

// A node is a point at which a choice is made.
type node struct {
	menu   []label
	todo   []bool      // by menu entry: it must be tried
	done   []bool      // by menu entry: it has been tried
	foots  []Footprint // by menu entry: its footprint when it was tried
	asleep []sleeper   // answers that have been tried before
	slept  []bool      // by menu entry: it would only repeat runs tried elsewhere
	chosen int
	marks  []int // by rank: number of its calls before this choice
}

// ErrAsleep is the cause that stops a run which would only repeat others.
var ErrAsleep = errors.New("explored already")

// NewExplorer returns an Explorer that has made no run yet.
func NewExplorer() *Explorer { return &Explorer{pool: coroutinePool{keepsGoroutines: true}} }

// Close ends the goroutines that the Explorer keeps from run to run. No further run is
// possible.
func (x *Explorer) Close() { x.pool.end() }

// Checks reports whether the present run only repeats the first one to check the program;
// see uncontrolled.go.
func (x *Explorer) Checks() bool { return x.checks }

// Err returns an [UncontrolledError] if the program cannot be explored, otherwise nil.
func (x *Explorer) Err() error {
	if e := x.err.Load(); e != nil {
		return e
	}
	return nil
}

// Next prepares the next run and reports whether there is one. The previous run must have
// ended.
func (x *Explorer) Next() bool {
	if !x.started {
		x.started = true
		return true
	}
	if x.Err() != nil || x.run == nil {
		return false
	}
	if calls := x.run.breaches(); len(calls) > 0 {
		x.Untried = nil
		x.stay(calls...)
		return true
	}
	if x.depth < len(x.path) {
		x.differs("the end of the program")
		return false
	}
	switch {
	case x.checks:
		if !x.calls.loose && !cutShort(x.run.s) {
			if e := x.calls.missing(nil); e != nil {
				x.stopExploring(e)
				return false
			}
		}
		x.checks, x.calls.again = false, false
		x.run = x.first
		x.first = nil
	case x.asleep():
		x.Redundant++
	default:
		x.Runs++
		x.crossed = x.crossed || x.run.crosses()
	}
	if x.Runs == 1 && x.Redundant == 0 && !x.calls.checked {
		x.checks, x.first = true, x.run
		x.calls.repeat(cutShort(x.run.s))
		return true
	}
	x.note(x.run)
	x.run.orderFootprints(x.touched)
	all := x.run.allDeps()
	for _, l := range x.run.late {
		x.reverse(l, all)
	}
	switch {
	case x.backtrack():
	case x.grown: // orders that now make a difference made none before
		x.grown = false
		x.beginAgain()
	case x.crossed && !slices.Contains(x.stays, everyCall):
		x.stay(everyCall)
	default:
		return false
	}
	return true
}

func (x *Explorer) asleep() bool { return errors.Is(x.run.s.Cause(), ErrAsleep) }

// cutShort reports whether ranks may have been stopped at any point. After a deadlock it is
// false: all ranks wait then.
func cutShort(s *Sched) bool {
	_, dead := s.Cause().(*DeadlockError)
	return s.Cause() != nil && !dead
}

// Counts reports whether the run of s is a result of the exploration: it is neither a check
// nor was it stopped because it would repeat others, nor has it broken a promise.
func (x *Explorer) Counts(s *Sched) bool {
	return !x.checks && !errors.Is(s.Cause(), ErrAsleep) && !s.Broken()
}

// begin is called by each new world, before its run.
func (x *Explorer) begin(run *exploration) {
	if x.run != nil && x.run != x.first {
		run.runBuffers = x.run.takeBuffers()
	}
	x.run, x.depth = run, 0
	run.stays = x.stays
	x.calls.begin(len(run.ranks))
	if len(x.sites) != len(run.ranks) {
		x.sites = make([]callsite.Cache, len(run.ranks))
	}
}

func (x *Explorer) pick(menu []label) (int, error) {
	i := x.depth
	x.depth++
	if i < len(x.path) {
		n := x.path[i]
		if e := x.calls.missing(n.marks); e != nil {
			x.depth = i
			x.stopExploring(e)
			return 0, e
		}
		if !sameMenu(n.menu, menu) {
			x.depth = i
			return 0, x.differs("the choice between " + describe(menu))
		}
		return slices.Index(menu, n.menu[n.chosen]), nil
	}
	n := x.extend(menu)
	first := slices.Index(n.slept, false)
	if first < 0 {
		return 0, ErrAsleep
	}
	better := func(l label) bool { return l.held.write && l.held.result == Chosen } // reads after it can show all that reads before it can
	if n.overwritten(menu[first]) {
		better = func(l label) bool { return !n.overwritten(l) } // what comes last may be seen
	}
	for j, l := range menu {
		if !n.slept[j] && better(l) {
			first = j
			break
		}
	}
	for j, l := range menu {
		n.todo[j] = l.rank == menu[first].rank && l.op == menu[first].op && !n.slept[j]
	}
	n.chosen = first
	return first, nil
}

// extend adds a node with the given menu to the path. It reuses the memory of an earlier
// node.
func (x *Explorer) extend(menu []label) *node {
	k := len(x.path)
	x.path = slices.Grow(x.path, 1)[:k+1]
	n := x.path[k]
	if n == nil {
		n = new(node)
		x.path[k] = n
	}
	*n = node{
		menu: append(n.menu[:0], menu...), todo: zeros(n.todo, len(menu)), done: zeros(n.done, len(menu)),
		foots: zeros(n.foots, len(menu)), asleep: n.asleep[:0], slept: zeros(n.slept, len(menu)), marks: x.calls.marks(n.marks[:0]),
	}
	if k > 0 {
		n.asleep = x.inherit(n.asleep, x.path[k-1], x.run.made[k-1].foot)
	}
	for j, l := range menu {
		now := sleeper{label: l, foot: x.run.from[j].held.Foot}
		if slices.ContainsFunc(n.asleep, func(s sleeper) bool { return s.sleep == unseen && now.overwrites(&s) }) {
			n.slept[j] = true
			x.run.leave(j)
		}
		n.slept[j] = n.slept[j] || slices.ContainsFunc(n.asleep, func(s sleeper) bool { return s.sleep == asleep && s.label == l })
	}
	return n
}

// zeros returns a slice of n zero values, in the memory of list if that is large enough.
func zeros[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// overwritten reports whether the answer is a write that would have shown nothing if it had been
// made when it was tried.
func (n *node) overwritten(l label) bool {
	return slices.ContainsFunc(n.asleep, func(s sleeper) bool { return s.sleep == overwritten && s.label == l })
}

// inherit appends the answers that still sleep after the choice at n, which has that footprint.
func (x *Explorer) inherit(still []sleeper, n *node, foot Footprint) []sleeper {
	c := x.complete(sleeper{label: n.menu[n.chosen], foot: foot})
	for _, l := range n.asleep {
		if l, ok := x.complete(l).after(&c); ok {
			still = append(still, l)
		}
	}
	for j, l := range n.menu {
		if !n.done[j] {
			continue
		}
		if s, ok := x.complete(sleeper{label: l, foot: n.foots[j]}).after(&c); ok {
			still = append(still, s)
		}
	}
	return still
}

// complete gives l, if more may be added to its footprint, all that was added in any run so far.
// That is enough for an answer that sleeps beside it: all runs with both have been made, but for
// their order, and before they differ they touch the same.
func (x *Explorer) complete(l sleeper) sleeper {
	if l.foot != nil && l.foot.Open() {
		l.foot = x.touched[questionKey{l.rank, l.op}]
	}
	return l
}

// note keeps what the operations of a run have touched that could still touch more.
func (x *Explorer) note(run *exploration) {
	for i := range run.made {
		e := &run.made[i]
		if e.foot == nil || !e.foot.Open() {
			continue
		}
		q := questionKey{e.label.rank, e.label.op}
		if all := x.touched[q]; all != nil {
			x.touched[q] = all.Join(e.foot)
			x.grown = x.grown || x.touched[q] != all
			continue
		}
		if x.touched == nil {
			x.touched = map[questionKey]Footprint{}
		}
		x.touched[q] = e.foot
	}
}

// reverse plans a run in which the late answer is not late. That run begins, at the point
// of the decision, with choices that can happen before the answer without depending on the
// decision; all has what the results of choices depend on. If such a beginning is planned there
// already, or sleeps, nothing is added.
func (x *Explorer) reverse(l late, all []*history) {
	if l.event >= len(x.path) {
		return
	}
	n := x.path[l.event]
	made := x.run.made
	var before *history // choices that could happen before the decision
	add, other := -1, -1
	try := func(first label, wanted bool) (decided bool) {
		i := slices.Index(n.menu, first)
		if i < 0 {
			return false
		}
		if n.todo[i] || n.slept[i] {
			return true
		}
		if wanted && add < 0 {
			add = i
		}
		other = i
		return false
	}
	for j := l.event + 1; j < l.at; j++ {
		deps := made[j].deps
		if all != nil {
			deps = all[j]
		}
		if made[j].deps.has(l.event) || !l.deps.has(j) && deps.has(l.event) {
			continue
		}
		if !deps.meets(before) && try(made[j].label, l.deps.has(j)) {
			return
		}
		before = before.with(j)
	}
	if !l.deps.meets(before) && try(l.label, true) {
		return
	}
	switch {
	case add >= 0:
		n.todo[add] = true
	case other >= 0:
		n.todo[other] = true
	default: // the choice that leads there is unknown: try all
		for i := range n.todo {
			n.todo[i] = true
		}
	}
}

// backtrack goes back to the last point with an untried answer and reports whether there is
// one.
func (x *Explorer) backtrack() bool {
	for len(x.path) > 0 {
		k := len(x.path) - 1
		n := x.path[k]
		n.done[n.chosen] = true
		if k < len(x.run.made) {
			n.foots[n.chosen] = x.run.made[k].foot
		}
		for i := range n.menu {
			if n.todo[i] && !n.done[i] && !n.slept[i] {
				n.chosen = i
				x.calls.keep(n.marks)
				return true
			}
		}
		x.path = x.path[:k]
	}
	return false
}

// sameMenu reports whether two menus have the same entries. Their order differs if ranks
// ran in another order.
func sameMenu(a, b []label) bool {
	return slices.Equal(a, b) || len(a) == len(b) && !slices.ContainsFunc(a, func(l label) bool { return !slices.Contains(b, l) })
}

// differs returns the error of a run whose possible choices are not those of the run that
// it repeats.
func (x *Explorer) differs(now string) error {
	before := "the end of the program"
	if x.depth < len(x.path) {
		before = "the choice between " + describe(x.path[x.depth].menu)
	}
	return x.stopExploring(&UncontrolledError{Rank: -1, Before: before, Now: now})
}

// stopExploring records e, which says that the program cannot be explored, and returns it.
func (x *Explorer) stopExploring(e *UncontrolledError) error {
	e.Choice, e.Reordered = x.depth, x.checks
	x.err.CompareAndSwap(nil, e)
	return x.Err()
}

// describe returns the entries of a menu as text.
func describe(menu []label) string {
	text := ""
	for i, l := range menu {
		if i > 0 {
			text += ", "
		}
		if l.op < 0 {
			text += fmt.Sprintf("result %d of choice %d of rank %d", l.pick, -l.op, l.rank)
		} else {
			text += fmt.Sprintf("answer %d to question %d of rank %d", l.pick, l.op+1, l.rank)
		}
	}
	return text
}

// given is the chooser that makes the choices of a token.
type given struct {
	list []int
	made int
}

func (g *given) pick(menu []label) (int, error) {
	if g.made == len(g.list) {
		return 0, nil
	}
	i := g.list[g.made]
	g.made++
	if i >= len(menu) {
		return 0, fmt.Errorf("the schedule does not fit the program: choice %d is number %d of %d; program, input and ranks have to be those that made it",
			g.made, i, len(menu))
	}
	return i, nil
}
