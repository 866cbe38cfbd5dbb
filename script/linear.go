package script

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"

	"github.com/commworld/commworld/consistency"
)

// A run logs a statement when it returns. One rank may return from a barrier, and run on,
// before another one has returned from it, so a log in that order shows a barrier that does not
// hold. This file puts the log into an order that explains the run: each meeting is one step of
// all its ranks, a message is sent before it is received, and of two syncs that meet, the one
// that took effect first comes first.

// linearize puts the events of a run into such an order, and their moments with them. The
// order of each rank's events stays. Only where calls wait for each other in a circle, as two
// sendrecvs do, an event may come before one that it depends on.
func (r *Report) linearize() {
	l, _ := r.connections()
	o := &linearOrder{log: r.Log, need: make([]int, len(r.Log)), after: make([][]int, len(r.Log)), group: make([]int, len(r.Log)), done: make([]bool, len(r.Log))}
	of := make([][]int, r.Script.Ranks) // the events of each rank
	for i, e := range r.Log {
		o.group[i] = -1
		if n := len(of[e.Rank]); n > 0 {
			o.edge(of[e.Rank][n-1], i)
		}
		of[e.Rank] = append(of[e.Rank], i)
	}
	for _, m := range l.Meetings {
		if len(m.Events) > 1 && !slices.ContainsFunc(m.Events, func(i int) bool { return o.group[i] >= 0 }) {
			for _, i := range m.Events {
				o.group[i] = len(o.groups)
			}
			o.groups = append(o.groups, slices.Clone(m.Events))
		}
	}
	for _, m := range l.Messages {
		if m[0] != m[1] && (o.group[m[0]] < 0 || o.group[m[0]] != o.group[m[1]]) {
			o.edge(m[0], m[1])
		}
	}
	for _, events := range o.groups {
		r.sortSyncs(events)
	}
	order := o.sorted()
	if r.Moments != nil {
		r.reorderMoments(order)
	}
	log := make([]*Event, len(order))
	for k, i := range order {
		log[k] = r.Log[i]
	}
	r.Log = log
}

// A linearOrder sorts events topologically: among those that may come next, the one that
// returned first.
type linearOrder struct {
	log    []*Event
	need   []int   // by event: how many events that come before it are not in the order yet
	after  [][]int // by event: those that come after it
	group  []int   // by event: its meeting, -1: none
	groups [][]int // by meeting: its events, in the order in which they are shown
	done   []bool  // by event: it is in the order

	ready readyEvents
	order []int
}

// readyEvents is a heap of events that may come next; one stands for all of its meeting.
type readyEvents []int

func (h readyEvents) Len() int           { return len(h) }
func (h readyEvents) Less(i, j int) bool { return h[i] < h[j] }
func (h readyEvents) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *readyEvents) Push(x any)        { *h = append(*h, x.(int)) }
func (h *readyEvents) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	*h = (*h)[:n]
	return x
}

func (o *linearOrder) edge(from, to int) {
	o.after[from] = append(o.after[from], to)
	o.need[to]++
}

func (o *linearOrder) sorted() []int {
	for i := range o.log {
		o.offer(i)
	}
	stuck := 0 // no event before it is left out
	for len(o.order) < len(o.log) {
		if o.ready.Len() > 0 {
			i := heap.Pop(&o.ready).(int)
			if o.done[i] {
				continue
			}
			if g := o.group[i]; g >= 0 {
				o.emit(o.groups[g]...)
			} else {
				o.emit(i)
			}
			continue
		}
		for o.done[stuck] {
			stuck++
		}
		i := stuck // its rank's earlier events returned before it, so they are done
		if g := o.group[i]; g >= 0 {
			for _, k := range o.groups[g] {
				o.group[k] = -1
				if k != i {
					o.offer(k)
				}
			}
		}
		o.emit(i)
	}
	return o.order
}

// offer makes i, with its meeting, ready if nothing has to come before it.
func (o *linearOrder) offer(i int) {
	if o.done[i] || o.need[i] > 0 {
		return
	}
	if g := o.group[i]; g >= 0 {
		if slices.ContainsFunc(o.groups[g], func(k int) bool { return o.need[k] > 0 }) {
			return
		}
		i = slices.Min(o.groups[g])
	}
	heap.Push(&o.ready, i)
}

// emit adds events to the order.
func (o *linearOrder) emit(events ...int) {
	for _, i := range events {
		o.order, o.done[i] = append(o.order, i), true
	}
	for _, i := range events {
		for _, k := range o.after[i] {
			o.need[k]--
			o.offer(k)
		}
	}
}

// sortSyncs sorts the events of a meeting if they are syncs of a file: the one that took effect
// first comes first.
func (r *Report) sortSyncs(events []int) {
	effect := func(i int) (at int) {
		for _, s := range r.Log[i].did {
			if s.access != nil && s.Do == consistency.DoSync {
				at = s.to
			}
		}
		return at
	}
	if !slices.ContainsFunc(events, func(i int) bool { return effect(i) == 0 }) {
		slices.SortFunc(events, func(a, b int) int { return cmp.Compare(effect(a), effect(b)) })
	}
}

// reorderMoments makes the moments fit the order of events, given by their index in the log
// so far. A moment has what each rank had after its last event, and the files as they were
// when all events up to there, and no others, had returned. Calls of other ranks may have
// begun by then, so the files stay as they were before an event that does not publish.
func (r *Report) reorderMoments(order []int) {
	old := r.Moments
	all, done := old[:1:1], make([]bool, len(order))
	prefix := 0 // so many events of the log are done, without a gap
	for _, i := range order {
		for done[i] = true; prefix < len(done) && done[prefix]; prefix++ {
		}
		last, own, files := all[len(all)-1], old[i+1], old[prefix]
		if len(all) < len(order) && !r.mayPublish(old[0].run, r.Log[i]) {
			files = last
		}
		m := &Moment{Event: r.Log[i], Files: files.Files, Versions: maps.Clone(files.Versions), run: own.run, steps: slices.Clone(last.steps), seen: slices.Clone(last.seen)}
		for file, v := range last.Versions {
			if _, open := m.Versions[file]; open { // else no handle says which version it is
				m.Versions[file] = max(m.Versions[file], v)
			}
		}
		rank := m.Event.Rank
		m.steps[rank], m.seen[rank] = own.steps[rank], maps.Clone(own.seen[rank])
		for handle, v := range m.seen[rank] {
			if file := m.fileOf(rank, handle); file != "" {
				m.Versions[file] = max(m.Versions[file], v)
			}
		}
		all = append(all, m)
	}
	r.Moments = all
}

// mayPublish reports whether an event of a run may change the published bytes of a file.
func (r *Report) mayPublish(run *run, e *Event) bool {
	if run.model.PublishesEarly() {
		return true
	}
	switch e.Stmt.Routine {
	case "open", "close", "delete", "sync", "set_size", "preallocate", "atomic":
		return true
	}
	return e.Stmt.Handle == "" && e.Stmt.Reqs != nil || slices.ContainsFunc(r.Script.Blocks, func(b Block) bool { // writes in atomic mode publish
		return slices.ContainsFunc(b.Stmts, func(s *Stmt) bool { return s.Routine == "atomic" })
	})
}

// A handleOf is a handle of a rank.
type handleOf struct {
	rank   int
	handle string
}

// fileOf returns the file of a handle that a rank has open, "" if it has none of that name.
func (m *Moment) fileOf(rank int, handle string) (file string) {
	for _, s := range m.run.ranks[rank].history.steps[:m.steps[rank]] {
		if s.access != nil && s.stmt != nil && s.stmt.Handle == handle {
			file = s.file
		}
	}
	return file
}
