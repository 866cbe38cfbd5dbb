package race

import "github.com/commworld/commworld/consistency"

// The shared file pointer is a variable of all handles of one open. Calls that use it get
// places that do not overlap, so they do not race (IO-SHP-04); but their order is not
// determined unless the program orders them. That is reported as information, as for atomic
// accesses.
//
// A collective call has its place in the order of each rank's calls, so two such calls are in
// order, and all calls are in rounds that they separate. When it returns on a rank, it has
// moved the pointer past the parts of all ranks (IO-SHP-07), so it comes before each later
// call of that rank. It need not wait for all ranks, so it comes after an earlier call of one
// rank alone only if the program orders that call before it on all ranks. An ordered access
// begins with the part of the lowest rank that has one: there, that rank is enough.

// A sharedPointer holds the calls that used the pointer of one open, by line of the
// program.
type sharedPointer struct {
	lines  []*pointerLine
	closed int // handles, since the pointer was first used
}

// close counts a handle of an open that is closed, and reports whether the pointer is used no more.
// A rank may close the file before others have used the pointer.
func (p *sharedPointer) close(open any) bool {
	p.closed++
	g, ok := open.(Group)
	return !ok || p.closed >= g.Ranks()
}

// A PointerCall says how a call uses the shared pointer.
type PointerCall struct {
	Together bool // all ranks make the call
	Moves    bool // it moves the pointer, and does not only read it
	Begins   bool // if Together: it may take effect when this rank comes to it

	// Round is the number of collective moves of the pointer that the rank has made, with
	// this call. It is the same on all ranks for one collective call.
	Round int
}

// A pointerLine holds the calls of all ranks at the pointer from one line.
type pointerLine struct {
	key             siteKey // without the rank
	together, moves bool
	calls           uint64                // so far
	last            map[int]pointerCall   // by rank
	knownOpen       map[*pointerLine]bool // lines whose order with this one is known to be open
}

// A pointerCall has the latest calls of one rank: a call that comes after one comes after the
// rank's earlier ones, too.
type pointerCall struct {
	site        *site
	now, before inRound // the latest call, and the latest one in an earlier round
	begins      bool    // of now
	met         meetings
}

// An inRound is the time and the round of a call. Its time is 0, which each clock covers, if
// there is none.
type inRound struct {
	time  uint64
	round int
}

// meetings identify the calls that a call was compared with: their number, without the lines
// whose order is known, and its round. A rank's clock only grows, so its next call from the
// same line need not be compared again if they are still the same.
type meetings struct {
	lines, resolved, round int
	calls                  uint64
}

// mostPointerLines bounds the lines of a program that are kept for one open; further lines
// are ignored.
const mostPointerLines = 64

// Pointer records a call that used the shared pointer of t's open. [Detector.Unordered]
// includes pairs of calls that nothing orders. Pointer returns the pairs of this call with
// collective ones, or of this collective call with others, that are new; kept is false if the
// program has so many lines that this call is compared with no others.
func (t *Tracker) Pointer(a *Access, call PointerCall) (unordered []*consistency.RaceError, kept bool) {
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
	l := p.line(siteKey{op: a.Op, where: a.Where, line: a.Line, write: a.Write}, call.Together, call.Moves)
	if l == nil {
		return nil, false
	}
	c, ok := l.last[t.rank]
	if !ok {
		c.site = &site{siteKey: l.key}
		c.site.rank, c.site.view = int32(t.rank), a.View
	}
	if c.now.round < call.Round {
		c.before = c.now
	}
	c.now, c.begins = inRound{a.Time, call.Round}, call.Begins
	met := meetings{lines: len(p.lines), round: call.Round}
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
				if e := d.order(o, l, &c, &now); e != nil && (o.together || l.together) {
					unordered = append(unordered, e)
				}
			}
		}
	}
	c.met = met
	l.calls++
	l.last[t.rank] = c
	return unordered, true
}

// resolved reports whether the order of calls from o and l does not matter, or is known to
// be open.
func (o *pointerLine) resolved(l *pointerLine) bool {
	return o.knownOpen[l] || o.together && l.together || !o.moves && !l.moves
}

// order records a pair if nothing orders a call of line o before the present call c of line
// l. It returns the pair if it is new.
func (d *Detector) order(o, l *pointerLine, c *pointerCall, now *moment) *consistency.RaceError {
	first := -1 // the lowest of the ranks, so that every run reports the same one
	for rank, was := range o.last {
		if rank != now.rank && (first < 0 || rank < first) && was.open(o.together, c, l.together, now) {
			first = rank
		}
	}
	if first < 0 {
		return nil
	}
	o.knownOpen[l], l.knownOpen[o] = true, true
	return d.notePointer(o.last[first].site, c.site, o.together || l.together)
}

// open reports whether nothing orders one of the calls was of another rank before the call c,
// which is made now. Each may be collective.
func (was *pointerCall) open(together bool, c *pointerCall, together2 bool, now *moment) bool {
	e := was.now
	switch {
	case together: // it came to this rank's call before the rank did
		return was.begins && e.round == c.now.round+1
	case together2:
		if e.round >= c.now.round {
			e = was.before
		}
		return c.begins && e.round+1 == c.now.round && !now.covers(int(was.site.rank), e.time)
	case e.round > c.now.round:
		e = was.before
	}
	return e.round == c.now.round && !now.covers(int(was.site.rank), e.time)
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

// notePointer records that nothing orders two calls at the shared pointer; together says that
// one of them is collective. A pair of lines is reported for the first open only. It returns
// the pair if it is new.
func (d *Detector) notePointer(a, b *site, together bool) *consistency.RaceError {
	if b.rank < a.rank {
		a, b = b, a
	}
	key := d.pair(a, b, consistency.RulePointer, eitherOrder)
	if e := d.races[key]; e != nil {
		again(e)
		return nil
	}
	e := &consistency.RaceError{
		File: d.file, A: *a.describe(), B: *b.describe(), Missing: consistency.Order, Rule: consistency.RulePointer, Count: 1, Replay: d.replay,
		Fix: "use WriteOrdered or ReadOrdered, or order the two by a message or barrier, if their order matters",
	}
	if together {
		e.Fix = "the collective call need not wait for all ranks; put a barrier of all ranks between the two"
	}
	d.list(key, e)
	return e
}
