package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
)

// A Do is what an operation does.
type Do uint8

// The kinds of operations. On files, all but accesses are collective.
const (
	Write Do = iota
	Read
	Sync        // sync, barrier, sync; Lacks removes one of them
	SetView     // Views
	Seek        // by one rank or by all, each by its own offset
	SeekShared  // Off
	SetSize     // Size; after a Sync
	Preallocate // Size; after a Sync
	Atomic      // On
	Reopen      // close, barrier, open
	Finish      // complete one of the accesses under way
	Own         // an operation of the layer's own: Name, Effect

	// On a key-value store; by one rank, but PutAll by all, each with a key of its own.
	Put // Key, N, Values
	Get
	Delete
	PutAll
	Keys

	// On an array of a data set, by one rank or by all.
	WriteSlab // Name, Regions
	ReadSlab
)

// A Pointer is the way in which an access gets its position.
type Pointer uint8

// The pointers.
const (
	Explicit Pointer = iota
	Individual
	Shared
)

// A Form is how an access is called.
type Form uint8

// The forms.
const (
	Blocking Form = iota
	Nonblocking
	Split // collective accesses only
)

// An Access identifies one of the 34 data-access routines by direction, pointer,
// coordination and form. With the shared pointer, collective accesses are those in rank
// order.
type Access struct {
	Write bool
	At    Pointer
	All   bool
	Form  Form
}

// String returns the name of the routine without MPI_File_; for a split access, that of
// its first half without _begin.
func (a Access) String() string {
	s := "read"
	if a.Write {
		s = "write"
	}
	if a.Form == Nonblocking {
		s = "i" + s
	}
	switch {
	case a.At == Explicit:
		s += "_at"
	case a.At == Shared && a.All:
		s += "_ordered"
	case a.At == Shared:
		s += "_shared"
	}
	if a.All && a.At != Shared {
		s += "_all"
	}
	if a.Form == Split {
		s += "_begin"
	}
	return s
}

// A Lack is the part that a Sync leaves out.
type Lack uint8

// The parts that a Sync can lack. A Sync that lacks a part orders nothing for certain.
const (
	Nothing Lack = iota
	WriterSync
	Order
	ReaderSync
)

// A Second is the kind of second handle that each rank has.
type Second uint8

// Second handles.
const (
	NoSecond  Second = iota // ranks have one handle each
	SameFile                // the file is opened twice
	OtherFile               // another file is open, too
)

// An Over names the handles that a Sync uses, in a program with two.
type Over uint8

// Syncs of two handles of one file. Writes through one of them become known to readers of
// the other when the writer has synced the first handle, and after that the reader the
// second.
const (
	BothHandles   Over = iota // sync of both, barrier, sync of both
	FirstToSecond             // sync of the first, barrier, sync of the second
	SecondToFirst
)

var lacks = [...]string{"", " without the writer's sync", " without a barrier", " without the reader's sync"}

var overs = [...]string{"", " from the first handle to the second", " from the second handle to the first"}

// An Op is one operation of a program: by all ranks if All, else by Rank.
type Op struct {
	Do   Do
	All  bool
	Rank int

	At   Pointer
	Form Form
	Off  int64  // etypes, of rank 0; accesses by explicit offset, and seeks
	Step int64  // added for each further rank
	N    int64  // etypes
	More int64  // added to N on odd ranks
	Each []Part // instead of Off, Step, N and More, of each rank, if not nil; All
	Late bool   // if not blocking, completed later; see [Program.Completions]

	Whence iofile.Whence // Seek
	Views  []iofile.View // SetView, of each rank
	Size   int64         // SetSize, Preallocate; bytes
	On     bool          // Atomic
	Lacks  Lack          // Sync
	Times  int64         // Sync: syncs after the first, without an access between them
	One    bool          // Sync: by one call of the layer, if it has one
	Which  int           // Finish: index in the accesses under way, by age, modulo their number

	Name   string // Own: the operation; WriteSlab, ReadSlab: the variable
	Effect Effect // Own

	Key     string   // on a key-value store
	Values  Values   // Put, PutAll: the bytes of the value, N of them
	Regions []Region // WriteSlab, ReadSlab; of each rank if All, else one

	Second bool // through the second handle; a Reopen closes one of the two
	Over   Over // Sync
}

// A Part is one rank's part of an access of all ranks, or of a seek.
type Part struct {
	Off, N int64 // etypes
}

// By reports whether a rank takes part.
func (o *Op) By(rank int) bool { return o.All || o.Rank == rank }

// Access returns the routine of a Read or Write.
func (o *Op) Access() Access {
	return Access{Write: o.Do == Write, At: o.At, All: o.All, Form: o.Form}
}

// Args returns the offset and the number of etypes of a rank's part.
func (o *Op) Args(rank int) (off, n int64) {
	switch {
	case !o.All:
		return o.Off, o.N
	case o.Each != nil:
		return o.Each[rank].Off, o.Each[rank].N
	}
	return o.Off + o.Step*int64(rank), o.N + o.More*int64(rank%2)
}

// String returns the operation on one line; a view takes a further line for each rank
// whose view differs from the one before.
func (o *Op) String() string {
	who := fmt.Sprintf("%d: ", o.Rank)
	if o.All {
		who = "all: "
	}
	return who + o.Call()
}

// Call returns the call of each rank that takes part.
func (o *Op) Call() string {
	if o.Second {
		first := *o
		first.Second = false
		return first.Call() + ", second handle"
	}
	switch o.Do {
	case Write, Read:
		s := o.Access().String()
		if o.At == Explicit {
			s += " at " + o.offs()
		}
		s += " n " + o.counts()
		if o.Late {
			s += ", completed later"
		}
		return s
	case Sync:
		name := "sync"
		if o.One {
			name = "sync_all"
		}
		return name + overs[o.Over] + lacks[o.Lacks] + perRank(o.Times, again)
	case SetView:
		return "view" + views(o.Views)
	case Seek:
		whence := map[iofile.Whence]string{iofile.SeekSet: "set", iofile.SeekCur: "cur", iofile.SeekEnd: "end"}[o.Whence]
		return fmt.Sprintf("seek %s %s", o.offs(), whence)
	case SeekShared:
		return fmt.Sprintf("seek_shared %d set", o.Off)
	case SetSize:
		return fmt.Sprintf("set_size %d", o.Size)
	case Preallocate:
		return fmt.Sprintf("preallocate %d", o.Size)
	case Atomic:
		return fmt.Sprintf("atomic %v", o.On)
	case Own:
		return fmt.Sprintf("own %s, %v", o.Name, o.Effect)
	}
	if o.onArray() {
		return o.slabCall()
	}
	if o.Do >= Put {
		return o.storeCall()
	}
	if o.Do == Finish {
		return fmt.Sprintf("complete number %d of those under way", o.Which)
	}
	return "reopen"
}

// isAccess reports whether o reads or writes.
func (o *Op) isAccess() bool { return o.Do == Write || o.Do == Read }

// waitsForAll reports whether all accesses under way must be completed before o.
func (o *Op) waitsForAll() bool {
	switch o.Do {
	case Sync, SetView, SetSize, Preallocate, Atomic, Reopen, Own:
		return true
	}
	return false
}

// again is the text of further syncs.
const again = " and again %d times"

// offs returns the offsets of all ranks: "5", "5+2*rank", or one for each rank as "5|0|9".
func (o *Op) offs() string {
	if o.All && o.Each != nil {
		return each(o.Each, func(p Part) int64 { return p.Off })
	}
	return fmt.Sprintf("%d%s", o.Off, perRank(o.Step, "%+d*rank"))
}

// counts returns the counts of all ranks.
func (o *Op) counts() string {
	if o.All && o.Each != nil {
		return each(o.Each, func(p Part) int64 { return p.N })
	}
	return fmt.Sprintf("%d%s", o.N, perRank(o.More, "%+d on odd ranks"))
}

func each(parts []Part, of func(Part) int64) string {
	var all []string
	for _, p := range parts {
		all = append(all, strconv.FormatInt(of(p), 10))
	}
	if len(all) == 1 {
		return all[0] + "|"
	}
	return strings.Join(all, "|")
}

func perRank(n int64, format string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

func views(all []iofile.View) string {
	var b strings.Builder
	last := ""
	for r, v := range all {
		text := fmt.Sprintf("%d %v %v %s", v.Disp, v.Etype, v.Filetype, v.Rep)
		if text == last {
			continue
		}
		if len(all) > 1 {
			fmt.Fprintf(&b, "\n      rank %d", r)
		}
		fmt.Fprintf(&b, " %s", text)
		last = text
	}
	return b.String()
}

// A Program is the work of all ranks with one file, key-value store or data set: they open it, read and write, perform
// the operations in order, and close it. Each rank performs its part of them one after
// the other; ranks wait for each other only in collective operations that order ranks,
// and around accesses of one rank by the shared pointer.
type Program struct {
	Ranks int
	Seed  uint64            // of the schedule
	Hints map[string]string // hints of each open
	Ops   []Op

	Schedule     string // as [world.Replay] reads it; empty: random by Seed
	Far          int64  // the program touches only bytes from here on and the first [Near]; 0: it may touch all
	ConflictFree bool   // no two ranks use a byte between two syncs, unless both read
	Values       Values // the bytes that accesses write
	Second       Second // whether each rank opens a second handle, and of which file

	// Files fail by these rules; see [FaultPrograms].
	Faults []faults.Rule
	Reach  int64 // bytes that each rank has to itself, if files fail

	Cuts []PowerCut // of the power, one after the other; see [CrashPrograms]

	Vars []Variable // of the data sets of [ArrayPrograms]
}

// Completions returns when a rank completes which of its accesses: before operation k
// those in list k, in that order, each as an index of Ops; the last list has those that
// are completed at the end. Nil: none is completed later. A [Finish] completes one of
// those under way. All are completed before syncs, closes, and changes of the view, the
// size or the mode; a split access is completed before the next collective access.
//
// Half of the ranks (a different half for each access) do not complete a nonblocking
// collective access at its Finish, but as late as they may: at the next operation
// before which all are completed. So one rank waits for the access while another is in
// a later operation, perhaps in a call that waits for the first rank. A split access
// ends at the same operation on all ranks, because its second half is collective, too.
func (p *Program) Completions(rank int) [][]int {
	if !slices.ContainsFunc(p.Ops, func(o Op) bool { return o.Late }) {
		return nil
	}
	lists := make([][]int, len(p.Ops)+1)
	var under, put []int // put: put off by this rank, but of those that a Finish picks no more
	complete := func(k, u int) {
		if p.Ops[u].By(rank) {
			lists[k] = append(lists[k], u)
		}
	}
	all := func(k int) {
		for _, u := range append(put, under...) {
			complete(k, u)
		}
		under, put = under[:0], put[:0]
	}
	take := func(i int) (u int) {
		u = under[i]
		under = slices.Delete(under, i, i+1)
		return u
	}
	for k := range p.Ops {
		o := &p.Ops[k]
		switch {
		case o.waitsForAll():
			all(k)
		case o.Do == Finish && len(under) > 0:
			u := take(o.Which % len(under))
			if p.Ops[u].putOff(u, rank) {
				put = append(put, u)
				continue
			}
			complete(k, u)
		case o.isAccess() || o.Do == SeekShared:
			if i := slices.IndexFunc(under, func(u int) bool { return p.Ops[u].Form == Split }); o.All && i >= 0 {
				complete(k, take(i))
			}
			if o.isAccess() && o.Late && o.Form != Blocking {
				under = append(under, k)
			}
		}
	}
	all(len(p.Ops))
	return lists
}

// putOff reports whether a rank completes the access that is operation u later than other
// ranks do; see [Program.Completions].
func (o *Op) putOff(u, rank int) bool {
	return o.All && o.Form == Nonblocking && (rank+u)%2 == 1
}

// String returns the program, one operation on a line.
func (p *Program) String() string {
	var b strings.Builder
	b.WriteString(p.header())
	b.WriteByte('\n')
	for i := range p.Vars {
		fmt.Fprintf(&b, "variable %v\n", &p.Vars[i])
	}
	for _, rule := range p.Faults {
		fmt.Fprintf(&b, "fault: %v\n", rule)
	}
	for _, cut := range p.Cuts {
		fmt.Fprintf(&b, "power cut: %v\n", cut)
	}
	for k := range p.Ops {
		fmt.Fprintf(&b, "%4d  %v\n", k, &p.Ops[k])
	}
	return b.String()
}

var seconds = [...]string{"", ", each rank has two handles of the file", ", each rank has a second file open"}

// Free is the schedule under which all ranks run at once: its results may not be
// repeatable.
const Free = "free"

// Order returns the schedule as [world.Replay] reads it.
func (p *Program) Order() string {
	if p.Schedule != "" {
		return p.Schedule
	}
	return fmt.Sprintf("random:%d", p.Seed)
}

// GoString returns String, because rapid prints drawn values by GoString.
func (p *Program) GoString() string { return p.String() }
