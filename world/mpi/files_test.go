package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A path is one way to access data: the routines of a cell of the standard's table, for
// writing and for reading.
type path struct {
	name     string
	explicit bool
	shared   bool
	all      bool
	do       func(f *iofile.File, write bool, b types.Buffer, off iofile.Offset) (iofile.Status, error)
}

func plain(r, w func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error)) func(*iofile.File, bool, types.Buffer, iofile.Offset) (iofile.Status, error) {
	return func(f *iofile.File, write bool, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
		if write {
			return w(f, b, off)
		}
		return r(f, b, off)
	}
}

func waited(r, w func(f *iofile.File, b types.Buffer, off iofile.Offset) (*comm.Request, error)) func(*iofile.File, bool, types.Buffer, iofile.Offset) (iofile.Status, error) {
	start := func(do func(f *iofile.File, b types.Buffer, off iofile.Offset) (*comm.Request, error)) func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
		return func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
			q, err := do(f, b, off)
			if err != nil {
				return iofile.Status{}, err
			}
			return q.Wait()
		}
	}
	return plain(start(r), start(w))
}

func off0(do func(f *iofile.File, b types.Buffer) (iofile.Status, error)) func(f *iofile.File, b types.Buffer, _ iofile.Offset) (iofile.Status, error) {
	return func(f *iofile.File, b types.Buffer, _ iofile.Offset) (iofile.Status, error) { return do(f, b) }
}

func ioff0(do func(f *iofile.File, b types.Buffer) (*comm.Request, error)) func(f *iofile.File, b types.Buffer, _ iofile.Offset) (*comm.Request, error) {
	return func(f *iofile.File, b types.Buffer, _ iofile.Offset) (*comm.Request, error) { return do(f, b) }
}

func halves(begin func(f *iofile.File, b types.Buffer, off iofile.Offset) error, end func(f *iofile.File, b types.Buffer) (iofile.Status, error)) func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
	return func(f *iofile.File, b types.Buffer, off iofile.Offset) (iofile.Status, error) {
		if err := begin(f, b, off); err != nil {
			return iofile.Status{}, err
		}
		return end(f, b)
	}
}

func begun0(do func(f *iofile.File, b types.Buffer) error) func(f *iofile.File, b types.Buffer, _ iofile.Offset) error {
	return func(f *iofile.File, b types.Buffer, _ iofile.Offset) error { return do(f, b) }
}

var paths = []path{
	{"At", true, false, false, plain((*iofile.File).ReadAt, (*iofile.File).WriteAt)},
	{"AtAll", true, false, true, plain((*iofile.File).ReadAtAll, (*iofile.File).WriteAtAll)},
	{"IAt", true, false, false, waited((*iofile.File).IReadAt, (*iofile.File).IWriteAt)},
	{"IAtAll", true, false, true, waited((*iofile.File).IReadAtAll, (*iofile.File).IWriteAtAll)},
	{"AtAllBegin", true, false, true, plain(halves((*iofile.File).ReadAtAllBegin, (*iofile.File).ReadAtAllEnd), halves((*iofile.File).WriteAtAllBegin, (*iofile.File).WriteAtAllEnd))},
	{"", false, false, false, plain(off0((*iofile.File).Read), off0((*iofile.File).Write))},
	{"All", false, false, true, plain(off0((*iofile.File).ReadAll), off0((*iofile.File).WriteAll))},
	{"I", false, false, false, waited(ioff0((*iofile.File).IRead), ioff0((*iofile.File).IWrite))},
	{"IAll", false, false, true, waited(ioff0((*iofile.File).IReadAll), ioff0((*iofile.File).IWriteAll))},
	{"AllBegin", false, false, true, plain(halves(begun0((*iofile.File).ReadAllBegin), (*iofile.File).ReadAllEnd), halves(begun0((*iofile.File).WriteAllBegin), (*iofile.File).WriteAllEnd))},
	{"Shared", false, true, false, plain(off0((*iofile.File).ReadShared), off0((*iofile.File).WriteShared))},
	{"IShared", false, true, false, waited(ioff0((*iofile.File).IReadShared), ioff0((*iofile.File).IWriteShared))},
	{"Ordered", false, true, true, plain(off0((*iofile.File).ReadOrdered), off0((*iofile.File).WriteOrdered))},
	{"OrderedBegin", false, true, true, plain(halves(begun0((*iofile.File).ReadOrderedBegin), (*iofile.File).ReadOrderedEnd), halves(begun0((*iofile.File).WriteOrderedBegin), (*iofile.File).WriteOrderedEnd))},
}

// accesses tries every path: each rank writes ints, through a view that distributes them,
// or in turn at the shared pointer, and reads them again.
func accesses(_ context.Context, c *comm.Comm) error {
	for i, d := range paths {
		if err := d.pass(c, fmt.Sprintf("path%02d", i)); err != nil {
			return fmt.Errorf("path %q: %w", d.name, err)
		}
	}
	return nil
}

func (d *path) pass(c *comm.Comm, name string) error {
	const each = 5
	me, n := c.Rank(), c.Size()
	f, err := iofile.Open(c, files, name, iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	view := iofile.View{Disp: 4, Etype: types.Int32, Filetype: types.Int32}
	if !d.shared { // ints in turn
		view.Disp += int64(4 * me)
		view.Filetype = types.Resized(types.Int32, 0, int64(4*n))
	}
	if err := f.SetView(view); err != nil {
		return err
	}
	mine := make([]int32, each)
	for i := range mine {
		mine[i] = int32(100*me + i)
	}
	if err := d.turns(c, func() error {
		return moved(d.do(f, true, types.Of(mine), 0))(each)
	}); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := errors.Join(f.Sync(), c.Barrier(), f.Sync()); err != nil {
		return err
	}
	if d.shared {
		err = f.SeekShared(0, iofile.SeekSet)
	} else {
		err = f.Seek(0, iofile.SeekSet)
	}
	if err != nil {
		return err
	}
	got := make([]int32, each)
	if err := d.turns(c, func() error {
		return moved(d.do(f, false, types.Of(got), 0))(each)
	}); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	size, err := f.Size()
	return errors.Join(err, sameList("read back", got, mine), same("size", size, int64(4+4*each*n)), f.Close())
}

// turns calls do on one rank after the other, for accesses that are not ordered by
// themselves.
func (d *path) turns(c *comm.Comm, do func() error) error {
	if !d.shared || d.all {
		return do()
	}
	var err error
	for r := range c.Size() {
		if r == c.Rank() {
			err = do()
		}
		err = errors.Join(err, c.Barrier())
	}
	return err
}

// moved checks the count of an access of ints.
func moved(st iofile.Status, err error) func(want int64) error {
	return func(want int64) error {
		if err != nil {
			return err
		}
		n, _ := st.Count(types.Int32)
		return same("count", n, want)
	}
}

// pointers seeks, asks for positions and sizes, and changes modes.
func pointers(_ context.Context, c *comm.Comm) error {
	f, err := iofile.Open(c, files, "pointers", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	errs := []error{f.SetSize(80), f.SetView(iofile.View{Disp: 8, Etype: types.Int64, Filetype: types.Vector(1, 1, 2, types.Int64)})}
	errs = append(errs, f.SetView(iofile.View{Disp: 8, Etype: types.Int64, Filetype: types.Resized(types.Int64, 0, 16)}))
	ask := func(what string, want int64, n int64, err error) { errs = append(errs, err, same(what, n, want)) }
	pos := func(what string, want iofile.Offset) {
		n, err := f.Position()
		ask(what, int64(want), int64(n), err)
	}
	size, err := f.Size()
	ask("size", 80, size, err)
	errs = append(errs, f.Seek(3, iofile.SeekSet))
	pos("set", 3)
	errs = append(errs, f.Seek(-1, iofile.SeekCur))
	pos("current", 2)
	at, err := f.ByteOffset(2)
	ask("byte", 8+2*16, at, err)
	extent, err := f.TypeExtent(types.Int64)
	ask("extent", 8, extent, err)
	errs = append(errs, c.Barrier(), f.SetSize(64), c.Barrier())
	size, err = f.Size()
	ask("size cut", 64, size, err)
	errs = append(errs, c.Barrier()) // all ask for the size before it changes again
	errs = append(errs, f.Preallocate(96), c.Barrier())
	size, err = f.Size()
	ask("size preallocated", 96, size, err)
	errs = append(errs, c.Barrier())
	// Open MPI 4.1.4 sometimes refuses it, or hangs, on some ranks.
	if w := port.EngineWorld(c); w == nil || !strings.HasPrefix(w.Library(), "Open MPI") {
		errs = append(errs, f.SetAtomicity(true))
		on, err := f.Atomicity()
		errs = append(errs, err, same("atomic", on, true), f.SetAtomicity(false))
	}
	v, err := f.View()
	errs = append(errs, err, same("disp", v.Disp, 8), same("rep", v.Rep, "native"), same("etype", v.Etype, types.Int64))
	_, err = f.Info() // its content is up to the library
	errs = append(errs, err, f.SetInfo(comm.NewInfo()))
	errs = append(errs, f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}), f.Sync(), c.Barrier(), f.Sync())
	if c.Rank() == 0 {
		_, err = f.WriteAt(types.Of(slices.Repeat([]byte{7}, 96)), 0)
		errs = append(errs, err)
	}
	return errors.Join(append(errs, f.Close())...)
}

// fileErrors makes mistakes on all ranks, and checks the class of the errors.
func fileErrors(_ context.Context, c *comm.Comm) error {
	var errs []error
	want := func(what string, err, class error) {
		if !errors.Is(err, class) {
			errs = append(errs, fmt.Errorf("%s: %v, expected %w", what, err, class))
		}
	}
	_, err := iofile.Open(c, files, "nowhere", iofile.ReadOnly)
	want("no file", err, iofile.ErrNoSuchFile)
	want("no file", err, fs.ErrNotExist)
	_, err = iofile.Open(c, files, "mode", iofile.ReadOnly|iofile.Create)
	want("mode", err, iofile.ErrAmode)
	f, err := iofile.Open(c, files, "errors", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	_, err = f.ReadAt(types.Of([]byte{0}), 0)
	want("read of a file opened for writing", err, iofile.ErrAccess)
	_, err = f.WriteAt(types.Of([]byte{0}), -1)
	want("offset", err, iofile.ErrArg)
	_, err = iofile.ReadSlice[int32](f, 0, -1)
	want("count", err, iofile.ErrCount)
	want("size", f.SetSize(-1), iofile.ErrArg)
	want("seek", f.Seek(-1, iofile.SeekSet), iofile.ErrArg)
	want("representation", f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "no such thing"}), iofile.ErrUnsupportedDatarep)
	errs = append(errs, f.Close())
	_, err = f.Size()
	want("closed", err, iofile.ErrFile)
	_, err = iofile.Open(c, files, "errors", iofile.Create|iofile.Excl|iofile.ReadWrite)
	want("exclusive", err, iofile.ErrFileExists)
	errs = append(errs, c.Barrier(), viewErrors(c, want))
	if c.Rank() == 0 {
		errs = append(errs, iofile.DeleteFor(c, files, "errors", nil))
		want("delete", iofile.DeleteFor(c, files, "errors", nil), iofile.ErrNoSuchFile)
	}
	return errors.Join(errs...)
}

// viewErrors makes mistakes that only the view shows.
func viewErrors(c *comm.Comm, want func(what string, err, class error)) error {
	f, err := iofile.Open(c, files, "errors", iofile.ReadWrite)
	if err != nil {
		return err
	}
	errs := []error{f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32})}
	_, err = f.WriteAt(types.Of([]float64{1}), 0)
	want("etype", err, iofile.ErrType)
	wide := types.Resized(types.Contiguous(2, types.Byte), 0, 1)
	errs = append(errs, f.SetView(iofile.View{Etype: types.Byte, Filetype: wide}))
	_, err = f.WriteAt(types.Of([]byte{1, 2, 3, 4}), 0)
	want("a byte twice", err, iofile.ErrArg)
	_, err = f.ReadAt(types.Of(make([]byte, 4)), 0)
	return errors.Join(append(errs, err, f.Close())...)
}

var memory = iofile.NewMem()

// inMemory writes a file in memory; every rank has its content after the close.
func inMemory(_ context.Context, c *comm.Comm) error {
	f, err := iofile.Open(c, memory, "m", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	_, err = f.WriteOrdered(types.Of([]byte{byte(c.Rank())}))
	if err := errors.Join(err, f.Close(), c.Barrier()); err != nil {
		return err
	}
	got, err := fs.ReadFile(memory, "m")
	if err != nil {
		return err
	}
	if err := sameList("bytes", got, []byte{0, 1, 2}); err != nil {
		return err
	}
	f, err = iofile.Open(c, memory, "m", iofile.ReadWrite|iofile.DeleteOnClose)
	if err != nil {
		return err
	}
	b := []byte{9}
	_, err = f.ReadAt(types.Of(b), 2)
	if err := errors.Join(err, same("byte", b[0], 2), f.Close(), c.Barrier()); err != nil {
		return err
	}
	if _, err = fs.Stat(memory, "m"); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the file is there still: %w", err)
	}
	return nil
}
