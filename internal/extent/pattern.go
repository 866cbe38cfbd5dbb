package extent

import (
	"math"
	"math/bits"

	"github.com/commworld/commworld/types"
)

// MaxSize is the greatest size of a file.
const MaxSize = 1 << 62

// A Pattern is bytes of a file in a regular arrangement: N blocks of Block bytes, one every
// Stride bytes from Lo on. A single block has stride 0. The race detector keeps accesses as
// patterns: regular views, however many fragments they have, are one pattern.
type Pattern struct{ Lo, Block, Stride, N int64 }

func (p *Pattern) Hi() int64 { return p.Lo + (p.N-1)*p.Stride + p.Block }

// Start returns the offset of block i.
func (p *Pattern) Start(i int64) int64 { return p.Lo + i*p.Stride }

// A Run is Len adjacent bytes of a file, from Off on.
type Run struct{ Off, Len int64 }

// A Range is the bytes [lo, hi) of a file.
type Range struct{ Lo, Hi int64 }

// Common returns a range of bytes that p and q share. The test is arithmetic: its cost does
// not grow with the number of blocks.
func (p *Pattern) Common(q *Pattern) (lo, hi int64, ok bool) {
	if p.Lo >= q.Hi() || q.Lo >= p.Hi() {
		return 0, 0, false
	}
	i, j, ok := int64(0), int64(0), true
	switch {
	case p.N == 1:
		j, ok = q.Meets(p.Lo, p.Hi())
	case q.N == 1:
		i, ok = p.Meets(q.Lo, q.Hi())
	default:
		if i, ok = p.meetsPattern(q); ok {
			j, _ = q.Meets(p.Start(i), p.Start(i)+p.Block)
		}
	}
	if !ok {
		return 0, 0, false
	}
	a, b := p.Start(i), q.Start(j)
	return max(a, b), min(a+p.Block, b+q.Block), true
}

// SharedWith appends to list the ranges of bytes that p and q share, block by block of p,
// at most most of them.
func (p *Pattern) SharedWith(q *Pattern, most int, list []Range) []Range {
	most += len(list)
	for rest := *p; len(list) < most; {
		lo, _, ok := rest.Common(q)
		if !ok {
			break
		}
		block := Pattern{Lo: rest.Lo, Block: rest.Block, N: 1}
		if rest.N > 1 {
			block.Lo += (lo - rest.Lo) / rest.Stride * rest.Stride
		}
		first, _ := q.Meets(block.Lo, block.Hi())
		for i := first; i < q.N && q.Start(i) < block.Hi() && len(list) < most; i++ {
			list = append(list, Range{max(block.Lo, q.Start(i)), min(block.Hi(), q.Start(i)+q.Block)})
		}
		if rest.N == 1 {
			break
		}
		done := (block.Lo-rest.Lo)/rest.Stride + 1
		if rest.Lo, rest.N = block.Lo+rest.Stride, rest.N-done; rest.N <= 0 {
			break
		}
	}
	return list
}

// Meets returns the first block of p that has bytes in [lo, hi).
func (p *Pattern) Meets(lo, hi int64) (int64, bool) {
	i := int64(0)
	if p.Lo+p.Block <= lo {
		if p.N == 1 {
			return 0, false
		}
		i = (lo-p.Lo-p.Block)/p.Stride + 1
	}
	return i, i < p.N && p.Start(i) < hi
}

// meetsPattern returns the first block of p that shares bytes with q, when both have
// several blocks.
//
// A block of p at x shares bytes with a block of q if x is in that block, or less than
// p.Block before it: if (x - q.Lo + p.Block - 1) modulo q.Stride is less than p.Block +
// q.Block - 1. For blocks of p between the first and the last of q, the number of q's
// blocks does not matter.
func (p *Pattern) meetsPattern(q *Pattern) (int64, bool) {
	first, ok := p.Meets(q.Lo, q.Hi())
	if !ok {
		return 0, false
	}
	reach := p.Block + q.Block - 1
	if reach >= q.Stride {
		return first, true
	}
	x := (p.Start(first) - q.Lo + p.Block - 1) % q.Stride
	if x < 0 {
		x += q.Stride
	}
	k, ok := firstWithin(p.Stride%q.Stride, x, q.Stride, reach)
	i := first + k
	if !ok || i >= p.N || p.Start(i) >= q.Hi() {
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

// firstBetween returns the least i with l <= a*i modulo m <= r, never if there is none; 0 <
// l <= r, a < m < 2^62. It is Euclid's algorithm: each step divides the numbers.
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
	// No multiple of a is in [l, r]; the first i passes m some j times, and
	// then m*j modulo a is in [-r, -l].
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

// Covers reports whether every byte of q is certainly a byte of p. It may return false for
// some patterns that do cover q.
func (p *Pattern) Covers(q *Pattern) bool {
	if p.N == 1 {
		return p.Lo <= q.Lo && q.Hi() <= p.Hi()
	}
	return *p == *q
}

// Includes reports whether q is one of the blocks of p, or part of one.
func (p *Pattern) Includes(q *Pattern) bool {
	if p.N == 1 || q.N > 1 || q.Lo < p.Lo || q.Hi() > p.Hi() {
		return false
	}
	at := (q.Lo - p.Lo) % p.Stride
	return at+q.Block <= p.Block
}

// Extend makes q part of p, and reports whether it could: the two together must form one
// pattern, of which q is the later part.
func (p *Pattern) Extend(q Pattern) bool {
	switch {
	case p.N == 1 && q.N == 1 && p.Lo+p.Block == q.Lo:
		p.Block += q.Block
	case p.N > 1 && q.Block == p.Block && q.Lo == p.Start(p.N) && (q.N == 1 || q.Stride == p.Stride):
		p.N += q.N
	default:
		return false
	}
	return true
}

// Between returns the bytes [lo, hi) in file order.
func Between(lo, hi int64) types.Part { return types.Part{At: Flat(), From: lo, N: hi - lo} }

// Single returns b as one pattern, if a quick check shows that it is one.
func Single(b *types.Part) (p Pattern, ok bool) {
	if b.N <= 0 || b.At.L == nil || b.At.L.Size == 0 {
		return p, false
	}
	if Dense(b.At) {
		return Pattern{Lo: b.At.At(b.From), Block: b.N, N: 1}, true
	}
	block, stride, ok := regular(b)
	if !ok {
		return p, false
	}
	cut := b.From % block
	switch {
	case cut+b.N <= block:
		return Pattern{Lo: b.At.At(b.From), Block: b.N, N: 1}, true
	case cut > 0 || b.N%block > 0:
		return p, false
	}
	return Pattern{b.At.At(b.From), block, stride, b.N / block}, true
}

// Patterns appends the patterns of b to list.
func Patterns(b *types.Part, list []Pattern) []Pattern {
	if p, ok := Single(b); ok {
		return append(list, p)
	}
	if b.N <= 0 || b.At.L == nil || b.At.L.Size == 0 {
		return list
	}
	block, stride, ok := regular(b)
	if !ok && planes(b) < math.MaxInt64 {
		loop, _ := b.At.L.Loops()
		for k := b.From / b.At.L.Size; k < (b.From+b.N)/b.At.L.Size; k++ {
			list = nest(list, loop, b.At.Disp+k*b.At.L.Extent+loop.Off)
		}
		return list
	}
	if !ok {
		return compress(b, list)
	}
	from, end := b.From, b.From+b.N
	if cut := from % block; cut > 0 { // a block whose beginning is left out
		n := min(block-cut, b.N)
		list = append(list, Pattern{Lo: b.At.At(from), Block: n, N: 1})
		from += n
	}
	if n := (end - from) / block; n > 0 {
		p := Pattern{Lo: b.At.At(from), Block: block, N: n}
		if n > 1 {
			p.Stride = stride
		}
		list = append(list, p)
		from += n * block
	}
	if from < end {
		list = append(list, Pattern{Lo: b.At.At(from), Block: end - from, N: 1})
	}
	return list
}

// manyPatterns bounds the patterns of an outline.
const manyPatterns = 256

// Outline appends the patterns of b to list if they are few; otherwise it appends nothing,
// which represents all bytes from the first to the last.
func Outline(b *types.Part, list []Pattern) []Pattern {
	if b.N <= 0 {
		return list
	}
	if p, ok := Single(b); ok {
		return append(list, p)
	}
	if _, _, ok := regular(b); ok || planes(b) <= manyPatterns {
		return Patterns(b, list)
	}
	return list
}

// planes returns the number of patterns of b if b consists of whole copies of nested
// repetitions, as blocks of arrays do; otherwise it returns more than that can be.
func planes(b *types.Part) int64 {
	l := b.At.L
	loop, ok := l.Loops()
	if !ok || loop.Form != types.FormRepeat || b.From%l.Size != 0 || b.N%l.Size != 0 || !Ascending(b.At) {
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
func nest(list []Pattern, loop types.Loop, off int64) []Pattern {
	part := loop.Part(0)
	if part.Form != types.FormRun {
		for i := range loop.N {
			list = nest(list, part, off+i*loop.Stride)
		}
		return list
	}
	p := Pattern{Lo: off, Block: part.Size, Stride: loop.Stride, N: loop.N}
	if p.N == 1 {
		p.Stride = 0
	}
	return append(list, p)
}

// regular reports whether the tiling, as far as b reaches, is equal blocks at equal
// distances.
func regular(b *types.Part) (block, stride int64, ok bool) {
	l := b.At.L
	loop, _ := l.Loops()
	switch {
	case !Ascending(b.At):
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

// compress appends the patterns of an irregular tiling, run by run.
func compress(b *types.Part, list []Pattern) []Pattern {
	first := len(list)
	for off, n := range b.At.Runs(b.From, b.N) {
		run := Pattern{Lo: off, Block: n, N: 1}
		if k := len(list) - 1; k >= first {
			last := &list[k]
			if last.Extend(run) {
				continue
			}
			// Two equal blocks at any distance make a pattern, so pairs of an irregular list
			// become patterns, too, at no cost.
			if last.N == 1 && last.Block == n && off > last.Lo+n {
				last.Stride, last.N = off-last.Lo, 2
				continue
			}
		}
		list = append(list, run)
	}
	return list
}
