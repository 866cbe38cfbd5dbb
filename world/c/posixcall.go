package c

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// A PosixCall is a call of POSIX or stdio on a file that the program opens through MPI, too,
// where nothing keeps the two apart. Calls of several ranks from one line are one.
type PosixCall struct {
	Ranks    []int
	Function string // such as fopen
	Place    errclass.Place
	File     string // as races name it

	// Wrong reports that bytes may be lost: the call writes the file or sets its size, and a
	// rank has it open through MPI, or opens it with nothing that orders the two. Others are
	// notes.
	Wrong bool

	Others []int          // the ranks whose calls of MPI get in the way
	Other  string         // that call, such as MPI_File_open
	At     errclass.Place // of that call

	how meeting
}

// A meeting is how a call of POSIX and what a rank does through MPI get in each other's way.
type meeting int

const (
	whileOpen meeting = iota
	beforeOpen
	untilOpen
	afterClose
	unnamed
	unsynced
)

// meetings has for each meeting what is said of it: an action, a call of MPI, ranks, a line.
var meetings = [...]string{
	whileOpen:  "%[1]s, which %[3]s had opened by %[2]s at %[4]s and not closed: " + lost,
	beforeOpen: "%[1]s, and nothing orders that before %[2]s of %[3]s at %[4]s: " + lost,
	untilOpen:  "%[1]s and had not closed it before %[2]s of %[3]s at %[4]s: " + lost,
	afterClose: "%[1]s, and nothing orders that after %[2]s of %[3]s at %[4]s: " + lost,
	unnamed:    "%[1]s, which %[3]s had opened by %[2]s at %[4]s and not closed: what was written is no longer found by that name",
	unsynced:   "%[1]s, and nothing orders that after MPI_File_sync or MPI_File_close of %[3]s, which wrote by %[2]s at %[4]s: the bytes may not be there",
}

const lost = "bytes written in one of the two ways may be lost, or replace those of the other"

// Error returns the ranks, the call, its line, and what may be lost.
func (p *PosixCall) Error() string {
	does := "opens %q for writing"
	switch p.Function {
	case "truncate":
		does = "sets the size of %q"
	case "unlink", "unlinkat", "remove":
		does = "removes %q"
	case "rename", "renameat", "renameat2":
		does = "renames or replaces %q"
	default:
		if p.how == unsynced {
			does = "opens %q for reading"
		}
	}
	what := fmt.Sprintf(meetings[p.how], fmt.Sprintf(does, p.File), p.Other, sched.RankList(p.Others), p.At.Chain())
	at := "outside of the program's code"
	if !p.Place.IsZero() {
		at = "at " + p.Place.Chain()
	}
	return fmt.Sprintf("%s: %s %s %s", sched.RankList(p.Ranks), p.Function, at, what)
}

// PosixAdvice is what to do about a [PosixCall].
const PosixAdvice = "Make calls of POSIX and stdio on a file before MPI_File_open or after MPI_File_close, with MPI_Barrier of all ranks between the two, " +
	"and close what they have opened before that barrier; or use MPI_File_read_at and MPI_File_write_at in their place."

// like reports whether two calls are one in a report.
func (p *PosixCall) like(q *PosixCall) bool {
	same := func(a, b *errclass.Place) bool { return a.File == b.File && a.Chain() == b.Chain() }
	return p.Function == q.Function && p.how == q.how && p.Wrong == q.Wrong && p.Other == q.Other && same(&p.Place, &q.Place) && same(&p.At, &q.At)
}

// addPosix adds a call to a list, or its ranks to an equal one.
func addPosix(all []*PosixCall, p *PosixCall) []*PosixCall {
	i := slices.IndexFunc(all, p.like)
	if i < 0 {
		return append(all, p)
	}
	all[i].Ranks, all[i].Others = joinRanks(all[i].Ranks, p.Ranks), joinRanks(all[i].Others, p.Others)
	return all
}

// joinRanks returns the ranks of two lists, in order.
func joinRanks(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
