package types

import "slices"

// CopiesOf reports whether l consists of whole copies of unit, each shifted by a multiple of
// unit's extent. The filetype of a view must consist of its etype in this way. CopiesOf
// compares loop nests, so its time does not grow with the number of copies; false means
// only that the nests do not prove it.
func (l *Layout) CopiesOf(unit *Layout) bool {
	if l.Size == 0 {
		return true
	}
	if unit.Size == 0 || unit.Extent <= 0 {
		return false
	}
	return l.shape.nest.nd.consistsOf(unit.shape.nest.nd, unit.Extent)
}

// consistsOf reports whether nd consists of copies of unit at multiples of extent. One of the
// copies begins where nd begins.
func (nd *node) consistsOf(unit *node, extent int64) bool {
	if same(nd, unit) {
		return true
	}
	switch nd.op {
	case opRun: // only units without holes can be adjacent bytes
		return unit.op == opRun && unit.size == extent && nd.size%extent == 0
	case opRep:
		if unit.op == opRep && nd.stride == unit.stride && same(nd.kid, unit.kid) {
			return nd.n%unit.n == 0 && unit.n*unit.stride%extent == 0 // every unit.n kids are a copy
		}
		return nd.stride%extent == 0 && nd.kid.consistsOf(unit, extent)
	}
	if slices.ContainsFunc(nd.offs, func(off int64) bool { return off%extent != 0 }) {
		return false
	}
	if nd.kid != nil && nd.starts == nil { // every entry is kid
		return nd.kid.consistsOf(unit, extent)
	}
	for i := range nd.offs {
		if !nd.entry(i).consistsOf(unit, extent) {
			return false
		}
	}
	return true
}
