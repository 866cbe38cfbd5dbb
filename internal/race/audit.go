package race

import (
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// Where is a place of a program: program counters, or a known line.
type Where struct {
	PCs  PCs
	Line sched.Place
}

// audit counts which syncs were needed.
type audit struct {
	lines   map[Where]*syncLine
	order   []*syncLine
	partial bool // the detector forgot accesses that could have shown a need
}

type syncLine struct {
	Where
	calls, needed, used, last int
}

// A syncCall is one call of one rank.
type syncCall struct {
	line   *syncLine
	needed bool
	used   bool
}

// call records a sync; it returns nil if its place is unknown.
func (a *audit) call(where []Where) *syncCall {
	if len(where) == 0 {
		return nil
	}
	l := a.lines[where[0]]
	if l == nil {
		if a.lines == nil {
			a.lines = map[Where]*syncLine{}
		}
		l = &syncLine{Where: where[0]}
		a.lines[where[0]] = l
		a.order = append(a.order, l)
	}
	l.calls++
	return &syncCall{line: l}
}

// calls records that the sync c ends sequence s of t.
func (t *Tracker) calls(c *syncCall, s *sequence) {
	s.opening.precedes(s)
	c.precedes(s)
	if s.touched {
		t.safe = nil
	}
	if s.wrote {
		t.safe = c
	}
}

// precedes marks the call as used if the sequence s beside it has an access.
func (c *syncCall) precedes(s *sequence) {
	if c != nil && s.touched && !c.used {
		c.used = true
		c.line.used++
	}
}

// closes records that the handle of s is closed, which ends s.
func (t *Tracker) closes(s *sequence) {
	s.opening.precedes(s)
	if t.safe != nil && !s.touched {
		t.safe.line.last++
	}
}

func (c *syncCall) need() {
	if c != nil && !c.needed {
		c.needed = true
		c.line.needed++
	}
}

// needSyncs marks as needed the syncs after e, an access of another handle, and before the
// present access to p, if these two accesses conflict: the syncs put them in order.
func (t *Tracker) needSyncs(e *footprint, p *extent.Pattern) {
	a, b := e.seq.closing, t.seq.opening
	if (a == nil || a.needed) && (b == nil || b.needed) {
		return
	}
	if _, _, ok := e.Common(p); ok {
		a.need()
		b.need()
	}
}

// Syncs returns the use of the syncs of each line, in the order of their first calls. all is
// false if the detector forgot accesses in a long run: then a sync may have been needed
// without being shown as such.
func (d *Detector) Syncs() (uses []consistency.SyncUse, all bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.audit.order {
		u := consistency.SyncUse{Place: l.Line, Calls: l.calls, Needed: l.needed, Idle: l.calls - l.used, Last: l.last}
		if u.Place.Line == 0 {
			var line sched.Line
			copy(line.PCs[:], l.PCs[:])
			u.Place = line.Place()
		}
		if k := slices.IndexFunc(uses, func(o consistency.SyncUse) bool { return o.Place == u.Place }); k >= 0 {
			uses[k].Calls += u.Calls
			uses[k].Needed += u.Needed
			uses[k].Idle += u.Idle
			uses[k].Last += u.Last
			continue
		}
		uses = append(uses, u)
	}
	return uses, !d.audit.partial
}
