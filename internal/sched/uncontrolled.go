package sched

import (
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
)

// Exploring rests on a claim about the program: what a rank does is a function
// of the choices made so far and of nothing else. This file checks it, as runs
// begin like others before them: every call of a rank leaves an act, and a rank
// that leaves other acts than it did after the same choices has listened to
// something that is no choice.
//
// Beginnings alone would not do: the end of each run is one nobody has seen, and
// a program without choices runs once. So the first run is made twice, with the
// ranks in the opposite order between choices. Where ranks share memory, that
// order shows, and nowhere else.

// An act is a call of a rank.
type act struct {
	digest uint64
	what   string
	line   *Line
}

// A Digester is what a rank is doing that can tell more about it than its
// String, and cheaper. Equal acts have equal digests, in all runs of a program
// and whatever order its ranks run in.
type Digester interface{ Digest() Digest }

// A Digest is made of all that belongs to an act.
type Digest uint64

var digestSeed = maphash.MakeSeed()

// String adds s to a digest.
func (d Digest) String(s string) Digest { return d.Int(int64(maphash.String(digestSeed, s))) }

// Bytes adds p to a digest.
func (d Digest) Bytes(p []byte) Digest { return d.Int(int64(maphash.Bytes(digestSeed, p))) }

// Int adds n to a digest.
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

// A diary holds the acts of each rank in the run that is made, as far as it
// goes, and behind that those of the run before which it has to repeat.
type diary struct {
	mu   sync.Mutex // goroutines that ranks leave behind may write, too
	acts [][]act    // by rank
	at   []int      // by rank: how many are of this run

	checked bool // the first run has been repeated, or is being so
	again   bool // just now
	loose   bool // it was cut short, and its ranks might have gone on
}

// begin opens the diary for the next run.
func (d *diary) begin(ranks int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.acts) != ranks {
		d.acts, d.at = make([][]act, ranks), make([]int, ranks)
	}
	clear(d.at)
}

// repeat says that the next run repeats all of the last one.
func (d *diary) repeat(loose bool) { d.checked, d.again, d.loose = true, true, loose }

// keep forgets all but the first acts of each rank.
func (d *diary) keep(first []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, n := range first {
		d.acts[i] = d.acts[i][:n]
	}
}

// marks appends how many acts each rank has left.
func (d *diary) marks(to []int) []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append(to, d.at...)
}

// note writes down an act of r, or compares it with that of the run before.
func (d *diary) note(r *Rank, digest Digest, what fmt.Stringer) *UncontrolledError {
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
	if d.again && d.loose { // an act nobody will compare
		return nil
	}
	if d.again {
		return &UncontrolledError{Rank: int(r.id), Before: "did nothing more", Now: what.String(), NowAt: r.Place()}
	}
	d.write(r, uint64(digest), what)
	return nil
}

// write adds an act. What the room for it still has of a run before is mostly
// the same, and then its text is good for this one, too.
func (d *diary) write(r *Rank, digest uint64, what fmt.Stringer) {
	list := d.acts[r.id]
	n := len(list)
	list = slices.Grow(list, 1)[:n+1]
	d.acts[r.id] = list
	now := &list[n]
	if now.line == nil || now.digest != digest {
		now.digest, now.what = digest, what.String()
	}
	now.line = r.note(3) // of who called exploration.note
}

func (a *act) against(r *Rank, what fmt.Stringer) *UncontrolledError {
	return &UncontrolledError{
		Rank: int(r.id), Before: a.what, BeforeAt: a.line.Place(), Now: what.String(), NowAt: r.Place(),
	}
}

// missing finds a rank that has done less than its mark says, or less than all
// if there are no marks.
func (d *diary) missing(marks []int) *UncontrolledError {
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
			if want < len(d.acts[r]) { // which a run that is cut short does not write down
				e.Now, e.NowAt = d.acts[r][want].what, d.acts[r][want].line.Place()
			}
			return e
		}
	}
	return nil
}

// Do tells an exploring world what r does, where nothing else does: in a call
// that neither steps nor meets nor asks. Where ranks run by turns it is an error
// that another one has the turn. Errors end the run.
func (r *Rank) Do(what fmt.Stringer) error {
	if r.s.turns == nil {
		return nil
	}
	if err := r.s.turns.mine(r); err != nil || r.s.run == nil {
		return err
	}
	return r.s.run.note(r, what)
}

// note is called wherever a rank calls the library. Only an explorer compares
// runs; and a run that has been stopped is none.
func (x *exploration) note(r *Rank, what fmt.Stringer) error {
	e, ok := x.choose.(*Explorer)
	if !ok || x.s.Cause() != nil {
		return nil
	}
	wrong := e.diary.note(r, digestOf(what), what)
	if wrong == nil {
		return nil
	}
	e.refute(wrong)
	x.s.Abort(wrong)
	return x.s.Cause()
}

// An UncontrolledError says that a program did not do the same again although
// all choices went the same way: it depends on something that is no choice,
// such as the time, the order of a map, or memory that ranks or runs share.
type UncontrolledError struct {
	Choice   int    // how many choices had been made; -1 at the end of a run
	Rank     int    // in the world, of the rank that did not do the same; -1 if it is not known
	Before   string // its call the first time, or what could be chosen then
	BeforeAt Place  // the line of that call, if it was one
	Now      string // and this time
	NowAt    Place

	// Reordered says that the ranks ran in another order between choices: then
	// the program depends on memory that ranks share, or on one of the others.
	Reordered bool
}

// Error tells both.
func (e *UncontrolledError) Error() string {
	choices := "the same " + plural(e.Choice, "choice")
	switch {
	case e.Choice == 0:
		choices = "no choice at all"
	case e.Choice < 0:
		choices = "a run with the same choices"
	}
	why := "the program depends on something besides its messages, such as time, chance, a map's order or what an earlier run left"
	if e.Reordered {
		why = "the program depends on something besides its messages, such as time, chance, a map's order or memory that ranks share"
	}
	if e.Rank < 0 {
		return fmt.Sprintf("uncontrolled nondeterminism: after %s there was once %s, and then %s; %s", choices, e.Before, e.Now, why)
	}
	before, now := did(e.Before, e.BeforeAt), did(e.Now, e.NowAt)
	if before == now {
		now = "the same with other arguments or data"
	}
	return fmt.Sprintf("uncontrolled nondeterminism: after %s rank %d once %s, and then %s; %s", choices, e.Rank, before, now, why)
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
