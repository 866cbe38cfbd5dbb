package sched

import (
	"fmt"
	"slices"
)

// In a world that explores, ranks run until none can: then everything that may
// go one way or another is an open question, and one of its answers is chosen.
// Nothing else is a matter of scheduling, because ranks are deterministic
// between their questions. See [Explorer] for who chooses.

// A Question is what may have more than one answer: which message a receive
// takes, whether a test says yes, which request a wait completes.
type Question interface {
	fmt.Stringer

	// Answers appends the answers possible now, in an order that depends on
	// nothing but earlier choices. An answer that is possible stays so until
	// the question is decided. It is also asked after that, for answers that
	// came too late, unless the question reports those by [Decision.Late].
	Answers(to []Answer) []Answer
}

// An Answer is one way to decide a question.
type Answer struct {
	Pick  int64 // names it, whatever the order of choices was
	Since Clock // of the event that made it possible, if that is known
}

// None is the pick of a [Rank.Poll] that found nothing.
const None = -1

// A Decision is a question of a rank and, once made, its answer.
type Decision struct {
	r    *Rank
	q    Question
	take func(pick int64, after Clock)

	label label    // without the pick
	past  *history // decisions before it was asked
	poll  any      // not nil: "nothing yet" may be an answer
	held  Held
	tells bool // late answers are reported
	waits bool // the rank itself hears of the answer, at once: take is nil

	number numbers // the question, if it is one of numbers
	over   bool    // the rank has heard
	event  int     // when decided: which decision of the run it was
	pick   int64   // and how
	known  []int64 // answers that were possible, or reported, then
}

// A label names an answer of a question in all runs of a program.
type label struct {
	rank, op int32 // which question: the rank's op-th
	pick     int64
	held     Held // what a held operation touches
}

// Held is an operation that waits to be performed on an object that ranks
// share, such as a file. Two of them that touch the same bytes of an object,
// not both reading, may not be swapped without effect.
type Held struct {
	Object uint64 // 0 is no object
	Lo, Hi int64  // which bytes; all of them if both are 0
	Write  bool
}

func (h Held) conflicts(o Held) bool {
	if h.Object == 0 || h.Object != o.Object || !h.Write && !o.Write {
		return false
	}
	whole := h.Lo == 0 && h.Hi == 0 || o.Lo == 0 && o.Hi == 0
	return whole || h.Lo < o.Hi && o.Lo < h.Hi
}

// dependent says whether it matters which of two choices is made first.
func (l label) dependent(o label) bool {
	return l.rank == o.rank && l.op == o.op || l.held.conflicts(o.held)
}

// Exploring reports whether the world asks for choices. Where it does not,
// callers choose by themselves.
func (r *Rank) Exploring() bool { return r != nil && r.s.run != nil }

// Open puts a question, which reports late answers, without waiting for the
// answer; take gets it, while no rank runs, with a clock that has to reach
// whoever acts on it.
func (r *Rank) Open(q Question, take func(pick int64, after Clock)) *Decision {
	return r.s.run.open(&Decision{r: r, q: q, take: take, tells: true})
}

// Close withdraws a question that is not decided.
func (d *Decision) Close() {
	run := d.r.s.run
	run.asked = slices.DeleteFunc(run.asked, func(o *Decision) bool { return o == d })
}

// Late reports an answer that became possible after the decision.
func (d *Decision) Late(pick int64, since Clock) {
	if !since.past.has(d.event) {
		l := d.label
		l.pick = pick
		d.r.s.run.late = append(d.r.s.run.late, late{d.event, len(d.r.s.run.made), l, since.past})
	}
}

// Ask waits for the answer to a question.
func (r *Rank) Ask(q Question) (pick int64, err error) {
	return r.ask(&Decision{r: r, q: q})
}

// A Teller is a question that reports late answers itself: it is given the
// means to when it is put.
type Teller interface {
	Question
	Tell(d *Decision)
}

// Poll is Ask for a rank that does not wait: nothing yet, [None], is an answer
// too. It is chosen as long as what makes another one possible did not happen
// before the poll; [Options].Polls times for each change of the rank's situation where there is
// another answer, and a bounded number of times in a row where there is none.
// So a loop of polls ends: by an answer, or as a deadlock. key names what is
// polled, for one rank.
func (r *Rank) Poll(q Question, key any) (pick int64, err error) {
	return r.ask(&Decision{r: r, q: q, poll: key})
}

// Choose returns a number less than n, any of them when exploring and
// otherwise 0. n is at least 1.
func (r *Rank) Choose(n int, what fmt.Stringer) (int, error) {
	if r.s.run == nil || n < 2 {
		return 0, r.Step(what)
	}
	pick, err := r.askNumber(numbers{what, n}, Held{})
	return int(pick), err
}

type numbers struct {
	fmt.Stringer
	n int
}

func (q numbers) Answers(to []Answer) []Answer {
	for i := range q.n {
		to = append(to, Answer{Pick: int64(i)})
	}
	return to
}

// HoldWays is Hold for an operation that can go n ways where it stands, n at
// least 1, and returns the one that is chosen. n is called while no rank runs, and
// its result depends on operations on the object alone. Choosing afterwards would
// not do: others could come between the operation and the choice.
func (r *Rank) HoldWays(what fmt.Stringer, h Held, n func() int) (int, error) {
	if r.s.run == nil {
		return 0, r.Step(what)
	}
	pick, err := r.ask(&Decision{r: r, q: ways{what, n}, held: h, tells: true})
	return int(pick), err
}

type ways struct {
	fmt.Stringer
	n func() int
}

func (q ways) Answers(to []Answer) []Answer { return numbers{n: q.n()}.Answers(to) }

// Untried says that something could go in more ways than an explorer tries.
func (r *Rank) Untried(what string) {
	if x := r.s.explorer(); x != nil && !slices.Contains(x.Untried, what) {
		x.Untried = append(x.Untried, what)
	}
}

// Hold is a [Rank.Step] before an operation on an object that ranks share.
// When exploring, operations in conflict are performed in every order.
func (r *Rank) Hold(what fmt.Stringer, h Held) error {
	if r.s.run == nil {
		return r.Step(what)
	}
	_, err := r.askNumber(numbers{what, 1}, h)
	return err
}

// askNumber asks a question that nobody keeps: so the next one may have its room.
func (r *Rank) askNumber(q numbers, h Held) (int64, error) {
	d := r.s.run.blank()
	d.r, d.number, d.held, d.tells = r, q, h, true
	d.q = &d.number
	pick, err := r.ask(d)
	if err == nil {
		r.s.run.recycle(d)
	}
	return pick, err
}

// Touch says that something has happened to the rank: a message came, or one
// of its operations completed. It may be worth its while to poll again.
func (r *Rank) Touch() {
	if run := r.s.run; run != nil {
		run.ranks[r.id].version++
		run.ranks[r.id].vain = 0
	}
}

// ask waits for d.
func (r *Rank) ask(d *Decision) (int64, error) {
	if err := r.barred(); err != nil { // a goroutine that the rank has left behind
		return 0, err
	}
	if err := r.s.run.note(r, d.q); err != nil {
		return 0, err
	}
	d.waits = true
	if q, ok := d.q.(Teller); ok {
		d.tells = true
		q.Tell(d)
	}
	r.s.run.open(d)
	for !d.over {
		if err := r.Park(d.q); err != nil {
			d.Close()
			return 0, err
		}
	}
	return d.pick, nil
}
