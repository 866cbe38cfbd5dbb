package race

import (
	"math"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// A Ledger remembers which writes the bytes of a file come from. It keeps one entry for
// each write, or for a series of writes of one line that continue each other.
type Ledger struct {
	mu      sched.Mutex
	before  int64 // bytes that the file had at the beginning
	entries []*Entry
	next    uint64
	apart   bool // each write has its own entry
}

// An Entry is a write, or a cut of the file to a new size.
type Entry struct {
	handle    any
	origin    consistency.Origin
	where     PCs
	patterns  []extent.Pattern
	published uint64       // number in the order in which writes got into the file; 0: not there yet
	cut       int64        // new size; -1: not a cut
	kept      int64        // of a write: its size after a truncation that came before it reached the file
	without   []extent.Run // bytes that never got into the file
}

// NewLedger returns the ledger of a file that has size bytes.
func NewLedger(size int64) *Ledger { return &Ledger{before: size} }

// Write records a write by a rank through a handle, and returns its entry. now says that it
// is in the file at once, as in atomic mode.
func (l *Ledger) Write(handle any, rank int, a *Access, etype, rep string, now bool) *Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := consistency.Origin{From: consistency.FromWrite, Rank: rank, Op: a.Op, Place: a.Line, Type: etype, Rep: rep}
	patterns := extent.Patterns(&a.Bytes, nil)
	if k := len(l.entries) - 1; k >= 0 && len(patterns) == 1 && !l.apart {
		last := l.entries[k]
		if last.handle == handle && last.origin == o && last.where == a.Where && last.published == 0 && last.kept == math.MaxInt64 && !now &&
			len(last.patterns) == 1 && last.patterns[0].Extend(patterns[0]) {
			return last
		}
	}
	e := &Entry{handle: handle, origin: o, where: a.Where, patterns: patterns, cut: -1, kept: math.MaxInt64}
	if now {
		l.next++
		e.published = l.next
	}
	l.entries = append(l.entries, e)
	return e
}

// Moved records that the bytes of a write that was under way have moved now: if it is in the file, it came
// there after what others have done since it began.
func (l *Ledger) Moved(e *Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.published != 0 {
		l.next++
		e.published = l.next
	}
}

// Sync records that everything written through a handle is in the file and synced, except
// for the bytes in kept, in whose place other writes stayed; see [image.Handle.Kept].
func (l *Ledger) Sync(handle any, kept ...extent.Run) { l.publish(handle, true, kept) }

// Publish records that everything written through a handle is in the file but not synced,
// so that other ranks may see it or not.
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

// Lose records that the unpublished writes through a handle will never get into the file.
func (l *Ledger) Lose(handle any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.DeleteFunc(l.entries, func(e *Entry) bool { return e.handle == handle && e.published == 0 })
}

// Resize records that the file was cut to a size, or grown. Bytes beyond are gone, including
// unpublished writes of the handles that took part. Unpublished writes of other handles get
// into the file later, even those made before this call: they conflict with this call, and
// count in the order of publication (CONS-D08).
func (l *Ledger) Resize(size int64, tookPart func(handle any) bool) *Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.published == 0 && tookPart(e.handle) {
			e.kept = min(e.kept, size)
		}
	}
	l.next++
	e := &Entry{published: l.next, cut: size}
	l.entries = append(l.entries, e)
	return e
}

// Apart gives each write from now on an entry of its own, so that reorder can move it.
func (l *Ledger) Apart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.apart = true
}

// reorder sorts the entries of writes into the order in which the writes overlay each
// other.
func (l *Ledger) reorder(writes []*Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range writes {
		if e := w.entry; e != nil {
			l.next++
			e.published, e.kept, e.without = l.next, math.MaxInt64, nil
		}
	}
}

// widestOrigin bounds the range of one call of Origins, which visits each byte.
const widestOrigin = 1 << 26

// Origins returns the origins of bytes [lo, hi) of the file, in order; adjacent bytes of one
// origin are one element. Unpublished writes count, too. Errors: ErrArg for lo < 0, hi < lo,
// or more than 64 MiB.
func (l *Ledger) Origins(lo, hi int64) ([]consistency.Origin, error) {
	if lo < 0 || hi < lo || hi-lo > widestOrigin {
		return nil, extent.Fault("Provenance", errclass.Arg, "IO-DA-03", "bytes %d to %d: the first is at least 0, and at most %d are looked at", lo, hi, widestOrigin)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	of := make([]int32, hi-lo) // 0: hole; 1: before the run; k+2: entry k
	for i := range of {
		if lo+int64(i) < l.before {
			of[i] = 1
		}
	}
	for _, k := range l.order() {
		l.entries[k].paint(of, lo, int32(k)+2)
	}
	var all []consistency.Origin
	for i, k := range of {
		if i > 0 && of[i-1] == k {
			all[len(all)-1].Hi++
			continue
		}
		o := consistency.Origin{From: consistency.FromHole}
		switch {
		case k == 1:
			o.From = consistency.FromBefore
		case k > 1:
			o = l.entries[k-2].describe()
		}
		all = consistency.Join(all, o, lo+int64(i), lo+int64(i)+1)
	}
	return all, nil
}

// order returns the entries in the order in which they got into the file, and then those
// that have not.
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

// paint marks the bytes of e, in a slice that begins at byte lo.
func (e *Entry) paint(of []int32, lo int64, mark int32) {
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

func (e *Entry) describe() consistency.Origin {
	o := e.origin
	if o.Place.Line == 0 {
		var line sched.Line
		copy(line.PCs[:], e.where[:])
		o.Place = line.Place()
	}
	return o
}
