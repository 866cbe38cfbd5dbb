package sched

import (
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
)

// Exploring assumes that the actions of a rank depend only on the choices made so far. This
// file checks that assumption. Runs begin like earlier ones: every call of a rank leaves an
// act, and if a rank leaves other acts than it did after the same choices, it depends on
// something that is not a choice.
//
// Comparing beginnings is not enough: the end of each run is new, and a program without
// choices runs once. So the first run is made twice, with the ranks in the opposite order
// between choices. That order shows only in programs whose ranks share memory.

// An act is the record of a call of a rank.
type act struct {
	digest uint64
	what   string
	line   *Line
}

// A Digester describes the call of a rank and can add more to its act than String says, and
// faster. Equal acts have equal digests, in all runs of a program and in any order of
// ranks.
type Digester interface{ Digest() Digest }

// A Digest is a hash of everything that belongs to an act.
type Digest uint64

var digestSeed = maphash.MakeSeed()

// String returns d with s added.
func (d Digest) String(s string) Digest { return d.Int(int64(maphash.String(digestSeed, s))) }

// Bytes returns d with p added.
func (d Digest) Bytes(p []byte) Digest { return d.Int(int64(maphash.Bytes(digestSeed, p))) }

// Int returns d with n added.
func (d Digest) Int(n int64) Digest {
	const prime = 0x9e3779b97f4a7c15
	h := (uint64(d) ^ uint64(n)) * prime
	return Digest(h ^ h>>29)
}

func digestOf(what fmt.Stringer) Digest {
	if d, ok := what.(Digester); ok {
		return d.Digest()
	}
	return Digest(0).String(what.String())
}

// A callLog holds the acts of each rank in the present run, up to its current length, and
// after those the acts of the run before, which the present run must repeat.
type callLog struct {
	mu   sync.Mutex // goroutines that ranks leave behind may write, too
	acts [][]act    // by rank
	at   []int      // by rank: number of acts of the present run

	checked bool // the first run has been repeated, or is being repeated
	again   bool // it is being repeated now
	loose   bool // the first run was cut short: its ranks might have made more calls
}

// begin prepares the log for the next run.
func (d *callLog) begin(ranks int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.acts) != ranks {
		d.acts, d.at = make([][]act, ranks), make([]int, ranks)
	}
	clear(d.at)
}

// repeat makes the next run one that must repeat all of the last one.
func (d *callLog) repeat(loose bool) { d.checked, d.again, d.loose = true, true, loose }

// keep removes all but the given number of acts of each rank.
func (d *callLog) keep(first []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, n := range first {
		d.acts[i] = d.acts[i][:n]
	}
}

// forget removes all acts.
func (d *callLog) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.acts {
		d.acts[i] = d.acts[i][:0]
	}
	d.again, d.loose = false, false
}

// marks appends the number of acts of each rank.
func (d *callLog) marks(to []int) []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append(to, d.at...)
}

// note records an act of r, or compares it with that of the run before and returns the
// difference.
func (d *callLog) note(r *Rank, digest Digest, what fmt.Stringer) *UncontrolledError {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.at[r.id]
	d.at[r.id]++
	if i < len(d.acts[r.id]) {
		if was := &d.acts[r.id][i]; was.digest != uint64(digest) {
			return was.against(r, what)
		}
		return nil
	}
	if d.again && d.loose { // an act that will not be compared
		return nil
	}
	if d.again {
		return &UncontrolledError{Rank: int(r.id), Before: "did nothing more", Now: what.String(), NowAt: r.Place()}
	}
	d.write(r, uint64(digest), what)
	return nil
}

// write adds an act. If the record that it overwrites belongs to the same act, its text is
// reused.
func (d *callLog) write(r *Rank, digest uint64, what fmt.Stringer) {
	list := d.acts[r.id]
	n := len(list)
	list = slices.Grow(list, 1)[:n+1]
	d.acts[r.id] = list
	now := &list[n]
	if now.line == nil || now.digest != digest {
		now.digest, now.what = digest, what.String()
	}
	now.line = r.note(3) // the line of the caller of exploration.note
}

func (a *act) against(r *Rank, what fmt.Stringer) *UncontrolledError {
	return &UncontrolledError{
		Rank: int(r.id), Before: a.what, BeforeAt: a.line.Place(), Now: what.String(), NowAt: r.Place(),
	}
}

// missing returns an error for a rank that has made fewer calls than its mark, or than in
// the run before if there are no marks.
func (d *callLog) missing(marks []int) *UncontrolledError {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r, n := range d.at {
		want := len(d.acts[r])
		if marks != nil {
			want = marks[r]
		}
		switch {
		case n < want:
			was := d.acts[r][n]
			return &UncontrolledError{Rank: r, Before: was.what, BeforeAt: was.line.Place(), Now: "did nothing more"}
		case marks != nil && n > want:
			e := &UncontrolledError{Rank: r, Before: "did nothing more", Now: "made another call"}
			if want < len(d.acts[r]) { // a run that ended early has no record of the call
				e.Now, e.NowAt = d.acts[r][want].what, d.acts[r][want].line.Place()
			}
			return e
		}
	}
	return nil
}

// note is called for every call of the library by a rank. It does nothing unless an
// explorer compares runs, or if the run was stopped.
func (x *exploration) note(r *Rank, what fmt.Stringer) error {
	e, ok := x.choose.(*Explorer)
	if !ok || x.s.Cause() != nil {
		return nil
	}
	wrong := e.calls.note(r, digestOf(what), what)
	if wrong == nil {
		return nil
	}
	e.stopExploring(wrong)
	x.s.Abort(wrong)
	return x.s.Cause()
}

// An UncontrolledError reports that a program did not repeat its calls although all choices
// were the same: it depends on something that is not a choice, such as the time, the order
// of a map, or memory that ranks or runs share.
type UncontrolledError struct {
	Choice   int    // number of choices made before; -1 at the end of a run
	Rank     int    // the rank, in the world, that did not repeat; -1 if unknown
	Before   string // its call the first time, or the possible choices then
	BeforeAt Place  // the line of that call, if it was a call
	Now      string // the call or choices this time
	NowAt    Place

	// Reordered reports that the ranks ran in another order between choices: the program
	// may depend on memory that ranks share, or on one of the other causes.
	Reordered bool

	// Early names the operations, with their lines, before whose end the program uses their
	// buffers: its calls change with the bytes there, and with nothing else. Empty: another
	// cause.
	Early string
}

// Error names the cause and both calls.
func (e *UncontrolledError) Error() string {
	cause := "the program depends on time, chance, the order of a map, or what an earlier run left, beside its messages and files"
	if e.Reordered {
		cause = "ranks share a Go variable or other memory, or the program depends on time, chance or the order of a map"
	}
	if e.Early != "" {
		cause = "the program uses the buffer of " + e.Early + " before Wait, Test or the End call has reported that the operation is complete"
	}
	return fmt.Sprintf("uncontrolled nondeterminism: %s: %s", cause, e.difference())
}

// difference says what two runs with the same choices did.
func (e *UncontrolledError) difference() string {
	runs := "in two runs"
	if e.Choice > 0 {
		runs += ", after the same " + plural(e.Choice, "choice") + ","
	}
	if e.Reordered {
		runs += " with the ranks in opposite orders"
	}
	if e.Rank < 0 {
		return fmt.Sprintf("%s there was first %s, then %s", runs, e.Before, e.Now)
	}
	before, now := did(e.Before, e.BeforeAt), did(e.Now, e.NowAt)
	if before == now {
		return fmt.Sprintf("%s rank %d %s with different arguments or data", runs, e.Rank, before)
	}
	return fmt.Sprintf("%s rank %d first %s, then %s", runs, e.Rank, before, now)
}

func did(what string, at Place) string {
	if at.Line == 0 {
		return what
	}
	return "called " + what + " at " + at.String()
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
