package consistency

import (
	"fmt"
	"path"
	"strings"
)

// A Mistake is the likely reason why two ranks write the same bytes, and what to change.
type Mistake struct {
	Cause string // as a sentence
	Cure  string // as a sentence that begins with a verb
	Moves *Move  // the change of offsets or views in Cure; nil if Cure names none exactly
	Uses  []Use  // the calls in Cure that replace others
	Wrong Wrong  // of a mistake in views: the parts that Cause says are wrong

	specific bool // it says more than the views do
}

// A Use is a call that replaces another one.
type Use struct {
	Of *Party
	Op string // as the program writes it; of a split call the begin
}

// Wrong is a set of parts of calls and views.
type Wrong uint8

// The parts that may be wrong.
const (
	WrongOffset Wrong = 1 << iota
	WrongDisp
	WrongExtent // of the filetype
)

// A Move is a change of the offsets of a call, or of the displacements of views.
type Move struct {
	Of    *Party // the call
	Views bool   // the displacement of the call's view changes, and of that of the other call if Both
	Both  bool
	To    func(rank int, at int64) int64 // the new first byte of the call, or the new displacement
}

// Known facts of a call about its handle and its bytes, for [RaceError.Mistake].
type Known struct {
	Alone    bool  // one rank opened the file for itself
	Append   bool  // the file was opened with Append, and the program has not set the pointer since
	Repeated bool  // the run makes the call several times, on one rank or on several
	ByAll    bool  // all ranks of the open make the call, equally often
	Updates  bool  // the rank always reads the bytes right before it writes them
	Stays    bool  // with other offsets it would race with other calls, or that is unknown
	Lo, Hi   int64 // the call's bytes, from the first to behind the last; Hi 0: unknown

	FirstLo, FirstHi int64 // the same, of the rank's first call from that line
	Varies           bool  // later ones had other bytes, so that Lo and Hi may be those of several
	Elsewhere        bool  // the first calls of other ranks of the open begin at other bytes

	Time uint64 // of the rank at the call, or at the last of several; 0: unknown
}

// OnlyIfMeant introduces the fix of a race of two writes that orders them, after the likely
// mistake: an order only decides which of the two values the file keeps.
const OnlyIfMeant = "only if both ranks mean to write the same bytes, and one value is to win: "

// Mistake returns the likely mistake behind a race of two ranks that write the same bytes,
// which are seldom meant to be the same; nil for other races.
func (e *RaceError) Mistake() *Mistake {
	a, b := &e.A, &e.B
	if !a.Write || !b.Write || a.Rank == b.Rank || e.Rule == RulePointer || a.sizes() || b.sizes() || a.Updates && b.Updates {
		return nil
	}
	for _, cause := range []func(*RaceError) *Mistake{mixedPointers, separateOpens, eachAppends, dispInElements, overHeader, roundsMeet, sameOffset} {
		if m := cause(e); m != nil {
			m.specific = true
			return m
		}
	}
	which := a.called()
	if !sameLine(a, b) {
		which += " or of " + b.called()
	}
	return &Mistake{
		Cause: fmt.Sprintf("ranks %d and %d write the same bytes", a.Rank, b.Rank),
		Cure:  "if they are to write different bytes, correct the offset or the view of " + which,
	}
}

// Unmeant returns the likely mistake of a race if it says that the two ranks were not meant to
// write the same bytes: ordering them then only decides whose data are lost. It is nil for other
// races.
func (e *RaceError) Unmeant() *Mistake {
	m := e.Mistake()
	switch {
	case m == nil || m.specific:
		return m
	case e.AboutViews():
		return e.cause()
	}
	return nil
}

// sameLine reports whether both calls are on one line, from wherever that was reached.
func sameLine(a, b *Party) bool { return a.Place.File == b.Place.File && a.Place.Line == b.Place.Line }

// called returns the call with its line, as the program writes it.
func (p *Party) called() string {
	switch at := p.Place.Base(); {
	case at == "":
		return p.Op
	case p.language() == inScript:
		return fmt.Sprintf("%s (line %d)", p.style(p.Op), p.Place.Line)
	default:
		return p.style(p.Op) + " (" + at + ")"
	}
}

// A language is that of a program.
type language int

const (
	inGo language = iota
	inC
	inScript
)

// language returns the language of the program that made the call.
func (p *Party) language() language {
	switch ext := path.Ext(p.Place.File); ext {
	case ".go":
		return inGo
	case ".c", ".cc", ".cpp", ".cxx", ".C", ".h", ".hh", ".hpp", ".f", ".for", ".f90", ".f95", ".f03", ".f08", ".F", ".F90", ".py":
		return inC
	}
	if p.Place.Line == 0 {
		return inGo
	}
	return inScript
}

// word returns the name of the call in lower case, without a prefix of C or an underscore.
func (p *Party) word() string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(p.Op, "MPI_File_")), "_", "")
}

// sizes reports whether the call changes the size of the file, and writes no data.
func (p *Party) sizes() bool { return !strings.Contains(p.word(), "write") }

func (p *Party) isShared() bool {
	return strings.Contains(p.word(), "shared") || strings.Contains(p.word(), "ordered")
}

func (p *Party) isExplicit() bool {
	return strings.Contains(p.word(), "writeat") || strings.HasPrefix(p.word(), "writeslice")
}

// style returns the name of a call in the language of the program.
func (p *Party) style(name string) string {
	switch l := p.language(); {
	case l == inScript:
		return underscored(name)
	case l == inC && !strings.HasPrefix(name, "MPI_"):
		return "MPI_File_" + underscored(name)
	}
	return name
}

// Kinds of calls, by where they write.
const (
	explicit = "At"
	shared   = "Shared"
	ordered  = "Ordered"
)

// replacedBy returns the write of another kind that replaces the call, and the call: "WriteAt in
// place of Write (main.go:7)". A nonblocking call stays one, and so does a split one, of which
// both halves are replaced. Only ordered writes are split at the shared pointer, and none of them
// is nonblocking.
func (p *Party) replacedBy(kind string) string {
	use := p.use(kind).Op
	if !p.begins() {
		return use + " in place of " + p.called()
	}
	return fmt.Sprintf("%s and %s in place of %s and its %s", use, endOf(use), p.called(), endOf(p.style(p.Op)))
}

// begins reports whether the call is the first half of a split one.
func (p *Party) begins() bool { return strings.HasSuffix(p.word(), "begin") }

// endOf returns the second half of a split call.
func endOf(begin string) string {
	if name, ok := strings.CutSuffix(begin, "Begin"); ok {
		return name + "End"
	}
	return strings.TrimSuffix(begin, "begin") + "end"
}

// use returns the write of another kind that replaces the call.
func (p *Party) use(kind string) Use {
	word, begins := p.word(), p.begins()
	nonblocking := strings.HasPrefix(word, "i")
	switch {
	case kind == explicit && strings.Contains(word, "all"):
		kind += "All"
	case kind == shared && begins:
		kind = ordered
	case kind == ordered && nonblocking:
		kind = shared
	}
	name := "Write" + kind
	if nonblocking {
		name = "I" + name
	}
	if begins {
		name += "Begin"
	}
	return Use{p, p.style(name)}
}

// underscored returns a name such as WriteShared as write_shared.
func underscored(name string) string {
	var b strings.Builder
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			if i > 1 || i == 1 && name[0] != 'I' { // IWrite is iwrite
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// mixedPointers: one call uses the shared pointer, the other does not.
func mixedPointers(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	if a.isShared() == b.isShared() {
		return nil
	}
	if b.isShared() {
		a, b = b, a
	}
	pointer := shared
	if strings.Contains(a.word(), "ordered") && b.ByAll {
		pointer = ordered
	}
	use, uses := "use "+b.replacedBy(pointer), []Use{b.use(pointer)}
	if b.isExplicit() {
		return &Mistake{
			Uses:  uses,
			Cause: fmt.Sprintf("%s writes at the shared file pointer, and %s at an offset of its own that the pointer also reaches", a.called(), b.called()),
			Cure:  use + ", or let its offset begin after the shared data",
		}
	}
	return &Mistake{
		Uses:  uses,
		Cause: fmt.Sprintf("the shared and the individual file pointers are separate: %s does not move the pointer of %s, which still is where it was", a.called(), b.called()),
		Cure:  use,
	}
}

// eachAppends: every rank writes at the end that the file had at its open.
func eachAppends(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	if !a.Append || !b.Append || a.isShared() || a.isExplicit() || b.isExplicit() {
		return nil
	}
	pointer, order, who := ordered, "in the order of ranks", "all ranks"
	if !a.ByAll || !b.ByAll {
		pointer, order, who = shared, "in any order", fmt.Sprintf("ranks %d and %d", a.Rank, b.Rank)
	}
	use, uses := "use "+a.replacedBy(pointer), []Use{a.use(pointer)}
	if !sameLine(a, b) {
		use += " and " + b.replacedBy(pointer)
		uses = append(uses, b.use(pointer))
	}
	if a.Alone || b.Alone { // each rank has a shared pointer of its own
		use, uses = "open the file with the communicator of all ranks, and "+use, nil
	}
	return &Mistake{
		Uses:  uses,
		Cause: "with Append, the pointer of every rank begins at the same byte, the end of the file when it was opened, so " + who + " write there",
		Cure:  use + ": one after the other, " + order,
	}
}

// A span is the bytes [lo, hi).
type span struct{ lo, hi int64 }

// round returns the bytes of the two calls where they are those of one round: ranks that make a call
// in a loop may meet the bytes of another round. known is false where that is so, or where the bytes
// are not known.
func (e *RaceError) round() (a, b span, known bool) {
	x, y := &e.A, &e.B
	if e.Together || !x.Varies && !y.Varies {
		return span{x.Lo, x.Hi}, span{y.Lo, y.Hi}, x.Hi > 0 && y.Hi > 0
	}
	a, b = span{x.FirstLo, x.FirstHi}, span{y.FirstLo, y.FirstHi}
	return a, b, a.lo < b.hi && b.lo < a.hi
}

// separateOpens: the ranks opened the file apart from each other, each for itself or in groups, and
// write at the same byte.
func separateOpens(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	alone := a.Alone && b.Alone
	if !alone && !e.Separate || a.Rank == b.Rank || a.Place != b.Place {
		return nil
	}
	x, y, known := e.round()
	shared := a.isShared() && b.isShared()
	if !shared && (!known || x.lo != y.lo) {
		return nil
	}
	m := &Mistake{Cure: "open the file with the communicator of all ranks"}
	switch {
	case shared && alone:
		m.Cause = fmt.Sprintf("each rank has opened the file for itself (Self), and each open has a shared file pointer of its own, with which %s writes", a.called())
	case shared:
		m.Cause = fmt.Sprintf("ranks %d and %d have opened the file in separate groups, and each open has a shared file pointer of its own, with which %s writes",
			a.Rank, b.Rank, a.called())
	case alone:
		m.Cause = fmt.Sprintf("each rank has opened the file for itself (Self), so that %s is a call of one rank on its own, at the same offset on each", a.called())
	default:
		m.Cause = fmt.Sprintf("ranks %d and %d have opened the file in separate groups, and each group counts its ranks from 0: %s begins at byte %d in both",
			a.Rank, b.Rank, a.called(), x.lo)
	}
	switch {
	case shared:
	case a.Append && b.Append && !a.isExplicit():
		m.Cure += ", and use " + a.replacedBy("Shared")
	default:
		m.Cure += ", and give each rank an offset or a displacement of its own"
	}
	return m
}

// A viewSizer knows the size of a view's etype and the extent of its filetype, in bytes.
type viewSizer interface {
	ElementSize() int64
	TileExtent() int64
}

// dispInElements: displacements that count elements.
func dispInElements(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	v, w := a.viewOf(), b.viewOf()
	if v == nil || w == nil || v.etype != w.etype || v.disp == w.disp || a.Stays {
		return nil
	}
	x, ok := a.Parts.(viewSizer)
	if !ok || x.ElementSize() <= 1 || (w.disp-v.disp)%int64(b.Rank-a.Rank) != 0 {
		return nil
	}
	call, _, known := e.round()
	if a.Hi > 0 && !known {
		return nil
	}
	size, step := x.ElementSize(), (w.disp-v.disp)/int64(b.Rank-a.Rank)
	whole := call.hi > call.lo && step*size == call.hi-call.lo // it counts the elements that a rank writes
	if step <= 0 || step%size == 0 && (!whole || step == x.TileExtent()) {
		return nil // the displacement is that of the rank's first block: the tiles are too close
	}
	base, what := v.disp-int64(a.Rank)*step, "the displacement of each view"
	if base != 0 {
		what = fmt.Sprintf("what the displacement of each view adds to %d", base)
	}
	return &Mistake{
		Cause: fmt.Sprintf("displacements count bytes, and those of the views, %d on rank %d and %d on rank %d, look like elements of %d bytes",
			v.disp, a.Rank, w.disp, b.Rank, size),
		Cure:  fmt.Sprintf("multiply %s by %d, the bytes of %s", what, size, v.etype),
		Moves: &Move{Of: a, Views: true, Both: true, To: func(_ int, disp int64) int64 { return base + (disp-base)*size }},
	}
}

// overHeader: one rank writes the first bytes of the file, once, and the view of the data begins
// there too.
func overHeader(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	if sameLine(a, b) || e.Together {
		return nil
	}
	v, w := a.viewOf(), b.viewOf()
	header := func(p *Party, own, other *viewText) bool {
		return own != nil && other != nil && !p.Repeated && !p.Varies && p.Lo == 0 && p.Hi > 0 && p.View == "" && other.disp < p.Hi
	}
	if !header(a, v, w) || b.View == "" && b.Lo == 0 && b.Hi > a.Hi {
		a, b, v, w = b, a, w, v
	}
	if b.View == "" && !b.Repeated && b.Lo == a.Lo && b.Hi == a.Hi {
		return nil // the same item, written by two ranks
	}
	if !header(a, v, w) || a.isShared() || b.isShared() || b.Stays || b.View == "" && !b.isExplicit() {
		return nil
	}
	if b.View == "" {
		return &Mistake{
			Cause: fmt.Sprintf("%s writes bytes 0 to %d, perhaps a header, and the offsets of %s count from byte 0 as well", a.called(), a.Hi-1, b.called()),
			Cure:  fmt.Sprintf("add %d to the offsets of %s", a.Hi, b.called()),
			Moves: &Move{Of: b, To: func(_ int, at int64) int64 { return at + a.Hi }},
		}
	}
	return &Mistake{
		Cause: fmt.Sprintf("%s writes bytes 0 to %d, perhaps a header, and the view of %s begins at byte %d, over it", a.called(), a.Hi-1, b.called(), w.disp),
		Cure:  fmt.Sprintf("add %d to the displacement of the view of %s", a.Hi-w.disp, b.called()),
		Moves: &Move{Of: b, Views: true, To: func(_ int, disp int64) int64 { return disp + a.Hi - w.disp }},
	}
}

// eachRound says how offsets may depend on the rank and on the round.
func (e *RaceError) eachRound() string {
	unit := "bytes"
	if e.A.View != "" {
		unit = "etypes"
	}
	if e.A.FirstHi-e.A.FirstLo != e.B.FirstHi-e.B.FirstLo { // rounds of ranks that write more begin later
		return "for each rank and each round, behind what all ranks write in the rounds before and the lower ranks in this one"
	}
	from := ""
	if lo := min(e.A.FirstLo, e.B.FirstLo); lo > 0 && e.A.View == "" {
		from = fmt.Sprintf("%d + ", lo)
	}
	return "for each rank and each round, such as " + from + "(round * ranks + rank) * " + unit + " of one call"
}

// cureOfOffset returns the advice to use other offsets: give says how they are given, and the rest
// is said of one.
func (p *Party) cureOfOffset(give, one string) string {
	if p.isExplicit() {
		return give
	}
	return "use " + p.replacedBy(explicit) + ", with an offset " + one
}

// roundsMeet: the ranks make a call in a loop, and while they begin apart from each other, later
// calls of one write the bytes of the other.
func roundsMeet(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	if a.Place != b.Place || e.Separate || e.Together || !a.Varies && !b.Varies || a.isShared() || !e.sameView() {
		return nil
	}
	if a.FirstHi == 0 || b.FirstHi == 0 || a.FirstLo < b.FirstHi && b.FirstLo < a.FirstHi {
		return nil
	}
	other := e.eachRound()
	return &Mistake{
		Cause: fmt.Sprintf("in a loop, ranks reach the bytes of each other: the first call of %s begins at byte %d on rank %d and at byte %d on rank %d, "+
			"and over the rounds both write %s", a.called(), a.FirstLo, a.Rank, b.FirstLo, b.Rank, bytesText(e.Lo, e.Hi)),
		Cure: a.cureOfOffset("use another offset "+other, "that differs "+other),
	}
}

// timesRank returns the offset, as a term, at which each rank has bytes of its own.
func (x span) timesRank(unit string) string {
	from := ""
	if x.lo > 0 {
		from = fmt.Sprintf("%d + ", x.lo)
	}
	if x.hi-x.lo == 1 {
		return from + "rank"
	}
	return fmt.Sprintf("%srank * %d%s", from, x.hi-x.lo, unit)
}

// sameOffset: all ranks, or the two, make one call without a view and begin at the same byte.
func sameOffset(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	x, y, known := e.round()
	if a.Place != b.Place || a.View+b.View != "" || a.isShared() || !known || x.lo != y.lo {
		return nil
	}
	who, depend := "all ranks", "let the offset depend on the rank"
	if a.Elsewhere || b.Elsewhere || !a.ByAll { // it may depend on it, as rank / 2 does
		who, depend = fmt.Sprintf("ranks %d and %d", a.Rank, b.Rank), "give each rank an offset of its own"
	}
	m := &Mistake{Cause: fmt.Sprintf("%s write at the same offset: %s begins at byte %d on ranks %d and %d", who, a.called(), x.lo, a.Rank, b.Rank)}
	switch {
	case a.Varies || b.Varies: // one offset for all rounds would be wrong
		other := e.eachRound()
		m.Cure = a.cureOfOffset("use another offset "+other, "that differs "+other)
	case a.Stays:
		m.Cure = a.cureOfOffset(depend, "that depends on the rank")
	default:
		m.Moves = &Move{Of: a, To: func(rank int, _ int64) int64 { return x.lo + int64(rank)*(x.hi-x.lo) }}
		m.Cure = a.cureOfOffset(depend+", such as "+x.timesRank(" bytes"), "such as "+x.timesRank(""))
	}
	if !a.isExplicit() {
		m.Uses = []Use{a.use(explicit)}
	}
	return m
}
