package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/plain"
)

// A Finding is a property of a job's accesses that often costs time.
type Finding struct {
	Kind  string // small, misaligned, random, imbalanced, independent, metadata, straggler or stdio
	File  string // with the most bytes of those that have the property; "" if it is of the whole job
	Files int    // that have it
	Text  string
	Try   []Way // ways of a replay that avoid it; empty if no way does
}

// Thresholds of findings.
const (
	fewAccesses   = 10  // files with fewer accesses in a direction are not judged
	someShare     = 0.1 // of accesses that are small or misaligned
	randomShare   = 0.2
	unevenShare   = 0.3 // by which the least bytes or time of a rank are below the most
	metadataShare = 0.3
	shortTime     = 0.1 // seconds that are not worth a finding
)

// Findings returns what in the accesses often costs time, one finding of each kind; the order
// is fixed. Darshan's counters are the base; where the trace has none, the accesses are counted,
// misaligned ones against stripes of that size.
func (t *Trace) Findings(stripe int64) []Finding {
	list := t.Counts
	if len(list) == 0 {
		for _, f := range t.Files {
			list = append(list, f.count(cmp.Or(f.stripeSize(), stripe)))
		}
		slices.SortStableFunc(list, func(a, b *Counts) int { return cmp.Compare(b.Bytes(), a.Bytes()) })
	}
	calls := map[string]*Counts{}
	for _, c := range list {
		if c.Module == "MPI-IO" {
			calls[c.File] = c
		}
	}
	var found []Finding
	for _, rule := range rules {
		var first *Finding
		for _, c := range list {
			if c.Module != "POSIX" || !c.onServers() {
				continue
			}
			text := rule.test(c, calls[c.File])
			switch {
			case text == "":
			case first == nil:
				first = &Finding{Kind: rule.kind, File: c.File, Files: 1, Text: text, Try: rule.try}
			default:
				first.Files++
			}
		}
		if first != nil {
			found = append(found, *first)
		}
	}
	return append(found, ofAll(list)...)
}

// rules judge the counters of a file; calls are those of MPI-IO, nil if it has none. A test
// returns "" if the file does not have the property.
var rules = []struct {
	kind string
	try  []Way
	test func(c, calls *Counts) string
}{
	{"small", []Way{Sieved, Collective}, func(c, _ *Counts) string {
		d, word := c.larger(func(d *Direction) int64 { return d.Small })
		if d.N < fewAccesses || float64(d.Small) < someShare*float64(d.N) {
			return ""
		}
		return fmt.Sprintf("%d of %d %s (%s) have less than 1 MB", d.Small, d.N, word, percent(d.Small, d.N))
	}},
	{"misaligned", []Way{Aligned, CollectiveAligned}, func(c, _ *Counts) string {
		n := c.Reads.N + c.Writes.N
		if n < fewAccesses || c.Aligned <= 1 || float64(c.Off) < someShare*float64(n) {
			return ""
		}
		return fmt.Sprintf("%d of %d requests (%s) do not begin at a multiple of %d bytes", c.Off, n, percent(c.Off, n), c.Aligned)
	}},
	{"random", []Way{Sieved, Collective}, func(c, _ *Counts) string {
		d, word := c.larger(func(d *Direction) int64 { return d.N - d.Sequential })
		back := d.N - d.Sequential
		if d.N < fewAccesses || float64(back) < randomShare*float64(d.N) {
			return ""
		}
		return fmt.Sprintf("%d of %d %s (%s) begin before the end of the rank's access before", back, d.N, word, percent(back, d.N))
	}},
	{"independent", []Way{Collective, CollectiveAligned}, func(c, calls *Counts) string {
		if c.Ranks < 2 || c.Reads.N+c.Writes.N < int64(fewAccesses) {
			return ""
		}
		if calls == nil {
			return fmt.Sprintf("%s share the file without MPI-IO", plain.Count(c.Ranks, "rank"))
		}
		if calls.Reads.Collective+calls.Writes.Collective > 0 {
			return ""
		}
		return fmt.Sprintf("%s share the file, and none of its %d calls of MPI-IO is collective", plain.Count(c.Ranks, "rank"), calls.Reads.N+calls.Writes.N)
	}},
	{"imbalanced", []Way{Collective}, func(c, calls *Counts) string {
		if c.Ranks < 2 || !c.known || calls != nil && calls.Reads.Collective+calls.Writes.Collective > 0 || !uneven(float64(c.MostBytes), float64(c.LeastBytes)) {
			return ""
		}
		return fmt.Sprintf("a rank moves %d bytes, another one %d", c.MostBytes, c.LeastBytes)
	}},
	{"straggler", nil, func(c, _ *Counts) string {
		if c.Ranks < 2 || !c.known || c.SlowTime < shortTime || !uneven(c.SlowTime, c.FastTime) || uneven(float64(c.MostBytes), float64(c.LeastBytes)) {
			return ""
		}
		return fmt.Sprintf("rank %d spends %.3g s in the file, rank %d %.3g s, with about the same bytes", c.Slow, c.SlowTime, c.Fast, c.FastTime)
	}},
}

// ofAll returns the findings about all files together.
func ofAll(list []*Counts) (found []Finding) {
	posix, stdio := total(list, "POSIX"), total(list, "STDIO")
	if all := posix.Meta + posix.Reads.Time + posix.Writes.Time; posix.Meta >= shortTime && posix.Meta > metadataShare*all {
		found = append(found, Finding{Kind: "metadata", Text: fmt.Sprintf("the ranks spend %.3g s of %.3g s (%.0f %%) in %d opens, %d stats and other calls that move no bytes", posix.Meta, all, 100*posix.Meta/all, posix.Opens, posix.Stats)})
	}
	if n, all := stdio.Bytes(), stdio.Bytes()+posix.Bytes(); n > 0 && float64(n) > someShare*float64(all) {
		found = append(found, Finding{Kind: "stdio", Text: fmt.Sprintf("%d of %d bytes (%s) go through stdio (fwrite, fprintf, fread), one rank at a time", n, all, percent(n, all))})
	}
	return found
}

// larger returns the direction for which value is larger, and its name.
func (c *Counts) larger(value func(*Direction) int64) (*Direction, string) {
	if value(&c.Reads) > value(&c.Writes) {
		return &c.Reads, "reads"
	}
	return &c.Writes, "writes"
}

func uneven(most, least float64) bool { return most > 0 && most-least > unevenShare*most }

func percent(n, of int64) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(max(1, of))) }

// String returns the finding as a sentence.
func (f *Finding) String() string {
	s := f.Text
	if f.File != "" {
		s = fmt.Sprintf("%q: %s", brief.String(f.File), s)
	}
	if f.Files > 1 {
		s += fmt.Sprintf("; so do %s", plain.Count(f.Files-1, "more file"))
	}
	return s
}

// Only returns the trace with the accesses of one file; nil if it has none.
func (t *Trace) Only(file string) *Trace {
	for _, f := range t.Files {
		if f.Name == file {
			c := *t
			c.Files = []*File{f}
			return &c
		}
	}
	return nil
}

// count counts the accesses of a file as Darshan counts requests.
func (f *File) count(stripe int64) *Counts {
	const small = 1 << 20
	c := &Counts{Module: "POSIX", File: f.Name, FS: f.FS, Aligned: stripe}
	type rank struct {
		time  float64
		bytes int64
		end   [2]int64
		used  [2]bool
	}
	ranks := map[int]*rank{}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		r := ranks[a.Rank]
		if r == nil {
			r = &rank{}
			ranks[a.Rank] = r
		}
		d, k := &c.Reads, 0
		if a.Write {
			d, k = &c.Writes, 1
		}
		d.N++
		d.Bytes += a.Len
		d.Time += a.End - a.Begin
		if a.Len < small {
			d.Small++
		}
		if !r.used[k] || a.Off >= r.end[k] {
			d.Sequential++
		}
		if r.used[k] && a.Off == r.end[k] {
			d.Consecutive++
		}
		if stripe > 0 && a.Off%stripe != 0 {
			c.Off++
		}
		r.used[k], r.end[k] = true, a.Off+a.Len
		r.time += a.End - a.Begin
		r.bytes += a.Len
	}
	order := make([]int, 0, len(ranks))
	for n := range ranks {
		order = append(order, n)
	}
	slices.Sort(order)
	for _, n := range order {
		c.rank(n, ranks[n].time, ranks[n].bytes)
	}
	c.Ranks = len(ranks)
	return c
}
