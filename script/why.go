package script

import (
	"fmt"
	"math"
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
	mostTried     = 64 // of the patterns of an outcome for which no reason holds always
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
	askStays                // does the file have the bytes of a in the end?
	askMatches              // does a receive from the rank of b?
)

// how names the calls that decide about askSees and askBefore: those at which rank a looks or
// both publish. They are the same in each run.
type how struct{ a, b call }

// A pattern has the answers of runs with one outcome.
type pattern struct {
	outcome string
	yes, no []uint64 // bits, by question; in neither if the run has nothing to ask about
}

// gives reports whether the runs give an answer.
func (p *pattern) gives(a answer) bool {
	bits := p.no
	if a.yes {
		bits = p.yes
	}
	return a.q/64 < len(bits) && bits[a.q/64]>>(a.q%64)&1 == 1
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
	full     bool // there are no reasons
}

func newReasons(s *Script, m consistency.Model) *reasons {
	_, chaos := m.Seed()
	return &reasons{
		seeks: s.has(func(s *Stmt) bool { return s.Routine == "seek_shared" }),
		deletes: s.has(func(s *Stmt) bool {
			return s.Routine == "delete" || s.Mode&(iofile.DeleteOnClose|iofile.UniqueOpen|iofile.Excl) != 0
		}),
		choice: chaos || !m.PublishesEarly() && !m.ReadsFresh(), early: m.PublishesEarly(), fresh: m.ReadsFresh(),
		numbers: map[question]int{}, known: map[string]bool{},
	}
}

// has reports whether a statement of the script is as given.
func (s *Script) has(is func(*Stmt) bool) bool {
	return slices.ContainsFunc(s.Blocks, func(b Block) bool { return slices.ContainsFunc(b.Stmts, is) })
}

// A deed is an access or a change or query of the size, as others see it.
type deed struct {
	call
	write  bool
	whole  bool // it concerns the size of the file
	alone  bool // in atomic mode
	under  bool // nonblocking, or one half of a split access
	handle int
	runs   []consistency.Run
	data   []byte // written, or read
	file   string
	at     int  // the position of its effect in the run
	seen   int  // of a write: when it is published; of a read: when the rank looked
	by     call // the call that does

	shared bool  // it uses the shared pointer, which no call sets
	offset int64 // of the pointer then; those that come later find a larger one
}

// add adds the answers of one run.
func (w *reasons) add(r *run, e *Ending, outcome string) {
	if w.full || w.deletes {
		return
	}
	if slices.ContainsFunc(r.ranks, func(k *rank) bool { return len(k.failures) > 0 }) {
		w.full = true // how much a failed call did is not known
		return
	}
	p := &pattern{outcome: outcome}
	var ranks [][]*deed
	for _, k := range r.ranks {
		ranks = append(ranks, w.deeds(k))
		for _, m := range k.history.matched {
			w.answer(p, question{askMatches, m.call, call{rank: m.source}}, how{}, true)
		}
	}
	for i, as := range ranks {
		for j, bs := range ranks {
			for _, a := range as {
				for _, b := range bs {
					if i != j || a.handle != b.handle || a.call != b.call && (a.under || b.under) {
						w.compare(p, a, b)
					}
				}
			}
		}
		if !w.choice {
			continue
		}
		for _, a := range as {
			if a.write && !a.whole {
				w.answer(p, question{about: askStays, a: a.call}, how{}, stays(a, e.Files[a.file].Bytes))
			}
		}
	}
	key := fmt.Sprint(outcome, p.yes, p.no)
	if w.known[key] {
		return
	}
	w.known[key] = true
	w.patterns = append(w.patterns, p)
	w.full = len(w.patterns) > mostPatterns || len(w.list) > mostQuestions
}

// compare asks about two deeds of two ranks, of two handles, or of one rank while one of them is
// under way.
func (w *reasons) compare(p *pattern, a, b *deed) {
	first := a.rank < b.rank || a.rank == b.rank && a.stmt.Line < b.stmt.Line // each pair once
	if a.shared && b.shared && first && a.file == b.file && a.offset != b.offset {
		w.answer(p, question{askPointer, a.call, b.call}, how{a.call, b.call}, a.offset < b.offset)
	}
	// Where the model leaves it open what a racing read finds, an order of calls decides nothing.
	ordered := !w.choice || a.alone && b.alone || a.whole || b.whole
	x, y, at := a.seen, b.seen, how{a.by, b.by}
	if a.rank == b.rank && a.handle == b.handle { // a handle sees what it did itself
		x, y, at = a.at, b.at, how{a.call, b.call}
	}
	switch {
	case a.file != b.file || !a.meets(b):
	case a.write && b.write:
		if ordered && first {
			w.answer(p, question{askBefore, a.call, b.call}, at, x < y)
		}
	case !a.write && b.write:
		if ordered {
			w.answer(p, question{askSees, a.call, b.call}, at, y < x)
		}
		if w.choice && !a.whole && !b.whole {
			w.answer(p, question{askFound, a.call, b.call}, how{}, found(a, b))
		}
	}
}

func (w *reasons) answer(p *pattern, q question, by how, yes bool) {
	n, ok := w.numbers[q]
	if !ok {
		n = len(w.list)
		w.numbers[q] = n
		w.list, w.by = append(w.list, q), append(w.by, by)
	}
	bits := &p.no
	if yes {
		bits = &p.yes
	}
	for n/64 >= len(*bits) {
		*bits = append(*bits, 0)
	}
	(*bits)[n/64] |= 1 << (n % 64)
}

// deeds returns what a rank did to files.
func (w *reasons) deeds(k *rank) (all []*deed) {
	times := map[*Stmt]int{}
	looked := map[int]*deed{}    // by handle: where the rank last looked at what others have published
	waiting := map[int][]*deed{} // by handle: writes that are not published
	atomic := map[int]bool{}
	for _, s := range k.history.steps {
		if s.access == nil || s.stmt == nil {
			continue
		}
		times[s.stmt]++
		d := &deed{call: call{k.id, times[s.stmt], s.stmt}, file: s.file, runs: s.Runs, data: s.Data, at: s.to, handle: s.Handle, under: s.Request != 0}
		d.by = d.call
		d.shared, d.offset = !w.seeks && strings.Contains(s.stmt.Routine, "_shared") && s.moved > 0, s.offset
		switch s.Do {
		case consistency.DoOpen, consistency.DoSync, consistency.DoAtomic, consistency.DoClose:
			if s.Do == consistency.DoAtomic && s.On == atomic[s.Handle] {
				continue // it changes nothing
			}
			for _, x := range waiting[s.Handle] {
				x.seen, x.by = s.from, d.call
			}
			delete(waiting, s.Handle)
			looked[s.Handle] = d
			if s.Do == consistency.DoAtomic {
				atomic[s.Handle] = s.On
			}
			continue
		case consistency.DoWrite:
			d.write = true
		case consistency.DoSetSize, consistency.DoGrow:
			d.write, d.whole = true, true
		case consistency.DoSize:
			d.whole = true
		case consistency.DoRead:
			d.data = s.read
		default:
			continue
		}
		d.alone, d.seen = atomic[s.Handle], d.at
		switch l := looked[s.Handle]; {
		case d.alone:
		case d.write && !w.early:
			d.seen, d.by = math.MaxInt, call{}
			waiting[s.Handle] = append(waiting[s.Handle], d)
		case !d.write && !w.fresh && l != nil:
			d.seen, d.by = l.at, l.call
		}
		all = append(all, d)
	}
	for _, x := range k.history.pointed {
		times[x.stmt]++
		c := call{k.id, times[x.stmt], x.stmt}
		all = append(all, &deed{call: c, file: x.file, by: c, shared: !w.seeks, offset: x.offset})
	}
	return all
}

// meets reports whether two deeds concern the same bytes.
func (a *deed) meets(b *deed) bool {
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

// byteAt returns the byte of a deed's data for an offset of the file.
func (a *deed) byteAt(off int64) (byte, bool) {
	pos := int64(0)
	for _, x := range a.runs {
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

// found reports whether a read has the bytes of a write wherever both are.
func found(a, b *deed) bool {
	for _, x := range b.runs {
		for off := x.Off; off < x.Off+x.Len; off++ {
			want, _ := b.byteAt(off)
			if got, ok := a.byteAt(off); ok && got != want {
				return false
			}
		}
	}
	return len(a.data) > 0
}

// stays reports whether a file has the bytes of a write.
func stays(a *deed, file []byte) bool {
	for _, x := range a.runs {
		for off := x.Off; off < x.Off+x.Len; off++ {
			if want, ok := a.byteAt(off); ok && (off >= int64(len(file)) || file[off] != want) {
				return false
			}
		}
	}
	return true
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

// of returns the reason of an outcome; nil if there is no short one.
func (w *reasons) of(outcome string) *reason {
	if w.full {
		return nil
	}
	var with, without []*pattern
	for _, p := range w.patterns {
		if p.outcome == outcome {
			with = append(with, p)
		} else {
			without = append(without, p)
		}
	}
	if len(with) == 0 || len(without) == 0 {
		return nil
	}
	if all := w.separate(with, without); all != nil {
		return &reason{all, true}
	}
	var best []answer
	for _, p := range with[:min(len(with), mostTried)] {
		if all := w.separate([]*pattern{p}, without); all != nil && (best == nil || len(all) < len(best)) {
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
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if why := w.of(o.text); why != nil {
			o.Why, o.Always = w.text(why), why.only
		}
	}
}

// separate returns answers that all patterns of with give and none of without; nil if there are
// none, or too many.
func (w *reasons) separate(with, without []*pattern) []answer {
	var can []answer
	for q := range w.list {
		for _, a := range []answer{{q, true}, {q, false}} {
			if len(giving(with, a)) == len(with) {
				can = append(can, a)
			}
		}
	}
	var all []answer
	for left := without; len(left) > 0; {
		if len(all) == mostReasons {
			return nil
		}
		best, most := answer{}, 0
		for _, a := range can {
			n := len(left) - len(giving(left, a))
			if n > most || n == most && n > 0 && w.list[a.q].about < w.list[best.q].about {
				best, most = a, n
			}
		}
		if most == 0 {
			return nil
		}
		all = append(all, best)
		left = giving(left, best)
	}
	for i := len(all) - 2; i >= 0; i-- { // what came later may make it superfluous
		left := without
		for k, a := range all {
			if k != i {
				left = giving(left, a)
			}
		}
		if len(left) == 0 {
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

// giving returns the patterns that give an answer.
func giving(all []*pattern, a answer) []*pattern {
	var some []*pattern
	for _, p := range all {
		if p.gives(a) {
			some = append(some, p)
		}
	}
	return some
}

// text returns a reason as a sentence.
func (w *reasons) text(r *reason) string {
	var parts []string
	for _, a := range r.answers {
		parts = append(parts, w.sentence(a))
	}
	if n := len(parts); n > 1 {
		parts[n-1] = "and " + parts[n-1]
	}
	if len(parts) == 2 {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, "; ")
}

func (w *reasons) sentence(a answer) string {
	q, by := w.list[a.q], w.by[a.q]
	first, second := by.a, by.b
	switch q.about {
	case askFound:
		if a.yes {
			return fmt.Sprintf("%v found the bytes of %v, with which it races", q.a, q.b)
		}
		return fmt.Sprintf("%v did not find the bytes of %v, with which it races", q.a, q.b)
	case askStays:
		if a.yes {
			return fmt.Sprintf("the bytes of %v stay in the file", q.a)
		}
		return fmt.Sprintf("the bytes of %v do not all stay in the file", q.a)
	case askMatches:
		if a.yes {
			return fmt.Sprintf("%v got the message of rank %d", q.a, q.b.rank)
		}
		return fmt.Sprintf("%v did not get the message of rank %d", q.a, q.b.rank)
	case askBefore, askPointer:
		if !a.yes {
			first, second = second, first
		}
		return fmt.Sprintf("%v ran before %v", first, second)
	}
	if a.yes {
		first, second = second, first
	}
	text := fmt.Sprintf("%v ran before %v", first, second)
	if by.a != q.a || by.b != q.b {
		sees := "sees"
		if !a.yes {
			sees = "does not see"
		}
		text += fmt.Sprintf(", so the %s of line %d %s the %s of line %d", q.a.stmt.Routine, q.a.stmt.Line, sees, q.b.stmt.Routine, q.b.stmt.Line)
	}
	return text
}

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
