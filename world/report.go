package world

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/machine"
)

// A Report says what a run did. It marshals to JSON with the names given here, and String
// returns tables for people.
type Report struct {
	Ranks    int           `json:"ranks"`
	Schedule string        `json:"schedule"`          // the token for [Replay]; "free" for a free run
	Wall     time.Duration `json:"wall_ns,omitempty"` // of a free run; in others time is meaningless

	PerRank     []RankReport `json:"per_rank"`    // in order of rank
	Pairs       []Pair       `json:"pairs"`       // pairs of ranks that exchanged messages, in order
	Collectives []Collective `json:"collectives"` // by name
	Files       []FileReport `json:"files"`       // by name

	Races consistency.Races `json:"races"` // also in the error of the run
	Lints []Lint            `json:"lints"` // legal, but probably not what you meant; by rank
	Leaks []Leak            `json:"leaks"` // objects left open, by rank; also in the error of the run

	// Model is the cost of the calls on the machine of [On]; nil without it.
	Model *machine.Report `json:"model,omitempty"`

	Err error `json:"-"` // the error that Run would have returned
}

// A Traffic counts how often something was done, and with how many bytes.
type Traffic struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}

// Add adds o to t.
func (t *Traffic) Add(o Traffic) { (*trace.Traffic)(t).Add(trace.Traffic(o)) }

// A RankReport is what one rank did.
type RankReport struct {
	Sent     Traffic `json:"sent"`     // messages sent, packed bytes
	Received Traffic `json:"received"` // messages received
	Calls    int64   `json:"calls"`    // collectives
	Accesses Traffic `json:"accesses"` // of files, bytes of the file

	Waits  int64         `json:"waits"`               // how often it waited for another rank
	Waited time.Duration `json:"waited_ns,omitempty"` // sum of the waits, in a free run

	// Clock is the vector clock of the rank at its end: by rank, the last event known. Events
	// are those that checks need, such as accesses to files. It is nil with [Unchecked],
	// and in worlds of more than 1,024 ranks, where all the clocks would take too much
	// memory.
	Clock map[int]uint64 `json:"clock,omitempty"`
}

// maxClockedRanks is the greatest number of ranks whose clocks a report contains.
const maxClockedRanks = 1024

// A Pair is the messages that one rank sent to another.
type Pair struct {
	From int `json:"from"`
	To   int `json:"to"`
	Traffic
}

// A Collective counts the calls of one collective by all ranks together; Bytes are those of
// the send buffers. Calls that a persistent request started have a separate row: "Bcast by
// Start".
type Collective struct {
	Name string `json:"name"`
	Traffic
}

// A FileReport is what all ranks did with the files of one name.
type FileReport struct {
	Name   string  `json:"name"`
	Opens  int64   `json:"opens"` // each rank that opens it counts
	Syncs  int64   `json:"syncs"`
	Reads  Traffic `json:"reads"`
	Writes Traffic `json:"writes"`

	// Requests are the requests that the strategy makes to a file system: what a trace of an
	// MPI library's system calls would show. They are planned; iofile.WithStrategy describes
	// the requests that a directory gets. For a run on an [Engine] they are unknown, and zero.
	Requests Requests `json:"requests,omitzero"`

	// Counters are Darshan's, of these requests. They are zero if an [Engine] carries the
	// file: the requests of its library are not known.
	Counters Counters `json:"counters,omitzero"`

	// Strategy is the strategy of the file when it was opened last: from
	// iofile.WithStrategy, [Strategy] or hints. Without one it is "Direct": each run of
	// bytes is a request.
	Strategy string `json:"strategy,omitzero"`
}

// Requests counts the requests of all ranks, with the bytes that they read and wrote, the
// bytes that ranks sent to each other, and the bytes that the program accessed: according
// to the plans of a strategy (iofile.WithStrategy), or one request for each run of adjacent
// bytes. Reads count the requested bytes, wherever the file ends. In the table of a report:
//
//	requests  reads  bytes  writes  bytes  sent  rounds  locks  useful  of moved
//	"matrix"      2    112       2    112     0       0      2      64    28.6 %
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
func (r *Requests) Add(o Requests) { (*trace.Requests)(r).Add(trace.Requests(o)) }

// Moved returns the bytes that requests read and wrote.
func (r Requests) Moved() int64 { return trace.Requests(r).Moved() }

// A Lint is an action of a rank on a file, or a communicator that it never freed, that is
// legal, but probably not what you meant.
type Lint struct {
	Rank  int    `json:"rank"` // in the world
	Op    string `json:"op"`
	File  string `json:"file"` // or communicator
	Place string `json:"place,omitempty"`
	Rule  string `json:"rule"`
	Text  string `json:"text"`

	At Place `json:"at,omitzero"` // Place, with the lines that led to it
}

// Kind returns [KindValue] for a read of bytes that are not a value of its type, else
// [KindLint].
func (l *Lint) Kind() Kind {
	if l.Rule == "IO-TM-S4" {
		return KindValue
	}
	return KindLint
}

// A Leak is an object that a rank left open, with advice.
type Leak struct {
	Rank int    `json:"rank"`
	Text string `json:"text"`
}

// RunReport does the same as [Run], and also returns a report of the run: messages,
// collectives, waits, files, objects left open, races, and the schedule with which [Replay]
// repeats it. Counting allocates nothing once every rank has met its peers and files, and
// adds no synchronization. The Report is returned however the run ended; it is nil if no
// rank was started. With an [Engine], waits are the calls in which a library may wait.
// Errors: as Run.
func RunReport(ctx context.Context, n int, body func(ctx context.Context, c *comm.Comm) error, opts ...Option) (rep *Report, err error) {
	o, err := begin(ctx, n, body, append(opts[:len(opts):len(opts)], reporting))
	ctx, end := o.env.attend(ctx, n, &o, err)
	s := (*sched.Sched)(nil)
	defer func() { end(s, err) }()
	if err != nil {
		return nil, err
	}
	out := o.needOutputs()
	if s, err = run(ctx, o, body); s == nil || out.world == nil {
		return nil, err
	}
	return out.report(s, err), err
}

// report returns the report of a world that has ended. Its lists are not nil, so JSON has [] and not null.
func (out *outputs) report(s *sched.Sched, err error) *Report {
	r := &Report{
		Ranks: out.world.Len(), Schedule: s.Token(), PerRank: make([]RankReport, out.world.Len()), Pairs: []Pair{},
		Collectives: out.collectives(), Files: out.fileReports(), Races: append(consistency.Races{}, out.races...),
		Lints: []Lint{}, Leaks: []Leak{}, Model: out.model, Err: err,
	}
	if !s.Controlled() {
		r.Wall = out.wall
	}
	for i := range r.PerRank {
		l := out.world.Log(i)
		r.PerRank[i] = rankReport(l)
		if out.clocks && r.Ranks <= maxClockedRanks {
			r.PerRank[i].Clock = maps.Collect(s.Rank(i).Publish(false).Times())
		}
		for _, to := range slices.Sorted(maps.Keys(l.To)) {
			r.Pairs = append(r.Pairs, Pair{i, to, Traffic(*l.To[to])})
		}
		r.Lints = append(r.Lints, convert[Lint](l.Lints, func(l trace.Lint) Lint { return Lint(l) })...)
	}
	for _, e := range out.leaks {
		r.Leaks = append(r.Leaks, Leak{e.Rank, e.Err.Error()})
	}
	slices.SortStableFunc(r.Leaks, func(a, b Leak) int { return cmp.Compare(a.Rank, b.Rank) })
	return r
}

func rankReport(l *trace.Log) RankReport {
	r := RankReport{Sent: Traffic(l.Sent), Received: Traffic(l.Received), Waits: l.Waits.Waits, Waited: l.Waits.Waited}
	for _, n := range l.Calls {
		r.Calls += n.Count
	}
	for _, n := range l.Files {
		r.Accesses.Add(Traffic(n.Reads))
		r.Accesses.Add(Traffic(n.Writes))
	}
	return r
}

// collectives returns the sums over all ranks, by name.
func (out *outputs) collectives() []Collective {
	sums := map[string]*Collective{}
	for i := range out.world.Len() {
		for c, n := range out.world.Log(i).Calls {
			name := c.String()
			if sums[name] == nil {
				sums[name] = &Collective{Name: name}
			}
			sums[name].Add(Traffic(*n))
		}
	}
	return sortedByKey(sums)
}

// fileReports returns the sums over all ranks, by name.
func (out *outputs) fileReports() []FileReport {
	sums := map[string]*FileReport{}
	for i := range out.world.Len() {
		for name, n := range out.world.Log(i).Files {
			if sums[name] == nil {
				sums[name] = &FileReport{Name: name}
			}
			f := sums[name]
			f.Opens += n.Opens
			f.Syncs += n.Syncs
			f.Reads.Add(Traffic(n.Reads))
			f.Writes.Add(Traffic(n.Writes))
			f.Requests.Add(Requests(n.Requests))
			f.Strategy = cmp.Or(n.Strategy, f.Strategy, "Direct")
		}
	}
	for name, c := range countersOf(out.world, out.model) {
		if f := sums[name]; f != nil && f.Requests.Reads+f.Requests.Writes > 0 {
			f.Counters = *c
		}
	}
	return sortedByKey(sums)
}

// sortedByKey returns the values of a map in the order of its keys.
func sortedByKey[T any](m map[string]*T) []T {
	all := make([]T, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, *m[key])
	}
	return all
}

// Total returns what all ranks sent together.
func (r *Report) Total() (t Traffic) {
	for i := range r.PerRank {
		t.Add(r.PerRank[i].Sent)
	}
	return t
}
