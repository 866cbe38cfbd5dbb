package race

import (
	"math"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/overlay"
)

// A WriteHistory holds all writes to a file in one run of an exploring world. The world
// chooses from it the results of racing reads; see package overlay. It belongs to the
// detector of the file. Only one rank of such a world runs at a time, so it needs no lock.
type WriteHistory struct {
	base   []byte // of the file, before it was written
	based  bool
	poison byte
	writes []*Write // in the order in which they took place
	begun  []*Write // writes that have not
	orders []order  // that the writes may have, as far as nothing has shown which; none: that of writes

	endings [][]order // by content that the file may have at its close: the orders that leave it

	reordered bool // racing writes may have another order than in the image
	untracked bool // the written bytes are unknown
}

// An order is an order of all writes of a file: each overlays those before it.
type order []*Write

// mostOrders bounds the orders that are kept until something shows which it is.
const mostOrders = 120

// A Write is a write, or a change of size by all handles of an open.
type Write struct {
	overlay.Write
	by     []*sequence // of the handles that took part
	of     int         // number of handles that take part
	rank   int
	time   uint64
	atomic bool
	under  *Pending // nil: it was complete when the call returned
	done   bool     // else it has only begun

	entry *Entry // in the ledger; nil if there is none
}

// StopTracking gives p up: from here on the consistency model alone decides what reads
// return.
func (p *WriteHistory) StopTracking() { p.untracked = true }

// Untracked reports whether p was given up.
func (p *WriteHistory) Untracked() bool { return p.untracked }

// KeepWrites makes the detector keep a [WriteHistory], for a world that explores.
func (d *Detector) KeepWrites() *WriteHistory {
	d.writes = &WriteHistory{}
	return d.writes
}

// Writes returns the history that [Detector.KeepWrites] made.
func (d *Detector) Writes() *WriteHistory { return d.writes }

// From keeps a copy of the content of the file before the first write, which it reads from
// im. Errors: those of the backing.
func (p *WriteHistory) From(im *image.Image) error {
	if p.based {
		return nil
	}
	p.based, p.poison = true, im.Poison()
	if im.Size() > overlay.MostBytes {
		p.StopTracking()
		return nil
	}
	p.base = make([]byte, im.Size())
	_, err := im.ReadAt(p.base, 0)
	return err
}

// Write returns a Write that is about to be made through t; [WriteHistory.Add] gives it its
// position in the history. under is nil for a blocking access; of is the number of handles
// that make a change of size together.
func (t *Tracker) Write(x overlay.Write, atomic bool, under *Pending, of int) *Write {
	return &Write{Write: x, by: []*sequence{t.seq}, of: of, rank: t.rank, atomic: atomic, under: under}
}

// Enter sets the entry of the ledger for e, if there are both.
func (e *Write) Enter(x *Entry) {
	if e != nil {
		e.entry = x
	}
}

// Joins records that the handle takes part in a change of size.
func (t *Tracker) Joins(e *Write) {
	if !slices.Contains(e.by, t.seq) {
		e.by = append(e.by, t.seq)
	}
}

// Add adds e, which takes place now, to the writes: wherever it may be among those with which it
// races. e may have been announced before. all is false if there are more such places than were
// tried.
func (p *WriteHistory) Add(t *Tracker, e *Write, now uint64, clock consistency.Clock) (all bool) {
	p.begun = slices.DeleteFunc(p.begun, func(o *Write) bool { return o == e })
	e.done, e.time = true, now
	m := moment{t.rank, now, clock}
	switch {
	case p.untracked:
		all = !p.meets(t, e.Resizes(), e.Runs, e.nonatomic(), m)
	case p.racy(t, e.Resizes(), e.nonatomic(), m):
		all = p.insert(t, e, m)
	default:
		all = true
		for i := range p.orders {
			p.orders[i] = append(p.orders[i], e)
		}
	}
	p.writes = append(p.writes, e)
	p.untracked = p.untracked || e.End() > overlay.MostBytes
	return all
}

// insert inserts e, which may race, at each of its places in each of the orders.
func (p *WriteHistory) insert(t *Tracker, e *Write, now moment) (all bool) {
	all = true
	var orders []order
	for _, o := range p.possible() {
		marked, ok := overlay.Positions(p.layers(o, t, e.Resizes(), e.nonatomic(), now), &e.Write)
		all = all && ok
		for _, on := range marked {
			orders = append(orders, overlay.InsertBelow(o, on, e))
		}
	}
	if len(orders) > 1 {
		p.orders, p.reordered = orders, true
		return all
	}
	for i := range p.orders {
		p.orders[i] = orders[i]
	}
	return all
}

// possible returns the orders that the writes may have.
func (p *WriteHistory) possible() []order {
	if len(p.orders) == 0 {
		return []order{p.writes}
	}
	return p.orders
}

// Crowded returns how many orders the writes may have, if one has to be chosen because there are
// too many; else 0.
func (p *WriteHistory) Crowded() int {
	if len(p.orders) <= mostOrders {
		return 0
	}
	return len(p.orders)
}

// Choose gives the writes order i.
func (p *WriteHistory) Choose(i int) { p.orders = []order{p.orders[i]} }

// racy reports whether an access made now may race with some write; resizes says that the
// access resizes the file. Usually there is none.
func (p *WriteHistory) racy(t *Tracker, resizes bool, nonatomic bool, now moment) bool {
	races := func(e *Write) bool { return e.races(t, resizes, nonatomic, &now) }
	return slices.ContainsFunc(p.writes, races) || slices.ContainsFunc(p.begun, races)
}

// meets does the work of racy for a file whose bytes are not tracked, only writers and
// offsets. The access is to runs or, if there are none, to the size.
func (p *WriteHistory) meets(t *Tracker, resizes bool, runs []extent.Run, nonatomic bool, now moment) bool {
	_, hi := overlay.Span(runs)
	races := func(e *Write) bool {
		return (len(runs) == 0 || e.Kind == overlay.Resize && e.Size < hi || slices.ContainsFunc(runs, e.Hits)) && e.races(t, resizes, nonatomic, &now)
	}
	return slices.ContainsFunc(p.writes, races) || slices.ContainsFunc(p.begun, races)
}

// Announce makes e visible to reads from now on, before it has a position.
func (p *WriteHistory) Announce(e *Write) { p.begun = append(p.begun, e) }

// nonatomic reports whether e is not atomic, or no longer atomic. (CONS-ATOM-03)
func (e *Write) nonatomic() bool {
	if e.under != nil {
		return !e.under.atomic
	}
	return !e.atomic
}

// layers returns the writes as an access through t that is made now sees them.
func (p *WriteHistory) layers(writes order, t *Tracker, resizes bool, nonatomic bool, now moment) []overlay.Layer {
	layers := make([]overlay.Layer, len(writes))
	for i, e := range writes {
		layers[i] = overlay.Layer{Write: &e.Write, Races: e.races(t, resizes, nonatomic, &now)}
	}
	return layers
}

// races reports whether an access through t that conflicts with e, and is made now, races
// with it; resizes says that it resizes the file. Accesses through one handle are ordered by
// the times at which they move their bytes, and a change of size is ordered by all handles
// of its open.
func (e *Write) races(t *Tracker, resizes bool, nonatomic bool, now *moment) bool {
	h := e.by[0].h
	switch {
	case h == t, slices.Contains(e.by, t.seq):
		return false
	case h.open == t.open && (!nonatomic && !e.nonatomic() || e.Resizes() || resizes):
		return false
	case t.d.profile.Visible() && e.done && now.covers(e.rank, e.time):
		return false
	}
	if len(e.by) < e.of || !e.seenBy(t) {
		return true
	}
	if resizes { // each rank's call has to come after e
		for o := range t.d.handles {
			if o.open == t.open && !e.seenBy(o) {
				return true
			}
		}
	}
	return false
}

// seenBy reports whether e was published, and fetched by t before what t does now.
func (e *Write) seenBy(t *Tracker) bool {
	return !slices.ContainsFunc(e.by, func(s *sequence) bool { return s.end == 0 || !t.seq.start.covers(s.h.rank, s.end) })
}

// ReadChoices are the possible outcomes of a read, or of a query of the size.
type ReadChoices struct {
	found  []overlay.Outcome
	orders [][]order // by outcome: that the writes may have with it
	poison byte
	All    bool // there are no others
}

// Ways returns the number of outcomes; 0: the read returns what the handle has read.
func (g *ReadChoices) Ways() int { return len(g.found) }

// Size returns the size of the file in outcome i.
func (g *ReadChoices) Size(i int) int64 { return g.found[i].Size }

// Take copies the bytes of outcome i to mem and returns how many there are before the end
// of the file.
func (g *ReadChoices) Take(i int, mem []byte) int64 {
	for k, v := range g.found[i].Bytes {
		mem[k] = g.poison
		if v >= 0 {
			mem[k] = byte(v)
		}
	}
	return int64(len(g.found[i].Bytes))
}

// add adds the outcomes of one order.
func (g *ReadChoices) add(o order, found []overlay.Outcome) {
	for _, x := range found {
		i := slices.IndexFunc(g.found, x.Equal)
		if i < 0 {
			i = len(g.found)
			g.found, g.orders = append(g.found, x), append(g.orders, nil)
		}
		g.orders[i] = append(g.orders[i], o)
	}
}

// Found records that outcome i was chosen: the writes have an order that allows it.
func (p *WriteHistory) Found(g *ReadChoices, i int) {
	if len(p.orders) > 0 {
		p.orders = g.orders[i]
	}
}

// Choices returns the possible results of an access through t to runs or, if there are none,
// to the size.
func (p *WriteHistory) Choices(t *Tracker, runs []extent.Run, under *Pending, atomic bool, now uint64, clock consistency.Clock) (g ReadChoices) {
	g.All, g.poison = true, p.poison
	m := moment{t.rank, now, clock}
	nonatomic := !atomic || under != nil && !under.atomic
	if lo, hi := overlay.Span(runs); p.untracked || hi-lo > overlay.MostBytes {
		g.All = !p.meets(t, false, runs, nonatomic, m)
		return g
	}
	if !p.reordered && !p.racy(t, false, nonatomic, m) {
		return g
	}
	for _, o := range p.possible() {
		layers := p.layers(o, t, false, nonatomic, m)
		for _, e := range p.begun {
			if e.races(t, false, nonatomic, &m) {
				layers = append(layers, overlay.Layer{Write: &e.Write, Races: true})
			}
		}
		if !p.reordered && len(overlay.Matter(p.base, layers, runs)) == 0 {
			return g
		}
		found, all := overlay.Outcomes(p.base, layers, runs)
		g.add(o, found)
		g.All = g.All && all
	}
	return g
}

// MinSize returns a lower bound of the file's size for an access through t, from the writes
// ordered before it.
func (p *WriteHistory) MinSize(im *image.Image, t *Tracker, atomic bool, now uint64, clock consistency.Clock) int64 {
	if !p.based {
		return im.Size()
	}
	m, least := moment{t.rank, now, clock}, int64(math.MaxInt64)
	for _, o := range p.possible() {
		s := overlay.NewState(p.base, 0, 0)
		for _, e := range o {
			if races := e.races(t, false, !atomic, &m); !races {
				s.Apply(&e.Write)
			} else if e.Kind == overlay.Resize { // it may come last
				least = min(least, e.Size)
			}
		}
		least = min(least, s.Size)
	}
	return least
}

// Endings returns how many contents the file may have when all its handles are closed; see
// [WriteHistory.End].
func (p *WriteHistory) Endings() int {
	if p.untracked || len(p.orders) < 2 {
		return 1
	}
	p.endings = nil
	var ends []*overlay.State
	for _, o := range p.orders {
		s := p.state(o)
		i := slices.IndexFunc(ends, s.Equal)
		if i < 0 {
			i = len(ends)
			ends, p.endings = append(ends, s), append(p.endings, nil)
		}
		p.endings[i] = append(p.endings[i], o)
	}
	return len(ends)
}

// End gives the file content i of [WriteHistory.Endings]. The writes have all orders that leave it: a
// handle that is opened later may find each write of another one, or not.
func (p *WriteHistory) End(i int) { p.orders = p.endings[i] }

// state returns the content of the file after the writes in the given order.
func (p *WriteHistory) state(writes order) *overlay.State {
	size := int64(len(p.base))
	for _, e := range writes {
		size = max(size, e.End())
	}
	s := overlay.NewState(p.base, 0, size)
	for _, e := range writes {
		s.Apply(&e.Write)
	}
	return s
}

// Apply gives the file the content of p when all its handles are closed; who, which may be
// nil, gets the order of the writes. Errors: those of the backing.
func (p *WriteHistory) Apply(im *image.Image, who *Ledger) error {
	if p.untracked || !p.reordered {
		return nil
	}
	writes := p.possible()[0]
	if who != nil {
		who.reorder(writes)
	}
	s := p.state(writes)
	if s.Size != im.Size() {
		if err := im.SetSize(s.Size); err != nil {
			return err
		}
	}
	for lo := int64(0); lo < s.Size; {
		if s.Mem[lo] < 0 {
			lo++
			continue
		}
		var data []byte
		for hi := lo; hi < s.Size && s.Mem[hi] >= 0; hi++ {
			data = append(data, byte(s.Mem[hi]))
		}
		h := im.Open()
		err := h.Write(extent.Flat(), lo, data)
		if closed := h.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		lo += int64(len(data))
	}
	return nil
}
