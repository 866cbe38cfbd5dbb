package sched

import (
	"errors"
	"fmt"
	"slices"
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
type Explorer struct {
	path    []*node
	depth   int // choices made in the present run
	run     *exploration
	started bool
	err     error

	Runs      int // that ended
	Redundant int // that were given up, because they would repeat others
}

// A node is a point at which a choice is made.
type node struct {
	menu   []label
	todo   []bool  // by entry: it has to be tried
	done   []bool  // by entry: it has been
	asleep []label // would repeat what has been tried elsewhere
	chosen int
}

// ErrAsleep ends a run that would only repeat others.
var ErrAsleep = errors.New("explored already")

// An UncontrolledError says that a program did not do the same again although
// all choices went the same way: it depends on something that is no choice,
// such as the time, the order of a map, or memory that runs share.
type UncontrolledError struct {
	Choice int    // how many choices had been made
	Before string // what could be chosen the first time
	Now    string // and this time
}

// Error tells both.
func (e *UncontrolledError) Error() string {
	return fmt.Sprintf("uncontrolled nondeterminism: after the same %d choices there were once %s to choose from, and then %s;"+
		" the program depends on something besides its messages, such as time, a map's order or what an earlier run left",
		e.Choice, e.Before, e.Now)
}

// NewExplorer returns an Explorer that has run nothing yet.
func NewExplorer() *Explorer { return &Explorer{} }

// Err is an [UncontrolledError] if exploring came to nothing.
func (x *Explorer) Err() error { return x.err }

// Next prepares the next run and reports whether there is one. The one before
// must have ended.
func (x *Explorer) Next() bool {
	if !x.started {
		x.started = true
		return true
	}
	if x.err != nil || x.run == nil {
		return false
	}
	if x.asleep() {
		x.Redundant++
	} else {
		x.Runs++
	}
	if x.depth < len(x.path) {
		x.differs("the end of the program")
		return false
	}
	for _, l := range x.run.late {
		x.reverse(l)
	}
	return x.backtrack()
}

func (x *Explorer) asleep() bool { return errors.Is(x.run.s.Cause(), ErrAsleep) }

// Counts reports whether the run of s was one that counts: it did not end
// because it would only have repeated others.
func (x *Explorer) Counts(s *Sched) bool { return !errors.Is(s.Cause(), ErrAsleep) }

// begin is called by a new world.
func (x *Explorer) begin(run *exploration) { x.run, x.depth = run, 0 }

func (x *Explorer) pick(menu []label) (int, error) {
	i := x.depth
	x.depth++
	if i < len(x.path) {
		n := x.path[i]
		if !slices.Equal(n.menu, menu) {
			x.depth = i
			return 0, x.differs(describe(menu))
		}
		return n.chosen, nil
	}
	n := &node{menu: slices.Clone(menu), todo: make([]bool, len(menu)), done: make([]bool, len(menu)), asleep: x.inherited()}
	first := slices.IndexFunc(menu, func(l label) bool { return !slices.Contains(n.asleep, l) })
	x.path = append(x.path, n)
	if first < 0 {
		return 0, ErrAsleep
	}
	for j, l := range menu {
		n.todo[j] = l.rank == menu[first].rank && l.op == menu[first].op && !slices.Contains(n.asleep, l)
	}
	n.chosen = first
	return first, nil
}

// inherited are the answers that sleep after the last choice.
func (x *Explorer) inherited() []label {
	if len(x.path) == 0 {
		return nil
	}
	n := x.path[len(x.path)-1]
	c := n.menu[n.chosen]
	var still []label
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
				return true
			}
		}
		x.path = x.path[:len(x.path)-1]
	}
	return false
}

func (x *Explorer) differs(now string) error {
	x.err = &UncontrolledError{x.depth, describe(x.path[x.depth].menu), now}
	return x.err
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
