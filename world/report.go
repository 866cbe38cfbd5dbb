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
)

// A Report is what a run did. It marshals to JSON with the names given here,
// and String is a table for people.
type Report struct {
	Ranks    int           `json:"ranks"`
	Schedule string        `json:"schedule"`          // the token for [Replay]; "free" of a free run
	Wall     time.Duration `json:"wall_ns,omitempty"` // of a free run; time means nothing in others

	PerRank     []RankReport `json:"per_rank"`    // in order of rank
	Pairs       []Pair       `json:"pairs"`       // those between whom messages went, in order
	Collectives []Collective `json:"collectives"` // by name
	Files       []FileReport `json:"files"`       // by name

	Races consistency.Races `json:"races"` // also in the error of the run
	Lints []Lint            `json:"lints"` // what is legal and suspicious, by rank
	Leaks []Leak            `json:"leaks"` // what was left open, by rank; also in the error of the run

	Err error `json:"-"` // what Run would have returned
}

// A Traffic is how often something was done, and with how many bytes.
type Traffic = trace.Traffic

// A RankReport is what one rank did.
type RankReport struct {
	Sent     Traffic `json:"sent"`     // messages handed over, packed bytes
	Received Traffic `json:"received"` // messages received
	Calls    int64   `json:"calls"`    // collectives
	Accesses Traffic `json:"accesses"` // of files, bytes of the file

	Waits  int64         `json:"waits"`               // how often it waited for another rank
	Waited time.Duration `json:"waited_ns,omitempty"` // in all, of a free run

	// Clock is what the rank knows of the others at its end: by rank, the last
	// event known. It counts what checks ask about, such as accesses to files.
	// It is nil with [Unchecked], and in worlds of more than 1,024 ranks, where
	// all the clocks would be too much.
	Clock map[int]uint64 `json:"clock,omitempty"`
}

// mostClocks bounds the ranks of a world whose clocks a report holds.
const mostClocks = 1024

// A Pair is the messages that one rank sent to another.
type Pair struct {
	From int `json:"from"`
	To   int `json:"to"`
	Traffic
}

// A Collective is the calls of one collective by all ranks together; Bytes are
// those of the buffers that the ranks gave to be sent. What a prepared request
// started is told apart: "Bcast by Start".
type Collective struct {
	Name string `json:"name"`
	Traffic
}

// A FileReport is what all ranks did with the files of one name.
type FileReport struct {
	Name   string  `json:"name"`
	Opens  int64   `json:"opens"` // by each rank
	Syncs  int64   `json:"syncs"`
	Reads  Traffic `json:"reads"`
	Writes Traffic `json:"writes"`

	// Requests is what the file system was asked for, as a trace of system calls
	// would show it. Of a run under an [Engine] it is not known, and zero.
	Requests Requests `json:"requests,omitzero"`
}

// Requests counts the requests of all ranks, with the bytes they read and wrote,
// those that ranks sent to each other, and those that the accesses were about:
// what the plans of a strategy say (iofile.WithStrategy), or one request for each
// run of adjacent bytes. Reads count what they ask for, wherever the file ends.
// In the table of a report:
//
//	requests  reads  bytes  writes  bytes  sent  rounds  locks  useful  of moved
//	"matrix"      2    112       2    112     0       0      2      64    28.6 %
type Requests = trace.Requests

// A Lint is something that a rank did with a file, or a communicator that it never
// freed, that is legal and suspicious.
type Lint = trace.Lint

// A Leak is something that a rank left open, with what to do about it.
type Leak struct {
	Rank int    `json:"rank"`
	Text string `json:"text"`
}

// RunReport is [Run], and tells what the run did: messages, collectives, waits,
// files, what was left open, races, and the schedule with which [Replay] runs it
// again. Counting allocates nothing once every rank has met its peers and files,
// and adds no synchronization. The Report is there however the run ended, and
// nil if no rank was started. With an [Engine] waits are those of calls that a library
// may wait in. Errors: as Run.
func RunReport(ctx context.Context, n int, body func(ctx context.Context, c *comm.Comm) error, opts ...Option) (rep *Report, err error) {
	o, err := begin(ctx, n, body, append(opts[:len(opts):len(opts)], reporting))
	ctx, end := o.env.attend(ctx, n, &o, err)
	defer func() { end(err) }()
	if err != nil {
		return nil, err
	}
	t := o.telling()
	s := (*sched.Sched)(nil)
	if o.engine == "" {
		s, err = run(ctx, o, body)
	} else {
		s, err = runEngine(ctx, o, body)
	}
	if s == nil || t.world == nil {
		return nil, err
	}
	return t.report(s, err), err
}

// report sums up a world that has ended.
func (t *telling) report(s *sched.Sched, err error) *Report {
	r := &Report{
		Ranks: t.world.Len(), Schedule: s.Token(), PerRank: make([]RankReport, t.world.Len()),
		Pairs: []Pair{}, Lints: []Lint{}, Leaks: []Leak{}, Races: t.races, Err: err,
	}
	if r.Races == nil {
		r.Races = consistency.Races{}
	}
	if !s.Controlled() {
		r.Wall = t.wall
	}
	calls, files := map[string]*Traffic{}, map[string]*FileReport{}
	for i := range r.PerRank {
		l := t.world.Log(i)
		r.PerRank[i] = rankReport(l, calls, files)
		if t.clocks && len(r.PerRank) <= mostClocks {
			r.PerRank[i].Clock = maps.Collect(s.Rank(i).Now().Times())
		}
		for _, to := range slices.Sorted(maps.Keys(l.To)) {
			r.Pairs = append(r.Pairs, Pair{i, to, *l.To[to]})
		}
		r.Lints = append(r.Lints, l.Lints...)
	}
	r.Collectives = make([]Collective, 0, len(calls))
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		r.Collectives = append(r.Collectives, Collective{name, *calls[name]})
	}
	r.Files = make([]FileReport, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		r.Files = append(r.Files, *files[name])
	}
	for _, e := range t.leaks {
		r.Leaks = append(r.Leaks, Leak{e.Rank, e.Err.Error()})
	}
	slices.SortStableFunc(r.Leaks, func(a, b Leak) int { return cmp.Compare(a.Rank, b.Rank) })
	return r
}

// rankReport is what a rank did; it adds to calls and files, by name.
func rankReport(l *trace.Log, calls map[string]*Traffic, files map[string]*FileReport) RankReport {
	r := RankReport{Sent: l.Sent, Received: l.Received, Waits: l.Waits.Waits, Waited: l.Waits.Waited}
	for c, n := range l.Calls {
		sum := calls[c.String()]
		if sum == nil {
			sum = new(Traffic)
			calls[c.String()] = sum
		}
		r.Calls += n.Count
		sum.Add(*n)
	}
	for name, n := range l.Files {
		sum := files[name]
		if sum == nil {
			sum = &FileReport{Name: name}
			files[name] = sum
		}
		sum.Opens += n.Opens
		sum.Syncs += n.Syncs
		sum.Reads.Add(n.Reads)
		sum.Writes.Add(n.Writes)
		sum.Requests.Add(n.Requests)
		r.Accesses.Add(n.Reads)
		r.Accesses.Add(n.Writes)
	}
	return r
}

// Total is what all ranks sent together.
func (r *Report) Total() (t Traffic) {
	for i := range r.PerRank {
		t.Add(r.PerRank[i].Sent)
	}
	return t
}
