package consistency

import (
	"fmt"
	"slices"
	"strings"
)

// AboutViews reports whether views, or the offsets of one call, cause the race. This is so
// between two parts of one collective call, which nothing can order, and between two writes
// through views that show the same bytes, which were probably not meant to be ordered. Two calls
// on different lines may be meant so, if no change of their views was found that works.
func (e *RaceError) AboutViews() bool {
	if e.Together {
		return true
	}
	if e.Tried && !sameLine(&e.A, &e.B) {
		return false
	}
	return e.Missing == Order && e.Rule != "CONS-C1" && e.A.Write && e.B.Write && e.A.Rank != e.B.Rank && e.A.Op == e.B.Op &&
		e.A.View+e.B.View != "" && (!e.sameView() || e.A.Place == e.B.Place)
}

// Apart returns the race that there would be if each rank made its call by itself.
func (e *RaceError) Apart() *RaceError {
	c := *e
	c.Together, c.A.View, c.B.View = false, "", ""
	return &c
}

// A ViewParts returns the parts of a view as they are written in a command line.
type ViewParts interface {
	Parts() (disp int64, etype, filetype, rep string)
}

// viewText holds the parts of a view.
type viewText struct {
	disp                 int64
	etype, filetype, rep string
}

// Views returns a text about a race that views cause: no sync can help, the bytes that both
// views show, the likely cause, and, if there is one, the command line that draws both
// views. It is empty for other races.
func (e *RaceError) Views() (text, command string) {
	if !e.AboutViews() || e.After != "" {
		return "", ""
	}
	var b strings.Builder
	if e.Together {
		fmt.Fprintf(&b, "ranks %d and %d access these bytes in one collective call: no sync or barrier can order two parts of one call. ", e.A.Rank, e.B.Rank)
	} else {
		fmt.Fprintf(&b, "ranks %d and %d write the same bytes, and nothing says that one is to come first: a sync can only choose whose bytes stay. ", e.A.Rank, e.B.Rank)
	}
	fmt.Fprintf(&b, "Their views and offsets both show %s. ", e.Extent())
	if m := e.Mistake(); m != nil && m.specific {
		b.WriteString("Likely cause: " + m.Cause + "; " + m.Cure)
	} else {
		b.WriteString(e.cause().Cause)
	}
	return b.String(), e.command()
}

// viewOf returns the parts of a party's view.
func (p *Party) viewOf() *viewText {
	if p.Parts == nil {
		return nil
	}
	v := &viewText{}
	v.disp, v.etype, v.filetype, v.rep = p.Parts.Parts()
	return v
}

// sameView reports whether both sides have the same view. Long texts may be cut.
func (e *RaceError) sameView() bool {
	v, w := e.A.viewOf(), e.B.viewOf()
	return e.A.View == e.B.View && (v == nil || w == nil || *v == *w)
}

// hasBounds reports whether the filetype has an extent that its constructor was given.
func (v *viewText) hasBounds() bool {
	return slices.ContainsFunc([]string{"resized", "subarray", "darray"}, func(name string) bool { return strings.HasPrefix(v.filetype, name) })
}

// cause returns the most likely reason why the views or the offsets of both sides overlap. Its
// Cause is whole sentences that include the cure.
func (e *RaceError) cause() *Mistake {
	v, w := e.A.viewOf(), e.B.viewOf()
	if e.A.View == "" && e.B.View == "" {
		if text := e.reachesPast(); text != "" {
			return &Mistake{Cause: text, Wrong: WrongOffset}
		}
		return &Mistake{
			Cause: "Both ranks have the default view, all bytes of the file, so that offsets count from byte 0 on both: give each rank an offset or a view of its own",
			Wrong: WrongOffset,
		}
	}
	if e.sameView() {
		if text := e.closeOffsets(); text != "" {
			return &Mistake{Cause: text, Wrong: WrongOffset}
		}
		return &Mistake{
			Cause: "Likely cause: both ranks have the same displacement and the same filetype; let the displacement depend on the rank, such as rank * bytes of one block",
			Wrong: WrongDisp,
		}
	}
	switch {
	case v != nil && w != nil && v.disp != w.disp && e.closerThanItem(v, w):
		return &Mistake{
			Cause: fmt.Sprintf("Likely cause: the displacements, %d on rank %d and %d on rank %d, are less than the %d bytes of one etype apart; "+
				"let each begin where the block of the rank before it ends, such as rank * bytes of one block",
				v.disp, e.A.Rank, w.disp, e.B.Rank, e.A.Parts.(viewSizer).ElementSize()),
			Wrong: WrongDisp,
		}
	case v != nil && w != nil && v.disp != w.disp && !(v.hasBounds() && w.hasBounds()):
		return &Mistake{
			Cause: "Likely cause: a filetype that is tiled too closely; resize it to the extent of the blocks of all ranks (resized(T, 0, bytes))",
			Wrong: WrongExtent,
		}
	case v != nil && w != nil && v.disp == w.disp:
		return &Mistake{
			Cause: "Likely cause: both displacements are equal and the filetypes overlap; let starts and sizes of the blocks, or the displacement, depend on the rank",
			Wrong: WrongDisp,
		}
	}
	return &Mistake{
		Cause: "Likely cause: a displacement, a block size or an extent is too small or too large; the blocks of the two ranks are to lie apart",
		Wrong: WrongDisp | WrongExtent,
	}
}

// closerThanItem reports whether the first etypes of two views overlap: then no extent helps.
func (e *RaceError) closerThanItem(v, w *viewText) bool {
	x, ok := e.A.Parts.(viewSizer)
	return ok && max(v.disp, w.disp)-min(v.disp, w.disp) < x.ElementSize()
}

// reachesPast returns the likely cause where two ranks begin at bytes of their own, which they may
// have given as offsets, and the bytes of the one reach past the first of the other; empty elsewhere.
func (e *RaceError) reachesPast() string {
	a, b, known := e.round()
	if e.A.Place != e.B.Place || e.A.isShared() || !known || a.lo == b.lo {
		return ""
	}
	p, q := &e.A, &e.B
	if b.lo < a.lo {
		a, b, p, q = b, a, q, p
	}
	return fmt.Sprintf("Both ranks have the default view, all bytes of the file: the %d bytes of rank %d from offset %d on reach past the offset of rank %d, %d. "+
		"Let the offsets lie further apart, or access fewer bytes", a.hi-a.lo, p.Rank, a.lo, q.Rank, b.lo)
}

// closeOffsets returns the likely cause where both sides give an offset in one view that shows all
// bytes from its displacement on: it is the offsets that must differ. It is empty for other views.
func (e *RaceError) closeOffsets() string {
	p, q := &e.A, &e.B
	v := p.viewOf()
	x, ok := p.Parts.(viewSizer)
	a, b, known := e.round()
	if !ok || v == nil || !p.isExplicit() || p.Place != q.Place || !known || x.ElementSize() != x.TileExtent() {
		return ""
	}
	varies := p.Varies || q.Varies
	if b.lo < a.lo {
		a, b, p, q = b, a, q, p
	}
	size := x.ElementSize()
	count := (a.hi - a.lo) / size
	text := fmt.Sprintf("Likely cause: in one view, the offset of rank %d is %d and that of rank %d is %d, less than the %d etypes of rank %[1]d apart",
		p.Rank, (a.lo-v.disp)/size, q.Rank, (b.lo-v.disp)/size, count)
	if a.lo == b.lo {
		text = fmt.Sprintf("Likely cause: both ranks have the same view and the same offset, %d", (a.lo-v.disp)/size)
	}
	switch {
	case varies:
		return text + "; offsets count etypes: use another offset " + e.eachRound()
	case p.Stays || q.Stays:
		return text + "; offsets count etypes: let the offset depend on the rank"
	case b.hi-b.lo == a.hi-a.lo:
		return fmt.Sprintf("%s; offsets count etypes: let each rank begin at an offset such as rank * %d", text, count)
	}
	return text + "; offsets count etypes: let each rank begin where the etypes of the ranks before it end"
}

// longestCommand bounds the command line of a report.
const longestCommand = 2000

// command returns a command line that draws the two views as those of ranks 0 and 1; in a
// command of commworld, r means the rank. It uses double quotes, which every shell
// accepts.
func (e *RaceError) command() string {
	v, w := e.A.viewOf(), e.B.viewOf()
	if e.A.Rank > e.B.Rank {
		v, w = w, v
	}
	if v == nil || w == nil || v.rep != w.rep || e.A.View+e.B.View == "" {
		return ""
	}
	etype := v.etype
	if etype != w.etype {
		etype = "byte"
	}
	disp := fmt.Sprint(v.disp)
	switch d := w.disp - v.disp; {
	case d > 0 && v.disp == 0:
		disp = fmt.Sprintf("r*%d", d)
	case d > 0:
		disp = fmt.Sprintf("%d+r*%d", v.disp, d)
	case d < 0:
		disp = fmt.Sprintf("%d-r*%d", v.disp, -d)
	}
	filetype := v.filetype
	if v.filetype != w.filetype { // a block of no copies adds nothing, so exactly one of the two counts
		filetype = fmt.Sprintf("struct([1-r, r], [0, 0], [%s, %s])", v.filetype, w.filetype)
	}
	text := fmt.Sprintf(`commworld view --ranks 2 --etype "%s" --disp "%s" --filetype "%s"`, etype, disp, filetype)
	if v.rep != "native" {
		text += fmt.Sprintf(` --rep "%s"`, v.rep)
	}
	if e.Hi > 0 && e.Hi < 1<<20 {
		text += fmt.Sprintf(" --bytes %d", e.Hi+min(e.Hi, 16))
	}
	if len(text) > longestCommand {
		return ""
	}
	return text
}
