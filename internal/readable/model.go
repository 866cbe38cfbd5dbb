package readable

import (
	"math"
	"slices"

	"github.com/commworld/commworld/consistency"
)

// A Timed is a step of a run that has ended, with the time of its effect: moment From at the
// earliest and To at the latest. A moment is the number of calls of the run that have
// returned. The end of an access under way is that of its DoWait; see [Never].
type Timed struct {
	consistency.Step

	From, To int
}

// Never is the moment of an effect that did not happen.
const Never = math.MaxInt

// A History has the steps of all ranks of a run on a file. It computes the results of reads
// under the models of file systems.
type History struct {
	init  []byte
	ranks [][]Timed
	ends  []int64
}

// NewHistory returns the history of a file that began with init. Each rank has its steps in
// order, without those of other files and those that only order ranks.
func NewHistory(init []byte, ranks [][]Timed) *History {
	t := &Table{init: init}
	for _, steps := range ranks {
		var all []Step
		for i := range steps {
			all = append(all, Step{Step: steps[i].Step})
		}
		t.ranks = append(t.ranks, all)
	}
	t.cut(nil)
	return &History{init, ranks, t.ends}
}

// A change is a write to the shared file, or a change of its size.
type change struct {
	*Timed

	rank, index int
	from, to    int // the moments, at the earliest and the latest, at which it got into the shared file
	under       int // the last step of its rank at which it was under way
}

// Under returns what a read through a handle of a rank returns at a moment, on a file system
// with a model, after the first done steps of the rank. If the order of the calls leaves
// open which write comes last, or whether a write has come already, there are several
// choices. The model must not be [consistency.Weakest] or [consistency.Chaos]; for these use
// [Table].
func (p *History) Under(m consistency.Model, now, rank, done, handle int) (all []Bytes) {
	v := p.viewOf(m, now, rank, done, handle)
	lo := int64(0)
	for _, hi := range p.ends {
		all = append(all, Bytes{Lo: lo, Hi: hi, Choices: v.choices(lo, hi)})
		lo = hi
	}
	return all
}

// A handleView is the shared file, and the part of it that one handle sees.
type handleView struct {
	*History

	shared []change
	own    []change // of the handle, on top of the shared file, in order
	lo, hi int      // it sees the changes that got there by lo, and perhaps those that got there by hi
	now    int
}

// An openState is the state of a handle after some steps of its rank.
type openState struct {
	atomic  bool
	lo, hi  int      // the moments, at the earliest and the latest, at which it last adopted what others published
	private []change // since then
}

// viewOf follows the steps of all ranks.
func (p *History) viewOf(m consistency.Model, now, rank, done, handle int) *handleView {
	v := &handleView{History: p, lo: now, hi: now, now: now}
	for r := range p.ranks {
		handles := map[int]*openState{}
		for i := range p.ranks[r] {
			if r == rank && i == done {
				break
			}
			v.step(m, handles, r, i)
		}
		if h := handles[handle]; r == rank && h != nil {
			if !m.ReadsFresh() && !h.atomic {
				v.lo, v.hi = h.lo, h.hi
			}
			if !(m.PublishesEarly() && m.ReadsFresh()) && !h.atomic {
				v.own = h.private
			}
		}
	}
	return v
}

// resizes reports whether a step changes the size of the file.
func resizes(do consistency.Do) bool {
	return do == consistency.DoSetSize || do == consistency.DoGrow
}

// step follows one step of a rank.
func (v *handleView) step(m consistency.Model, handles map[int]*openState, r, i int) {
	s := &v.ranks[r][i]
	if s.Do == consistency.DoOpen {
		handles[s.Handle] = &openState{lo: s.From, hi: s.To}
		return
	}
	h := handles[s.Handle]
	if h == nil {
		return
	}
	switch s.Do {
	case consistency.DoWrite:
		c := change{s, r, i, s.From, s.To, v.waited(r, i)}
		if h.private = append(h.private, c); m.PublishesEarly() || h.atomic {
			v.shared = append(v.shared, c)
		}
	case consistency.DoSync, consistency.DoClose, consistency.DoAtomic:
		for _, c := range h.private {
			if c.Do == consistency.DoWrite && !m.PublishesEarly() && !h.atomic {
				c.from, c.to = max(s.From, c.from), max(s.To, c.to) // the access may be under way still
				v.shared = append(v.shared, c)
			}
		}
		switch {
		case s.Do == consistency.DoClose:
			delete(handles, s.Handle)
			return
		case s.Do == consistency.DoAtomic:
			h.atomic = s.On
		}
		h.lo, h.hi, h.private = s.From, s.To, nil
	case consistency.DoSetSize, consistency.DoGrow:
		v.shared = append(v.shared, change{s, r, i, s.From, s.To, i})
		h.private = append(h.private, change{s, r, i, s.From, s.To, i})
	}
}

// waited returns the step that completes an access, itself if it blocks.
func (p *History) waited(r, i int) int {
	s := &p.ranks[r][i]
	if s.Request == 0 {
		return i
	}
	for k := i + 1; k < len(p.ranks[r]); k++ {
		if w := &p.ranks[r][k]; w.Do == consistency.DoWait && w.Request == s.Request {
			return k
		}
	}
	return len(p.ranks[r])
}

// covers reports whether a change writes bytes.
func (c *change) covers(lo, hi int64) bool {
	return c.Do == consistency.DoWrite && slices.ContainsFunc(c.Runs, func(r consistency.Run) bool { return r.Off <= lo && hi <= r.Off+r.Len })
}

// cuts reports whether after a change the file ends before a byte.
func (c *change) cuts(lo int64) bool { return c.Do == consistency.DoSetSize && c.Bytes <= lo }

// reaches reports whether after a change the file has a byte.
func (c *change) reaches(lo int64) bool {
	if resizes(c.Do) {
		return c.Bytes > lo
	}
	return slices.ContainsFunc(c.Runs, func(r consistency.Run) bool { return r.Off+r.Len > lo })
}

// after reports whether c certainly got into the file after d.
func (c *change) after(d *change) bool {
	if c.rank == d.rank && c.Handle == d.Handle {
		return c.index > d.under
	}
	return c.from >= d.to
}

// newest returns the changes of a kind that may be the last one that the handle sees, and
// reports whether it may see none.
func (v *handleView) newest(of func(*change) bool) (all []*change, none bool) {
	var seen, certain []*change
	for i := range v.shared {
		c := &v.shared[i]
		if c.from >= v.hi && c.to > v.hi || !of(c) {
			continue
		}
		if seen = append(seen, c); c.to <= v.lo {
			certain = append(certain, c)
		}
	}
	for _, c := range seen {
		if !slices.ContainsFunc(certain, func(x *change) bool { return x != c && x.after(c) }) {
			all = append(all, c)
		}
	}
	return all, len(certain) == 0
}

// choices returns the possible values of bytes [lo, hi).
func (v *handleView) choices(lo, hi int64) (all []Choice) {
	mine, whole, grown := v.mine(lo, hi)
	for _, c := range mine {
		all = append(all, c.choice(lo, hi))
	}
	if whole {
		return order(all)
	}
	newest, none := v.newest(func(c *change) bool { return c.cuts(lo) || c.covers(lo, hi) })
	blank := none && lo >= int64(len(v.init))
	for _, c := range newest {
		if c.Do == consistency.DoWrite {
			all = append(all, c.choice(lo, hi))
		} else {
			blank = true
		}
	}
	if none && lo < int64(len(v.init)) {
		all = append(all, Choice{From: Start, Rank: -1, Bytes: part(v.init, lo, hi-lo)})
	}
	if blank {
		all = append(all, v.blanks(lo, grown)...)
	}
	return order(all)
}

// mine returns the handle's own writes of bytes [lo, hi) that a read may see, several if some
// are under way, and whether one of them is complete. grown says that an own write has made
// the file reach lo.
func (v *handleView) mine(lo, hi int64) (mine []*change, whole, grown bool) {
	for i := range v.own {
		c := &v.own[i]
		moved := c.to <= v.now
		switch {
		case c.cuts(lo):
			mine, whole, grown = nil, false, false
		case c.covers(lo, hi):
			if moved {
				mine = slices.DeleteFunc(mine, func(d *change) bool { return c.after(d) })
			}
			mine, whole = append(mine, c), whole || moved
		}
		grown = grown || moved && c.reaches(lo)
	}
	return mine, whole, grown
}

// blanks returns the possible states of bytes that no rank wrote.
func (v *handleView) blanks(lo int64, grown bool) (all []Choice) {
	newest, none := v.newest(func(c *change) bool { return c.cuts(lo) || c.reaches(lo) })
	ends, goes := none && lo >= int64(len(v.init)), grown || none && lo < int64(len(v.init))
	for _, c := range newest {
		if c.cuts(lo) {
			ends = true
		} else {
			goes = true
		}
	}
	if goes {
		all = append(all, Choice{From: Hole, Rank: -1})
	}
	if ends && !grown {
		all = append(all, Choice{From: End, Rank: -1})
	}
	return all
}

func (c *change) choice(lo, hi int64) Choice {
	s := Step{Step: c.Step}
	return Choice{From: Write, Rank: c.rank, Index: c.index, Bytes: s.at(lo, hi)}
}

// order sorts choices as [Table.Of] has them, each once.
func order(all []Choice) (ordered []Choice) {
	for _, c := range all {
		i := 0
		for i < len(ordered) && ordered[i].before(&c) {
			i++
		}
		if i == len(ordered) || c.before(&ordered[i]) {
			ordered = slices.Insert(ordered, i, c)
		}
	}
	return ordered
}

// before reports whether c comes before d: writes come last, by rank and program order.
func (c *Choice) before(d *Choice) bool {
	if c.From != d.From {
		return d.From == Write || c.From != Write && c.From < d.From
	}
	return c.Rank < d.Rank || c.Rank == d.Rank && c.Index < d.Index
}
