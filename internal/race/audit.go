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
	rounds  map[roundKey]*syncRound
}

type syncLine struct {
	Where
	calls, needed, used, last, joined int
}

// A roundKey is the nth sync of the handles of one open.
type roundKey struct {
	open any
	n    int
}

// A syncRound is one collective sync of the ranks of an open. If it serves one of them, all
// have to call it.
type syncRound struct {
	ranks  int         // that have called it
	serves bool        // it is needed on a rank, or the last one before a close
	calls  []*syncLine // until it serves
}

// add adds a call of a rank.
func (r *syncRound) add(l *syncLine) {
	if r.ranks++; r.serves {
		l.joined++
	} else {
		r.calls = append(r.calls, l)
	}
}

// serve records that the round serves a rank.
func (r *syncRound) serve() {
	if r == nil || r.serves {
		return
	}
	for _, l := range r.calls {
		l.joined++
	}
	r.serves, r.calls = true, nil
}

// A syncCall is one call of one rank.
type syncCall struct {
	line   *syncLine
	round  *syncRound // nil: unknown
	needed bool
	used   bool
}

// call records a sync of t; it returns nil if its place is unknown.
func (a *audit) call(t *Tracker, where []Where) *syncCall {
	t.syncs++
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
	return &syncCall{line: l, round: a.round(t, l)}
}

// round adds a call to its round, which is known until all ranks of the open have called.
func (a *audit) round(t *Tracker, l *syncLine) *syncRound {
	g, ok := t.open.(Group)
	if !ok || g.Ranks() < 2 {
		return nil
	}
	key := roundKey{t.open, t.syncs}
	r := a.rounds[key]
	if r == nil {
		if a.rounds == nil {
			a.rounds = map[roundKey]*syncRound{}
		}
		r = new(syncRound)
		a.rounds[key] = r
	}
	if r.add(l); r.ranks == g.Ranks() {
		delete(a.rounds, key)
	}
	return r
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
		t.safe.round.serve()
	}
}

func (c *syncCall) need() {
	if c != nil && !c.needed {
		c.needed = true
		c.line.needed++
		c.round.serve()
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
		u := consistency.SyncUse{Place: l.Line, Calls: l.calls, Needed: l.needed, Idle: l.calls - l.used, Last: l.last, Joined: l.joined}
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
			uses[k].Joined += u.Joined
			continue
		}
		uses = append(uses, u)
	}
	return uses, !d.audit.partial
}
