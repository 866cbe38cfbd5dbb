package race

import "github.com/commworld/commworld/consistency"

// The shared file pointer is a variable of all handles of one open. Calls that use it get
// places that do not overlap, so they do not race (IO-SHP-04); but their order is not
// determined unless the program orders them. That is reported as information, as for atomic
// accesses. A collective call has its place in the order of each rank's calls, so two such
// calls are in order. A collective call and a call of one rank alone may be unordered,
// because an ordered access need not wait for all ranks before the first has its place
// (IO-SHP-07).

// A sharedPointer holds the calls that used the pointer of one open, by line of the
// program.
type sharedPointer struct{ lines []*pointerLine }

// A pointerLine holds the calls of all ranks at the pointer from one line.
type pointerLine struct {
	key             siteKey // without the rank
	together, moves bool
	calls           uint64                // so far
	last            map[int]pointerCall   // by rank
	knownOpen       map[*pointerLine]bool // lines whose order with this one is known to be open
}

// A pointerCall is the latest call of one rank: a call that comes after it comes after the
// rank's earlier ones, too.
type pointerCall struct {
	site *site
	time uint64
	met  meetings
}

// meetings identify the calls that a call was compared with: their number, without the lines
// whose order is known. A rank's clock only grows, so its next call from the same line need
// not be compared again if they are still the same.
type meetings struct {
	lines, resolved int
	calls           uint64
}

// mostPointerLines bounds the lines of a program that are kept for one open; further lines
// are ignored.
const mostPointerLines = 64

// Pointer records a call that used the shared pointer of t's open, and moved or only read
// it; together says that all ranks make the call. [Detector.Unordered] includes pairs of
// calls that nothing orders.
func (t *Tracker) Pointer(a *Access, together, moves bool) {
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.pointers[t.open]
	if p == nil {
		if d.pointers == nil {
			d.pointers = map[any]*sharedPointer{}
		}
		p = &sharedPointer{}
		d.pointers[t.open] = p
	}
	l := p.line(siteKey{op: a.Op, where: a.Where, line: a.Line, write: a.Write}, together, moves)
	if l == nil {
		return
	}
	c, ok := l.last[t.rank]
	if !ok {
		c.site = &site{siteKey: l.key}
		c.site.rank, c.site.view = t.rank, a.View
	}
	c.time = a.Time
	met := meetings{lines: len(p.lines)}
	for _, o := range p.lines {
		if o.resolved(l) {
			met.resolved++
		} else {
			met.calls += o.calls
		}
	}
	if met != c.met {
		now := moment{t.rank, a.Time, a.Clock}
		for _, o := range p.lines {
			if !o.resolved(l) {
				d.order(o, l, c.site, &now)
			}
		}
	}
	c.met = met
	l.calls++
	l.last[t.rank] = c
}

// resolved reports whether the order of calls from o and l does not matter, or is known to
// be open.
func (o *pointerLine) resolved(l *pointerLine) bool {
	return o.knownOpen[l] || o.together && l.together || !o.moves && !l.moves
}

// order records a pair if nothing orders a call of line o before the present call of line l.
func (d *Detector) order(o, l *pointerLine, s *site, now *moment) {
	first := -1 // the lowest of the ranks, so that every run reports the same one
	for rank, was := range o.last {
		if rank != now.rank && !now.covers(rank, was.time) && (first < 0 || rank < first) {
			first = rank
		}
	}
	if first >= 0 {
		o.knownOpen[l], l.knownOpen[o] = true, true
		d.notePointer(o.last[first].site, s)
	}
}

func (p *sharedPointer) line(key siteKey, together, moves bool) *pointerLine {
	for _, l := range p.lines {
		if l.key == key {
			return l
		}
	}
	if len(p.lines) == mostPointerLines {
		return nil
	}
	l := &pointerLine{key: key, together: together, moves: moves, last: map[int]pointerCall{}, knownOpen: map[*pointerLine]bool{}}
	p.lines = append(p.lines, l)
	return l
}

// notePointer records that nothing orders two calls at the shared pointer. A pair of lines
// is reported for the first open only.
func (d *Detector) notePointer(a, b *site) {
	if b.rank < a.rank {
		a, b = b, a
	}
	key := racePair{lineOfParty(a.describe()), lineOfParty(b.describe()), consistency.RulePointer, eitherOrder}
	if e := d.known(key); e != nil {
		e.Count++
		return
	}
	e := &consistency.RaceError{
		File: d.file, A: *a.describe(), B: *b.describe(), Missing: consistency.Order, Rule: consistency.RulePointer, Count: 1, Replay: d.replay,
		Fix: "use WriteOrdered or ReadOrdered, or order the two by a message or barrier, if their order matters",
	}
	d.races[key], d.infos = e, append(d.infos, e)
}
