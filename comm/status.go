package comm

import (
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// Wildcards and special values for ranks, tags and colours. They differ from
// each other, so that one used in place of another is found.
const (
	AnySource = -1     // MPI_ANY_SOURCE
	AnyTag    = -2     // MPI_ANY_TAG
	ProcNull  = -3     // MPI_PROC_NULL: a message to or from nobody
	Undefined = -32766 // MPI_UNDEFINED
)

// MaxTag is the greatest tag.
//
// MPI_TAG_UB
const MaxTag = 1<<31 - 1

// A Status tells what an operation received. The zero Status is that of an
// operation that moved nothing.
//
// MPI_Status
type Status struct {
	Source int // rank in the communicator of the call
	Tag    int

	bytes int64
	arch  *reps.Arch
}

// NewStatus returns the status of an operation without source and tag, such as
// a file access, that moved that many bytes, packed as in the memory of a rank
// of architecture a.
func NewStatus(bytes int64, a *reps.Arch) Status { return Status{bytes: bytes, arch: a} }

// emptyStatus is what operations on nothing return. (P2P-04)
func emptyStatus(source int) Status { return Status{Source: source, Tag: AnyTag} }

// Count returns how many copies of t were received; ok is false if they are
// no whole number. (STAT-01)
//
// MPI_Get_count
func (s Status) Count(t *types.Type) (n int64, ok bool) { return types.GetCount(s.bytes, t, s.sizes()) }

// Elements returns how many basic items of copies of t were received; ok is
// false if an item is cut. (STAT-01)
//
// MPI_Get_elements
func (s Status) Elements(t *types.Type) (n int64, ok bool) {
	return types.GetElements(s.bytes, t, s.sizes())
}

func (s Status) sizes() types.Sizes {
	if s.arch == nil {
		return reps.LP64LE
	}
	return s.arch
}
