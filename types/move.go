package types

// Gather packs: it sets dst[i] to mem[w.At(from+i)-base]. The bytes must be inside mem.
func (w Tiling) Gather(dst, mem []byte, base, from int64) {
	w.move(dst, mem, base, from, true)
}

// Scatter unpacks: it sets mem[w.At(from+i)-base] to src[i]. Where bytes overlap, the one
// later in typemap order stays.
func (w Tiling) Scatter(mem []byte, base int64, src []byte, from int64) {
	w.move(src, mem, base, from, false)
}

// move checks once that all bytes are inside mem; the code below it then runs without
// bounds checks. The span may be wider than the bytes: if it leaves mem, they are moved one
// run at a time, with checks.
func (w Tiling) move(packed, mem []byte, base, from int64, pack bool) {
	n := int64(len(packed))
	nd := w.L.tile.nd
	if nd == nil || n == 0 {
		return
	}
	lo, hi := w.Span(from, n)
	if lo < base || hi-base > int64(len(mem)) {
		w.moveChecked(packed, mem, base, from, pack)
		return
	}
	m := newMover(packed, mem, pack)
	m.repPart(nd, w.L.pitch, w.Disp+w.L.tile.off-base, 0, from, n)
}

func (w Tiling) moveChecked(packed, mem []byte, base, from int64, pack bool) {
	at := int64(0)
	for off, n := range w.Runs(from, int64(len(packed))) {
		if p, q := packed[at:at+n], mem[off-base:off-base+n]; pack {
			copy(p, q)
		} else {
			copy(q, p)
		}
		at += n
	}
}

// repPart moves packed bytes [from, from+n) of endless copies of kid, the first of which is
// at off; at is their packed position.
func (m *mover) repPart(kid *node, stride, off, at, from, n int64) {
	if kid.op == opRun && stride == kid.size {
		m.run(off+from, at, n)
		return
	}
	k := from / kid.size
	if skip := from - k*kid.size; skip > 0 {
		part := min(n, kid.size-skip)
		m.part(kid, off+k*stride, at, skip, part)
		at, n, k = at+part, n-part, k+1
	}
	if full := n / kid.size; full > 0 {
		m.rep(kid, full, stride, off+k*stride, at)
		at, n, k = at+full*kid.size, n-full*kid.size, k+full
	}
	if n > 0 {
		m.part(kid, off+k*stride, at, 0, n)
	}
}

// part moves packed bytes [from, from+n) of one node.
func (m *mover) part(nd *node, off, at, from, n int64) {
	switch {
	case n == nd.size:
		m.full(nd, off, at)
		return
	case nd.op == opRun:
		m.run(off+from, at, n)
		return
	case nd.op == opRep:
		m.repPart(nd.kid, nd.stride, off, at, from, n)
		return
	}
	i := nd.find(from)
	if skip := from - nd.start(i); skip > 0 {
		part := min(n, nd.start(i+1)-from)
		m.entryPart(nd, i, off, at, skip, part)
		at, n, i = at+part, n-part, i+1
	}
	if n == 0 {
		return
	}
	j := len(nd.offs)
	if end := nd.start(i) + n; end < nd.size {
		j = nd.find(end)
	}
	m.list(nd, i, j, off, at)
	if done := nd.start(j) - nd.start(i); done < n {
		m.entryPart(nd, j, off, at+done, 0, n-done)
	}
}

func (m *mover) entryPart(nd *node, i int, off, at, from, n int64) {
	off += nd.offs[i]
	switch {
	case nd.kids != nil:
		m.part(nd.kids[i], off, at, from, n)
	case nd.kid == nil:
		m.run(off+from, at, n)
	case nd.starts == nil:
		m.part(nd.kid, off, at, from, n)
	default:
		m.repPart(nd.kid, nd.stride, off, at, from, n)
	}
}

// full moves a whole node.
func (m *mover) full(nd *node, off, at int64) {
	switch nd.op {
	case opRun:
		m.run(off, at, nd.size)
	case opRep:
		m.rep(nd.kid, nd.n, nd.stride, off, at)
	default:
		m.list(nd, 0, len(nd.offs), off, at)
	}
}

// list moves entries [i, j) of a list.
func (m *mover) list(nd *node, i, j int, off, at int64) {
	switch {
	case nd.kids != nil:
		for ; i < j; i++ {
			m.full(nd.kids[i], off+nd.offs[i], at)
			at += nd.kids[i].size
		}
	case nd.kid == nil:
		m.scattered(nd, i, j, off, at)
	case nd.starts == nil && nd.kid.op == opRun:
		if nd.near != nil {
			pattern(m, nd.near[i:j], nd.kid.size, off, 0, at, 1)
		} else {
			pattern(m, nd.offs[i:j], nd.kid.size, off, 0, at, 1)
		}
	case nd.starts == nil:
		for ; i < j; i++ {
			m.full(nd.kid, off+nd.offs[i], at)
			at += nd.kid.size
		}
	default:
		for ; i < j; i++ {
			size := nd.starts[i+1] - nd.starts[i]
			m.rep(nd.kid, size/nd.kid.size, nd.stride, off+nd.offs[i], at)
			at += size
		}
	}
}

// rep moves n whole copies of kid, one every stride bytes. Small inner pieces are moved
// across the copies, or by a table of their offsets: one long loop instead of many short
// ones.
func (m *mover) rep(kid *node, n, stride, off, at int64) {
	switch {
	case m.comb(kid, n, stride, off, at):
	case kid.op == opRun:
		m.grid(off, stride, at, kid.size, n, kid.size)
	case kid.op == opRep && kid.kid.op == opRun && m.narrow(kid, n, stride):
		m.tiles(off, stride, kid.stride, at, n, kid.n, kid.kid.size)
	case kid.table != nil:
		pattern(m, kid.table, kid.piece, off, stride, at, n)
	case kid.op == opList && kid.small && n > 2 && m.free(kid, stride):
		m.columns(kid, n, stride, off, at)
	default:
		for i := range n {
			m.full(kid, off+i*stride, at+i*kid.size)
		}
	}
}

// narrow reports whether copies of kid, a repetition of one run, fit between kid's own
// steps, as the columns of a matrix do, and may be moved in any order.
func (m *mover) narrow(kid *node, n, stride int64) bool {
	w, near, far := kid.kid.size, max(stride, -stride), max(kid.stride, -kid.stride)
	return n > 1 && kid.n > 1 && near >= w && near < far && w <= 16 && (m.pack || (n-1)*near+w <= far)
}

// free reports whether copies may be moved in any order: always when packing, otherwise if
// they do not overlap.
func (m *mover) free(kid *node, stride int64) bool {
	return m.pack || kid.hi-kid.lo <= max(stride, -stride)
}

// columns moves n copies of a short list of runs, run by run, in pieces that stay in the
// nearest cache.
func (m *mover) columns(kid *node, n, stride, off, at int64) {
	const stretch = 8 << 10
	step := max(4, stretch/max(kid.size, stride, -stride))
	for ; n > 0; n -= step {
		c := min(n, step)
		for i := range kid.offs {
			start := kid.start(i)
			m.grid(off+kid.offs[i], stride, at+start, kid.size, c, kid.start(i+1)-start)
		}
		off, at = off+c*stride, at+c*kid.size
	}
}
