package iofile

import (
	"fmt"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// compile checks v against every local rule of views, in the order of ERR-ORD-02, and lays
// it out. It changes nothing.
func (f *File) compile(v View) (*view, error) {
	if v.Rep == "" {
		v.Rep = "native"
	}
	if err := f.checkDisp(v.Disp); err != nil {
		return nil, err
	}
	for _, t := range []struct {
		what string
		t    *types.Type
	}{{"etype", v.Etype}, {"filetype", v.Filetype}} {
		if err := usable(t.what, t.t); err != nil {
			return nil, err
		}
	}
	if f.amode.has(Sequential) {
		v.Disp = 0 // the ranks compute the real one together
	}
	rep, err := f.represent(v.Rep)
	if err != nil {
		return nil, err
	}
	for _, t := range []*types.Type{v.Etype, v.Filetype} {
		if err := f.prepare("type", t, rep); err != nil {
			return nil, err
		}
	}
	return f.lay(v, rep)
}

// lay lays v out under rep and checks the rules of typemaps.
func (f *File) lay(v View, rep reps.Rep) (*view, error) {
	etype, err := layout("etype", v.Etype, rep.Sizes())
	if err != nil {
		return nil, err
	}
	filetype, err := layout("filetype", v.Filetype, rep.Sizes())
	if err != nil {
		return nil, err
	}
	next := &view{View: v, rep: rep, etype: etype, tiles: types.Tiling{L: filetype, Disp: v.Disp}}
	next.plain = rep.Plain(f.c.Arch()) || v.Etype == types.Byte && f.how.match != types.MatchSize // REP-BYTE-01
	next.judged = f.how.match == types.MatchSource000
	next.bytesLint = next.plain && v.Rep != "native" && !rep.Plain(f.c.Arch())
	for _, rule := range f.viewRules(next) {
		if err := rule(next); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// viewRules returns the rules of typemaps that apply to v, in their order.
func (f *File) viewRules(v *view) []func(*view) error {
	rules := []func(*view) error{sizesFit}
	if f.how.match != types.MatchSize && (f.how.strict || !onBytes(v)) {
		rules = append(rules, signaturesFit)
	}
	rules = append(rules, monotone, holesFit)
	if f.amode.writes() {
		rules = append(rules, disjoint)
	}
	if f.amode.has(Sequential) {
		rules = append(rules, dense)
	}
	return rules
}

func (f *File) checkDisp(disp int64) error {
	sequential := f.amode.has(Sequential)
	switch {
	case sequential && disp != DisplacementCurrent:
		return broken(ErrArg, "IO-VIEW-13", "displacement %d: a Sequential file takes DisplacementCurrent only", disp)
	case !sequential && disp == DisplacementCurrent:
		return broken(ErrArg, "IO-VIEW-13", "displacement %d is DisplacementCurrent, which is for Sequential files only", disp)
	case !sequential && disp < 0:
		return broken(ErrArg, "IO-VIEW-12", "displacement %d is negative", disp)
	}
	return nil
}

// usable returns an error for a type that is missing or holds an error.
func usable(what string, t *types.Type) error {
	if t == nil {
		return broken(ErrType, "IO-VIEW-09", "%s is nil", what)
	}
	if err := t.Err(); err != nil {
		return of(what, classified(err, ErrType, "IO-VIEW-09"))
	}
	return nil
}

// of adds to an error of a lower layer which of several arguments it concerns; class and
// rule are not repeated.
func of(what string, err error) error {
	class, rule := classOf(err)
	if lower, ok := err.(*Error); ok && lower.Err != nil {
		err = lower.CauseAt(sched.CallSite())
	}
	return broken(class, rule, "%s: %w", what, err)
}

// layout lays t out under s.
func layout(what string, t *types.Type, s types.Sizes) (*types.Layout, error) {
	if err := usable(what, t); err != nil {
		return nil, err
	}
	l, err := t.Layout(s)
	if err != nil {
		return nil, of(brief.Sprintf("%s %v", what, t), classified(err, ErrType, "DT-DEF-09"))
	}
	return l, nil
}

// sizesFit checks that a filetype contains a whole number of etypes.
func sizesFit(v *view) error {
	esize, fsize := v.esize(), v.tiles.L.Size
	if esize == 0 {
		return broken(ErrArg, "IO-VIEW-04", "etype %v holds no data, so nothing can be counted in it", v.Etype)
	}
	if fsize%esize != 0 {
		return broken(ErrArg, "IO-VIEW-06", "filetype %v has %d bytes of data, not a multiple of the %d of etype %v",
			v.Filetype, fsize, esize, v.Etype)
	}
	v.etypes = fsize / esize
	return nil
}

// onBytes reports whether the view's etype is BYTE. It accepts any datatype in an access,
// and so any filetype. (IO-VIEW-06)
func onBytes(v *view) bool {
	s := v.Etype.Signature()
	return s.Len() == 1 && s.Only() == types.KindByte
}

// signaturesFit checks that a filetype is made of copies of its etype.
func signaturesFit(v *view) error {
	if _, ok := v.Filetype.Signature().Repeats(v.Etype.Signature()); !ok {
		return broken(ErrArg, "IO-VIEW-06", "filetype %v has signature %v, which is no number of copies of etype %v, %v",
			v.Filetype, v.Filetype.Signature(), v.Etype, v.Etype.Signature())
	}
	return nil
}

// monotone checks that neither type has decreasing or negative displacements.
func monotone(v *view) error {
	for _, t := range []struct {
		what, rule string
		t          *types.Type
		l          *types.Layout
	}{{"etype", "IO-VIEW-04", v.Etype, v.etype}, {"filetype", "IO-VIEW-05", v.Filetype, v.tiles.L}} {
		if !t.l.Monotone() {
			return broken(ErrArg, t.rule, "%s %v: %s", t.what, t.t, backwards(t.l))
		}
	}
	if l := v.tiles.L; l.Size > 0 && l.Extent < 0 {
		return broken(ErrArg, "IO-VIEW-05", "filetype %v has extent %d: its copies would run backwards", v.Filetype, l.Extent)
	}
	return nil
}

// backwards returns where a layout that is not monotone jumps backwards or below 0, as
// text.
func backwards(l *types.Layout) string {
	first := types.Tiling{L: l}.At(0)
	prev, off, ok := l.FirstBackward()
	switch {
	case first < 0:
		return fmt.Sprintf("displacement %d is negative", first)
	case ok && off < 0:
		return fmt.Sprintf("displacement %d is negative", off)
	case ok:
		return fmt.Sprintf("byte %d comes after byte %d; displacements must not decrease", off, prev)
	}
	return "displacements decrease"
}

// disjoint checks that no type of a view for writing shows a byte twice. Further copies of
// the filetype are checked with each access, see once.
func disjoint(v *view) error {
	if v.etype.Overlaps() {
		return overlap("etype", v.Etype)
	}
	if v.tiles.L.Overlaps() {
		return overlap("filetype", v.Filetype)
	}
	return nil
}

func overlap(what string, t *types.Type) error {
	return broken(ErrArg, "IO-VIEW-08", "%s %v shows a byte twice; that is allowed on ReadOnly files only", what, t)
}

// dense checks that the view of a stream has no holes.
func dense(v *view) error {
	for _, l := range []*types.Layout{v.etype, v.tiles.L} {
		if l.Size != l.Extent || l.LB != 0 {
			return broken(ErrArg, "IO-SEQ-02", "a Sequential file takes an etype and a filetype without holes; size %d, extent %d",
				l.Size, l.Extent)
		}
	}
	return nil
}
