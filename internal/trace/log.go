package trace

import (
	"sync/atomic"
	"time"

	"github.com/commworld/commworld/internal/sched"
)

// Options say which data a [World] keeps.
type Options struct {
	Events bool // every call, not only counts
	Clocks bool // and the clock of each call

	// Careful keeps the errors that calls return, and makes packages above check for more
	// mistakes; see [Log.Careful].
	Careful bool

	Files bool // files that ranks open; see [World.KeptFiles]

	Recorder Recorder // gets the calls of ranks; nil: none
}

// A World has the logs of all ranks of a world.
type World struct {
	opts       Options
	logs       []Log
	controlled bool
	start      time.Time
	ticks      atomic.Int64
	kept       keptFiles
	places     map[[mostFrames]uintptr]sched.Place // of recorded calls
}

// New makes the logs of a world. Its ranks count their waits from now on.
func New(s *sched.Sched, o Options) *World {
	w := &World{opts: o, logs: make([]Log, s.Len()), controlled: s.Controlled(), start: time.Now()}
	for i := range w.logs {
		l := &w.logs[i]
		l.w, l.thread = w, s.Rank(i)
		l.thread.Sched().CountWaits(l.thread.ID(), &l.Waits)
	}
	return w
}

// Log returns the log of a rank, nil if w is nil.
func (w *World) Log(rank int) *Log {
	if w == nil {
		return nil
	}
	return &w.logs[rank]
}

// Len returns the number of ranks.
func (w *World) Len() int { return len(w.logs) }

// Elapsed returns the time since w was made.
func (w *World) Elapsed() time.Duration { return time.Since(w.start) }

// now returns the time of an event in nanoseconds. In a controlled world it is logical and
// advances by a microsecond with each call, so that pictures repeat byte for byte.
func (w *World) now() int64 {
	if w.controlled {
		return w.ticks.Add(1) * int64(time.Microsecond)
	}
	return int64(time.Since(w.start))
}

// A Log is the record of one rank. Only the rank writes it; others read it when the world
// has ended.
type Log struct {
	w      *World
	thread *sched.Rank

	Waits    sched.Watch
	Sent     Traffic
	Received Traffic
	To       map[int]*Traffic  // messages sent, by rank of the world
	Calls    map[Call]*Traffic // collectives; the bytes are those that the rank sent
	Files    map[string]*File  // by name
	Lints    []Lint

	copiesOnce sched.Mutex // a call may be completed in another goroutine of the rank
	copies     []Copies
	concealed  []Concealed
	short      []ShortRead

	failed   failures
	others   int64     // counted calls other than reads
	messages int64     // messages submitted
	received int64     // receives given to a library
	events   [][]Event // in pieces, because there may be very many
	asked    []asked   // if events are kept
}

// Traffic counts how often something was done, and with how many bytes.
type Traffic struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}

// Add adds o to t.
func (t *Traffic) Add(o Traffic) {
	t.Count += o.Count
	t.Bytes += o.Bytes
}

func (t *Traffic) add(bytes int64) {
	t.Count++
	t.Bytes += bytes
}

// A Call is a collective in one of its forms: Prefix is "I" for nonblocking ones, Suffix
// "Init" for persistent ones. The parts are separate so that counting need not join them.
type Call struct{ Prefix, Name, Suffix string }

// String returns the name of the call as the program wrote it.
func (c Call) String() string { return c.Prefix + c.Name + c.Suffix }

// File counts the calls of a rank on the files of one name.
type File struct {
	Opens    int64
	Syncs    int64
	Reads    Traffic
	Writes   Traffic
	Gathered Traffic // in careful worlds: writes whose data have gaps in memory
	Requests Requests
	Counters Counters
	Strategy string // how its bytes move; empty: each run of bytes is one request
}

// Requests counts the requests to a file system that carried out accesses. It has the
// fields of strategy.Counts.
type Requests struct {
	Reads      int64 `json:"reads"`
	Writes     int64 `json:"writes"`
	ReadBytes  int64 `json:"read_bytes"`
	WriteBytes int64 `json:"write_bytes"`
	Sent       int64 `json:"sent"`   // bytes that moved from one rank to another
	Useful     int64 `json:"useful"` // bytes that the program accessed
	Rounds     int64 `json:"rounds"` // rounds in which aggregators exchanged and moved bytes, each counted once
	Locks      int64 `json:"locks"`
}

// Add adds o to r.
func (r *Requests) Add(o Requests) {
	r.Reads += o.Reads
	r.Writes += o.Writes
	r.ReadBytes += o.ReadBytes
	r.WriteBytes += o.WriteBytes
	r.Sent += o.Sent
	r.Useful += o.Useful
	r.Rounds += o.Rounds
	r.Locks += o.Locks
}

// Moved returns the bytes that requests read and wrote.
func (r Requests) Moved() int64 { return r.ReadBytes + r.WriteBytes }

// A Lint is an action of a rank that is legal, but probably not what you meant.
type Lint struct {
	Rank  int    `json:"rank"` // in the world
	Op    string `json:"op"`
	File  string `json:"file"` // or communicator
	Place string `json:"place,omitempty"`
	Rule  string `json:"rule"`
	Text  string `json:"text"`

	At sched.Place `json:"at,omitzero"` // Place, with the lines that led to it
}

// CountSend counts a message of the rank and returns its number, which is unique in the
// world and not 0.
func (l *Log) CountSend(to int, bytes int64) (number int64) {
	l.others++
	l.Sent.add(bytes)
	entry(&l.To, to).add(bytes)
	l.messages++
	return int64(l.thread.ID())<<40 | l.messages
}

// CountReceive counts a message that the rank has received.
func (l *Log) CountReceive(bytes int64) {
	l.others++
	l.Received.add(bytes)
}

// CountCall counts a collective that succeeded.
func (l *Log) CountCall(c Call, bytes int64) {
	l.others++
	entry(&l.Calls, c).add(bytes)
}

// CountOpen counts the opening of a file.
func (l *Log) CountOpen(file string) {
	if l != nil {
		l.others++
		entry(&l.Files, file).Opens++
	}
}

// CountSync counts a sync of a file.
func (l *Log) CountSync(file string) {
	if l != nil {
		l.others++
		entry(&l.Files, file).Syncs++
	}
}

// CountAccess counts bytes of a file read or written.
func (l *Log) CountAccess(file string, write bool, bytes int64) {
	switch f := entry(&l.Files, file); {
	case write:
		l.others++
		f.Writes.add(bytes)
	default:
		f.Reads.add(bytes)
	}
}

// CountGathered counts a write whose data have gaps in memory.
func (l *Log) CountGathered(file string, bytes int64) { entry(&l.Files, file).Gathered.add(bytes) }

// Others returns the number of the rank's calls other than reads of files: only these can
// give a rank news of other ranks.
func (l *Log) Others() int64 { return l.others }

// Moves records the strategy of a file.
func (l *Log) Moves(file, strategy string) { entry(&l.Files, file).Strategy = strategy }

// CountRequests counts the requests that carried out an access to a file.
func (l *Log) CountRequests(file string, n Requests) { entry(&l.Files, file).Requests.Add(n) }

// Lint records an action that is legal, but probably not meant.
func (l *Log) Lint(t Lint) {
	if l != nil {
		t.Rank = l.thread.ID()
		l.Lints = append(l.Lints, t)
	}
}

// Of returns the log of another rank of the world; see [World.Log]. It may be written only
// when all ranks have ended.
func (l *Log) Of(rank int) *Log {
	if l == nil {
		return nil
	}
	return l.w.Log(rank)
}

// entry returns the value of a key in a map, and makes it if necessary.
func entry[K comparable, V any](m *map[K]*V, key K) *V {
	if v := (*m)[key]; v != nil {
		return v
	}
	if *m == nil {
		*m = map[K]*V{}
	}
	v := new(V)
	(*m)[key] = v
	return v
}
