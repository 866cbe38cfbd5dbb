package iofile

import (
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/view"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// DisplacementCurrent, as the Disp of a view, means the present position of the shared
// file pointer. It is required on Sequential files and refused elsewhere.
//
// MPI_DISPLACEMENT_CURRENT
const DisplacementCurrent = -1

// A View says which bytes of a file a rank sees: Filetype, tiled without end from byte
// Disp. Accesses and positions count in Etype. Rep names the data representation of the
// file; empty means "native". Info gives the handle hints, as [File.SetInfo] does;
// [File.View] does not return it.
type View struct {
	Disp     int64
	Etype    *types.Type
	Filetype *types.Type
	Rep      string
	Info     *comm.Info
}

// A fileView is a View prepared for use: laid out under the sizes of its representation in the
// file.
type fileView struct {
	View
	view.Layout
	rep    reps.Rep
	plain  bool        // bytes move without conversion
	memory types.Sizes // of items in memory; items that move without conversion are bytes of the rank's machine
	judged bool        // bytes read must be legal values
	typed  bool        // bytes read must have been written with the etype
	values bool        // bytes read that are not get a lint, of a careful world

	bytesLint bool     // typed data would be a likely mistake, and no one has said so yet
	tag       *formTag // the form of its bytes
	raw       bool     // that form is that of memory, because the etype is byte
	wide      bool     // the data of a copy of the filetype extend beyond its extent
	distance  distance // of copies of the filetype that share bytes

	blind  bool // the views of other ranks are not known yet: this one has left SetView early
	relied bool // it has used the shared pointer since
}

// packed returns the packed position of etype off, which is within bounds.
func (v *fileView) packed(off Offset) int64 { return int64(off) * v.Unit.Size }

// part returns the bytes that an access covers.
func (v *fileView) part(a *access) types.Part {
	return types.Part{At: v.Tiles, From: int64(a.off) * v.Unit.Size, N: a.etypes * v.Unit.Size}
}

// empty returns the error of accessing a view that shows nothing.
func (v *fileView) empty() error {
	return broken(ErrArg, "IO-VIEW-18", "filetype %v shows no byte, so nothing can be accessed", v.Filetype)
}

// SetView changes what this rank sees of the file and sets its individual
// pointer and the shared pointer to 0. Collective: Rep and the extent of Etype
// in the file are the same on all ranks; Disp (bytes) and Filetype may differ.
// Errors: ErrArg for a view that breaks a rule, ErrType, ErrUnsupportedDatarep,
// ErrNotSame, ErrOther while an access is under way.
//
// MPI_File_set_view
func (f *File) SetView(given View) error { return f.to().setView(given) }

func (f *File) setView(given View) error {
	const op = "SetView"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	hints, info := hintsIn(given.Info), given.Info
	given.Info = nil
	next, err := f.compile(given)
	if err == nil {
		err = f.idle("IO-VIEW-15")
	}
	if err == nil {
		err = classified(f.inject(faults.View), ErrIO, "IO-VIEW-01")
	}
	terms := viewTerms{view: next, hints: hints}
	if err == nil && f.amode.has(Sequential) {
		terms.stream = f.view.Tiles.At(f.view.packed(f.set.pointer.at()))
	}
	v, err := f.meetViews(op, terms, err)
	if err = f.raise(err); err != nil {
		return err
	}
	common := v.(commonView)
	if f.amode.has(Sequential) {
		next.Disp, next.Tiles.Disp = common.stream, common.stream
	}
	f.publishRaw()
	f.rewind(next)
	f.view, f.unlike, f.anyConverts = next, common.unlike, common.converts
	if f.traffic != nil {
		f.forms = formLints{}
	}
	f.moveTo(0)
	if err := f.startShared(op); err != nil {
		return f.stopped(op, err)
	}
	if f.set.pointer.wasAsked() {
		f.notePointer(op, true, true)
	}
	next.tag = f.tagOf(next, f.set)
	f.hint(hints)
	f.lintView(next, common.otherThan(f.rank))
	f.lintExtent(op, common.extents[f.rank])
	f.lintHints(op, info)
	f.noteCall(journal.Viewed, op, nil)
	return nil
}

// meetViews is the meeting of SetView. A rank that leaves early has like views on all ranks,
// until others use the shared pointer.
func (f *File) meetViews(op string, terms viewTerms, err error) (any, error) {
	if f.amode.has(Sequential) || err != nil {
		return f.consult(op, terms, err, resolveViews)
	}
	v := terms.view
	_, v.blind = f.chooser.leaves()
	return f.chooser.depart(op, terms, nil, resolveViews, commonView{unlike: -1, converts: v.converts()}, func(val any) bool {
		c := val.(commonView)
		if f.view == v {
			f.unlike = c.unlike
		}
		v.blind = false
		return c.converts == v.converts() && c.kinds == nil && c.extents == nil && (c.unlike < 0 || !v.relied)
	})
}

// startShared is this rank's part of setting the shared pointer to 0.
func (f *File) startShared(op string) error {
	if _, early := f.chooser.leaves(); early {
		if call := f.pointerCall(); !f.thread.Sched().LeavesEarly(call) {
			return f.passPointer(op, func() (Offset, error) { return 0, nil })
		} else if f.set.pointer.unheld = true; f.set.pointer.wasAsked() {
			f.thread.Sched().Break(call)
			return f.thread.Sched().Cause()
		}
	}
	f.moveShared(0)
	return nil
}

// converts reports whether data of the view are converted or checked.
func (v *fileView) converts() bool { return !v.plain || v.judged || v.typed }

// viewTerms holds the arguments of one rank to SetView.
type viewTerms struct {
	view   *fileView
	hints  *comm.Info
	stream int64 // byte position of the shared pointer on a Sequential file
}

// A commonView is the result of comparing the views of all ranks.
type commonView struct {
	unlike   int                   // a rank whose view differs from rank 0's, or -1
	stream   int64                 // where a Sequential file continues
	converts bool                  // some rank's data are converted
	kinds    []int                 // for each rank, another one whose etype consists of other kinds, or -1; nil if all have the same kinds
	extents  map[int]*disagreement // by rank; nil if types have the same extents on all ranks
}

// otherThan returns a rank whose etype consists of other kinds than that of r, or -1.
func (c *commonView) otherThan(r int) int {
	if c.kinds == nil {
		return -1
	}
	return c.kinds[r]
}

// resolveKinds finds ranks whose etypes consist of other kinds than rank 0's. Types that do
// not scale on either rank are left out.
func (c *commonView) resolveKinds(args []any) {
	first := args[0].(viewTerms).view.Etype
	for r, a := range args {
		if e := a.(viewTerms).view.Etype; (e.Portable() || first.Portable()) && otherKinds(e.Signature(), first.Signature()) {
			if c.kinds == nil {
				c.kinds = slices.Repeat([]int{-1}, len(args))
			}
			c.kinds[r] = 0
		}
	}
}

// otherKinds reports whether the items of two signatures differ in more than their number.
func otherKinds(a, b types.Signature) bool {
	return a.Only() != b.Only() || a.Only() == types.KindNone && !a.Equal(b)
}

// resolveViews checks what must be equal in the views of all ranks, and finds which other
// properties are equal.
func resolveViews(args []any) (any, error) {
	first := args[0].(viewTerms).view
	common := commonView{unlike: -1}
	for r, a := range args {
		v := a.(viewTerms).view
		if v.Rep != first.Rep {
			return nil, broken(ErrNotSame, "IO-VIEW-10", "data representations differ: %q on rank 0, %q on rank %d", first.Rep, v.Rep, r)
		}
		if a, b := first.Unit.Extent, v.Unit.Extent; a != b {
			return nil, broken(ErrNotSame, "IO-VIEW-10", "extents of the etype in the file differ: %d on rank 0, %d on rank %d", a, b, r)
		}
		if common.unlike < 0 && !v.like(first) {
			common.unlike = r
		}
		common.converts = common.converts || v.converts()
	}
	if common.unlike >= 0 {
		common.resolveKinds(args)
	}
	common.resolveExtents(args)
	if err := sameHints(func(r int) *comm.Info { return args[r].(viewTerms).hints }, len(args)); err != nil {
		return nil, err
	}
	common.stream = latest(args, func(a any) int64 { return a.(viewTerms).stream })
	return common, nil
}

// like reports whether two views show the same bytes as the same etypes.
func (v *fileView) like(o *fileView) bool {
	return v.View == o.View || v.Disp == o.Disp && v.Etype.Equal(o.Etype) && v.Filetype.Equal(o.Filetype)
}

// View returns the current view; its types equal those given to SetView.
// Local. Errors: ErrFile.
//
// MPI_File_get_view
func (f *File) View() (View, error) { return f.to().getView() }

func (f *File) getView() (View, error) {
	if err := f.alive("View"); err != nil {
		return View{}, err
	}
	return f.view.View, nil
}

// ByteOffset returns the absolute offset in the file, including the displacement, of the
// first data byte of etype off of the current view. Local. Errors: ErrArg for off < 0,
// ErrUnsupportedOperation on a Sequential file.
//
// MPI_File_get_byte_offset
func (f *File) ByteOffset(off Offset) (int64, error) { return f.to().byteOffset(off) }

func (f *File) byteOffset(off Offset) (int64, error) {
	const op = "ByteOffset"
	if err := f.alive(op); err != nil {
		return 0, err
	}
	if err := f.hasEtype(off); err != nil {
		return 0, f.fail(op, err)
	}
	return f.view.Tiles.At(f.view.packed(off)), nil
}

// hasEtype returns the error for an etype that the view does not show.
func (f *File) hasEtype(off Offset) error {
	if err := f.notSequential("IO-SEQ-03"); err != nil {
		return err
	}
	if f.view.Tiles.L.Size == 0 {
		return f.view.empty()
	}
	err := f.reach(off, 1)
	return err
}

// TypeExtent returns the extent in bytes of t in the file under the current view's data
// representation; for a user-defined representation it is computed from the extents of the
// predefined types in t. It is the same on all ranks under "external32" and "internal".
// Under "native" it is the extent in this rank's memory, so it differs between ranks of
// unlike architectures: that is a lint. Local. Errors: ErrType, ErrConversion. (REP-EXT-01,
// REP-EXT-02)
//
// MPI_File_get_type_extent
func (f *File) TypeExtent(t *types.Type) (int64, error) { return f.to().typeExtent(t) }

func (f *File) typeExtent(t *types.Type) (int64, error) {
	const op = "TypeExtent"
	if err := f.alive(op); err != nil {
		return 0, err
	}
	if err := f.prepare("datatype", t, f.view.rep); err != nil {
		return 0, f.fail(op, err)
	}
	f.asked = true
	l, err := layout("datatype", t, f.view.rep.Sizes())
	if err != nil {
		return 0, f.fail(op, err)
	}
	f.lintTypeExtent(op, t, l.Extent)
	return l.Extent, nil
}
