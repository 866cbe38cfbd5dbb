package proptest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/proptest/gen"
)

// AtomicSerialisable runs a program and judges it as [Reference] does. In atomic mode each
// access is indivisible: some serial order of the accesses, in which those of one rank have the
// order of the program, must explain all reads and the final file. See [gen.AtomicPrograms].
// (CONS-ATOM-02, CONS-C5)
func AtomicSerialisable(mk Maker, p *gen.Program) error { return Reference(mk, p) }

// A period is the time in which a file is in atomic mode, without a change of its size.
type period struct {
	calls    []move
	barriers []int          // moments at which all ranks meet, see moment
	start    spans[written] // the bytes at the beginning
	vague    spans[bool]    // bytes with writes of before that were not synced: they are not judged
	most     int64          // the largest size that the file may have at the beginning
}

// atomicMode begins or ends a period.
func (ref *reference) atomicMode(on bool) error {
	if on == (ref.period != nil) {
		return nil
	}
	if !on {
		return ref.endPeriod(false)
	}
	ref.period = new(period)
	ref.period.start, ref.period.vague = ref.bytes.snapshot()
	ref.period.most = max(ref.size, slices.Max(ref.farthest()))
	return nil
}

// endPeriod judges the period. At the end of the program, the file must have the bytes, too.
func (ref *reference) endPeriod(atEnd bool) error {
	p := ref.period
	ref.period = nil
	if p == nil || len(p.calls) == 0 {
		return nil
	}
	return p.judge(ref, atEnd && ref.t.hasStored)
}

// add adds an access to the period.
func (p *period) add(m *move) {
	if p != nil && m.n > 0 {
		p.calls = append(p.calls, *m)
	}
}

// A rank begins operation k by completing accesses; then come a barrier of some accesses by
// the shared pointer, the call, and another barrier. A moment is the number of such a part.
const (
	completing = iota
	meeting
	calling
	parting
	partsOfOp
)

func moment(k, part int) int { return partsOfOp*k + part }

// barrier records that all ranks meet.
func (p *period) barrier(k, part int) {
	if p != nil {
		p.barriers = append(p.barriers, moment(k, part))
	}
}

// moments returns when an access begins and when it is complete.
func (p *period) moments(ref *reference, m *move) (begin, end int) {
	begin = moment(m.op, calling)
	if o := &ref.p.Ops[m.op]; o.Late && o.Form != gen.Blocking {
		return begin, moment(m.until, completing)
	}
	return begin, begin
}

// order returns the order of the accesses that the program implies. The file at the end, if
// it is a reader, is the last of all.
func (p *period) order(ref *reference, atEnd bool) partial {
	n := len(p.calls)
	if atEnd {
		n++
	}
	all := newPartial(n)
	for a := range p.calls {
		for b := range p.calls {
			if p.before(ref, &p.calls[a], &p.calls[b]) {
				all.add(a, b)
			}
		}
		if atEnd {
			all.add(a, n-1)
		}
	}
	return all
}

func (p *period) before(ref *reference, a, b *move) bool {
	_, end := p.moments(ref, a)
	begin, _ := p.moments(ref, b)
	return a.user == b.user && end < begin ||
		slices.ContainsFunc(p.barriers, func(at int) bool { return end < at && at < begin })
}

// A slice is a range of bytes in the data of an access.
type slice struct {
	call  int
	bytes []byte
}

// A stretch is a range of bytes that no access uses in part.
type stretch struct {
	lo, hi          int64
	writers, reader []slice
}

// readAs returns the bytes that a read moved, as the file has them.
func (m *move) readAs(ref *reference) []byte {
	see := ref.t.of(m.op, m.rank)
	got, _ := m.v.unit.encode(see.data)
	return got[:min(int64(len(got)), m.v.unit.fileBytes(int64(len(see.read()))))]
}

// stretches cuts the bytes of all accesses at the borders of all.
func (p *period) stretches(ref *reference) []stretch {
	var borders []int64
	each := func(do func(call int, off int64, data []byte)) {
		for i := range p.calls {
			m := &p.calls[i]
			data := m.file
			if data == nil {
				data = m.readAs(ref)
			}
			for _, piece := range m.pieces() {
				if piece.i < int64(len(data)) {
					do(i, piece.off, data[piece.i:min(piece.i+piece.n, int64(len(data)))])
				}
			}
		}
	}
	each(func(_ int, off int64, data []byte) { borders = append(borders, off, off+int64(len(data))) })
	for _, s := range p.start {
		borders = append(borders, s.lo, s.hi)
	}
	for _, s := range p.vague {
		borders = append(borders, s.lo, s.hi)
	}
	slices.Sort(borders)
	borders = slices.Compact(borders)
	all := make([]stretch, max(0, len(borders)-1))
	for i := range all {
		all[i].lo, all[i].hi = borders[i], borders[i+1]
	}
	each(func(call int, off int64, data []byte) {
		i, _ := slices.BinarySearch(borders, off)
		for at := off; at < off+int64(len(data)); i++ {
			part := slice{call, data[at-off : all[i].hi-off]}
			if p.calls[call].file != nil {
				all[i].writers = append(all[i].writers, part)
			} else {
				all[i].reader = append(all[i].reader, part)
			}
			at = all[i].hi
		}
	})
	return all
}

// readouts returns what all reads require, and the file at the end.
func (p *period) readouts(ref *reference, atEnd bool) []readout {
	var all []readout
	known := map[string]bool{}
	for _, s := range p.stretches(ref) {
		if _, vague := p.vague.at(s.lo); vague || len(s.writers) == 0 {
			continue
		}
		if i := ref.slot(s.lo); atEnd && i >= 0 && ref.slot(s.hi-1) == i+s.hi-1-s.lo && i+s.hi-s.lo <= int64(len(ref.t.stored)) {
			s.reader = append(s.reader, slice{len(p.calls), ref.t.stored[i : i+s.hi-s.lo]})
		}
		for _, got := range s.reader {
			r := p.readout(&s, got)
			if key := fmt.Sprint(r.reader, r.from, r.writers); !known[key] {
				known[key] = true
				all = append(all, r)
			}
		}
	}
	return append(all, p.ends(ref)...)
}

func (p *period) readout(s *stretch, got slice) readout {
	r := readout{reader: got.call, lo: s.lo, hi: s.hi}
	for _, w := range s.writers {
		r.writers = append(r.writers, w.call)
		if bytes.Equal(w.bytes, got.bytes) {
			r.from = append(r.from, w.call)
		}
	}
	before, has := p.start.at(s.lo)
	if !has || before.m == nil || bytes.Equal(before.slice(s.lo, s.hi), got.bytes) {
		r.from = append(r.from, atStart)
	}
	if r.from == nil {
		r.parts = partsOf(got.bytes, append(slices.Clone(s.writers), slice{atStart, before.slice(s.lo, s.hi)}))
	}
	return r
}

// A part is the next n bytes of a readout that no single access has written, and the accesses that may have
// written these.
type part struct {
	n    int64
	from []int
}

// partsOf cuts bytes into the longest parts that one of the writers has.
func partsOf(got []byte, writers []slice) (all []part) {
	for i := 0; i < len(got); {
		var longest part
		for _, w := range writers {
			n := int64(0)
			for j := i; j < len(got) && w.bytes[j] == got[j]; j++ {
				n++
			}
			if n > longest.n {
				longest = part{n: n}
			}
			if n > 0 && n == longest.n {
				longest.from = append(longest.from, w.call)
			}
		}
		if last := len(all) - 1; longest.n == 0 && last >= 0 && all[last].from == nil {
			all[last].n++
		} else {
			longest.n = max(1, longest.n)
			all = append(all, longest)
		}
		i += int(max(1, longest.n))
	}
	return all
}

// ends returns what reads require of the size of the file: a write makes it as long as they
// find it, and writes beyond the end that they find come later.
func (p *period) ends(ref *reference) []readout {
	var all []readout
	for i := range p.calls {
		m := &p.calls[i]
		if m.file != nil {
			continue
		}
		got := int64(len(m.readAs(ref)))
		if got > 0 && m.byteAt(got-1) >= p.most {
			at := m.byteAt(got - 1)
			beyond := p.beyond(at)
			all = append(all, readout{reader: i, from: beyond, writers: beyond, lo: at, hi: at + 1})
		}
		if see := ref.t.of(m.op, m.rank); see.moved < 0 || see.moved >= len(see.data) {
			continue
		}
		// The item that is cut may be there in part.
		at := m.byteAt(min(m.bytes()-1, got+m.v.unit.largest()-1))
		if beyond := p.beyond(at); beyond != nil {
			all = append(all, readout{reader: i, from: []int{atStart}, writers: beyond, lo: at, hi: at + 1})
		}
	}
	return all
}

// beyond returns the writes that end behind a byte.
func (p *period) beyond(at int64) (all []int) {
	for w := range p.calls {
		if p.calls[w].file != nil && p.calls[w].end() > at {
			all = append(all, w)
		}
	}
	return all
}

func (p *period) judge(ref *reference, atEnd bool) error {
	all := p.readouts(ref, atEnd)
	if explained(p.order(ref, atEnd), all) {
		return nil
	}
	for i := range p.calls {
		rest := slices.DeleteFunc(slices.Clone(all), func(r readout) bool { return r.reader == i })
		if len(rest) < len(all) && explained(p.order(ref, atEnd), rest) {
			return p.torn(ref, i, all)
		}
	}
	return p.torn(ref, len(p.calls), all)
}

// torn returns the error for a read, or the file at the end, that no order explains.
func (p *period) torn(ref *reference, reader int, all []readout) error {
	const what = "no order of the accesses in atomic mode, each as a whole, explains the %s"
	d := &Disagreement{Program: ref.p, Op: len(ref.p.Ops), Rank: -1, Rule: "CONS-C5", What: fmt.Sprintf(what, "file in the end and the bytes read")}
	if reader < len(p.calls) {
		m := &p.calls[reader]
		d.Op, d.Rank, d.View = m.op, m.rank, m.v.String()
		d.What = fmt.Sprintf(what, "bytes read, and one explains all else")
		if m.v.whole() {
			d.What += "\n  got\n" + strings.TrimRight(dump(m.byteAt(0), m.readAs(ref)), "\n")
		}
	} else {
		d.What += "\n  the file\n" + strings.TrimRight(dump(0, ref.t.stored), "\n")
	}
	all = slices.DeleteFunc(slices.Clone(all), func(r readout) bool { return r.reader != reader })
	slices.SortFunc(all, func(a, b readout) int { return cmp.Compare(a.lo, b.lo) })
	var lines []string
	for i := range all {
		if i == mostListed {
			lines = append(lines, fmt.Sprintf("and %d ranges more", len(all)-i))
			break
		}
		lines = append(lines, p.describe(ref, &all[i]))
	}
	d.Origin = strings.Join(lines, "\n  ")
	return d
}

// mostListed is the number of ranges that a message lists.
const mostListed = 6

// describe says where the bytes of a readout come from.
func (p *period) describe(ref *reference, r *readout) string {
	text := fmt.Sprintf("bytes [%d, %d): ", r.lo, r.hi)
	if len(r.parts) < 2 {
		return text + p.sources(ref, r.from)
	}
	text += "of no write as a whole"
	at := r.lo
	for i, part := range r.parts {
		if i == mostListed {
			text += fmt.Sprintf("\n    and %d parts more", len(r.parts)-i)
			break
		}
		text += fmt.Sprintf("\n    [%d, %d): %s", at, at+part.n, p.sources(ref, part.from))
		at += part.n
	}
	return text
}

// sources names accesses that have written what was read.
func (p *period) sources(ref *reference, calls []int) string {
	var from []string
	for _, w := range calls {
		if w == atStart {
			from = append(from, "there before")
			continue
		}
		m := &p.calls[w]
		from = append(from, fmt.Sprintf("of rank %d in operation %d, %s", m.rank, m.op, ref.p.Ops[m.op].Call()))
	}
	if from == nil {
		return "of no write"
	}
	return strings.Join(from, "; or ")
}
