package consistency

import (
	"slices"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// Where is a place of a program: counters of the stack, or a line that is known.
type Where struct {
	PCs  PCs
	Line sched.Place
}

// A SyncUse says what the syncs of one line of a program were good for.
type SyncUse struct {
	Place sched.Place
	Calls int // of all ranks
	// Needed counts the calls without which two accesses would have raced: the
	// bytes of a conflict were published or fetched by it. The others ordered
	// nothing; they may be there to bring bytes to the storage device.
	Needed int
	// Idle counts the calls before which nothing was done through the handle since
	// the sync before, or since it was opened, and after which nothing was either.
	Idle int
	// Last counts the calls that brought something to the storage device and came
	// right before a close, but for other syncs: somebody wants to hear whether that went well.
	Last int
}

// audit counts which syncs were needed.
type audit struct {
	lines   map[Where]*syncLine
	order   []*syncLine
	partial bool // something was forgotten that could have shown a need
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

// call notes a sync, nil if its place is not known.
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

// calls notes a sync that ends s, which is of t.
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

// precedes notes that s is next to the call.
func (c *syncCall) precedes(s *sequence) {
	if c != nil && s.touched && !c.used {
		c.used = true
		c.line.used++
	}
}

// closes notes that the handle of s is closed, which ends s.
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

// rely notes that an access to p and e, of another handle, are in order thanks
// to the syncs after e and before the access.
func (t *Tracker) rely(e *footprint, p *extent.Pattern) {
	a, b := e.seq.closing, t.seq.opening
	if (a == nil || a.needed) && (b == nil || b.needed) {
		return
	}
	if _, _, ok := e.Common(p); ok {
		a.need()
		b.need()
	}
}

// Syncs tells of every line that syncs what it was good for, in the order in
// which they first were called, and whether that is all: a long run forgets
// accesses that can no longer race, and then a sync may have been needed
// although nothing shows it any more.
func (d *Detector) Syncs() (uses []SyncUse, all bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.audit.order {
		u := SyncUse{l.Line, l.calls, l.needed, l.calls - l.used, l.last}
		if u.Place.Line == 0 {
			var line sched.Line
			copy(line.PCs[:], l.PCs[:])
			u.Place = line.Place()
		}
		if k := slices.IndexFunc(uses, func(o SyncUse) bool { return o.Place == u.Place }); k >= 0 {
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
