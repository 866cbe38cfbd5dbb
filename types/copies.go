package types

// CopiesOf reports whether l consists of whole copies of unit at distances that are
// multiples of unit's extent; the filetype of a view must consist so of its etype. It checks
// the loop nest and not every copy, so it is quick for any number of copies. False means
// only that the nest does not show it.
func (l *Layout) CopiesOf(unit *Layout) bool {
	if l.Size == 0 {
		return true
	}
	if unit.Size == 0 || unit.Extent <= 0 {
		return false
	}
	return l.shape.nest.nd.copies(unit.shape.nest.nd, unit.Extent)
}

// copies is CopiesOf for a node whose first byte is the first byte of a copy.
func (nd *node) copies(unit *node, ext int64) bool {
	if same(nd, unit) {
		return true
	}
	switch {
	case nd.op == opRun: // a run of copies without holes between them
		return unit.op == opRun && unit.size == ext && nd.size%ext == 0
	case nd.op == opRep && unit.op == opRep && nd.stride == unit.stride && same(nd.kid, unit.kid):
		return nd.n%unit.n == 0 && unit.n*unit.stride%ext == 0 // copies at regular distances
	case nd.op == opRep:
		return nd.stride%ext == 0 && nd.kid.copies(unit, ext)
	}
	for i, off := range nd.offs {
		if off%ext != 0 || !nd.entry(i).copies(unit, ext) {
			return false
		}
		if nd.kid != nil && nd.starts == nil {
			return evenly(nd.offs[i:], ext) // all entries equal this one
		}
	}
	return true
}

// evenly reports whether all offsets are multiples of ext.
func evenly(offs []int64, ext int64) bool {
	for _, off := range offs {
		if off%ext != 0 {
			return false
		}
	}
	return true
}
