package trace

// Counters are Darshan's counters of the requests that one rank makes to one file.
type Counters struct {
	Alignment               int64
	SizeReads, SizeWrites   [10]int64 // by class
	ConsecReads, SeqReads   int64     // begin at the end of the previous one; at it or beyond
	ConsecWrites, SeqWrites int64
	NotAligned              int64 // begin at no multiple of Alignment
	Switches                int64 // between reading and writing

	reads, writes int64 // ends of the last read and of the last write
	last          int8  // 1: a read, 2: a write
}

// sizeEnds are the upper ends of Darshan's classes of sizes; the last has none.
var sizeEnds = [...]int64{100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30}

// SizeNames are the names of the classes.
var SizeNames = [...]string{"0-100", "100-1K", "1K-10K", "10K-100K", "100K-1M", "1M-4M", "4M-10M", "10M-100M", "100M-1G", "1G+"}

// SizeClass returns the class of a request of n bytes.
func SizeClass(n int64) int {
	i := 0
	for i < len(sizeEnds) && n > sizeEnds[i] {
		i++
	}
	return i
}

// Request counts a request.
func (c *Counters) Request(write bool, off, n int64) {
	sizes, end, seq, consec, kind := &c.SizeReads, &c.reads, &c.SeqReads, &c.ConsecReads, int8(1)
	if write {
		sizes, end, seq, consec, kind = &c.SizeWrites, &c.writes, &c.SeqWrites, &c.ConsecWrites, 2
	}
	sizes[SizeClass(n)]++
	if *end > 0 && off >= *end {
		*seq++
		if off == *end {
			*consec++
		}
	}
	*end = off + n
	if c.Alignment > 0 && off%c.Alignment != 0 {
		c.NotAligned++
	}
	if c.last != 0 && c.last != kind {
		c.Switches++
	}
	c.last = kind
}

// Add adds the counts of o.
func (c *Counters) Add(o *Counters) {
	c.Alignment = max(c.Alignment, o.Alignment)
	for i := range c.SizeReads {
		c.SizeReads[i] += o.SizeReads[i]
		c.SizeWrites[i] += o.SizeWrites[i]
	}
	c.ConsecReads += o.ConsecReads
	c.SeqReads += o.SeqReads
	c.ConsecWrites += o.ConsecWrites
	c.SeqWrites += o.SeqWrites
	c.NotAligned += o.NotAligned
	c.Switches += o.Switches
}

// Counters returns the counters of a file, whose requests should begin at multiples of
// align.
func (l *Log) Counters(file string, align int64) *Counters {
	c := &entry(&l.Files, file).Counters
	c.Alignment = align
	return c
}
