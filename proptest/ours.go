package proptest

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// Ours makes layers of this module's own files. Each has a new file system in memory,
// made with opts; open is used for every open.
func Ours(opts []iofile.Option, open ...iofile.OpenOption) Maker {
	return func() (Layer, error) {
		return &oursInMemory{ours: ours{iofile.NewMem(opts...), open}, opts: opts}, nil
	}
}

// An oursInMemory is a layer on a file system of its own, which it can replace by a new
// one.
type oursInMemory struct {
	ours
	opts []iofile.Option
	plan *faults.Plan // nil: no file fails
}

func (l *oursInMemory) Fail(rules ...faults.Rule) error {
	if l.plan == nil {
		l.plan = new(faults.Plan)
		l.fsys = iofile.NewMem(append(slices.Clone(l.opts), iofile.WithFaults(l.plan))...)
	}
	return l.plan.Set(rules...)
}

func (l *oursInMemory) Remember() error {
	l.fsys = iofile.NewMem(append(slices.Clone(l.opts), iofile.WithTracking(iofile.Crashes))...)
	return nil
}

func (l *oursInMemory) Crashed(name string, seed uint64) ([]byte, error) {
	after, err := l.fsys.Crash(seed)
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(after, name)
}

// OfFS returns the files of a file system of this module as a layer.
func OfFS(fsys *iofile.FS, open ...iofile.OpenOption) Layer { return &ours{fsys, open} }

type ours struct {
	fsys *iofile.FS
	open []iofile.OpenOption
}

// Open opens a file with every capability.
func (l *ours) Open(c *comm.Comm, name string) (File, error) { return l.openFile(c, name, l.open) }

// OpenHinted opens a file with hints.
func (l *ours) OpenHinted(c *comm.Comm, name string, hints map[string]string) (File, error) {
	info := comm.NewInfo()
	for key, value := range hints {
		if err := info.Set(key, value); err != nil {
			return nil, err
		}
	}
	return l.openFile(c, name, append(slices.Clone(l.open), iofile.WithInfo(info)))
}

func (l *ours) openFile(c *comm.Comm, name string, open []iofile.OpenOption) (File, error) {
	f, err := iofile.Open(c, l.fsys, name, iofile.Create|iofile.ReadWrite, open...)
	if err != nil {
		return nil, err
	}
	return &ourFile{f: f, etype: types.Byte, unit: bytewise}, nil
}

// Stored returns the published bytes.
func (l *ours) Stored(name string) ([]byte, error) { return fs.ReadFile(l.fsys, name) }

// An ourFile knows the etype of its view, to make buffers.
type ourFile struct {
	f     *iofile.File
	etype *types.Type
	unit  unit
}

func (o *ourFile) buf(p []byte) types.Buffer {
	return types.Raw(p, int64(len(p))/o.unit.mem, o.etype)
}

// moved returns the bytes of memory that a status counts, also after an error.
func (o *ourFile) moved(st iofile.Status, err error) (int, error) {
	n, ok := st.Elements(o.etype)
	if !ok { // cut inside an item: count whole items
		bytes, _ := st.Elements(types.Byte) // of memory
		return int(o.unit.wholeMemory(bytes)), err
	}
	return int(o.unit.itemBytes(n)), err
}

func (o *ourFile) ReadAt(p []byte, off int64) (int, error) {
	return o.moved(o.f.ReadAt(o.buf(p), iofile.Offset(off)))
}

func (o *ourFile) WriteAt(p []byte, off int64) (int, error) {
	return o.moved(o.f.WriteAt(o.buf(p), iofile.Offset(off)))
}

func (o *ourFile) ReadAtAll(p []byte, off int64) (int, error) {
	return o.moved(o.f.ReadAtAll(o.buf(p), iofile.Offset(off)))
}

func (o *ourFile) WriteAtAll(p []byte, off int64) (int, error) {
	return o.moved(o.f.WriteAtAll(o.buf(p), iofile.Offset(off)))
}

func (o *ourFile) Read(p []byte) (int, error)        { return o.moved(o.f.Read(o.buf(p))) }
func (o *ourFile) Write(p []byte) (int, error)       { return o.moved(o.f.Write(o.buf(p))) }
func (o *ourFile) ReadAll(p []byte) (int, error)     { return o.moved(o.f.ReadAll(o.buf(p))) }
func (o *ourFile) WriteAll(p []byte) (int, error)    { return o.moved(o.f.WriteAll(o.buf(p))) }
func (o *ourFile) ReadShared(p []byte) (int, error)  { return o.moved(o.f.ReadShared(o.buf(p))) }
func (o *ourFile) WriteShared(p []byte) (int, error) { return o.moved(o.f.WriteShared(o.buf(p))) }
func (o *ourFile) ReadOrdered(p []byte) (int, error) { return o.moved(o.f.ReadOrdered(o.buf(p))) }
func (o *ourFile) WriteOrdered(p []byte) (int, error) {
	return o.moved(o.f.WriteOrdered(o.buf(p)))
}

func (o *ourFile) Seek(off iofile.Offset, whence iofile.Whence) error {
	return o.f.Seek(off, whence)
}

func (o *ourFile) SeekShared(off iofile.Offset, whence iofile.Whence) error {
	return o.f.SeekShared(off, whence)
}

func (o *ourFile) Position() (int64, error) {
	at, err := o.f.Position()
	return int64(at), err
}

func (o *ourFile) PositionShared() (int64, error) {
	at, err := o.f.PositionShared()
	return int64(at), err
}

func (o *ourFile) Size() (int64, error)       { return o.f.Size() }
func (o *ourFile) SetSize(n int64) error      { return o.f.SetSize(n) }
func (o *ourFile) Preallocate(n int64) error  { return o.f.Preallocate(n) }
func (o *ourFile) SetAtomicity(on bool) error { return o.f.SetAtomicity(on) }
func (o *ourFile) Sync() error                { return o.f.Sync() }
func (o *ourFile) Close() error               { return o.f.Close() }

// ByteOffset returns where in the file etype off of the view begins.
func (o *ourFile) ByteOffset(off int64) (int64, error) { return o.f.ByteOffset(iofile.Offset(off)) }

func (o *ourFile) SetView(v iofile.View) error {
	if err := o.f.SetView(v); err != nil {
		return err
	}
	o.etype, o.unit = v.Etype, etypeOf(v.Etype, v.Rep)
	return nil
}

// Start starts an access by one of 20 routines.
func (o *ourFile) Start(a gen.Access, p []byte, off int64) (Request, error) {
	buf, at := o.buf(p), iofile.Offset(off)
	if a.Form == gen.Split {
		return o.begin(a, buf, at)
	}
	type here = func(types.Buffer) (*comm.Request, error)
	type there = func(types.Buffer, iofile.Offset) (*comm.Request, error)
	var q *comm.Request
	var err error
	switch a.At {
	case gen.Explicit:
		q, err = pick(a, [2][2]there{{o.f.IReadAt, o.f.IReadAtAll}, {o.f.IWriteAt, o.f.IWriteAtAll}})(buf, at)
	case gen.Individual:
		q, err = pick(a, [2][2]here{{o.f.IRead, o.f.IReadAll}, {o.f.IWrite, o.f.IWriteAll}})(buf)
	default:
		if a.All {
			return nil, errors.New("there is no nonblocking access in rank order")
		}
		q, err = pick(a, [2][2]here{{o.f.IReadShared}, {o.f.IWriteShared}})(buf)
	}
	if err != nil {
		return nil, err
	}
	return waiter(func() (int, error) { return o.moved(q.Wait()) }), nil
}

func (o *ourFile) begin(a gen.Access, buf types.Buffer, at iofile.Offset) (Request, error) {
	type here = func(types.Buffer) error
	type half = func(types.Buffer) (iofile.Status, error)
	var err error
	var end [2]half
	switch a.At {
	case gen.Explicit:
		end = [2]half{o.f.ReadAtAllEnd, o.f.WriteAtAllEnd}
		err = [2]func(types.Buffer, iofile.Offset) error{o.f.ReadAtAllBegin, o.f.WriteAtAllBegin}[direction(a)](buf, at)
	case gen.Individual:
		end = [2]half{o.f.ReadAllEnd, o.f.WriteAllEnd}
		err = [2]here{o.f.ReadAllBegin, o.f.WriteAllBegin}[direction(a)](buf)
	default:
		end = [2]half{o.f.ReadOrderedEnd, o.f.WriteOrderedEnd}
		err = [2]here{o.f.ReadOrderedBegin, o.f.WriteOrderedBegin}[direction(a)](buf)
	}
	if err != nil {
		return nil, err
	}
	return waiter(func() (int, error) { return o.moved(end[direction(a)](buf)) }), nil
}

// A waiter is a Request that is a function.
type waiter func() (int, error)

func (w waiter) Wait() (int, error) { return w() }

func direction(a gen.Access) int {
	if a.Write {
		return 1
	}
	return 0
}

func pick[F any](a gen.Access, from [2][2]F) F {
	all := 0
	if a.All {
		all = 1
	}
	return from[direction(a)][all]
}
