package types

// A Buffer is memory, a count and a datatype: the first three arguments of many calls in
// the standard. Displacements of items count from the buffer's origin, which is the first
// byte of the memory unless [Buffer.At] moves it.
type Buffer struct {
	mem    []byte
	origin int64
	count  int64
	typ    *Type
	native *goType // Go type of the memory; nil if unknown; filled if there is none
	err    error
}

// Of returns the buffer of a slice: as many items as it has, of the datatype of its
// elements (P2P-MATCH-11). Elements may be structs and arrays of the types that [TypeOf]
// accepts; for others [Buffer.Err] returns the error. The slice's memory is used in place, up to
// its length: of a slice with more capacity, Of(xs[:cap(xs)]) uses all.
func Of[T any](xs []T) Buffer {
	g := goTypeOf[T]()
	if g.slice != nil {
		return Buffer{typ: g.typ, err: here(g.slice)}
	}
	return Buffer{mem: bytesOf(xs), count: int64(len(xs)), typ: g.typ, native: g}
}

// Raw returns count copies of t in mem. The Go type of the memory is unknown, so any t may
// describe it.
func Raw(mem []byte, count int64, t *Type) Buffer {
	return Buffer{mem: mem, count: count, typ: t}
}

// As returns the same memory described by t, with as many copies as fit under [Host] (see
// [Buffer.Times] for another number). The memory must contain what t describes:
// [Buffer.Check] compares the two.
func (b Buffer) As(t *Type) Buffer {
	all := b.count * b.typ.Size(Host)
	b.typ, b.count = t, 0
	if l, err := t.Layout(Host); err == nil && b.Filled() {
		b.count = all / max(l.Size, 1)
	} else if err == nil {
		b.count = l.fit(int64(len(b.mem)), b.origin)
	}
	return b
}

// fit returns how many copies of l, the first at origin, fit into size bytes.
func (l *Layout) fit(size, origin int64) int64 {
	switch {
	case l.Size == 0 || origin < 0 || origin > size || origin+l.TrueLB < 0 || l.TrueUB > size-origin:
		return 0
	case l.Extent > 0:
		return (size-origin-l.TrueUB)/l.Extent + 1
	case l.Extent < 0:
		return (origin+l.TrueLB)/-l.Extent + 1
	}
	return 1
}

// Times returns b with another count. The memory stays as it is. Only the count of a receive
// may exceed it, see [Buffer.PlanReceive].
func (b Buffer) Times(count int64) Buffer {
	b.count = count
	return b
}

// At returns b with its origin at byte origin of the memory, which leaves memory before it
// for negative displacements.
func (b Buffer) At(origin int64) Buffer {
	b.origin = origin
	return b
}

// Mem returns the memory.
func (b Buffer) Mem() []byte { return b.mem }

// Origin returns the byte of the memory that displacement 0 of the first item refers to;
// see At.
func (b Buffer) Origin() int64 { return b.origin }

// Count returns the number of copies of the datatype.
func (b Buffer) Count() int64 { return b.count }

// Type returns the datatype.
func (b Buffer) Type() *Type { return b.typ }

// Err returns the error of building the buffer, or that of its datatype.
func (b Buffer) Err() error {
	if b.err != nil {
		return b.err
	}
	return b.typ.Err()
}

// Signature returns the kinds of all items of b.
func (b Buffer) Signature() Signature { return b.typ.Signature().Repeat(b.count) }

// Check returns an error if b cannot be used under s: for a bad datatype (ErrType), a
// negative count (ErrCount), memory too small for the layout (ErrBuffer), or Go memory of
// another type than the datatype describes (ErrType, P2P-MATCH-11).
func (b Buffer) Check(s Sizes) error {
	_, err := b.checked(s)
	return err
}

// checked does the same as Check and also returns the layout.
func (b *Buffer) checked(s Sizes) (*Layout, error) {
	l, fits, err := b.described(s)
	if l != nil && !fits {
		return nil, b.outside(l)
	}
	return l, err
}

// described is checked for memory that may be too small: fits reports whether it holds all
// copies. With an error of the datatype or the count there is no layout.
func (b *Buffer) described(s Sizes) (l *Layout, fits bool, err error) {
	switch {
	case b.err != nil:
		return nil, false, b.err
	case b.Filled():
		return nil, false, errFilled()
	}
	l, err = b.typ.Layout(s)
	switch {
	case err != nil:
		return nil, false, err
	case b.count < 0:
		return nil, false, fault("Buffer", ErrCount, "DT-ARG-01", "count %d is negative", b.count)
	case b.count == 0 || l.Size == 0:
		return l, true, nil
	}
	lo, hi, ok := b.ends(l)
	if !ok {
		return nil, false, fault("Buffer", ErrBuffer, "", "%d of %s from byte %d on lie outside of the memory, which has %d bytes",
			b.count, b.typ, b.origin, len(b.mem))
	}
	if fits = lo >= 0 && hi <= int64(len(b.mem)); b.native != nil {
		err = b.checkNative(s, l)
	}
	return l, fits, err
}

// A Plan has the figures that moving the data of a [Buffer] needs.
type Plan struct {
	Unit   int64  // packed bytes of one copy of the datatype
	Memory []byte // the data, if InPlace
	// InPlace: the data are in Memory, as Pack would copy them; see [Buffer.Contiguous].
	InPlace bool
	// Plain: the same is true for any buffer of this datatype that begins with its memory,
	// for any count; see [Buffer.Again].
	Plain bool
	// Short: the memory does not hold the whole count; see [Buffer.PlanReceive].
	Short bool
	// Reordered: the data are in another order in memory; see [Buffer.Reordered].
	Reordered bool
}

// Plan is [Buffer.Check], the datatype's size and [Buffer.Contiguous] in one call, which
// looks up the layout once, for callers that move many small messages. It takes a pointer
// because a buffer is a dozen words.
func (b *Buffer) Plan(s Sizes) (Plan, error) {
	if p, ok := b.plain(s); ok {
		return p, nil
	}
	l, err := b.checked(s)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Unit: l.Size}
	p.Memory, p.InPlace = b.inPlace(l)
	p.Reordered = b.reordered(l)
	return p, nil
}

// PlanReceive is Plan for a buffer that a message is received into. The count may exceed
// the memory: the plan is then Short, and neither InPlace nor Plain. [Buffer.Room] tells
// how much of a message fits. (P2P-09)
func (b *Buffer) PlanReceive(s Sizes) (Plan, error) {
	if p, ok := b.plain(s); ok {
		return p, nil
	}
	l, fits, err := b.described(s)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Unit: l.Size, Short: !fits, Reordered: b.reordered(l)}
	if fits {
		p.Memory, p.InPlace = b.inPlace(l)
	}
	return p, nil
}

// Room returns how many of the first n packed bytes of b, in typemap order, come before the
// first one that is outside of the memory; n if there is none. The data of b may be Short.
func (b *Buffer) Room(n int64, s Sizes) int64 {
	w, ok := b.tiling(s)
	if !ok || n <= 0 || w.L.Size == 0 {
		return max(n, 0)
	}
	lo, hi := w.Span(0, n)
	if hi > int64(len(b.mem)) {
		n = w.Until(int64(len(b.mem)), 0, n)
		lo, _ = w.Span(0, n)
	}
	if lo >= 0 { // a span may be wider than its bytes, but never narrower
		return n
	}
	room := int64(0)
	for off, k := range w.Runs(0, n) {
		if off < 0 {
			break
		}
		room += k
	}
	return room
}

// Held returns the items of b that come, in typemap order, before the first one that is not
// in memory, as a buffer whose memory holds all of it: for libraries that do not know how
// much memory there is. b must have passed PlanReceive.
func (b *Buffer) Held(s Sizes) Buffer {
	l, err := b.typ.Layout(s)
	if err != nil || l.Size == 0 || b.count <= 0 {
		return *b
	}
	room := b.Room(b.Packed(s), s)
	whole := b.Times(room / l.Size)
	sig, w := b.typ.Signature(), Tiling{L: l}
	part := []Field{{Count: whole.count, Type: b.typ}}
	packed := whole.count * l.Size
	for k, n := range sig.Items(0, sig.Len()) {
		size, t := s.Sizeof(k), OfKind(k)
		_, extent := t.Extent(s)
		for ; n > 0 && packed+size <= room; n-- {
			last, at := &part[len(part)-1], w.At(packed)
			if packed += size; last.Type == t && last.Disp+last.Count*extent == at {
				last.Count++
			} else {
				part = append(part, Field{Count: 1, Disp: at, Type: t})
			}
		}
		if n > 0 {
			break
		}
	}
	if len(part) > 1 {
		whole.typ, whole.count = Struct(part...), 1
	}
	return whole
}

// plain does the work of Plan for most buffers: their items have the kind of their memory
// and fill it from its first byte on, so there is little to check.
func (b *Buffer) plain(s Sizes) (Plan, bool) {
	const far = 1 << 31 // no product of two smaller numbers overflows
	if b.origin != 0 || b.err != nil || b.native != nil && (b.native.typ != b.typ || b.native.bools != nil) {
		return Plan{}, false
	}
	l, err := b.typ.Layout(s)
	if err != nil || uint64(b.count) >= far || uint64(l.Size) >= far || l.order != nil && l.order.Image() {
		return Plan{}, false
	}
	nd, n := l.tile.nd, b.count*l.Size
	if n > int64(len(b.mem)) || l.tile.off != 0 || nd == nil || nd.op != opRun || nd.size != l.Size || l.pitch != nd.size {
		return Plan{}, false
	}
	return Plan{Unit: l.Size, Memory: b.mem[:n], InPlace: true, Plain: true}, true
}

// Items returns the datatype of b and how many items it has. It takes a pointer:
// copying a buffer that was just stored would make the processor wait for those stores.
func (b *Buffer) Items() (t *Type, count int64) { return b.typ, b.count }

// Again returns the data of b if t is its datatype and nothing but its length needs a
// check: an earlier Plan under the same sizes was Plain, with unit bytes for each item. It
// is the only cost in a loop of small messages.
func (b *Buffer) Again(t *Type, unit int64) ([]byte, bool) {
	const far = 1 << 31 // as in plain
	if t == nil || b.typ != t || b.origin != 0 || b.err != nil || uint64(b.count) >= far ||
		b.native != nil && (b.native.typ != t || b.native.bools != nil) {
		return nil, false
	}
	n := b.count * unit
	if n > int64(len(b.mem)) {
		return nil, false
	}
	return b.mem[:n], true
}

// ends returns the first byte of b and the one behind its last, relative to the memory; ok
// is false if they cannot be counted.
func (b *Buffer) ends(l *Layout) (lo, hi int64, ok bool) {
	var c calc
	d := c.mul(b.count-1, l.Extent)
	c.mul(b.count, l.Size)
	lo = c.add(c.add(b.origin, l.TrueLB), min(0, d))
	hi = c.add(c.add(b.origin, l.TrueUB), max(0, d))
	return lo, hi, !c.over
}

// outside returns the error of b, which the memory does not hold.
func (b *Buffer) outside(l *Layout) error {
	lo, hi, _ := b.ends(l)
	return fault("Buffer", ErrBuffer, "",
		"%d of %s take bytes %d to %d of the memory, which has %d bytes%s", b.count, b.typ, lo, hi-1, len(b.mem), b.spare(lo, hi))
}

// spare returns advice, as the end of an error's text, if bytes [lo, hi) are not in the
// memory but in the capacity of its slice; else it is empty.
func (b *Buffer) spare(lo, hi int64) string {
	if lo < 0 || hi > int64(cap(b.mem)) {
		return ""
	}
	return "; the slice has the capacity, so pass all of it: x[:cap(x)]"
}

// tiling returns b's datatype, repeated from the origin.
func (b *Buffer) tiling(s Sizes) (Tiling, bool) {
	l, err := b.typ.Layout(s)
	if err != nil {
		return Tiling{}, false
	}
	return Tiling{l, b.origin}, true
}

// Packed returns the number of bytes of b when packed.
func (b Buffer) Packed(s Sizes) int64 { return b.count * b.typ.Size(s) }

// Pack copies packed bytes [from, from+len(dst)) of b to dst, in sizes and byte order of
// the memory; for bytes of Go values on a machine of another order see [ByteOrdered]. b must
// have passed [Buffer.Check].
func (b Buffer) Pack(dst []byte, from int64, s Sizes) {
	if b.Filled() {
		fillBytes(dst, from)
		return
	}
	w, ok := b.tiling(s)
	switch {
	case !ok:
	case b.reordered(w.L):
		b.moveReordered(dst, from, s, w, true)
	default:
		w.Gather(dst, b.mem, 0, from)
	}
}

// Unpack copies src to packed bytes [from, from+len(src)) of b. b must have
// passed [Buffer.Check].
func (b Buffer) Unpack(src []byte, from int64, s Sizes) {
	if w, ok := b.tiling(s); ok && !b.Filled() {
		if b.reordered(w.L) {
			b.moveReordered(src, from, s, w, false)
		} else {
			w.Scatter(b.mem, 0, src, from)
		}
		if b.native != nil && b.native.bools != nil {
			b.fixBoolsOf(w, from, int64(len(src)))
		}
	}
}

// Contiguous returns the memory of the data, if Pack and Unpack would do no more than copy
// it. Memory that is [Buffer.Reordered] is never returned, nor is Go memory with bools,
// because a byte other than 0 and 1 must not get there.
func (b Buffer) Contiguous(s Sizes) ([]byte, bool) {
	if l, err := b.typ.Layout(s); err == nil {
		return b.inPlace(l)
	}
	return nil, false
}

func (b *Buffer) inPlace(l *Layout) ([]byte, bool) {
	if b.native != nil && (b.native.bools != nil || b.Filled()) || b.reordered(l) {
		return nil, false
	}
	n := b.count * l.Size
	if n == 0 {
		return nil, true
	}
	nd := l.tile.nd
	if nd.op != opRun || (l.pitch != nd.size && n > nd.size) {
		return nil, false
	}
	off := b.origin + l.tile.off
	return b.mem[off : off+n], true
}
