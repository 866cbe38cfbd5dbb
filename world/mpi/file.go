package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"strings"
	"unsafe"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// A file is a rank's handle on a file of the library.
type file struct {
	w     *world
	h     handle
	split *request // of a split access that has begun
}

// Open opens a file on all ranks.
func (c *comm) Open(path string, amode int, hints []engine.Hint) (engine.File, error) {
	info, err := c.w.info(hints)
	if err != nil {
		return nil, err
	}
	defer freeInfo(info)
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if err := c.w.check("MPI_File_open", C.cw_open(c.h, p, C.int(amode), info, c.w.out)); err != nil {
		return nil, err
	}
	return &file{w: c.w, h: *c.w.out}, nil
}

func freeInfo(info handle) {
	if info != 0 {
		C.cw_info_free(info)
	}
}

var (
	forms     = [...]C.int{engine.Blocking: C.CW_WHOLE, engine.Nonblocking: C.CW_STARTS, engine.SplitBegin: C.CW_BEGIN, engine.SplitEnd: C.CW_END}
	verbs     = map[bool]string{false: "read", true: "write"}
	positions = [...]string{engine.Explicit: "_at", engine.Individual: "", engine.Shared: "_shared"}
	halves    = [...]string{engine.SplitBegin: "_begin", engine.SplitEnd: "_end"}
)

// name returns the name of the call for an access.
func name(form engine.Form, write bool, at engine.Position, all bool) string {
	s := "MPI_File_"
	if form == engine.Nonblocking {
		s += "i"
	}
	s += verbs[write]
	if all && at == engine.Shared {
		return s + "_ordered" + halves[form]
	}
	s += positions[at]
	if all {
		s += "_all"
	}
	return s + halves[form]
}

// Do performs a data access. Between the halves of a split one its memory belongs to the
// library.
func (f *file) Do(form engine.Form, write bool, at engine.Position, all bool, off int64, b types.Buffer) (st engine.Status, r engine.Request, err error) {
	w := f.w
	access := func(p *piece) C.int {
		return C.cw_access(f.h, cbool(write), C.int(at), cbool(all), forms[form], C.cw_int(off), p.base, p.off, p.n, p.t, w.st, w.out)
	}
	if form == engine.Nonblocking || form == engine.SplitBegin {
		q, p, err := w.begin(name(form, write, at, all), b)
		if err != nil {
			return st, nil, err
		}
		code := access(p)
		if form == engine.Nonblocking {
			r, err = q.started(code)
			return st, r, err
		}
		if code != 0 {
			return st, nil, q.release(code)
		}
		f.split = q.start(0)
		return st, nil, nil
	}
	p, err := w.piece(b)
	if err != nil {
		return st, nil, err
	}
	code := access(&p)
	p.done()
	if form == engine.SplitEnd && f.split != nil {
		_ = f.split.release(0)
		f.split = nil
	}
	if code != 0 {
		return st, nil, w.check(name(form, write, at, all), code)
	}
	return w.status(), nil, nil
}

// SetView sets the view.
func (f *file) SetView(disp int64, etype, filetype *types.Type, rep string, hints []engine.Hint) error {
	e, err := f.w.typeOf(etype)
	if err != nil {
		return err
	}
	t, err := f.w.typeOf(filetype)
	if err != nil {
		return err
	}
	info, err := f.w.info(hints)
	if err != nil {
		return err
	}
	defer freeInfo(info)
	text := C.CString(rep)
	defer C.free(unsafe.Pointer(text))
	return f.w.check("MPI_File_set_view", C.cw_set_view(f.h, C.cw_int(disp), e, t, text, info))
}

// View returns displacement and representation.
func (f *file) View() (disp int64, rep string, err error) {
	var d C.cw_int
	room := make([]byte, 1<<10)
	err = f.w.check("MPI_File_get_view", C.cw_get_view(f.h, &d, (*C.char)(unsafe.Pointer(&room[0])), C.int(len(room))))
	rep, _, _ = strings.Cut(string(room), "\x00")
	return int64(d), rep, err
}

// Point moves a pointer.
func (f *file) Point(off int64, whence int, shared bool) error {
	call := "MPI_File_seek"
	if shared {
		call = "MPI_File_seek_shared"
	}
	return f.w.check(call, C.cw_seek(f.h, C.cw_int(off), C.int(whence), cbool(shared)))
}

func (f *file) number(call string, ask func(out *C.cw_int) C.int) (int64, error) {
	var n C.cw_int
	err := f.w.check(call, ask(&n))
	return int64(n), err
}

// Position returns a pointer.
func (f *file) Position(shared bool) (int64, error) {
	call := "MPI_File_get_position"
	if shared {
		call = "MPI_File_get_position_shared"
	}
	return f.number(call, func(out *C.cw_int) C.int { return C.cw_position(f.h, cbool(shared), out) })
}

// ByteOffset returns the offset in bytes of an etype of the view.
func (f *file) ByteOffset(off int64) (int64, error) {
	return f.number("MPI_File_get_byte_offset", func(out *C.cw_int) C.int { return C.cw_byte_offset(f.h, C.cw_int(off), out) })
}

// TypeExtent returns the extent of t in the file.
func (f *file) TypeExtent(t *types.Type) (int64, error) {
	h, err := f.w.typeOf(t)
	if err != nil {
		return 0, err
	}
	return f.number("MPI_File_get_type_extent", func(out *C.cw_int) C.int { return C.cw_file_extent(f.h, h, out) })
}

// Size returns the size.
func (f *file) Size() (int64, error) {
	return f.number("MPI_File_get_size", func(out *C.cw_int) C.int { return C.cw_size(f.h, out) })
}

// SetSize sets the size.
func (f *file) SetSize(n int64) error {
	return f.w.check("MPI_File_set_size", C.cw_set_size(f.h, C.cw_int(n)))
}

// Preallocate makes room.
func (f *file) Preallocate(n int64) error {
	return f.w.check("MPI_File_preallocate", C.cw_preallocate(f.h, C.cw_int(n)))
}

// SetAtomicity sets atomic mode.
func (f *file) SetAtomicity(on bool) error {
	return f.w.check("MPI_File_set_atomicity", C.cw_set_atomicity(f.h, cbool(on)))
}

// Atomicity reports whether the file is in atomic mode.
func (f *file) Atomicity() (bool, error) {
	var on C.int
	err := f.w.check("MPI_File_get_atomicity", C.cw_atomicity(f.h, &on))
	return on != 0, err
}

// Sync publishes and adopts.
func (f *file) Sync() error { return f.w.check("MPI_File_sync", C.cw_sync(f.h)) }

// SetInfo sets hints.
func (f *file) SetInfo(hints []engine.Hint) error {
	info, err := f.w.info(hints)
	if err != nil {
		return err
	}
	if info == 0 { // a library may refuse the null info
		if err := f.w.check("MPI_Info_create", C.cw_info_create(f.w.out)); err != nil {
			return err
		}
		info = *f.w.out
	}
	defer freeInfo(info)
	return f.w.check("MPI_File_set_info", C.cw_set_info(f.h, info))
}

// Info returns the hints in use.
func (f *file) Info() (hints []engine.Hint, err error) {
	if err := f.w.check("MPI_File_get_info", C.cw_get_info(f.h, f.w.out)); err != nil {
		return nil, err
	}
	info := *f.w.out
	defer C.cw_info_free(info)
	var n C.int
	if err := f.w.check("MPI_Info_get_nkeys", C.cw_info_nkeys(info, &n)); err != nil {
		return nil, err
	}
	key, value := make([]byte, 1<<10), make([]byte, 8<<10)
	for i := range n {
		clear(key)
		clear(value)
		code := C.cw_info_nth(info, i, (*C.char)(unsafe.Pointer(&key[0])), C.int(len(key)), (*C.char)(unsafe.Pointer(&value[0])), C.int(len(value)))
		if err := f.w.check("MPI_Info_get", code); err != nil {
			return nil, err
		}
		k, _, _ := strings.Cut(string(key), "\x00")
		v, _, _ := strings.Cut(string(value), "\x00")
		hints = append(hints, engine.Hint{Key: k, Value: v})
	}
	return hints, nil
}

// Close closes the file on all ranks.
func (f *file) Close() error { return f.w.check("MPI_File_close", C.cw_close(f.h)) }
