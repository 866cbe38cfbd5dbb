package proptest

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
)

// The reference implements MPI-IO by its definition: a file is a flat list of bytes, a
// view a list of byte offsets. It goes through a program once, in text order, and records
// for each byte whether the standard determines its value: between two syncs of all
// ranks, a byte that one rank writes is determined for that rank, and a byte that two
// ranks write is determined for none.
//
// It judges results instead of predicting them, because some have several legal values:
// for example the number of bytes read while another rank makes the file longer, and so
// the pointer after the read. A result that was found to be legal becomes part of the
// reference's state.
//
// Each handle of the file is a user of it: two users of one rank know no more of each
// other's writes than users of two ranks do.
type reference struct {
	p     *gen.Program
	t     *trace
	users []user // at rank + ranks*handle
	bytes content
	size  int64

	file    int      // number of the file, of two
	handles int      // number of handles that each rank has of it
	shared  [2]int64 // by handle
	moves   []move   // since the last sync
	marks   []mark   // sizes returned at the last sync
	reached []int64  // 1 + the last byte that each user had written at the last sync of some handles
	passed  int64    // the largest of them that a sync made known
	period  *period  // nil: not in atomic mode

	ends [][]int // by rank and operation: the operation before which it is completed; nil: at once
}

type user struct {
	view  *refView
	pos   int64
	after int64 // 1 + the last byte that the user wrote since the sync
	least int64 // lower bound of the size that the user knows since a sync of some handles
}

// A move is one rank's part in an access, or a seek to the end.
type move struct {
	op, rank int
	user     int
	v        *refView
	at, n    int64  // etypes
	file     []byte // written

	until int         // the operation before which it is completed
	amid  spans[bool] // bytes that the user writes while it is under way
	list  []piece     // see pieces

	size  int64 // size of the file that a query after the write returned
	sized bool

	jump   int64 // etypes by which the pointer moved
	jumped bool  // jump differs from the bytes read
}

// A mark is a size that a call returned to a rank.
type mark struct {
	op, rank int
	size     int64
}

// nobody is the user that reads a file after its program.
const nobody = -1

// many is the writer of bytes that more than one user wrote.
const many = int16(-2)

// judge returns an error if a trace is not allowed by the definition.
func judge(p *gen.Program, t *trace) error { return judgeBy(p, t, byRuns) }

// judgeBy is judge with a way to keep the content of files; tests use another one.
func judgeBy(p *gen.Program, t *trace, keep func(ranks int) content) error {
	ref, err := judgeFile(p, t, 0, keep)
	if err == nil && p.Second == gen.OtherFile {
		_, err = judgeFile(p, t, 1, keep)
	}
	if err != nil || t.alone == nil {
		return err
	}
	ref.t = t.alone
	if err := ref.final(); err != nil {
		return fmt.Errorf("the stored bytes are right, but one rank that opens the file reads others: %w", err)
	}
	return nil
}

// judgeFile judges one of the files.
func judgeFile(p *gen.Program, t *trace, file int, keep func(ranks int) content) (*reference, error) {
	ref := newReference(p, t)
	ref.file, ref.bytes = file, keep(p.Ranks)
	err := ref.run()
	if err == nil {
		err = ref.publish()
	}
	if file > 0 {
		ref.t = t.other
	}
	if err == nil && ref.t != nil { // nil: it was not read
		err = ref.final()
		if err == nil {
			err = ref.endPeriod(true)
		}
	}
	if file > 0 && err != nil {
		err = fmt.Errorf("in the second file: %w", err)
	}
	return ref, err
}

func newReference(p *gen.Program, t *trace) *reference {
	ref := &reference{p: p, t: t, handles: 1}
	if p.Second == gen.SameFile {
		ref.handles = 2
	}
	ref.bytes = byRuns(p.Ranks)
	ref.users = make([]user, p.Ranks*ref.handles)
	ref.reached = make([]int64, len(ref.users))
	for u := range ref.users {
		ref.users[u].view = flat
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

// run judges the operations in order.
func (ref *reference) run() error {
	for k := range ref.p.Ops {
		if err := ref.op(k, &ref.p.Ops[k]); err != nil {
			return err
		}
	}
	return nil
}

func (ref *reference) op(k int, o *gen.Op) error {
	if ref.p.Second == gen.OtherFile && o.Do != gen.Sync && o.Second != (ref.file == 1) {
		if o.Do == gen.SetSize || o.Do == gen.Preallocate { // these sync both handles
			return ref.publish()
		}
		return nil
	}
	switch o.Do {
	case gen.Write, gen.Read:
		return ref.access(k, o)
	case gen.Sync:
		return ref.sync(k, o)
	case gen.SetView:
		ref.views(o.Views, ref.handle(o))
	case gen.Seek:
		return ref.seek(k, o)
	case gen.SeekShared:
		ref.shared[ref.handle(o)] = o.Off
	case gen.SetSize, gen.Preallocate:
		if err := ref.publish(); err != nil {
			return err
		}
		on := ref.period != nil
		if err := ref.endPeriod(false); err != nil {
			return err
		}
		if o.Do == gen.SetSize || o.Size > ref.size {
			ref.resize(o.Size)
		}
		if err := ref.publishSized(k); err != nil {
			return err
		}
		return ref.atomicMode(on)
	case gen.Atomic:
		return ref.atomicMode(o.On)
	case gen.Own:
		return ref.own(k, o)
	case gen.Reopen:
		if err := ref.atomicMode(false); err != nil {
			return err
		}
		h := ref.handle(o)
		ref.shared[h] = 0
		for r := range ref.p.Ranks {
			me := &ref.users[ref.userOf(r, h)]
			me.view, me.pos = flat, 0
		}
		return ref.pass(1<<h, 1<<h)
	}
	return nil
}

// handle returns which handle of the file an operation uses.
func (ref *reference) handle(o *gen.Op) int {
	if o.Second && ref.handles == 2 {
		return 1
	}
	return 0
}

func (ref *reference) userOf(rank, handle int) int { return rank + ref.p.Ranks*handle }

// bit returns the handle of a user as a set.
func (ref *reference) bit(user int) uint8 { return 1 << (user / ref.p.Ranks) }

// sync performs a sync with the order that it gives.
func (ref *reference) sync(k int, o *gen.Op) error {
	if o.Lacks != gen.Order {
		ref.period.barrier(k, calling)
	}
	switch {
	case o.Lacks != gen.Nothing:
		return nil
	case o.Over == gen.FirstToSecond:
		return ref.pass(1<<0, 1<<1)
	case o.Over == gen.SecondToFirst:
		return ref.pass(1<<1, 1<<0)
	case ref.p.Second == gen.OtherFile && ref.file != k%2: // the size of the other file was asked for
		return ref.publish()
	}
	return ref.publishSized(k)
}

// pass performs a sync of some handles on all ranks, a barrier, and a sync of some
// handles; both are sets of bits.
func (ref *reference) pass(from, to uint8) error {
	if ref.handles == 1 {
		return ref.publish()
	}
	if err := ref.judgeMoves(ref.farthest()); err != nil {
		return err
	}
	ref.moves = ref.moves[:0]
	ref.bytes.pass(from, to)
	for u := range ref.users {
		ref.reached[u] = max(ref.reached[u], ref.users[u].after)
		if from&ref.bit(u) != 0 {
			ref.passed = max(ref.passed, ref.reached[u])
		}
	}
	for u := range ref.users {
		me := &ref.users[u]
		me.least = max(me.least, ref.reached[u])
		if to&ref.bit(u) != 0 {
			me.least = max(me.least, ref.passed)
		}
	}
	return nil
}

// slot returns the index of a byte in the bytes found at the end. For a program with far
// offsets these are the first bytes of the file and, directly after them, the far ones. The
// index is negative for a byte that the program does not touch.
func (ref *reference) slot(off int64) int64 {
	switch {
	case ref.p.Far == 0 || off < gen.Near:
		return off
	case off < ref.p.Far:
		return -1
	}
	return off - ref.p.Far + gen.Near
}

// offset is the inverse of slot.
func (ref *reference) offset(slot int64) int64 {
	if ref.p.Far == 0 || slot < gen.Near {
		return slot
	}
	return slot - gen.Near + ref.p.Far
}

func (ref *reference) resize(n int64) {
	ref.bytes.cut(n)
	ref.size = n
}

func (ref *reference) views(all []iofile.View, handle int) {
	ref.shared[handle] = 0
	var last *refView
	for r, v := range all {
		if last == nil || last.given != v {
			last = newView(v)
		}
		me := &ref.users[ref.userOf(r, handle)]
		me.view, me.pos = last, 0
	}
}

// access adds the parts of an access and moves the pointers.
func (ref *reference) access(k int, o *gen.Op) error {
	shared := &ref.shared[ref.handle(o)]
	base := *shared
	for r := range ref.p.Ranks {
		if !o.By(r) {
			continue
		}
		u := ref.userOf(r, ref.handle(o))
		me := &ref.users[u]
		off, n := o.Args(r)
		if len(me.view.tile) == 0 {
			n = 0
		}
		switch o.At {
		case gen.Individual:
			off = me.pos
		case gen.Shared:
			off = *shared
			*shared += n // by the amount asked for, however long the file is
		}
		m := move{op: k, rank: r, user: u, v: me.view, at: off, n: n, until: ref.until(k, r)}
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
		ref.period.add(&m)
	}
	if o.At == gen.Shared && !o.All { // the suite's barriers
		if barrierBefore(ref.p, k) {
			ref.period.barrier(k, meeting)
		}
		ref.period.barrier(k, parting)
	}
	return nil
}

func (ref *reference) until(k, rank int) int {
	if ref.ends == nil {
		return k + 1
	}
	return ref.ends[rank][k]
}

// during reports whether two accesses of one user are under way at the same time: then
// they take place in any order, or in parts.
func (m *move) during(o *move) bool {
	return m != o && m.user == o.user && m.op < o.until && o.op < m.until
}

// overlaps finds the effects between accesses of one user that are under way at the same
// time: bytes that two of them write are undetermined, and a read may see those of a
// write or not.
func (ref *reference) overlaps() {
	for i := range ref.moves {
		w := &ref.moves[i]
		for j := range ref.moves {
			m := &ref.moves[j]
			if w.file == nil || !m.during(w) {
				continue
			}
			if m.file == nil {
				ref.bytes.mixes(m, w)
				continue
			}
			ref.bytes.unclaim(m, w)
		}
	}
}

// sizes returns the least and the largest file size that a read or a seek may assume:
// writes of its user that were complete when it began count for certain; those of others
// and those under way at the same time may count.
func (ref *reference) sizes(m *move, ends []int64) (least, most int64) {
	me := &ref.users[m.user]
	least = max(ref.size, me.after, me.least)
	if ref.ends != nil {
		least, most = max(ref.size, me.least), 0
		for i := range ref.moves {
			w := &ref.moves[i]
			switch {
			case w.file == nil || w.user != m.user:
			case w.until <= m.op:
				least = max(least, w.end())
			case w.during(m):
				most = max(most, w.end())
			}
		}
	}
	most = max(most, least)
	for u, end := range ends {
		if u != m.user {
			most = max(most, end)
		}
	}
	return least, most
}

// write records which user writes which bytes.
func (ref *reference) write(m *move) {
	m.file = ref.p.Values.Data(m.rank, m.op, m.bytes())
	ref.bytes.claim(m)
}

// counts checks the part of a count that does not depend on the size of the file.
func (ref *reference) counts(m *move, o *gen.Op) error {
	see := ref.t.of(m.op, m.rank)
	asked := m.n * m.v.unit.mem
	if o.Do == gen.Write && see.hasSize {
		m.size, m.sized = see.size, true
	}
	if o.Do == gen.Write && int64(see.moved) != asked {
		return ref.differs(m, "IO-DA-01", fmt.Sprintf("wrote %d bytes of memory, want %d", see.moved, asked))
	}
	if int64(see.moved) > asked || see.moved < 0 {
		return ref.differs(m, "IO-DA-07", fmt.Sprintf("read %d bytes of memory, more than the %d asked for", see.moved, asked))
	}
	return nil
}

// pointers moves the pointer of an access and compares it with the one that the layer
// returned.
func (ref *reference) pointers(m *move, o *gen.Op, base int64) error {
	see, me := ref.t.of(m.op, m.rank), &ref.users[m.user]
	if o.At == gen.Individual {
		me.pos += int64(see.moved) / m.v.unit.mem
		if see.pos != me.pos { // publish checks whether this is allowed
			m.jump, m.jumped = see.pos-m.at, true
			me.pos = see.pos
		}
	}
	if see.hasShare && see.shared != base+m.n {
		return ref.differs(m, "IO-SHP-05", fmt.Sprintf("the shared pointer is at %d, want %d", see.shared, base+m.n))
	}
	return nil
}

func (ref *reference) seek(k int, o *gen.Op) error {
	for r := range ref.p.Ranks {
		if !o.By(r) {
			continue
		}
		u := ref.userOf(r, ref.handle(o))
		me, see := &ref.users[u], ref.t.of(k, r)
		off, _ := o.Args(r)
		m := move{op: k, rank: r, user: u, v: me.view, at: off, n: -1, until: k + 1}
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
			return ref.differs(&m, "IO-SEEK-01", fmt.Sprintf("the individual pointer is at %d, want %d", see.pos, me.pos))
		}
	}
	return nil
}

// publishSized calls publish for a sync that returns sizes.
func (ref *reference) publishSized(k int) error {
	if err := ref.publish(); err != nil {
		return err
	}
	for r := range ref.p.Ranks {
		if see := ref.t.of(k, r); see.hasSize {
			ref.marks = append(ref.marks, mark{k, r, see.size})
		}
	}
	return nil
}

// publish judges the accesses since the last sync, and adds their writes to the file.
func (ref *reference) publish() error {
	ends := ref.farthest()
	all := max(ref.size, slices.Max(ends))
	for _, s := range ref.marks { // they were returned while others may have continued to write
		if s.size < ref.size || s.size > all || all == ref.size && s.size != all {
			return &Disagreement{Program: ref.p, Op: s.op, Rank: s.rank, Rule: "IO-SIZE-08", What: fmt.Sprintf("the size is %d, want %d", s.size, ref.size)}
		}
	}
	if err := ref.judgeMoves(ends); err != nil {
		return err
	}
	ref.bytes.publish(false)
	for u := range ref.users {
		ref.users[u].after, ref.users[u].least, ref.reached[u] = 0, 0, 0
	}
	ref.size, ref.passed = all, 0
	ref.moves, ref.marks = ref.moves[:0], ref.marks[:0]
	return nil
}

// farthest returns 1 + the last byte that each user has written since the sync of all.
func (ref *reference) farthest() []int64 {
	ends := slices.Clone(ref.reached)
	for i := range ref.moves {
		if m := &ref.moves[i]; m.file != nil {
			ends[m.user] = max(ends[m.user], m.end())
		}
	}
	return ends
}

// judgeMoves judges the accesses since a sync, and puts their writes into the cells;
// users have written up to ends.
func (ref *reference) judgeMoves(ends []int64) error {
	if ref.ends != nil {
		ref.overlaps()
	}
	// A user's own bytes go into the cells at once: other users do not rely on them before
	// the next sync.
	var size error // reported if no byte is wrong
	for i := range ref.moves {
		m := &ref.moves[i]
		if err := ref.judgeMove(m, ends); err != nil {
			return err
		}
		if size == nil {
			size = ref.judgeSize(m, ends)
		}
		if m.file != nil {
			ref.bytes.put(m)
			me := &ref.users[m.user]
			me.after = max(me.after, m.end())
		}
	}
	return size
}

// judgeMove judges the result of a read, or of a seek to the end.
func (ref *reference) judgeMove(m *move, ends []int64) error {
	if ref.p.Ops[m.op].Do == gen.Write {
		if m.jumped {
			return ref.differs(m, "IO-IND-02", fmt.Sprintf("the individual pointer is at %d, want %d", m.at+m.jump, m.at+m.n))
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
		return ref.differs(m, "IO-DA-07", fmt.Sprintf("read %d bytes of memory, want %s: the file has %d bytes", n, between(lo, hi), least))
	}
	if !ref.mayJump(m, m.readable(least), m.readable(most)) {
		return ref.differs(m, "IO-IND-03", fmt.Sprintf("the individual pointer is at %d, want %d", m.at+m.jump, m.at+lo/m.v.unit.mem))
	}
	return ref.judgeBytes(m, see)
}

// judgeSize judges the size that a rank got after a write of its own.
func (ref *reference) judgeSize(m *move, ends []int64) error {
	if !m.sized {
		return nil
	}
	least, most := ref.sizes(m, ends)
	if m.file != nil {
		end := m.end()
		least, most = max(least, end), max(most, end)
	}
	for i := range ref.moves { // possible effects of the user's other accesses under way
		if w := &ref.moves[i]; w.file != nil && w.user == m.user && w.op <= m.op {
			most = max(most, w.end())
		}
	}
	if m.size < least || m.size > most {
		return ref.differs(m, "IO-SIZE-08", fmt.Sprintf("the size after it is %d, want %s", m.size, between(least, most)))
	}
	return nil
}

func between(lo, hi int64) string {
	if lo == hi {
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("from %d to %d", lo, hi)
}

// mayJump reports whether a read that began at m.at could move the pointer as it did, if
// from lo to hi bytes were available. If their number is certain, a blocking read moves
// the pointer by it, and a read under way may also move it by the amount asked for.
// Otherwise another rank is changing the size, and any amount is allowed. An etype that
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
		return nil // an empty view has no determined end
	}
	see := ref.t.of(m.op, m.rank)
	lo, hi := m.v.end(least)+m.at, m.v.end(most)+m.at
	if see.pos < lo || see.pos > hi {
		return ref.differs(m, "IO-SEEK-03", fmt.Sprintf("the individual pointer is at %d, want %d: the file has %d bytes", see.pos, lo, least))
	}
	return nil
}

// judgeBytes compares determined bytes with those read.
func (ref *reference) judgeBytes(m *move, see *observation) error {
	n := m.v.unit.fileBytes(int64(see.moved))
	got, whole := m.v.unit.encode(see.data)
	bad, all := ref.bytes.compare(m, got[:n])
	if bad >= 0 {
		return ref.wrong(m, got[:n], bad)
	}
	if !whole && all && int64(see.moved) == int64(len(see.data)) {
		return ref.differs(m, "REP-X32-09", fmt.Sprintf("the high bytes of integers that were read are not those that were written: %x", see.data))
	}
	return nil
}

// final compares the bytes at the end.
func (ref *reference) final() error {
	if !ref.t.hasStored {
		return nil
	}
	if n := ref.offset(int64(len(ref.t.stored))); n != ref.size && max(n, ref.size) > ref.p.Far {
		if ref.t.endless {
			return ref.atEnd("reading the file from its beginning does not end: %d bytes were read, and its size is %d", n, ref.size)
		}
		return ref.atEnd("the file has %d bytes, want %d", n, ref.size)
	}
	return ref.kept()
}

// kept compares the stored bytes with the determined ones.
func (ref *reference) kept() error {
	off, differs := ref.bytes.lost(ref.t.stored, ref.slot)
	if off < 0 {
		return nil
	}
	if !differs {
		c, _ := ref.bytes.at(off, nobody)
		return ref.lost("byte %d, %s, is lost: only %d bytes are stored", off, ref.origin(&c), ref.offset(int64(len(ref.t.stored))))
	}
	m := &move{op: len(ref.p.Ops), rank: -1, user: nobody, v: flat, at: off, n: int64(len(ref.t.stored)) - ref.slot(off)}
	return ref.wrong(m, ref.t.stored[ref.slot(off):], 0)
}
