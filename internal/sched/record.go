package sched

// A Mark is a point of a rank's run at which it began a call, passed its clock to others,
// or got a clock of others. Marks are enough to judge the run again as if it had further
// calls.
type Mark struct {
	Op    string // the call that begins here; empty: the point is inside a call, or belongs to a message
	Time  uint64 // own time of the rank
	Clock Clock  // clock of the rank at the mark
	line  *Line

	// Object, Round and Ranks identify a collective call: its object, its number on that
	// object, and how many ranks make it.
	Object any
	Round  int
	Ranks  int
}

// Place returns the line of the program that the rank was at.
func (m *Mark) Place() Place { return m.line.Place() }

// Meets reports whether the call waits for other ranks.
func (m *Mark) Meets() bool { return m.Object != nil && m.Ranks > 1 }

// marks are those of one rank.
type marks struct {
	list []Mark
	most int
	full bool
}

// Record makes the rank keep its marks from now on, at most the given number. Each mark is
// an event of the rank's clock.
func (r *Rank) Record(most int) {
	if r.marks == nil && !r.s.noClocks && most > 0 {
		r.marks = &marks{most: most}
	}
}

// Marks returns the marks of a rank that has ended, and whether they are complete since
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

// Begins marks the beginning of a call; of a collective one with the given round and number
// of ranks if object is not nil.
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
		m.line = &Line{at: r.at}
	} else {
		m.line = here(2)
	}
	x.list = append(x.list, m)
}

// At returns the time of the last event of a rank that c covers.
func (c Clock) At(rank int) uint64 {
	if c.rank == int32(rank) {
		return max(c.time, c.known.at(c.rank))
	}
	return c.known.at(int32(rank))
}
