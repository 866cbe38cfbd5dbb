package journal

import (
	"fmt"
	"iter"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A Recorder keeps the calls of the ranks of one explored run on files, for a comparison
// with the outcomes that the standard allows. Package world keeps one for each communicator
// of the world under [RecorderKey], where package iofile finds it. Only one rank of such a
// world runs at a time, so it needs no lock.
type Recorder struct {
	files []*Recording
	of    map[any]*Recording
}

// RecorderKey is the key under which a Recorder is kept.
type RecorderKey struct{}

// A Recording has the calls of all ranks on one file.
type Recording struct {
	Name   string
	Init   []byte // content of the file before the run
	Ranks  [][]consistency.Stamped
	Values map[string]string // results of reads, as in consistency.Outcome
	Why    error             // the reason why the recording is incomplete; nil if it is complete

	handles, opens map[any]int
	names          map[string]int
	under          map[*race.Pending]*Started
	last           map[any][]byte

	form  readable.Form // of the accesses seen so far
	seen  bool
	mixed bool // they have items of several kinds, or at other places
}

// A Started is an access under way.
type Started struct {
	Request int
	Name    string // of its result, if it reads
	Data    []byte
}

// File returns the recording of the file with a key; start begins it if there is none.
func (r *Recorder) File(key any, ranks int, start func(x *Recording)) *Recording {
	if x := r.of[key]; x != nil {
		return x
	}
	if r.of == nil {
		r.of = map[any]*Recording{}
	}
	x := &Recording{
		Ranks: make([][]consistency.Stamped, ranks), Values: map[string]string{}, handles: map[any]int{}, opens: map[any]int{},
		names: map[string]int{}, under: map[*race.Pending]*Started{}, last: map[any][]byte{},
	}
	start(x)
	r.of[key] = x
	r.files = append(r.files, x)
	return x
}

// Recordings returns the recordings of all files, in the order in which the files were
// first opened.
func (r *Recorder) Recordings() []*Recording { return r.files }

// History returns the recorded steps, in the order of their stamps.
func (x *Recording) History() consistency.History { return consistency.HistoryOf(x.Init, x.Ranks) }

// Add adds a step of a rank through a handle.
func (x *Recording) Add(rank int, handle any, s consistency.Stamped) {
	s.Handle = number(x.handles, handle)
	x.Ranks[rank] = append(x.Ranks[rank], s)
}

// OpenID returns the number of a collective open.
func (x *Recording) OpenID(open any) int { return number(x.opens, open) }

// ResultName returns the name of the result of a rank's read at a line: the line and, from
// the second read there on, its number.
func (x *Recording) ResultName(rank int, line string) string {
	key := fmt.Sprintf("%d.%s", rank, line)
	x.names[key]++
	if n := x.names[key]; n > 1 {
		return fmt.Sprintf("%s#%d", line, n)
	}
	return line
}

// Set records the result of the read of that name.
func (x *Recording) Set(rank int, name, value string) {
	x.Values[fmt.Sprintf("%d.%s", rank, name)] = value
}

// Item notes the items of an access: values of type t, in the form of the machine a, at runs of
// bytes of the file.
func (x *Recording) Item(t *types.Type, a *reps.Arch, runs iter.Seq2[int64, int64]) {
	if t.Signature().Len() == 0 {
		return
	}
	is := readable.Form{Kind: t.Signature().Only(), Arch: a}
	size := max(a.Sizeof(is.Kind), 1)
	for off, n := range runs {
		is.Base = off % size
		x.mixed = x.mixed || n%size != 0 || x.seen && is != x.form
		x.form, x.seen = is, true
	}
}

// Form returns how the bytes of the file are shown: as items if all accesses have items of one
// kind, as text if all of them are text, else in hexadecimal.
func (x *Recording) Form() readable.Form {
	switch x.form.Kind.Family() {
	case types.FamilyOpaque, types.FamilyCharacter:
		return readable.Form{Quoted: x.isText()}
	}
	if x.mixed {
		return readable.Form{}
	}
	return x.form
}

// isText reports whether all bytes before the run, and all that ranks wrote, are text.
func (x *Recording) isText() bool {
	text := func(bs []byte) bool {
		return !slices.ContainsFunc(bs, func(b byte) bool { return b != '\n' && !readable.Printable(b) })
	}
	for _, steps := range x.Ranks {
		for i := range steps {
			if !text(steps[i].Data) {
				return false
			}
		}
	}
	return x.seen && text(x.Init)
}

// Begin records an access under way.
func (x *Recording) Begin(p *race.Pending, name string) *Started {
	s := &Started{Request: len(x.under) + 1, Name: name}
	x.under[p] = s
	return s
}

// Under returns the record of an access under way.
func (x *Recording) Under(p *race.Pending) *Started { return x.under[p] }

// Keep keeps the bytes that the access of a handle has just moved, until Take returns them.
func (x *Recording) Keep(handle any, data []byte) { x.last[handle] = data }

// Take returns the bytes that Keep has kept, and removes them.
func (x *Recording) Take(handle any) []byte {
	data := x.last[handle]
	delete(x.last, handle)
	return data
}

// Stop records the reason why the recording is incomplete.
func (x *Recording) Stop(format string, args ...any) {
	if x.Why == nil {
		x.Why = fmt.Errorf(format, args...)
	}
}

func number(m map[any]int, key any) int {
	n, ok := m[key]
	if !ok {
		n = len(m) + 1
		m[key] = n
	}
	return n
}
