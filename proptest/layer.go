package proptest

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest/gen"
)

// A Layer is parallel I/O under test: it opens files for the ranks of a communicator. It
// is used for one world after another. It may also be a [Storage] and an io.Closer, which
// is called when the layer is no longer needed.
//
// Ranks must wait for each other only through the communicator. Then a layer whose ranks
// wait forever fails at once; a layer that waits by its own locks or channels hangs.
type Layer interface {
	// Open opens the file called name for reading and writing, and makes it if
	// there is none. Collective.
	Open(c *comm.Comm, name string) (File, error)
}

// A Storage is a Layer that can return the bytes that it has stored.
type Storage interface {
	// Stored returns all bytes of a file that would remain if all ranks died now: without
	// bytes that only their handles have.
	Stored(name string) ([]byte, error)
}

// A Crasher is a Storage that can return a state of the file after a power failure. Not
// every seed needs to lose bytes.
type Crasher interface {
	// Remember is called before a file is opened if Crashed will be called.
	Remember() error
	// Crashed returns all bytes of a file after a crash at this moment; each seed is one of
	// many possible results. The error is fs.ErrNotExist if the file does not exist.
	Crashed(name string, seed uint64) ([]byte, error)
}

// A Hinted is a Layer that accepts hints: keys and values that, by the standard, never
// change the data that a program reads or writes.
type Hinted interface {
	// OpenHinted is Open with hints, the same on all ranks. Collective.
	OpenHinted(c *comm.Comm, name string, hints map[string]string) (File, error)
}

// A Faulty is a Layer whose files can be made to fail. The suite then also checks the
// counts that accesses return with an error.
type Faulty interface {
	// Fail makes all files fail by these rules from now on; without rules, none fails. One
	// rank calls it, or none, while no other call is under way, and before a file is opened
	// for the first time.
	Fail(rules ...faults.Rule) error
}

// A File is one rank's handle of an open file. Data are packed bytes: items of the etype
// of the view, one after the other without padding, in the form of memory. Offsets count
// etypes; before SetView they count bytes.
//
// Each access returns how many bytes it moved. A read that finds the end of the
// file moves fewer, whole items only, and that is not an error. (GEN-01, IO-DA-07)
//
// A layer shows further capabilities by further methods; see the interfaces that are
// named after them.
type File interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)

	// Sync makes bytes written through the handle available to others that sync
	// later, and fetches those that others made available. Collective.
	Sync() error
	// Close syncs and gives the handle up. Collective.
	Close() error
}

// A SyncAllFile is a File whose SyncAll is sufficient between a write of one rank and a
// read of another: one collective call that publishes, orders and fetches, as ncmpi_sync
// and H5Fflush promise. The suite then uses it for half of its syncs.
type SyncAllFile interface{ SyncAll() error }

// A Viewer is a File whose view can be set. View.Rep is "native", and
// "external32" if the layer has [Representations]. Collective.
type Viewer interface{ SetView(v iofile.View) error }

// A CollectiveFile has accesses that all ranks call together.
type CollectiveFile interface {
	ReadAtAll(p []byte, off int64) (int, error)
	WriteAtAll(p []byte, off int64) (int, error)
}

// An IndividualFile has a file pointer for each rank.
type IndividualFile interface {
	Read(p []byte) (int, error)
	Write(p []byte) (int, error)
	Seek(off iofile.Offset, whence iofile.Whence) error
	Position() (int64, error)
}

// An IndividualCollectiveFile has collective accesses by the individual pointer. It is
// required of a file that is both a [CollectiveFile] and an [IndividualFile].
type IndividualCollectiveFile interface {
	ReadAll(p []byte) (int, error)
	WriteAll(p []byte) (int, error)
}

// A SharedFile has a file pointer that all ranks share.
type SharedFile interface {
	ReadShared(p []byte) (int, error)
	WriteShared(p []byte) (int, error)
	SeekShared(off iofile.Offset, whence iofile.Whence) error
	PositionShared() (int64, error)
}

// An OrderedFile has collective accesses by the shared pointer, in rank order.
type OrderedFile interface {
	ReadOrdered(p []byte) (int, error)
	WriteOrdered(p []byte) (int, error)
	SeekShared(off iofile.Offset, whence iofile.Whence) error
}

// A StartingFile has accesses that return before they are complete. a.Form says whether
// the access is nonblocking or split; off is used for explicit offsets. Start is called
// only for accesses whose blocking form the layer has.
type StartingFile interface {
	Start(a gen.Access, p []byte, off int64) (Request, error)
}

// A Request is an access under way. Wait completes it; for a split access it is the
// second half.
type Request interface{ Wait() (int, error) }

// A SizedFile has a size that can be asked and set, in bytes.
type SizedFile interface {
	Size() (int64, error)
	SetSize(n int64) error     // collective
	Preallocate(n int64) error // collective
}

// An AtomicFile has an atomic mode.
type AtomicFile interface{ SetAtomicity(on bool) error }

// A Capability is something that a layer may be able to do.
type Capability string

// The capabilities. If no interface shows one, the suite assumes that the layer has it. Of these, key-value
// stores have [Collectives] (KeyValueCollective), Listing, [TwoFiles] (two stores), [Operating] and [Restarting];
// libraries of arrays have Collectives (ArrayCollective), Recording, [Far] (variables of more than 2 GiB), TwoFiles
// (two data sets), Operating and Restarting.
const (
	Views           Capability = "views"             // Viewer
	Representations Capability = "representations"   // with Views
	Collectives     Capability = "collectives"       // CollectiveFile
	Individual      Capability = "individual"        // IndividualFile
	SharedPointers  Capability = "shared"            // SharedFile
	Ordered         Capability = "ordered"           // OrderedFile
	Nonblocking     Capability = "nonblocking"       // StartingFile
	Split           Capability = "split collectives" // StartingFile, with Collectives
	Sizes           Capability = "sizes"             // SizedFile
	Atomic          Capability = "atomic"            // AtomicFile
	Storing         Capability = "storage"           // Storage
	Hints           Capability = "hints"             // Hinted
	Faults          Capability = "faults"            // Faulty
	SyncsAll        Capability = "sync in one call"  // SyncAllFile
	Restarting      Capability = "power cuts"        // Restarter
	Operating       Capability = "own operations"    // Operator
	Listing         Capability = "lists of keys"     // KeyValueLister
	Recording       Capability = "records"           // ArrayRecorder
	Far             Capability = "far offsets"       // assumed, unless holes take memory
	TwoHandles      Capability = "two handles"       // of one file on each rank; assumed, unless a small program shows otherwise
	TwoFiles        Capability = "two files"         // open at one time; assumed in the same way
)

// able returns the capabilities of a layer and its files.
func able(l Layer, f File) map[Capability]bool {
	has := map[Capability]bool{}
	_, has[Views] = f.(Viewer)
	has[Representations] = has[Views]
	_, has[Collectives] = f.(CollectiveFile)
	_, has[Individual] = f.(IndividualFile)
	if _, both := f.(IndividualCollectiveFile); has[Collectives] && has[Individual] && !both {
		has[Individual] = false
	}
	_, has[SharedPointers] = f.(SharedFile)
	_, has[Ordered] = f.(OrderedFile)
	_, has[Nonblocking] = f.(StartingFile)
	has[Split] = has[Nonblocking] && has[Collectives]
	_, has[Sizes] = f.(SizedFile)
	_, has[Atomic] = f.(AtomicFile)
	_, has[Storing] = l.(Storage)
	_, has[Hints] = l.(Hinted)
	_, has[Faults] = l.(Faulty)
	_, has[Operating] = l.(Operator)
	_, has[Restarting] = l.(Restarter)
	_, has[SyncsAll] = f.(SyncAllFile)
	has[Far], has[TwoHandles], has[TwoFiles] = true, true, true
	return has
}
