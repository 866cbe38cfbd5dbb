package sched

import (
	"fmt"
	"slices"
)

// In an exploring world, ranks run until no rank can continue. Each open question is then
// something with more than one possible answer, and the explorer chooses one of them.
// Nothing else depends on scheduling, because ranks are deterministic between their
// questions. [Explorer] makes the choices.

// A Question is a decision that may have more than one answer: which message a receive
// takes, whether a test finds a message, which request a wait completes.
type Question interface {
	fmt.Stringer

	// Answers appends the answers that are possible now, in an order that depends only on
	// earlier choices. A possible answer stays possible until the question is decided, or
	// until a choice on an object that the question holds; see Held.
	// Answers is also called after the decision, to find answers that came too late, unless
	// the question reports those by [Decision.Late].
	Answers(to []Answer) []Answer
}

// An Answer is one way to decide a question.
type Answer struct {
	Pick  int64 // names the answer, in whatever order choices were made
	Since Clock // clock of the event that made the answer possible, if known
}

// None is the pick of a poll that found nothing; see [Rank.Ask].
const None = -1

// A Decision is a question of a rank and, once made, its answer.
type Decision struct {
	r    *Rank
	q    Question
	take func(pick int64, after Clock)

	label   label    // without the pick
	deps    *history // decisions made before the question was asked
	poll    any      // not nil: "nothing yet" may be the answer
	held    Held
	reports bool // the question reports late answers itself
	first   bool // it is decided before all others; no choice of another question changes its answers
	waits   bool // the rank itself gets the answer, at once; take is nil

	number numbers // the question, of a [Rank.Hold]
	over   bool    // the rank has received the answer
	event  int     // number of the decision in the run, once decided
	pick   int64   // the chosen answer
	known  []int64 // answers that were possible when it was decided, and late ones reported since
}

// A label identifies an answer of a question in all runs of a program.
type label struct {
	rank, op int32 // the question: number op of this rank
	pick     int64
	held     span // what a held operation may touch
}

// Held is an operation that waits until the explorer lets it run, on an object that ranks
// share, such as a file. The order of two such operations matters if they touch the same
// bytes of one object and at least one of them writes.
type Held struct {
	Object uint64 // 0 means no object
	Lo, Hi int64  // range of bytes; the whole object if both are 0
	Write  bool

	// Result says what further questions decide about the result of the operation, so that fewer
	// orders have to be tried.
	Result Result

	// Foot, if not nil, decides in place of the range which orders matter, once the operation
	// has been done.
	Foot Footprint
}

// A Result says how much of the result of a held operation is chosen.
type Result uint8

// The results. A read that is Chosen sees, or not, each write that races with it and came before.
// A write that is Placed comes anywhere among the writes before it that race with it, so the order
// of two of them makes no difference. One that is Chosen is Placed, too, and reads that are Chosen
// find with it all that they find without it; so only a read before it is tried in both orders.
const (
	Fixed Result = iota
	Placed
	Chosen
)

// A Footprint is what a held operation has touched, as far as that shows only when it is done,
// or later: what it read for other calls to find. The order of two operations is tried both
// ways if their footprints meet.
type Footprint interface {
	Meets(o Footprint) bool     // whether their order made a difference
	Open() bool                 // whether more may be added until the end of the run
	Join(o Footprint) Footprint // all of both: the footprint itself if it has all of o

	// Overwrites reports whether the operation does nothing but write, as that of o, and leaves
	// nothing of what that one has written.
	Overwrites(o Footprint) bool
}

// A span is a Held without its footprint, which is another one in each run.
type span struct {
	object uint64
	lo, hi int64
	write  bool
	result Result
}

func (h *Held) span() span { return span{h.Object, h.Lo, h.Hi, h.Write, h.Result} }

// conflicts reports whether an operation that comes after o may show more if it comes before it,
// whatever their footprints.
func (h *span) conflicts(o *span) bool {
	switch {
	case h.object == 0, h.object != o.object, !h.write && !o.write:
		return false
	case h.write && o.write && min(h.result, o.result) >= Placed, !h.write && min(h.result, o.result) == Chosen:
		return false
	}
	return h.overlaps(o)
}

// touches reports whether the results of two operations may depend on their order, in whichever
// of the two it is tried.
func (h *span) touches(o *span) bool {
	return h.object != 0 && h.object == o.object && (h.write || o.write) && h.overlaps(o)
}

func (h *span) overlaps(o *span) bool {
	whole := h.lo == 0 && h.hi == 0 || o.lo == 0 && o.hi == 0
	return whole || h.lo < o.hi && o.lo < h.hi
}

// A sleeper is an answer that has been tried, with the footprint that it had.
type sleeper struct {
	label
	foot  Footprint
	sleep sleep
}

// A sleep says what has happened since all runs with an answer were made.
type sleep uint8

const (
	asleep      sleep = iota // nothing that depends on it: it would only repeat such a run
	overwritten              // it is a write, and another has overwritten it since: it would have had no effect
	unseen                   // it was made after that, and not read since: overwritten again, the run repeats one of those
)

// after returns how l sleeps after the choice c, and false if it does not any more.
func (l sleeper) after(c *sleeper) (sleeper, bool) {
	switch {
	case l.sleep == unseen:
		return l, !c.sees(&l)
	case l.sleep == overwritten:
		if l.label == c.label {
			l.sleep = unseen
		}
		return l, true
	case !l.dependent(c):
		return l, true
	}
	l.sleep = overwritten
	return l, c.overwrites(&l)
}

// overwrites is [Footprint].Overwrites for two answers. An operation without a footprint may be one
// that others see, or not, whatever was written later; so it overwrites nothing.
func (c *sleeper) overwrites(l *sleeper) bool {
	return c.foot != nil && l.foot != nil && c.held.object == l.held.object && c.foot.Overwrites(l.foot)
}

// sees reports whether c may have seen what l, which has a footprint, has written. What a read finds
// may depend on it though their order cannot change: that is not in the footprint.
func (c *sleeper) sees(l *sleeper) bool {
	return c.held.object == l.held.object && (c.foot == nil || !c.held.write || c.foot.Open() || c.foot.Meets(l.foot))
}

// dependent reports whether o before l may show more than l before o, which has been tried.
func (l *sleeper) dependent(o *sleeper) bool {
	switch {
	case l.rank == o.rank && l.op == o.op:
		return true
	case l.foot == nil || o.foot == nil:
		return o.held.conflicts(&l.held)
	}
	return l.held.object == o.held.object && l.foot.Meets(o.foot)
}

// Exploring reports whether the explorer makes the choices of this world. If not, callers
// choose by themselves.
func (r *Rank) Exploring() bool { return r != nil && r.s.run != nil }

// Searching reports whether an [Explorer] makes the choices, which are not known before
// the run as those of a replay are.
func (s *Sched) Searching() bool { return s.explorer() != nil }

// AskLater asks a question that reports late answers, and does not wait for the answer. take
// receives the answer, while no rank runs, with a clock that must reach the caller that
// acts on the answer.
func (r *Rank) AskLater(q Question, take func(pick int64, after Clock)) *Decision {
	return r.s.run.open(&Decision{r: r, q: q, take: take, reports: true})
}

// Choose chooses a number below n, before anything else is chosen.
func Choose(r *Rank, what fmt.Stringer, n int) (int, error) {
	pick, err := r.ask(&Decision{r: r, q: numbers{what, n}, reports: true, first: true})
	return int(pick), err
}

// Close withdraws a question that is not decided. Answers that become possible later are late
// for the last choice. A rank that goes on after a [Rank.Hold] and then calls Close, does so
// before there is another.
func (d *Decision) Close() {
	run := d.r.s.run
	d.event = len(run.made) - 1
	run.asked = slices.DeleteFunc(run.asked, func(o *Decision) bool { return o == d })
}

// Late reports an answer that became possible after the decision.
func (d *Decision) Late(pick int64, since Clock) {
	if d.event >= 0 && !since.deps.has(d.event) {
		l := d.label
		l.pick = pick
		d.r.s.run.late = append(d.r.s.run.late, late{d.event, len(d.r.s.run.made), l, since.deps})
	}
}

// Held returns an object that the decision d touches. The explorer tries an operation of d's
// rank that holds it before and after the decision. The first call comes right after
// AskLater, before the next choice.
func (d *Decision) Held() Held {
	h := Held{Object: 1<<63 | uint64(d.label.rank)<<32 | uint64(d.label.op), Write: true}
	d.label.held = h.span()
	return h
}

// Ask waits for the answer to a question. The world must be an exploring one.
//
// If the rank does not wait but polls, poll is not nil and names the polled object, for one
// rank. Then [None], "nothing yet", is an answer, too. It is returned as long as the event
// behind another answer did not happen before the poll, at most [Options].Polls times for
// each change of the rank's situation. If there is no other answer, None is returned a
// bounded number of times in a row. So every loop of polls ends, by an answer or as a
// deadlock.
func (r *Rank) Ask(q Question, poll any) (pick int64, err error) {
	return r.ask(&Decision{r: r, q: q, poll: poll})
}

// A LateQuestion is a question that reports late answers itself, to the decision that
// SetDecision passes to it.
type LateQuestion interface {
	Question
	SetDecision(d *Decision)
}

// Ways is the question in which of several ways an operation is done; the picks count from 0.
type Ways struct {
	fmt.Stringer // the operation

	// On, if its object is not 0, is what the operation touches: the explorer also chooses
	// its place in the order of operations on that object, as for [Rank.Hold]. A separate
	// Hold would be wrong: other operations could come between the two.
	On Held

	// Count returns the number of ways. It is called while no rank runs, and depends only on
	// operations on the object. At 0 the operation has to wait for another one.
	Count func() int
}

// Answers appends a number for each way.
func (q Ways) Answers(to []Answer) []Answer { return numbers{n: q.Count()}.Answers(to) }

// SetDecision makes d hold the object.
func (q Ways) SetDecision(d *Decision) { d.held = q.On }

// numbers is the question for a number below n.
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

// NoteUntried records that an operation has more possible results than the explorer tries.
func (s *Sched) NoteUntried(what string) {
	if x := s.explorer(); x != nil && !slices.Contains(x.Untried, what) {
		x.Untried = append(x.Untried, what)
	}
}

// Hold is a [Rank.Step] before an operation on an object that ranks share. An explorer
// tries conflicting operations in every order.
func (r *Rank) Hold(what fmt.Stringer, h Held) error {
	if r.s.run == nil {
		return r.Step(what)
	}
	d := r.s.run.blank() // no rank keeps it, so that the next Hold can reuse it
	d.r, d.number, d.held, d.reports = r, numbers{what, 1}, h, true
	d.q = &d.number
	if _, err := r.ask(d); err != nil {
		return err
	}
	r.s.run.recycle(d)
	return nil
}

// Unknown is everything shared that no package of this module knows.
var Unknown = Held{Object: 0x6f75747369646521, Write: true}

// NoteProgress records that the situation of the rank has changed: a message came, or one of
// its operations completed. A new poll may then find something.
func (r *Rank) NoteProgress() {
	if run := r.s.run; run != nil {
		run.ranks[r.id].version++
		run.ranks[r.id].emptyPolls = 0
	}
}

// ask waits until d is decided and returns the answer.
func (r *Rank) ask(d *Decision) (int64, error) {
	if err := r.parkError(); err != nil { // a goroutine that a finished rank left behind
		return 0, err
	}
	if err := r.s.run.note(r, d.q); err != nil {
		return 0, err
	}
	d.waits = true
	if q, ok := d.q.(LateQuestion); ok {
		d.reports = true
		q.SetDecision(d)
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
