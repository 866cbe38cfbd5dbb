package iofile

import (
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/view"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// compile checks v against every local rule of views, in the order of ERR-ORD-02, and lays
// it out. It changes nothing.
func (f *File) compile(v View) (*fileView, error) {
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
func (f *File) lay(v View, rep reps.Rep) (*fileView, error) {
	etype, err := layout("etype", v.Etype, rep.Sizes())
	if err != nil {
		return nil, err
	}
	filetype, err := layout("filetype", v.Filetype, rep.Sizes())
	if err != nil {
		return nil, err
	}
	tiles := types.Tiling{L: filetype, Disp: v.Disp}
	next := &fileView{View: v, Layout: view.Layout{Sizes: rep.Sizes(), Unit: etype, Tiles: tiles}, rep: rep}
	next.plain = rep.Plain(f.c.Arch()) || v.Etype == types.Byte && f.how.match != types.MatchSize // REP-BYTE-01
	if next.memory = f.c.Arch(); next.plain {
		next.memory = f.c.Arch().InBytes()
	}
	next.wide = filetype.TrueUB-filetype.TrueLB > filetype.Extent
	next.judged = f.how.match == types.MatchSource000
	next.typed = f.how.typed
	next.values = !next.judged && f.log.Careful()
	next.bytesLint = next.plain && v.Rep != "native" && !rep.Plain(f.c.Arch())
	if o := next.Check(v.Etype, v.Filetype, f.viewRules(next)); o != nil {
		return nil, broken(ErrArg, o.Rule, "%w", o)
	}
	return next, nil
}

// viewRules returns the rules of typemaps that apply to v.
func (f *File) viewRules(v *fileView) view.Rules {
	return view.Rules{
		Match:    f.how.match != types.MatchSize && (f.how.strict || !onBytes(v)),
		Disjoint: f.amode.writes(),
		Dense:    f.amode.has(Sequential),
	}
}

// onBytes reports whether the view's etype is BYTE. It accepts any datatype in an access,
// and so any filetype. (IO-VIEW-06)
func onBytes(v *fileView) bool {
	s := v.Etype.Signature()
	return s.Len() == 1 && s.Only() == types.KindByte
}

func (f *File) checkDisp(disp int64) error {
	sequential := f.amode.has(Sequential)
	switch {
	case sequential && disp != DisplacementCurrent:
		return broken(ErrArg, "IO-VIEW-13", "displacement %d: use DisplacementCurrent for a Sequential file", disp)
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
	class, rule := fault.ClassOf(err)
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
