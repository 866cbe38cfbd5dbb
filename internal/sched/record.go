package sched

import "runtime"

// A Mark is a point of a rank's run at which it began a call, showed its clock to
// others, or heard of others: what is needed to judge the run again with further
// calls in it.
type Mark struct {
	Op    string // of a call that begins; empty: the point is inside of a call, or of a message
	Time  uint64 // of the rank
	Clock Clock  // of the rank, at the mark
	line  Line

	// Of a collective call: which it is of what object, and how many ranks make it.
	Object any
	Round  int
	Ranks  int
}

// Place is the line of the program that the rank was at.
func (m *Mark) Place() Place { return m.line.Place() }

// Meets reports whether the call waits for other ranks.
func (m *Mark) Meets() bool { return m.Object != nil && m.Ranks > 1 }

// marks are those of one rank.
type marks struct {
	list []Mark
	most int
	full bool
}

// Record lets a rank keep its marks from now on, so many at most. A rank that keeps
// its marks has an event for each.
func (r *Rank) Record(most int) {
	if r.marks == nil && !r.s.noClocks && most > 0 {
		r.marks = &marks{most: most}
	}
}

// Marks returns the marks of a rank that has ended, and whether these are all since
// Record.
func (s *Sched) Marks(rank int) ([]Mark, bool) {
	m := s.ranks[rank].marks
	if m == nil {
		return nil, true
	}
	return m.list, !m.full
}

// Recording reports whether the rank keeps marks.
func (r *Rank) Recording() bool { return r.marks != nil && !r.marks.full }

// Begins marks the beginning of a call, of a collective one of so many ranks if
// object is not nil.
func (r *Rank) Begins(op string, object any, round, ranks int) {
	if r.marks != nil {
		r.mark(Mark{Op: op, Object: object, Round: round, Ranks: ranks})
	}
}

//go:noinline
func (r *Rank) mark(m Mark) {
	x := r.marks
	if len(x.list) >= x.most {
		x.full = true
		return
	}
	r.time++
	m.Time, m.Clock = r.time, r.Look()
	if r.at != nil {
		m.line.at = r.at
	} else {
		runtime.Callers(3, m.line.PCs[:])
	}
	x.list = append(x.list, m)
}

// At returns the last event of a rank that c knows.
func (c Clock) At(rank int) uint64 {
	if c.rank == int32(rank) {
		return max(c.time, c.known.at(c.rank))
	}
	return c.known.at(int32(rank))
}
