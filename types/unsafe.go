package types

import (
	"unsafe"

	"github.com/commworld/commworld/internal/simd"
)

// This file has all uses of package unsafe: the memory of Go slices as bytes, and the loops
// that move bytes between typed and packed memory, some of which are in internal/simd for
// processors with vectors for them. The loops do not check bounds; [Tiling.move] has done
// so for all bytes at once. They advance offsets, not pointers: a pointer never leaves its
// slice, not even by one byte.

// bytesOf returns the memory of xs, with the same capacity.
func bytesOf[T any](xs []T) []byte {
	var one T
	if cap(xs) == 0 || unsafe.Sizeof(one) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), cap(xs)*int(unsafe.Sizeof(one)))[:len(xs)*int(unsafe.Sizeof(one))]
}

// Overlap reports whether two pieces of memory have a byte in common.
func Overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	i, j := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return i < j+uintptr(len(b)) && j < i+uintptr(len(a))
}

// Distance returns how many bytes after the beginning of a the slice b begins.
func Distance(a, b []byte) int64 {
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) - int64(uintptr(unsafe.Pointer(unsafe.SliceData(a))))
}

// A mover moves bytes between typed memory and packed memory, to the latter if pack is set.
// Typed offsets count from mem, packed positions from packed.
type mover struct {
	mem, packed       unsafe.Pointer
	memEnd, packedEnd int64
	pack              bool
	swap              *Swap // swap of bytes while moving; nil: none
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
	if m.swap != nil {
		simd.SwapRows(d, s, 0, 0, 1, n, m.swap.Width)
		return
	}
	move(d, s, n)
}

// chunk is the longest piece passed to copy: from 1 MiB on the runtime bypasses the caches,
// which costs more than it saves when the bytes are read soon.
const (
	chunk     = 512 << 10
	unchunked = 16 << 20
)

// move copies n bytes; d and s do not overlap. The switch is a jump table: one branch to
// predict, where a chain of comparisons has three.
func move(d, s unsafe.Pointer, n int64) {
	if n > 64 {
		moveLong(d, s, n)
		return
	}
	switch (n + 7) >> 3 {
	case 8:
		a, b, c, e := *(*[16]byte)(s), *(*[16]byte)(unsafe.Add(s, 16)), *(*[16]byte)(unsafe.Add(s, 32)), *(*[16]byte)(unsafe.Add(s, n-16))
		*(*[16]byte)(d), *(*[16]byte)(unsafe.Add(d, 16)), *(*[16]byte)(unsafe.Add(d, 32)), *(*[16]byte)(unsafe.Add(d, n-16)) = a, b, c, e
	case 7:
		a, b, c, e := *(*[16]byte)(s), *(*[16]byte)(unsafe.Add(s, 16)), *(*[16]byte)(unsafe.Add(s, 32)), *(*uint64)(unsafe.Add(s, n-8))
		*(*[16]byte)(d), *(*[16]byte)(unsafe.Add(d, 16)), *(*[16]byte)(unsafe.Add(d, 32)), *(*uint64)(unsafe.Add(d, n-8)) = a, b, c, e
	case 6:
		a, b, c := *(*[16]byte)(s), *(*[16]byte)(unsafe.Add(s, 16)), *(*[16]byte)(unsafe.Add(s, n-16))
		*(*[16]byte)(d), *(*[16]byte)(unsafe.Add(d, 16)), *(*[16]byte)(unsafe.Add(d, n-16)) = a, b, c
	case 5:
		a, b, c := *(*[16]byte)(s), *(*[16]byte)(unsafe.Add(s, 16)), *(*uint64)(unsafe.Add(s, n-8))
		*(*[16]byte)(d), *(*[16]byte)(unsafe.Add(d, 16)), *(*uint64)(unsafe.Add(d, n-8)) = a, b, c
	case 4:
		a, b := *(*[16]byte)(s), *(*[16]byte)(unsafe.Add(s, n-16))
		*(*[16]byte)(d), *(*[16]byte)(unsafe.Add(d, n-16)) = a, b
	case 3:
		a, b := *(*[16]byte)(s), *(*uint64)(unsafe.Add(s, n-8))
		*(*[16]byte)(d), *(*uint64)(unsafe.Add(d, n-8)) = a, b
	case 2:
		a, b := *(*uint64)(s), *(*uint64)(unsafe.Add(s, n-8))
		*(*uint64)(d), *(*uint64)(unsafe.Add(d, n-8)) = a, b
	default:
		moveFew(d, s, n)
	}
}

// moveFew copies up to 8 bytes.
func moveFew(d, s unsafe.Pointer, n int64) {
	switch {
	case n == 8:
		*(*uint64)(d) = *(*uint64)(s)
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

func moveLong(d, s unsafe.Pointer, n int64) {
	for n > chunk && n < unchunked {
		copy(unsafe.Slice((*byte)(d), chunk), unsafe.Slice((*byte)(s), chunk))
		d, s, n = unsafe.Add(d, chunk), unsafe.Add(s, chunk), n-chunk
	}
	copy(unsafe.Slice((*byte)(d), n), unsafe.Slice((*byte)(s), n))
}

// stencil moves the windows of p, the first of which begins at off.
func (m *mover) stencil(p *simd.Stencil, off, at int64) {
	if m.swap != nil {
		if order := m.swap.window(); m.pack {
			p.GatherSwapped(unsafe.Add(m.packed, at), unsafe.Add(m.mem, off), &order)
		} else {
			p.ScatterSwapped(unsafe.Add(m.mem, off), unsafe.Add(m.packed, at), &order)
		}
		return
	}
	if m.pack {
		p.Gather(unsafe.Add(m.packed, at), unsafe.Add(m.mem, off))
	} else {
		p.Scatter(unsafe.Add(m.mem, off), unsafe.Add(m.packed, at))
	}
}

// grid moves n runs of w bytes: typed ones every stride bytes from off on, packed ones
// every pace bytes from at on.
func (m *mover) grid(off, stride, at, pace, n, w int64) {
	d, s, ds, ss := unsafe.Add(m.packed, at), unsafe.Add(m.mem, off), pace, stride
	if !m.pack {
		d, s, ds, ss = s, d, ss, ds
	}
	if m.swap != nil {
		simd.SwapRows(d, s, ds, ss, n, w, m.swap.Width)
		return
	}
	strided(d, s, ds, ss, n, w)
}

// strided copies n runs of w bytes: the destinations are ds bytes apart, the sources ss
// bytes.
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
		blocks32(d, s, ds, ss, n)
	case 64:
		blocks64(d, s, ds, ss, n)
	default:
		ends(d, s, ds, ss, n, w)
	}
}

// elems is strided for runs of one T.
func elems[T any](d, s unsafe.Pointer, ds, ss, n int64) {
	var do, so int64
	for ; n >= 4; n -= 4 {
		*(*T)(unsafe.Add(d, do)) = *(*T)(unsafe.Add(s, so))
		*(*T)(unsafe.Add(d, do+ds)) = *(*T)(unsafe.Add(s, so+ss))
		*(*T)(unsafe.Add(d, do+2*ds)) = *(*T)(unsafe.Add(s, so+2*ss))
		*(*T)(unsafe.Add(d, do+3*ds)) = *(*T)(unsafe.Add(s, so+3*ss))
		do, so = do+4*ds, so+4*ss
	}
	for ; n > 0; n-- {
		*(*T)(unsafe.Add(d, do)) = *(*T)(unsafe.Add(s, so))
		do, so = do+ds, so+ss
	}
}

// blocks32 is strided for runs of 32 bytes. Copying an array of 32 bytes would call
// memmove.
func blocks32(d, s unsafe.Pointer, ds, ss, n int64) {
	var do, so int64
	for ; n > 0; n-- {
		*(*uint64)(unsafe.Add(d, do)) = *(*uint64)(unsafe.Add(s, so))
		*(*uint64)(unsafe.Add(d, do+8)) = *(*uint64)(unsafe.Add(s, so+8))
		*(*uint64)(unsafe.Add(d, do+16)) = *(*uint64)(unsafe.Add(s, so+16))
		*(*uint64)(unsafe.Add(d, do+24)) = *(*uint64)(unsafe.Add(s, so+24))
		do, so = do+ds, so+ss
	}
}

// blocks64 is strided for runs of 64 bytes; copying an array of 64 would call memmove.
func blocks64(d, s unsafe.Pointer, ds, ss, n int64) {
	var do, so int64
	for ; n > 0; n-- {
		*(*[16]byte)(unsafe.Add(d, do)) = *(*[16]byte)(unsafe.Add(s, so))
		*(*[16]byte)(unsafe.Add(d, do+16)) = *(*[16]byte)(unsafe.Add(s, so+16))
		*(*[16]byte)(unsafe.Add(d, do+32)) = *(*[16]byte)(unsafe.Add(s, so+32))
		*(*[16]byte)(unsafe.Add(d, do+48)) = *(*[16]byte)(unsafe.Add(s, so+48))
		do, so = do+ds, so+ss
	}
}

// wideRow is the longest row that is moved faster without a call of copy, fewRows the
// number of rows that this needs.
const (
	wideRow = 2 << 10
	fewRows = 4
)

// ends is strided for other widths: it moves the first and the last bytes of a run, which
// may overlap, in two moves.
func ends(d, s unsafe.Pointer, ds, ss, n, w int64) {
	var do, so int64
	switch {
	case w > 64 && w <= wideRow && n >= fewRows && simd.Fast:
		simd.Rows(d, s, ds, ss, n, w)
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

// tiles moves n times k runs of w bytes where the outer stride is the narrow one, as in the
// columns of a matrix: in tiles that use whole cache lines on both sides. Runs must not
// overlap when unpacking.
func (m *mover) tiles(off, stride, kidStride, at, n, k, w int64) {
	d, s := unsafe.Add(m.packed, at), unsafe.Add(m.mem, off)
	x := axis{n, k * w, stride}
	y := axis{k, w, kidStride}
	if !m.pack {
		d, s = s, d
		x, y = axis{k, kidStride, w}, axis{n, stride, k * w}
	}
	if m.swap != nil {
		swapTiles(d, s, x, y, w, m.swap.Width)
		return
	}
	switch w {
	case 4:
		transpose[uint32](d, s, x, y)
	case 8:
		if simd.Fast && x.s == 8 && y.d == 8 {
			transposeFast(d, s, x, y)
			return
		}
		transpose[uint64](d, s, x, y)
	case 16:
		transpose[[16]byte](d, s, x, y)
	default:
		for i := range x.n {
			strided(unsafe.Add(d, i*x.d), unsafe.Add(s, i*x.s), y.d, y.s, y.n, w)
		}
	}
}

// axis is one dimension of a copy: n steps of d bytes at the destination, of s
// bytes at the source.
type axis struct{ n, d, s int64 }

// transposeFast is transpose where both sides are dense: vectors move whole tiles, then the
// edges are moved.
func transposeFast(d, s unsafe.Pointer, x, y axis) {
	across, down := x.n/8, y.n/8
	if across > 0 && down > 0 {
		simd.Transpose(d, s, x.d, y.s, down, across)
	}
	left, below := x, y
	left.n, below.n = x.n-across*8, y.n-down*8
	y.n = down * 8
	transpose[uint64](unsafe.Add(d, y.n*y.d), unsafe.Add(s, y.n*y.s), x, below)
	transpose[uint64](unsafe.Add(d, across*8*x.d), unsafe.Add(s, across*8*x.s), left, y)
}

// swapTiles is tiles for items that are swapped.
func swapTiles(d, s unsafe.Pointer, x, y axis, w, width int64) {
	across, down := x.n/8, y.n/8
	if !simd.Fast || w != 8 || width != 8 || x.s != 8 || y.d != 8 {
		across, down = 0, 0
	}
	if across > 0 && down > 0 {
		simd.TransposeSwapped(d, s, x.d, y.s, down, across)
	}
	left, below := x, y
	left.n, below.n = x.n-across*8, y.n-down*8
	y.n = down * 8
	swapBands(unsafe.Add(d, y.n*y.d), unsafe.Add(s, y.n*y.s), x, below, w, width)
	swapBands(unsafe.Add(d, across*8*x.d), unsafe.Add(s, across*8*x.s), left, y, w, width)
}

// swapBands moves along y by eight of x, as transpose does.
func swapBands(d, s unsafe.Pointer, x, y axis, w, width int64) {
	const tile = 8
	for i := int64(0); i < x.n; i += tile {
		for j := range y.n {
			simd.SwapRows(unsafe.Add(d, i*x.d+j*y.d), unsafe.Add(s, i*x.s+j*y.s), x.d, x.s, min(tile, x.n-i), w, width)
		}
	}
}

// transpose copies a plane of T in tiles of 8 by 8; y is the axis along which
// the destination is dense.
func transpose[T any](d, s unsafe.Pointer, x, y axis) {
	const tile = 8
	for i := int64(0); i < x.n; i += tile {
		w := min(tile, x.n-i)
		j := int64(0)
		for ; j+tile <= y.n; j += tile {
			do, so := i*x.d+j*y.d, i*x.s+j*y.s
			for range w {
				*(*T)(unsafe.Add(d, do)) = *(*T)(unsafe.Add(s, so))
				*(*T)(unsafe.Add(d, do+y.d)) = *(*T)(unsafe.Add(s, so+y.s))
				*(*T)(unsafe.Add(d, do+2*y.d)) = *(*T)(unsafe.Add(s, so+2*y.s))
				*(*T)(unsafe.Add(d, do+3*y.d)) = *(*T)(unsafe.Add(s, so+3*y.s))
				*(*T)(unsafe.Add(d, do+4*y.d)) = *(*T)(unsafe.Add(s, so+4*y.s))
				*(*T)(unsafe.Add(d, do+5*y.d)) = *(*T)(unsafe.Add(s, so+5*y.s))
				*(*T)(unsafe.Add(d, do+6*y.d)) = *(*T)(unsafe.Add(s, so+6*y.s))
				*(*T)(unsafe.Add(d, do+7*y.d)) = *(*T)(unsafe.Add(s, so+7*y.s))
				do, so = do+x.d, so+x.s
			}
		}
		for ; j < y.n; j++ {
			elems[T](unsafe.Add(d, i*x.d+j*y.d), unsafe.Add(s, i*x.s+j*y.s), x.d, x.s, w)
		}
	}
}

// An offset is an offset in a table: of 32 bits where they fit, because reading the table
// is a good part of moving small runs.
type offset interface{ int32 | int64 }

// pattern moves n copies, one every stride bytes, of runs of w bytes at offs. The packed
// runs follow each other.
func pattern[O offset](m *mover, offs []O, w, off, stride, at, n int64) {
	if m.swap != nil {
		swapPattern(m, offs, w, off, stride, at, n)
		return
	}
	switch w {
	case 1:
		table[uint8](m, offs, off, stride, at, n)
	case 2:
		table[uint16](m, offs, off, stride, at, n)
	case 4:
		table[uint32](m, offs, off, stride, at, n)
	case 8:
		table[uint64](m, offs, off, stride, at, n)
	case 16:
		table[[16]byte](m, offs, off, stride, at, n)
	case 32:
		table[[32]byte](m, offs, off, stride, at, n)
	default:
		for i := range n {
			for _, o := range offs {
				m.run(off+i*stride+int64(o), at, w)
				at += w
			}
		}
	}
}

// swapPattern is pattern for items that are swapped.
func swapPattern[O offset](m *mover, offs []O, w, off, stride, at, n int64) {
	single := w == m.swap.Width && (w == 4 || w == 8)
	for ; n > 0; n-- {
		mem, packed := unsafe.Add(m.mem, off), unsafe.Add(m.packed, at)
		switch {
		case !single:
			for i, o := range offs {
				m.run(off+int64(o), at+int64(i)*w, w)
			}
		case m.pack:
			simd.GatherEven(packed, mem, offs, w)
		default:
			simd.ScatterEven(mem, packed, offs, w)
		}
		off, at = off+stride, at+int64(len(offs))*w
	}
}

// table is pattern for runs of one T.
func table[T any, O offset](m *mover, offs []O, off, stride, at, n int64) {
	var one T
	step := int64(len(offs)) * int64(unsafe.Sizeof(one))
	for ; n > 0; n-- {
		if m.pack {
			pick[T](unsafe.Add(m.packed, at), m.mem, offs, off)
		} else {
			place[T](m.mem, unsafe.Add(m.packed, at), offs, off)
		}
		off, at = off+stride, at+step
	}
}

// pick copies one T from each offset, counted from off.
func pick[T any, O offset](d, s unsafe.Pointer, offs []O, off int64) {
	var one T
	w := int64(unsafe.Sizeof(one))
	at := int64(0)
	for ; len(offs) >= 4; offs = offs[4:] {
		*(*T)(unsafe.Add(d, at)) = *(*T)(unsafe.Add(s, off+int64(offs[0])))
		*(*T)(unsafe.Add(d, at+w)) = *(*T)(unsafe.Add(s, off+int64(offs[1])))
		*(*T)(unsafe.Add(d, at+2*w)) = *(*T)(unsafe.Add(s, off+int64(offs[2])))
		*(*T)(unsafe.Add(d, at+3*w)) = *(*T)(unsafe.Add(s, off+int64(offs[3])))
		at += 4 * w
	}
	for _, o := range offs {
		*(*T)(unsafe.Add(d, at)) = *(*T)(unsafe.Add(s, off+int64(o)))
		at += w
	}
}

// place copies one T to each offset, counted from off.
func place[T any, O offset](d, s unsafe.Pointer, offs []O, off int64) {
	var one T
	w := int64(unsafe.Sizeof(one))
	at := int64(0)
	for ; len(offs) >= 4; offs = offs[4:] {
		*(*T)(unsafe.Add(d, off+int64(offs[0]))) = *(*T)(unsafe.Add(s, at))
		*(*T)(unsafe.Add(d, off+int64(offs[1]))) = *(*T)(unsafe.Add(s, at+w))
		*(*T)(unsafe.Add(d, off+int64(offs[2]))) = *(*T)(unsafe.Add(s, at+2*w))
		*(*T)(unsafe.Add(d, off+int64(offs[3]))) = *(*T)(unsafe.Add(s, at+3*w))
		at += 4 * w
	}
	for _, o := range offs {
		*(*T)(unsafe.Add(d, off+int64(o))) = *(*T)(unsafe.Add(s, at))
		at += w
	}
}

// scattered moves entries [i, j) of a list of runs; at is their packed position.
func (m *mover) scattered(nd *node, i, j int, off, at int64) {
	if i == j {
		return
	}
	offs, starts := nd.offs[i:j], nd.starts[i:j+1]
	mean := (starts[j-i] - starts[0]) / int64(j-i)
	at -= starts[0]
	if simd.Fast && nd.widest <= windowSize {
		width := int64(1)
		if m.swap != nil {
			width = m.swap.Width
		}
		if mem, packed := unsafe.Add(m.mem, off), unsafe.Add(m.packed, at); m.pack {
			simd.GatherRuns(packed, mem, offs, starts, width)
		} else {
			simd.ScatterRuns(mem, packed, offs, starts, width)
		}
		return
	}
	switch {
	case m.swap != nil:
		for i, o := range offs {
			m.run(off+o, at+starts[i], starts[i+1]-starts[i])
		}
	case !m.pack && nd.narrowest >= 8 && nd.widest <= 128:
		unpackRuns[[16]byte, uint64](m, offs, starts, nd.widest, off, at)
	case !m.pack && nd.narrowest >= 4 && nd.widest <= 64:
		unpackRuns[uint64, uint32](m, offs, starts, nd.widest, off, at)
	case !m.pack || mean > 64:
		for i, o := range offs {
			m.run(off+o, at+starts[i], starts[i+1]-starts[i])
		}
	case mean <= 8:
		spill[[16]byte](m, offs, starts, off, at)
	case mean <= 16:
		spill[[32]byte](m, offs, starts, off, at)
	default:
		spill[[64]byte](m, offs, starts, off, at)
	}
}

// unpackRuns unpacks runs of at least one H, which is half a T, and at most eight T. All
// runs take as many moves as the widest: in a shorter run the last T is moved repeatedly.
// Only the branch for less than a T depends on the length, which cannot be predicted in
// irregular types.
func unpackRuns[T, H any](m *mover, offs, starts []int64, widest, off, at int64) {
	var one T
	w, h := int64(unsafe.Sizeof(one)), int64(unsafe.Sizeof(one)/2)
	mem, packed := m.mem, m.packed
	from, ends := starts[0], starts[1:]
	ends = ends[:len(offs)]
	for i, o := range offs {
		d, s, n := unsafe.Add(mem, off+o), unsafe.Add(packed, at+from), ends[i]-from
		from = ends[i]
		last := n - w
		if last < 0 {
			*(*H)(d) = *(*H)(s)
			*(*H)(unsafe.Add(d, n-h)) = *(*H)(unsafe.Add(s, n-h))
			continue
		}
		x, y := least(w, last), least(2*w, last)
		*(*T)(d) = *(*T)(s)
		*(*T)(unsafe.Add(d, x)) = *(*T)(unsafe.Add(s, x))
		*(*T)(unsafe.Add(d, y)) = *(*T)(unsafe.Add(s, y))
		if widest > 4*w {
			t, x, y, z := least(3*w, last), least(4*w, last), least(5*w, last), least(6*w, last)
			*(*T)(unsafe.Add(d, t)) = *(*T)(unsafe.Add(s, t))
			*(*T)(unsafe.Add(d, x)) = *(*T)(unsafe.Add(s, x))
			*(*T)(unsafe.Add(d, y)) = *(*T)(unsafe.Add(s, y))
			*(*T)(unsafe.Add(d, z)) = *(*T)(unsafe.Add(s, z))
		}
		*(*T)(unsafe.Add(d, last)) = *(*T)(unsafe.Add(s, last))
	}
}

// least is min, without the branch that the compiler makes of it.
func least(a, b int64) int64 {
	d := b - a
	return a + d&(d>>63)
}

// spill packs runs by moving a whole T for each run that is no longer than T: packing goes
// upward, so the surplus bytes of a run are overwritten by the next runs, and moves of one
// width need no branch on the length.
func spill[T any](m *mover, offs, starts []int64, off, at int64) {
	var one T
	w := int64(unsafe.Sizeof(one))
	from, ends := starts[0], starts[1:]
	ends = ends[:len(offs)]
	for i, o := range offs {
		o, p, n := off+o, at+from, ends[i]-from
		if from = ends[i]; n > w || o+w > m.memEnd || p+w > m.packedEnd {
			m.run(o, p, n)
			continue
		}
		*(*T)(unsafe.Add(m.packed, p)) = *(*T)(unsafe.Add(m.mem, o))
	}
}

// A zipper moves bytes between two typed memories.
type zipper struct{ d, s unsafe.Pointer }

func newZipper(dst, src []byte) zipper {
	return zipper{unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))}
}

// grid moves n runs of w bytes: the destinations are ds bytes apart, the sources ss bytes.
func (z zipper) grid(do, so, ds, ss, n, w int64) {
	d, s := unsafe.Add(z.d, do), unsafe.Add(z.s, so)
	if n == 1 {
		move(d, s, w)
		return
	}
	strided(d, s, ds, ss, n, w)
}
