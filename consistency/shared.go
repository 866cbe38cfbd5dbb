package consistency

// The shared file pointer is a variable of all handles of one open: calls that
// use it get places that do not overlap, so they do not race (IO-SHP-04); but
// which of them comes first is not determined unless the program orders them.
// That is told as an info, as for atomic accesses. What all ranks do together has
// its place in the order of each rank's calls, so two such calls are in order;
// one of them and a call of another rank alone need not be, since an ordered
// access need not wait for all ranks before the first has its place (IO-SHP-07).

// A sharedPointer is the calls that used the pointer of one open, by line of the
// program.
type sharedPointer struct{ lines []*pointerLine }

// A pointerLine is what all ranks did with the pointer from one line.
type pointerLine struct {
	key             siteKey // but for the rank
	together, moves bool
	calls           uint64                // so far
	last            map[int]pointerCall   // by rank
	told            map[*pointerLine]bool // lines whose order with this one is known to be open
}

// A pointerCall is the latest of one rank: who comes after it comes after those
// before, too.
type pointerCall struct {
	site *site
	time uint64
	met  meetings
}

// meetings are the calls that a call was compared with: so many, of all lines but
// those that are settled. What a rank knows only grows, so its next call from its
// line, if they are still the same, need not be compared again.
type meetings struct {
	lines, settled int
	calls          uint64
}

// mostPointerLines bounds the lines of a program that are kept for one open;
// further ones are not looked at.
const mostPointerLines = 64

// Pointer notes that a call used the shared pointer of t's open: it has moved it,
// or only looked at it; together says that all ranks make the call. Calls that
// nothing puts in order are among [Detector.Unordered].
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
		if o.settled(l) {
			met.settled++
		} else {
			met.calls += o.calls
		}
	}
	if met != c.met {
		now := moment{t.rank, a.Time, a.Clock}
		for _, o := range p.lines {
			if !o.settled(l) {
				d.order(o, l, c.site, &now)
			}
		}
	}
	c.met = met
	l.calls++
	l.last[t.rank] = c
}

// settled reports that the order of calls from o and l is of no interest, or known
// to be open.
func (o *pointerLine) settled(l *pointerLine) bool {
	return o.told[l] || o.together && l.together || !o.moves && !l.moves
}

// order tells if nothing puts a call of line o before one of line l, which is
// made now.
func (d *Detector) order(o, l *pointerLine, s *site, now *moment) {
	first := -1 // of the ranks, so that a run tells the same again
	for rank, was := range o.last {
		if rank != now.rank && !now.covers(rank, was.time) && (first < 0 || rank < first) {
			first = rank
		}
	}
	if first >= 0 {
		o.told[l], l.told[o] = true, true
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
	l := &pointerLine{key: key, together: together, moves: moves, last: map[int]pointerCall{}, told: map[*pointerLine]bool{}}
	p.lines = append(p.lines, l)
	return l
}

// RulePointer is the rule of calls at the shared pointer that nothing orders.
const RulePointer = "IO-SHP-04"

// notePointer records that nothing puts two calls at the shared pointer in order.
// Lines that were told for one open are not told again for the next.
func (d *Detector) notePointer(a, b *site) {
	if b.rank < a.rank {
		a, b = b, a
	}
	key := racePair{a.describe().line(), b.describe().line(), RulePointer, eitherOrder}
	if d.known(key) != nil {
		return
	}
	e := &RaceError{
		File: d.file, A: *a.describe(), B: *b.describe(), Missing: Order, Rule: RulePointer, Count: 1, Replay: d.replay,
		Fix: "use WriteOrdered or ReadOrdered, or order the two by a message or barrier, if their order matters",
	}
	d.races[key], d.infos = e, append(d.infos, e)
}
