package consistency

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// From says where bytes of a file come from.
type From uint8

// Where bytes come from.
const (
	FromHole   From = iota // nobody wrote them: they have no particular value
	FromBefore             // they were in the file before it was first opened
	FromWrite              // of a call that is known
)

// An Origin is where bytes [Lo, Hi) of a file come from.
type Origin struct {
	Lo, Hi int64
	From   From

	// Of a write:
	Rank   int         // in the world
	Op     string      // the call
	Place  sched.Place // in the program
	Type   string      // etype of the view
	Rep    string      // data representation of the view
	Synced bool        // the handle has been synced or closed since
}

// String is the origin as a line of a list.
func (o Origin) String() string {
	bytes := fmt.Sprintf("bytes %d to %d: ", o.Lo, o.Hi-1)
	switch o.From {
	case FromHole:
		return bytes + "hole, never written"
	case FromBefore:
		return bytes + "left over from before the file was opened"
	}
	who := Party{Rank: o.Rank, Op: o.Op, Place: o.Place}
	text := fmt.Sprintf("%s%v, %s %s", bytes, &who, o.Rep, o.Type)
	if !o.Synced {
		text += ", not synced"
	}
	return text
}

// String is "hole", "before" or "write".
func (f From) String() string {
	switch f {
	case FromHole:
		return "hole"
	case FromBefore:
		return "before"
	}
	return "write"
}

// originJSON is an [Origin] for programs.
type originJSON struct {
	Bytes  [2]int64 `json:"bytes"`
	From   string   `json:"from"`
	Rank   *int     `json:"rank,omitempty"`
	Op     string   `json:"op,omitempty"`
	Source string   `json:"source,omitempty"`
	Line   int      `json:"line,omitempty"`

	Caller *sched.Place `json:"caller,omitempty"` // the line that led to it
	Type   string       `json:"type,omitempty"`
	Rep    string       `json:"rep,omitempty"`
	Synced *bool        `json:"synced,omitempty"`
}

// MarshalJSON writes the origin as bytes [lo, hi), from ("hole", "before" or
// "write") and, of a write, rank, op, source, line, type, rep and synced.
func (o Origin) MarshalJSON() ([]byte, error) {
	j := originJSON{Bytes: [2]int64{o.Lo, o.Hi}, From: o.From.String()}
	if o.From == FromWrite {
		j.Rank, j.Op, j.Source, j.Line = &o.Rank, o.Op, o.Place.File, o.Place.Line
		j.Caller, j.Type, j.Rep, j.Synced = o.Place.Caller, o.Type, o.Rep, &o.Synced
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Origin) UnmarshalJSON(text []byte) error {
	var j originJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*o = Origin{Lo: j.Bytes[0], Hi: j.Bytes[1], Op: j.Op, Place: sched.Place{File: j.Source, Line: j.Line, Caller: j.Caller}, Type: j.Type, Rep: j.Rep}
	switch j.From {
	case "hole":
	case "before":
		o.From = FromBefore
	case "write":
		o.From = FromWrite
	default:
		return fmt.Errorf("%q is no place where bytes come from", j.From)
	}
	if o.Lo < 0 || o.Hi <= o.Lo {
		return fmt.Errorf("bytes from %d up to %d are none", o.Lo, o.Hi)
	}
	if j.Rank != nil {
		o.Rank = *j.Rank
	}
	if j.Synced != nil {
		o.Synced = *j.Synced
	}
	return nil
}

// A Ledger remembers who wrote the bytes of a file, for as long as it lives. It
// keeps one entry for each write, or for a row of writes of one line that
// continue each other.
type Ledger struct {
	mu      sched.Mutex
	before  int64 // bytes that the file had at the beginning
	entries []*entry
	next    uint64
	apart   bool // each write has an entry of its own
}

// An entry is a write, or the cut of a file at a new size.
type entry struct {
	handle    any
	origin    Origin
	where     PCs
	patterns  []extent.Pattern
	published uint64       // its place in the order in which writes got into the file; 0: not there yet
	cut       int64        // -1: no cut
	kept      int64        // of a write: what a cut left of it before it got into the file
	taken     bool         // a deed has been found for it
	without   []extent.Run // bytes that never got into the file
}

// NewLedger returns the ledger of a file that has size bytes.
func NewLedger(size int64) *Ledger { return &Ledger{before: size} }

// Write notes a write by a rank through a handle. now says that it is in the
// file at once, as in atomic mode.
func (l *Ledger) Write(handle any, rank int, a *Access, etype, rep string, now bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := Origin{From: FromWrite, Rank: rank, Op: a.Op, Place: a.Line, Type: etype, Rep: rep}
	patterns := a.Bytes.Patterns(nil)
	if k := len(l.entries) - 1; k >= 0 && len(patterns) == 1 && !l.apart {
		last := l.entries[k]
		if last.handle == handle && last.origin == o && last.where == a.Where && last.published == 0 && last.kept == math.MaxInt64 && !now &&
			len(last.patterns) == 1 && last.patterns[0].Extend(patterns[0]) {
			return
		}
	}
	e := &entry{handle: handle, origin: o, where: a.Where, patterns: patterns, cut: -1, kept: math.MaxInt64}
	if now {
		l.next++
		e.published = l.next
	}
	l.entries = append(l.entries, e)
}

// Sync notes that all that was written through a handle is in the file, by a
// sync or close that makes it last, except for the bytes in kept: those of other
// writes stayed there, see [image.Handle.Kept].
func (l *Ledger) Sync(handle any, kept ...extent.Run) { l.publish(handle, true, kept) }

// Publish notes that all that was written through a handle is in the file,
// where others may find it or not: nobody has synced it.
func (l *Ledger) Publish(handle any, kept ...extent.Run) { l.publish(handle, false, kept) }

func (l *Ledger) publish(handle any, sync bool, kept []extent.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.handle == handle && !e.origin.Synced {
			e.origin.Synced = sync
			if e.published == 0 {
				l.next++
				e.published, e.without = l.next, kept
			}
		}
	}
}

// Lose notes that what was written through a handle and is not in the file will
// never be.
func (l *Ledger) Lose(handle any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.DeleteFunc(l.entries, func(e *entry) bool { return e.handle == handle && e.published == 0 })
}

// Resize notes that the file was given a size: what lies beyond is gone, also of
// what was written through the handles that took part and is not in the file yet.
// What others have not published gets in later, whatever they wrote then: their
// writes and this one are in conflict, and come in the order that is there
// (CONS-D08).
func (l *Ledger) Resize(size int64, tookPart func(handle any) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.published == 0 && tookPart(e.handle) {
			e.kept = min(e.kept, size)
		}
	}
	l.next++
	l.entries = append(l.entries, &entry{published: l.next, cut: size})
}

// Apart has each write entered by itself from now on, so that it can have another
// place than those beside it.
func (l *Ledger) Apart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.apart = true
}

// settle gives the entries of deeds, all there were in the order in which they were
// begun, the order in which they came to lie.
func (l *Ledger) settle(all, order []*Deed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of, k := map[*Deed]*entry{}, len(l.entries)
	for _, e := range l.entries {
		e.taken = false
	}
	for i := len(all) - 1; i >= 0; i-- { // the latest of each handle are its latest here
		d := all[i]
		if !d.entered {
			continue
		}
		for j := k - 1; j >= 0; j-- {
			if e := l.entries[j]; !e.taken && (d.Do == DoWrite && e.cut < 0 && e.handle == d.handle || d.Do != DoWrite && e.cut == d.Bytes) {
				of[d], e.taken = e, true
				break
			}
		}
	}
	for _, d := range order {
		if e := of[d]; e != nil {
			l.next++
			e.published, e.kept, e.without = l.next, math.MaxInt64, nil
		}
	}
}

// widestOrigin bounds what one call of Origins looks at, because it looks at
// each byte.
const widestOrigin = 1 << 26

// Origins tells where bytes [lo, hi) of the file come from, in order; stretches
// of one origin are one. Where a byte was written and not published it tells of
// that write. Errors: ErrArg for lo < 0, hi < lo, or more than 64 MiB.
func (l *Ledger) Origins(lo, hi int64) ([]Origin, error) {
	if lo < 0 || hi < lo || hi-lo > widestOrigin {
		return nil, extent.Fault("Provenance", errclass.Arg, "IO-DA-03", "bytes %d to %d: the first is at least 0, and at most %d are looked at", lo, hi, widestOrigin)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	of := make([]int32, hi-lo) // 0 hole, 1 before, k+2 entry k
	for i := range of {
		if lo+int64(i) < l.before {
			of[i] = 1
		}
	}
	for _, k := range l.order() {
		l.entries[k].paint(of, lo, int32(k)+2)
	}
	var all []Origin
	for i, k := range of {
		if i > 0 && of[i-1] == k {
			all[len(all)-1].Hi++
			continue
		}
		o := Origin{From: FromHole}
		switch {
		case k == 1:
			o.From = FromBefore
		case k > 1:
			o = l.entries[k-2].describe()
		}
		all = Join(all, o, lo+int64(i), lo+int64(i)+1)
	}
	return all, nil
}

// Join appends o, of bytes [lo, hi), to a list that ends before or at lo; what
// continues the last origin becomes part of it.
func Join(all []Origin, o Origin, lo, hi int64) []Origin {
	if k := len(all) - 1; k >= 0 && all[k].Hi == lo {
		o.Lo, o.Hi = all[k].Lo, all[k].Hi
		if o == all[k] {
			all[k].Hi = hi
			return all
		}
	}
	o.Lo, o.Hi = lo, hi
	return append(all, o)
}

// order returns the entries in the order in which they got into the file, and
// then those that have not.
func (l *Ledger) order() []int {
	at := make([]int, l.next+1)
	var late []int
	for k, e := range l.entries {
		if e.published == 0 {
			late = append(late, k)
		} else {
			at[e.published] = k + 1
		}
	}
	var list []int
	for _, k := range at {
		if k > 0 {
			list = append(list, k-1)
		}
	}
	return append(list, late...)
}

// paint marks the bytes of e among those from lo on.
func (e *entry) paint(of []int32, lo int64, mark int32) {
	hi := lo + int64(len(of))
	if e.cut >= 0 {
		clear(of[min(max(e.cut, lo), hi)-lo:])
		return
	}
	for i := range e.patterns {
		p := &e.patterns[i]
		for k, ok := p.Meets(lo, hi); ok && k < p.N && p.Start(k) < hi; k++ {
			for off := max(lo, p.Start(k)); off < min(hi, e.kept, p.Start(k)+p.Block); off++ {
				if !slices.ContainsFunc(e.without, func(r extent.Run) bool { return r.Off <= off && off < r.Off+r.Len }) {
					of[off-lo] = mark
				}
			}
		}
	}
}

func (e *entry) describe() Origin {
	o := e.origin
	if o.Place.Line == 0 {
		var line sched.Line
		copy(line.PCs[:], e.where[:])
		o.Place = line.Place()
	}
	return o
}
