package iofile

import (
	"cmp"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A far file is one that an engine opened: every call that this package has
// checked becomes one of the engine's, and positions, sizes and what is visible
// are up to it.
type far struct {
	native  engine.File
	library string
	path    string
	mem     *lent // of a file in memory; nil of one in a directory
	under   int   // nonblocking accesses that are not complete
}

// refused gives what an engine gave back its class.
func refused(err error) error {
	return classified(err, ErrIO, "")
}

// openFar opens the file by the engine. Its rank has checked what it could.
func (f *File) openFar(op string, err error) error {
	if err == nil {
		err = f.engineCan()
	}
	if err != nil {
		return f.errorOf(op, err)
	}
	d := &far{library: f.c.EngineWorld().Library()}
	if d.path, d.mem, err = f.locate(); err != nil {
		return f.errorOf(op, err)
	}
	if d.native, err = f.c.Engine().Open(d.path, int(f.amode), hintsOf(f.how.given)); err != nil {
		return f.errorOf(op, refused(cmp.Or(err, d.mem.giveBack(f, false))))
	}
	f.far, f.set = d, &handleSet{}
	where := f.c.Sched().Place()
	f.c.AtEnd(&f.left, comm.EndFunc(func() error { return f.leftFar(where) }))
	v, err := f.compile(View{Disp: f.firstDisp(), Etype: types.Byte, Filetype: types.Byte})
	if err != nil {
		return f.errorOf(op, err)
	}
	f.view = v
	return nil
}

// engineCan finds options that have a meaning in one process alone.
func (f *File) engineCan() error {
	what := ""
	switch o := f.how; {
	case o.strategy != nil:
		what = "a strategy"
	case o.cuts:
		what = "WithTruncatingWrites"
	case o.chunked:
		what = "WithConversionBuffer"
	case f.faults != nil:
		what = "a plan of faults"
	}
	if what == "" {
		return nil
	}
	return broken(ErrUnsupportedOperation, "IO-OPEN-01", "%s is of files that this process carries out; %s has the file", what, f.c.EngineWorld().Library())
}

func (f *File) leftFar(where sched.Place) error {
	f.closed = true
	return f.neverClosed(where)
}

// hintsOf are hints as an engine takes them. A library ignores those that it
// does not know.
func hintsOf(info *comm.Info) (list []engine.Hint) {
	for key, value := range info.All() {
		list = append(list, engine.Hint{Key: key, Value: value})
	}
	return list
}

// checked reports whether accesses are checked before they are handed on.
func (f *File) checked() bool { return !f.c.Bare() }

// admitFar is admit for what a rank can know by itself.
func (f *File) admitFar(a *access) error {
	if a.wrong != nil {
		return a.wrong
	}
	if n := a.buf.Count(); n < 0 {
		return broken(ErrCount, "IO-DA-02", "count %d is negative", n)
	}
	if err := a.buf.Check(f.c.Arch()); err != nil { // the memory is the program's
		return unfit(a.buf, err)
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
	if _, err := f.reach(a.off, a.etypes); err != nil || !a.write {
		return err
	}
	return f.once(a.off, a.etypes)
}

// engineAccess is an access as an engine takes it.
func (a *access) engineAccess() engine.Access {
	return engine.Access{
		Write: a.write, At: engine.Position(a.at), All: a.with == all, Off: int64(a.off), Buf: a.buf,
	}
}

// runFar does an access that waits.
func (f *File) runFar(a access, phase engine.Phase) (Status, error) {
	if f.log != nil {
		defer f.told(&a, f.log.Begin())
		if a.with == all {
			defer f.log.Await(time.Now())
		}
	}
	if err := f.thread.Step(&a); err != nil {
		return Status{}, f.stopped(a.op, err)
	}
	if phase != engine.Finish {
		if err := f.admitFar(&a); err != nil {
			return Status{}, f.fail(a.op, err)
		}
	}
	e := a.engineAccess()
	e.Phase = phase
	st, _, err := f.far.native.Do(&e)
	if err != nil {
		return Status{}, f.fail(a.op, refused(err))
	}
	if phase == engine.Begin {
		return Status{}, nil
	}
	return f.arrived(&a, st), nil
}

// arrived is the status of an access that is over.
func (f *File) arrived(a *access, st engine.Status) Status {
	if !a.write {
		a.buf.Mend(f.c.Arch())
	}
	if f.log != nil {
		a.moved = st.Bytes
		if mem := a.buf.Packed(f.c.Arch()); a.etypes > 0 && mem > 0 { // it was measured: bytes of the file may be others
			a.moved = st.Bytes * (a.etypes * f.view.esize()) / mem
		}
		f.log.CountAccess(f.name, a.write, a.moved)
	}
	return comm.NewStatus(st.Bytes, f.c.Arch())
}

// initiateFar starts an access.
func (f *File) initiateFar(a access) (*comm.Request, error) {
	if f.log != nil {
		defer f.told(&a, f.log.Begin())
	}
	if err := f.thread.Step(&a); err != nil {
		return nil, f.stopped(a.op, err)
	}
	if err := f.admitFar(&a); err != nil {
		return nil, f.fail(a.op, err)
	}
	e := a.engineAccess()
	e.Starts = true
	_, r, err := f.far.native.Do(&e)
	if err != nil {
		return nil, f.fail(a.op, refused(err))
	}
	f.far.under++
	return f.c.NewRequest(&errand{f: f, a: a, r: r, line: f.thread.Note()}), nil
}

// An errand is a nonblocking access that an engine has under way.
type errand struct {
	f    *File
	a    access
	r    engine.Request
	line *sched.Line // of the program that began it
	over bool
	st   engine.Status
	err  error
}

func (w *errand) String() string { return w.a.op + " on file \"" + w.f.name + "\"" }

func (w *errand) Ready() bool {
	if !w.over {
		st, done, err := w.r.Test()
		if done || err != nil {
			w.end(st, err)
		}
	}
	return w.over
}

// Linger waits for the end.
func (w *errand) Linger() {
	if !w.over {
		w.end(w.r.Wait())
	}
}

func (w *errand) end(st engine.Status, err error) {
	w.over, w.st, w.err = true, st, err
	w.f.far.under--
}

func (w *errand) Finish() (Status, error) {
	if w.err != nil {
		return Status{}, w.f.raise(startedAt(w.line, w.f.errorOf(w.a.op, refused(w.err))))
	}
	return w.f.arrived(&w.a, w.st), nil
}

// Abandon leaves the access to the library, whose job ends with this process.
func (w *errand) Abandon() {}

// far calls do what an engine does for op, and give its error the file's form.
func (f *File) farDoes(op string, checks error, do func() error) error {
	defer f.returns(op, f.log.Begin())
	if err := f.thread.Step(&access{call: call{op: op}}); err != nil {
		return f.stopped(op, err)
	}
	if checks != nil && f.checked() {
		return f.fail(op, checks)
	}
	if err := do(); err != nil {
		return f.fail(op, refused(err))
	}
	return nil
}

// farTells is farDoes for a call that returns a number.
func (f *File) farTells(op string, checks error, ask func() (int64, error)) (n int64, err error) {
	err = f.farDoes(op, checks, func() (err error) {
		n, err = ask()
		return err
	})
	return n, err
}

func (f *File) setViewFar(op string, given View) error {
	hints := hintsOf(given.Info)
	given.Info = nil
	next, err := f.compile(given)
	if err != nil && f.checked() { // without the view there is nothing to check accesses against
		return f.fail(op, err)
	}
	err = f.farDoes(op, f.idle("IO-VIEW-15"), func() error {
		return f.far.native.SetView(given.Disp, given.Etype, given.Filetype, cmp.Or(given.Rep, "native"), hints)
	})
	if err == nil && next != nil {
		f.view = next
	}
	return err
}

// seekable finds what is wrong with a seek whatever the file and the view.
func seekable(off Offset, whence Whence) error {
	switch {
	case whence != SeekSet && whence != SeekCur && whence != SeekEnd:
		return broken(ErrArg, "IO-SEEK-02", "whence %d is none of SeekSet, SeekCur, SeekEnd", whence)
	case whence == SeekSet && off < 0:
		return broken(ErrArg, "IO-SEEK-02", "position %d lies before the view", off)
	}
	return nil
}

func (f *File) viewFar(op string) (v View, err error) {
	v = f.view.View
	err = f.farDoes(op, nil, func() (err error) {
		v.Disp, v.Rep, err = f.far.native.View()
		return err
	})
	return v, err
}

func (f *File) infoFar(op string) (*comm.Info, error) {
	info := comm.NewInfo()
	err := f.farDoes(op, nil, func() error {
		list, err := f.far.native.Info()
		for _, h := range list {
			_ = info.Set(h.Key, h.Value) // a value that is too long is left out
		}
		return err
	})
	return info, err
}

func (f *File) closeFar(op string) error {
	defer f.returns(op, f.log.Begin())
	if f.log != nil {
		defer f.log.Await(time.Now())
	}
	if err := f.idle("IO-CLOSE-02"); err != nil && f.checked() {
		return f.fail(op, err)
	}
	f.closed = true
	f.left.Closed()
	err := refused(f.far.native.Close())
	if back := f.far.mem.giveBack(f, true); err == nil {
		err = back
	}
	f.c.Free()
	if err != nil {
		return f.raise(f.errorOf(op, err))
	}
	return nil
}

// registerFar registers with the library of c, and here, where views are
// compiled.
func registerFar(c *comm.Comm) func(string, reps.Conversion) error {
	return func(name string, conv reps.Conversion) error {
		if err := c.Reps().Admit(name, conv); err != nil && !c.Bare() {
			return err
		}
		if err := c.EngineWorld().Register(name, conv.Read != nil || conv.Write != nil); err != nil {
			return refused(err)
		}
		err := c.Reps().Register(name, conv)
		if c.Bare() { // the library has taken it
			return nil
		}
		return err
	}
}

// deleteFar deletes a file by the engine, where it is on a path; a file in
// memory is this process's.
func deleteFar(c *comm.Comm, fsys *FS, name string, info *comm.Info) error {
	d, ok := fsys.store.(*dirStore)
	if !ok {
		return fsys.remove(name)
	}
	if err := nameError(name); err != nil {
		return err
	}
	path, err := d.path(name)
	if err != nil {
		return err
	}
	return refused(c.EngineWorld().Delete(path, hintsOf(info)))
}
