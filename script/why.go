package script

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
)

// This file explains the outcomes of an exploration. Each run is described by the answers to
// questions such as "did rank 1's read see rank 0's write?". The reason of an outcome is a short
// list of answers that every run with the outcome gives and no other run does.

// mostReasons bounds the answers in one reason: longer ones explain nothing.
const mostReasons = 8

// Bounds of the questions that are asked of a run, and of the different runs that are kept. If
// an exploration has more, its outcomes have no reasons.
const (
	mostQuestions = 4096
	mostPatterns  = 1 << 15
	mostTried     = 64      // of the patterns of an outcome for which no reason holds always
	mostCompares  = 1 << 21 // of outcomes with patterns; of more outcomes it is said only how one run was
)

// A call is a statement of a rank, for the nth time.
type call struct {
	rank, nth int
	stmt      *Stmt
}

// A question can be answered for each run by yes or no.
type question struct {
	about asked
	a, b  call
}

type asked uint8

// The questions.
const (
	askSees    asked = iota // does a, a read or a query, see b, a write or a change of size?
	askBefore               // does a take effect before b?
	askPointer              // does a use the shared pointer before b?
	askFound                // does a, a read, find the bytes of b?
	askWins                 // does the file have the bytes of a, and not those of b, in the end?
	askMatches              // does a receive from the rank of b?
	askDone                 // does a, a test, find its request complete?
)

// how names the calls that decide about askSees and askBefore: those at which rank a looks or
// both publish. They are the same in each run.
type how struct{ a, b call }

// A pattern has the answers of runs with one outcome: sets of questions. Where a run has nothing to ask
// about, neither answer excludes it.
type pattern struct {
	outcome        string
	yes, no        bitSet
	mayYes, mayNot bitSet // the answer may be this one in a run that shows the same, so also where it is given
	partly         bitSet // the answer is neither, but the question has a meaning in the run
}

// gives reports whether the runs give an answer.
func (p *pattern) gives(a answer) bool {
	if a.yes {
		return p.yes.has(a.q)
	}
	return p.no.has(a.q)
}

// mayGive reports whether the runs, or others that show the same, give an answer.
func (p *pattern) mayGive(a answer) bool {
	yes, no := p.mayYes.has(a.q), p.mayNot.has(a.q)
	return a.yes && yes || !a.yes && no || !yes && !no && !p.partly.has(a.q)
}

// A witnessed is one run, as the questions see it.
type witnessed struct {
	*pattern
	all   []*operation // in their order
	fixed pairs
	old   map[string][]byte // before the first call
	files map[string][]byte // in the end
}

// reasons collects the answers of the runs of an exploration.
type reasons struct {
	seeks    bool // the script sets the shared pointer
	deletes  bool // it deletes a file, or an open may fail because a file is open or is there
	choice   bool // the model leaves it open what a racing read finds
	early    bool
	fresh    bool
	numbers  map[question]int
	list     []question
	by       []how
	known    map[string]bool
	patterns []*pattern
	old      map[string][]byte
	runs     int
	failed   []call            // in each run
	full     bool              // there are no reasons
	ways     map[string]string // by outcome: the order of the calls of one run that concern others; empty: they are too many
}

// failures returns the statements of a run that failed, in order. none says that they did nothing: a store,
// for instance, may have done a part.
func failures(r *run) (failed []call, none bool) {
	none = true
	for _, k := range r.ranks {
		for _, f := range k.failures {
			failed = append(failed, call{rank: f.Rank, stmt: f.Stmt})
			switch iofile.ClassOf(f.Err) {
			case iofile.ErrIO, iofile.ErrNoSpace, iofile.ErrQuota, iofile.ErrConversion:
				none = false
			}
		}
	}
	return failed, none
}

func newReasons(s *Script, m consistency.Model) *reasons {
	_, chaos := m.Seed()
	old := map[string][]byte{}
	for _, f := range s.Files {
		old[f.Name] = expand(f.Bytes)
	}
	return &reasons{
		seeks: s.has(func(s *Stmt) bool { return s.Routine == "seek_shared" }),
		deletes: s.has(func(s *Stmt) bool {
			return s.Routine == "delete" || s.Mode&(iofile.DeleteOnClose|iofile.UniqueOpen|iofile.Excl) != 0
		}),
		choice: chaos || !m.PublishesEarly() && !m.ReadsFresh(), early: m.PublishesEarly(), fresh: m.ReadsFresh(),
		numbers: map[question]int{}, known: map[string]bool{}, old: old, ways: map[string]string{},
	}
}

// has reports whether a statement of the script is as given.
func (s *Script) has(is func(*Stmt) bool) bool {
	return slices.ContainsFunc(s.Blocks, func(b Block) bool { return slices.ContainsFunc(b.Stmts, is) })
}

// An operation is an access or a change or query of the size, as others see it.
type operation struct {
	call
	write  bool
	whole  bool // it concerns the size of the file
	alone  bool // in atomic mode
	under  bool // nonblocking, or one half of a split access
	none   bool // a read at the end of the file, which found nothing
	handle int
	runs   []consistency.Run // of set_size: what it cuts off; of a read not what its handle wrote before
	data   []byte            // written, or read
	places []consistency.Run // of data
	end    int64             // of an access or a change of size, else 0
	own    int64             // of a read or query: the end of what its handle wrote before
	file   string
	at     int  // the position of its effect in the run
	seen   int  // of a write: when it is published; of a read: when the rank looked
	by     call // the call that does

	shared bool  // it uses the shared pointer, which no call sets
	offset int64 // of the pointer then; those that come later find a larger one
}

// add adds the answers of one run.
func (w *reasons) add(r *run, e *Ending, outcome string) {
	_, known := w.ways[outcome]
	if known && (w.full || w.deletes) {
		return
	}
	p := &pattern{outcome: outcome}
	var ranks [][]*operation
	together := map[call]*operation{} // of all ranks, by a call without a rank
	for _, k := range r.ranks {
		ranks = append(ranks, slices.DeleteFunc(w.operations(k), func(d *operation) bool { return d.joins(together) }))
	}
	x := witnessed{pattern: p, all: slices.Concat(ranks...), old: w.old, files: map[string][]byte{}}
	sort.SliceStable(x.all, func(i, j int) bool { return x.all[j].later(x.all[i]) })
	failed, none := failures(r)
	if !known {
		w.ways[outcome] = inTurn(x.all, failed)
	}
	if w.full || w.deletes {
		return
	}
	if w.runs == 0 {
		w.failed = failed
	}
	if w.runs++; !none || !slices.Equal(failed, w.failed) {
		w.full = true // what they did, or what made them fail, is not known
		return
	}
	for _, k := range r.ranks {
		for _, m := range k.history.matched {
			for source := range r.s.Ranks {
				w.answer(p, question{askMatches, m.call, call{rank: source}}, how{}, source == m.source)
			}
		}
	}
	for _, k := range r.ranks {
		w.tests(p, k)
	}
	x.fixed = firm(x.all)
	for name, f := range e.Files {
		x.files[name] = f.Bytes
		sizes(x.all, name, int64(len(w.old[name])), x.fixed)
	}
	for i, as := range ranks {
		for j, bs := range ranks {
			for _, a := range as {
				for _, b := range bs {
					if i != j || a.handle != b.handle || a.call != b.call && (a.under || b.under) {
						w.compare(&x, a, b)
					}
				}
			}
		}
	}
	key := fmt.Sprint(outcome, p.yes, p.no, p.mayYes, p.mayNot, p.partly)
	if w.known[key] {
		return
	}
	w.known[key] = true
	w.patterns = append(w.patterns, p)
	w.full = len(w.patterns) > mostPatterns || len(w.list) > mostQuestions
}

// tests adds what the last call of each test of a rank found.
func (w *reasons) tests(p *pattern, k *rank) {
	k.run.s.each(k.id, func(s *Stmt) {
		if s.Routine != "test" {
			return
		}
		if found, ok := k.results[s.Into]; ok {
			w.answer(p, question{askDone, call{rank: k.id, stmt: s}, call{}}, how{}, found.Number == 1)
		}
	})
}

// compare asks about two operations of two ranks, of two handles, or of one rank while one of them is
// under way.
func (w *reasons) compare(f *witnessed, a, b *operation) {
	p := f.pattern
	first := a.rank < b.rank || a.rank == b.rank && a.stmt.Line < b.stmt.Line // each pair once
	if a.shared && b.shared && first && a.file == b.file && a.offset != b.offset {
		w.answer(p, question{askPointer, a.call, b.call}, how{a.call, b.call}, a.offset < b.offset)
	}
	// Where the model leaves it open what a racing read finds, an order of calls decides nothing.
	ordered := !w.choice || a.alone && b.alone || a.whole || b.whole
	content := w.choice && !a.whole && !b.whole && !(a.alone && b.alone)
	x, y, at := a.seen, b.seen, how{a.by, b.by}
	if a.rank == b.rank && a.handle == b.handle { // a handle sees what it did itself
		x, y, at = a.at, b.at, how{a.call, b.call}
	}
	switch {
	case a.file != b.file || !a.meets(b):
	case a.write && b.write:
		if ordered && first {
			w.decide(p, question{askBefore, a.call, b.call}, at, x < y, f.fixed[[2]*operation{a, b}])
		}
		if content && first {
			w.share(p, question{askWins, a.call, b.call}, f.wins(a, b))
		}
	case !a.write && b.write:
		if ordered {
			w.decide(p, question{askSees, a.call, b.call}, at, y < x, f.fixed[[2]*operation{a, b}])
		}
		if content {
			w.share(p, question{askFound, a.call, b.call}, f.finds(a, b))
		}
	}
}

// decide is answer for the order of two operations, which may be another one if it is not fixed.
func (w *reasons) decide(p *pattern, q question, by how, yes, fixed bool) {
	if !fixed {
		w.may(p, q, by, true, true)
		return
	}
	w.answer(p, q, by, yes)
}

func (w *reasons) answer(p *pattern, q question, by how, yes bool) {
	if given := w.number(q, by); yes {
		p.yes.add(given)
	} else {
		p.no.add(given)
	}
	w.may(p, q, by, yes, !yes)
}

// may sets the answers that runs which show the same may give.
func (w *reasons) may(p *pattern, q question, by how, yes, no bool) {
	if yes {
		p.mayYes.add(w.number(q, by))
	}
	if no {
		p.mayNot.add(w.number(q, by))
	}
}

// A share counts bytes that two operations have in common and at which a run shows the data of the
// one, of the other, or leaves that open.
type share struct{ one, other, open int }

// share is answer for the bytes that a run shows.
func (w *reasons) share(p *pattern, q question, n share) {
	switch {
	case n == share{}:
	case n.one > 0 && n.other > 0:
		p.partly.add(w.number(q, how{}))
	case n.one > 0:
		w.answer(p, q, how{}, true)
	case n.other > 0 && (n.open == 0 || q.about == askWins):
		w.answer(p, q, how{}, false)
	default:
		w.may(p, q, how{}, n.other == 0, true)
	}
}

// number returns the number of a question.
func (w *reasons) number(q question, by how) int {
	n, ok := w.numbers[q]
	if !ok {
		n = len(w.list)
		w.numbers[q] = n
		w.list, w.by = append(w.list, q), append(w.by, by)
	}
	return n
}

// joins reports whether a change of size is one of all ranks, of which another rank's is known.
// It takes effect when the first rank's does.
func (a *operation) joins(known map[call]*operation) bool {
	if !a.write || !a.whole || a.stmt.Self {
		return false
	}
	c := call{nth: a.nth, stmt: a.stmt}
	b := known[c]
	if b == nil {
		known[c] = a
		return false
	}
	b.seen, b.at = min(b.seen, a.seen), min(b.at, a.at)
	return true
}

// operations returns what a rank did to files.
func (w *reasons) operations(k *rank) (all []*operation) {
	times := map[*Stmt]int{}
	looked := map[int]*operation{}    // by handle: where the rank last looked at what others have published
	waiting := map[int][]*operation{} // by handle: writes that are not published
	own := map[int][]*operation{}     // by handle: writes since then, which the handle itself sees before those of others
	atomic := map[int]bool{}
	for _, s := range k.history.steps {
		if s.access == nil || s.stmt == nil {
			continue
		}
		times[s.stmt]++
		d := &operation{call: call{k.id, times[s.stmt], s.stmt}, file: s.file, runs: s.Runs, data: s.Data, places: s.Runs, at: s.to, handle: s.Handle, under: s.Request != 0}
		d.by = d.call
		d.shared, d.offset = !w.seeks && strings.Contains(s.stmt.Routine, "_shared") && s.moved > 0, s.offset
		switch s.Do {
		case consistency.DoOpen, consistency.DoSync, consistency.DoAtomic, consistency.DoClose:
			for _, x := range waiting[s.Handle] {
				x.seen, x.by = s.from, d.call
			}
			delete(waiting, s.Handle)
			looks := s.Do != consistency.DoAtomic || atomic[s.Handle] && !s.On
			if looks {
				looked[s.Handle] = d
			}
			if looks || w.fresh {
				delete(own, s.Handle)
			}
			if s.Do == consistency.DoAtomic {
				atomic[s.Handle] = s.On
			}
			continue
		case consistency.DoWrite:
			d.write = true
		case consistency.DoSetSize, consistency.DoGrow:
			if d.write, d.whole, d.end = true, true, s.Bytes; s.Do == consistency.DoSetSize {
				d.runs = []consistency.Run{{Off: s.Bytes, Len: math.MaxInt64 - s.Bytes}}
			}
		case consistency.DoSize:
			d.whole = true
		case consistency.DoRead:
			d.data, d.none = s.read, s.moved == 0
		default:
			continue
		}
		for _, x := range d.runs {
			if !d.whole {
				d.end = max(d.end, x.Off+x.Len)
			}
		}
		d.alone, d.seen = atomic[s.Handle], d.at
		switch l := looked[s.Handle]; {
		case d.alone || d.write && d.whole:
		case d.write && !w.early:
			d.seen, d.by = math.MaxInt, call{}
			waiting[s.Handle] = append(waiting[s.Handle], d)
		case !d.write && !w.fresh && l != nil:
			d.seen, d.by = l.at, l.call
		}
		switch {
		case d.alone || d.write && d.whole || w.early && w.fresh:
		case d.write:
			own[s.Handle] = append(own[s.Handle], d)
		default:
			for _, x := range own[s.Handle] {
				if d.own = max(d.own, x.end); !w.choice {
					d.runs = minus(d.runs, x.runs)
				}
			}
		}
		all = append(all, d)
	}
	for _, x := range k.history.pointed {
		times[x.stmt]++
		c := call{k.id, times[x.stmt], x.stmt}
		all = append(all, &operation{call: c, file: x.file, by: c, shared: !w.seeks, offset: x.offset})
	}
	return all
}

// later reports whether a takes effect after b.
func (a *operation) later(b *operation) bool {
	return a.seen > b.seen || a.seen == b.seen && a.at > b.at
}

// pairs has pairs of operations, in both orders.
type pairs map[[2]*operation]bool

func (p pairs) add(a, b *operation) { p[[2]*operation{a, b}], p[[2]*operation{b, a}] = true, true }

// firm returns the pairs of operations whose order is the same in each run that shows the same bytes. A
// write is hidden at a byte if another one overwrites it there before any call reads it. It may as
// well come just before any other write that is not hidden there, unless a call of its rank on that byte
// is between, and not all these orders are explored.
func firm(all []*operation) pairs {
	fixed := pairs{}
	for _, c := range columns(all) {
		hidden := func(i int) bool { return c[i].write && i+1 < len(c) && c[i+1].write }
		earlier := func(j, i int) bool { // may j as well come before i, which is earlier?
			for k := j - 1; hidden(j) && k >= 0 && !c[k].holds(c[j]); k-- {
				if k <= i && c[k].write && !hidden(k) {
					return true
				}
			}
			return false
		}
		later := func(i, j int) bool { // may i as well come after j, which is later?
			for k := i + 1; hidden(i) && k < len(c) && !c[i].holds(c[k]); k++ {
				if k > j && c[k].write && !hidden(k) {
					return true
				}
			}
			return false
		}
		for i, a := range c {
			for j := i + 1; j < len(c); j++ {
				if b := c[j]; (a.write || b.write) && !earlier(j, i) && !later(i, j) {
					fixed.add(a, b)
				}
			}
		}
	}
	return fixed
}

// holds reports whether b comes after a in the program of their rank.
func (a *operation) holds(b *operation) bool { return a.rank == b.rank && !a.under && !b.under }

// sizes adds the pairs of a change of a file's size and of a read or query that would find something
// else in the other order.
func sizes(all []*operation, file string, size int64, fixed pairs) {
	var change *operation // the last one, if no other one could have taken its place
	var before int64      // it
	found := map[*operation]int64{}
	for _, d := range all {
		if d.file != file || d.seen == math.MaxInt {
			continue
		}
		if !d.write {
			if change != nil && d.differs(before, size) {
				fixed.add(change, d)
			}
			found[d] = size
			continue
		}
		for q, n := range found {
			if d.end > n && q.differs(n, d.end) || d.cuts() && q.differs(size, d.end) {
				fixed.add(q, d)
			}
		}
		if d.cuts() && d.end < size { // what the next one does may depend on this one
			clear(found)
		}
		switch {
		case d.end == size:
			change = nil
		case d.end > size || d.cuts():
			change, before, size = d, size, d.end
		}
	}
}

// cuts reports whether an operation is a change of size that may make a file shorter.
func (a *operation) cuts() bool { return a.whole && a.write && a.runs != nil }

// differs reports whether a read or query finds something else in a file of m bytes than in one of n.
func (a *operation) differs(n, m int64) bool {
	if a.whole {
		return n != m && max(n, m) > a.own
	}
	return a.end > max(min(n, m), a.own)
}

// columns returns the operations that concern a byte, for each byte of the files at which something
// begins, in their order.
func columns(all []*operation) (list [][]*operation) {
	type place struct {
		file string
		off  int64
	}
	known := map[place]bool{}
	for _, d := range all {
		for _, x := range d.runs {
			for _, at := range []place{{d.file, x.Off}, {d.file, x.Off + x.Len}} {
				if known[at] {
					continue
				}
				known[at] = true
				var c []*operation
				for _, e := range all {
					if e.file == at.file && e.has(at.off) {
						c = append(c, e)
					}
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// minus returns what is left of runs without the bytes of others.
func minus(runs, others []consistency.Run) []consistency.Run {
	for _, y := range others {
		var left []consistency.Run
		for _, x := range runs {
			end, last := x.Off+x.Len, y.Off+y.Len
			if before := min(end, y.Off) - x.Off; before > 0 {
				left = append(left, consistency.Run{Off: x.Off, Len: before})
			}
			if first := max(x.Off, last); first < end {
				left = append(left, consistency.Run{Off: first, Len: end - first})
			}
		}
		runs = left
	}
	return runs
}

// has reports whether an operation concerns a byte.
func (w *operation) has(off int64) bool {
	return slices.ContainsFunc(w.runs, func(x consistency.Run) bool { return x.Off <= off && off < x.Off+x.Len })
}

// meets reports whether two operations concern the same bytes.
func (a *operation) meets(b *operation) bool {
	if a.whole || b.whole {
		return true
	}
	for _, x := range a.runs {
		for _, y := range b.runs {
			if x.Off < y.Off+y.Len && y.Off < x.Off+x.Len {
				return true
			}
		}
	}
	return false
}

// byteAt returns the byte of an operation's data for an offset of the file.
func (a *operation) byteAt(off int64) (byte, bool) {
	pos := int64(0)
	for _, x := range a.places {
		if x.Off <= off && off < x.Off+x.Len {
			pos += off - x.Off
			if pos < int64(len(a.data)) {
				return a.data[pos], true
			}
			return 0, false
		}
		pos += x.Len
	}
	return 0, false
}

// mostCompared bounds the bytes at which the data of two operations are compared.
const mostCompared = 4096

// has reports whether a file had a byte before the first call.
func (f *witnessed) has(file string, off int64, value byte) bool {
	old := f.old[file]
	return off < int64(len(old)) && old[off] == value
}

// finds counts the bytes of a write that a read found, and those for which it found others. Bytes that
// the file had anyway, or that those others have too, show nothing; but no read finds what its rank writes
// later.
func (f *witnessed) finds(read, write *operation) (n share) {
	var found []*operation // other writes
	f = &witnessed{old: f.old, all: slices.DeleteFunc(slices.Clone(f.all), func(x *operation) bool { return read.holds(x) && x.at > read.at })}
	for off, want := range write.bytes {
		got, ok := read.byteAt(off)
		if !ok && read.none && read.has(off) {
			n.other++
		}
		if !ok || got == want {
			continue
		}
		n.other++
		if i := slices.IndexFunc(f.all, func(d *operation) bool { return d.writes(write.file, off, got) }); i >= 0 && !slices.Contains(found, f.all[i]) {
			found = append(found, f.all[i])
		}
	}
	for off, want := range write.bytes {
		switch got, ok := read.byteAt(off); {
		case !ok || got != want || f.has(write.file, off, want):
		case f.only(write, off, want):
			n.one++
		case !slices.ContainsFunc(found, func(d *operation) bool { return d.writes(write.file, off, got) }):
			n.open++
		}
	}
	return n
}

// writes reports whether an operation writes a value at an offset.
func (d *operation) writes(file string, off int64, value byte) bool {
	v, ok := d.byteAt(off)
	return ok && d.write && d.file == file && v == value
}

// wins counts the bytes of one write, and of the other, that are in the file.
func (f *witnessed) wins(one, other *operation) (n share) {
	file := f.files[one.file]
	for off, x := range one.bytes {
		y, ok := other.byteAt(off)
		switch is := func(d *operation, v byte) bool { return off < int64(len(file)) && file[off] == v && f.only(d, off, v) }; {
		case !ok || x == y:
		case is(one, x):
			n.one++
		case is(other, y):
			n.other++
		default:
			n.open++
		}
	}
	return n
}

// only reports whether no other write than d has the value at an offset.
func (f *witnessed) only(d *operation, off int64, value byte) bool {
	return !slices.ContainsFunc(f.all, func(x *operation) bool { return x != d && x.writes(d.file, off, value) })
}

// bytes yields the data of a write, by offset.
func (a *operation) bytes(yield func(off int64, value byte) bool) {
	n := 0
	for _, x := range a.places {
		for off := x.Off; off < x.Off+x.Len && n < min(len(a.data), mostCompared); off++ {
			if !yield(off, a.data[n]) {
				return
			}
			n++
		}
	}
}

// An answer of a reason.
type answer struct {
	q   int
	yes bool
}

// A reason explains an outcome.
type reason struct {
	answers []answer
	only    bool // every run with the outcome gives these answers
}

// A bitSet is a set of numbers from 0.
type bitSet []uint64

func (s bitSet) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 == 1 }

func (s *bitSet) add(i int) {
	for i/64 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

// both returns what is in both sets.
func (s bitSet) both(t bitSet) bitSet {
	u := make(bitSet, min(len(s), len(t)))
	for i := range u {
		u[i] = s[i] & t[i]
	}
	return u
}

func (s bitSet) count() (n int) {
	for _, x := range s {
		n += bits.OnesCount64(x)
	}
	return n
}

// A givers has the patterns that give an answer, and those that may give it.
type givers struct{ gives, may bitSet }

// givers returns those of each answer, by question and yes or no.
func (w *reasons) givers() map[answer]givers {
	all := map[answer]givers{}
	for q := range w.list {
		for _, a := range []answer{{q, true}, {q, false}} {
			var v givers
			for i, p := range w.patterns {
				if p.gives(a) {
					v.gives.add(i)
				}
				if p.mayGive(a) {
					v.may.add(i)
				}
			}
			all[a] = v
		}
	}
	return all
}

// of returns the reason of an outcome; nil if there is no short one.
func (w *reasons) of(outcome string, all map[answer]givers) *reason {
	if w.full {
		return nil
	}
	var with, without bitSet
	for i, p := range w.patterns {
		if p.outcome == outcome {
			with.add(i)
		} else {
			without.add(i)
		}
	}
	if with.count() == 0 || without.count() == 0 {
		return nil
	}
	if all := w.separate(with, without, all); all != nil {
		return &reason{all, true}
	}
	var best []answer
	tried := 0
	for i := range w.patterns {
		if !with.has(i) || tried == mostTried {
			continue
		}
		tried++
		var one bitSet
		one.add(i)
		if all := w.separate(one, without, all); all != nil && (best == nil || len(all) < len(best)) {
			best = all
		}
	}
	if best == nil {
		return nil
	}
	return &reason{best, false}
}

// explain adds the reasons of outcomes to a report.
func (w *reasons) explain(r *Report) {
	w.full = w.full || len(r.Outcomes)*len(w.patterns) > mostCompares
	var all map[answer]givers
	if !w.full {
		all = w.givers()
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if why := w.of(o.text, all); why != nil {
			o.Why, o.Always = w.text(why), why.only
		} else if len(r.Outcomes) > 1 {
			o.Why = w.way(o.text)
		}
	}
}

// way describes one run with an outcome that has no short reason. Where the model leaves open what a racing
// read finds, it says what the reads of the run found and whose bytes stay; otherwise, in which order its
// calls took effect. It is empty if that is too long.
func (w *reasons) way(outcome string) string {
	if !w.choice {
		return w.ways[outcome]
	}
	i := slices.IndexFunc(w.patterns, func(p *pattern) bool { return p.outcome == outcome })
	if i < 0 {
		return ""
	}
	var all []answer
	for q, x := range w.list {
		p := w.patterns[i]
		if yes := p.yes.has(q); yes && x.about == askFound || x.about == askWins && (yes || p.no.has(q)) {
			all = append(all, answer{q, yes})
		}
	}
	if len(all) == 0 || len(all) > mostReasons {
		return ""
	}
	return w.text(&reason{answers: all})
}

// inTurn says in which order calls took effect that concern others, and which failed; empty if they are too
// many.
func inTurn(all []*operation, failed []call) string {
	var names, parts []string
	for _, a := range all {
		if a.seen == math.MaxInt || !slices.ContainsFunc(all, func(b *operation) bool {
			return (a.write || b.write) && a.file == b.file && (a.rank != b.rank || a.handle != b.handle) && a.meets(b)
		}) {
			continue
		}
		names = append(names, a.call.String())
	}
	if len(names) > 1 {
		parts = append(parts, strings.Join(names, ", then "))
	}
	for _, c := range failed {
		parts = append(parts, c.String()+" failed")
	}
	if len(names)+len(failed) > mostReasons {
		return ""
	}
	return strings.Join(parts, "; ")
}

// separate returns answers that all patterns of with give and none of without; nil if there are
// none, or too many.
func (w *reasons) separate(with, without bitSet, by map[answer]givers) []answer {
	var can []answer
	size := with.count()
	for q := range w.list {
		for _, a := range []answer{{q, true}, {q, false}} {
			if by[a].gives.both(with).count() == size {
				can = append(can, a)
			}
		}
	}
	var all []answer
	for left := without; left.count() > 0; {
		if len(all) == mostReasons {
			return nil
		}
		best, most := answer{}, 0
		for _, a := range can {
			n := left.count() - left.both(by[a].may).count()
			if n > most || n == most && n > 0 && w.worse(best, a) {
				best, most = a, n
			}
		}
		if most == 0 {
			return nil
		}
		all = append(all, best)
		left = left.both(by[best].may)
	}
	for i := len(all) - 2; i >= 0; i-- { // what came later may make it superfluous
		left := without
		for k, a := range all {
			if k != i {
				left = left.both(by[a].may)
			}
		}
		if left.count() == 0 {
			all = append(all[:i], all[i+1:]...)
		}
	}
	sort.Slice(all, func(i, j int) bool {
		x, y := &w.list[all[i].q].a, &w.list[all[j].q].a
		if x.stmt.Line != y.stmt.Line {
			return x.stmt.Line < y.stmt.Line
		}
		return x.rank < y.rank || x.rank == y.rank && all[i].q < all[j].q
	})
	return all
}

// worse reports whether b is the better explanation of the two; both exclude as many outcomes. Of the
// writes that the same call publishes the last is the one that others see.
func (w *reasons) worse(a, b answer) bool {
	x, y := w.list[a.q], w.list[b.q]
	if x.about == y.about && (x.about == askFound || x.about == askMatches) && x.a == y.a && a.yes != b.yes {
		return b.yes
	}
	if x.about == y.about && x.a == y.a && w.by[a.q] == w.by[b.q] && x.b.stmt != nil && y.b.stmt != nil {
		return x.b.stmt.Line < y.b.stmt.Line
	}
	return y.about < x.about
}

// text returns a reason as a sentence.
func (w *reasons) text(r *reason) string {
	var parts []string
	losers := map[call][]string{} // by the call whose bytes stay
	for _, a := range r.answers {
		if w.list[a.q].about == askWins {
			winner, loser := w.rivals(a)
			losers[winner] = append(losers[winner], loser.String())
		}
	}
	for _, a := range r.answers {
		if w.list[a.q].about != askWins {
			parts = append(parts, w.sentence(a))
			continue
		}
		winner, _ := w.rivals(a)
		if lost := losers[winner]; lost != nil {
			parts = append(parts, fmt.Sprintf("the bytes of %v stay where it overlaps %s, with which it races", winner, strings.Join(lost, " and ")))
			delete(losers, winner)
		}
	}
	if n := len(parts); n > 1 {
		parts[n-1] = "and " + parts[n-1]
	}
	if len(parts) == 2 && !strings.Contains(parts[0], ",") {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, "; ")
}

// rivals returns the writes of an answer to askWins.
func (w *reasons) rivals(a answer) (winner, loser call) {
	q := w.list[a.q]
	if a.yes {
		return q.a, q.b
	}
	return q.b, q.a
}

func (w *reasons) sentence(a answer) string {
	q, by := w.list[a.q], w.by[a.q]
	first, second := by.a, by.b
	switch q.about {
	case askFound:
		all, found := "the", "did not find"
		if a.yes {
			found = "found"
		}
		if a.yes && slices.ContainsFunc(w.patterns, func(p *pattern) bool { return p.partly.has(a.q) }) {
			all = "all"
		}
		return fmt.Sprintf("%v %s %s bytes of %v, with which it races", q.a, found, all, q.b)
	case askMatches:
		if a.yes {
			return fmt.Sprintf("%v got the message of rank %d", q.a, q.b.rank)
		}
		return fmt.Sprintf("%v did not get the message of rank %d", q.a, q.b.rank)
	case askDone:
		if a.yes {
			return fmt.Sprintf("%v found %s complete", q.a, q.a.stmt.Reqs[0])
		}
		return fmt.Sprintf("%v found %s under way", q.a, q.a.stmt.Reqs[0])
	case askPointer:
		if !a.yes {
			first, second = second, first
		}
		return fmt.Sprintf("%v used the shared pointer before %v", first, second)
	case askBefore:
		if !a.yes {
			first, second = second, first
		}
		text := inOrder(first, second)
		if (by.a != q.a || by.b != q.b) && q.a.writes() && q.b.writes() && first.stmt != nil && second.stmt != nil { // they publish
			later, earlier := q.a, q.b
			if a.yes {
				later, earlier = q.b, q.a
			}
			text += fmt.Sprintf(", so %v replaces %v where they overlap", later, earlier)
		}
		return text
	}
	if a.yes {
		first, second = second, first
	}
	text := inOrder(first, second)
	if by.a != q.a || by.b != q.b {
		sees := "can see"
		if !a.yes {
			sees = "does not see"
		}
		text += fmt.Sprintf(", so %v %s %v", q.a, sees, q.b)
	}
	return text
}

// inOrder says that a call came before another one. One that is only begun takes effect later, and
// a collective open returns on each rank at its own time.
func inOrder(first, second call) string {
	does := func(c call, otherwise string) string {
		switch {
		case c.stmt == nil:
			return otherwise
		case c.stmt.Routine == "open":
			return " returned"
		case c.stmt.As != "" || strings.HasSuffix(c.stmt.Routine, "_begin"):
			return " took effect"
		}
		return otherwise
	}
	return fmt.Sprintf("%v%s before %v%s", first, does(first, " ran"), second, does(second, ""))
}

// writes reports whether the call writes data.
func (c call) writes() bool { return strings.Contains(c.stmt.Routine, "write") }

// String returns the call as part of a sentence.
func (c call) String() string {
	if c.stmt == nil {
		return fmt.Sprintf("the end of rank %d", c.rank)
	}
	round := ""
	if c.nth > 1 {
		round = fmt.Sprintf(", round %d", c.nth)
	}
	return fmt.Sprintf("rank %d's %s (line %d%s)", c.rank, c.stmt.Routine, c.stmt.Line, round)
}

// A match is a message that a receive from any rank got.
type match struct {
	call
	source int
}

// matches records the source of a message that s received.
func (t *history) matches(s *Stmt, st comm.Status) {
	if s.Peer != comm.AnySource {
		return
	}
	n := 1
	for _, m := range t.matched {
		if m.stmt == s {
			n++
		}
	}
	t.matched = append(t.matched, match{call{t.rank.id, n, s}, st.Source})
}
