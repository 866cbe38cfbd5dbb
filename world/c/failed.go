package c

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// A FailedCall is a call of MPI that returned an error to the program, which went on. Calls of
// several ranks from one line with the same error are one.
type FailedCall struct {
	Ranks    []int
	Function string // such as MPI_File_open
	Place    errclass.Place
	Count    int // calls of all ranks

	// Dropped reports that the source drops the result of the call, so that the program
	// cannot know. It is false where commworldcc does not know, where the result is cast to
	// void, and where a rank deletes a file that is not there.
	Dropped bool

	Err error // the first error
}

// Error returns the ranks, the call, its line and the error.
func (f *FailedCall) Error() string {
	how := "failed"
	if f.Dropped {
		how = "failed, and the program drops its result"
	}
	times := ""
	if n := f.Count / len(f.Ranks); n > 1 {
		times = fmt.Sprintf(" (%d times)", n)
	}
	return fmt.Sprintf("%s: %s at %s %s%s: %s", sched.RankList(f.Ranks), f.Function, f.Place.Chain(), how, times, sentence(f.Err))
}

// Unwrap returns the error.
func (f *FailedCall) Unwrap() error { return f.Err }

// sentence returns an error without the rank, the call and the line.
func sentence(err error) string {
	var e *errclass.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := e.Class.Error()
	if e.Object != "" {
		text += fmt.Sprintf(": %q", e.Object)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Rule != "" {
		text += " (" + e.Rule + ")"
	}
	return text
}

// like reports whether two failed calls are one in a report.
func (f *FailedCall) like(g *FailedCall) bool {
	return g.Function == f.Function && g.Dropped == f.Dropped && g.Place.File == f.Place.File && g.Place.Chain() == f.Place.Chain() && kindOf(g.Err) == kindOf(f.Err)
}

// kindOf returns the class and the rule of an error; its text may differ from rank to rank.
func kindOf(err error) string {
	var e *errclass.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return e.Class.Name() + e.Rule
}

// repeats reports whether an error only repeats that of another rank.
func repeats(err error) bool {
	var e *errclass.Error
	return errors.As(err, &e) && e.Err != nil && strings.HasPrefix(e.Err.Error(), "failed on rank ")
}

// naming returns the calls as those that had failed before what a report is about.
func naming(all []*FailedCall) string {
	const most = 3
	var list []string
	for i, f := range all {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		list = append(list, fmt.Sprintf("%s of %s had failed at %s: %s", f.Function, sched.RankList(f.Ranks), f.Place.Chain(), sentence(f.Err)))
	}
	return strings.Join(list, "; ")
}

// add adds a failed call to a list, or its rank to an equal one.
func add(all []*FailedCall, f *FailedCall) []*FailedCall {
	for _, g := range all {
		if g.like(f) {
			g.Count += f.Count
			if repeats(g.Err) && !repeats(f.Err) {
				g.Err = f.Err
			}
			for _, rank := range f.Ranks {
				if !slices.Contains(g.Ranks, rank) {
					g.Ranks = append(g.Ranks, rank)
				}
			}
			slices.Sort(g.Ranks)
			return all
		}
	}
	return append(all, f)
}

// Advice returns what to do about results that a program drops, empty if it drops none.
func Advice(all []*FailedCall) string {
	files, others := false, false
	for _, f := range all {
		if !f.Dropped {
			continue
		}
		var e *errclass.Error
		if strings.HasPrefix(f.Function, "MPI_File_") || errors.As(f.Err, &e) && e.Pkg == "iofile" { // MPI_Wait for an access
			files = true
		} else {
			others = true
		}
	}
	var do []string
	if files {
		do = append(do, "call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL) before the first MPI_File_open")
	}
	if others {
		do = append(do, "leave MPI_ERRORS_ARE_FATAL the handler of the communicators")
	}
	if len(do) == 0 {
		return ""
	}
	return "Check what these calls return; or, to end the run at the first error, " + strings.Join(do, ", and ") + "."
}
