package gen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/faults"
	"github.com/commworld/commworld/iofile"
)

// A Do is what an operation does.
type Do uint8

// What operations do. All but accesses are collective.
const (
	Write Do = iota
	Read
	Sync        // sync, barrier, sync, unless it lacks one
	SetView     // Views
	Seek        // by one rank or by all, each by its own offset
	SeekShared  // Off
	SetSize     // Size; after a Sync
	Preallocate // Size; after a Sync
	Atomic      // On
	Reopen      // close, barrier, open
	Finish      // complete one of the accesses under way
)

// A Pointer is where an access takes place.
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

// An Access is which of the 34 data-access routines is called: its direction,
// position, coordination and form. By the shared pointer, collective accesses
// are those in rank order.
type Access struct {
	Write bool
	At    Pointer
	All   bool
	Form  Form
}

// String is the name of the routine without MPI_File_; of a split one, without
// its second half.
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

// A Lack is what a Sync leaves out.
type Lack uint8

// What syncs lack. A Sync that lacks something orders nothing for certain.
const (
	Nothing Lack = iota
	WriterSync
	Order
	ReaderSync
)

var lacks = [...]string{"", " without the writer's sync", " without a barrier", " without the reader's sync"}

// An Op is one operation of a program: by all ranks if All, else by Rank.
type Op struct {
	Do   Do
	All  bool
	Rank int

	At   Pointer
	Form Form
	Off  int64 // etypes, of rank 0; accesses by explicit offset, and seeks
	Step int64 // so many more for each further rank
	N    int64 // etypes
	More int64 // rank r moves so many more for r odd
	Late bool  // not completed at once, if not blocking; see [Program.Completions]

	Whence iofile.Whence // Seek
	Views  []iofile.View // SetView, of each rank
	Size   int64         // SetSize, Preallocate; bytes
	On     bool          // Atomic
	Lacks  Lack          // Sync
	Which  int           // Finish: of those under way, by age and modulo their number
}

// By reports whether a rank takes part.
func (o *Op) By(rank int) bool { return o.All || o.Rank == rank }

// Access returns the routine of a Read or Write.
func (o *Op) Access() Access {
	return Access{Write: o.Do == Write, At: o.At, All: o.All, Form: o.Form}
}

// Args returns the offset and number of etypes of a rank's part.
func (o *Op) Args(rank int) (off, n int64) {
	if !o.All {
		return o.Off, o.N
	}
	return o.Off + o.Step*int64(rank), o.N + o.More*int64(rank%2)
}

// String is the operation on one line; views take a line for each rank whose
// view differs from the one before.
func (o *Op) String() string {
	who := fmt.Sprintf("%d: ", o.Rank)
	if o.All {
		who = "all: "
	}
	return who + o.Call()
}

// Call is what each rank that takes part calls.
func (o *Op) Call() string {
	switch o.Do {
	case Write, Read:
		s := o.Access().String()
		if o.At == Explicit {
			s += fmt.Sprintf(" at %d%s", o.Off, perRank(o.Step, "%+d*rank"))
		}
		s += fmt.Sprintf(" n %d%s", o.N, perRank(o.More, "%+d on odd ranks"))
		if o.Late {
			s += ", completed later"
		}
		return s
	case Sync:
		return "sync" + lacks[o.Lacks]
	case SetView:
		return "view" + views(o.Views)
	case Seek:
		whence := map[iofile.Whence]string{iofile.SeekSet: "set", iofile.SeekCur: "cur", iofile.SeekEnd: "end"}[o.Whence]
		return fmt.Sprintf("seek %d%s %s", o.Off, perRank(o.Step, "%+d*rank"), whence)
	case SeekShared:
		return fmt.Sprintf("seek_shared %d set", o.Off)
	case SetSize:
		return fmt.Sprintf("set_size %d", o.Size)
	case Preallocate:
		return fmt.Sprintf("preallocate %d", o.Size)
	case Atomic:
		return fmt.Sprintf("atomic %v", o.On)
	}
	if o.Do == Finish {
		return fmt.Sprintf("complete number %d of those under way", o.Which)
	}
	return "reopen"
}

// moves reports an access.
func (o *Op) moves() bool { return o.Do == Write || o.Do == Read }

// settles reports an operation before which all accesses under way have to be
// completed.
func (o *Op) settles() bool {
	switch o.Do {
	case Sync, SetView, SetSize, Preallocate, Atomic, Reopen:
		return true
	}
	return false
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

// A Program is what all ranks do with one file: they open it, read and write,
// perform the operations in order, and close it. Each rank takes its part in
// them one after the other; ranks wait for each other only in collective
// operations that order, and around those by the shared pointer of one rank.
type Program struct {
	Ranks int
	Seed  uint64            // of the schedule
	Hints map[string]string // with which the file is opened each time
	Ops   []Op

	// Files fail by these rules; see [FaultPrograms].
	Faults []faults.Rule
	Reach  int64 // bytes that each rank has to itself, if files fail
}

// Completions returns which of its accesses a rank completes when: before
// operation k those in list k, in that order, each an index of Ops; in the last
// list those that are left in the end. Nil: none is completed later. A [Finish]
// completes one of those under way; before syncs, closes, and changes of the view,
// the size or the mode all are completed, and a split one before the next
// collective access.
//
// Half of the ranks do not complete a nonblocking collective access at its Finish
// but where all are completed, as late as they may: which half is another for each.
// So one rank waits for the access while another is anywhere else, also in calls
// for which it waits for the first. Split ones end on all ranks at the same place:
// the second half is collective, too.
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
		case o.settles():
			all(k)
		case o.Do == Finish && len(under) > 0:
			u := take(o.Which % len(under))
			if p.Ops[u].putOff(u, rank) {
				put = append(put, u)
				continue
			}
			complete(k, u)
		case o.moves() || o.Do == SeekShared:
			if i := slices.IndexFunc(under, func(u int) bool { return p.Ops[u].Form == Split }); o.All && i >= 0 {
				complete(k, take(i))
			}
			if o.moves() && o.Late && o.Form != Blocking {
				under = append(under, k)
			}
		}
	}
	all(len(p.Ops))
	return lists
}

// putOff reports whether a rank completes the access that is operation u later
// than others do; see [Program.Completions].
func (o *Op) putOff(u, rank int) bool {
	return o.All && o.Form == Nonblocking && (rank+u)%2 == 1
}

// String is the program, one operation on a line.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ranks %d, schedule random:%d", p.Ranks, p.Seed)
	for _, key := range slices.Sorted(maps.Keys(p.Hints)) {
		fmt.Fprintf(&b, ", %s=%s", key, p.Hints[key])
	}
	b.WriteByte('\n')
	for _, rule := range p.Faults {
		fmt.Fprintf(&b, "fault: %v\n", rule)
	}
	for k := range p.Ops {
		fmt.Fprintf(&b, "%4d  %v\n", k, &p.Ops[k])
	}
	return b.String()
}

// GoString is String too, because rapid prints what it has drawn by it.
func (p *Program) GoString() string { return p.String() }
