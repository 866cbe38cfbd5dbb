package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/brief"
)

// OfCalls returns the trace with the calls of MPI-IO in place of the requests that they made,
// for all files whose calls have offsets. Counters say which calls are collective. Without
// counters, the calls of a file are taken as collective if fewer ranks made its requests: those
// are aggregators. If a file has both kinds, the shorter calls are taken as independent. Notes
// of the trace say what was assumed.
//
// Error: ErrArg if no file has such calls.
func (t *Trace) OfCalls() (*Trace, error) {
	c := *t
	c.Files, c.Notes = nil, nil
	found := 0
	for _, f := range t.Files {
		g := *f
		switch {
		case f.Calls:
			found++
		case len(f.madeBy) > 0 && f.unplacedCalls == 0:
			g.Accesses, g.Calls = slices.Clone(f.madeBy), true
			found++
		case f.unplacedCalls > 0:
			c.note(fmt.Sprintf("%q: its requests are replayed; its %d calls (X_MPIIO) have no offsets", brief.String(f.Name), f.unplacedCalls))
		}
		if g.Calls {
			g.Accesses = slices.Clone(g.Accesses)
			g.classify(f, &c)
		}
		c.Files = append(c.Files, &g)
	}
	if found == 0 {
		return nil, fault("the trace has no call of MPI-IO with an offset (X_MPIIO)")
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return &c, nil
}

// classify marks the collective calls of a file that had those requests.
func (f *File) classify(was *File, t *Trace) {
	for d, name := range [...]string{"reads", "writes"} {
		write := d == 1
		var calls []*Access
		for i := range f.Accesses {
			if f.Accesses[i].Write == write {
				calls = append(calls, &f.Accesses[i])
			}
		}
		if len(calls) == 0 {
			continue
		}
		alone := 0 // calls that are independent
		switch counted := f.collective[d]+f.independent[d] > 0; {
		case counted && f.collective[d] > 0 && f.independent[d] > 0:
			alone = int(min(f.independent[d], int64(len(calls))))
			slices.SortStableFunc(calls, func(a, b *Access) int { return cmp.Compare(a.Len, b.Len) })
			t.note(fmt.Sprintf("%q: the log does not say which of its %s are the %d independent ones; the shortest are taken", brief.String(f.Name), name, alone))
		case counted && f.collective[d] == 0:
			alone = len(calls)
		case !counted && !aggregated(was, calls, write):
			alone = len(calls)
			t.note(fmt.Sprintf("%q: the text has no counters that say whether its %s are collective; they are replayed as independent (append the output of darshan-parser)", brief.String(f.Name), name))
		case !counted:
			t.note(fmt.Sprintf("%q: its %s are taken as collective, because fewer ranks made the requests", brief.String(f.Name), name))
		}
		for _, a := range calls[alone:] {
			a.Collective = true
		}
		if alone < len(calls) && aggregated(was, calls, write) {
			t.buffered[d] = true
		}
	}
}

// aggregated reports whether fewer ranks made the requests of a file than its calls.
func aggregated(was *File, calls []*Access, write bool) bool {
	if was.Calls {
		return false
	}
	made, called := map[int]bool{}, map[int]bool{}
	for i := range was.Accesses {
		if a := &was.Accesses[i]; a.Write == write {
			made[a.Rank] = true
		}
	}
	for _, a := range calls {
		called[a.Rank] = true
	}
	return len(made) > 0 && len(made) < len(called)
}
