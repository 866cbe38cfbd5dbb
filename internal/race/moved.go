package race

import (
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
)

// A movedCall is a change of the offsets of a call, or of the displacements of the views of
// some opens.
type movedCall struct {
	*consistency.Move
	at    sched.Place
	opens []any // whose views change
}

// move gives an access its new offset. viewed says that the rank has set the view of the file.
func (m *movedCall) move(rank int, viewed bool, of *record, a *Access) {
	switch {
	case m == nil:
	case m.Views:
		if v, ok := a.View.(consistency.ViewParts); ok && viewed && slices.Contains(m.opens, of.open) {
			disp, _, _, _ := v.Parts()
			a.Bytes.At.Disp += m.To(rank, disp) - disp
		}
	case m.calls(a):
		lo, _ := a.Bytes.At.Span(a.Bytes.From, a.Bytes.N)
		a.Bytes.At.Disp += m.To(rank, lo) - lo
	}
}

func (m *movedCall) calls(a *Access) bool { return a.Op == m.Of.Op && a.place() == m.at }

// moves reports whether a change of offsets or views removes a race and creates no other one.
func (r *rerun) moves(e *consistency.RaceError, l *lack, m *consistency.Move) bool {
	if l.a == nil || l.b == nil {
		return false
	}
	x := &movedCall{Move: m, at: lineOf(m.Of.Place)}
	switch {
	case m.Both:
		x.opens = []any{l.a.h.open, l.b.h.open}
	case m.Of == &e.A:
		x.opens = []any{l.a.h.open}
	default:
		x.opens = []any{l.b.h.open}
	}
	if m.Views && !r.oneView(x.opens) || !m.Views && !r.onlyMoves(x) {
		return false
	}
	return r.removes(e, change{moved: x})
}

// oneView reports whether no rank sets the view of one of the opens more than once.
func (r *rerun) oneView(opens []any) bool {
	at := map[any]sched.Place{}
	for rank, ms := range r.marks {
		for i := range ms {
			m, p := &ms[i], r.places[rank][i]
			if m.Op != "SetView" || !slices.Contains(opens, m.Object) {
				continue
			}
			if was, ok := at[m.Object]; ok && was != p {
				return false
			}
			at[m.Object] = p
		}
	}
	return true
}

// onlyMoves reports whether the change moves the bytes of the call and of no other access: its
// offsets count bytes, and no access begins where an individual pointer is that the call no longer
// moves.
func (r *rerun) onlyMoves(x *movedCall) bool {
	pointer := func(op string) bool {
		return !strings.Contains(op, "At") && !strings.Contains(op, "Slice") && !strings.Contains(op, "Shared") && !strings.Contains(op, "Ordered")
	}
	for rank, steps := range r.program {
		behind := map[*record]bool{}
		for _, s := range steps {
			if s.mark >= 0 {
				if op := r.marks[rank][s.mark].Op; op == "Seek" || op == "SetView" {
					clear(behind)
				}
				continue
			}
			switch a := s.e.a; {
			case a == nil:
			case x.calls(a):
				if a.View != nil && a.View.String() != "" {
					return false
				}
				behind[s.of] = behind[s.of] || pointer(a.Op)
			case behind[s.of] && pointer(a.Op):
				return false
			}
		}
	}
	return true
}
