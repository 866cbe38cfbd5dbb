package types

import "math"

// A Cursor visits the runs of a [Tiling] from any packed byte on. Unlike [Tiling.Runs] it
// returns one run for each call, so two layouts can be visited side by side. It allocates
// nothing unless types are nested very deep.
type Cursor struct {
	frames [8]frame
	more   []frame // frames beyond those
	depth  int

	// The present batch: n runs of w bytes, one every stride bytes from off on; skip bytes
	// of the first run are done.
	off, w, stride, n, skip int64
}

// A frame is a node that the cursor is inside of: a repetition (kid) or a list.
type frame struct {
	kid, list *node
	off       int64
	stride    int64
	i, n      int64
}

// Cursor returns a cursor at packed byte from.
func (w Tiling) Cursor(from int64) Cursor {
	var c Cursor
	c.seek(w, from)
	return c
}

func (c *Cursor) seek(w Tiling, from int64) {
	nd := w.L.tile.nd
	if nd == nil {
		return
	}
	off := w.Disp + w.L.tile.off
	if nd.op == opRun && w.L.pitch == nd.size { // one endless run
		c.off, c.w, c.n = off+from, math.MaxInt64, 1
		return
	}
	c.enterRep(nd, w.L.pitch, math.MaxInt64, off, from)
}

// enterRep enters n copies of kid, at packed byte from.
func (c *Cursor) enterRep(kid *node, stride, n, off, from int64) {
	k := from / kid.size
	f := frame{kid: kid, off: off, stride: stride, i: k, n: n}
	if from -= k * kid.size; kid.op == opRun {
		c.off, c.w, c.stride, c.n, c.skip = off+k*stride, kid.size, stride, n-k, from
		return
	}
	f.i++
	c.push(f)
	c.enter(kid, off+k*stride, from)
}

// enter enters a node, at packed byte from.
func (c *Cursor) enter(nd *node, off, from int64) {
	switch nd.op {
	case opRun:
		c.single(off, nd.size, from)
		return
	case opRep:
		c.enterRep(nd.kid, nd.stride, nd.n, off, from)
		return
	}
	i := 0
	if from > 0 {
		i = nd.find(from)
		from -= nd.start(i)
	}
	c.push(frame{list: nd, off: off, i: int64(i) + 1, n: int64(len(nd.offs))})
	c.enterEntry(nd, i, off, from)
}

func (c *Cursor) enterEntry(nd *node, i int, off, from int64) {
	off += nd.offs[i]
	switch {
	case nd.kids != nil:
		c.enter(nd.kids[i], off, from)
	case nd.kid == nil:
		c.single(off, nd.starts[i+1]-nd.starts[i], from)
	case nd.starts == nil:
		c.enter(nd.kid, off, from)
	default:
		c.enterRep(nd.kid, nd.stride, (nd.starts[i+1]-nd.starts[i])/nd.kid.size, off, from)
	}
}

func (c *Cursor) single(off, w, skip int64) { c.off, c.w, c.stride, c.n, c.skip = off, w, 0, 1, skip }

func (c *Cursor) push(f frame) {
	if c.depth < len(c.frames) {
		c.frames[c.depth] = f
	} else {
		c.more = append(c.more[:c.depth-len(c.frames)], f)
	}
	c.depth++
}

func (c *Cursor) top() *frame {
	if c.depth <= len(c.frames) {
		return &c.frames[c.depth-1]
	}
	return &c.more[c.depth-1-len(c.frames)]
}

// fill goes to the next batch when the present one is used up.
func (c *Cursor) fill() {
	for c.n == 0 && c.depth > 0 {
		f := c.top()
		if f.i == f.n {
			c.depth--
			continue
		}
		i := f.i
		f.i++
		if f.list != nil {
			c.enterEntry(f.list, int(i), f.off, 0)
		} else {
			c.enter(f.kid, f.off+i*f.stride, 0)
		}
	}
}

// Next returns the offset and the number of the next adjacent bytes, at most limit; n is 0
// if the layout holds no data. Two runs that touch are returned one by one.
func (c *Cursor) Next(limit int64) (off, n int64) {
	if c.fill(); c.n == 0 || limit <= 0 {
		return 0, 0
	}
	off, n = c.off+c.skip, min(limit, c.w-c.skip)
	c.advance(n)
	return off, n
}

// advance consumes n bytes of the first run of the batch.
func (c *Cursor) advance(n int64) {
	switch {
	case c.w == math.MaxInt64: // the endless run
		c.off += n
	case c.skip+n == c.w:
		c.pass(1)
	default:
		c.skip += n
	}
}

// pass consumes k runs of the batch.
func (c *Cursor) pass(k int64) {
	c.skip = 0
	c.n -= k
	c.off += k * c.stride
}

// A Place is packed bytes of a tiling in memory: byte From and those after it; Mem begins
// at offset Base.
type Place struct {
	Mem  []byte
	Base int64
	At   Tiling
	From int64
}

// Place returns the packed bytes of b from byte from on, under s, for [Zip]. b must have
// passed [Buffer.Check], and not be [Buffer.Reordered].
func (b Buffer) Place(from int64, s Sizes) Place {
	w, _ := b.tiling(s)
	return Place{b.mem, 0, w, from}
}

// Zip copies n packed bytes from one layout to another without packing them in between:
// memory to file, sender to receiver. The memories must not overlap, and must contain all
// bytes.
func Zip(dst, src Place, n int64) {
	if n <= 0 || dst.At.L == nil || src.At.L == nil || dst.At.L.Size == 0 || src.At.L.Size == 0 {
		return
	}
	if p, ok := dst.dense(n); ok {
		src.At.Gather(p, src.Mem, src.Base, src.From)
		return
	}
	if p, ok := src.dense(n); ok {
		dst.At.Scatter(dst.Mem, dst.Base, p, dst.From)
		return
	}
	var to, from Cursor
	to.seek(dst.At, dst.From)
	from.seek(src.At, src.From)
	if !dst.inside(n) || !src.inside(n) {
		zipChecked(dst, src, &to, &from, n)
		return
	}
	zip(dst, src, &to, &from, n)
}

// dense returns the n bytes of p as a slice if they are one run.
func (p Place) dense(n int64) ([]byte, bool) {
	nd := p.At.L.tile.nd
	if nd.op != opRun {
		return nil, false
	}
	if p.At.L.pitch != nd.size && p.From%nd.size+n > nd.size {
		return nil, false
	}
	off := p.At.At(p.From) - p.Base
	return p.Mem[off : off+n], true
}

func (p Place) inside(n int64) bool {
	lo, hi := p.At.Span(p.From, n)
	return lo >= p.Base && hi-p.Base <= int64(len(p.Mem))
}

// zipChecked is zip for spans of which only unused bytes may be outside memory.
func zipChecked(dst, src Place, to, from *Cursor, n int64) {
	for n > 0 {
		to.fill()
		from.fill()
		c := min(n, to.w-to.skip, from.w-from.skip)
		d, _ := to.Next(c)
		s, _ := from.Next(c)
		d, s = d-dst.Base, s-src.Base
		copy(dst.Mem[d:d+c], src.Mem[s:s+c])
		n -= c
	}
}

// zip copies as much as it can in one loop: batches of equal runs at once, or the short
// runs of one side within one run of the other.
func zip(dst, src Place, to, from *Cursor, n int64) {
	m := newZipper(dst.Mem, src.Mem)
	for n > 0 {
		to.fill()
		from.fill()
		a, b := to.w-to.skip, from.w-from.skip
		d, s := to.off+to.skip-dst.Base, from.off+from.skip-src.Base
		switch {
		case a == b && to.skip == 0 && from.skip == 0 && a <= n:
			k := min(to.n, from.n, n/a)
			m.grid(d, s, to.stride, from.stride, k, a)
			to.pass(k)
			from.pass(k)
			n -= k * a
		case a > b && from.skip == 0 && b <= n:
			k := min(from.n, a/b, n/b)
			m.grid(d, s, b, from.stride, k, b)
			from.pass(k)
			to.advance(k * b)
			n -= k * b
		case b > a && to.skip == 0 && a <= n:
			k := min(to.n, b/a, n/a)
			m.grid(d, s, to.stride, a, k, a)
			to.pass(k)
			from.advance(k * a)
			n -= k * a
		default:
			c := min(a, b, n)
			m.grid(d, s, 0, 0, 1, c)
			to.advance(c)
			from.advance(c)
			n -= c
		}
	}
}

// Copy copies n packed bytes from src, laid out under srcSizes, to dst, laid out under
// dstSizes; from and to are the first packed bytes. Both must have passed [Buffer.Check];
// nothing is converted.
func Copy(dst Buffer, to int64, dstSizes Sizes, src Buffer, from int64, srcSizes Sizes, n int64) {
	if src.Reordered(srcSizes) || dst.Reordered(dstSizes) {
		packed := make([]byte, n)
		src.Pack(packed, from, srcSizes)
		dst.Unpack(packed, to, dstSizes)
		return
	}
	dst.Take(src.Place(from, srcSizes), to, dstSizes, n)
}

// Take copies n packed bytes from src to b, laid out under s, from packed byte to on. b
// must have passed [Buffer.Check], and not be [Buffer.Reordered].
func (b Buffer) Take(src Place, to int64, s Sizes, n int64) {
	d := b.Place(to, s)
	Zip(d, src, n)
	if b.native != nil && b.native.bools != nil && d.At.L != nil {
		b.fixBoolsOf(d.At, to, n)
	}
}
