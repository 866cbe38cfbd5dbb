package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/machine/replay/darshan"
)

// ReadDXT reads the output of darshan-dxt-parser, of darshan-parser, or both, one after the
// other. If a file has accesses of both modules, it keeps the requests (X_POSIX): they say
// which bytes moved; [Trace.OfCalls] has the calls of MPI-IO (X_MPIIO). It leaves out files
// that have only calls without offsets, which old versions of Darshan print. Text of
// darshan-parser alone gives [Trace.Counts], but no files. The name of the text is used in
// errors.
//
// Error: ErrArg with the line and the reason for text that is not of this form, is cut off,
// or has nothing to replay.
func ReadDXT(name string, r io.Reader) (*Trace, error) {
	p := &dxtReader{name: name, job: newJob()}
	if err := lines(name, r, p.line); err != nil {
		return nil, err
	}
	return p.end()
}

// IsDXT reports whether text begins like the output of darshan-dxt-parser.
func IsDXT(text []byte) bool {
	return bytes.Contains(text, []byte("# darshan log version:")) || bytes.Contains(text, []byte("# DXT, file_id:"))
}

// lines calls take for each line, without its end.
func lines(name string, r io.Reader, take func(number int, text string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), mostLine)
	number := 0
	for s.Scan() {
		number++
		if err := take(number, strings.TrimSuffix(s.Text(), "\r")); err != nil {
			return wrong(name, number, err)
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return wrong(name, number+1, fmt.Errorf("a line of more than %d bytes", mostLine))
	}
	return s.Err()
}

// A dxtReader reads DXT text line by line.
type dxtReader struct {
	name    string
	job     *job
	highest int // the highest rank

	block   block
	columns columns

	counters    *darshan.Counters // of the record that counting names
	counting    [3]string         // module, rank and record
	countedFile *jobFile
}

// A block is the lines of one file and one rank.
type block struct {
	file          *jobFile
	line          int // of its first one
	rank          int
	ranked        bool
	counted       bool
	writes, reads int64 // announced by its heading
	write, read   int64 // read so far
}

// columns are the positions of the values in the line of an access; -1: missing.
type columns struct{ rank, op, segment, off, len, begin, end int }

// usual are the columns of text without a heading.
var usual = columns{1, 2, 3, 4, 5, 6, 7}

func (p *dxtReader) line(number int, text string) error {
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		return nil
	case strings.HasPrefix(trimmed, "#"):
		return p.comment(number, strings.TrimSpace(trimmed[1:]))
	case strings.HasPrefix(trimmed, "X_"):
		return p.access(strings.Fields(trimmed))
	case strings.Contains(trimmed, "\t"):
		return p.counter(text)
	default:
		return p.access(strings.Fields(trimmed))
	}
}

// comment reads a line that begins with #.
func (p *dxtReader) comment(number int, text string) error {
	switch key, value, _ := strings.Cut(text, ":"); key {
	case "exe":
		p.job.trace.Name = strings.TrimSpace(value)
		return nil
	case "mount entry":
		if path, kind, ok := strings.Cut(strings.TrimSpace(value), "\t"); ok && len(p.job.mounts) < mostMounts {
			p.job.mounts = append(p.job.mounts, darshan.Mount{Path: strings.Clone(path), Type: strings.Clone(kind)})
		}
		return nil
	case "nprocs":
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < 1 || n > mostRanks {
			return fmt.Errorf("nprocs is %q; it needs 1 to %d", brief.String(strings.TrimSpace(value)), mostRanks)
		}
		p.job.trace.Ranks = int(n)
		return nil
	}
	switch {
	case strings.HasPrefix(text, "[Component "):
		return p.component(text)
	case strings.HasPrefix(text, "Module") && strings.Contains(text, "Rank"):
		return p.heading(text)
	case !strings.HasPrefix(text, "DXT, "):
		return nil
	}
	return p.preamble(number, strings.TrimPrefix(text, "DXT, "))
}

// heading reads the names of the columns.
func (p *dxtReader) heading(text string) error {
	names := strings.Fields(text)
	at := func(name string) int { return slices.Index(names, name) }
	c := columns{
		rank: at("Rank"), op: at("Wt/Rd"), segment: at("Segment"), off: at("Offset"),
		len: at("Length"), begin: at("Start(s)"), end: at("End(s)"),
	}
	if min(c.rank, c.op, c.len, c.begin, c.end) < 0 {
		return errors.New("the heading lacks one of Rank, Wt/Rd, Length, Start(s) and End(s)")
	}
	p.columns = c
	return nil
}

// preamble reads a line about a file or a rank of it.
func (p *dxtReader) preamble(number int, text string) error {
	b := &p.block
	if rest, ok := strings.CutPrefix(text, "file_id: "); ok {
		return p.fileID(number, rest)
	}
	if b.file == nil {
		return errors.New("a line about a file whose file_id is missing")
	}
	key, value, _ := strings.Cut(text, ": ")
	switch key {
	case "rank":
		value, host, _ := strings.Cut(value, ", hostname: ")
		rank, err := strconv.Atoi(value)
		if err != nil || rank < 0 || rank >= mostRanks {
			return fmt.Errorf("rank %q; there are ranks 0 to %d", brief.String(value), mostRanks-1)
		}
		b.rank, b.ranked = rank, true
		p.job.host(host, rank)
	case "write_count":
		return b.counts(value)
	case "mnt_pt":
		if _, kind, ok := strings.Cut(value, ", fs_type: "); ok {
			b.file.FS = strings.Clone(strings.TrimSpace(kind))
		}
	case "Lustre stripe components:":
		b.file.Layout = nil
	case "Lustre stripe_size":
		return b.stripes(value)
	}
	return nil
}

// fileID reads the line with which the block of a file begins.
func (p *dxtReader) fileID(number int, text string) error {
	if err := p.block.whole(); err != nil {
		return err
	}
	_, name, ok := strings.Cut(text, ", file_name: ")
	if !ok || name == "" {
		return errors.New("a file_id without a file_name")
	}
	p.block = block{file: p.job.file(name), line: number}
	p.columns = usual
	return nil
}

func (b *block) counts(value string) error {
	writes, reads, ok := strings.Cut(value, ", read_count: ")
	var wrongWrites, wrongReads error
	b.writes, wrongWrites = strconv.ParseInt(writes, 10, 64)
	b.reads, wrongReads = strconv.ParseInt(reads, 10, 64)
	if !ok || wrongWrites != nil || wrongReads != nil || b.writes < 0 || b.reads < 0 {
		return errors.New("write_count and read_count are not two numbers")
	}
	b.counted = true
	return nil
}

func (b *block) stripes(value string) error {
	size, count, ok := strings.Cut(value, ", Lustre stripe_count: ")
	n, wrongSize := strconv.ParseInt(size, 10, 64)
	k, wrongCount := strconv.Atoi(count)
	if !ok || wrongSize != nil || wrongCount != nil || n < 1 || k < 1 {
		return errors.New("stripe_size and stripe_count of Lustre are not two numbers from 1 on")
	}
	b.file.Layout = []darshan.Component{{End: -1, Size: n, Count: k}}
	return nil
}

// component reads a line about a component of a layout, as Darshan prints it from version 3.4.6
// on: "[Component 1] stripe_ext: 0 - EOF, stripe_size: 1048576, stripe_count: 4, OSTs: 3 7".
func (p *dxtReader) component(text string) error {
	f := p.block.file
	if f == nil {
		return errors.New("a component of a file whose file_id is missing")
	}
	c := darshan.Component{}
	_, values, _ := strings.Cut(text, "] ")
	values, _, _ = strings.Cut(values, "OSTs:")
	var err error
	for part := range strings.SplitSeq(values, ", ") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), ": ")
		var n int64
		switch {
		case !ok:
			continue
		case key == "stripe_ext":
			begin, end, _ := strings.Cut(value, " - ")
			c.Begin, err = number(begin)
			if c.End = -1; err == nil && end != "EOF" {
				c.End, err = number(end)
			}
		case key == "stripe_size":
			c.Size, err = number(value)
		case key == "stripe_count":
			n, err = number(value)
			c.Count = int(n)
		}
		if err != nil || c.Size < 0 || c.Count < 0 || c.Count > mostRanks || c.Begin < 0 {
			return fmt.Errorf("%s of a component is %q", brief.String(key), brief.String(value))
		}
	}
	if len(f.Layout) >= mostComponents {
		return fmt.Errorf("a layout of more than %d components", mostComponents)
	}
	f.Layout = append(f.Layout, c)
	return nil
}

// mostMounts bounds the mounted file systems of a log.
const mostMounts = 1 << 12

// whole returns an error if a block does not have the number of lines that it announces.
func (b *block) whole() error {
	if b.file == nil || !b.counted || b.write == b.writes && b.read == b.reads {
		return nil
	}
	return fmt.Errorf("%q of rank %d has %d writes and %d reads, and says in line %d on that it has %d and %d: the text is cut off or changed", brief.String(b.file.Name), b.rank, b.write, b.read, b.line, b.writes, b.reads)
}

// access reads the line of one access.
func (p *dxtReader) access(fields []string) error {
	module := fields[0]
	if module != "X_POSIX" && module != "X_MPIIO" {
		return fmt.Errorf("%q does not begin a line of darshan-dxt-parser; lines begin with #, X_POSIX or X_MPIIO", brief.String(module))
	}
	b, c := &p.block, &p.columns
	if b.file == nil {
		return errors.New("an access before any file_id")
	}
	if need := max(c.rank, c.op, c.segment, c.off, c.len, c.begin, c.end); len(fields) <= need {
		return fmt.Errorf("%d values; an access has %d", len(fields), need+1)
	}
	a, placed, err := p.parse(fields)
	if err == nil {
		err = p.job.add(b.file, module, a, placed)
	}
	p.highest = max(p.highest, a.Rank)
	return err
}

// parse reads the columns of an access, and reports whether it has an offset.
func (p *dxtReader) parse(fields []string) (a Access, placed bool, err error) {
	b, c := &p.block, &p.columns
	if a.Rank, err = strconv.Atoi(fields[c.rank]); err != nil {
		return a, false, fmt.Errorf("rank %q is not a number", brief.String(fields[c.rank]))
	}
	if b.ranked && a.Rank != b.rank {
		return a, false, fmt.Errorf("rank %d among the accesses of rank %d", a.Rank, b.rank)
	}
	switch fields[c.op] {
	case "write":
		a.Write = true
		b.write++
	case "read":
		b.read++
	default:
		return a, false, fmt.Errorf("%q is neither write nor read", brief.String(fields[c.op]))
	}
	placed = c.off >= 0 && fields[c.off] != "N/A" && !(fields[c.off] == "-1" && fields[0] == "X_MPIIO")
	if placed {
		if a.Off, err = strconv.ParseInt(fields[c.off], 10, 64); err != nil {
			return a, false, fmt.Errorf("offset %q is not a number", brief.String(fields[c.off]))
		}
	}
	if a.Len, err = strconv.ParseInt(fields[c.len], 10, 64); err != nil {
		return a, false, fmt.Errorf("length %q is not a number", brief.String(fields[c.len]))
	}
	if a.Begin, err = strconv.ParseFloat(fields[c.begin], 64); err != nil {
		return a, false, fmt.Errorf("start %q is not a number of seconds", brief.String(fields[c.begin]))
	}
	if a.End, err = strconv.ParseFloat(fields[c.end], 64); err != nil {
		return a, false, fmt.Errorf("end %q is not a number of seconds", brief.String(fields[c.end]))
	}
	return a, placed, nil
}

// end makes the trace from the lines read.
func (p *dxtReader) end() (*Trace, error) {
	if err := p.block.whole(); err != nil {
		return nil, wrong(p.name, p.block.line, err)
	}
	p.counted()
	if p.job.trace.Ranks == 0 {
		p.job.trace.Ranks = p.highest + 1
	}
	return p.job.end(p.name)
}
