package sched

import "github.com/commworld/commworld/internal/compact"

// A Mark is a point of a rank's run at which it began a call, passed its clock to others,
// or got a clock of others. Marks are enough to judge the run again as if it had further
// calls.
type Mark struct {
	Op    string // the call that begins here; empty: the point is inside a call, or belongs to a message
	Time  uint64 // own time of the rank
	known *known // of the rank at the mark
	line  *Line

	// Object, Round and Ranks identify a collective call: its object, its number on that
	// object, and how many ranks make it. Inside a call an object may be a Moment.
	Object       any
	Round, Ranks int32
}

// A Moment is a time of a rank that another rank had to wait for, without learning of it: a
// program must not rely on such a wait.
type Moment struct {
	Time uint64
	Rank int32
}

// Awaited returns the moment that the rank had waited for, if the mark is of one.
func (m *Mark) Awaited() (Moment, bool) {
	w, ok := m.Object.(Moment)
	return w, ok
}

// Knows returns the time of the last event of another rank that the rank knows of at the
// mark.
func (m *Mark) Knows(rank int) uint64 { return m.known.at(int32(rank)) }

// Place returns the line of the program that the rank was at.
func (m *Mark) Place() Place { return m.line.Place() }

// Meets reports whether the call waits for other ranks.
func (m *Mark) Meets() bool { return m.Object != nil && m.Ranks > 1 }

// marks are those of one rank. Their list has no pointers, which the garbage collector would
// follow again and again.
type marks struct {
	list compact.List[mark]
	last uint64 // time of the last one
	most int
	full bool // there were more than most

	ops     compact.Table[string]
	lines   compact.Table[*Line]
	known   compact.Table[*known]
	objects compact.Table[any]
}

// A mark is a [Mark] with numbers in place of pointers.
type mark struct {
	time                    uint64
	op, line, known, object int32
	round, ranks            int32
}

// add adds a mark.
func (x *marks) add(m *Mark) {
	x.list.Add(mark{
		m.Time, x.ops.Number(m.Op), x.lines.Number(m.line), x.known.Number(m.known), x.objects.Number(m.Object),
		m.Round, m.Ranks,
	})
	x.last = m.Time
}

// all returns all marks.
func (x *marks) all() []Mark {
	list := make([]Mark, 0, x.list.Len())
	for _, m := range x.list.All {
		list = append(list, Mark{x.ops.At(m.op), m.time, x.known.At(m.known), x.lines.At(m.line), x.objects.At(m.object), m.round, m.ranks})
	}
	return list
}

// RecordMarks makes a rank keep its marks from now on, at most the given number. Each mark
// is an event of the rank's clock. Only the rank itself may call it.
func (s *Sched) RecordMarks(rank, most int) {
	if r := &s.ranks[rank]; r.marks == nil && !s.noClocks && most > 0 {
		r.marks = &marks{most: most}
	}
}

// Marks returns the marks of a rank that has ended, and whether they are complete since
// RecordMarks.
func (s *Sched) Marks(rank int) ([]Mark, bool) {
	x := s.ranks[rank].marks
	if x == nil {
		return nil, true
	}
	return x.all(), !x.full
}

// MarkCall marks the beginning of a call; of a collective one with the given round and
// number of ranks if object is not nil. Without a name it marks that the rank has waited for
// object, a [Moment]. It does nothing if the rank keeps no marks.
func (r *Rank) MarkCall(op string, object any, round, ranks int) {
	r.mark(Mark{Op: op, Object: object, Round: int32(round), Ranks: int32(ranks)})
}

// mark adds a mark, unless no more are kept.
//
//go:noinline
func (r *Rank) mark(m Mark) {
	x := r.marks
	switch {
	case x == nil:
		return
	case x.list.Len() >= x.most:
		x.full = true
		return
	case r.at != nil:
		m.line = &Line{at: r.at}
	default:
		m.line = here(2)
	}
	r.time++
	m.Time, m.known = r.time, r.known
	x.add(&m)
}
