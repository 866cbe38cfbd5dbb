package sched

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/callsite"
)

// An Explorer runs a program once for every way in which its choices can go
// that makes a difference, by running it again and again from the start with
// the beginning of the choices given.
//
//	x := sched.NewExplorer()
//	for x.Next() {
//		s := sched.New(n, sched.Options{Explorer: x})
//		s.Run(body)
//		if x.Counts(s) {
//			... one outcome; s.Token() shows it again
//		}
//	}
//	x.Close()
//
// This is dynamic partial-order reduction, depth first, with source sets and
// sleep sets. Two choices depend on each other if they answer the same
// question or touch the same object. At first only the answers of one question
// are tried at each point. A run then shows what else could have been: an
// answer that became possible too late, although it did not have to wait for
// the decision, or two held operations that could have been swapped. For these
// the choice that leads there is added at the point of the decision. An answer
// that was tried sleeps while others are, until a choice that depends on it
// wakes it: so no two runs that end are the same but for the order of choices
// that do not matter to each other.
//
// States are not hashed to stop where a run comes to one that was seen. What a
// rank is about to do lies in its stack, which cannot be compared, so a state
// would have to be known by its history: the acts of each rank, what each choice
// gave it, and the order of operations on what ranks share. But two runs with
// one history differ only in the order of choices that do not matter to each
// other, and of those one is made already. All that hashing could save are runs
// that are begun and given up, and there were none: 0 beside 90 runs of three
// workers that send twice, 1680 if thrice, 162 and 64 of two task farms, 48 of a
// loop of probes, 72 of two writers and two readers of an atomic file, 8 of one
// and three. The two writers and readers end in 23 ways, which is what knowing
// states by the contents of files and memory could save at best, if memory could
// be known; a stored state would also have to keep what its runs depend on, or
// answers that are late for an earlier decision would be lost with the runs.
type Explorer struct {
	path    []*node
	depth   int // choices made in the present run
	run     *exploration
	started bool
	err     atomic.Pointer[UncontrolledError]

	crew  crew // kept from run to run
	lines memory[*Place]
	sites []callsite.Cache // by rank

	diary  diary
	checks bool         // the present run repeats the first
	first  *exploration // which is looked at when that is done

	Runs      int // that ended
	Redundant int // that were given up, because they would repeat others

	Untried []string // see [Rank.Untried]
}

// A node is a point at which a choice is made.
type node struct {
	menu   []label
	todo   []bool  // by entry: it has to be tried
	done   []bool  // by entry: it has been
	asleep []label // would repeat what has been tried elsewhere
	chosen int
	marks  []int // by rank: its acts until then
}

// ErrAsleep ends a run that would only repeat others.
var ErrAsleep = errors.New("explored already")

// NewExplorer returns an Explorer that has run nothing yet.
func NewExplorer() *Explorer { return &Explorer{crew: crew{kept: true}} }

// Close ends what the Explorer keeps from run to run. It makes no further runs.
func (x *Explorer) Close() { x.crew.end() }

// Checks reports whether the present run only repeats the first one: see
// uncontrolled.go.
func (x *Explorer) Checks() bool { return x.checks }

// Err is an [UncontrolledError] if exploring came to nothing.
func (x *Explorer) Err() error {
	if e := x.err.Load(); e != nil {
		return e
	}
	return nil
}

// Next prepares the next run and reports whether there is one. The one before
// must have ended.
func (x *Explorer) Next() bool {
	if !x.started {
		x.started = true
		return true
	}
	if x.Err() != nil || x.run == nil {
		return false
	}
	if x.depth < len(x.path) {
		x.differs("the end of the program")
		return false
	}
	switch {
	case x.checks:
		if !x.diary.loose && !cutShort(x.run.s) {
			if e := x.diary.missing(nil); e != nil {
				x.refute(e)
				return false
			}
		}
		x.checks, x.diary.again = false, false
		x.run = x.first
		x.first = nil
	case x.asleep():
		x.Redundant++
	default:
		x.Runs++
	}
	if x.Runs == 1 && x.Redundant == 0 && !x.diary.checked {
		x.checks, x.first = true, x.run
		x.diary.repeat(cutShort(x.run.s))
		return true
	}
	for _, l := range x.run.late {
		x.reverse(l)
	}
	return x.backtrack()
}

func (x *Explorer) asleep() bool { return errors.Is(x.run.s.Cause(), ErrAsleep) }

// cutShort says that ranks may have been stopped wherever they were: a run that
// ends by a deadlock is not, for then all wait.
func cutShort(s *Sched) bool {
	_, dead := s.Cause().(*DeadlockError)
	return s.Cause() != nil && !dead
}

// Counts reports whether the run of s was one that counts: it did not end
// because it would only have repeated others, and is no check.
func (x *Explorer) Counts(s *Sched) bool { return !x.checks && !errors.Is(s.Cause(), ErrAsleep) }

// begin is called by a new world.
func (x *Explorer) begin(run *exploration) {
	if x.run != nil && x.run != x.first {
		run.room = x.run.leave()
	}
	x.run, x.depth = run, 0
	x.diary.begin(len(run.ranks))
	if len(x.sites) != len(run.ranks) {
		x.sites = make([]callsite.Cache, len(run.ranks))
	}
}

func (x *Explorer) pick(menu []label) (int, error) {
	i := x.depth
	x.depth++
	if i < len(x.path) {
		n := x.path[i]
		if e := x.diary.missing(n.marks); e != nil {
			x.depth = i
			x.refute(e)
			return 0, e
		}
		if !sameMenu(n.menu, menu) {
			x.depth = i
			return 0, x.differs("the choice between " + describe(menu))
		}
		return slices.Index(menu, n.menu[n.chosen]), nil
	}
	n := x.extend(menu)
	first := slices.IndexFunc(menu, func(l label) bool { return !slices.Contains(n.asleep, l) })
	if first < 0 {
		return 0, ErrAsleep
	}
	for j, l := range menu {
		n.todo[j] = l.rank == menu[first].rank && l.op == menu[first].op && !slices.Contains(n.asleep, l)
	}
	n.chosen = first
	return first, nil
}

// extend adds a node to the path, and uses the room of one that was there.
func (x *Explorer) extend(menu []label) *node {
	k := len(x.path)
	x.path = slices.Grow(x.path, 1)[:k+1]
	n := x.path[k]
	if n == nil {
		n = new(node)
		x.path[k] = n
	}
	*n = node{
		menu: append(n.menu[:0], menu...), todo: falses(n.todo, len(menu)), done: falses(n.done, len(menu)),
		asleep: n.asleep[:0], marks: x.diary.marks(n.marks[:0]),
	}
	if k > 0 {
		n.asleep = x.path[k-1].inherit(n.asleep)
	}
	return n
}

// falses returns n of them, in the room of list if it is enough.
func falses(list []bool, n int) []bool {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// inherit appends the answers that sleep after the choice at n.
func (n *node) inherit(still []label) []label {
	c := n.menu[n.chosen]
	for _, l := range n.asleep {
		if !l.dependent(c) {
			still = append(still, l)
		}
	}
	for j, l := range n.menu {
		if n.done[j] && !l.dependent(c) {
			still = append(still, l)
		}
	}
	return still
}

// reverse sees to it that a run is made in which the late answer is not late:
// one that begins, at the point of the decision, with what could happen before
// it without it. If such a beginning is on the list there, or sleeps, that run
// has been or will be made.
func (x *Explorer) reverse(l late) {
	if l.event >= len(x.path) {
		return
	}
	n := x.path[l.event]
	made := x.run.made
	var before *history // what could happen before the decision
	add, other := -1, -1
	try := func(first label, wanted bool) (settled bool) {
		i := slices.Index(n.menu, first)
		if i < 0 {
			return false
		}
		if n.todo[i] || slices.Contains(n.asleep, first) {
			return true
		}
		if wanted && add < 0 {
			add = i
		}
		other = i
		return false
	}
	for j := l.event + 1; j < l.at; j++ {
		if made[j].past.has(l.event) {
			continue
		}
		if !made[j].past.meets(before) && try(made[j].label, l.past.has(j)) {
			return
		}
		before = before.with(j)
	}
	if !l.past.meets(before) && try(l.label, true) {
		return
	}
	switch {
	case add >= 0:
		n.todo[add] = true
	case other >= 0:
		n.todo[other] = true
	default: // what leads there is not known: try all
		for i := range n.todo {
			n.todo[i] = true
		}
	}
}

// backtrack goes back to the last point at which something is left to try.
func (x *Explorer) backtrack() bool {
	for len(x.path) > 0 {
		n := x.path[len(x.path)-1]
		n.done[n.chosen] = true
		for i, l := range n.menu {
			if n.todo[i] && !n.done[i] && !slices.Contains(n.asleep, l) {
				n.chosen = i
				x.diary.keep(n.marks)
				return true
			}
		}
		x.path = x.path[:len(x.path)-1]
	}
	return false
}

// sameMenu compares menus, which are in another order if the ranks were.
func sameMenu(a, b []label) bool {
	return slices.Equal(a, b) || len(a) == len(b) && !slices.ContainsFunc(a, func(l label) bool { return !slices.Contains(b, l) })
}

// differs says that what can be chosen is not what could be.
func (x *Explorer) differs(now string) error {
	before := "the end of the program"
	if x.depth < len(x.path) {
		before = "the choice between " + describe(x.path[x.depth].menu)
	}
	return x.refute(&UncontrolledError{Rank: -1, Before: before, Now: now})
}

// refute ends exploring: the program is not one that can be explored.
func (x *Explorer) refute(e *UncontrolledError) error {
	e.Choice, e.Reordered = x.depth, x.checks
	x.err.CompareAndSwap(nil, e)
	return x.Err()
}

// describe says what is on a menu.
func describe(menu []label) string {
	text := ""
	for i, l := range menu {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("answer %d to question %d of rank %d", l.pick, l.op+1, l.rank)
	}
	return text
}

// given makes the choices of a token.
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
