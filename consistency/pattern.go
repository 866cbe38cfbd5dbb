package consistency

import (
	"math"
	"math/bits"

	"github.com/commworld/commworld/types"
)

// A pattern is bytes of a file in a regular arrangement: n blocks of block
// bytes, one every stride bytes from lo on. A single block has stride 0. It is
// what the race detector keeps of an access: regular views, however many
// fragments they have, are one pattern.
type pattern struct{ lo, block, stride, n int64 }

func (p *pattern) hi() int64 { return p.lo + (p.n-1)*p.stride + p.block }

// start returns where block i begins.
func (p *pattern) start(i int64) int64 { return p.lo + i*p.stride }

// common returns a stretch of bytes that p and q share. The test is arithmetic:
// its cost does not grow with the number of blocks.
func (p *pattern) common(q *pattern) (lo, hi int64, ok bool) {
	if p.lo >= q.hi() || q.lo >= p.hi() {
		return 0, 0, false
	}
	i, j, ok := int64(0), int64(0), true
	switch {
	case p.n == 1:
		j, ok = q.meets(p.lo, p.hi())
	case q.n == 1:
		i, ok = p.meets(q.lo, q.hi())
	default:
		if i, ok = p.meetsPattern(q); ok {
			j, _ = q.meets(p.start(i), p.start(i)+p.block)
		}
	}
	if !ok {
		return 0, 0, false
	}
	a, b := p.start(i), q.start(j)
	return max(a, b), min(a+p.block, b+q.block), true
}

// shared appends to list the ranges of bytes that p and q share, block by block of
// p, up to most of them.
func (p *pattern) shared(q *pattern, most int, list []byteRun) []byteRun {
	most += len(list)
	for rest := *p; len(list) < most; {
		lo, _, ok := rest.common(q)
		if !ok {
			break
		}
		block := pattern{lo: rest.lo, block: rest.block, n: 1}
		if rest.n > 1 {
			block.lo += (lo - rest.lo) / rest.stride * rest.stride
		}
		first, _ := q.meets(block.lo, block.hi())
		for i := first; i < q.n && q.start(i) < block.hi() && len(list) < most; i++ {
			list = append(list, byteRun{max(block.lo, q.start(i)), min(block.hi(), q.start(i)+q.block)})
		}
		if rest.n == 1 {
			break
		}
		done := (block.lo-rest.lo)/rest.stride + 1
		if rest.lo, rest.n = block.lo+rest.stride, rest.n-done; rest.n <= 0 {
			break
		}
	}
	return list
}

// meets returns the first block of p that has bytes in [lo, hi).
func (p *pattern) meets(lo, hi int64) (int64, bool) {
	i := int64(0)
	if p.lo+p.block <= lo {
		if p.n == 1 {
			return 0, false
		}
		i = (lo-p.lo-p.block)/p.stride + 1
	}
	return i, i < p.n && p.start(i) < hi
}

// meetsPattern returns the first block of p that shares bytes with q, when
// both have several blocks.
//
// A block of p at x shares bytes with the blocks of q if x falls into one, or
// less than p.block before one: if (x - q.lo + p.block - 1) modulo q.stride is
// less than p.block + q.block - 1. Blocks of p that lie between the first and
// the last of q need no further look at how many blocks q has.
func (p *pattern) meetsPattern(q *pattern) (int64, bool) {
	first, ok := p.meets(q.lo, q.hi())
	if !ok {
		return 0, false
	}
	reach := p.block + q.block - 1
	if reach >= q.stride {
		return first, true
	}
	x := (p.start(first) - q.lo + p.block - 1) % q.stride
	if x < 0 {
		x += q.stride
	}
	k, ok := firstWithin(p.stride%q.stride, x, q.stride, reach)
	i := first + k
	if !ok || i >= p.n || p.start(i) >= q.hi() {
		return 0, false
	}
	return i, true
}

// firstWithin returns the least i >= 0 with (a*i + x) modulo m < reach.
func firstWithin(a, x, m, reach int64) (int64, bool) {
	if x < reach {
		return 0, true
	}
	// a*i modulo m has to lie in [m-x, m-x+reach).
	i := firstBetween(uint64(a), uint64(m), uint64(m-x), uint64(m-x+reach-1))
	return int64(i), i < never
}

const never = 1 << 63

// firstBetween returns the least i with l <= a*i modulo m <= r, never if there
// is none; 0 < l <= r, a < m < 2^62. It is Euclid's algorithm: each step makes
// the numbers as much smaller as a division does.
func firstBetween(a, m, l, r uint64) uint64 {
	if a == 0 || l >= m {
		return never
	}
	if 2*a > m { // count downwards
		return firstBetweenFolded(m-a, m, m-min(r, m-1), m-l)
	}
	return firstBetweenFolded(a, m, l, min(r, m-1))
}

func firstBetweenFolded(a, m, l, r uint64) uint64 {
	i := (l + a - 1) / a
	if i*a <= r {
		return i
	}
	// No multiple of a lies in [l, r]; the first i passes m some j times, and
	// then m*j modulo a lies in [-r, -l].
	j := firstBetween(m%a, a, (a-r%a)%a, (a-l%a)%a)
	if j == never {
		return never
	}
	hi, lo := bits.Mul64(m, j)
	lo, carry := bits.Add64(lo, l+a-1, 0)
	if hi+carry >= a {
		return never
	}
	i, _ = bits.Div64(hi+carry, lo, a)
	return i
}

// covers reports whether every byte of q surely is one of p's.
func (p *pattern) covers(q *pattern) bool {
	if p.n == 1 {
		return p.lo <= q.lo && q.hi() <= p.hi()
	}
	return *p == *q
}

// extend makes q part of p if the two together are one pattern, q the later
// part.
func (p *pattern) extend(q pattern) bool {
	switch {
	case p.n == 1 && q.n == 1 && p.lo+p.block == q.lo:
		p.block += q.block
	case p.n > 1 && q.block == p.block && q.lo == p.start(p.n) && (q.n == 1 || q.stride == p.stride):
		p.n += q.n
	default:
		return false
	}
	return true
}

// Bytes are the bytes of a file that one access touches: those that At shows
// from packed position From on, N of them.
type Bytes struct {
	At   types.Tiling
	From int64
	N    int64
}

// BytesFrom returns the bytes [lo, hi) as they stand in the file.
func BytesFrom(lo, hi int64) Bytes { return Bytes{flat(), lo, hi - lo} }

// single returns what b is if that is one pattern at first sight.
func (b *Bytes) single() (p pattern, ok bool) {
	if b.N <= 0 || b.At.L == nil || b.At.L.Size == 0 {
		return p, false
	}
	if dense(b.At) {
		return pattern{lo: b.At.At(b.From), block: b.N, n: 1}, true
	}
	block, stride, ok := b.regular()
	if !ok {
		return p, false
	}
	cut := b.From % block
	switch {
	case cut+b.N <= block:
		return pattern{lo: b.At.At(b.From), block: b.N, n: 1}, true
	case cut > 0 || b.N%block > 0:
		return p, false
	}
	return pattern{b.At.At(b.From), block, stride, b.N / block}, true
}

// patterns appends what b is to list.
func (b *Bytes) patterns(list []pattern) []pattern {
	if p, ok := b.single(); ok {
		return append(list, p)
	}
	if b.N <= 0 || b.At.L == nil || b.At.L.Size == 0 {
		return list
	}
	block, stride, ok := b.regular()
	if !ok && b.planes() < math.MaxInt64 {
		loop, _ := b.At.L.Loops()
		for k := b.From / b.At.L.Size; k < (b.From+b.N)/b.At.L.Size; k++ {
			list = nest(list, loop, b.At.Disp+k*b.At.L.Extent+loop.Off)
		}
		return list
	}
	if !ok {
		return b.compress(list)
	}
	from, end := b.From, b.From+b.N
	if cut := from % block; cut > 0 { // a block whose beginning is left out
		n := min(block-cut, b.N)
		list = append(list, pattern{lo: b.At.At(from), block: n, n: 1})
		from += n
	}
	if n := (end - from) / block; n > 0 {
		p := pattern{lo: b.At.At(from), block: block, n: n}
		if n > 1 {
			p.stride = stride
		}
		list = append(list, p)
		from += n * block
	}
	if from < end {
		list = append(list, pattern{lo: b.At.At(from), block: end - from, n: 1})
	}
	return list
}

// manyPatterns bounds the patterns of an outline.
const manyPatterns = 256

// outline appends what b is to list if that takes few patterns; else nothing,
// which stands for all bytes from its first to its last.
func (b *Bytes) outline(list []pattern) []pattern {
	if b.N <= 0 {
		return list
	}
	if p, ok := b.single(); ok {
		return append(list, p)
	}
	if _, _, ok := b.regular(); ok || b.planes() <= manyPatterns {
		return b.patterns(list)
	}
	return list
}

// planes counts the patterns that b is if it is whole copies of a nest of
// repetitions, as blocks of arrays are; else it is greater than any number of
// those.
func (b *Bytes) planes() int64 {
	l := b.At.L
	loop, ok := l.Loops()
	if !ok || loop.Form != types.FormRepeat || b.From%l.Size != 0 || b.N%l.Size != 0 || !ascending(b.At) {
		return math.MaxInt64
	}
	planes := b.N / l.Size
	for {
		part := loop.Part(0)
		switch {
		case part.Off != 0 || loop.Stride < part.Size:
			return math.MaxInt64
		case part.Form == types.FormRun:
			return planes
		case part.Form != types.FormRepeat || loop.N > math.MaxInt32/planes:
			return math.MaxInt64
		}
		planes *= loop.N
		loop = part
	}
}

// nest appends the patterns that planes counts: one for each innermost loop.
func nest(list []pattern, loop types.Loop, off int64) []pattern {
	part := loop.Part(0)
	if part.Form != types.FormRun {
		for i := range loop.N {
			list = nest(list, part, off+i*loop.Stride)
		}
		return list
	}
	p := pattern{lo: off, block: part.Size, stride: loop.Stride, n: loop.N}
	if p.n == 1 {
		p.stride = 0
	}
	return append(list, p)
}

// regular reports whether the tiling is equal blocks at equal distances, as far
// as b goes.
func (b *Bytes) regular() (block, stride int64, ok bool) {
	l := b.At.L
	loop, _ := l.Loops()
	switch {
	case !ascending(b.At):
		return 0, 0, false
	case loop.Form == types.FormRun:
		return l.Size, l.Extent, l.Extent > l.Size
	case loop.Form != types.FormRepeat || loop.Stride <= 0:
		return 0, 0, false
	}
	part := loop.Part(0)
	if part.Form != types.FormRun || part.Off != 0 {
		return 0, 0, false
	}
	inOne := b.From/l.Size == (b.From+b.N-1)/l.Size
	return part.Size, loop.Stride, part.Size < loop.Stride && (inOne || l.Extent == loop.N*loop.Stride)
}

// compress finds the patterns of an irregular tiling, run by run.
func (b *Bytes) compress(list []pattern) []pattern {
	first := len(list)
	for off, n := range b.At.Runs(b.From, b.N) {
		run := pattern{lo: off, block: n, n: 1}
		if k := len(list) - 1; k >= first {
			last := &list[k]
			if last.extend(run) {
				continue
			}
			// Two equal blocks at any distance make a pattern; so every other
			// pair of an irregular list does, which costs nothing.
			if last.n == 1 && last.block == n && off > last.lo+n {
				last.stride, last.n = off-last.lo, 2
				continue
			}
		}
		list = append(list, run)
	}
	return list
}
