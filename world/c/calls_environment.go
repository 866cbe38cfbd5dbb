//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include <stdlib.h>
*/
import "C"

import (
	"math"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/show/mpinames"
	"github.com/commworld/commworld/iofile"
)

// Levels of threads.
const (
	threadSingle     = 0
	threadFunneled   = 1024 // the highest level provided
	threadSerialized = 2048
	threadMultiple   = 4096 // the highest level of ranks that are processes
)

// Sizes of strings in include/mpi.h.
const (
	maxName    = 128
	maxError   = 512
	maxVersion = 8192
	maxInfoKey = 256
	maxDatarep = 128
)

// anytime lists the functions that may be called before MPI_Init and after MPI_Finalize.
var anytime = map[string]bool{
	"Init": true, "Init_thread": true, "Initialized": true, "Finalized": true, "Get_version": true,
	"Get_library_version": true, "Abi_get_version": true, "Info_create": true, "Info_create_env": true,
	"Info_set": true, "Info_delete": true, "Info_get": true, "Info_get_valuelen": true, "Info_get_string": true,
	"Info_get_nkeys": true, "Info_get_nthkey": true, "Info_dup": true, "Info_free": true,
	"Error_string": true, "Error_class": true, "Pcontrol": true, "Wtime": true, "Wtick": true,
	"Add_error_class": true, "Add_error_code": true, "Add_error_string": true, "Remove_error_class": true,
	"Remove_error_code": true, "Remove_error_string": true, "Errhandler_free": true,
	"Comm_create_errhandler": true, "File_create_errhandler": true,
}

var environmentCalls = map[string]handler{
	"Init": func(k *call) error { return k.init(threadSingle) },
	"Init_thread": func(k *call) error {
		k.skip()
		k.skip()
		provided := min(k.int(), k.r.highestLevel())
		out := k.out()
		if err := k.init(provided); err != nil {
			return err
		}
		putInt(out, provided)
		return nil
	},
	"Finalize": func(k *call) error {
		if err := k.r.deleteAttrs(); err != nil {
			return err
		}
		k.r.checkThreads()
		k.r.phase = finalized
		return nil
	},
	"Initialized": func(k *call) error { putBool(k.out(), k.r.phase != beforeInit); return nil },
	"Finalized":   func(k *call) error { putBool(k.out(), k.r.phase == finalized); return nil },
	"Abort": func(k *call) error {
		c := k.r.world
		if given, err := k.r.comms.get(k.word()); err == nil {
			c = given
		}
		k.r.ended = c.Abort(k.int())
		return k.r.ended
	},
	"Query_thread":   func(k *call) error { putInt(k.out(), k.r.threads); return nil },
	"Is_thread_main": func(k *call) error { putBool(k.out(), k.r.inMainThread()); return nil },
	"Pcontrol":       func(*call) error { return nil },
	"Get_version": func(k *call) error {
		putInt(k.out(), version)
		putInt(k.out(), subversion)
		return nil
	},
	"Abi_get_version": func(k *call) error {
		putInt(k.out(), abiVersion)
		putInt(k.out(), abiSubversion)
		return nil
	},
	"Get_library_version": func(k *call) error { return k.putText(comm.LibraryVersion(), maxVersion) },
	"Get_processor_name":  func(k *call) error { return k.putText(comm.ProcessorName(), maxName) },
	"Wtime": func(k *call) error {
		k.r.readClock = true
		k.result = int64(math.Float64bits(k.r.world.WTime()))
		return nil
	},
	"Wtick":     func(k *call) error { k.result = int64(math.Float64bits(k.r.world.WTick())); return nil },
	"Aint_add":  func(k *call) error { k.result = k.word() + k.word(); return nil },
	"Aint_diff": func(k *call) error { a, b := k.word(), k.word(); k.result = a - b; return nil },
	"Get_address": func(k *call) error {
		a := k.word()
		put(k.out(), a)
		return nil
	},
	"Alloc_mem": func(k *call) error {
		n := k.word()
		if _, err := k.info(); err != nil {
			return k.local(err)
		}
		out := k.out()
		if n < 0 {
			k.fail(errclass.Arg, "%d bytes", n)
		}
		p, err := k.r.allocate(max(n, 1))
		if err != nil {
			return err
		}
		if p == 0 {
			k.fail(errclass.NoMem, "%d bytes", n)
		}
		put(out, plain(p))
		return nil
	},
	"Free_mem": func(k *call) error {
		return k.r.deallocate(k.word())
	},
}

func (k *call) init(threads int) error {
	if k.r.phase != beforeInit {
		k.fail(errclass.Other, "MPI was initialized already")
	}
	k.r.phase, k.r.threads = initialized, threads
	if k.r.process != nil {
		k.r.mainThread = int32(k.r.process.box.thread)
	}
	if threads == threadMultiple {
		k.r.process.shareCalls()
	}
	return nil
}

// putText stores a string and its length at the addresses of the next two arguments.
func (k *call) putText(s string, room int) error {
	a, length := k.out(), k.out()
	putInt(length, putString(a, s, room))
	return nil
}

// An errhandler is a handler of errors. A program's own is for communicators or for files.
type errhandler struct {
	comm *comm.Errhandler
	file *iofile.Errhandler

	handle     int64 // the same for each reference that the program has
	references int
}

var errorCalls = map[string]handler{
	"Comm_create_errhandler": func(k *call) error {
		r, fn := k.r, k.function()
		e := &errhandler{}
		e.comm = comm.NewErrhandlerReturning(func(c *comm.Comm, err error) error {
			return r.handle(fn, r.commHandle(c), err)
		})
		return k.newErrhandler(e)
	},
	"File_create_errhandler": func(k *call) error {
		r, fn := k.r, k.function()
		e := &errhandler{}
		e.file = iofile.NewErrhandlerReturning(func(f *iofile.File, err error) error {
			h := int64(fileNull)
			if f != nil {
				if known, ok := r.fileOf[f]; ok {
					h = known
				}
			}
			return r.handle(fn, h, err)
		})
		return k.newErrhandler(e)
	},
	"Comm_set_errhandler": func(k *call) error {
		if q := k.unmadeTolerated(); q != nil {
			k.skip()
			q.handler = k.commErrhandler()
			return nil
		}
		c := k.onComm()
		return c.SetErrhandler(k.commErrhandler())
	},
	"Comm_get_errhandler": func(k *call) error {
		c := k.onComm()
		h, err := c.Errhandler()
		if err != nil {
			return err
		}
		put(k.out(), k.r.errhandlerOf(func(e *errhandler) bool { return e.comm == h }, &errhandler{comm: h}))
		return nil
	},
	"Comm_call_errhandler": func(k *call) error {
		c := k.onComm()
		return k.called(c.CallErrhandler(k.errorOfCode()))
	},
	"File_set_errhandler": func(k *call) error {
		f := k.fileOrNull()
		e := k.errhandler()
		if e.file == nil {
			k.fail(errclass.Errhandler, "the handler is one of communicators")
		}
		if f == nil {
			return iofile.SetDefaultErrhandler(k.r.world, e.file)
		}
		return f.SetErrhandler(e.file)
	},
	"File_get_errhandler": func(k *call) error {
		f := k.fileOrNull()
		var h *iofile.Errhandler
		var err error
		if f == nil {
			h, err = iofile.DefaultErrhandler(k.r.world)
		} else {
			h, err = f.Errhandler()
		}
		if err != nil {
			return err
		}
		put(k.out(), k.r.errhandlerOf(func(e *errhandler) bool { return e.file == h }, &errhandler{file: h}))
		return nil
	},
	"File_call_errhandler": func(k *call) error {
		f := k.fileOrNull()
		err := k.errorOfCode()
		if f == nil {
			h, failed := iofile.DefaultErrhandler(k.r.world)
			if failed != nil {
				return failed
			}
			return k.called(h.Raise(nil, err, func(error) { _ = k.r.world.Abort(errclass.CodeOf(err)) }))
		}
		return k.called(f.CallErrhandler(err))
	},
	"Errhandler_free": func(k *call) error {
		a := k.out()
		e, err := k.r.errs.get(peek[int64](a))
		if err != nil {
			k.fail(errclass.Errhandler, "%w", err)
		}
		if e.references--; e.references <= 0 {
			k.r.errs.remove(peek[int64](a))
		}
		k.r.errs.disown(peek[int64](a)) // few programs free what MPI_Comm_get_errhandler returns
		put(a, int64(errhandlerNull))
		return nil
	},
	"Error_class": func(k *call) error {
		class, err := k.r.world.ErrorCodes().ErrorClass(classOf(k.int()))
		if err != nil {
			return k.local(err)
		}
		putInt(k.out(), int(class))
		return nil
	},
	"Error_string": func(k *call) error {
		code := k.int()
		s, err := k.r.world.ErrorCodes().ErrorString(classOf(code))
		if text := k.r.codes.text(code); text != "" && err == nil {
			s = text
		}
		if err != nil {
			return k.local(err)
		}
		return k.putText(mpinames.Of(k.r.lastPlace.File).Text(s), maxError)
	},
	"Add_error_class": func(k *call) error {
		class, err := k.r.world.ErrorCodes().AddErrorClass()
		if err != nil {
			return k.local(err)
		}
		putInt(k.out(), int(class))
		return nil
	},
	"Add_error_code": func(k *call) error {
		code, err := k.r.world.ErrorCodes().AddErrorCode(errclass.Class(k.int()))
		if err != nil {
			return k.local(err)
		}
		putInt(k.out(), code)
		return nil
	},
	"Add_error_string": func(k *call) error {
		code := k.int()
		return k.local(k.r.world.ErrorCodes().AddErrorString(code, k.string()))
	},
	"Remove_error_class":  func(k *call) error { return k.local(k.r.world.ErrorCodes().RemoveErrorClass(errclass.Class(k.int()))) },
	"Remove_error_code":   func(k *call) error { return k.local(k.r.world.ErrorCodes().RemoveErrorCode(k.int())) },
	"Remove_error_string": func(k *call) error { return k.local(k.r.world.ErrorCodes().RemoveErrorString(k.int())) },
}

func (k *call) newErrhandler(e *errhandler) error {
	k.r.handlers = append(k.r.handlers, e)
	h := k.r.errhandlerHandle(e)
	k.r.errs.slot(h).made = k.r.lastPlace
	put(k.out(), h)
	return nil
}

func (k *call) errhandler() *errhandler {
	e, err := k.r.errs.get(k.word())
	if err != nil {
		k.fail(errclass.Errhandler, "%w", err)
	}
	return e
}

// commErrhandler reads an error handler of communicators.
func (k *call) commErrhandler() *comm.Errhandler {
	e := k.errhandler()
	if e.comm == nil {
		k.fail(errclass.Errhandler, "the handler is one of files")
	}
	return e.comm
}

// unmadeTolerated returns the request that makes the communicator of the next argument. The error
// handler of such a communicator may only be set under --tolerant: mpi4py sets it at once.
func (k *call) unmadeTolerated() *request {
	if !k.r.program.Tolerant {
		return nil
	}
	c, _ := k.r.comms.get(k.args[k.next])
	return k.r.madeLater(c)
}

// errhandlerOf returns a handle of the error handler that is selects: otherwise if it is
// the predefined one, else a new one.
func (r *rank) errhandlerOf(is func(*errhandler) bool, otherwise *errhandler) int64 {
	for h, e := range r.errs.named {
		if is(e) {
			return h
		}
	}
	for _, e := range r.handlers {
		if is(e) {
			return r.errhandlerHandle(e)
		}
	}
	return r.errhandlerHandle(otherwise)
}

// errhandlerHandle returns the handle of an error handler with one more reference.
func (r *rank) errhandlerHandle(e *errhandler) int64 {
	if e.references == 0 {
		e.handle = r.errs.add(e)
	}
	e.references++
	return e.handle
}

// handle calls a program's error handler for an error on an object, and returns the error
// for the code that the handler leaves.
func (r *rank) handle(fn, object int64, err error) error {
	a, free := r.cells(16)
	defer free()
	r.handled = true
	code := r.codes.of(err)
	put(a, r.given(fn, object))
	putInt(a+8, code)
	if _, failed := r.callback(fn, a, a+8); failed != nil {
		return failed
	}
	left := int(peek[int32](a + 8))
	r.forgiven = left == int(errclass.Success)
	if left == code || r.forgiven {
		return nil
	}
	return r.errorOfCode(left)
}

// errorOfCode reads a code and returns its error.
func (k *call) errorOfCode() error {
	code := k.int()
	err := k.r.errorOfCode(code)
	if err != nil && k.r.codes.of(err) != code {
		return k.errorOf(errclass.Arg, "%w", err)
	}
	return err
}

// called returns the result of a function that calls an error handler: success, unless
// the handler ended the world.
func (k *call) called(err error) error {
	if err != nil {
		k.r.codeOf(err)
	}
	return nil
}

// deleteAttrs deletes the attributes of MPI_COMM_SELF, the last one first.
func (r *rank) deleteAttrs() error {
	for i := len(r.selfKeys) - 1; i >= 0; i-- {
		key := r.selfKeys[i]
		if _, ok, err := r.self.Attr(key); err != nil || !ok {
			continue
		}
		if err := r.self.DeleteAttr(key); err != nil {
			return err
		}
	}
	r.selfKeys = nil
	return nil
}
