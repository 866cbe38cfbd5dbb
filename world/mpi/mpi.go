package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/engine"
)

func init() { engine.Register("mpi", driver{}) }

type driver struct{}

// A handle is one of the library's objects, as a machine word.
type handle = C.cw_h

// A world is this process's rank of a job. The rank's calls come one at a time, so they
// share the memory for results.
type world struct {
	rank, size int
	library    string
	st         *C.cw_status // memory for a status that the collector does not move
	out        *C.cw_h      // memory for a handle
	keep       unsafe.Pointer
	types      cache
	under      *request // requests under way, the newest first
	all, self  *comm
	funneled   bool // only one thread may call the library
}

// The process joins the job once and leaves it once, however many worlds a program runs.
var job struct {
	sync.Mutex
	world  *world
	held   int
	over   bool
	astray error // the reason why no world can be started
}

// Hold keeps the process in its job after a world has ended, so that a program can run
// several worlds one after the other; release, called last, leaves the job. Without Hold the
// process leaves the job after the first world, because a library can be started only once.
// A library that only one thread may call (see Threads and memory) runs only one world even
// so: the rank of the next world would be another goroutine.
func Hold() (release func() error) {
	job.Lock()
	defer job.Unlock()
	job.held++
	return sync.OnceValue(func() error {
		job.Lock()
		defer job.Unlock()
		job.held--
		return leave()
	})
}

// leave leaves the job unless a caller of Hold keeps it.
func leave() error {
	w := job.world
	if w == nil || job.held > 0 {
		return nil
	}
	job.world, job.over = nil, true
	w.types.free()
	err := w.check("MPI_Finalize", C.cw_finalize())
	w.forget()
	C.free(unsafe.Pointer(w.st))
	C.free(unsafe.Pointer(w.out))
	return err
}

// Start joins the job.
func (driver) Start() (engine.World, error) {
	job.Lock()
	defer job.Unlock()
	if job.astray != nil {
		return nil, job.astray
	}
	if job.over {
		return nil, errors.New("the MPI library was left when the first world ended and cannot be started again; " +
			"call `defer mpi.Hold()()` first thing in main to run several worlds")
	}
	if w := job.world; w != nil {
		if w.funneled && C.cw_foreign() != 0 {
			return nil, w.check("a second world", C.CW_WRONG_THREAD)
		}
		return w, nil
	}
	// If the library gives no more than MPI_THREAD_FUNNELED, the thread that initializes it
	// must make all calls.
	runtime.LockOSThread()
	const multiple, serialized = 3, 2
	var level, rank, size C.int
	w := &world{}
	if code := C.cw_init(multiple, &level, &rank, &size); code != 0 {
		return nil, w.check("MPI_Init_thread", code)
	}
	w.rank, w.size = int(rank), int(size)
	w.library = library()
	if err := w.astray(); err != nil {
		job.astray = errors.Join(err, w.check("MPI_Finalize", C.cw_finalize()))
		return nil, job.astray
	}
	if level >= serialized && os.Getenv("COMMWORLD_MPI_FUNNEL") == "" {
		runtime.UnlockOSThread()
	} else {
		w.funneled = true
		C.cw_funnel()
	}
	w.st = (*C.cw_status)(C.calloc(1, C.sizeof_cw_status))
	w.out = (*C.cw_h)(C.calloc(1, C.sizeof_cw_h))
	w.all = w.comm(C.cw_world())
	w.self = w.comm(C.cw_self())
	job.world = w
	return w, nil
}

// launched lists environment variables with which launchers give the number of processes
// that they have started. The last one also counts processes that Slurm started for
// itself.
var launched = []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}

// astray returns an error if the library does not know the launcher: each process would
// be a world of one, and all would write the same files.
func (w *world) astray() error {
	if w.size > 1 {
		return nil
	}
	for _, name := range launched {
		n, err := strconv.Atoi(os.Getenv(name))
		switch {
		case err != nil:
		case n == 1:
			return nil
		default:
			return fmt.Errorf("a launcher has started %d processes (%s), and %s, for which this program was built, knows of this one alone: "+
				"use the launcher of that library (mpirun.mpich or mpirun.openmpi; srun --mpi=pmi2 for MPICH, --mpi=pmix for Open MPI), "+
				"or build for the other one (go build is for MPICH, go build -tags openmpi for Open MPI)", n, name, w.library)
		}
	}
	return nil
}

// library shortens the library's description of itself to name and version.
func library() string {
	room := make([]byte, 8<<10)
	C.cw_library((*C.char)(unsafe.Pointer(&room[0])), C.int(len(room)))
	text, _, _ := strings.Cut(string(room), "\x00")
	return shorten(text)
}

func shorten(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' || r == ':' })
	switch {
	case len(words) > 2 && words[0] == "MPICH":
		return "MPICH " + words[2]
	case len(words) > 2 && words[0] == "Open" && words[1] == "MPI":
		return "Open MPI " + strings.TrimPrefix(words[2], "v")
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}

func (w *world) Rank() int         { return w.rank }
func (w *world) Size() int         { return w.size }
func (w *world) Library() string   { return w.library }
func (w *world) All() engine.Comm  { return w.all }
func (w *world) Self() engine.Comm { return w.self }
func (w *world) End() error        { return end() }
func (w *world) Room() engine.Room { return &room{w, 0, "MPI_Buffer_%s"} }

func end() error {
	job.Lock()
	defer job.Unlock()
	return leave()
}

// Abort prints the reason and ends the job.
func (w *world) Abort(code int, text string) {
	// The abort may end the job before the launcher has read the rank's output.
	const forwarded = 50 * time.Millisecond
	fmt.Fprintln(os.Stderr, text)
	time.Sleep(forwarded)
	C.cw_abort(C.int(code))
	os.Exit(code) // the library's MPI_Abort has returned
}

// Delete deletes a file.
func (w *world) Delete(path string, hints []engine.Hint) error {
	info, err := w.info(hints)
	if err != nil {
		return err
	}
	defer freeInfo(info)
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return w.check("MPI_File_delete", C.cw_delete(p, info))
}

// Register registers a data representation.
func (w *world) Register(name string, converts bool) error {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return w.check("MPI_Register_datarep", C.cw_register(text, cbool(converts)))
}

// check turns the result of a call into an error.
func (w *world) check(call string, code C.int) error {
	if code == 0 {
		return nil
	}
	if code == C.CW_WRONG_THREAD {
		return &engine.Error{Library: w.library, Call: call, Class: errclass.Other, Code: int(code), Text: "called by another goroutine than the rank's, " +
			"while the library lets one thread call it"}
	}
	if code == C.CW_TOO_OLD {
		return &engine.Error{Library: w.library, Call: call, Class: errclass.Other, Code: int(code), Text: "this takes MPI-4.1, and the library is older"}
	}
	room := make([]byte, 4<<10)
	C.cw_text(code, (*C.char)(unsafe.Pointer(&room[0])), C.int(len(room)))
	text, _, _ := strings.Cut(string(room), "\x00")
	return &engine.Error{
		Library: w.library, Call: call, Class: errclass.Class(C.cw_class(code)), Code: int(code),
		Text: strings.Join(strings.Fields(text), " "),
	}
}

// info makes an info object; without hints it is the null info.
func (w *world) info(hints []engine.Hint) (info handle, err error) {
	if len(hints) == 0 {
		return 0, nil
	}
	if err := w.check("MPI_Info_create", C.cw_info_create(w.out)); err != nil {
		return 0, err
	}
	info = *w.out
	for _, h := range hints {
		k, v := C.CString(h.Key), C.CString(h.Value)
		err = w.check("MPI_Info_set", C.cw_info_set(info, k, v))
		C.free(unsafe.Pointer(k))
		C.free(unsafe.Pointer(v))
		if err != nil {
			C.cw_info_free(info)
			return 0, err
		}
	}
	return info, nil
}

func (w *world) status() engine.Status {
	return engine.Status{Source: int(w.st.source), Tag: int(w.st.tag), Bytes: int64(w.st.bytes), Cancelled: w.st.cancelled != 0}
}

// Library returns name and version of the library that the program was built
// with: "MPICH 4.0.2".
func Library() string { return library() }
