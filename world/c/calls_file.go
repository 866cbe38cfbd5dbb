//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A file is a handle of a file.
type file struct {
	f     *iofile.File
	used  *openSpan    // for calls of POSIX
	split types.Buffer // of the split collective under way
	at    int64        // its address
	pins  []*fetched   // copies of memory of a process
}

// onFile reads a file; its handler handles errors of other arguments.
func (k *call) onFile() *iofile.File { return k.lookFile(k.word()).f }

func (k *call) lookFile(h int64) *file {
	f, err := k.r.files.get(h)
	if err != nil {
		if h == fileNull {
			err = errors.New("the file is MPI_FILE_NULL")
		}
		k.failFile(k.errorOf(errclass.File, "%w", err))
	}
	k.file = f.f
	if k.writes {
		k.r.wrote(f.used, k.name)
	}
	return f
}

// failFile ends the call with an error that the default handler of files handles.
func (k *call) failFile(err error) { panic(handled{k.raiseFile(err)}) }

// raiseFile lets the default handler of files handle an error.
func (k *call) raiseFile(err error) error {
	h, failed := iofile.DefaultErrhandler(k.r.world)
	if failed == nil {
		err = h.Raise(nil, err, func(error) { _ = k.r.world.Abort(errclass.CodeOf(err)) })
	}
	return err
}

// A handled is a [bad] whose error a handler has already handled.
type handled struct{ err error }

// fileOrNull reads a file; nil for the null handle.
func (k *call) fileOrNull() *iofile.File {
	if h := k.word(); h != fileNull {
		return k.lookFile(h).f
	}
	return nil
}

// The signatures of accesses.
type (
	access   = func(*iofile.File, types.Buffer) (comm.Status, error)
	accessAt = func(*iofile.File, types.Buffer, iofile.Offset) (comm.Status, error)
	startOf  = func(*iofile.File, types.Buffer) (*comm.Request, error)
	startAt  = func(*iofile.File, types.Buffer, iofile.Offset) (*comm.Request, error)
	beginOf  = func(*iofile.File, types.Buffer) error
	beginAt  = func(*iofile.File, types.Buffer, iofile.Offset) error
)

func moves(do access) handler {
	return func(k *call) error {
		f := k.onFile()
		st, err := do(f, k.buffer())
		putStatus(k.word(), st)
		return err
	}
}

func movesAt(do accessAt) handler {
	return func(k *call) error {
		f, off := k.onFile(), iofile.Offset(k.word())
		st, err := do(f, k.buffer(), off)
		putStatus(k.word(), st)
		return err
	}
}

// movesAll is [moves] for a collective. In common libraries some ranks may pass an offset
// while others use their pointers; under --tolerant the latter pass the pointer's offset.
func movesAll(do access, doAt accessAt) handler {
	strict := moves(do)
	return func(k *call) error {
		if !k.r.program.Tolerant {
			return strict(k)
		}
		f := k.onFile()
		off, err := f.Position()
		if err != nil {
			return err
		}
		b := k.buffer()
		st, err := doAt(f, b, off)
		putStatus(k.word(), st)
		if err != nil {
			return err
		}
		v, err := f.View()
		if err != nil {
			return err
		}
		return f.Seek(off+iofile.Offset(b.Packed(k.r.sizes)/max(v.Etype.Size(k.r.sizes), 1)), iofile.SeekSet)
	}
}

func starts(do startOf) handler {
	return func(k *call) error {
		f := k.onFile()
		return k.started(do(f, k.buffer()))
	}
}

func startsAt(do startAt) handler {
	return func(k *call) error {
		f, off := k.onFile(), iofile.Offset(k.word())
		return k.started(do(f, k.buffer(), off))
	}
}

func begins(do beginOf) handler {
	return func(k *call) error {
		f := k.lookFile(k.word())
		f.at = k.args[k.next]
		b := k.buffer()
		err := do(f.f, b)
		if err == nil {
			f.split, f.pins = b, k.r.remote().pin(port.Guards(k.r.world))
		}
		return err
	}
}

func beginsAt(do beginAt) handler {
	return func(k *call) error {
		f, off := k.lookFile(k.word()), iofile.Offset(k.word())
		f.at = k.args[k.next]
		b := k.buffer()
		err := do(f.f, b, off)
		if err == nil {
			f.split, f.pins = b, k.r.remote().pin(port.Guards(k.r.world))
		}
		return err
	}
}

// ends handles the second half of a split collective, whose buffer is that of the first
// half.
func ends(do access) handler {
	return func(k *call) error {
		f := k.lookFile(k.word())
		if a := k.word(); f.split.Mem() != nil && a != f.at {
			k.fail(errclass.Buffer, "the buffer is at %#x; that of the call that began is at %#x", plain(a), plain(f.at))
		}
		k.r.remote().refresh(f.pins, false)
		defer func() { k.r.remote().release(f.pins); f.pins = nil }()
		b := f.split
		f.split = types.Buffer{}
		st, err := do(f.f, b)
		putStatus(k.word(), st)
		return err
	}
}

var fileCalls = map[string]handler{
	"File_open":  openFile,
	"File_close": closeFile,
	"File_delete": func(k *call) error {
		name := k.string()
		info := k.infoOrFail()
		dir, base, err := k.r.locate(fileName(name))
		if err != nil {
			return k.local(err)
		}
		fsys, err := k.r.program.fsOf(dir)
		if err != nil {
			return k.local(err)
		}
		err = iofile.DeleteFor(k.r.world, fsys, base, info)
		if k.deletes = fmt.Sprintf("%p/%s", fsys, base); err == nil {
			k.r.program.noteDeleted(k.deletes, k.r.world.Rank())
			k.r.program.uses.deleted(filepath.Join(dir, base))
		}
		return err
	},
	"File_set_size":    func(k *call) error { return k.onFile().SetSize(k.word()) },
	"File_preallocate": func(k *call) error { return k.onFile().Preallocate(k.word()) },
	"File_get_size": func(k *call) error {
		n, err := k.onFile().Size()
		if err == nil {
			put(k.out(), n)
		}
		return err
	},
	"File_get_group": func(k *call) error {
		g, err := k.onFile().Group()
		return k.newGroup(g, err)
	},
	"File_get_amode": func(k *call) error {
		m, err := k.onFile().Amode()
		if err == nil {
			putInt(k.out(), int(m))
		}
		return err
	},
	"File_set_info": func(k *call) error {
		f := k.onFile()
		return f.SetInfo(k.infoOrFail())
	},
	"File_get_info": func(k *call) error {
		info, err := k.onFile().Info()
		if err == nil {
			put(k.out(), k.r.infos.add(info.Dup()))
		}
		return err
	},
	"File_set_view": func(k *call) error {
		f := k.onFile()
		v := iofile.View{Disp: k.word(), Etype: k.datatype(), Filetype: k.datatype(), Rep: k.string(), Info: k.infoOrFail()}
		return f.SetView(v)
	},
	"File_get_view": func(k *call) error {
		v, err := k.onFile().View()
		if err != nil {
			return err
		}
		put(k.out(), v.Disp)
		for _, t := range []*types.Type{v.Etype, v.Filetype} {
			h, _ := k.r.datatypeHandle(t)
			put(k.out(), h)
		}
		rep := v.Rep
		if rep == "" {
			rep = "native"
		}
		putString(k.out(), rep, maxDatarep)
		return nil
	},
	"File_read_at":       movesAt((*iofile.File).ReadAt),
	"File_read_at_all":   movesAt((*iofile.File).ReadAtAll),
	"File_write_at":      movesAt((*iofile.File).WriteAt),
	"File_write_at_all":  movesAt((*iofile.File).WriteAtAll),
	"File_read":          moves((*iofile.File).Read),
	"File_read_all":      movesAll((*iofile.File).ReadAll, (*iofile.File).ReadAtAll),
	"File_write":         moves((*iofile.File).Write),
	"File_write_all":     movesAll((*iofile.File).WriteAll, (*iofile.File).WriteAtAll),
	"File_read_shared":   moves((*iofile.File).ReadShared),
	"File_write_shared":  moves((*iofile.File).WriteShared),
	"File_read_ordered":  moves((*iofile.File).ReadOrdered),
	"File_write_ordered": moves((*iofile.File).WriteOrdered),

	"File_iread_at":      startsAt((*iofile.File).IReadAt),
	"File_iread_at_all":  startsAt((*iofile.File).IReadAtAll),
	"File_iwrite_at":     startsAt((*iofile.File).IWriteAt),
	"File_iwrite_at_all": startsAt((*iofile.File).IWriteAtAll),
	"File_iread":         starts((*iofile.File).IRead),
	"File_iread_all":     starts((*iofile.File).IReadAll),
	"File_iwrite":        starts((*iofile.File).IWrite),
	"File_iwrite_all":    starts((*iofile.File).IWriteAll),
	"File_iread_shared":  starts((*iofile.File).IReadShared),
	"File_iwrite_shared": starts((*iofile.File).IWriteShared),

	"File_read_at_all_begin":   beginsAt((*iofile.File).ReadAtAllBegin),
	"File_read_at_all_end":     ends((*iofile.File).ReadAtAllEnd),
	"File_write_at_all_begin":  beginsAt((*iofile.File).WriteAtAllBegin),
	"File_write_at_all_end":    ends((*iofile.File).WriteAtAllEnd),
	"File_read_all_begin":      begins((*iofile.File).ReadAllBegin),
	"File_read_all_end":        ends((*iofile.File).ReadAllEnd),
	"File_write_all_begin":     begins((*iofile.File).WriteAllBegin),
	"File_write_all_end":       ends((*iofile.File).WriteAllEnd),
	"File_read_ordered_begin":  begins((*iofile.File).ReadOrderedBegin),
	"File_read_ordered_end":    ends((*iofile.File).ReadOrderedEnd),
	"File_write_ordered_begin": begins((*iofile.File).WriteOrderedBegin),
	"File_write_ordered_end":   ends((*iofile.File).WriteOrderedEnd),

	"File_seek": func(k *call) error { f := k.onFile(); return f.Seek(iofile.Offset(k.word()), iofile.Whence(k.word())) },
	"File_seek_shared": func(k *call) error {
		f := k.onFile()
		return f.SeekShared(iofile.Offset(k.word()), iofile.Whence(k.word()))
	},
	"File_get_position": func(k *call) error {
		n, err := k.onFile().Position()
		if err == nil {
			put(k.out(), n)
		}
		return err
	},
	"File_get_position_shared": func(k *call) error {
		n, err := k.onFile().PositionShared()
		if err == nil {
			put(k.out(), n)
		}
		return err
	},
	"File_get_byte_offset": func(k *call) error {
		f := k.onFile()
		n, err := f.ByteOffset(iofile.Offset(k.word()))
		if err == nil {
			put(k.out(), n)
		}
		return err
	},
	"File_get_type_extent": func(k *call) error {
		f := k.onFile()
		n, err := f.TypeExtent(k.anyDatatype())
		if err == nil {
			put(k.out(), n)
		}
		return err
	},
	"File_set_atomicity": func(k *call) error { f := k.onFile(); return f.SetAtomicity(k.bool()) },
	"File_get_atomicity": func(k *call) error {
		on, err := k.onFile().Atomicity()
		if err == nil {
			putBool(k.out(), on)
		}
		return err
	},
	"File_sync": func(k *call) error {
		f := k.lookFile(k.word())
		err := f.f.Sync()
		if err == nil {
			k.r.syncs(f.used)
		}
		return err
	},
	"Register_datarep": registerDatarep,
}

// fileName removes the prefix of a file system, such as ufs:, which common libraries
// accept.
func fileName(name string) string {
	for i := range len(name) {
		switch c := name[i]; {
		case c == ':' && i > 1:
			return name[i+1:]
		case c < 'a' || c > 'z':
			return name
		}
	}
	return name
}

func openFile(k *call) error {
	c, err := k.r.comms.get(k.word())
	if err != nil {
		k.failFile(k.errorOf(errclass.Comm, "%w", err))
	}
	name, mode := k.string(), iofile.Mode(k.word())
	info, err := k.info()
	if err != nil {
		k.failFile(err)
	}
	out := k.out()
	dir, base, err := k.r.locate(fileName(name))
	if err != nil {
		k.failFile(err)
	}
	fsys, err := k.r.program.fsOf(dir)
	if err != nil {
		k.failFile(err)
	}
	opts := append([]iofile.OpenOption{iofile.WithInfo(info)}, k.r.program.Options.Open...)
	if k.r.program.Tolerant {
		opts = append(opts, iofile.WithMatch(types.MatchSize))
	}
	used := k.r.opening(dir, base, c.Size() > 1)
	f, err := iofile.Open(c, fsys, base, mode, opts...)
	if k.r.opened(used, err); err != nil {
		put(out, int64(fileNull))
		return err
	}
	h := k.r.files.add(&file{f: f, used: used})
	k.r.fileOf[f] = h
	put(out, h)
	return nil
}

func closeFile(k *call) error {
	a := k.out()
	h := peek[int64](a)
	f := k.lookFile(h)
	k.r.closing(f.used)
	err := f.f.Close()
	if k.r.closed(f.used, err); err != nil {
		return err
	}
	delete(k.r.fileOf, f.f)
	k.r.files.remove(h)
	put(a, int64(fileNull))
	return nil
}

// registerDatarep registers a data representation with functions of the program.
func registerDatarep(k *call) error {
	name, read, write, extent, state := k.string(), k.word(), k.word(), k.word(), k.word()
	r, large := k.r, k.large
	convert := func(fn int64) reps.ConversionFunc {
		if fn == 0 {
			return nil
		}
		return func(user reps.Memory, t *types.Type, count int64, file []byte, position int64, _ any) error {
			return r.convert(fn, large, user, t, count, file, position, state)
		}
	}
	conv := reps.Conversion{Read: convert(read), Write: convert(write)}
	if extent != 0 {
		conv.Extent = func(t *types.Type, _ any) (int64, error) { return r.fileExtent(extent, t, state) }
	}
	return iofile.RegisterDatarep(r.world, name, conv)
}
