package script

import (
	"context"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// port gives access to the part of package comm that only this module uses.
var port = comm.Internal(commport.Key{})

// A run is one execution of a script.
type run struct {
	s     *Script
	plan  plan
	fsys  *iofile.FS
	ranks []*rank

	how     []iofile.OpenOption
	poison  int  // see poisonOf
	zero    bool // the model makes holes read as 0
	quotes  map[string]bool
	forms   map[string]fileForm
	unset   atomic.Bool // a view has failed: what writes leave may have another form than the text says
	mu      sched.Mutex // rarely contended: mostly one rank runs at a time
	log     []*Event
	logs    bool         // a log is wanted
	effects bool         // the positions of effects are wanted
	effect  int          // how many events of file handles the run has had
	events  map[mark]int // numbers of the marks at which ranks wait for each other

	most      int64 // bytes of a file, 0: as many as a script may have
	remembers bool  // moments are wanted
	moments   []*Moment
	kept      int64 // bytes in moments
	momentErr error // why there are no more moments
	maxSteps  int   // as many moments may follow the first one; 0: any number
	stop      context.CancelCauseFunc
	model     consistency.Model
}

// A mark identifies an event at which ranks wait for each other; all these ranks use the
// same mark.
type mark struct {
	what  string
	which [4]int
}

// A rank is the state of one rank of a run.
type rank struct {
	run      *run
	id       int
	comm     *comm.Comm
	handles  map[string]*iofile.File
	pending  map[string]*pending
	order    []string // of pending requests, as they were started
	split    map[string]*pending
	results  map[string]Result
	failures []*Failure
	unclosed map[*iofile.File]*Stmt // opens whose handle was not closed
	ended    bool                   // all statements have returned
	history  history
	seen     map[string]int64 // by handle: the version it sees, see noteVersions
	newest   map[string]int64 // by file
	looked   *Look            // of the look statement that runs
}

// A pending is an access or message that is under way and whose data are not there yet.
type pending struct {
	stmt *Stmt
	req  *comm.Request
	buf  types.Buffer
}

// A Result is the result of a statement: data, or a number.
type Result struct {
	Stmt   *Stmt
	Data   []byte // packed, as in memory
	Number int64
	IsData bool
	InFile []byte // the data in the form of the file; nil if they do not come from a file
	truths []bool // bytes of InFile of converted truth values: the file may have any that are not all 0; nil: none
	cut    int64  // bytes of the file after InFile that belong to an item cut by the end of file, which has no value
	Blank  []bool // bytes of Data that no rank wrote; nil: none

	zero   bool // the model makes blank bytes read as 0
	quoted bool // the script writes this file's bytes as text

	Count int64 // of data: whole copies, or comm.Undefined
	Pos   int64 // the file pointer that the call used, after it; the shared one only if an expectation has it, else 0
}

// A Failure is a statement that returned an error.
type Failure struct {
	Rank int
	Stmt *Stmt
	Err  error
}

// An Event is one statement that has returned, in the order of the run.
type Event struct {
	Rank   int
	Stmt   *Stmt
	Err    error
	Look   *Look // what a look statement showed; else nil
	result Result
	did    []step // its part of the history
}

// newRun prepares one run, including a store with the script's files.
func newRun(s *Script, p plan, opts ...iofile.Option) (*run, error) {
	r := newRanks(s, p)
	r.fsys = iofile.NewMem(opts...)
	for _, file := range s.Files {
		if err := r.fill(file); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// newRanks prepares a run without a store.
func newRanks(s *Script, p plan) *run {
	r := &run{s: s, plan: p, ranks: make([]*rank, s.Ranks), events: map[mark]int{}, poison: noPoison}
	for i := range r.ranks {
		k := &rank{run: r, id: i, results: map[string]Result{}}
		k.history.rank = k
		r.ranks[i] = k
	}
	return r
}

// newRunIn is newRun in a file system of the caller. Another process may already have put some
// of the script's files into it.
func newRunIn(s *Script, p plan, fsys *iofile.FS) (*run, error) {
	r := newRanks(s, p)
	r.fsys = fsys
	for _, file := range s.Files {
		if _, err := fs.Stat(r.fsys, file.Name); err == nil {
			continue
		}
		if err := r.fill(file); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fill puts one of the script's files into the store.
func (r *run) fill(file File) error {
	return r.fsys.Import(file.Name, strings.NewReader(string(expand(file.Bytes))))
}

// nextEffect returns the position of an event of a file handle among those of the run.
func (r *run) nextEffect() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.effect++
	return r.effect
}

// event returns the number of a mark.
func (r *run) event(e mark) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events[e] == 0 {
		r.events[e] = len(r.events) + 1
	}
	return r.events[e]
}

// body is the program of every rank.
func (r *run) body(ctx context.Context, c *comm.Comm) error {
	k := r.ranks[c.Rank()]
	k.comm = c
	port.Keep(c, journal.ListenerKey{}, &k.history)
	if want := r.s.arch(k.id); c.Arch() != want {
		return &unlikeError{k.id, c.Arch(), want}
	}
	var stop error
	r.s.each(k.id, func(s *Stmt) {
		if stop == nil {
			stop = k.step(ctx, s)
		}
	})
	if stop == nil {
		stop = k.conclude()
	}
	k.ended = stop == nil
	return stop
}

// conclude takes the errors of statements that have already returned.
func (k *rank) conclude() error {
	late, stop := port.Conclude(k.comm)
	for _, e := range late {
		k.run.s.each(k.id, func(s *Stmt) {
			if *k.run.plan[s].place == e.At {
				k.failures = append(k.failures, &Failure{k.id, s, e.Err})
			}
		})
	}
	return stop
}

// step runs one statement. An error of the statement is a result like any other; only the
// end of the world ends the rank.
func (k *rank) step(ctx context.Context, s *Stmt) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.Handle != "" && s.Routine != "open" && k.handles[s.Handle] == nil {
		return nil // the open of its handle failed, which was reported there
	}
	port.Thread(k.comm).SetPlace(k.run.plan[s].place)
	did := len(k.history.steps)
	k.history.from = 0
	k.history.meet(s)
	err := routines[s.Routine](k, s)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return err
	}
	if err != nil {
		k.failures = append(k.failures, &Failure{k.id, s, err})
		if s.Routine == "view" {
			k.run.unset.Store(true)
		}
	} else {
		k.history.record(s)
		if !s.accessesTogether() {
			k.history.meet(s)
		}
	}
	if k.run.logs {
		e := &Event{Rank: k.id, Stmt: s, Err: err, result: k.results[s.Into], did: k.history.steps[did:]}
		if e.Look, k.looked = k.looked, nil; e.Look != nil {
			e.Look.moment = k.run.moment(e)
		}
		k.run.enter(e)
	}
	return nil
}

// enter adds e to the log, and to the moments if they are wanted.
func (r *run) enter(e *Event) {
	if e.Err != nil || e.Stmt.Into == "" {
		e.result = Result{}
	}
	r.mu.Lock()
	r.log = append(r.log, e)
	r.mu.Unlock()
	if r.remembers {
		r.remember(e)
	}
}

func (k *rank) file(s *Stmt) *iofile.File { return k.handles[s.Handle] }

// out makes the buffer that s writes from.
func (k *rank) out(s *Stmt) (types.Buffer, error) {
	d, x := s.Data, k.run.plan[s]
	if x.err != nil {
		return types.Buffer{}, x.err
	}
	packed, err := x.packed, error(nil)
	if !likeHost(k.comm.Arch()) {
		if packed, err = d.Encode(k.comm.Arch()); err != nil {
			return types.Buffer{}, err
		}
	}
	buf, err := k.readBuffer(d.Type, d.Count())
	if err == nil {
		buf.Unpack(packed, 0, k.comm.Arch())
	}
	return buf, err
}

// in makes the buffer that s reads into.
func (k *rank) in(s *Stmt) (types.Buffer, error) { return k.readBuffer(s.Want.Type, s.Want.Count) }

func (k *rank) readBuffer(t *types.Type, count int64) (types.Buffer, error) {
	l, err := t.Layout(k.comm.Arch())
	if err != nil {
		return types.Buffer{}, err
	}
	size, origin, err := span(l, count)
	if err != nil {
		return types.Buffer{}, err
	}
	buf := types.Raw(make([]byte, size), count, t).At(origin)
	return buf, buf.Check(k.comm.Arch())
}

// arrived records the data of a read or a receive.
func (k *rank) arrived(s *Stmt, buf types.Buffer, st comm.Status) {
	res := Result{Stmt: s, IsData: true, Count: comm.Undefined, Pos: k.position(s)}
	if n, ok := st.Count(types.Byte); ok {
		res.Data = make([]byte, n)
		buf.Pack(res.Data, 0, k.comm.Arch())
	}
	if n, ok := st.Count(buf.Type()); ok {
		res.Count = n
	}
	if f := k.file(s); f != nil {
		k.inFile(&res, f, buf)
		k.history.done.read = res.InFile
		if res.Blank = k.blankIn(f, res.Data, buf.Type()); res.Blank != nil && k.run.zero {
			res.zero = true
			for i, blank := range res.Blank {
				if blank {
					res.Data[i] = 0
				}
			}
		}
	}
	var err error
	if res.Data, res.Blank, err = onHost(k.comm.Arch(), res.Data, res.Blank, buf.Type()); err != nil {
		k.failures = append(k.failures, &Failure{k.id, s, err})
		return
	}
	res.quoted = k.run.quotes[k.history.handles[s.Handle].file]
	k.results[s.Into] = res
}

// inFile adds the data of the read that was completed last, in the form of the file. If the
// end of file cut an item and the representation converts, that item is left out, and Data
// ends before it.
func (k *rank) inFile(res *Result, f *iofile.File, buf types.Buffer) {
	arch := k.comm.Arch()
	if r, err := k.converter(f); r != nil && err == nil {
		sig := buf.Type().Signature()
		n, _ := sig.ItemsIn(int64(len(res.Data)), arch)
		res.Data = res.Data[:sig.BytesBefore(n, arch)]
	}
	if form, err := k.encoded(f, res.Data, buf.Type()); err == nil {
		res.InFile, res.cut = form, max(0, k.history.done.moved-int64(len(form)))
		res.truths = k.truthsIn(f, form, buf.Type())
	}
}

// truthsIn marks the bytes of the truth values in form, the converted data of a read from f
// as items of t: all nonzero bytes are read as true. It returns nil if there are none.
func (k *rank) truthsIn(f *iofile.File, form []byte, t *types.Type) (marks []bool) {
	rep, err := k.converter(f)
	if err != nil || rep == nil {
		return nil
	}
	sig, sizes, at := t.Signature(), rep.Sizes(), int64(0)
	n, _ := sig.ItemsIn(int64(len(form)), sizes)
	for kind, count := range sig.Items(0, n) {
		size := sizes.Sizeof(kind)
		for ; count > 0; count, at = count-1, at+size {
			if kind.Family() != types.FamilyBool || allZero(form[at:at+size]) {
				continue
			}
			if marks == nil {
				marks = make([]bool, len(form))
			}
			for i := range size {
				marks[at+i] = true
			}
		}
	}
	return marks
}

func allZero(bs []byte) bool {
	for _, b := range bs {
		if b != 0 {
			return false
		}
	}
	return true
}

// position returns the pointer that s uses, 0 if it uses none. The shared pointer is asked
// for only if a line about the outcome has it: the question is a call like any other, which
// has no place in the order of the script.
func (k *rank) position(s *Stmt) int64 {
	f := k.file(s)
	if f == nil {
		return 0
	}
	var p iofile.Offset
	switch {
	case !s.shared():
		p, _ = f.Position()
	case k.run.s.asksPosition(k.id, s.Into):
		p, _ = f.PositionShared()
	}
	return int64(p)
}

// asksPosition reports whether a line has the pointer after a read into that result.
func (s *Script) asksPosition(rank int, name string) bool {
	for _, e := range s.Expect {
		for _, o := range e.Outcomes {
			for _, q := range o {
				if of, part := q.split(); q.File == "" && q.Rank == rank && of == name && part == positionAfter {
					return true
				}
			}
		}
	}
	return false
}

func (k *rank) number(s *Stmt, n int64, err error) error {
	if err == nil {
		k.results[s.Into] = Result{Stmt: s, Number: n}
	}
	return err
}
