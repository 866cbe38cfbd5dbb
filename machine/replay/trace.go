package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/machine/replay/darshan"
)

// A Trace is the reads and writes of the ranks of a job.
type Trace struct {
	Name  string // of the program, if the trace has it
	Ranks int
	Files []*File // by name

	RanksPerNode int // the most of a node; 0 if the trace does not say

	Hints  string    // of MPI-IO for all files, as Darshan's log has them: "cb_nodes=4;..."
	Counts []*Counts // what Darshan counted, a value for each file and module; the most bytes first

	Notes []string // parts of the trace that are not replayed, with the reason

	general  []string // notes about the whole job
	buffered [2]bool  // collective reads, writes of [Trace.OfCalls] went through aggregators
}

// A File is one file of a trace.
type File struct {
	Name     string
	Accesses []Access // in the order in which they began; at equal times the lower rank first
	Calls    bool     // they are calls of MPI-IO; else requests to the file system

	FS     string              // type of its file system, such as lustre; "" if unknown
	Layout []darshan.Component // its stripes on Lustre; empty if unknown

	madeBy        []Access // the calls of MPI-IO that made the accesses
	unplacedCalls int      // those whose offset is unknown
	collective    [2]int64 // of the calls, by direction, reads first; 0 if not counted
	independent   [2]int64
}

// An Access is adjacent bytes of a file that a rank read or wrote.
type Access struct {
	Rank       int
	Write      bool
	Off, Len   int64
	Begin, End float64 // seconds since the job began
	Collective bool    // a call of MPI-IO that the ranks of the file make together
}

// Bytes returns the number of bytes that the accesses of the trace moved.
func (t *Trace) Bytes() (n int64) {
	for _, f := range t.Files {
		for i := range f.Accesses {
			n += f.Accesses[i].Len
		}
	}
	return n
}

// Accesses returns the number of accesses.
func (t *Trace) Accesses() (n int) {
	for _, f := range t.Files {
		n += len(f.Accesses)
	}
	return n
}

// Seconds returns the end of the last access of the job.
func (t *Trace) Seconds() (end float64) {
	for _, f := range t.Files {
		for i := range f.Accesses {
			end = max(end, f.Accesses[i].End)
		}
	}
	return end
}

// Striping returns the striping of the file with the most bytes moved, among the files
// whose striping is in the trace; zeros if there is none. If its layout has components, it is
// that of the component with the most bytes.
func (t *Trace) Striping() (size int64, count int) {
	most := int64(-1)
	for _, f := range t.Files {
		if n := f.bytes(); f.stripeSize() > 0 && n > most {
			c := f.component()
			most, size, count = n, c.Size, max(1, c.Count)
		}
	}
	return size, count
}

// bytes returns the bytes that the accesses of a file moved.
func (f *File) bytes() (n int64) {
	for i := range f.Accesses {
		n += f.Accesses[i].Len
	}
	return n
}

// component returns the part of the layout in which most bytes were moved; the first one if no
// byte was. Parts on the metadata server have no stripes and do not count.
func (f *File) component() (best darshan.Component) {
	sum := make([]int64, len(f.Layout))
	for i := range f.Accesses {
		a := &f.Accesses[i]
		for k := range f.Layout {
			if c := &f.Layout[k]; a.Off >= c.Begin && (c.End < 0 || a.Off < c.End) {
				sum[k] += a.Len
				break
			}
		}
	}
	most := int64(-1)
	for k, n := range sum {
		if c := f.Layout[k]; c.Size > 0 && c.Count > 0 && n > most {
			most, best = n, c
		}
	}
	return best
}

func (f *File) stripeSize() int64 { return f.component().Size }

// FileSystem returns the type of the file system that has the most bytes moved, such as
// lustre; "" if the trace does not say.
func (t *Trace) FileSystem() string {
	sum := map[string]int64{}
	for _, f := range t.Files {
		sum[f.FS] += f.bytes()
	}
	if len(t.Files) == 0 {
		for _, c := range t.Counts {
			sum[c.FS] += c.Bytes()
		}
	}
	best := ""
	for _, fs := range sortedKeys(sum) {
		if sum[fs] > sum[best] || best == "" {
			best = fs
		}
	}
	return best
}

// Span returns the time from the begin of the first access to the end of the last, and how
// much of it at least one access was under way.
func (t *Trace) Span() (span, busy float64) {
	var list []Access
	for _, f := range t.Files {
		list = append(list, f.Accesses...)
	}
	slices.SortFunc(list, func(a, b Access) int { return cmp.Compare(a.Begin, b.Begin) })
	end := 0.0
	for i := range list {
		a := &list[i]
		if i == 0 {
			end = a.Begin
		}
		busy += max(0, a.End-max(a.Begin, end))
		end = max(end, a.End)
	}
	if len(list) > 0 {
		span = end - list[0].Begin
	}
	return span, busy
}

// note adds a note.
func (t *Trace) note(text string) { t.Notes = append(t.Notes, text) }

// Limits of a trace: a larger one is refused.
const (
	mostRanks    = 1 << 20
	mostAccesses = 1 << 25
	mostLine     = 1 << 20 // bytes
	mostBytes    = 1 << 44 // of an access
)

// finish sorts files and accesses, and refuses a trace with nothing to replay.
func (t *Trace) finish() error {
	t.Files = slices.DeleteFunc(t.Files, func(f *File) bool { return len(f.Accesses) == 0 })
	slices.SortFunc(t.Files, func(a, b *File) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range t.Files {
		slices.SortStableFunc(f.Accesses, func(a, b Access) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Rank, b.Rank))
		})
	}
	if len(t.Files) == 0 {
		if len(t.Notes) > 0 {
			return fault("the trace has no access to replay: %s", t.Notes[0])
		}
		return fault("the trace has no access to a file")
	}
	t.sumUpNotes()
	t.Notes = append(slices.Clone(t.general), t.Notes...)
	return t.sum()
}

// sumUpNotes sorts the notes, and replaces all but the first ones by a summary.
func (t *Trace) sumUpNotes() {
	const most = 5
	slices.Sort(t.Notes)
	if more := len(t.Notes) - most; more > 0 {
		t.Notes = append(t.Notes[:most:most], fmt.Sprintf("and the same of %s more", plain.Count(more, "file")))
	}
}

// sum returns an error if the total of bytes is too large to count.
func (t *Trace) sum() error {
	total := int64(0)
	for _, f := range t.Files {
		for i := range f.Accesses {
			if total += f.Accesses[i].Len; total < 0 || total > 1<<62 {
				return fault("the accesses of the trace have more than 2^62 bytes together")
			}
		}
	}
	return nil
}

// check returns an error for an access that no job can have made.
func (a *Access) check() error {
	switch {
	case a.Rank < 0 || a.Rank >= mostRanks:
		return fmt.Errorf("rank %d; there are ranks 0 to %d", a.Rank, mostRanks-1)
	case a.Off < 0:
		return fmt.Errorf("offset %d is negative", a.Off)
	case a.Len < 0:
		return fmt.Errorf("length %d is negative", a.Len)
	case a.Len > mostBytes:
		return fmt.Errorf("length %d; no job moves more than %d bytes in one access", a.Len, int64(mostBytes))
	case a.Off > math.MaxInt64/4:
		return fmt.Errorf("offset %d is beyond what a file can hold", a.Off)
	case !(a.Begin >= 0 && a.Begin <= mostSeconds):
		return fmt.Errorf("begins at %v; a time is seconds from 0 on", a.Begin)
	case !(a.End >= a.Begin && a.End <= mostSeconds):
		return fmt.Errorf("ends at %v, and begins at %v", a.End, a.Begin)
	}
	return nil
}

// mostSeconds is longer than any job.
const mostSeconds = 1e12

// String returns a summary on one line.
func (t *Trace) String() string {
	return fmt.Sprintf("%s, %s, accesses: %d, of %s", plain.Count(t.Ranks, "rank"), plain.Count(len(t.Files), "file"), t.Accesses(), plain.Count(t.Bytes(), "byte"))
}

// fault returns the error of a trace that cannot be replayed.
func fault(format string, args ...any) error {
	return &errclass.Error{Pkg: "replay", Rank: errclass.NoRank, Class: errclass.Arg, Err: brief.Errorf(format, args...)}
}

// wrong returns the error of one line of a trace.
func wrong(name string, line int, err error) error {
	return fault("%s:%d: %w", name, line, err)
}
