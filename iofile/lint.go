package iofile

import (
	"fmt"
	"slices"
	"sort"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A Lint reports calls on a file that are legal, but probably not what you meant: often
// they are a mistake. A lint is not an error and changes nothing.
type Lint struct {
	Rule  string // id of the rule
	Text  string // what was done, and what to do instead
	File  string // name of the file
	Rank  int    // rank in the communicator of the file
	Op    string // the call
	Place sched.Place
}

// String returns the lint as one line:
//
//	legal, but probably not what you meant: rank 0: SetView "grid" at halo.go:17: ... (REP-DT-08)
func (l Lint) String() string {
	at := ""
	if p := l.Place.String(); p != "" {
		at = " at " + p
	}
	return fmt.Sprintf("legal, but probably not what you meant: rank %d: %s %q%s: %s (%s)", l.Rank, l.Op, l.File, at, l.Text, l.Rule)
}

// lintBook holds the lints of one collective open.
type lintBook struct {
	mu  sched.Mutex
	all []Lint
}

// lint records a lint, unless the same lint of the same line and rank was recorded.
func (f *File) lint(op, rule, format string, args ...any) {
	l := Lint{Rule: rule, Text: brief.Sprintf(format, args...), File: f.name, Rank: f.rank, Op: op, Place: f.thread.Place()}
	b := &f.set.lints
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.all, l) {
		b.all = append(b.all, l)
		f.log.Lint(trace.Lint{Op: l.Op, File: l.File, Place: l.Place.Base(), At: l.Place, Rule: l.Rule, Text: l.Text})
	}
}

// Lints returns the lints of all ranks since the file was opened: calls that are legal,
// but probably not what you meant. They are sorted by rank, and by the order of each
// rank's calls. There are lints for
//
//   - a filetype that is not made of bytes under etype BYTE (IO-VIEW-06);
//   - typed data written or read through etype BYTE under a representation
//     that converts: nothing is converted then (REP-BYTE-01);
//   - displacements in bytes under a representation in which the etype has
//     another extent than in memory, if the program never asked for it by
//     [File.TypeExtent] (REP-DT-08);
//   - typed data read in another representation than they were written in, or
//     bytes written over them through etype BYTE (REP-INT-05). What a program
//     writes through etype BYTE counts as native, wherever the bytes come from. An
//     [FS] remembers about ten thousand changes of form in a file, and the first 64
//     pieces of a write that scatters its bytes;
//   - ranks whose portable etypes are made of other kinds, which may scale
//     differently (REP-DT-07);
//   - etypes and filetypes that are not portable, and whose typemap or bounds differ
//     between machines, so that their layout in the file depends on the implementation;
//     explicit bounds, of the types in them that are repeated too, make them the same
//     everywhere; so also an etype without bounds under a filetype with bounds, if another
//     machine could pad its extent (REP-DT-06);
//   - types whose extent in the file is not the same on all ranks: views of types, and
//     types given to [File.TypeExtent], under "native" on unlike machines, or under a
//     representation that ranks have registered with different functions (REP-EXT-01);
//   - hints with an unknown key (IO-INFO-04) or a malformed value (IO-INFO-08).
//
// What shows only when a world has ended is in the report of the run alone
// (world.RunReport, commworld run):
//
//   - reads of bytes inside the file that no rank wrote in the run and that were
//     not there before it: hole reads (IO-SIZE-06);
//   - old bytes left behind what a run wrote into a file that it opened with
//     Create and whose size it never set: leftover tails (IO-AMODE-04);
//   - lines that sync and neither ordered two accesses nor stand right before a
//     close (CONS-SYNC-05);
//   - atomic accesses whose order decides the outcome and is left open (CONS-D03);
//   - calls at the shared pointer that nothing orders: each gets a place of its
//     own, but which of them comes first is open (IO-SHP-04);
//   - of a careful world (world.Careful) alone: bytes that no rank wrote, between bytes
//     that were written (IO-SIZE-06); reads that the end of file has cut and whose Status the
//     source of the program drops (IO-DA-09).
//
// In a careful world alone there are lints for reads of bytes that are not a value of the
// type that reads them, such as a bool of 2 (IO-TM-S4, see [reps.Legal]), and of data that
// were written with another etype (IO-TM-04, see [types.MatchWritten]).
//
// Local. It works on a closed handle, too.
func (f *File) Lints() []Lint {
	if f == nil || f.set == nil {
		return nil
	}
	b := &f.set.lints
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.all)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Rank < all[j].Rank })
	return all
}

// noteShort records a read that the end of file has cut, for a careful world: the program
// learns of it from the Status alone. The calling line is that of op.
//
//go:noinline
func (f *File) noteShort(op string, a *access) {
	if asked := a.etypes * f.view.Unit.Size; !a.write && a.moved < asked && f.log.Careful() {
		f.log.KeepShortRead(trace.ShortRead{Op: op, File: f.name, Place: f.thread.Place(), Got: a.moved, Asked: asked})
	}
}

// lintView checks a view that has just been set.
func (f *File) lintView(v *fileView, other int) {
	const op = "SetView"
	if onBytes(v) && !f.how.strict && f.how.match == types.MatchFinal {
		if _, ok := v.Filetype.Signature().Repeats(v.Etype.Signature()); !ok {
			f.lint(op, "IO-VIEW-06", "by the standard the filetype is built from the etype, but %v is not made of bytes; %s", v.Filetype, ofBytes(v.Filetype))
		}
	}
	if v.rep.Plain(f.c.Arch()) || v.Rep == "native" {
		return
	}
	if other >= 0 {
		f.lint(op, "REP-DT-07", "the etype %v is made of other kinds than that of rank %d; under %q they may scale differently, so that the views do not fit together",
			v.Etype, other, v.Rep)
	}
	f.lintHardwired(op, v)
	if !v.Etype.Portable() || !v.Filetype.Portable() {
		f.lintVarying(op, v)
	}
}

// lintHardwired records lints for displacements in bytes where the etype has another extent
// in the file than in memory.
func (f *File) lintHardwired(op string, v *fileView) {
	l, err := v.Etype.Layout(f.c.Arch())
	if err != nil || l.Extent == v.Unit.Extent || f.asked {
		return
	}
	const remedy = "compute it from TypeExtent, which was never asked"
	switch {
	case v.Disp > 0:
		f.lint(op, "REP-DT-08", "displacement %d is in bytes and does not scale: under %q a %v takes %d, not %d; %s",
			v.Disp, v.Rep, v.Etype, v.Unit.Extent, l.Extent, remedy)
	case v.Etype.Portable() && !v.Filetype.Portable():
		f.lint(op, "REP-DT-08", "filetype %v has displacements in bytes, which do not scale: under %q a %v takes %d, not %d; %s",
			v.Filetype, v.Rep, v.Etype, v.Unit.Extent, l.Extent, remedy)
	}
}

// lintVarying records lints for the types of a view that is not portable if their layouts
// differ between machines.
func (f *File) lintVarying(op string, v *fileView) {
	const rule = "REP-DT-06"
	m := machinesOf(v, f.c.Arch(), f.asked)
	var inEtype *variance
	if !v.Etype.Portable() {
		inEtype = m.of(v.Etype)
	}
	if inEtype != nil {
		f.lint(op, rule, "the layout of etype %v depends on the machine: %s", v.Etype, m.text(inEtype))
	} else if extent, ok := luckyExtent(v); ok {
		f.lint(op, rule, "filetype %v has explicit bounds, but etype %v has none: its extent is that of its data, %d, which other implementations may pad to %d; give it explicit bounds: Resized(t, %d, %d)",
			v.Filetype, v.Etype, extent, (extent+widestPadding-1)/widestPadding*widestPadding, v.Unit.LB, extent)
	}
	if bad := m.of(v.Filetype); bad != nil && (inEtype == nil || bad.t != inEtype.t) {
		f.lint(op, rule, "the layout of filetype %v depends on the machine: %s", v.Filetype, m.text(bad))
	}
}

// ofBytes returns the advice how a view of bytes with filetype t would follow the standard.
func ofBytes(t *types.Type) string {
	if k := t.Signature().Only(); k != types.KindNone {
		return fmt.Sprintf("set Etype: %#v, of which offsets then count, or make the filetype of types.Byte", types.OfKind(k))
	}
	return "make the filetype of types.Byte, with counts and displacements in bytes"
}

// lintBytes records a lint for an access through etype BYTE under a representation that
// converts, once for each view.
func (f *File) lintBytes(op string, dt *types.Type) {
	if opaque(dt) {
		return
	}
	f.view.bytesLint = false
	f.lint(op, "REP-BYTE-01", "%v moves unconverted: the view's etype is byte, and it is the etype that drives the conversion to %q", dt, f.view.Rep)
}

// tagOf returns the form that a view gives its bytes: through a view of bytes, that of
// memory.
func (f *File) tagOf(v *fileView, set *handleSet) *formTag {
	var a *reps.Arch
	rep := v.Rep
	if v.raw = v.Etype == types.Byte || v.Etype == types.Packed; v.raw {
		rep = "native"
	}
	if rep == "native" {
		a = f.c.Arch()
	}
	return set.file.written.tag(rep, a)
}

// lintWrite records the form of written bytes, and records a lint if they replace converted
// bytes, once for each view.
func (f *File) lintWrite(a *access, size int64) {
	if f.rewound != nil {
		f.lintRewound(a)
	}
	w, v := f.set.file.written, f.view
	from := v.part(a).From
	if !v.raw {
		w.write(v, from, size)
		return
	}
	if !f.forms.otherNoted && !w.only(v.tag) {
		if at, as := w.foreign(v, v.tag, from, size); as != nil {
			f.forms.otherNoted = true
			f.lint(a.op, "REP-INT-05", "byte %d was written as %v; etype %v writes over it without conversion", at, as, v.Etype)
		}
	}
	f.noteRaw(from, size)
}

// lintRead records a lint for typed data that are read in another form than they were
// written in. Reading data as bytes is always allowed.
func (f *File) lintRead(a *access, n int64) {
	w, v := f.set.file.written, f.view
	if w.only(v.tag) || v.raw && opaque(a.buf.Type()) {
		return
	}
	if at, as := w.foreign(v, v.tag, v.packed(a.off), n); as != nil {
		f.forms.otherNoted = true
		f.lint(a.op, "REP-INT-05", "byte %d was written as %v and is read as %v", at, as, v.tag)
	}
}

// lintsValues reports whether a read of data of type t looks for bytes that are not values,
// in a careful world.
func (f *File) lintsValues(t *types.Type) bool {
	if !f.view.values || f.forms.illegalNoted {
		return false
	}
	rep, t, err := f.readAs(t)
	return err == nil && reps.MayBeIllegal(rep, t.Signature())
}

// readAs returns the form and the type of the elements that a read of data of type t finds:
// those of the view, or through a view of bytes, those of memory.
func (f *File) readAs(t *types.Type) (reps.Rep, *types.Type, error) {
	switch {
	case t == nil || t.Err() != nil || !f.view.raw:
		return f.view.rep, f.view.Etype, nil
	case !f.view.plain:
		return f.view.rep, t, nil
	}
	rep, err := reps.Lookup("native", f.c.Arch())
	return rep, t, err
}

// lintValues records a lint for bytes that are not a value of the type that reads them, once
// for each view. (IO-TM-S4)
func (f *File) lintValues(a *access, found []byte) {
	rep, t, err := f.readAs(a.buf.Type())
	if err != nil {
		return
	}
	if bad := f.illegalIn(a, found, rep, t); bad != "" {
		f.forms.illegalNoted = true
		f.lint(a.op, "IO-TM-S4", "%s; read such bytes as types.Byte and check them, or open the file with iofile.WithMatch(types.MatchSource000) (in a script: match=source000), where such a read is an error", bad)
	}
}

// opaque reports whether t consists of bytes only.
func opaque(t *types.Type) bool {
	for _, k := range t.Signature().Kinds() {
		if k.Family() != types.FamilyOpaque {
			return false
		}
	}
	return true
}

// A rewound is a view of a file that was opened with Append: it has set the pointers, which
// were at the end of the file, to 0.
type rewound struct {
	end  int64 // where the pointers were, in bytes of the file
	line *sched.Line
}

// leavesEnd records with the race detector that the program sets the individual pointer, which was at the
// end of the file because of Append.
func (f *File) leavesEnd() {
	if f.track != nil && f.amode.has(Append) {
		f.track.SetsPointer()
	}
}

// rewind notes that a view sets the pointers of a file back that was opened with Append.
func (f *File) rewind(next *fileView) {
	f.leavesEnd()
	if !f.amode.has(Append) || f.amode.has(Sequential) || f.pos == 0 {
		f.rewound = nil
		return
	}
	if end := f.view.Tiles.At(f.view.packed(f.pos)); next.Tiles.At(0) < end {
		f.rewound = &rewound{end, f.thread.NoteLine(sched.AnyDepth)}
	}
}

// lintRewound records a lint for a write at a pointer that a view has set back to the old
// data of a file that was opened with Append.
func (f *File) lintRewound(a *access) {
	was := f.rewound
	if a.at == explicit {
		return
	}
	f.rewound = nil
	cure := fmt.Sprintf("add %d to the Disp of its view", was.end)
	switch {
	case a.at == shared:
		cure = "call SeekShared(0, SeekEnd) after SetView, or " + cure
	case f.set.ranks == 1: // of several ranks, one would seek the end while another moves it
		cure = "call Seek(0, SeekEnd) after SetView, or " + cure
	}
	if at := f.view.Tiles.At(f.view.packed(a.off)); at < was.end {
		f.lint(a.op, "IO-AMODE-09", "it writes over old data, from byte %d of the %d that the file had: Append sets the pointers to the end only when the file is opened, "+
			"and SetView (%v) has set them to 0; %s", at, was.end, was.line.Place().Base(), cure)
	}
}
