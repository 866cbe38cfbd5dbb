package replay

import (
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/machine/replay/darshan"
)

// IsDarshan reports whether a file begins like a binary log of Darshan: 16 bytes suffice.
func IsDarshan(start []byte) bool { return darshan.Is(start) }

// ReadDarshan reads a binary log of Darshan of size bytes: the accesses that DXT recorded, the
// counters, the stripes on Lustre and the file systems. A log without DXT has counters alone:
// [Trace.Counts], but no files. Other modules are noted and skipped. The name is used in errors.
//
// Error: ErrArg with region, position and reason for a damaged log, or one of a version that
// package darshan does not read.
func ReadDarshan(name string, file io.ReaderAt, size int64) (*Trace, error) {
	t, err := readDarshan(name, file, size)
	if err != nil {
		return nil, fault("%s: %w", name, err)
	}
	return t, nil
}

func readDarshan(name string, file io.ReaderAt, size int64) (*Trace, error) {
	l, err := darshan.Open(file, size)
	if err != nil {
		return nil, err
	}
	if l.Job.Ranks > mostRanks {
		return nil, fmt.Errorf("%d processes; a replay has up to %d", l.Job.Ranks, mostRanks)
	}
	j := newJob()
	j.trace.Name, j.trace.Ranks, j.mounts = l.Job.Exe, l.Job.Ranks, l.Mounts
	for _, module := range l.Partial {
		j.trace.general = append(j.trace.general, fmt.Sprintf("module %s of Darshan ran out of memory during the job: part of its data are missing", module))
	}
	if len(l.Skipped) > 0 {
		j.trace.general = append(j.trace.general, "modules that are not read: "+strings.Join(l.Skipped, ", "))
	}
	of := func(id uint64) *jobFile {
		name := l.Names[id]
		if name == "" {
			name = fmt.Sprintf("record %d", id)
		}
		return j.file(name)
	}
	if err := l.Layouts(func(id uint64, parts []darshan.Component) error { of(id).Layout = parts; return nil }); err != nil {
		return nil, err
	}
	if err := l.Counters(func(c *darshan.Counters) error { j.count(of(c.File), c); return nil }); err != nil {
		return nil, err
	}
	var f *jobFile
	var a Access
	var module string
	err = l.Traces(func(t *darshan.Trace) error {
		f, a, module = of(t.File), Access{Rank: t.Rank}, strings.Replace(t.Module, "DXT_", "X_", 1)
		j.host(t.Host, t.Rank)
		return nil
	}, func(s *darshan.Segment) error {
		a.Write, a.Off, a.Len, a.Begin, a.End = s.Write, max(0, s.Off), s.Len, s.Begin, s.End
		return j.add(f, module, a, s.Off >= 0)
	})
	if err != nil {
		return nil, err
	}
	return j.end(name)
}

// counter reads a line of darshan-parser: module, rank, record, counter, value, file, mount point
// and type of file system, separated by tabs.
func (p *dxtReader) counter(text string) error {
	v := strings.Split(text, "\t")
	if len(v) < 8 {
		return fmt.Errorf("%d values; a counter of darshan-parser has 8, separated by tabs", len(v))
	}
	rank, err := number(v[1])
	if err != nil || rank < -1 || rank >= mostRanks {
		return fmt.Errorf("rank %q; there are ranks -1 to %d", brief.String(v[1]), mostRanks-1)
	}
	if v[0] == "LUSTRE" {
		return p.stripe(v)
	}
	key := [3]string{v[0], v[1], v[2]}
	if p.counters == nil || key != p.counting {
		p.counted()
		c := darshan.NewCounters(v[0])
		if c == nil {
			return nil
		}
		c.Rank = int(rank)
		p.counters, p.counting = c, [3]string{strings.Clone(v[0]), strings.Clone(v[1]), strings.Clone(v[2])}
		p.countedFile = p.job.file(v[5])
		p.countedFile.FS = strings.Clone(v[7])
	}
	return p.counters.Set(v[3], v[4])
}

// counted adds the counters of the record before to those of its file.
func (p *dxtReader) counted() {
	if p.counters != nil {
		p.job.count(p.countedFile, p.counters)
		p.counters = nil
	}
}

// stripe reads a line of module LUSTRE: LUSTRE_STRIPE_SIZE of old versions, or
// LUSTRE_COMP1_STRIPE_SIZE.
func (p *dxtReader) stripe(v []string) error {
	name, ok := strings.CutPrefix(v[3], "LUSTRE_")
	part, i := name, 0
	if rest, comp := strings.CutPrefix(name, "COMP"); comp {
		digits, after, _ := strings.Cut(rest, "_")
		n, err := number(digits)
		if err != nil || n < 1 || n > mostComponents {
			return fmt.Errorf("component %q", brief.String(digits))
		}
		part, i = after, int(n-1)
	}
	if !ok {
		return nil
	}
	f := p.job.file(v[5])
	f.FS = strings.Clone(v[7])
	switch part {
	case "STRIPE_SIZE", "STRIPE_COUNT", "STRIPE_WIDTH", "EXT_START", "EXT_END":
	default:
		return nil
	}
	n, err := number(v[4])
	if err != nil || n < -1 {
		return fmt.Errorf("%s is %q", brief.String(v[3]), brief.String(v[4]))
	}
	for len(f.Layout) <= i {
		f.Layout = append(f.Layout, darshan.Component{End: -1})
	}
	c := &f.Layout[i]
	switch part {
	case "STRIPE_SIZE":
		c.Size = max(0, n)
	case "STRIPE_COUNT", "STRIPE_WIDTH":
		c.Count = int(min(max(0, n), mostRanks))
	case "EXT_START":
		c.Begin = n
	default:
		c.End = n
	}
	return nil
}

// mostComponents bounds the components of a file's layout.
const mostComponents = 1 << 12
