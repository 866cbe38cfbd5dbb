package types

import (
	"cmp"
	"slices"
)

// A Bound is an explicit bound of a layout, from a marker, [Resized] or an array type. A
// Weak one acts like data; see [WeakMarkers].
type Bound struct {
	Set, Weak bool
	At        int64
}

// Markers returns the explicit bounds in force. Where none is set, the bound of the layout
// follows from its data.
func (l *Layout) Markers() (lb, ub Bound) {
	sh := &l.shape
	return strongest(sh.lb, sh.softLB), strongest(sh.ub, sh.softUB)
}

func strongest(hard, soft mark) Bound {
	if hard.set {
		return Bound{Set: true, At: hard.at}
	}
	return Bound{Set: soft.set, Weak: soft.set, At: soft.at}
}

// A Form is the kind of a [Loop].
type Form uint8

// The forms of loops.
const (
	FormRun    Form = iota // Size adjacent bytes
	FormRepeat             // N copies of its one part, one every Stride bytes
	FormList               // N parts, each at its own place
)

// A Loop is one level of the loop nest of a compiled layout, for programs that show or
// translate it. Its first byte is Off bytes after that of the enclosing loop.
type Loop struct {
	Form   Form
	Off    int64
	Size   int64 // bytes of data
	N      int64
	Stride int64

	nd *node
}

// Loops returns the outermost loop; its Off is the place of the first byte. A layout
// without data has none.
func (l *Layout) Loops() (Loop, bool) {
	if l.Size == 0 {
		return Loop{}, false
	}
	return l.shape.nest.nd.loop(l.shape.nest.off), true
}

func (nd *node) loop(off int64) Loop {
	p := Loop{Off: off, Size: nd.size, N: 1, nd: nd}
	switch nd.op {
	case opRep:
		p.Form, p.N, p.Stride = FormRepeat, nd.n, nd.stride
	case opList:
		p.Form, p.N = FormList, int64(len(nd.offs))
	}
	return p
}

// Part returns part i of a list, or the repeated part of a repetition. A run has no parts
// and returns itself.
func (p Loop) Part(i int64) Loop {
	switch {
	case p.Form == FormRepeat:
		return p.nd.kid.loop(0)
	case p.Form == FormList && i >= 0 && i < p.N:
		return p.nd.entry(int(i)).loop(p.nd.offs[i])
	}
	return p
}

// Within calls yield for the data of one copy at offsets [lo, hi): packed bytes [pos, pos+n)
// are at off and after it. The calls come in no order and may overlap. Within ends when
// yield returns false, and gives up after visiting budget parts of the loop nest; it reports
// whether it found all data.
//
// Repetitions are searched from the widest stride to the narrowest, so the cost of a window
// into an array of any storage order is that of the data found there.
func (l *Layout) Within(lo, hi int64, budget int, yield func(pos, off, n int64) bool) bool {
	w := window{lo: max(lo, l.TrueLB), hi: min(hi, l.TrueUB), left: budget, yield: yield}
	if l.Size > 0 && w.lo < w.hi {
		w.node(l.shape.nest.nd, l.shape.nest.off, 0)
	}
	return !w.stop
}

// A window is a search by offsets.
type window struct {
	lo, hi int64
	left   int
	yield  func(pos, off, n int64) bool
	stop   bool
}

// step counts a step, and reports whether it may be taken.
func (w *window) step() bool {
	w.left--
	w.stop = w.stop || w.left < 0
	return !w.stop
}

// misses reports whether the interval is outside the window.
func (w *window) misses(lo, hi int64) bool { return hi <= w.lo || lo >= w.hi }

func (w *window) node(nd *node, off, pos int64) {
	if !w.step() || w.misses(off+nd.lo, off+nd.hi) {
		return
	}
	switch nd.op {
	case opRun:
		skip := max(0, w.lo-off)
		n := min(nd.size, w.hi-off) - skip
		w.stop = !w.yield(pos+skip, off+skip, n)
	case opRep:
		w.grid(nd, off, pos)
	default:
		w.list(nd, off, pos)
	}
}

func (w *window) list(nd *node, off, pos int64) {
	for i := nd.reach(0, w.lo-off); i < len(nd.offs) && w.step(); i = nd.reach(i+1, w.lo-off) {
		if lo, hi := nd.entrySpan(i); !w.misses(off+lo, off+hi) {
			w.node(nd.entry(i), off+nd.offs[i], pos+nd.start(i))
		} else if nd.asc {
			return
		}
	}
}

// A windowDim is one of the repetitions around a node, with the size of its content.
type windowDim struct {
	n, stride, bytes int64 // bytes: packed, of one copy
	lo, hi           int64 // span of one copy
}

// grid searches repetitions that directly enclose one another.
func (w *window) grid(nd *node, off, pos int64) {
	var dims []windowDim
	for ; nd.op == opRep; nd = nd.kid {
		dims = append(dims, windowDim{n: nd.n, stride: nd.stride, bytes: nd.kid.size})
	}
	slices.SortStableFunc(dims, func(a, b windowDim) int {
		return cmp.Compare(magnitude(b.stride), magnitude(a.stride))
	})
	lo, hi := nd.lo, nd.hi
	for i := len(dims) - 1; i >= 0; i-- {
		d := &dims[i]
		d.lo, d.hi = lo, hi
		lo, hi = lo+min(0, (d.n-1)*d.stride), hi+max(0, (d.n-1)*d.stride)
	}
	w.dims(dims, nd, off, pos)
}

func (w *window) dims(dims []windowDim, nd *node, off, pos int64) {
	if len(dims) == 0 {
		w.node(nd, off, pos)
		return
	}
	d := dims[0]
	first, last := d.meet(w.lo, w.hi, off)
	for i := first; i <= last && w.step(); i++ {
		w.dims(dims[1:], nd, off+i*d.stride, pos+i*d.bytes)
	}
}

// meet returns the first and the last copy whose span meets [lo, hi); copy 0 is at off.
func (d windowDim) meet(lo, hi, off int64) (first, last int64) {
	below, above := lo-(off+d.hi), hi-(off+d.lo) // lower and upper limit of where a copy can begin
	switch {
	case d.stride == 0 && below < 0 && above > 0:
		return 0, d.n - 1
	case d.stride == 0:
		return 0, -1
	case d.stride < 0:
		below, above = -above, -below
	}
	s := int64(magnitude(d.stride))
	return max(0, floorDiv(below, s)+1), min(d.n-1, -floorDiv(-above, s)-1)
}

// floorDiv returns a / b rounded down; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
