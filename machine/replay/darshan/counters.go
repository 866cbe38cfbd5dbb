package darshan

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
)

// Counters are what a module counted of one file on one rank, or on all of them.
type Counters struct {
	Module string // POSIX, MPI-IO or STDIO
	Rank   int    // -1: all ranks
	File   uint64 // record number, see [Log.Names]

	of     *counted
	ints   []int64
	floats []float64
}

// A counted is the counters of a module, without the prefix that all names share.
type counted struct {
	prefix       string
	ints, floats []string
	added        map[string]uint32 // the version that brought a counter, if not the first
	stdio        bool              // version 1 has four counters of package stdio behind the sixth
}

var countedBy = map[string]*counted{
	"POSIX": {
		prefix: "POSIX_",
		ints: strings.Fields(`
			OPENS FILENOS DUPS READS WRITES SEEKS STATS MMAPS FSYNCS FDSYNCS RENAME_SOURCES RENAME_TARGETS RENAMED_FROM
			MODE BYTES_READ BYTES_WRITTEN MAX_BYTE_READ MAX_BYTE_WRITTEN CONSEC_READS CONSEC_WRITES SEQ_READS
			SEQ_WRITES RW_SWITCHES MEM_NOT_ALIGNED MEM_ALIGNMENT FILE_NOT_ALIGNED FILE_ALIGNMENT MAX_READ_TIME_SIZE
			MAX_WRITE_TIME_SIZE SIZE_READ_0_100 SIZE_READ_100_1K SIZE_READ_1K_10K SIZE_READ_10K_100K SIZE_READ_100K_1M
			SIZE_READ_1M_4M SIZE_READ_4M_10M SIZE_READ_10M_100M SIZE_READ_100M_1G SIZE_READ_1G_PLUS SIZE_WRITE_0_100
			SIZE_WRITE_100_1K SIZE_WRITE_1K_10K SIZE_WRITE_10K_100K SIZE_WRITE_100K_1M SIZE_WRITE_1M_4M
			SIZE_WRITE_4M_10M SIZE_WRITE_10M_100M SIZE_WRITE_100M_1G SIZE_WRITE_1G_PLUS STRIDE1_STRIDE STRIDE2_STRIDE
			STRIDE3_STRIDE STRIDE4_STRIDE STRIDE1_COUNT STRIDE2_COUNT STRIDE3_COUNT STRIDE4_COUNT ACCESS1_ACCESS
			ACCESS2_ACCESS ACCESS3_ACCESS ACCESS4_ACCESS ACCESS1_COUNT ACCESS2_COUNT ACCESS3_COUNT ACCESS4_COUNT
			FASTEST_RANK FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES`),
		floats: strings.Fields(`
			F_OPEN_START_TIMESTAMP F_READ_START_TIMESTAMP F_WRITE_START_TIMESTAMP F_CLOSE_START_TIMESTAMP
			F_OPEN_END_TIMESTAMP F_READ_END_TIMESTAMP F_WRITE_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_READ_TIME
			F_WRITE_TIME F_META_TIME F_MAX_READ_TIME F_MAX_WRITE_TIME F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME
			F_VARIANCE_RANK_TIME F_VARIANCE_RANK_BYTES`),
		added: map[string]uint32{
			"F_CLOSE_START_TIMESTAMP": 3, "F_OPEN_END_TIMESTAMP": 3,
			"FILENOS": 4, "DUPS": 4, "RENAME_SOURCES": 4, "RENAME_TARGETS": 4, "RENAMED_FROM": 4,
		},
		stdio: true,
	},
	"MPI-IO": {
		prefix: "MPIIO_",
		ints: strings.Fields(`
			INDEP_OPENS COLL_OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES SPLIT_READS SPLIT_WRITES NB_READS
			NB_WRITES SYNCS HINTS VIEWS MODE BYTES_READ BYTES_WRITTEN RW_SWITCHES MAX_READ_TIME_SIZE
			MAX_WRITE_TIME_SIZE SIZE_READ_AGG_0_100 SIZE_READ_AGG_100_1K SIZE_READ_AGG_1K_10K SIZE_READ_AGG_10K_100K
			SIZE_READ_AGG_100K_1M SIZE_READ_AGG_1M_4M SIZE_READ_AGG_4M_10M SIZE_READ_AGG_10M_100M SIZE_READ_AGG_100M_1G
			SIZE_READ_AGG_1G_PLUS SIZE_WRITE_AGG_0_100 SIZE_WRITE_AGG_100_1K SIZE_WRITE_AGG_1K_10K
			SIZE_WRITE_AGG_10K_100K SIZE_WRITE_AGG_100K_1M SIZE_WRITE_AGG_1M_4M SIZE_WRITE_AGG_4M_10M
			SIZE_WRITE_AGG_10M_100M SIZE_WRITE_AGG_100M_1G SIZE_WRITE_AGG_1G_PLUS ACCESS1_ACCESS ACCESS2_ACCESS
			ACCESS3_ACCESS ACCESS4_ACCESS ACCESS1_COUNT ACCESS2_COUNT ACCESS3_COUNT ACCESS4_COUNT FASTEST_RANK
			FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES`),
		floats: strings.Fields(`
			F_OPEN_START_TIMESTAMP F_READ_START_TIMESTAMP F_WRITE_START_TIMESTAMP F_CLOSE_START_TIMESTAMP
			F_OPEN_END_TIMESTAMP F_READ_END_TIMESTAMP F_WRITE_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_READ_TIME
			F_WRITE_TIME F_META_TIME F_MAX_READ_TIME F_MAX_WRITE_TIME F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME
			F_VARIANCE_RANK_TIME F_VARIANCE_RANK_BYTES`),
		added: map[string]uint32{"F_CLOSE_START_TIMESTAMP": 3, "F_OPEN_END_TIMESTAMP": 3},
	},
	"STDIO": {
		prefix: "STDIO_",
		ints: strings.Fields(`
			OPENS FDOPENS READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ MAX_BYTE_READ MAX_BYTE_WRITTEN
			FASTEST_RANK FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES`),
		floats: strings.Fields(`
			F_META_TIME F_WRITE_TIME F_READ_TIME F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP F_WRITE_START_TIMESTAMP
			F_READ_START_TIMESTAMP F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_WRITE_END_TIMESTAMP
			F_READ_END_TIMESTAMP F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME F_VARIANCE_RANK_TIME F_VARIANCE_RANK_BYTES`),
		added: map[string]uint32{"FDOPENS": 2},
	},
}

// Int returns a counter by its name without the module's prefix, such as "BYTES_READ"; -1 if
// Darshan did not count it.
func (c *Counters) Int(name string) int64 {
	if i := slices.Index(c.of.ints, name); i >= 0 {
		return c.ints[i]
	}
	return -1
}

// Float returns a counter whose name begins with "F_"; -1 if Darshan did not count it.
func (c *Counters) Float(name string) float64 {
	if i := slices.Index(c.of.floats, name); i >= 0 {
		return c.floats[i]
	}
	return -1
}

// NewCounters returns counters of a module without values; nil if the module has none that
// this package reads.
func NewCounters(module string) *Counters {
	of := countedBy[module]
	if of == nil {
		return nil
	}
	c := &Counters{Module: module, of: of, ints: make([]int64, len(of.ints)), floats: make([]float64, len(of.floats))}
	for i := range c.ints {
		c.ints[i] = -1
	}
	for i := range c.floats {
		c.floats[i] = -1
	}
	return c
}

// Set sets a counter, given as darshan-parser prints it, such as POSIX_OPENS and 4. It
// ignores counters that this package does not know.
//
// Error: one that names the value if it is not a number.
func (c *Counters) Set(name, value string) (err error) {
	name, ok := strings.CutPrefix(name, c.of.prefix)
	if !ok {
		return nil
	}
	if i := slices.Index(c.of.ints, name); i >= 0 {
		c.ints[i], err = strconv.ParseInt(value, 10, 64)
	} else if i := slices.Index(c.of.floats, name); i >= 0 {
		c.floats[i], err = strconv.ParseFloat(value, 64)
	}
	if err != nil {
		return brief.Errorf("%s%s is %q, not a number", c.of.prefix, name, brief.String(value))
	}
	return nil
}

// Counters calls take for each record of POSIX, MPI-IO and STDIO. The record is valid during
// the call.
//
// Error: ErrArg with region, position and reason for damaged data; that of take.
func (l *Log) Counters(take func(*Counters) error) error {
	for _, name := range []string{"POSIX", "MPI-IO", "STDIO"} {
		if !l.Has(name) {
			continue
		}
		if err := l.counters(name, l.modules[name], take); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) counters(name string, m module, take func(*Counters) error) error {
	r, err := l.open(name, m.span)
	if err != nil {
		return err
	}
	c := NewCounters(name)
	of := c.of
	has := func(counter string) bool { return of.added[counter] <= m.version }
	size, extra := 2, 0
	if of.stdio && m.version == 1 {
		extra = 4
	}
	size += extra
	for _, list := range [][]string{of.ints, of.floats} {
		for _, counter := range list {
			if has(counter) {
				size++
			}
		}
	}
	for {
		b, err := r.next(8 * size)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c.File = r.order.Uint64(b)
		if c.Rank, err = l.rank(r, r.int(b, 1), true); err != nil {
			return err
		}
		k := 2
		for i, counter := range of.ints {
			if !has(counter) {
				continue
			}
			if extra > 0 && k == 2+6 {
				k += extra
			}
			c.ints[i] = r.int(b, k)
			k++
		}
		for i, counter := range of.floats {
			if has(counter) {
				c.floats[i] = r.float(b, k)
				k++
			}
		}
		if err := take(c); err != nil {
			return err
		}
	}
}

// rank returns a rank of a record.
func (l *Log) rank(r *region, n int64, shared bool) (int, error) {
	if n < 0 && !(shared && n == -1) || n >= int64(l.Job.Ranks) {
		return 0, r.fail("rank %d of %d", n, l.Job.Ranks)
	}
	return int(n), nil
}
