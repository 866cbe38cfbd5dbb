package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/machine"
)

// Counters are the counts that Darshan keeps of the requests for a file, over all ranks.
// The requests are those of [FileReport.Requests]: they are planned.
type Counters struct {
	Alignment int64 `json:"alignment"` // bytes: a stripe if hints or the machine name one, else 4,096

	SizeReads  Sizes `json:"size_reads"`
	SizeWrites Sizes `json:"size_writes"`

	ConsecutiveReads  int64 `json:"consecutive_reads"` // they begin where the rank's previous request ended
	ConsecutiveWrites int64 `json:"consecutive_writes"`
	SequentialReads   int64 `json:"sequential_reads"` // they begin there or behind it
	SequentialWrites  int64 `json:"sequential_writes"`
	Unaligned         int64 `json:"unaligned"` // they do not begin at a multiple of Alignment
	Switches          int64 `json:"switches"`  // changes from reading to writing and back

	Ranks       Load `json:"ranks"`       // bytes of the accesses of each rank that opened the file
	Aggregators Load `json:"aggregators"` // bytes of the requests of each rank that made some

	// Fastest and Slowest are the ranks of the world that spent least and most of the
	// model's time, without computing and waiting for others, in a run [On] a machine. The
	// variance is that of this time. In other runs time says nothing about a file system;
	// there, Ranks names the ranks that access least and most.
	Fastest      *RankTime `json:"fastest_rank,omitempty"`
	Slowest      *RankTime `json:"slowest_rank,omitempty"`
	TimeVariance float64   `json:"time_variance,omitempty"` // seconds squared
}

// A RankTime is a rank with its time in a model, and the bytes of its accesses to the file.
type RankTime struct {
	Rank    int     `json:"rank"`
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes"`
}

// A Load describes how something is distributed over ranks.
type Load struct {
	Count    int     `json:"count"` // of ranks
	Requests Spread  `json:"requests"`
	Bytes    Spread  `json:"bytes"`
	Variance float64 `json:"variance"` // of bytes
	Least    int     `json:"least"`    // the rank with the fewest bytes, the lowest of several
	Most     int     `json:"most"`
}

// A Spread is the least, the middle and the greatest of several numbers.
type Spread struct {
	Min    int64 `json:"min"`
	Median int64 `json:"median"`
	Max    int64 `json:"max"`
}

// Sizes counts requests by Darshan's classes of sizes, see [SizeClass].
type Sizes [10]int64

// SizeClass returns the name of a class of [Sizes], such as "1K-10K".
func SizeClass(i int) string { return trace.SizeNames[i] }

// MarshalJSON writes an object with the names of the classes, those with requests.
func (s Sizes) MarshalJSON() ([]byte, error) {
	m := map[string]int64{}
	for i, n := range s {
		if n > 0 {
			m[SizeClass(i)] = n
		}
	}
	return json.Marshal(m)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Sizes) UnmarshalJSON(text []byte) error {
	m := map[string]int64{}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	*s = Sizes{}
	for name, n := range m {
		if i := slices.Index(trace.SizeNames[:], name); i >= 0 {
			s[i] = n
		}
	}
	return nil
}

// String lists the classes that have requests.
func (s Sizes) String() string {
	var words []string
	for i, n := range s {
		if n > 0 {
			words = append(words, fmt.Sprintf("%s: %d", SizeClass(i), n))
		}
	}
	return strings.Join(words, ", ")
}

// A share is the part of one rank in the counts of a file.
type share struct {
	rank            int
	requests, bytes int64
}

func load(list []share) (l Load) {
	if l.Count = len(list); l.Count == 0 {
		return l
	}
	requests, bytes := make([]int64, len(list)), make([]int64, len(list))
	least, most, sum := list[0], list[0], 0.0
	for i, s := range list {
		requests[i], bytes[i] = s.requests, s.bytes
		sum += float64(s.bytes)
		if s.bytes < least.bytes {
			least = s
		}
		if s.bytes > most.bytes {
			most = s
		}
	}
	mean := sum / float64(len(list))
	for _, n := range bytes {
		l.Variance += (float64(n) - mean) * (float64(n) - mean) / float64(len(list))
	}
	l.Requests, l.Bytes, l.Least, l.Most = spread(requests), spread(bytes), least.rank, most.rank
	return l
}

func spread(list []int64) Spread {
	slices.Sort(list)
	return Spread{list[0], list[len(list)/2], list[len(list)-1]}
}

// countersOf returns the sum of what the ranks have counted, by file.
func countersOf(w *trace.World, model *machine.Report) map[string]*Counters {
	sums := map[string]*trace.Counters{}
	ranks, made := map[string][]share{}, map[string][]share{}
	for rank := range w.Len() {
		files := w.Log(rank).Files
		for _, name := range slices.Sorted(maps.Keys(files)) {
			f := files[name]
			if sums[name] == nil {
				sums[name] = new(trace.Counters)
			}
			sums[name].Add(&f.Counters)
			n := f.Requests
			ranks[name] = append(ranks[name], share{rank, f.Reads.Count + f.Writes.Count, f.Reads.Bytes + f.Writes.Bytes})
			if n.Reads+n.Writes > 0 {
				made[name] = append(made[name], share{rank, n.Reads + n.Writes, n.Moved()})
			}
		}
	}
	all := map[string]*Counters{}
	for name, c := range sums {
		r := &Counters{
			Alignment: c.Alignment, SizeReads: c.SizeReads, SizeWrites: c.SizeWrites,
			ConsecutiveReads: c.ConsecReads, ConsecutiveWrites: c.ConsecWrites, SequentialReads: c.SeqReads, SequentialWrites: c.SeqWrites,
			Unaligned: c.NotAligned, Switches: c.Switches, Ranks: load(ranks[name]), Aggregators: load(made[name]),
		}
		r.times(ranks[name], model)
		all[name] = r
	}
	return all
}

// times sets the fastest and the slowest rank.
func (c *Counters) times(list []share, model *machine.Report) {
	if model == nil {
		return
	}
	times, sum := make([]float64, len(list)), 0.0
	for i, s := range list {
		p := &model.Parts[s.rank]
		t := RankTime{s.rank, p.Sum() - p[machine.InCompute] - p[machine.InPeers], s.bytes}
		times[i] = t.Seconds
		sum += t.Seconds
		if c.Fastest == nil || t.Seconds < c.Fastest.Seconds {
			c.Fastest = &t
		}
		if c.Slowest == nil || t.Seconds > c.Slowest.Seconds {
			slow := t
			c.Slowest = &slow
		}
	}
	mean := sum / float64(len(list))
	for _, t := range times {
		c.TimeVariance += (t - mean) * (t - mean) / float64(len(list))
	}
}

// text writes some lines for a report.
func (c *Counters) text(b *strings.Builder, name string) {
	fmt.Fprintf(b, "\nrequests of %q, as Darshan counts them\n", name)
	for _, x := range []struct {
		what                    string
		sizes                   Sizes
		consecutive, sequential int64
	}{{"reads", c.SizeReads, c.ConsecutiveReads, c.SequentialReads}, {"writes", c.SizeWrites, c.ConsecutiveWrites, c.SequentialWrites}} {
		if text := x.sizes.String(); text != "" {
			fmt.Fprintf(b, "  %-12s %s; %d consecutive, %d sequential\n", x.what, text, x.consecutive, x.sequential)
		}
	}
	fmt.Fprintf(b, "  %-12s %d begin at no multiple of %d; %d switches between reading and writing\n", "alignment", c.Unaligned, c.Alignment, c.Switches)
	for _, x := range []struct {
		what, of string
		load     Load
	}{{"ranks", "calls", c.Ranks}, {"requesters", "requests", c.Aggregators}} {
		l := &x.load
		switch {
		case l.Count == 0:
		case l.Requests.Min == l.Requests.Max && l.Bytes.Min == l.Bytes.Max:
			fmt.Fprintf(b, "  %-12s %d: %s %d each, bytes %d each, variance 0\n", x.what, l.Count, x.of, l.Requests.Max, l.Bytes.Max)
		default:
			fmt.Fprintf(b, "  %-12s %d: %s %d to %d, median %d; bytes %d (rank %d) to %d (rank %d), median %d, variance %.4g\n", x.what, l.Count,
				x.of, l.Requests.Min, l.Requests.Max, l.Requests.Median, l.Bytes.Min, l.Least, l.Bytes.Max, l.Most, l.Bytes.Median, l.Variance)
		}
	}
	if c.Fastest == nil {
		fmt.Fprintf(b, "  %-12s fastest and slowest rank need a machine's model: world.On, or commworld cost for a rank script\n", "time")
		return
	}
	fmt.Fprintf(b, "  %-12s fastest rank %d, %.4g of the model's seconds; slowest rank %d, %.4g; variance %.4g (docs/machine.md)\n", "time",
		c.Fastest.Rank, c.Fastest.Seconds, c.Slowest.Rank, c.Slowest.Seconds, c.TimeVariance)
}
