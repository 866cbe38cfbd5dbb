package sched

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
)

// A RankError is the error that ended one rank.
type RankError struct {
	Rank int   // in the world
	Err  error // what the rank returned, a *PanicError or a *GoexitError
}

// Error puts the rank before the error.
func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }

// Unwrap returns the rank's own error.
func (e *RankError) Unwrap() error { return e.Err }

// A PanicError says that a rank panicked.
type PanicError struct {
	Value any    // what it panicked with
	Place Place  // the line of the program that panicked
	Stack []byte // the goroutine's stack at the time
}

// Error gives the value and the place, without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic: %v at %v", e.Value, e.Place)
}

// Unwrap returns the value if it is an error, such as a runtime.Error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A GoexitError reports that a rank ended by runtime.Goexit, without returning.
type GoexitError struct {
	Place Place // the line of the program that called runtime.Goexit, or the function that did
}

// Error names the usual cause.
func (e *GoexitError) Error() string {
	return fmt.Sprintf("left without returning at %v: runtime.Goexit, which t.FailNow and require call; return an error instead", e.Place)
}

// crash returns the error of a body that did not return; value is the result of recover. It
// runs while the frames of the body are still on the stack.
func (r *Rank) crash(value any) error {
	if value == nil { // a panic(nil) gives a *runtime.PanicNilError
		return &GoexitError{Place: failurePlace()}
	}
	return &PanicError{Value: value, Place: failurePlace(), Stack: debug.Stack()}
}

// Recovered returns the error for value, the result of recover in a deferred function that
// a panic runs. It is for functions of the program that do not run as a rank.
func Recovered(value any) *PanicError {
	return &PanicError{Value: value, Place: failurePlace(), Stack: debug.Stack()}
}

// fail records that r ended with err and aborts the world. It does not record an error that
// only repeats the cause of an abort.
func (s *Sched) fail(r *Rank, err error) {
	if cause := s.Cause(); cause != nil && Echoes(err, cause) {
		return
	}
	e := &RankError{Rank: int(r.id), Err: err}
	s.mu.Lock()
	s.failures = append(s.failures, e)
	s.mu.Unlock()
	s.Abort(e)
}

// Failures returns the errors that ended ranks, by rank, without those that only repeat the
// cause of the abort. Call it when all ranks have ended.
func (s *Sched) Failures() []*RankError {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.failures)
	slices.SortFunc(all, func(a, b *RankError) int { return cmp.Compare(a.Rank, b.Rank) })
	return all
}
