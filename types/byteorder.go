package types

import "slices"

// ByteOrdered is implemented by the Sizes of a machine that may have another byte order
// than the host. Go memory always has values in the order of the host, so what such a
// machine has in its bytes differs from what is there: [Buffer.Pack] and [Buffer.Unpack]
// show items of Byte and Packed in Go memory of other types as bytes of that machine, each
// Go value reversed. Other items are packed in the order of the host.
type ByteOrdered interface {
	Sizes
	// Reversed returns how many bytes of an item of kind k the machine has in the reverse
	// order, one group after the other: half of a complex number. 1 means none. A machine
	// has the order of the host if it returns 1 for KindInt16.
	Reversed(k Kind) int64
	// Image reports whether items of all kinds are packed as bytes of that machine.
	Image() bool
}

// foreign returns s if it describes a machine with another byte order than the host, else
// nil.
func foreign(s Sizes) ByteOrdered {
	if w, ok := s.(weak); ok {
		s = w.Sizes
	}
	if o, ok := s.(ByteOrdered); ok && o.Reversed(KindInt16) > 1 {
		return o
	}
	return nil
}

// Reordered reports whether Pack and Unpack under s move bytes of b in another order than
// they have in memory, so that b's memory must not be used in place. b must have passed
// [Buffer.Check].
func (b *Buffer) Reordered(s Sizes) bool {
	l, err := b.typ.Layout(s)
	return err == nil && b.reordered(l)
}

func (b *Buffer) reordered(l *Layout) bool {
	switch o := l.order; {
	case o == nil || b.Filled() || b.native != nil && b.native.bytes:
		return false
	case b.native == nil:
		return o.Image() && !onlyOpaque(b.typ.Signature())
	default:
		return o.Image() || b.native.typ != b.typ && hasOpaque(b.typ.Signature())
	}
}

// hasOpaque reports whether s has items of Byte or Packed.
func hasOpaque(s Signature) bool {
	for _, k := range s.Kinds() {
		if k.Family() == FamilyOpaque {
			return true
		}
	}
	return false
}

// moveReordered is Pack, if pack is set, or Unpack of a buffer that is reordered.
func (b *Buffer) moveReordered(packed []byte, from int64, s Sizes, w Tiling, pack bool) {
	o, sig := w.L.order, b.typ.Signature()
	switch {
	case b.native == nil:
		b.moveImage(packed, from, o, w, pack)
		return
	case o.Image() || onlyOpaque(sig):
		b.moveValues(packed, from, w, pack)
		return
	}
	all := sig.Repeat(b.count)
	first, _ := all.ItemsIn(from, s)
	at, end := all.BytesBefore(first, s), from+int64(len(packed))
	for k, n := range all.Items(first, all.Len()-first) {
		lo, hi := max(at, from), min(at+n*s.Sizeof(k), end)
		if lo >= end {
			return
		}
		switch part := packed[lo-from : hi-from]; {
		case k.Family() == FamilyOpaque:
			b.moveValues(part, lo, w, pack)
		case pack:
			w.Gather(part, b.mem, 0, lo)
		default:
			w.Scatter(b.mem, 0, part, lo)
		}
		at += n * s.Sizeof(k)
	}
}

// moveValues moves packed bytes from position from on, each Go value in the reverse order.
func (b *Buffer) moveValues(packed []byte, from int64, w Tiling, pack bool) {
	g := b.native
	for off, n := range w.Runs(from, int64(len(packed))) {
		part := packed[:n]
		packed = packed[n:]
		for len(part) > 0 {
			elem := off - off%g.size
			lo, hi, width := g.valueAt(off - elem)
			lo, hi = lo+elem, hi+elem
			k := min(int64(len(part)), hi-off)
			reverseMove(part[:k], b.mem[lo:hi], off-lo, width, pack)
			part, off = part[k:], off+k
		}
	}
}

// reverseMove moves between part and bytes [from, from+len(part)) of a piece of memory in
// which groups of width bytes are reversed.
func reverseMove(part, mem []byte, from, width int64, pack bool) {
	for i := range part {
		at := from + int64(i)
		at += width - 1 - 2*(at%width)
		if pack {
			part[i] = mem[at]
		} else {
			mem[at] = part[i]
		}
	}
}

// valueAt returns the values of the Go type, adjacent and of one width, of which byte off
// of an element is a part: they are bytes [lo, hi) of the element. Padding, and fields that
// are not data, have width 1.
func (g *goType) valueAt(off int64) (lo, hi, width int64) {
	if k := g.typ.Kind(); k != KindNone {
		return 0, g.size, g.reversed(k)
	}
	l, err := g.typ.Layout(Host)
	if err != nil {
		return off, g.size, 1
	}
	w, sig := Tiling{L: l}, g.typ.Signature()
	pos := w.Below(off)
	if pos >= l.Size {
		return off, g.size, 1
	}
	if next := w.At(pos); next != off { // in padding
		return off, next, 1
	}
	item, _ := sig.ItemsIn(pos, Host)
	k := sig.At(item)
	lo = w.At(sig.BytesBefore(item, Host))
	return lo, lo + Host.Sizeof(k), g.reversed(k)
}

// reversed returns how many bytes of a Go value another byte order reverses at a time.
func (g *goType) reversed(k Kind) int64 {
	switch k.Family() {
	case FamilyOpaque:
		return 1
	case FamilyComplex:
		return Host.Sizeof(k) / 2
	}
	return Host.Sizeof(k)
}

// moveImage moves packed bytes of items whose Go type is unknown. It moves whole items, and
// reverses them where they are packed.
func (b *Buffer) moveImage(packed []byte, from int64, o ByteOrdered, w Tiling, pack bool) {
	all := b.typ.Signature().Repeat(b.count)
	first, _ := all.ItemsIn(from, o)
	at, end := all.BytesBefore(first, o), from+int64(len(packed))
	var item []byte
	for k, n := range all.Items(first, all.Len()-first) {
		size, width := o.Sizeof(k), o.Reversed(k)
		item = slices.Grow(item[:0], int(size))[:size]
		for ; n > 0; n, at = n-1, at+size {
			if at >= end {
				return
			}
			lo, hi := max(at, from), min(at+size, end)
			w.Gather(item, b.mem, 0, at)
			reverseMove(packed[lo-from:hi-from], item, lo-at, width, pack)
			if !pack {
				w.Scatter(b.mem, 0, item, at)
			}
		}
	}
}
