package c

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/commworld/commworld/errclass"
)

// errJump ends a rank whose program used longjmp to leave a function that MPI had called.
var errJump = errors.New("the program left a function that MPI had called by longjmp, which the standard does not allow: let it return")

// An ExitError says that a rank ended, by exit or by returning from main, with a status
// other than 0, or where MPI does not allow it to end.
type ExitError struct {
	Code  int
	Place errclass.Place // the line that called exit; unknown if main returned
	Phase string         // "before MPI_Finalize", and so on
}

// Error says how the rank ended.
func (e *ExitError) Error() string {
	how := "main returned"
	if !e.Place.IsZero() {
		how = e.Place.Chain() + ": the rank called exit"
	}
	text := fmt.Sprintf("%s with status %d", how, e.Code)
	if e.Phase != phaseDone {
		text += " " + e.Phase
	}
	return text
}

const phaseDone = "after MPI_Finalize"

// An ExecError says that a rank called a function such as execve, which would have put
// another program in the place of all ranks.
type ExecError struct {
	Program string // that was to run
	Place   errclass.Place
}

// Error names the line and what to call.
func (e *ExecError) Error() string {
	return fmt.Sprintf("%s: the rank called exec for %q, which would end all ranks, because they are one process: call fork first and exec in the child, or system", e.Place.Chain(), e.Program)
}

// A LastCall is the last call of MPI that a rank made before its process ended.
type LastCall struct {
	Rank     int
	Function string         // such as MPI_Barrier, empty before the first call
	Inside   bool           // the call had not returned
	Signal   syscall.Signal // that the rank got after the call, at Place; 0: none
	Place    errclass.Place
}

// String says where the rank was.
func (l LastCall) String() string {
	where := "before its first call of MPI"
	switch {
	case l.Inside:
		where = "in " + l.Function
	case l.Function != "":
		where = "after " + l.Function
	}
	if l.Signal != 0 {
		where = fmt.Sprintf("got signal %d (%v)", int(l.Signal), l.Signal)
	}
	if !l.Place.IsZero() {
		where += " at " + l.Place.Chain()
	}
	return fmt.Sprintf("rank %d: %s", l.Rank, where)
}

// A SignalError says that the C code of a rank got a signal, which would have ended a
// process.
type SignalError struct {
	Signal  syscall.Signal
	Place   errclass.Place
	Address uintptr // the address accessed, for SIGSEGV and SIGBUS
	Stack   int64   // bytes of the rank's stack, if it was full; else 0
}

// Error returns the signal and the line.
func (e *SignalError) Error() string {
	at := "outside of the program's code"
	if !e.Place.IsZero() {
		at = e.Place.Chain()
	}
	text := fmt.Sprintf("%s: signal %d (%v)", at, int(e.Signal), e.Signal)
	switch {
	case e.Stack > 0:
		text += fmt.Sprintf(": the stack of %d MiB is full, by recursion without end or by large arrays in functions; ulimit -s sets its size", e.Stack>>20)
	case e.Signal == syscall.SIGSEGV || e.Signal == syscall.SIGBUS:
		text += fmt.Sprintf(" at address %#x", e.Address)
	}
	return text
}

// A StoppedError says that a rank was stopped: its world had ended, by a failure of
// another rank or because it took too long, and the C code of the rank continued without
// a call of MPI.
type StoppedError struct {
	Place errclass.Place // where the rank was
	Crash bool           // another rank had got a signal, and may have left a lock of the C library behind
}

// Error names the line.
func (e *StoppedError) Error() string {
	at := "outside of the program's code"
	if !e.Place.IsZero() {
		at = e.Place.Chain()
	}
	if e.Crash {
		return at + ": the rank was stopped: it made no call of MPI after the crash of another rank, which may have left the heap or another lock of the C library locked"
	}
	return at + ": the rank ran on without a call of MPI when the world had ended, and was stopped"
}

// A callError is an error of a call with the line that made it.
type callError struct {
	place errclass.Place
	err   error
}

func (e *callError) Error() string { return e.place.Chain() + ": " + e.err.Error() }

func (e *callError) Unwrap() error { return e.err }
