package readable

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/image"
)

// A Call is a step of a rank of a run on a file. Index counts the steps of the rank on the file.
type Call struct {
	consistency.Step

	Rank, Index int

	// From and To are the positions of its first and its last effect among the effects of the
	// run, Never if it has not had it yet. For an access that does not block, From is its start;
	// for a change of atomic mode, when it published; for a change of size, when the file changed,
	// on the rank that changed it, while To is when the rank knew.
	From, To int
}

// Never is the position of an effect that a call has not had yet.
const Never = math.MaxInt

// An effect changes the files of a replay. Its position is that in the run.
type effect struct {
	at int
	do func(*replay)
}

// A replay is a file on which the calls of a run take effect again, under the model of a file
// system. The image has a cell for each interval between the ends of all accesses: the number
// of the call that wrote it last.
type replay struct {
	rules   image.Rules
	image   *image.Image
	handles map[rankHandle]*image.Handle
	early   bool // writes under way have moved their bytes
}

type rankHandle struct{ rank, handle int }

// A cell that no call wrote is 0; startCell means that the file held it before the run.
const (
	cellSize  = 4
	startCell = math.MaxUint32
)

// Under repeats the effects of the calls of a run, in the order of the run, on a file that began
// with init, on a file system with a model. It returns a function for what reads through a
// handle of a rank then return, interval by interval. There are two choices where a write under
// way may have moved its bytes or not. The model must not be [consistency.Weakest] or
// [consistency.Chaos]; for these use [Table].
func Under(m consistency.Model, init []byte, calls []Call) func(rank, handle int) []Bytes {
	t := &Table{init: init, ranks: [][]Step{nil}}
	for i := range calls {
		t.ranks[0] = append(t.ranks[0], Step{Step: calls[i].Step})
	}
	t.cut(nil)
	var effects []effect
	for i := range calls {
		effects = append(effects, t.effects(&calls[i], uint32(i+1))...)
	}
	effects = slices.DeleteFunc(effects, func(e effect) bool { return e.at == Never })
	slices.SortStableFunc(effects, func(a, b effect) int { return cmp.Compare(a.at, b.at) })
	replays := []*replay{{early: true}, {}}
	for _, r := range replays {
		r.rules = image.Rules{Early: m.PublishesEarly(), Fresh: m.ReadsFresh()}
		r.image, r.handles = image.NewImage(image.NewMemory(0)), map[rankHandle]*image.Handle{}
		start := r.image.Open()
		write(start, []consistency.Run{{Len: t.at(int64(len(init)))}}, startCell)
		_ = start.Close() // memory does not fail
		for _, e := range effects {
			e.do(r)
		}
	}
	return func(rank, handle int) (all []Bytes) {
		lo := int64(0)
		for i, hi := range t.ends {
			b := Bytes{Lo: lo, Hi: hi}
			for _, r := range replays {
				b.add(t.found(r.handles[rankHandle{rank, handle}], calls, i, lo, hi))
			}
			all, lo = append(all, b), hi
		}
		return all
	}
}

// effects returns the effects of a call; number stands for its data.
func (t *Table) effects(c *Call, number uint32) []effect {
	key, size := rankHandle{c.Rank, c.Handle}, t.at(c.Bytes)*cellSize
	of := func(do func(h *image.Handle)) func(*replay) { // through the handle, if its open is known
		return func(r *replay) {
			if h := r.handles[key]; h != nil {
				do(h)
			}
		}
	}
	switch c.Do {
	case consistency.DoOpen:
		return []effect{{c.To, func(r *replay) { r.handles[key] = r.image.OpenAs(r.rules) }}}
	case consistency.DoWrite:
		runs, _ := t.runs(c.Runs)
		put := of(func(h *image.Handle) { write(h, runs, number) })
		if c.To != Never {
			return []effect{{c.To, put}}
		}
		return []effect{{c.From, func(r *replay) {
			if r.early {
				put(r)
			}
		}}}
	case consistency.DoSync:
		return []effect{{c.To, of(func(h *image.Handle) { _ = h.Exchange() })}}
	case consistency.DoClose:
		return []effect{{c.To, of(func(h *image.Handle) { _ = h.Close() })}}
	case consistency.DoAtomic:
		return []effect{{c.From, of(func(h *image.Handle) { _ = h.Flush() })}, {c.To, of(func(h *image.Handle) { h.SetAtomic(c.On) })}}
	case consistency.DoGrow:
		return []effect{{c.To, func(r *replay) {
			_ = r.image.SetSize(max(size, r.image.Size()))
			of(func(h *image.Handle) { h.Resize(max(size, h.Size())) })(r)
		}}}
	case consistency.DoSetSize:
		all := []effect{{c.To, of(func(h *image.Handle) { h.Resize(size) })}}
		if c.From < c.To {
			all = append(all, effect{c.From, func(r *replay) { _ = r.image.SetSize(size) }})
		}
		return all
	}
	return nil
}

// write fills the cells of intervals with a number.
func write(h *image.Handle, runs []consistency.Run, number uint32) {
	cell := binary.LittleEndian.AppendUint32(nil, number)
	for _, run := range runs {
		_ = h.Write(extent.Flat(), run.Off*cellSize, slices.Repeat(cell, int(run.Len)))
	}
}

// found returns what a read of interval i, bytes [lo, hi), returns.
func (t *Table) found(h *image.Handle, calls []Call, i int, lo, hi int64) Choice {
	var cell [cellSize]byte
	if h == nil {
		return Choice{From: End, Rank: -1}
	}
	if n, _ := h.Read(extent.Flat(), int64(i)*cellSize, cell[:]); n == 0 {
		return Choice{From: End, Rank: -1}
	}
	switch number := binary.LittleEndian.Uint32(cell[:]); number {
	case 0:
		return Choice{From: Hole, Rank: -1}
	case startCell:
		return Choice{From: Start, Rank: -1, Bytes: part(t.init, lo, hi-lo)}
	default:
		c := &calls[number-1]
		s := Step{Step: c.Step}
		return Choice{From: Write, Rank: c.Rank, Index: c.Index, Bytes: s.at(lo, hi)}
	}
}

// add adds a choice in its place, once: writes come last, by rank and program order.
func (b *Bytes) add(c Choice) {
	key := func(c Choice) [3]int {
		from := c.From
		if from == Write {
			from = AnyLength + 1
		}
		return [3]int{int(from), c.Rank, c.Index}
	}
	i, known := slices.BinarySearchFunc(b.Choices, c, func(x, y Choice) int {
		kx, ky := key(x), key(y)
		return slices.Compare(kx[:], ky[:])
	})
	if !known {
		b.Choices = slices.Insert(b.Choices, i, c)
	}
}
