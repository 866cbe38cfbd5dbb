package rerun

import (
	"errors"
	"maps"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A handler carries out a call.
type handler func(a *args) error

// handlers has the handlers by the names of functions, without MPI_.
var handlers = map[string]handler{}

func init() {
	for _, table := range []map[string]handler{fileCalls, accessCalls("read", reads), accessCalls("write", writes), messageCalls, requestCalls, collectiveCalls(), commCalls} {
		maps.Copy(handlers, table)
	}
}

// An accesses has the methods of reads or of writes.
type accesses struct {
	at, atAll                    func(*iofile.File, types.Buffer, iofile.Offset) (comm.Status, error)
	plain, all, shared, ordered  func(*iofile.File, types.Buffer) (comm.Status, error)
	iAt, iAtAll                  func(*iofile.File, types.Buffer, iofile.Offset) (*comm.Request, error)
	iPlain, iAll, iShared        func(*iofile.File, types.Buffer) (*comm.Request, error)
	atAllBegin                   func(*iofile.File, types.Buffer, iofile.Offset) error
	allBegin, orderedBegin       func(*iofile.File, types.Buffer) error
	atAllEnd, allEnd, orderedEnd func(*iofile.File, types.Buffer) (comm.Status, error)
}

var reads = accesses{
	at: (*iofile.File).ReadAt, atAll: (*iofile.File).ReadAtAll,
	plain: (*iofile.File).Read, all: (*iofile.File).ReadAll, shared: (*iofile.File).ReadShared, ordered: (*iofile.File).ReadOrdered,
	iAt: (*iofile.File).IReadAt, iAtAll: (*iofile.File).IReadAtAll,
	iPlain: (*iofile.File).IRead, iAll: (*iofile.File).IReadAll, iShared: (*iofile.File).IReadShared,
	atAllBegin: (*iofile.File).ReadAtAllBegin, allBegin: (*iofile.File).ReadAllBegin, orderedBegin: (*iofile.File).ReadOrderedBegin,
	atAllEnd: (*iofile.File).ReadAtAllEnd, allEnd: (*iofile.File).ReadAllEnd, orderedEnd: (*iofile.File).ReadOrderedEnd,
}

var writes = accesses{
	at: (*iofile.File).WriteAt, atAll: (*iofile.File).WriteAtAll,
	plain: (*iofile.File).Write, all: (*iofile.File).WriteAll, shared: (*iofile.File).WriteShared, ordered: (*iofile.File).WriteOrdered,
	iAt: (*iofile.File).IWriteAt, iAtAll: (*iofile.File).IWriteAtAll,
	iPlain: (*iofile.File).IWrite, iAll: (*iofile.File).IWriteAll, iShared: (*iofile.File).IWriteShared,
	atAllBegin: (*iofile.File).WriteAtAllBegin, allBegin: (*iofile.File).WriteAllBegin, orderedBegin: (*iofile.File).WriteOrderedBegin,
	atAllEnd: (*iofile.File).WriteAtAllEnd, allEnd: (*iofile.File).WriteAllEnd, orderedEnd: (*iofile.File).WriteOrderedEnd,
}

// accessCalls returns the handlers of the data accesses of one direction.
func accessCalls(way string, x accesses) map[string]handler {
	all := map[string]handler{}
	add := func(form string, do handler) { all["File_"+strings.ReplaceAll(form, "%", way)] = do }
	for form, do := range map[string]func(*iofile.File, types.Buffer, iofile.Offset) (comm.Status, error){"%_at": x.at, "%_at_all": x.atAll} {
		add(form, func(a *args) error {
			f, off := a.file().f, a.n()
			_, err := do(f, a.buffer(), iofile.Offset(off))
			return err
		})
	}
	for form, do := range map[string]func(*iofile.File, types.Buffer) (comm.Status, error){"%": x.plain, "%_all": x.all, "%_shared": x.shared, "%_ordered": x.ordered} {
		add(form, func(a *args) error {
			_, err := do(a.file().f, a.buffer())
			return err
		})
	}
	for form, do := range map[string]func(*iofile.File, types.Buffer, iofile.Offset) (*comm.Request, error){"i%_at": x.iAt, "i%_at_all": x.iAtAll} {
		add(form, func(a *args) error {
			f, off := a.file().f, a.n()
			return a.started(do(f, a.buffer(), iofile.Offset(off)))
		})
	}
	for form, do := range map[string]func(*iofile.File, types.Buffer) (*comm.Request, error){"i%": x.iPlain, "i%_all": x.iAll, "i%_shared": x.iShared} {
		add(form, func(a *args) error { return a.started(do(a.file().f, a.buffer())) })
	}
	add("%_at_all_begin", func(a *args) error {
		f, off := a.file(), a.n()
		f.split = a.buffer()
		return a.shape(f, x.atAllBegin(f.f, f.split, iofile.Offset(off)))
	})
	for form, do := range map[string]func(*iofile.File, types.Buffer) error{"%_all_begin": x.allBegin, "%_ordered_begin": x.orderedBegin} {
		add(form, func(a *args) error {
			f := a.file()
			f.split = a.buffer()
			return a.shape(f, do(f.f, f.split))
		})
	}
	for form, do := range map[string]func(*iofile.File, types.Buffer) (comm.Status, error){"%_at_all_end": x.atAllEnd, "%_all_end": x.allEnd, "%_ordered_end": x.orderedEnd} {
		add(form, func(a *args) error {
			f := a.file()
			_, err := do(f.f, f.split)
			f.split = types.Buffer{}
			return a.shape(f, err)
		})
	}
	return all
}

var fileCalls = map[string]handler{
	"File_open": func(a *args) error {
		c, name, mode, info := a.comm(), a.text(), a.mode(), a.info()
		a.n() // its size before
		f, err := iofile.Open(c, a.k.job.fs, fileName(name), mode, iofile.WithInfo(info))
		if errclass.CodeOf(err) == int(errclass.UnsupportedOperation) {
			return a.k.skip("file %q at %v is not judged: %v", name, *a.k.place(a.call.Site), err)
		}
		if err == nil {
			a.k.files.set(a.output("F"), &file{f: f, opened: a.k.place(a.call.Site).String()})
		}
		return err
	},
	"File_close": func(a *args) error {
		id, f := a.call.Args[0], a.file()
		err := f.f.Close()
		if err == nil || !failedInJob(a.call) {
			a.k.files.set(id, nil)
		}
		if err != nil && !failedInJob(a.call) {
			a.k.open = append(a.k.open, f)
		}
		if f.lost {
			return nil // what made it so is reported
		}
		return err
	},
	"File_delete": func(a *args) error {
		name := fileName(a.text())
		err := iofile.DeleteFor(a.k.world, a.k.job.fs, name, a.info())
		if errors.Is(err, errclass.NoSuchFile) && !failedInJob(a.call) {
			return nil // it was there before the job
		}
		return err
	},
	"File_set_size":    func(a *args) error { return a.file().f.SetSize(a.n()) },
	"File_preallocate": func(a *args) error { return a.file().f.Preallocate(a.n()) },
	"File_get_size": func(a *args) error {
		_, err := a.file().f.Size()
		return err
	},
	"File_set_info": func(a *args) error { return a.file().f.SetInfo(a.info()) },
	"File_set_view": func(a *args) error {
		f := a.file()
		return a.shape(f, f.f.SetView(iofile.View{Disp: a.n(), Etype: a.typ(), Filetype: a.typ(), Rep: a.text(), Info: a.info()}))
	},
	"File_seek": func(a *args) error {
		f, off := a.file().f, a.n()
		return f.Seek(iofile.Offset(off), a.whence())
	},
	"File_seek_shared": func(a *args) error {
		f, off := a.file().f, a.n()
		return f.SeekShared(iofile.Offset(off), a.whence())
	},
	"File_get_position": func(a *args) error {
		_, err := a.file().f.Position()
		return err
	},
	"File_get_position_shared": func(a *args) error {
		_, err := a.file().f.PositionShared()
		return err
	},
	"File_set_atomicity": func(a *args) error {
		f := a.file()
		return a.shape(f, f.f.SetAtomicity(a.n() != 0))
	},
	"File_sync": func(a *args) error { return a.file().f.Sync() },
	"Abort": func(a *args) error {
		c := a.k.comms.get(a.field("c"))
		if c == nil {
			c = a.k.world
		}
		return c.Abort(int(a.n()))
	},
}
