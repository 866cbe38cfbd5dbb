package race

import "github.com/commworld/commworld/internal/sched"

// An accessGroup has all accesses of one open that one line of the program makes in one way. When
// the race of two groups has as many pairs as are counted (consistency.MostCounted), the detector
// compares their accesses no more.
type accessGroup struct {
	number uint64                // in the order in which the groups were found; sorts footprints
	skip   map[*accessGroup]bool // groups with which it is not compared
	calls  map[int]*rankCalls    // by rank
}

// rankCalls has what is known of a rank's calls in an accessGroup.
type rankCalls struct {
	lo, hi int64 // the bytes of the first call, from the first to behind the last; hi 0: none yet
	varies bool  // a later call had other bytes
}

// add adds a call, or several, with bytes from lo to before hi.
func (c *rankCalls) add(lo, hi int64) {
	if c.hi == 0 {
		c.lo, c.hi = lo, hi
	}
	c.varies = c.varies || lo != c.lo || hi != c.hi
}

// callsOf returns the calls of a rank.
func (g *accessGroup) callsOf(rank int) *rankCalls {
	c := g.calls[rank]
	if c == nil {
		if g.calls == nil {
			g.calls = map[int]*rankCalls{}
		}
		c = &rankCalls{}
		g.calls[rank] = c
	}
	return c
}

// elsewhere reports whether the first calls of two ranks begin at different bytes.
func (g *accessGroup) elsewhere() bool {
	lo, known := int64(0), false
	for _, c := range g.calls {
		if c.hi == 0 {
			continue
		}
		if known && c.lo != lo {
			return true
		}
		lo, known = c.lo, true
	}
	return false
}

type groupKey struct {
	op                    string
	where                 PCs
	line                  sched.Place
	write, atomic, resize bool
}

// skipPairsWith ends the comparing of accesses of g with those of o. The caller does the same
// for o.
func (g *accessGroup) skipPairsWith(o *accessGroup) {
	if g.skip == nil {
		g.skip = map[*accessGroup]bool{}
	}
	g.skip[o] = true
}

// newSite returns a new site for k; the sites of one line, on all ranks, have one group.
func (t *Tracker) newSite(k siteKey) *site {
	key := groupKey{k.op, k.where, k.line, k.write, k.atomic, k.resize}
	g := t.groups[key]
	if g == nil {
		t.d.newest++
		g = &accessGroup{number: t.d.newest}
		t.groups[key] = g
	}
	return &site{siteKey: k, group: g, calls: g.callsOf(t.rank), sought: t.sought}
}
