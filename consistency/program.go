package consistency

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/overlay"
)

// A History is a small program for [Allowed]: the steps of each rank, in order, and the
// initial content of the file. The program has no choices: each message meets a fixed
// receive.
type History struct {
	Init  []byte
	Ranks [][]Step
}

// A Do is the action of a [Step].
type Do uint8

// The actions of steps. A step on a file names its handle by a number, which is private to
// the rank.
const (
	DoOpen    Do = iota // Handle, of the collective open ID
	DoClose             // Handle; completes nothing
	DoSync              // Handle
	DoAtomic            // Handle; On
	DoWrite             // Handle, Runs, Data; with a Request it ends at the DoWait
	DoRead              // Handle, Runs, Name; with a Request it ends at the DoWait
	DoWait              // Request
	DoSize              // Handle, Name: get_size
	DoSetSize           // Handle, Bytes
	DoGrow              // Handle, Bytes: preallocate
	DoBarrier           // ID: all ranks that have a step with it pass it together
	DoSend              // ID of the message
	DoRecv              // ID of the message
	DoArrive            // ID of a meeting that does not order its ranks
	DoLeave             // ID of the meeting: waits until all its ranks have arrived
)

// A Run is Len adjacent bytes of a file, from Off on.
type Run struct{ Off, Len int64 }

// A Step is one call of one rank.
type Step struct {
	Do      Do
	Handle  int
	ID      int
	Request int // not 0: the access is nonblocking
	On      bool
	Runs    []Run
	Data    []byte // as long as the runs together
	Name    string // name of the result
	Bytes   int64
}

// An action is an access of a history, with all properties that the rules use.
type action struct {
	Step
	effect      *overlay.Write // of a write or change of size; for a read, its bytes
	rank, open  int
	handle      *histHandle
	atomic      bool
	begin, end  histTime // end is zero until it is complete
	first, last histTime // the syncs before and after it
	after       []uint64 // by rank: number of its events that had happened before the action began
	result      int      // index of the result, if it has one
}

// A histTime is an event: its number on its rank, and the rank's clock then.
type histTime struct {
	rank  int
	time  uint64
	known []uint64
}

// before reports whether event a happened before event b.
func (a *histTime) before(b *histTime) bool {
	return a.time > 0 && b.time > 0 && a.time <= b.known[a.rank]
}

type histHandle struct {
	open, id int
	atomic   bool
	start    histTime
	seq      []*action // since the last sync
}

// A histRank is the progress of a rank.
type histRank struct {
	pc      int
	known   []uint64
	passed  []uint64 // like known, but also with events that certainly happened before although the standard does not say so
	handles map[int]*histHandle
	pending map[int]*action
}

// A tracer runs a history to find its order.
type tracer struct {
	h        *History
	ranks    []*histRank
	actions  []*action
	sent     map[int][]uint64
	passed   map[int][]uint64
	results  []string // names
	barriers map[int]int
	arriving map[int]int
}

// trace returns the accesses of h with their order.
func (h *History) trace() (*tracer, error) {
	t := &tracer{h: h, sent: map[int][]uint64{}, passed: map[int][]uint64{}, barriers: map[int]int{}, arriving: map[int]int{}}
	for _, steps := range h.Ranks {
		t.ranks = append(t.ranks, &histRank{known: make([]uint64, len(h.Ranks)), passed: make([]uint64, len(h.Ranks)), handles: map[int]*histHandle{}, pending: map[int]*action{}})
		for _, s := range steps {
			switch s.Do {
			case DoBarrier:
				t.barriers[s.ID]++
			case DoArrive:
				t.arriving[s.ID]++
			}
		}
	}
	for moved := true; moved; {
		moved = false
		for r := range t.ranks {
			for t.ranks[r].pc < len(h.Ranks[r]) {
				ok, err := t.step(r)
				if err != nil {
					return nil, fmt.Errorf("rank %d, step %d: %w", r, t.ranks[r].pc, err)
				}
				if !ok {
					break
				}
				moved = true
			}
		}
	}
	for r, k := range t.ranks {
		if k.pc < len(h.Ranks[r]) {
			return nil, fmt.Errorf("deadlock: rank %d waits at step %d", r, k.pc)
		}
	}
	return t, nil
}

func (t *tracer) event(r int) histTime {
	k := t.ranks[r]
	k.known[r]++
	return histTime{r, k.known[r], slices.Clone(k.known)}
}

// step makes the next step of rank r, and reports whether it could.
func (t *tracer) step(r int) (bool, error) {
	k := t.ranks[r]
	s := &t.h.Ranks[r][k.pc]
	switch s.Do {
	case DoBarrier:
		if !t.barrier(s.ID) {
			return false, nil
		}
		return true, nil // the step of one rank moved all of them
	case DoSend:
		t.sent[s.ID] = t.event(r).known
		t.passed[s.ID] = slices.Clone(k.passed)
	case DoRecv:
		if t.sent[s.ID] == nil {
			return false, nil
		}
		join(k.known, t.sent[s.ID])
		join(k.passed, t.passed[s.ID])
	case DoArrive:
		t.event(r)
		if t.passed[s.ID] == nil {
			t.passed[s.ID] = make([]uint64, len(t.ranks))
		}
		join(t.passed[s.ID], k.known)
		join(t.passed[s.ID], k.passed)
		t.arriving[s.ID]--
	case DoLeave:
		if t.arriving[s.ID] > 0 {
			return false, nil
		}
		join(k.passed, t.passed[s.ID])
	case DoOpen:
		k.handles[s.Handle] = &histHandle{open: s.ID, id: s.Handle, start: t.event(r)}
	case DoWait:
		a := k.pending[s.Request]
		if a == nil {
			return false, fmt.Errorf("there is no request %d", s.Request)
		}
		a.end = t.event(r)
		delete(k.pending, s.Request)
	default:
		if err := t.onFile(r, s); err != nil {
			return false, err
		}
	}
	k.pc++
	return true, nil
}

func join(a, b []uint64) {
	for i := range a {
		a[i] = max(a[i], b[i])
	}
}

// barrier makes the ranks of a barrier pass it if all have come, and reports whether they
// have.
func (t *tracer) barrier(id int) bool {
	var here []int
	for r, k := range t.ranks {
		if steps := t.h.Ranks[r]; k.pc < len(steps) && steps[k.pc].Do == DoBarrier && steps[k.pc].ID == id {
			here = append(here, r)
		}
	}
	if len(here) < t.barriers[id] {
		return false
	}
	all, passed := make([]uint64, len(t.ranks)), make([]uint64, len(t.ranks))
	for _, r := range here {
		join(all, t.ranks[r].known)
		join(passed, t.ranks[r].passed)
	}
	for _, r := range here {
		copy(t.ranks[r].known, all)
		copy(t.ranks[r].passed, passed)
		t.ranks[r].pc++
	}
	return true
}

func (t *tracer) onFile(r int, s *Step) error {
	k := t.ranks[r]
	h := k.handles[s.Handle]
	if h == nil {
		return fmt.Errorf("handle %d is not open", s.Handle)
	}
	switch s.Do {
	case DoClose, DoSync:
		return t.sync(r, s, h)
	case DoAtomic:
		changed := h.atomic != s.On
		h.atomic = s.On
		for _, a := range k.pending {
			if a.handle == h && changed {
				a.atomic = false // CONS-ATOM-03
			}
		}
		return nil
	}
	a := &action{Step: *s, effect: s.effect(), rank: r, open: h.open, handle: h, atomic: h.atomic, begin: t.event(r), first: h.start}
	a.after = slices.Clone(k.passed)
	join(a.after, k.known)
	if n := total(s.Runs); s.Do == DoWrite && n != int64(len(s.Data)) {
		return fmt.Errorf("%d bytes of data for %d bytes of the file", len(s.Data), n)
	}
	if s.Do == DoRead || s.Do == DoSize {
		a.result = len(t.results)
		t.results = append(t.results, fmt.Sprintf("%d.%s", r, s.Name))
	}
	h.seq = append(h.seq, a)
	t.actions = append(t.actions, a)
	if s.Request == 0 {
		a.end = a.begin
	} else {
		k.pending[s.Request] = a
	}
	return nil
}

func (t *tracer) sync(r int, s *Step, h *histHandle) error {
	k := t.ranks[r]
	for _, a := range k.pending {
		if a.handle == h {
			return fmt.Errorf("handle %d has an access under way (CONS-SYNC-02)", s.Handle)
		}
	}
	now := t.event(r)
	for _, a := range h.seq {
		a.last = now
	}
	h.start, h.seq = now, nil
	if s.Do == DoClose {
		delete(k.handles, s.Handle)
	}
	return nil
}

func total(runs []Run) (n int64) {
	for _, r := range runs {
		n += r.Len
	}
	return n
}

// effect returns the effect of the step: the bytes that it writes, or the new size.
func (s *Step) effect() *overlay.Write {
	w := &overlay.Write{Data: s.Data, Size: s.Bytes}
	switch s.Do {
	case DoSetSize:
		w.Kind = overlay.Resize
	case DoGrow:
		w.Kind = overlay.Grow
	}
	for _, r := range s.Runs {
		w.Runs = append(w.Runs, extent.Run(r))
	}
	return w
}

// resizes reports whether the step changes the size of the file.
func (d Do) resizes() bool { return d == DoSetSize || d == DoGrow }

func (a *action) writes() bool { return a.Do == DoWrite || a.sizes() }
func (a *action) sizes() bool  { return a.Do.resizes() }

// has reports whether a accesses byte off.
func (a *action) has(off int64) bool {
	if a.Do == DoSize {
		return true
	}
	return slices.ContainsFunc(a.Runs, func(r Run) bool { return r.Off <= off && off < r.Off+r.Len })
}

// unordered reports whether the standard would not order a and b if they conflicted: it checks
// the three cases of the standard without regard to bytes.
func (a *action) unordered(b *action) bool {
	ordered := a.end.before(&b.begin) || b.end.before(&a.begin)
	switch {
	case a.handle == b.handle:
		return !ordered && !(a.atomic && b.atomic)
	case a.open == b.open && (a.atomic && b.atomic || a.sizes() || b.sizes()):
		return false
	}
	return !a.last.before(&b.first) && !b.last.before(&a.first)
}
