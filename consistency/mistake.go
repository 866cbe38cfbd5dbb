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

	specific bool // it says more than the views do
}

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
	Append   bool  // the file was opened with Append
	Repeated bool  // the run makes the call several times, on one rank or on several
	ByAll    bool  // all ranks of the open make the call, equally often
	Stays    bool  // with other offsets it would race with other calls, or that is unknown
	Lo, Hi   int64 // the call's bytes, from the first to behind the last; Hi 0: unknown
}

// OnlyIfMeant introduces the fix of a race of two writes that orders them, after the likely
// mistake: an order only decides which of the two values the file keeps.
const OnlyIfMeant = "only if both ranks mean to write the same bytes, and one value is to win: "

// Mistake returns the likely mistake behind a race of two ranks that write the same bytes,
// which are seldom meant to be the same; nil for other races.
func (e *RaceError) Mistake() *Mistake {
	a, b := &e.A, &e.B
	if !a.Write || !b.Write || a.Rank == b.Rank || e.Rule == RulePointer || a.sizes() || b.sizes() {
		return nil
	}
	for _, cause := range []func(*RaceError) *Mistake{mixedPointers, eachAppends, eachAlone, dispInElements, overHeader, sameOffset} {
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
	case ".c", ".cc", ".cpp", ".cxx", ".C", ".h", ".hh", ".hpp", ".f", ".f90", ".F90":
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
	word := p.word()
	begins, nonblocking := strings.HasSuffix(word, "begin"), strings.HasPrefix(word, "i")
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
	if !begins {
		return p.style(name) + " in place of " + p.called()
	}
	end := p.style(p.Op)
	if strings.HasSuffix(end, "Begin") {
		end = strings.TrimSuffix(end, "Begin") + "End"
	} else {
		end = strings.TrimSuffix(end, "begin") + "end"
	}
	return fmt.Sprintf("%s and %s in place of %s and its %s", p.style(name+"Begin"), p.style(name+"End"), p.called(), end)
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
	use := "use " + b.replacedBy(pointer)
	if b.isExplicit() {
		return &Mistake{
			Cause: fmt.Sprintf("%s writes at the shared file pointer, and %s at an offset of its own that the pointer also reaches", a.called(), b.called()),
			Cure:  use + ", or let its offset begin after the shared data",
		}
	}
	return &Mistake{
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
	pointer, order := ordered, "in the order of ranks"
	if !a.ByAll || !b.ByAll {
		pointer, order = shared, "in any order"
	}
	use := "use " + a.replacedBy(pointer)
	if !sameLine(a, b) {
		use += " and " + b.replacedBy(pointer)
	}
	return &Mistake{
		Cause: "with Append, the pointer of every rank begins at the same byte, the end of the file when it was opened, so all ranks write there",
		Cure:  use + ": one after the other, " + order,
	}
}

// eachAlone: each rank opened the file for itself and begins at the same byte.
func eachAlone(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	if !a.Alone || !b.Alone || a.Rank == b.Rank || a.Place != b.Place {
		return nil
	}
	return &Mistake{
		Cause: fmt.Sprintf("each rank has opened the file for itself (Self), so that %s is a call of one rank on its own, at the same offset on each", a.called()),
		Cure:  "open the file with the communicator of all ranks, and give each rank an offset or a displacement of its own",
	}
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
	size, step := x.ElementSize(), (w.disp-v.disp)/int64(b.Rank-a.Rank)
	whole := a.Hi > a.Lo && step*size == a.Hi-a.Lo // it counts the elements that a rank writes
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
		return own != nil && other != nil && !p.Repeated && p.Lo == 0 && p.Hi > 0 && p.View == "" && other.disp < p.Hi
	}
	if !header(a, v, w) || b.View == "" && b.Lo == 0 && b.Hi > a.Hi {
		a, b, v, w = b, a, w, v
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

// timesRank returns the offset, as a term, at which each rank has bytes of its own.
func (p *Party) timesRank(unit string) string {
	from := ""
	if p.Lo > 0 {
		from = fmt.Sprintf("%d + ", p.Lo)
	}
	if p.Hi-p.Lo == 1 {
		return from + "rank"
	}
	return fmt.Sprintf("%srank * %d%s", from, p.Hi-p.Lo, unit)
}

// sameOffset: all ranks make one call without a view and begin at the same byte.
func sameOffset(e *RaceError) *Mistake {
	a, b := &e.A, &e.B
	if a.Place != b.Place || a.View+b.View != "" || a.isShared() || a.Hi == 0 || a.Lo != b.Lo {
		return nil
	}
	m := &Mistake{Cause: fmt.Sprintf("all ranks write at the same offset: %s begins at byte %d on ranks %d and %d", a.called(), a.Lo, a.Rank, b.Rank)}
	if a.isExplicit() {
		m.Cure = "let the offset depend on the rank"
	} else {
		m.Cure = "use " + a.replacedBy(explicit) + ", with an offset"
	}
	switch {
	case !a.Stays:
		m.Moves = &Move{Of: a, To: func(rank int, _ int64) int64 { return a.Lo + int64(rank)*(a.Hi-a.Lo) }}
		if a.isExplicit() {
			m.Cure += ", such as " + a.timesRank(" bytes")
		} else {
			m.Cure += " such as " + a.timesRank("")
		}
	case !a.isExplicit():
		m.Cure += " that depends on the rank"
	}
	return m
}
