package proptest

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// The reference is MPI-IO written down as the definition has it: a file is a
// flat list of bytes, a view a list of byte offsets. It goes through a program
// once, in text order, and knows of each byte whether the standard determines
// it: between two syncs of all ranks, a byte that one rank writes is that
// rank's own, and a byte that two ranks write is nobody's.
//
// It judges what was seen rather than predicts it, because some things may go
// two ways: how much is read while another rank makes the file longer, say,
// and so where the pointer stands. What was seen is taken as given once it has
// been found to be one of the ways.
type reference struct {
	p     *gen.Program
	t     *trace
	ranks []refRank
	cells []cell
	size  int64

	shared int64
	moves  []move // of those operations
	marks  []mark // size queries of the sync before
	by     []int16

	ends [][]int // of each rank and operation, before which one it is completed; nil: each at once
}

// A cell is a byte of the file.
type cell struct {
	b     byte
	known bool
	rank  int16 // who wrote it, and in which operation
	op    int32
}

type refRank struct {
	view  *refView
	pos   int64
	after int64 // 1 + the last byte that the rank wrote since the sync
}

// A refView is a view as a list of bytes, to be repeated.
type refView struct {
	given  iofile.View
	disp   int64
	tile   []int64
	extent int64
	unit   unit
}

// String is the view as a program text has it.
func (v *refView) String() string {
	return fmt.Sprintf("%d %v %v %s", v.disp, v.given.Etype, v.given.Filetype, v.given.Rep)
}

// A move is one rank's part in an access, or a seek to the end.
type move struct {
	op, rank int
	v        *refView
	at, n    int64  // etypes
	file     []byte // written

	until int            // the operation before which it is completed
	amid  map[int64]bool // bytes that the rank writes while it is under way

	jump   int64 // etypes by which the pointer moved
	jumped bool  // which is not what was read
}

// A mark is a size that a rank was told.
type mark struct {
	op, rank int
	size     int64
}

const (
	nobody = int16(-1)
	many   = int16(-2)
)

var flat = &refView{given: iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "native"}, tile: []int64{0}, extent: 1, unit: bytewise}

// judge says where a trace is not what the definition allows.
func judge(p *gen.Program, t *trace) error {
	ref := newReference(p, t)
	if err := ref.run(); err != nil {
		return err
	}
	if err := ref.settle(); err != nil {
		return err
	}
	return ref.final()
}

func newReference(p *gen.Program, t *trace) *reference {
	ref := &reference{p: p, t: t, ranks: make([]refRank, p.Ranks)}
	for r := range ref.ranks {
		ref.ranks[r].view = flat
	}
	for r := range p.Ranks {
		lists := p.Completions(r)
		if lists == nil {
			return ref
		}
		ends := make([]int, len(p.Ops))
		for k := range ends {
			ends[k] = k + 1
		}
		for k, list := range lists {
			for _, i := range list {
				ends[i] = k
			}
		}
		ref.ends = append(ref.ends, ends)
	}
	return ref
}

// run goes through the operations.
func (ref *reference) run() error {
	for k := range ref.p.Ops {
		if err := ref.op(k, &ref.p.Ops[k]); err != nil {
			return err
		}
	}
	return nil
}

func (ref *reference) op(k int, o *gen.Op) error {
	switch o.Do {
	case gen.Write, gen.Read:
		return ref.access(k, o)
	case gen.Sync:
		if o.Lacks != gen.Nothing {
			return nil
		}
		return ref.settled(k)
	case gen.SetView:
		ref.views(o.Views)
	case gen.Seek:
		return ref.seek(k, o)
	case gen.SeekShared:
		ref.shared = o.Off
	case gen.SetSize, gen.Preallocate:
		if err := ref.settle(); err != nil {
			return err
		}
		if o.Do == gen.SetSize || o.Size > ref.size {
			ref.resize(o.Size)
		}
		return ref.settled(k)
	case gen.Reopen:
		ref.shared = 0
		for r := range ref.ranks {
			ref.ranks[r] = refRank{view: flat}
		}
		return ref.settle()
	}
	return nil
}

func (ref *reference) resize(n int64) {
	ref.cells = ref.cells[:min(n, int64(len(ref.cells)))]
	ref.size = n
}

func (ref *reference) views(all []iofile.View) {
	ref.shared = 0
	var last *refView
	for r, v := range all {
		if last == nil || last.given != v {
			m := naive.Of(v.Filetype, gen.SizesOf(v.Rep))
			last = &refView{v, v.Disp, m.Bytes(1), m.Extent(), etypeOf(v.Etype, v.Rep)}
		}
		ref.ranks[r].view, ref.ranks[r].pos = last, 0
	}
}

// byteAt returns where byte i of the bytes that the view shows lies.
func (v *refView) byteAt(i int64) int64 {
	n := int64(len(v.tile))
	return v.disp + i/n*v.extent + v.tile[i%n]
}

func (m *move) byteAt(i int64) int64 { return m.v.byteAt(m.at*m.v.unit.file + i) }

// bytes is how many there are to move.
func (m *move) bytes() int64 { return m.n * m.v.unit.file }

// readable counts the bytes before the first that is not in a file so long.
func (m *move) readable(size int64) int64 {
	for i := range m.bytes() {
		if m.byteAt(i) >= size {
			return i
		}
	}
	return m.bytes()
}

// access notes the parts of an access and moves the pointers.
func (ref *reference) access(k int, o *gen.Op) error {
	base := ref.shared
	for r := range ref.ranks {
		if !o.By(r) {
			continue
		}
		me := &ref.ranks[r]
		off, n := o.Args(r)
		if len(me.view.tile) == 0 {
			n = 0
		}
		switch o.At {
		case gen.Individual:
			off = me.pos
		case gen.Shared:
			off = ref.shared
			ref.shared += n // by what was asked for, whatever is there
		}
		m := move{op: k, rank: r, v: me.view, at: off, n: n, until: ref.until(k, r)}
		if err := ref.counts(&m, o); err != nil {
			return err
		}
		if err := ref.pointers(&m, o, base); err != nil {
			return err
		}
		if o.Do == gen.Write && n > 0 {
			ref.write(&m)
		}
		ref.moves = append(ref.moves, m)
	}
	return nil
}

func (ref *reference) until(k, rank int) int {
	if ref.ends == nil {
		return k + 1
	}
	return ref.ends[rank][k]
}

// during reports accesses of one rank that are under way at the same time: they
// take place in any order, or in parts.
func (m *move) during(o *move) bool {
	return m != o && m.rank == o.rank && m.op < o.until && o.op < m.until
}

// overlaps finds what accesses of one rank under way at the same time do to each other:
// bytes that two of them write are nobody's, and a read may see those of a write or not.
func (ref *reference) overlaps() {
	for i := range ref.moves {
		w := &ref.moves[i]
		for j := range ref.moves {
			m := &ref.moves[j]
			if w.file == nil || !m.during(w) {
				continue
			}
			if m.file == nil {
				m.mixes(w)
				continue
			}
			mine := map[int64]bool{}
			for b := range m.bytes() {
				mine[m.byteAt(b)] = true
			}
			for b := range w.bytes() {
				if at := w.byteAt(b); mine[at] {
					ref.by[at] = many
				}
			}
		}
	}
}

// mixes notes the bytes of a write as undetermined for a read.
func (m *move) mixes(w *move) {
	if m.amid == nil {
		m.amid = map[int64]bool{}
	}
	for b := range w.bytes() {
		m.amid[w.byteAt(b)] = true
	}
}

// sizes returns the least and the most that a read or a seek may take the file
// for: its rank's writes that were complete when it began count for certain, those
// of others and those under way at the same time may.
func (ref *reference) sizes(m *move, ends []int64) (least, most int64) {
	least = max(ref.size, ref.ranks[m.rank].after)
	if ref.ends != nil {
		least, most = ref.size, 0
		for i := range ref.moves {
			w := &ref.moves[i]
			switch {
			case w.file == nil || w.rank != m.rank:
			case w.until <= m.op:
				least = max(least, w.byteAt(w.bytes()-1)+1)
			case w.during(m):
				most = max(most, w.byteAt(w.bytes()-1)+1)
			}
		}
	}
	most = max(most, least)
	for r, end := range ends {
		if r != m.rank {
			most = max(most, end)
		}
	}
	return least, most
}

// write notes which bytes are written, and by whom.
func (ref *reference) write(m *move) {
	mem := make([]byte, m.n*m.v.unit.mem)
	m.v.unit.mark(mem, m.rank, m.op)
	m.file, _ = m.v.unit.encode(mem)
	last := m.byteAt(m.bytes() - 1)
	for int64(len(ref.by)) <= last {
		ref.by = append(ref.by, nobody)
	}
	for i := range m.bytes() {
		switch who := &ref.by[m.byteAt(i)]; *who {
		case nobody:
			*who = int16(m.rank)
		case int16(m.rank):
		default:
			*who = many
		}
	}
}

// counts checks what can be said of an amount without knowing the size.
func (ref *reference) counts(m *move, o *gen.Op) error {
	see := ref.t.of(m.op, m.rank)
	asked := m.n * m.v.unit.mem
	if o.Do == gen.Write && int64(see.moved) != asked {
		return ref.differs(m, fmt.Sprintf("wrote %d bytes of memory, want %d", see.moved, asked))
	}
	if int64(see.moved) > asked || see.moved < 0 {
		return ref.differs(m, fmt.Sprintf("read %d bytes of memory, more than the %d asked for", see.moved, asked))
	}
	return nil
}

// pointers moves the pointer of an access and compares it with what was seen.
func (ref *reference) pointers(m *move, o *gen.Op, base int64) error {
	see, me := ref.t.of(m.op, m.rank), &ref.ranks[m.rank]
	if o.At == gen.Individual {
		me.pos += int64(see.moved) / m.v.unit.mem
		if see.pos != me.pos { // settle knows whether it may
			m.jump, m.jumped = see.pos-m.at, true
			me.pos = see.pos
		}
	}
	if see.hasShare && see.shared != base+m.n {
		return ref.differs(m, fmt.Sprintf("the shared pointer is at %d, want %d", see.shared, base+m.n))
	}
	return nil
}

func (ref *reference) seek(k int, o *gen.Op) error {
	for r := range ref.ranks {
		me, see := &ref.ranks[r], ref.t.of(k, r)
		off, _ := o.Args(r)
		m := move{op: k, rank: r, v: me.view, at: off, n: -1, until: k + 1}
		switch o.Whence {
		case iofile.SeekSet:
			me.pos = off
		case iofile.SeekCur:
			me.pos += off
		case iofile.SeekEnd:
			me.pos = see.pos
			ref.moves = append(ref.moves, m)
		}
		if see.pos != me.pos {
			return ref.differs(&m, fmt.Sprintf("the individual pointer is at %d, want %d", see.pos, me.pos))
		}
	}
	return nil
}

// settled is settle for a sync that tells sizes.
func (ref *reference) settled(k int) error {
	if err := ref.settle(); err != nil {
		return err
	}
	for r := range ref.ranks {
		if see := ref.t.of(k, r); see.hasSize {
			ref.marks = append(ref.marks, mark{k, r, see.size})
		}
	}
	return nil
}

// settle judges what was done since the last sync, and makes it the file.
func (ref *reference) settle() error {
	ends := make([]int64, len(ref.ranks)) // 1 + the last byte written by each
	for i := range ref.moves {
		if m := &ref.moves[i]; m.file != nil {
			ends[m.rank] = max(ends[m.rank], m.byteAt(m.bytes()-1)+1)
		}
	}
	all := max(ref.size, slices.Max(ends))
	for _, s := range ref.marks { // told while others may have gone on writing
		if s.size < ref.size || s.size > all || all == ref.size && s.size != all {
			return &Disagreement{Program: ref.p, Op: s.op, Rank: s.rank, What: fmt.Sprintf("the size is %d, want %d", s.size, ref.size)}
		}
	}
	if ref.ends != nil {
		ref.overlaps()
	}
	// Own bytes go into the cells at once: others who look at them do not trust
	// them before the next sync.
	for i := range ref.moves {
		m := &ref.moves[i]
		if err := ref.judgeMove(m, ends); err != nil {
			return err
		}
		if m.file != nil {
			ref.put(m)
		}
	}
	for at, who := range ref.by {
		if who == many {
			ref.cells[at].known = false
		}
	}
	for r := range ref.ranks {
		ref.ranks[r].after = 0
	}
	ref.size, ref.moves, ref.by, ref.marks = all, ref.moves[:0], ref.by[:0], ref.marks[:0]
	return nil
}

func (ref *reference) put(m *move) {
	last := m.byteAt(m.bytes() - 1)
	for int64(len(ref.cells)) <= last {
		ref.cells = append(ref.cells, cell{})
	}
	for i, b := range m.file {
		ref.cells[m.byteAt(int64(i))] = cell{b, true, int16(m.rank), int32(m.op)}
	}
	me := &ref.ranks[m.rank]
	me.after = max(me.after, last+1)
}

// judgeMove judges what a read found, or where a seek to the end went.
func (ref *reference) judgeMove(m *move, ends []int64) error {
	if ref.p.Ops[m.op].Do == gen.Write {
		if m.jumped {
			return ref.differs(m, fmt.Sprintf("the individual pointer is at %d, want %d", m.at+m.jump, m.at+m.n))
		}
		return nil
	}
	least, most := ref.sizes(m, ends)
	if m.n < 0 {
		return ref.judgeSeek(m, least, most)
	}
	see := ref.t.of(m.op, m.rank)
	lo, hi := m.v.unit.wholeItems(m.readable(least)), m.v.unit.wholeItems(m.readable(most))
	if n := int64(see.moved); n < lo || n > hi {
		want := fmt.Sprint(lo)
		if hi != lo {
			want = fmt.Sprintf("from %d to %d", lo, hi)
		}
		return ref.differs(m, fmt.Sprintf("read %d bytes of memory, want %s: the file has %d bytes", n, want, least))
	}
	if !ref.mayJump(m, m.readable(least), m.readable(most)) {
		return ref.differs(m, fmt.Sprintf("the individual pointer is at %d, want %d", m.at+m.jump, m.at+lo/m.v.unit.mem))
	}
	return ref.judgeBytes(m, see)
}

// mayJump reports whether a read that began at m.at could move the pointer as
// it did, from lo to hi bytes being there. If their number is certain, a
// blocking read moves it by that, and one under way also by what it asks for.
// Otherwise another rank is changing the size, and any may be taken. An etype that
// the end of file cuts may count or not: libraries differ. (CONS-PTR-01)
func (ref *reference) mayJump(m *move, lo, hi int64) bool {
	if !m.jumped {
		return true
	}
	certain := lo == hi && ref.p.Ops[m.op].Form == gen.Blocking
	size := m.v.unit.file
	return lo/size <= m.jump && m.jump <= (hi+size-1)/size || m.jump == m.n && !certain
}

func (ref *reference) judgeSeek(m *move, least, most int64) error {
	if len(m.v.tile) == 0 {
		return nil // the end of nothing is anywhere
	}
	see := ref.t.of(m.op, m.rank)
	lo, hi := m.v.end(least)+m.at, m.v.end(most)+m.at
	if see.pos < lo || see.pos > hi {
		return ref.differs(m, fmt.Sprintf("the individual pointer is at %d, want %d: the file has %d bytes", see.pos, lo, least))
	}
	return nil
}

// end counts etypes up to the first that begins after the last byte.
func (v *refView) end(size int64) int64 {
	k := int64(0)
	for v.byteAt(k*v.unit.file) < size {
		k++
	}
	return k
}

// judgeBytes compares bytes that are determined with those read.
func (ref *reference) judgeBytes(m *move, see *observation) error {
	n := m.v.unit.fileBytes(int64(see.moved))
	got, whole := m.v.unit.encode(see.data)
	all := true
	for i := range n {
		want, known := ref.at(m.byteAt(i), m.rank)
		known = known && !m.amid[m.byteAt(i)]
		if known && want.b != got[i] {
			return ref.wrong(m, got[:n], i)
		}
		all = all && known
	}
	if !whole && all && int64(see.moved) == int64(len(see.data)) {
		return ref.differs(m, fmt.Sprintf("read integers larger than what was written: %x", see.data))
	}
	return nil
}

// at returns a byte as a rank has to see it now, if that is determined.
func (ref *reference) at(off int64, rank int) (cell, bool) {
	if off < int64(len(ref.by)) {
		if who := ref.by[off]; who != nobody && who != int16(rank) {
			return cell{}, false
		}
	}
	if off >= int64(len(ref.cells)) {
		return cell{}, false
	}
	return ref.cells[off], ref.cells[off].known
}

// final compares the bytes that are left.
func (ref *reference) final() error {
	if !ref.t.hasStored {
		return nil
	}
	if n := int64(len(ref.t.stored)); n != ref.size {
		return ref.atEnd("the file has %d bytes, want %d", n, ref.size)
	}
	return ref.kept()
}

// kept compares what is stored with what is determined.
func (ref *reference) kept() error {
	m := &move{op: len(ref.p.Ops), rank: -1, v: flat, n: int64(len(ref.t.stored))}
	for i := range ref.cells {
		c := &ref.cells[i]
		if !c.known {
			continue
		}
		if i >= len(ref.t.stored) {
			return ref.atEnd("byte %d, %s, is lost: only %d bytes are stored", i, ref.origin(c), len(ref.t.stored))
		}
		if ref.t.stored[i] != c.b {
			return ref.wrong(m, ref.t.stored, int64(i))
		}
	}
	return nil
}
