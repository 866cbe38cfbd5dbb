package gen

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A shape is an order of operations that some bugs of layers need, and that freely drawn
// programs hardly ever have: for example five particular operations in a row on the same
// bytes. Offsets, lengths, ranks and forms are drawn; operations between shapes are free.
type shape func(m *maker) []Op

// shapes lists the orders, the simplest first.
var shapes = []shape{
	(*maker).reread,
	(*maker).grow,
	(*maker).neighbours,
	(*maker).burst,
	(*maker).overwrite,
	(*maker).tail,
	(*maker).headerAndBody,
	(*maker).bothWays,
	(*maker).nothing,
	(*maker).generations,
	(*maker).beside,
	(*maker).reversed,
	(*maker).behindOwn,
	(*maker).whole,
	(*maker).stream,
	(*maker).manySyncs,
	(*maker).manyWrites,
}

// special lists shapes that need a feature, with the feature.
var special = []struct {
	use   Use
	shape shape
}{
	{Sizes, (*maker).cut},
	{Sizes, (*maker).grow},
	{IndividualPointers, (*maker).walk},
	{IndividualPointers | Collectives, (*maker).walkAll},
	{NonblockingAccesses | OutstandingAccesses, (*maker).order},
	{NonblockingAccesses | OutstandingAccesses, (*maker).queueDepth},
	{SharedPointers, (*maker).queue},
	{OrderedAccesses, (*maker).queueAll},
	{FarOffsets, (*maker).alias},
	{Irregular | Collectives, (*maker).scattered},
	{Long, (*maker).long},
	{Representations | AnyValues, (*maker).extended},
}

// draw draws a shape: a third of them are special, if the program may use any special
// feature.
func (m *maker) draw() shape {
	var own []shape
	for _, s := range special {
		if m.can(s.use) {
			own = append(own, s.shape)
		}
	}
	if len(own) > 0 && m.int("special", 2) == 2 {
		return own[m.uniform("which", len(own))]
	}
	return shapes[m.uniform("shape", len(shapes))]
}

// uniform draws a number from 0 to n-1, all about equally often; rapid itself prefers small ones.
func (m *maker) uniform(name string, n int) int { return uniform(m.T, name, n) }

func uniform(t *rapid.T, name string, n int) int {
	k := 0
	for range 8 {
		k *= 2
		if rapid.Bool().Draw(t, name) {
			k++
		}
	}
	return k % n
}

// pieces draws the operations of a program: single ones, and shapes.
func (m *maker) pieces(most int) []Op {
	var ops []Op
	piece := rapid.Custom(func(t *rapid.T) []Op {
		m.T = t
		if m.int("shaped", 2) == 0 {
			return []Op{m.op()}
		}
		if m.second != NoSecond && rapid.Bool().Draw(t, "of two handles") {
			return ofTwo[m.uniform("shape", len(ofTwo))](m)
		}
		ops := m.draw()(m)
		m.assignHandles(ops)
		return ops
	})
	for _, p := range rapid.SliceOfN(piece, 1, max(1, most/3)).Draw(m.T, "pieces") {
		ops = append(ops, p...)
	}
	return ops[:min(len(ops), most)]
}

// blockSizes are likely block sizes of layers. Offsets and lengths of a program are close to
// one of them.
var blockSizes = []int64{1, 1, 1, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 4096, 65536}

// drawBlockSize draws a likely block size of layers. It is smaller where a view or a
// representation multiplies offsets, and in programs with far offsets.
func (m *maker) drawBlockSize() {
	if !m.can(Shapes) {
		return
	}
	m.blockSize = blockSizes[m.uniform("grain", len(blockSizes))]
	if m.canAny(Views | Representations) {
		m.blockSize = min(m.blockSize, 64)
	}
	if m.far > 0 {
		m.blockSize = min(m.blockSize, 512)
	}
}

// place draws an offset: near the beginning, or near a block border.
func (m *maker) place(name string) int64 {
	if m.blockSize <= 1 {
		return m.base() + m.int64(name, 6)
	}
	at := m.int64(name+" block", 2) * m.blockSize
	if m.int(name+" aside", 3) > 0 {
		at += rapid.Int64Range(-3, 3).Draw(m.T, name)
	}
	return m.base() + max(0, at)
}

// length draws a length of at least one etype.
func (m *maker) length(name string) int64 {
	n := 1 + m.int64(name, 7)
	if m.blockSize > 1 && m.int(name+" blocks", 2) == 0 {
		n = m.blockSize
		if m.int(name+" aside", 3) > 0 {
			n += rapid.Int64Range(-1, 3).Draw(m.T, name)
		}
	}
	return n
}

// two draws two ranks, different ones if the program has two.
func (m *maker) two() (a, b int) {
	a = m.int("rank", m.ranks-1)
	if m.ranks == 1 {
		return a, a
	}
	b = m.int("other", m.ranks-2)
	if b >= a {
		b++
	}
	return a, b
}

func (m *maker) write(rank int, off, n int64) Op {
	return m.withForm(Op{Do: Write, Rank: rank, Off: off, N: n})
}

// read draws a read; sometimes all ranks make it.
func (m *maker) read(rank int, off, n int64) Op {
	if m.can(Collectives) && m.int("all", 3) == 3 {
		return m.withForm(Op{Do: Read, All: true, Off: off, N: n})
	}
	return m.withForm(Op{Do: Read, Rank: rank, Off: off, N: n})
}

// resize sets the size to an offset. With a far offset it does not allocate.
func (m *maker) resize(do Do, off int64) Op {
	if m.viewSet {
		off += m.far - m.viewBase
	}
	if m.far > 0 {
		do = SetSize
	}
	return Op{Do: do, All: true, Size: off}
}

func (m *maker) sync() Op {
	o := Op{Do: Sync, All: true}
	o.One = m.can(SyncAlls) && rapid.Bool().Draw(m.T, "one call")
	if m.can(Reopening) && m.second == NoSecond && m.int("closing", 3) == 3 {
		m.resetViews()
		return Op{Do: Reopen, All: true}
	}
	return o
}

// reread: a rank reads, another writes there, all sync, the first reads again.
func (m *maker) reread() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	var ops []Op
	if rapid.Bool().Draw(m.T, "written before") {
		ops = append(ops, m.write(a, m.base(), off-m.base()+n+m.int64("more", 9)), m.sync())
	}
	ops = append(ops, m.read(b, off, n))
	if rapid.Bool().Draw(m.T, "reader writes, too") {
		ops = append(ops, m.write(b, off+n, m.length("own")))
	}
	if rapid.Bool().Draw(m.T, "synced between") {
		ops = append(ops, m.sync())
	}
	part := m.int64("part", n-1)
	return append(ops, m.write(a, off+part, 1+m.int64("len", n-part-1)), m.sync(), m.read(b, off, n))
}

// extendedKinds are those of which external32 holds fewer bytes than memory, so that a reader
// must extend an integer by its sign, or by zeros.
var extendedKinds = []*types.Type{types.Long, types.ULong}

// extended: values of such a kind come back to their rank, and to others, whole.
func (m *maker) extended() []Op {
	if m.far > 0 {
		return m.reread()
	}
	a, b := m.two()
	e := extendedKinds[m.uniform("kind", len(extendedKinds))]
	v := iofile.View{Etype: e, Filetype: e, Rep: "external32"}
	m.viewSet, m.viewBase, m.sameViews = true, 0, true
	off, n := m.int64("off", 4), 1+m.int64("n", 5)
	return []Op{
		{Do: SetView, All: true, Views: slices.Repeat([]iofile.View{v}, m.ranks)},
		m.write(a, off, n), m.read(a, off, n), m.sync(), m.read(b, off, n),
	}
}

// grow: one rank makes the file longer, all sync, another reads there and continues.
func (m *maker) grow() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	ops := []Op{m.write(a, off, n), m.sync(), m.read(b, off, n+2)}
	gap := m.int64("gap", 5)
	if m.can(Sizes) && m.int("size", 2) == 2 {
		ops = append(ops, m.resize([]Do{Preallocate, SetSize}[m.int("set", 1)], off+n+gap))
	}
	return append(ops, m.write(b, off+n+gap, n), m.sync(), m.read(a, off, 2*n+gap+2))
}

// neighbours: ranks write parts of the same block that do not overlap.
func (m *maker) neighbours() []Op {
	off, n := m.place("off"), 1+m.int64("n", 5)
	var ops []Op
	if rapid.Bool().Draw(m.T, "there before") {
		ops = append(ops, m.write(0, off, int64(m.ranks)*n), m.sync())
	}
	for range 1 + m.int("times", 1) {
		if m.can(Collectives) && rapid.Bool().Draw(m.T, "together") {
			ops = append(ops, m.withForm(Op{Do: Write, All: true, Off: off, N: n, Step: n}))
		} else {
			for r := range m.ranks {
				ops = append(ops, m.write(r, off+int64(r)*n, n))
			}
		}
	}
	return append(ops, m.sync(), m.read(m.int("reader", m.ranks-1), off, int64(m.ranks)*n))
}

// burst: many small writes of one rank in a row, read by it and, after a sync, by another.
func (m *maker) burst() []Op {
	a, b := m.two()
	off, n := m.place("off"), 1+m.int64("n", 3)
	step := rapid.Int64Range(-1, 2).Draw(m.T, "step") * n
	times := 3 + m.int("times", 5)
	if step < 0 {
		off += int64(times) * n
	}
	var ops []Op
	for i := range times {
		ops = append(ops, m.write(a, off+int64(i)*step, n))
	}
	lo, hi := off, off+int64(times-1)*step
	lo, hi = min(lo, hi), max(lo, hi)+n
	ops = append(ops, m.read(a, lo, hi-lo), m.sync())
	return append(ops, m.read(b, lo, hi-lo+1))
}

// overwrite: ranks write the same bytes, one after the other, with syncs between.
func (m *maker) overwrite() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	ops := []Op{m.write(a, off, n), m.sync(), m.write(b, off+m.int64("part", n-1), n), m.sync()}
	if rapid.Bool().Draw(m.T, "again") {
		ops = append(ops, m.write(a, off, 1+m.int64("len", n-1)), m.read(a, off, 2*n), m.sync())
	}
	return append(ops, m.read(a, off, 2*n), m.read(b, off, 2*n))
}

// tail: a part of the last block is written and read beyond its end.
func (m *maker) tail() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	whole := max(m.blockSize, 4)
	ops := []Op{m.write(a, off, n), m.read(a, off+n-1, 3)}
	if rapid.Bool().Draw(m.T, "long") {
		ops = append(ops, m.write(a, off, 2*whole+m.int64("over", 3)), m.sync(), m.read(b, off, 3*whole))
	}
	return append(ops, m.sync(), m.read(b, max(m.base(), off-1), n+3))
}

// headerAndBody: rank 0 updates a few bytes before the data that all ranks write.
func (m *maker) headerAndBody() []Op {
	n := 1 + m.int64("n", 7)
	ops := []Op{m.write(0, m.base(), 8)}
	for r := range m.ranks {
		ops = append(ops, m.write(r, m.base()+8+int64(r)*n, n))
	}
	ops = append(ops, m.sync(), m.read(m.int("reader", m.ranks-1), m.base(), 8+int64(m.ranks)*n))
	return append(ops, m.write(0, m.base(), 8), m.sync(), m.read(m.int("again", m.ranks-1), m.base(), 8+n))
}

// bothWays: a rank writes by one kind of call and reads the same bytes by another.
func (m *maker) bothWays() []Op {
	a, _ := m.two()
	off, n := m.place("off"), m.length("n")
	if !m.can(Collectives) {
		return []Op{m.write(a, off, n), m.read(a, off, n+1)}
	}
	all := func(do Do) Op { return m.withForm(Op{Do: do, All: true, Off: off, N: n, Step: n}) }
	if rapid.Bool().Draw(m.T, "all first") {
		return []Op{all(Write), m.read(a, off+int64(a)*n, n), m.sync(), m.read(a, off, int64(m.ranks)*n)}
	}
	return []Op{m.write(a, off+int64(a)*n, n), all(Read), m.sync(), all(Read)}
}

// nothing: accesses of no items, on one rank or on all.
func (m *maker) nothing() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	ops := []Op{m.write(a, off+n+m.int64("far", 9), 0), m.write(b, off, n)}
	if m.can(Collectives) {
		ops = append(ops, Op{Do: Write, All: true, Off: off, N: 0, More: 1, Step: 2}, Op{Do: Read, All: true, Off: off, N: 0, More: 1})
	}
	return append(ops, m.sync(), m.read(a, off, n+4))
}

// cut: the file is made shorter, or longer, and written again.
func (m *maker) cut() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	to := off + m.int64("keep", n+4)
	if m.int("empty", 3) == 3 {
		to = m.base()
	}
	size := m.resize([]Do{SetSize, SetSize, Preallocate}[m.int("how", 2)], to)
	ops := []Op{m.write(a, off, n), m.read(b, off, n), size, m.read(b, off, n+5)}
	return append(ops, m.write(a, off+n, 2), m.sync(), m.read(b, off, n+5))
}

// generations: many syncs, each after a write of the same bytes.
func (m *maker) generations() []Op {
	a, b := m.two()
	off, n := m.place("off"), 1+m.int64("n", 3)
	var ops []Op
	all := m.int("all", 2) == 2
	for i := range 3 + m.int("times", 10) {
		ops = append(ops, m.write([]int{a, b}[i%2], off, n))
		for r := 0; all && r < m.ranks; r++ {
			ops = append(ops, m.write(r, off+int64(r+1)*n, n))
		}
		ops = append(ops, Op{Do: Sync, All: true, One: m.can(SyncAlls) && i%2 == 0})
	}
	return append(ops, m.read(a, off, n))
}

// order: accesses under way at the same time are completed in another order.
func (m *maker) order() []Op {
	a, _ := m.two()
	off := m.place("off")
	n, k := m.length("n"), m.length("k")
	if m.can(Collectives) && rapid.Bool().Draw(m.T, "together") {
		// Half of the ranks wait for the first access, the others are in the second.
		return []Op{
			{Do: Write, All: true, Off: off, N: n, Step: n, Form: Nonblocking, Late: true},
			{Do: Finish, All: true},
			{Do: Read, All: true, Off: off, N: k},
			m.sync(), m.read(a, off, int64(m.ranks)*n),
		}
	}
	ops := []Op{
		{Do: Write, Rank: a, Off: off, N: n, Form: Nonblocking, Late: true},
		{Do: Write, Rank: a, Off: off + n, N: k, Form: Nonblocking, Late: true},
		{Do: Read, Rank: a, Off: off + n + k, N: k, Form: Nonblocking, Late: true},
		{Do: Finish, All: true, Which: m.int("which", 2)},
		{Do: Finish, All: true, Which: m.int("next", 1)},
	}
	return append(ops, m.sync(), m.read(a, off, n+k))
}

// beside: ranks write and read blocks far from each other, with holes between.
func (m *maker) beside() []Op {
	a, b := m.two()
	block := max(m.blockSize, 8)
	at := m.base() + m.int64("in", 3)
	ops := []Op{m.write(a, at+2*block, m.length("n")), m.write(b, at, m.length("k"))}
	if m.can(Collectives) {
		ops = append(ops, Op{Do: Write, All: true, Off: at + 3*block, N: 2, Step: block / 2})
	}
	return append(ops, m.sync(), m.read(b, at+2*block, 8), m.read(a, at, 4*block+8))
}

// behindOwn: a rank reads at the end, makes the file longer beyond a gap, and reads
// again.
func (m *maker) behindOwn() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	gap := max(m.blockSize, 8) + m.int64("gap", 9)
	ops := []Op{m.write(a, off, n), m.read(a, off, n+3), m.write(a, off+n+gap, 2), m.read(a, off, n+gap+4)}
	return append(ops, m.sync(), m.read(b, off, n+gap+4))
}

// whole: a rank that has read a block overwrites all of it, and all ranks read it.
func (m *maker) whole() []Op {
	a, b := m.two()
	block := max(m.blockSize, 4)
	off, n := m.base()+m.int64("block", 2)*block, block*(1+m.int64("more", 1))
	ops := []Op{m.write(b, off, 2*n), m.sync(), m.read(a, off+m.int64("in", block-1), 2), m.write(a, off, n), m.read(a, off, 2*n)}
	return append(ops, m.sync(), m.read(b, off, n+1))
}

// stream: a rank reads or writes piece after piece, and changes pieces ahead of it.
func (m *maker) stream() []Op {
	a, b := m.two()
	off, n := m.place("off"), 1+m.int64("n", 7)
	times := 3 + m.int64("times", 4)
	ops := []Op{m.write(b, off, times*n+3), m.sync()}
	change := m.int64("change", times-1)
	for i := range times {
		if i == change {
			ops = append(ops, m.write(a, off+i*n+m.int64("ahead", n), 1+m.int64("len", 2*n)))
		}
		ops = append(ops, m.read(a, off+i*n, n))
	}
	return append(ops, m.sync(), m.read(a, off+times*n, n), m.read(b, off, times*n+5))
}

// walk: a rank moves its pointer by accesses and seeks.
func (m *maker) walk() []Op {
	a, b := m.two()
	off, n := m.place("off"), m.length("n")
	at := func(do Do, rank int, n int64) Op { return m.withForm(Op{Do: do, Rank: rank, At: Individual, N: n}) }
	ops := []Op{m.seek(off, 0, iofile.SeekSet), at(Write, a, n), at(Write, a, 2)}
	if m.far == 0 {
		switch m.int("then", 3) {
		case 1:
			ops = append(ops, m.seek(0, 0, iofile.SeekEnd))
		case 2:
			ops = append(ops, m.seek(0, 0, iofile.SeekCur))
		case 3:
			ops = append(ops, m.seek(1, m.int64("apart", 2), iofile.SeekCur))
		}
	}
	ops = append(ops, at(Write, a, 1+m.int64("k", 3)), m.sync(), m.seek(off, 0, iofile.SeekSet))
	return append(ops, at(Read, b, n), at(Read, b, n+9), at(Read, b, 2), at(Write, b, 1), m.sync(), m.read(a, off, 2*n+9))
}

// walkAll: the pointers of all ranks move to different places, and collective accesses
// follow.
func (m *maker) walkAll() []Op {
	off, n := m.place("off"), m.length("n")
	at := func(do Do, n int64) Op { return m.withForm(Op{Do: do, All: true, At: Individual, N: n}) }
	ops := []Op{m.seek(off, 2*n, iofile.SeekSet), at(Write, n)}
	if rapid.Bool().Draw(m.T, "one alone") {
		ops = append(ops, m.withForm(Op{Do: Write, Rank: m.int("alone", m.ranks-1), At: Individual, N: n}))
	}
	ops = append(ops, m.sync(), m.seek(off, 2*n, iofile.SeekSet), at(Read, n), at(Read, n))
	return append(ops, at(Write, 1), m.sync(), m.read(m.int("reader", m.ranks-1), off, 2*n*int64(m.ranks)+1))
}

// seek moves the pointers of all ranks, each by step more than the one before.
func (m *maker) seek(off, step int64, whence iofile.Whence) Op {
	return Op{Do: Seek, All: true, Off: off, Step: step, Whence: whence}
}

// queue: ranks write by the shared pointer one after the other, and read what others wrote.
func (m *maker) queue() []Op {
	at := func(do Do) Op {
		return m.withForm(Op{Do: do, Rank: m.int("rank", m.ranks-1), At: Shared, N: 1 + m.int64("n", 7)})
	}
	if !m.sameViews {
		return []Op{m.sync()}
	}
	to := Op{Do: SeekShared, All: true, Off: m.place("off")}
	ops := []Op{to, at(Write), at(Write), at(Write), m.sync(), to, at(Read), at(Read)}
	return append(ops, at(Write), m.sync(), m.read(m.int("reader", m.ranks-1), to.Off, 24))
}

// queueAll: all ranks write by the shared pointer in rank order.
func (m *maker) queueAll() []Op {
	if !m.sameViews || !m.can(Collectives) {
		return []Op{m.sync()}
	}
	at := func(do Do) Op {
		return m.withForm(Op{Do: do, All: true, At: Shared, N: m.int64("n", 7), More: m.int64("more", 2)})
	}
	to := Op{Do: SeekShared, All: true, Off: m.place("off")}
	return []Op{to, at(Write), at(Write), m.sync(), to, at(Read), at(Write), m.sync(), m.read(m.int("reader", m.ranks-1), to.Off, 9*int64(m.ranks))}
}

// alias: accesses at the beginning and far away, at offsets with the same low bits.
func (m *maker) alias() []Op {
	if m.viewSet {
		return m.tail()
	}
	a, b := m.two()
	at, n := m.int64("at", 6), 1+m.int64("n", 7)
	ops := []Op{m.write(a, at, n), m.write(b, m.farStart+at, n), m.sync(), m.read(a, m.farStart+at, n), m.read(b, at, n)}
	return append(ops, m.write(b, at+m.int64("part", n-1), 1), m.sync(), m.read(a, m.farStart+at, n))
}

// reversed: all ranks at once read what the rank before them has written.
func (m *maker) reversed() []Op {
	off, n := m.place("off"), 1+m.int64("n", 5)
	var ops []Op
	for times := range 1 + m.int("times", 1) {
		for r := range m.ranks {
			ops = append(ops, m.write((r+times)%m.ranks, off+int64(r)*n, n))
		}
		ops = append(ops, m.sync())
		for r := range m.ranks {
			ops = append(ops, m.read(r, off+int64((r+1)%m.ranks)*n, n))
		}
	}
	return ops
}

// manySyncs: a rank reads, another writes, and many syncs later the first reads again: tags and
// counters may have wrapped.
func (m *maker) manySyncs() []Op {
	a, b := m.two()
	off, n := m.place("off"), 1+m.int64("n", 3)
	ops := []Op{m.write(a, off, n), m.sync(), m.read(b, off, n), m.write(a, off, n)}
	times := m.int64("syncs", 40)
	if rapid.Bool().Draw(m.T, "a power of two") {
		times = []int64{1, 2, 4, 8, 16, 32}[m.uniform("power", 6)]
	}
	return append(ops, m.repeated(times), m.read(b, off, n))
}

// repeated returns a sync, repeated so that there are so many in all.
func (m *maker) repeated(times int64) Op {
	return Op{Do: Sync, All: true, One: m.can(SyncAlls) && rapid.Bool().Draw(m.T, "one call"), Times: max(0, times-1)}
}

// manyWrites: a rank writes many pieces, and all of them are read after a sync.
func (m *maker) manyWrites() []Op {
	a, b := m.two()
	off, times := m.place("off"), 8+m.int64("times", 14)
	var ops []Op
	for i := range times {
		ops = append(ops, m.write(a, off+2*i, 1+m.int64("n", 2)))
	}
	return append(ops, m.sync(), m.read(b, off, 2*times+2))
}

// queueDepth: a rank has many accesses under way at one time.
func (m *maker) queueDepth() []Op {
	a, b := m.two()
	off, n, depth := m.place("off"), 1+m.int64("n", 3), 3+m.int64("depth", 13)
	if rapid.Bool().Draw(m.T, "deep") {
		depth = 16
	}
	var ops []Op
	for i := range depth {
		o := Op{Do: Write, Rank: a, Off: off + i*n, N: n, Form: Nonblocking, Late: true}
		if m.int("read", 4) == 4 {
			o.Do, o.Off = Read, off+(depth+i)*n
		}
		ops = append(ops, o)
	}
	for range m.int("completed", 3) {
		ops = append(ops, Op{Do: Finish, All: true, Which: m.int("which", 15)})
	}
	return append(ops, m.sync(), m.read(b, off, depth*n))
}

// scattered: collective accesses by explicit offsets and by pointers, in which each rank has
// its own part, and some none.
func (m *maker) scattered() []Op {
	off := m.place("off")
	at := func(do Do) Op {
		return m.withForm(Op{Do: do, All: true, Off: off, Each: m.parts(off)})
	}
	ops := []Op{at(Write), at(Read), m.sync(), at(Read)}
	if m.can(OrderedAccesses) && m.sameViews {
		to := Op{Do: SeekShared, All: true, Off: off}
		inOrder := func(do Do) Op {
			o := at(do)
			if o.At = Shared; o.Form == Nonblocking {
				o.Form, o.Late = Blocking, false
			}
			return o
		}
		ops = append(ops, to, inOrder(Write), inOrder(Write), m.sync(), to, inOrder(Read))
		if m.can(SharedPointers) {
			ops = append(ops, Op{Do: Write, Rank: m.int("rank", m.ranks-1), At: Shared, N: 2})
		}
	}
	return append(ops, m.sync(), m.read(m.int("reader", m.ranks-1), off, 12*int64(m.ranks)))
}

// parts draws a part for each rank from off on: in rank order or backwards, with lengths
// that have nothing to do with each other, often 0.
func (m *maker) parts(off int64) []Part {
	parts := make([]Part, m.ranks)
	backwards := rapid.Bool().Draw(m.T, "backwards")
	only := -1
	if m.int("only one", 3) == 3 {
		only = m.ranks - 1 - m.int("which", m.ranks-1)
	}
	at := off
	for i := range parts {
		r := i
		if backwards {
			r = m.ranks - 1 - i
		}
		n := m.int64("n", 10)
		if only >= 0 && r != only || only < 0 && m.int("empty", 2) == 2 {
			n = 0
		}
		parts[r] = Part{at, n}
		at += n + m.int64("gap", 3)
	}
	return parts
}

// makeIrregular gives the ranks of some collective accesses and seeks parts of their own.
func (m *maker) makeIrregular(ops []Op) {
	for k := range ops {
		o := &ops[k]
		if !o.All || o.Each != nil || !o.isAccess() && o.Do != Seek || m.int("irregular", 3) < 3 {
			continue
		}
		parts := make([]Part, m.ranks)
		for r := range parts {
			parts[r].Off, parts[r].N = o.Args(r)
		}
		switch m.int("how", 2) {
		case 0:
			for r := range parts {
				if m.int("empty", 2) == 2 {
					parts[r].N = 0
				}
			}
		case 1:
			slices.Reverse(parts)
		default:
			for r := range parts {
				parts[r].N += m.int64("more", 6)
			}
		}
		o.Each, o.Off, o.Step, o.N, o.More = parts, 0, 0, 0, 0
	}
}

// long: an access of 128 KiB to 4 MiB, seldom.
func (m *maker) long() []Op {
	a, b := m.two()
	if m.viewSet || m.uniform("long", 4) > 0 {
		return m.tail()
	}
	off := m.place("off")
	n := int64(1)<<(17+m.uniform("power", 6)) + rapid.Int64Range(-3, 3).Draw(m.T, "aside")
	ops := []Op{m.write(a, off, n), m.sync(), m.read(b, off, n+2)}
	return append(ops, m.write(b, off+n/2, 3), m.sync(), m.read(a, off+n/2-4, 12))
}
