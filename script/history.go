package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A history has the actions of one rank in one run, for the judge of outcomes: the steps on
// files, each with the file's name, and the steps that order ranks.
type history struct {
	rank    *rank
	steps   []step
	handles map[string]opening // by their names in the script
	under   map[*Stmt]*access  // accesses under way
	current *access            // of the statement that runs
	done    *access            // of the access that was completed last
	opens   int                // collective opens so far
	meets   int                // barriers and the like so far
	joint   map[string]*joint
	sent    map[mark]int
	got     map[mark]int
	matched []match   // what receives from any rank got
	pointed []*access // queries of the shared pointer
	unknown error     // why this run cannot be judged

	from, to int // the positions of the first and the last event of the statement that runs
}

// A joint numbers the collective calls of a rank with one handle, to find the calls that
// met.
type joint struct {
	open  int // the event
	calls int
}

// meet records a meeting of ranks: the begin of a collective call with a handle, or the
// return of one that was no access. Ranks meet there in this implementation, although the
// standard does not promise it; in explorations many do not.
func (t *history) meet(s *Stmt) {
	j := t.joint[s.Handle]
	switch {
	case j == nil || !s.together() || s.As != "" || t.leavesEarly(s):
		return
	case t.rank.handles[s.Handle] == nil:
		delete(t.joint, s.Handle)
	}
	t.arrive(j)
	t.leave(j, j.calls)
}

// leavesEarly reports whether the rank may leave the call s before others have come to it.
func (t *history) leavesEarly(s *Stmt) bool {
	switch s.Routine {
	case "open", "set_size", "preallocate":
		return false
	}
	call := sched.Call{At: sched.LineAt(*t.rank.run.plan[s].place)}
	return !strings.Contains(s.Routine, "_ordered") && port.Thread(t.rank.comm).Sched().LeavesEarly(call)
}

func (t *history) arrive(j *joint) {
	j.calls++
	t.order(consistency.DoArrive, mark{"call", [4]int{j.open, j.calls}})
}

func (t *history) leave(j *joint, call int) {
	t.order(consistency.DoLeave, mark{"call", [4]int{j.open, call}})
}

// together reports whether all ranks that opened the handle make this call.
func (s *Stmt) together() bool {
	switch s.Routine {
	case "open", "close", "view", "seek_shared", "set_size", "preallocate", "sync", "atomic":
		return true
	}
	return s.accessesTogether()
}

// accessesTogether reports whether s is a collective access, or half of one: a
// rank may return from it before another has moved its bytes.
func (s *Stmt) accessesTogether() bool {
	return strings.Contains(s.Routine, "_all") || strings.Contains(s.Routine, "_ordered")
}

// A step is an action on one file, or one that orders ranks. The events of the latter get
// numbers only when the history is asked for.
type step struct {
	*access
	do   consistency.Do
	what mark
}

// An access is the step of a data access.
type access struct {
	consistency.Step
	file   string
	stmt   *Stmt
	buf    types.Buffer
	call   int    // of a collective call that is under way: its number
	moved  int64  // bytes of the file that were read or written
	offset int64  // in etypes
	read   []byte // what a read that is complete returned, as the file has it; else nil

	from, to int // the positions of its first and its last effect, see readable.Call
}

// An opening identifies a handle: its number among the handles of its rank, and its file.
type opening struct {
	id   int
	file string
}

// put sets m[k] = v and makes the map first if needed: most maps of a run stay nil.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// Wants returns the events that take effect on a file, or only those with the bytes of accesses.
func (t *history) Wants(any) journal.Kind {
	if !t.rank.run.effects {
		return journal.Moved
	}
	return journal.Opened | journal.Begun | journal.Moved | journal.Cut | journal.Sized |
		journal.Published | journal.Switched | journal.Synced | journal.Closed
}

// Record notes the position of an event, and takes the bytes of an access, which it finds by its
// memory. An access of no bytes is not judged.
func (t *history) Record(e *journal.Event) {
	t.to = t.rank.run.nextEffect()
	if t.from == 0 {
		t.from = t.to
	}
	if e.Kind != journal.Moved {
		return
	}
	for _, x := range t.under {
		if t.takes(x, e) {
			return
		}
	}
	t.takes(t.current, e)
}

func (t *history) takes(x *access, e *journal.Event) bool {
	if x == nil || !sameMemory(x.buf, *e.Buffer) || x.Runs != nil {
		return false
	}
	x.moved, x.to, x.offset = e.Moved, t.to, e.Offset
	for off, n := range e.Bytes.At.Runs(e.Bytes.From, e.Asked) {
		x.Runs = append(x.Runs, consistency.Run{Off: off, Len: n})
	}
	if e.Write {
		x.Data, t.unknown = t.rank.written(e.Handle.(*iofile.File), *e.Buffer, t.unknown)
	}
	return true
}

func sameMemory(a, b types.Buffer) bool {
	m, n := a.Mem(), b.Mem()
	return len(m) > 0 && len(m) == len(n) && &m[0] == &n[0]
}

// written returns the data of a buffer in the form that a file holds under its view.
func (k *rank) written(f *iofile.File, b types.Buffer, err error) ([]byte, error) {
	packed := make([]byte, b.Packed(k.comm.Arch()))
	b.Pack(packed, 0, k.comm.Arch())
	if err == nil {
		packed, err = k.encoded(f, packed, b.Type())
	}
	return packed, err
}

// converter returns the representation of the file's view, nil if the view moves bytes as
// they are.
func (k *rank) converter(f *iofile.File) (reps.Rep, error) {
	v, err := f.View()
	if err != nil {
		return nil, err
	}
	rep := v.Rep
	if v.Etype.Kind() == types.KindByte { // its bytes are those of the rank's memory (REP-BYTE-01)
		rep = "native"
	}
	r, err := reps.Lookup(rep, k.comm.Arch())
	if err != nil || rep == "native" && r.Plain(k.comm.Arch()) {
		return nil, nil // scripts cannot use representations of a user
	}
	return r, nil
}

// encoded returns packed data of a datatype in the form that a file holds. If the
// representation converts, it leaves out an item that is cut.
func (k *rank) encoded(f *iofile.File, packed []byte, t *types.Type) ([]byte, error) {
	r, err := k.converter(f)
	if err != nil || r == nil {
		return packed, err
	}
	return inForm(r, packed, t, k.comm.Arch())
}

// begin prepares for the bytes of an access with that buffer.
func (t *history) begin(s *Stmt, buf types.Buffer) {
	do := consistency.DoWrite
	if s.Want != nil {
		do = consistency.DoRead
	}
	h := t.handles[s.Handle]
	t.current = &access{Step: consistency.Step{Do: do, Handle: h.id, Name: s.Into}, file: h.file, stmt: s, buf: buf}
}

func (t *history) add(s *Stmt, x consistency.Step) {
	h := t.handles[s.Handle]
	x.Handle = h.id
	t.steps = append(t.steps, step{access: &access{Step: x, file: h.file, stmt: s, from: t.from, to: t.to}})
}

// order adds a step that concerns all files.
func (t *history) order(do consistency.Do, what mark) {
	t.steps = append(t.steps, step{do: do, what: what})
}

// record records a statement that has succeeded.
func (t *history) record(s *Stmt) {
	switch s.Routine {
	case "open":
		t.opened(s)
	case "close":
		t.add(s, consistency.Step{Do: consistency.DoClose})
	case "sync":
		t.add(s, consistency.Step{Do: consistency.DoSync})
	case "atomic":
		t.add(s, consistency.Step{Do: consistency.DoAtomic, On: s.On})
	case "set_size":
		t.add(s, consistency.Step{Do: consistency.DoSetSize, Bytes: s.Bytes})
	case "preallocate":
		t.add(s, consistency.Step{Do: consistency.DoGrow, Bytes: s.Bytes})
	case "get_size":
		t.add(s, consistency.Step{Do: consistency.DoSize, Name: s.Into})
	case "delete":
		t.unknown = errors.New("the script deletes a file")
	case "allreduce", "allgather", "bcast", "scatter", "gather", "reduce":
		t.collective(s)
	case "barrier":
		t.meets++
		t.order(consistency.DoBarrier, mark{"meeting", [4]int{t.meets}})
	case "send", "isend", "ssend":
		key := mark{"message", [4]int{t.rank.id, s.Peer, s.Tag}}
		put(&t.sent, key, t.sent[key]+1)
		key.which[3] = t.sent[key]
		t.order(consistency.DoSend, key)
		if s.Routine == "ssend" {
			t.unknown = errors.New("a synchronous send orders both ways")
		}
	case "get_position_shared":
		t.pointed = append(t.pointed, &access{file: t.handles[s.Handle].file, stmt: s, offset: t.rank.results[s.Into].Number})
	case "seek", "seek_shared", "view":
		if s.View.Etype != nil && s.View.Disp == iofile.DisplacementCurrent {
			t.unknown = errors.New("a stream has no fixed places")
		}
	}
}

func (t *history) opened(s *Stmt) {
	put(&t.handles, s.Handle, opening{len(t.steps) + 1, s.File})
	id := t.rank.run.event(mark{"open", [4]int{s.Line, t.rank.id}})
	if !s.Self {
		t.opens++
		id = t.rank.run.event(mark{"open all", [4]int{t.opens}})
		put(&t.joint, s.Handle, &joint{open: id})
	}
	t.add(s, consistency.Step{Do: consistency.DoOpen, ID: id})
	if s.Mode&(iofile.Sequential|iofile.Append|iofile.DeleteOnClose) != 0 {
		t.unknown = fmt.Errorf("a file is opened %v", s.Mode)
	}
}

// collective orders the ranks of a collective call that moves data. A call without items
// orders none. (CONS-D09)
func (t *history) collective(s *Stmt) {
	switch {
	case s.noItems():
	case s.Routine == "bcast", s.Routine == "scatter":
		t.rooted(s, false)
	case s.Routine == "gather", s.Routine == "reduce":
		t.rooted(s, true)
	default:
		t.meets++
		t.order(consistency.DoBarrier, mark{"meeting", [4]int{t.meets}})
	}
}

// noItems reports whether a statement moves no data.
func (s *Stmt) noItems() bool {
	if s.Want != nil {
		return s.Want.Count == 0 || items(s.Want.Type) == 0
	}
	return s.Data != nil && s.Data.Count() == 0
}

// rooted orders the ranks of a collective call with a root: the other ranks before the
// root if they give data to it, else the root before the others (CONS-D09).
func (t *history) rooted(s *Stmt, give bool) {
	t.meets++
	other, root := consistency.DoRecv, consistency.DoSend
	if give {
		other, root = root, other
	}
	name := func(rank int) mark { return mark{"rank of a meeting", [4]int{t.meets, rank}} }
	if s.Peer != t.rank.id {
		t.order(other, name(t.rank.id))
		return
	}
	for r := range t.rank.run.s.Ranks {
		if r != s.Peer {
			t.order(root, name(r))
		}
	}
}

// received records the message that s received.
func (t *history) received(s *Stmt, st comm.Status) {
	t.matches(s, st)
	key := mark{"message", [4]int{st.Source, t.rank.id, st.Tag}}
	put(&t.got, key, t.got[key]+1)
	key.which[3] = t.got[key]
	t.order(consistency.DoRecv, key)
}

// probed records a message that a probe has found: the next one to be received.
func (t *history) probed(st comm.Status) {
	for _, p := range t.rank.pending {
		if s := p.stmt; s.Routine == "irecv" && (s.Peer == comm.AnySource || s.Peer == st.Source) && (s.Tag == comm.AnyTag || s.Tag == st.Tag) {
			t.unknown = errors.New("a probe beside a receive under way: which message it found is not known")
		}
	}
	key := mark{"message", [4]int{st.Source, t.rank.id, st.Tag}}
	key.which[3] = t.got[key] + 1
	t.order(consistency.DoRecv, key)
}

// blocking records the access that begin prepared and that has succeeded.
func (t *history) blocking() {
	if t.current.Runs != nil {
		t.steps = append(t.steps, step{access: t.current})
	}
	t.done, t.current = t.current, nil
}

// started records an access that is under way from now on.
func (t *history) started(s *Stmt) {
	x := t.current
	t.current = nil
	x.Request, x.from = s.Line, t.from
	put(&t.under, s, x)
	t.steps = append(t.steps, step{access: x})
	if j := t.joint[s.Handle]; j != nil && s.together() {
		t.arrive(j)
		x.call = j.calls
	}
}

// ended records the completion of an access.
func (t *history) ended(s *Stmt) {
	if x := t.under[s]; x != nil {
		t.done = x
		delete(t.under, s)
		if j := t.joint[s.Handle]; x.call > 0 {
			t.leave(j, x.call)
		}
		t.steps = append(t.steps, step{access: &access{Step: consistency.Step{Do: consistency.DoWait, Request: x.Request}, file: x.file}})
	}
}

// histories returns the steps of all ranks, one history for each file.
func (r *run) histories() (map[string]consistency.History, error) {
	all := map[string]consistency.History{}
	for _, f := range r.s.Files {
		all[f.Name] = consistency.History{Init: expand(f.Bytes)}
	}
	for _, k := range r.ranks {
		if k.history.unknown != nil {
			return nil, k.history.unknown
		}
		for _, h := range k.history.handles {
			if _, ok := all[h.file]; !ok {
				all[h.file] = consistency.History{}
			}
		}
	}
	for name, h := range all {
		for _, k := range r.ranks {
			h.Ranks = append(h.Ranks, k.history.of(name))
		}
		all[name] = h
	}
	return all, nil
}

// of returns the steps on one file and those that order ranks. It leaves out accesses of
// no bytes, and their ends.
func (t *history) of(file string) []consistency.Step {
	steps := make([]consistency.Step, 0, len(t.steps))
	var empty map[int]bool
	for _, x := range t.steps {
		switch {
		case x.access == nil:
			steps = append(steps, consistency.Step{Do: x.do, ID: t.rank.run.event(x.what)})
		case x.file != file:
		case (x.Do == consistency.DoRead || x.Do == consistency.DoWrite) && x.Runs == nil:
			put(&empty, x.Request, true)
		case x.Do == consistency.DoWait && empty[x.Request]:
		default:
			steps = append(steps, x.Step)
		}
	}
	return steps
}

func expand(all []Stretch) []byte {
	var bs []byte
	for _, t := range all {
		for range t.Repeat {
			bs = append(bs, t.Bytes...)
		}
	}
	return bs
}
