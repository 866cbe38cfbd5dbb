package types

import "unsafe"

// All uses of package unsafe are in this file: the memory of Go slices as
// bytes, and the loops that move bytes between typed and packed memory. The
// loops do not check bounds; [Tiling.move] has done so for all bytes at once.
// Offsets, not pointers, are advanced: a pointer never leaves its slice, not
// even by one.

// bytesOf returns the memory of xs.
func bytesOf[T any](xs []T) []byte {
	var one T
	if len(xs) == 0 || unsafe.Sizeof(one) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs)*int(unsafe.Sizeof(one)))
}

// A mover moves bytes between typed memory and packed memory, to the latter if
// pack is set. Typed offsets count from mem, packed positions from packed.
type mover struct {
	mem, packed       unsafe.Pointer
	memEnd, packedEnd int64
	pack              bool
}

func newMover(packed, mem []byte, pack bool) mover {
	return mover{
		mem: unsafe.Pointer(unsafe.SliceData(mem)), packed: unsafe.Pointer(unsafe.SliceData(packed)),
		memEnd: int64(len(mem)), packedEnd: int64(len(packed)), pack: pack,
	}
}

// run moves n adjacent bytes.
func (m *mover) run(off, at, n int64) {
	d, s := unsafe.Add(m.packed, at), unsafe.Add(m.mem, off)
	if !m.pack {
		d, s = s, d
	}
	move(d, s, n)
}

// move copies n bytes; d and s do not overlap.
func move(d, s unsafe.Pointer, n int64) {
	switch {
	case n > 64:
		copy(unsafe.Slice((*byte)(d), n), unsafe.Slice((*byte)(s), n))
	case n >= 32:
		a, b := *(*[32]byte)(s), *(*[32]byte)(unsafe.Add(s, n-32))
		*(*[32]byte)(d), *(*[32]byte)(unsafe.Add(d, n-32)) = a, b
	case n >= 16:
		a, b := *(*[16]byte)(s), *(*[16]byte)(unsafe.Add(s, n-16))
		*(*[16]byte)(d), *(*[16]byte)(unsafe.Add(d, n-16)) = a, b
	case n >= 8:
		a, b := *(*uint64)(s), *(*uint64)(unsafe.Add(s, n-8))
		*(*uint64)(d), *(*uint64)(unsafe.Add(d, n-8)) = a, b
	case n >= 4:
		a, b := *(*uint32)(s), *(*uint32)(unsafe.Add(s, n-4))
		*(*uint32)(d), *(*uint32)(unsafe.Add(d, n-4)) = a, b
	case n >= 2:
		a, b := *(*uint16)(s), *(*uint16)(unsafe.Add(s, n-2))
		*(*uint16)(d), *(*uint16)(unsafe.Add(d, n-2)) = a, b
	case n == 1:
		*(*byte)(d) = *(*byte)(s)
	}
}

// grid moves n runs of w bytes: typed ones every stride bytes from off on,
// packed ones every pace bytes from at on.
func (m *mover) grid(off, stride, at, pace, n, w int64) {
	if m.pack {
		strided(unsafe.Add(m.packed, at), unsafe.Add(m.mem, off), pace, stride, n, w)
	} else {
		strided(unsafe.Add(m.mem, off), unsafe.Add(m.packed, at), stride, pace, n, w)
	}
}

// strided copies n runs of w bytes, ds bytes apart, from runs ss bytes apart.
func strided(d, s unsafe.Pointer, ds, ss, n, w int64) {
	switch w {
	case 1:
		elems[uint8](d, s, ds, ss, n)
	case 2:
		elems[uint16](d, s, ds, ss, n)
	case 4:
		elems[uint32](d, s, ds, ss, n)
	case 8:
		elems[uint64](d, s, ds, ss, n)
	case 16:
		elems[[16]byte](d, s, ds, ss, n)
	case 32:
		elems[[32]byte](d, s, ds, ss, n)
	case 64:
		elems[[64]byte](d, s, ds, ss, n)
	default:
		ends(d, s, ds, ss, n, w)
	}
}

// elems is strided for runs of one T.
func elems[T any](d, s unsafe.Pointer, ds, ss, n int64) {
	var do, so int64
	for ; n >= 4; n -= 4 {
		a := *(*T)(unsafe.Add(s, so))
		b := *(*T)(unsafe.Add(s, so+ss))
		c := *(*T)(unsafe.Add(s, so+2*ss))
		e := *(*T)(unsafe.Add(s, so+3*ss))
		*(*T)(unsafe.Add(d, do)) = a
		*(*T)(unsafe.Add(d, do+ds)) = b
		*(*T)(unsafe.Add(d, do+2*ds)) = c
		*(*T)(unsafe.Add(d, do+3*ds)) = e
		do, so = do+4*ds, so+4*ss
	}
	for ; n > 0; n-- {
		*(*T)(unsafe.Add(d, do)) = *(*T)(unsafe.Add(s, so))
		do, so = do+ds, so+ss
	}
}

// ends is strided for other widths: the first and the last bytes of a run,
// which may overlap, in two moves.
func ends(d, s unsafe.Pointer, ds, ss, n, w int64) {
	var do, so int64
	switch {
	case w > 64:
		for ; n > 0; n-- {
			copy(unsafe.Slice((*byte)(unsafe.Add(d, do)), w), unsafe.Slice((*byte)(unsafe.Add(s, so)), w))
			do, so = do+ds, so+ss
		}
	case w > 32:
		twoEnds[[32]byte](d, s, ds, ss, n, w-32)
	case w > 16:
		twoEnds[[16]byte](d, s, ds, ss, n, w-16)
	case w > 8:
		twoEnds[uint64](d, s, ds, ss, n, w-8)
	case w > 4:
		twoEnds[uint32](d, s, ds, ss, n, w-4)
	default:
		twoEnds[uint16](d, s, ds, ss, n, w-2)
	}
}

func twoEnds[T any](d, s unsafe.Pointer, ds, ss, n, last int64) {
	var do, so int64
	for ; n > 0; n-- {
		a, b := *(*T)(unsafe.Add(s, so)), *(*T)(unsafe.Add(s, so+last))
		*(*T)(unsafe.Add(d, do)), *(*T)(unsafe.Add(d, do+last)) = a, b
		do, so = do+ds, so+ss
	}
}

// scattered moves runs that lie at offs and are packed from at on; starts are
// their packed positions, and the end of the last.
func (m *mover) scattered(offs, starts []int64, _, off, at int64) {
	at -= starts[0]
	for i, o := range offs {
		m.run(off+o, at+starts[i], starts[i+1]-starts[i])
	}
}

// scatteredEven is scattered for runs of one length.
func (m *mover) scatteredEven(offs []int64, w, off, at int64) {
	for _, o := range offs {
		m.run(off+o, at, w)
		at += w
	}
}
