package types

// FirstBackward returns the beginnings of the first run of l that starts before its
// predecessor, and of that predecessor. ok is false if there is none; single items may still
// jump backwards, into the run before. There may be billions of runs, so it does not visit
// them: it takes time in proportion to the recipe.
func (l *Layout) FirstBackward() (prev, off int64, ok bool) {
	b := l.shape.nest
	if b.nd == nil {
		return 0, 0, false
	}
	prev, off, ok = b.nd.backward(map[*node]bool{})
	return b.off + prev, b.off + off, ok
}

// backward is FirstBackward for one node, relative to its first byte. rising holds nodes
// that never step back, because a recipe may use one node in very many places.
func (nd *node) backward(rising map[*node]bool) (prev, off int64, ok bool) {
	switch {
	case nd.op == opRun || rising[nd]:
		return 0, 0, false
	case nd.op == opRep:
		if prev, off, ok = nd.kid.backward(rising); ok {
			return prev, off, true
		}
		// Each copy is placed after its predecessor as the second is after the first.
		if prev, off = nd.kid.lastRun(), nd.stride+nd.kid.at(0); off < prev {
			return prev, off, true
		}
	default:
		for i, at := range nd.offs {
			entry := nd.entry(i)
			if off = at + entry.at(0); i > 0 && off < prev {
				return prev, off, true
			}
			if before, after, ok := entry.backward(rising); ok {
				return at + before, at + after, true
			}
			prev = at + entry.lastRun()
		}
	}
	rising[nd] = true
	return 0, 0, false
}

// lastRun returns the beginning of the last run of nd.
func (nd *node) lastRun() (off int64) {
	for {
		switch nd.op {
		case opRun:
			return off
		case opRep:
			off, nd = off+(nd.n-1)*nd.stride, nd.kid
		default:
			last := len(nd.offs) - 1
			off, nd = off+nd.offs[last], nd.entry(last)
		}
	}
}
