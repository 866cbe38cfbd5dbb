package comm

import (
	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// Wildcards and special values for ranks, tags and colours. They differ from
// each other, so that one used in place of another is found.
const (
	AnySource = -1     // MPI_ANY_SOURCE
	AnyTag    = -2     // MPI_ANY_TAG
	ProcNull  = -3     // MPI_PROC_NULL: a message to or from no rank
	Undefined = -32766 // MPI_UNDEFINED
)

// MaxTag is the greatest tag.
//
// MPI_TAG_UB
const MaxTag = 1<<31 - 1

// A Status says what an operation received. The zero Status is that of an
// operation that moved nothing. The query function of a generalized request sets
// Source and Tag by assigning them.
//
// MPI_Status
type Status struct {
	Source int // rank in the communicator of the call
	Tag    int

	// Err is the operation's own error, set by the calls on several requests that
	// return ErrInStatus; others leave it alone. (ERR-08)
	Err error

	bytes int64 // the sign bit says that it was cancelled: a window has many statuses, so they are small
	arch  *reps.Arch
}

const cancelled = -1 << 63

// NewStatus returns the status of an operation without source and tag, such as a file
// access. bytes is the number of bytes moved, packed as in the memory of a rank of
// architecture a.
func NewStatus(bytes int64, a *reps.Arch) Status { return Status{bytes: bytes, arch: a} }

// emptyStatus returns the status of an operation on ProcNull or on nothing. (P2P-04)
func emptyStatus(source int) Status { return Status{Source: source, Tag: AnyTag} }

// Count returns how many copies of t were received; ok is false if they are
// no whole number. (STAT-01)
//
// MPI_Get_count
func (s Status) Count(t *types.Type) (n int64, ok bool) {
	return types.CountIn(s.size(), t, s.sizes())
}

// Elements returns how many basic items of copies of t were received; ok is
// false if an item is cut. (STAT-01)
//
// MPI_Get_elements
func (s Status) Elements(t *types.Type) (n int64, ok bool) {
	return types.ElementsIn(s.size(), t, s.sizes())
}

// Bytes returns how many bytes were received or moved, packed as in the memory of
// the rank: what [Status.Count] counts copies of. (STAT-01)
func (s Status) Bytes() int64 { return s.size() }

// Cancelled reports whether the operation was ended by [Request.Cancel] without
// any effect; then the other fields mean nothing. (STAT-01)
//
// MPI_Test_cancelled
func (s Status) Cancelled() bool { return s.bytes < 0 }

// SetCancelled sets what Cancelled returns. It does nothing on nil. It is for the query
// function of a generalized request. (GREQ-01)
//
// MPI_Status_set_cancelled
func (s *Status) SetCancelled(is bool) {
	if s == nil {
		return
	}
	s.bytes = s.size()
	if is {
		s.bytes |= cancelled
	}
}

func (s Status) size() int64 { return s.bytes &^ cancelled }

// SetElements sets what Elements returns for the same t: n basic items of copies of t have
// come. It is for the query function of a generalized request. Errors: ErrArg for nil,
// ErrCount, ErrType. (DT-GETC-03)
//
// MPI_Status_set_elements
func (s *Status) SetElements(t *types.Type, n int64) error {
	if s == nil {
		return noComm.fail("SetElements", broken(ErrArg, "DT-GETC-03", "the status is nil; a query function is given the one to fill in"))
	}
	if err := t.Err(); err != nil {
		return noComm.fail("SetElements", flt.Of(err, ErrType, "DT-GETC-03"))
	}
	if n < 0 || n > 0 && t.Size(s.sizes()) == 0 {
		return noComm.fail("SetElements", broken(ErrCount, "DT-GETC-03", "%d basic items of %v", n, t))
	}
	s.bytes = types.ElementBytes(n, t, s.sizes()) | s.bytes&cancelled
	return nil
}

func (s Status) sizes() types.Sizes {
	if s.arch == nil {
		return reps.LP64LE
	}
	return s.arch
}
