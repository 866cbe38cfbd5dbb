package machine

import (
	"cmp"
	"slices"

	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/strategy"
)

// The parts of a rank's time.
const (
	InCopy     = iota // packing, and moving bytes through buffers
	InNetwork         // messages, and requests on their way
	InPeers           // waiting for other ranks
	InLock            // waiting for tokens and locks, and for the shared pointer
	InServer          // waiting for a server, and being served
	InMetadata        // opening files
	InCompute         // computations of the program

	kinds
)

// PartNames are the names of [Parts] in reports, in their order.
var PartNames = [kinds]string{"copy", "network", "peers", "lock", "server", "metadata", "compute"}

// Parts has the seconds of a rank, by part.
type Parts [kinds]float64

// Sum returns the sum of all parts.
func (p *Parts) Sum() (t float64) {
	for _, x := range p {
		t += x
	}
	return t
}

func (p *Parts) add(o *Parts) {
	for i := range p {
		p[i] += o[i]
	}
}

// Largest returns the name of the largest part.
func (p *Parts) Largest() string { return PartNames[p.largest()] }

// largest returns the largest part.
func (p *Parts) largest() int {
	best := 0
	for i := range p {
		if p[i] > p[best] {
			best = i
		}
	}
	return best
}

// A Report is the result of a run of the model. All times are the model's seconds.
type Report struct {
	Machine  Machine
	Strategy string // of the accesses, with its settings; several in order of their first use
	Name     string // of the program
	Ranks    int

	Seconds       float64 // when the last rank ends
	Counts        strategy.Counts
	LockTransfers int64 // tokens and locks that moved from one rank to another
	MetadataOps   int64
	Runs          int64                       // number of contiguous pieces of all accesses
	Sizes         [len(trace.SizeNames)]int64 // requests by size, see [SizeClass]

	Parts   []Parts // of each rank
	Ends    []float64
	Servers []ServerTime
	Labels  []LabelTime // by the labels of calls, the longest time first
	Path    []Stretch   // the critical path: for each time that a rank waited for another, the work of that other rank

	serverCharts []*timeline
	rankCharts   map[int]*timeline
}

// ServerTime is the work of one server.
type ServerTime struct {
	Busy     float64 `json:"busy"` // seconds
	Lock     float64 `json:"lock"` // part of Busy: moving tokens
	Requests int64   `json:"requests"`
	Bytes    int64   `json:"bytes"`
}

// LabelTime is the time of all ranks in calls of one label.
type LabelTime struct {
	Label string
	Parts Parts
}

// A Stretch of the critical path is the work of the last rank before a meeting.
type Stretch struct {
	Rank   int
	Before string // the call in which all ranks met; "the end" after the last
	Parts  Parts
}

// SizeClass returns the name of a class of [Report.Sizes], as Darshan names them.
func SizeClass(i int) string { return trace.SizeNames[i] }

func (s *sim) report() *Report {
	r := &Report{
		Machine: *s.m, Strategy: s.strategies(), Name: s.p.Name, Ranks: s.p.Ranks,
		Seconds: s.end, Counts: s.counts, LockTransfers: s.lockMoves, MetadataOps: s.metaOps, Runs: s.runs, Sizes: s.sizes,
		Parts: s.ranks, Ends: s.now, Servers: make([]ServerTime, len(s.servers)),
		rankCharts: s.charts,
	}
	for i := range s.servers {
		v := &s.servers[i]
		r.Servers[i] = ServerTime{v.busy, v.lock, v.requests, v.bytes}
		if v.timeline != nil {
			r.serverCharts = append(r.serverCharts, v.timeline)
		}
	}
	for _, l := range s.labels {
		r.Labels = append(r.Labels, *l)
	}
	slices.SortFunc(r.Labels, func(a, b LabelTime) int {
		return cmp.Or(cmp.Compare(b.Parts.Sum(), a.Parts.Sum()), cmp.Compare(a.Label, b.Label))
	})
	slowest := r.Slowest()
	r.Path = s.pathTo(slowest)
	return r
}

// Requests returns the number of requests that the servers got from ranks.
func (r *Report) Requests() int64 { return r.Counts.Reads + r.Counts.Writes }

// Bytes returns the number of bytes that these requests moved.
func (r *Report) Bytes() int64 { return r.Counts.ReadBytes + r.Counts.WriteBytes }

// Useful returns the bytes that the program asked for, divided by the bytes that were moved.
// It is more than 1 if ranks ask for the same bytes.
func (r *Report) Useful() float64 {
	if r.Bytes() == 0 {
		return 1
	}
	return float64(r.Counts.Useful) / float64(r.Bytes())
}

// Bandwidth returns the bytes that the program asked for, per second.
func (r *Report) Bandwidth() float64 {
	if r.Seconds == 0 {
		return 0
	}
	return float64(r.Counts.Useful) / r.Seconds
}

// Slowest returns the rank that ended last.
func (r *Report) Slowest() int {
	best := 0
	for i, t := range r.Ends {
		if t > r.Ends[best] {
			best = i
		}
	}
	return best
}

// Utilisation returns the share of the run in which the servers were busy, on average and
// for the busiest.
func (r *Report) Utilisation() (all, busiest float64) {
	if r.Seconds == 0 {
		return 0, 0
	}
	for _, s := range r.Servers {
		all += s.Busy
		busiest = max(busiest, s.Busy)
	}
	return all / r.Seconds / float64(len(r.Servers)), busiest / r.Seconds
}

// Critical returns the sum of the critical path, by part.
func (r *Report) Critical() (sum Parts) {
	for i := range r.Path {
		sum.add(&r.Path[i].Parts)
	}
	return sum
}
