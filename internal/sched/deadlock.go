package sched

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// A DeadlockError reports that every rank which has not ended waits for another one. It is
// found at the moment when the deadlock happens.
type DeadlockError struct {
	Ranks []Waiting // one for every rank of the world, in order

	// Cycle is the shortest cycle of ranks in which each waits for the next, and the last
	// for the first; nil if there is none. It begins with its lowest rank.
	Cycle []int
}

// Waiting is the state of one rank in a deadlock.
type Waiting struct {
	Rank  int    `json:"rank"`
	Why   string `json:"why,omitempty"`   // the call it waits in, such as "Recv from 3 tag 7"; empty if it ended
	Place Place  `json:"place,omitzero"`  // the line of the program that made the call
	Ended bool   `json:"ended,omitempty"` // the rank had returned
	For   []int  `json:"for,omitempty"`   // ranks each of which could end the wait, if the call knows them
	Needs string `json:"needs,omitempty"` // the ranks that a collective call needs, such as "all ranks of COMM_WORLD"; For lists the missing ones
	Note  string `json:"note,omitempty"`  // why the call waits, if that is not obvious, or which other rank got the message it waits for
	Cure  string `json:"-"`               // what to change if all ranks of the cycle wait like this one

	// Unreceived are the messages that have arrived at a rank that waits for another
	// message; those that differ least from the expected one come first. No receive of the
	// rank matches them.
	Unreceived []Unreceived `json:"unreceived,omitempty"`
}

// Unreceived are messages of one sender, tag and communicator that no rank has received.
type Unreceived struct {
	Source int    `json:"source"` // the sender's rank in the communicator
	Tag    int    `json:"tag"`
	Comm   string `json:"comm"`
	Count  int    `json:"count"`          // number of messages
	Place  Place  `json:"place,omitzero"` // the line that sent the first of them, if it is known
}

// An Explainer is a reason to wait that can add details to a deadlock report. Explain fills
// all fields of w but Rank, Why, Place and Ended.
type Explainer interface{ Explain(w *Waiting) }

// String describes the messages and says that no receive matches them.
func (u Unreceived) String() string {
	text, has, at := fmt.Sprintf("a message from rank %d with tag %d on %s", u.Source, u.Tag, u.Comm), "has arrived and no receive matches it", "sent"
	if u.Count > 1 {
		text, has, at = fmt.Sprintf("%d messages from rank %d with tag %d on %s", u.Count, u.Source, u.Tag, u.Comm), "have arrived and no receive matches them", "the first sent"
	}
	if place := u.Place.String(); place != "" {
		text += " (" + at + " at " + place + ")"
	}
	return text + " " + has
}

// mostUnreceived bounds how many kinds of messages a report prints for a rank.
const mostUnreceived = 3

// what returns the text of a report line for w.
func (w *Waiting) what() string {
	if w.Ended {
		return ""
	}
	var b strings.Builder
	b.WriteString(w.Why + at(w.Place))
	if w.Needs != "" {
		is := "is"
		if len(w.For) > 1 {
			is = "are"
		}
		fmt.Fprintf(&b, ", which needs %s: %s %s missing", w.Needs, RankList(w.For), is)
	}
	more := 0
	for i, u := range w.Unreceived {
		if i < mostUnreceived {
			b.WriteString("\n    " + u.String())
		} else {
			more += u.Count
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n    and %d more messages", more)
	}
	return b.String()
}

// A meeting identifies ranks that wait in a collective call for the same missing ranks.
type meeting struct {
	why     string
	place   Place
	missing *int // address of the list that they share
}

// clause returns the text that says that ranks wait in what, or that they have ended.
func clause(ranks []int, what string) string {
	has, waits := "has", "waits"
	if len(ranks) > 1 {
		has, waits = "have", "wait"
	}
	if what == "" {
		return RankList(ranks) + ": " + has + " ended"
	}
	return RankList(ranks) + ": " + waits + " in " + what
}

// maxLines bounds how many lines the text of an error about many ranks has. The value holds
// all ranks.
const maxLines = 32

// Error lists what every rank waits for; ranks that wait for the same thing at
// the same place share a line.
func (e *DeadlockError) Error() string {
	var order []string
	members := map[string][]int{}
	known := map[meeting]string{} // many ranks may wait for the same many missing ranks
	for i := range e.Ranks {
		w := &e.Ranks[i]
		what := ""
		if w.Needs == "" || len(w.For) == 0 {
			what = w.what()
		} else {
			m := meeting{w.Why, w.Place, &w.For[0]}
			if what = known[m]; what == "" {
				what = w.what()
				known[m] = what
			}
		}
		if members[what] == nil {
			order = append(order, what)
		}
		members[what] = append(members[what], w.Rank)
	}
	var b strings.Builder
	b.WriteString("deadlock: no rank can continue")
	for i, what := range order {
		if i == maxLines {
			fmt.Fprintf(&b, "\n  and %d more", len(order)-i)
			break
		}
		b.WriteString("\n  " + clause(members[what], what))
	}
	if len(e.Cycle) > 0 {
		b.WriteString("\n  " + circle(e.Cycle))
	}
	for _, note := range e.notes() {
		b.WriteString("\n  " + note)
	}
	if cure := e.cure(); cure != "" {
		b.WriteString("\n  " + cure)
	}
	return b.String()
}

// cure returns what to change if all ranks of the cycle wait in the same way; else an empty text.
func (e *DeadlockError) cure() string {
	if len(e.Cycle) < 2 {
		return ""
	}
	cure := e.Ranks[e.Cycle[0]].Cure
	for _, r := range e.Cycle {
		if e.Ranks[r].Cure != cure {
			return ""
		}
	}
	return cure
}

// notes returns the notes of all ranks, each once.
func (e *DeadlockError) notes() (all []string) {
	for _, w := range e.Ranks {
		if w.Note != "" && !slices.Contains(all, w.Note) && len(all) < maxLines {
			all = append(all, w.Note)
		}
	}
	return all
}

// circle returns the text that says which rank waits for which.
func circle(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d waits for itself", ranks[0])
	}
	var b strings.Builder
	for i, r := range ranks[:min(len(ranks), maxLines)] {
		switch i {
		case 0:
			fmt.Fprintf(&b, "rank %d waits for rank %d", r, ranks[1])
		default:
			fmt.Fprintf(&b, ", %d for %d", r, ranks[(i+1)%len(ranks)])
		}
	}
	if len(ranks) > maxLines {
		fmt.Fprintf(&b, ", and so on through %d ranks", len(ranks))
	}
	return b.String()
}

// findCycle returns the shortest cycle of ranks that each wait for one other. A rank in a
// collective call counts as waiting for the first missing rank. A rank that any of several
// ranks could wake is in no certain cycle.
func findCycle(ranks []Waiting) (best []int) {
	next := func(r int) (int, bool) {
		w := &ranks[r]
		if w.Ended || len(w.For) == 0 || len(w.For) > 1 && w.Needs == "" || w.For[0] < 0 || w.For[0] >= len(ranks) {
			return 0, false
		}
		return w.For[0], true
	}
	walk := make([]int, len(ranks)) // number of the walk that visited the rank, from 1
	for start := range ranks {
		r, ok := start, true
		for ok && walk[r] == 0 {
			walk[r] = start + 1
			r, ok = next(r)
		}
		if !ok || walk[r] != start+1 {
			continue // this rank ends here or was visited before
		}
		found := []int{r}
		for q, _ := next(r); q != r; q, _ = next(q) {
			found = append(found, q)
		}
		if best == nil || len(found) < len(best) {
			best = found
		}
	}
	if best == nil {
		return nil
	}
	low := slices.Index(best, slices.Min(best))
	return append(best[low:len(best):len(best)], best[:low]...)
}

// ask lets why, the reason of a wait, add what it knows to w.
func (w *Waiting) ask(why fmt.Stringer) {
	defer func() { _ = recover() }() // the report must be finished in any case
	if x, ok := why.(Explainer); ok {
		x.Explain(w)
	}
	if len(w.For) == 0 {
		w.Needs = "" // all have come
	}
}

// RankList names ranks, given in order, in few words: "rank 3", "ranks 0-2, 5".
func RankList(ranks []int) string {
	var b strings.Builder
	b.WriteString("rank")
	if len(ranks) != 1 {
		b.WriteString("s")
	}
	for i := 0; i < len(ranks); {
		j := i + 1
		for j < len(ranks) && ranks[j] == ranks[j-1]+1 {
			j++
		}
		switch {
		case i == 0:
			b.WriteString(" ")
		case b.Len() > 100:
			fmt.Fprintf(&b, " and %d more", len(ranks)-i)
			return b.String()
		default:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, ranks[i])
		if j-i > 1 {
			fmt.Fprintf(&b, "-%d", ranks[j-1])
		}
		i = j
	}
	return b.String()
}

// A report is a DeadlockError under construction. Each rank walks its own stack, because no
// other rank can do that, and the last one to report completes it. So recording places of
// calls costs nothing until there is a deadlock.
type report struct {
	err  *DeadlockError
	left atomic.Int64
	done chan struct{}
}

// deadlock is called when no rank can run. Only an abort from outside could still change
// that; the lock decides which of the two came first.
func (s *Sched) deadlock() {
	s.mu.Lock()
	if s.cause.Load() != nil || s.report.Load() != nil {
		s.mu.Unlock()
		return
	}
	rep := &report{err: &DeadlockError{Ranks: make([]Waiting, len(s.ranks))}, done: make(chan struct{})}
	for i := range rep.err.Ranks {
		rep.err.Ranks[i] = Waiting{Rank: i, Ended: s.ranks[i].state.Load() == ended}
	}
	rep.left.Store(s.live.Load())
	s.report.Store(rep)
	s.mu.Unlock()
	s.drv.reportAll()
}

// reportWait adds to the report what r waits for, and returns when all ranks have reported.
// In an aborted world it does nothing.
//
//go:noinline
func (r *Rank) reportWait() {
	if r.s.cause.Load() != nil {
		return
	}
	rep := r.s.report.Load()
	w := &rep.err.Ranks[r.id]
	w.Why, w.Place = reason(r.why), r.Place()
	w.ask(r.why)
	if rep.left.Add(-1) == 0 {
		r.s.reported(rep)
	}
	r.s.drv.resume(r, rep.done)
}

// reason formats why. It uses package fmt, which survives a String method that panics,
// because the report must be completed in any case.
func reason(why fmt.Stringer) string {
	if why == nil {
		return "a call"
	}
	return fmt.Sprint(why)
}

func (s *Sched) reported(rep *report) {
	rep.err.Cycle = findCycle(rep.err.Ranks)
	var cause error = rep.err
	if s.outside != nil {
		if err := s.outside(); err != nil {
			cause = err
		}
	}
	s.cause.Store(&cause)
	s.announce(cause)
	close(rep.done)
	s.drv.release()
}
