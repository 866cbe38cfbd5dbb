package iofile

import (
	"cmp"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile/store"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A far carries out the calls on a file by an engine: every call that this package has
// checked becomes one of the engine's, which determines positions, sizes and visible
// bytes.
type far struct {
	*File
	native  engine.File
	library string
	path    string
	mem     *lent // for a file in memory; nil for one in a directory
	under   int   // number of nonblocking accesses that are not complete
}

// refused adds a class to an error of an engine.
func refused(err error) error {
	return classified(err, ErrIO, "")
}

// open makes f a handle of its file. Each rank has checked what it could.
func (f *far) open(op string) error {
	wrong := f.checkOpen()
	if err := port.Dup(f.c, &f.own, op, nil, nil); err != nil {
		return f.errorOf(op, classified(err, ErrComm, "IO-OPEN-01"))
	}
	f.c, f.set = &f.own, &handleSet{}
	err := wrong
	if err == nil {
		err = f.engineCan()
	}
	if err == nil {
		err = f.openNative()
	}
	if err != nil {
		f.c.Free()
		return f.errorOf(op, err)
	}
	return nil
}

// openNative opens the file by the engine.
func (f *far) openNative() (err error) {
	f.library = port.EngineWorld(f.c).Library()
	if f.path, f.mem, err = f.locate(); err != nil {
		return err
	}
	if f.native, err = port.Engine(f.c).Open(f.path, int(f.amode), f.hintsFar()); err != nil {
		return refused(cmp.Or(err, f.mem.giveBack(f, false)))
	}
	where := port.Thread(f.c).Place()
	port.AtEnd(f.c, &f.left, commport.EndFunc(func() error { return f.leftFar(where) }))
	f.view, err = f.compile(View{Disp: f.firstDisp(), Etype: types.Byte, Filetype: types.Byte})
	return err
}

// engineCan returns an error for options that only work in one process.
func (f *far) engineCan() error {
	what := ""
	switch o := f.how; {
	case o.cuts:
		what = "WithTruncatingWrites"
	case o.chunked:
		what = "WithConversionBuffer"
	case injectorOf(f.c, f.fsys, f.name) != nil:
		what = "a plan of faults"
	}
	if what == "" {
		return nil
	}
	return broken(ErrUnsupportedOperation, "IO-OPEN-01", "%s works only on files of this process; the file belongs to %s", what, f.library)
}

func (f *far) leftFar(where sched.Place) error {
	f.closed = true
	return f.neverClosed(where)
}

// hintsFar returns the hints of Open: those of its strategy, or of the world's, and those
// that the program gives, which take precedence.
func (f *far) hintsFar() []engine.Hint {
	f.chooseStrategy()
	all := comm.NewInfo()
	for _, h := range strategy.HintsOf(f.how.moves) {
		_ = all.Set(h.Key, h.Value) // it fits: a hint is no longer
	}
	for key, value := range f.how.given.All() {
		_ = all.Set(key, value)
	}
	return hintsOf(all)
}

// hintsOf returns hints as an engine takes them. A library ignores those that it does not
// know.
func hintsOf(info *comm.Info) (list []engine.Hint) {
	for key, value := range info.All() {
		list = append(list, engine.Hint{Key: key, Value: value})
	}
	return list
}

// checked reports whether accesses are checked before they are passed to the engine.
func (f *far) checked() bool { return !port.Bare(f.c) }

// admitFar is admit for what a rank can check by itself.
func (f *far) admitFar(a *access) error {
	if a.wrong != nil {
		return a.wrong
	}
	if n := a.buf.Count(); n < 0 {
		return broken(ErrCount, "IO-DA-02", "count %d is negative", n)
	}
	if err := a.buf.Check(f.c.Arch()); err != nil { // checked here because the memory belongs to the program
		return a.unfit(err)
	}
	if !f.checked() {
		return nil
	}
	if err := f.unsplit(a); err != nil {
		return err
	}
	if a.at == explicit && a.off < 0 {
		return broken(ErrArg, "IO-DA-03", "offset %d is negative", a.off)
	}
	if err := f.match(a); err != nil {
		return err
	}
	if err := f.permits(a); err != nil {
		return err
	}
	if err := f.measure(a); err != nil || a.at != explicit {
		return err
	}
	if err := f.reach(a.off, a.etypes); err != nil || !a.write {
		return err
	}
	return f.once(a.off, a.etypes)
}

func (f *far) run(c call) (Status, error) {
	st, _, err := f.do(access{call: c}, engine.Blocking)
	return st, err
}

func (f *far) initiate(c call) (*comm.Request, error) {
	_, r, err := f.do(access{call: c}, engine.Nonblocking)
	return r, err
}

func (f *far) splitBegin(c call, end string) error {
	_, _, err := f.do(access{call: c}, engine.SplitBegin)
	if err == nil {
		f.split = &started{begin: c.op, finish: end, a: access{call: c}}
	}
	return err
}

// splitEnd calls the engine even without a first half if nothing is checked.
func (f *far) splitEnd(c call) (Status, error) {
	if err := f.alive(c.op); err != nil {
		return Status{}, err
	}
	a := access{call: c}
	switch wrong := f.unlikeBegin(&c); {
	case wrong == nil:
		a = f.split.a
		a.op, f.split = c.op, nil
	case f.split != nil || f.checked():
		return Status{}, f.fail(c.op, wrong)
	}
	st, _, err := f.do(a, engine.SplitEnd)
	return st, err
}

// do passes a call of an access to the engine.
func (f *far) do(a access, form engine.Form) (st Status, r *comm.Request, err error) {
	if err := f.alive(a.op); err != nil {
		return st, nil, err
	}
	if f.log != nil {
		defer f.logEnd(&a, f.log.Begin())
		if a.with == all && form != engine.Nonblocking {
			defer f.log.Await(time.Now())
		}
	}
	if err := f.thread.Step(&a); err != nil {
		return st, nil, f.stopped(a.op, err)
	}
	if form != engine.SplitEnd {
		if err := f.admitFar(&a); err != nil {
			return st, nil, f.fail(a.op, err)
		}
	}
	moved, under, err := f.native.Do(form, a.write, engine.Position(a.at), a.with == all, int64(a.off), a.buf)
	switch {
	case err != nil:
		err = f.fail(a.op, refused(err))
	case form == engine.Nonblocking:
		f.under++
		r = port.NewRequest(f.c, &engineRequest{f: f, a: a, r: under, line: f.thread.NoteLine(sched.AnyDepth)})
	case form != engine.SplitBegin:
		st = f.arrived(&a, moved)
	}
	return st, r, err
}

// arrived returns the status of an access that is complete.
func (f *far) arrived(a *access, st engine.Status) Status {
	if !a.write {
		a.buf.FixBools(f.c.Arch())
	}
	if f.log != nil {
		a.moved = st.Bytes
		if mem := a.buf.Packed(f.c.Arch()); a.etypes > 0 && mem > 0 { // recomputed from memory, because bytes of the file may be others
			a.moved = st.Bytes * (a.etypes * f.view.Unit.Size) / mem
		}
		f.log.CountAccess(f.name, a.write, a.moved)
	}
	return comm.NewStatus(st.Bytes, f.c.Arch())
}

// An engineRequest is a nonblocking access that an engine carries out.
type engineRequest struct {
	f    *far
	a    access
	r    engine.Request
	line *sched.Line // line of the program that began it
	over bool
	st   engine.Status
	err  error
}

func (w *engineRequest) String() string { return w.a.op + " on file \"" + w.f.name + "\"" }

func (w *engineRequest) Ready() bool {
	if !w.over {
		st, done, err := w.r.Test()
		if done || err != nil {
			w.end(st, err)
		}
	}
	return w.over
}

// WaitInEngine waits for completion of a request that is not Ready.
func (w *engineRequest) WaitInEngine() { w.end(w.r.Wait()) }

func (w *engineRequest) end(st engine.Status, err error) {
	w.over, w.st, w.err = true, st, err
	w.f.under--
}

func (w *engineRequest) Finish() (Status, error) {
	if w.err != nil {
		return Status{}, w.f.raise(startedAt(w.line, w.f.errorOf(w.a.op, refused(w.err))))
	}
	return w.f.arrived(&w.a, w.st), nil
}

// Abandon leaves the access to the library, whose job ends with this process.
func (w *engineRequest) Abandon() {}

// does makes a call without data on the engine. checks is the error of the call's
// arguments, which is ignored if nothing is checked.
func (f *far) does(op string, checks error, ask func() error) error {
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	if err := f.thread.Step(&access{call: call{op: op}}); err != nil {
		return f.stopped(op, err)
	}
	if checks != nil && f.checked() {
		return f.fail(op, checks)
	}
	if err := ask(); err != nil {
		return f.fail(op, refused(err))
	}
	return nil
}

// number is does for a call that returns a number.
func (f *far) number(op string, ask func() (int64, error)) (n int64, err error) {
	err = f.does(op, nil, func() (err error) {
		n, err = ask()
		return err
	})
	return n, err
}

func (f *far) idle(rule string) error {
	if f.under > 0 {
		return broken(ErrOther, rule, "this rank has nonblocking accesses under way (%d); complete their requests first", f.under)
	}
	return f.unfinished(rule)
}

func (f *far) sync() error { return f.does("Sync", f.idle("CONS-SYNC-02"), f.native.Sync) }

func (f *far) setSize(size int64) error {
	return f.does("SetSize", f.resizable(size, "IO-SIZE-03"), func() error { return f.native.SetSize(size) })
}

func (f *far) preallocate(size int64) error {
	return f.does("Preallocate", f.resizable(size, "IO-SIZE-05"), func() error { return f.native.Preallocate(size) })
}

func (f *far) size() (int64, error) { return f.number("Size", f.native.Size) }

func (f *far) setAtomicity(on bool) error {
	return f.does("SetAtomicity", nil, func() error { return f.native.SetAtomicity(on) })
}

func (f *far) atomicity() (on bool, err error) {
	err = f.does("Atomicity", nil, func() (err error) {
		on, err = f.native.Atomicity()
		return err
	})
	return on, err
}

func (f *far) seek(off Offset, whence Whence) error {
	checks := f.notSequential("IO-SEQ-03")
	if checks == nil {
		checks = seekable(off, whence)
	}
	return f.does("Seek", checks, func() error { return f.native.Point(int64(off), int(whence), false) })
}

func (f *far) seekShared(off Offset, whence Whence) error {
	const op = "SeekShared"
	checks := f.notSequential("IO-SHP-08")
	if checks == nil {
		checks = f.unsplit(&access{call: call{op: op, with: all}})
	}
	return f.does(op, checks, func() error { return f.native.Point(int64(off), int(whence), true) })
}

func (f *far) position() (Offset, error) { return f.pointer("Position", "IO-SEQ-03", false) }

func (f *far) positionShared() (Offset, error) { return f.pointer("PositionShared", "IO-SHP-09", true) }

func (f *far) pointer(op, rule string, shared bool) (Offset, error) {
	n, err := f.number(op, func() (int64, error) {
		if err := f.notSequential(rule); err != nil {
			return 0, err
		}
		return f.native.Position(shared)
	})
	return Offset(n), err
}

func (f *far) byteOffset(off Offset) (int64, error) {
	return f.number("ByteOffset", func() (int64, error) {
		if err := f.hasEtype(off); err != nil {
			return 0, err
		}
		return f.native.ByteOffset(int64(off))
	})
}

func (f *far) typeExtent(t *types.Type) (int64, error) {
	return f.number("TypeExtent", func() (int64, error) {
		if err := f.prepare("datatype", t, f.view.rep); err != nil {
			return 0, err
		}
		return f.native.TypeExtent(t)
	})
}

func (f *far) setView(given View) error {
	const op = "SetView"
	if err := f.alive(op); err != nil {
		return err
	}
	hints := hintsOf(given.Info)
	given.Info = nil
	next, err := f.compile(given)
	if err != nil && f.checked() { // without a view accesses could not be checked
		return f.fail(op, err)
	}
	err = f.does(op, f.idle("IO-VIEW-15"), func() error {
		return f.native.SetView(given.Disp, given.Etype, given.Filetype, cmp.Or(given.Rep, "native"), hints)
	})
	if err == nil && next != nil {
		f.view = next
	}
	return err
}

func (f *far) getView() (v View, err error) {
	err = f.does("View", nil, func() (err error) {
		v = f.view.View
		v.Disp, v.Rep, err = f.native.View()
		return err
	})
	return v, err
}

func (f *far) setInfo(info *comm.Info) error {
	return f.does("SetInfo", nil, func() error { return f.native.SetInfo(hintsOf(info)) })
}

func (f *far) info() (*comm.Info, error) {
	info := comm.NewInfo()
	err := f.does("Info", nil, func() error {
		list, err := f.native.Info()
		for _, h := range list {
			_ = info.Set(h.Key, h.Value) // a value that is too long is left out
		}
		return err
	})
	return info, err
}

func (f *far) close() error {
	const op = "Close"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	if f.log != nil {
		defer f.log.Await(time.Now())
	}
	if err := f.idle("IO-CLOSE-02"); err != nil && f.checked() {
		return f.fail(op, err)
	}
	f.closed = true
	f.left.Closed()
	err := refused(f.native.Close())
	if back := f.mem.giveBack(f, true); err == nil {
		err = back
	}
	f.c.Free()
	if err != nil {
		return f.raise(f.errorOf(op, err))
	}
	return nil
}

// showsBytes returns the error of [File.Bytes]: the engine knows the view and would not
// count bytes.
func (f *far) showsBytes() error {
	if f.view.Unit.Size == 1 && f.view.plain {
		return nil
	}
	return broken(ErrUnsupportedOperation, "IO-DA-01", "where %s has the file, bytes are seen through a view whose etype is one byte, in native form", f.library)
}

// plan returns an empty plan: how the library moves bytes is not known.
func (f *far) plan() *strategy.Plan {
	return &strategy.Plan{Strategy: strategy.Direct{}, Ranks: 1}
}

func (f *far) counts() strategy.Counts { return strategy.Counts{} }

// seekable returns an error if a seek is wrong for every file and view.
func seekable(off Offset, whence Whence) error {
	switch {
	case whence != SeekSet && whence != SeekCur && whence != SeekEnd:
		return broken(ErrArg, "IO-SEEK-02", "whence %d is none of SeekSet, SeekCur, SeekEnd", whence)
	case whence == SeekSet && off < 0:
		return broken(ErrArg, "IO-SEEK-02", "position %d is before the view", off)
	}
	return nil
}

// registerFar returns a function that registers with the library of c, and here, where
// views are compiled.
func registerFar(c *comm.Comm) func(string, reps.Conversion) error {
	return func(name string, conv reps.Conversion) error {
		if err := port.Reps(c).Admit(name, conv); err != nil && !port.Bare(c) {
			return err
		}
		if err := port.EngineWorld(c).Register(name, conv.Read != nil || conv.Write != nil); err != nil {
			return refused(err)
		}
		err := port.Reps(c).Register(name, conv)
		if port.Bare(c) { // the library has accepted it
			return nil
		}
		return err
	}
}

// deleteFar deletes a file by the engine if it is on a path; a file in memory belongs to
// this process.
func deleteFar(c *comm.Comm, fsys *FS, name string, info *comm.Info) error {
	d, ok := fsys.store.(*store.Dir)
	if !ok {
		return fsys.remove(name)
	}
	if err := nameError(name); err != nil {
		return err
	}
	path, err := d.Path(name)
	if err != nil {
		return err
	}
	return refused(port.EngineWorld(c).Delete(path, hintsOf(info)))
}
