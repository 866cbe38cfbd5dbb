package replay

import (
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/machine/replay/darshan"
)

// Counts are what Darshan counted of a file in one module, over all ranks. Numbers are 0
// where Darshan did not count.
type Counts struct {
	Module string // POSIX, MPI-IO or STDIO
	File   string
	FS     string // type of its file system, such as lustre

	Ranks   int // with a record; all of the job if they share one
	Opens   int64
	Stats   int64
	Seeks   int64
	Syncs   int64
	Reads   Direction
	Writes  Direction
	Aligned int64   // bytes to which Darshan compared offsets
	Off     int64   // accesses that are not aligned to them
	Meta    float64 // seconds of all ranks in open, stat, seek, sync and close

	Slow, Fast           int     // the ranks with the most and the least time
	SlowTime, FastTime   float64 // seconds in the file
	SlowBytes, FastBytes int64
	MostBytes            int64 // of a rank
	LeastBytes           int64

	known bool // whether the ranks above are set
}

// A Direction is the reads or the writes of a file.
type Direction struct {
	N           int64
	Bytes       int64
	Small       int64 // shorter than 1 MB
	Consecutive int64 // begin where the rank's access before ended
	Sequential  int64 // begin there or behind
	Time        float64

	Collective, Independent int64 // calls of MPI-IO
}

// Bytes returns the bytes that the ranks moved.
func (c *Counts) Bytes() int64 { return c.Reads.Bytes + c.Writes.Bytes }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// add adds a record of one rank, or of all ranks.
func (c *Counts) add(r *darshan.Counters, ranks int) {
	num := func(name string) int64 { return max(0, r.Int(name)) }
	sec := func(name string) float64 {
		if t := r.Float(name); t > 0 && t < mostSeconds {
			return t
		}
		return 0
	}
	if r.Module == "MPI-IO" {
		c.Opens += num("INDEP_OPENS") + num("COLL_OPENS")
	}
	c.Opens += num("OPENS")
	c.Stats += num("STATS")
	c.Seeks += num("SEEKS")
	c.Syncs += num("FSYNCS") + num("FDSYNCS") + num("SYNCS") + num("FLUSHES")
	c.Off += num("FILE_NOT_ALIGNED")
	c.Aligned = max(c.Aligned, num("FILE_ALIGNMENT"))
	c.Meta += sec("F_META_TIME")
	c.Reads.add(num, "READ", r.Module)
	c.Writes.add(num, "WRITE", r.Module)
	c.Reads.Time += sec("F_READ_TIME")
	c.Writes.Time += sec("F_WRITE_TIME")
	if r.Rank < 0 {
		c.Ranks = ranks
		c.shared(r, num, sec)
		return
	}
	c.Ranks++
	c.rank(r.Rank, sec("F_READ_TIME")+sec("F_WRITE_TIME")+sec("F_META_TIME"), num("BYTES_READ")+num("BYTES_WRITTEN"))
}

// shared takes the fastest and the slowest rank from a record of all ranks.
func (c *Counts) shared(r *darshan.Counters, num func(string) int64, sec func(string) float64) {
	if r.Int("SLOWEST_RANK") < 0 || r.Int("FASTEST_RANK") < 0 {
		return
	}
	c.known = true
	c.Slow, c.Fast = int(num("SLOWEST_RANK")), int(num("FASTEST_RANK"))
	c.SlowTime, c.FastTime = sec("F_SLOWEST_RANK_TIME"), sec("F_FASTEST_RANK_TIME")
	c.SlowBytes, c.FastBytes = num("SLOWEST_RANK_BYTES"), num("FASTEST_RANK_BYTES")
	c.MostBytes, c.LeastBytes = max(c.SlowBytes, c.FastBytes), min(c.SlowBytes, c.FastBytes)
}

// rank compares a rank with the fastest and the slowest one so far.
func (c *Counts) rank(rank int, time float64, bytes int64) {
	if !c.known || time > c.SlowTime {
		c.Slow, c.SlowTime, c.SlowBytes = rank, time, bytes
	}
	if !c.known || time < c.FastTime {
		c.Fast, c.FastTime, c.FastBytes = rank, time, bytes
	}
	if !c.known {
		c.MostBytes, c.LeastBytes = bytes, bytes
	}
	c.MostBytes, c.LeastBytes, c.known = max(c.MostBytes, bytes), min(c.LeastBytes, bytes), true
}

// smallClasses are Darshan's classes of accesses below 1 MB.
var smallClasses = []string{"0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M"}

func (d *Direction) add(num func(string) int64, word, module string) {
	written := map[string]string{"READ": "BYTES_READ", "WRITE": "BYTES_WRITTEN"}[word]
	d.Bytes += num(written)
	agg := ""
	if module == "MPI-IO" {
		agg = "AGG_"
		d.Collective += num("COLL_"+word+"S") + num("SPLIT_"+word+"S")
		d.Independent += num("INDEP_"+word+"S") + num("NB_"+word+"S")
		d.N = d.Collective + d.Independent
	} else {
		d.N += num(word + "S")
	}
	for _, class := range smallClasses {
		d.Small += num("SIZE_" + word + "_" + agg + class)
	}
	d.Consecutive += num("CONSEC_" + word + "S")
	d.Sequential += num("SEQ_" + word + "S")
}

// total returns the counts of several files of a module together.
func total(list []*Counts, module string) (sum Counts) {
	for _, c := range list {
		if c.Module != module {
			continue
		}
		sum.Opens += c.Opens
		sum.Stats += c.Stats
		sum.Meta += c.Meta
		sum.Reads.sum(&c.Reads)
		sum.Writes.sum(&c.Writes)
	}
	return sum
}

func (d *Direction) sum(x *Direction) {
	d.N += x.N
	d.Bytes += x.Bytes
	d.Small += x.Small
	d.Time += x.Time
}

// onServers reports whether the file is on a file system, not a device or standard stream.
func (c *Counts) onServers() bool {
	return !special(c.File) && !strings.HasPrefix(c.File, "<")
}
