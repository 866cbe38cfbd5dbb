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
)

// ReadDXT reads the output of darshan-dxt-parser. If a file has accesses of both modules,
// it keeps the requests (X_POSIX): they say which bytes moved. It keeps the calls of
// MPI-IO (X_MPIIO) only of files without requests, and only if the lines have offsets,
// which old versions of Darshan do not print. The name of the text is used in errors.
//
// Error: ErrArg with the line and the reason for text that is not of this form, is cut off,
// or has nothing to replay.
func ReadDXT(name string, r io.Reader) (*Trace, error) {
	p := &dxtReader{name: name, files: map[string]*dxtFile{}, trace: &Trace{}}
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
	name  string
	trace *Trace
	files map[string]*dxtFile
	total int

	highest int // the highest rank, and the line that has it
	lineOf  int

	block   block
	columns columns
}

// A dxtFile is a file with the accesses of both modules.
type dxtFile struct {
	File
	requests, calls []Access
	unplaced        int // calls without offset
}

// A block is the lines of one file and one rank.
type block struct {
	file          *dxtFile
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
	default:
		return p.access(number, strings.Fields(trimmed))
	}
}

// comment reads a line that begins with #.
func (p *dxtReader) comment(number int, text string) error {
	switch key, value, _ := strings.Cut(text, ":"); key {
	case "exe":
		p.trace.Name = strings.TrimSpace(value)
		return nil
	case "nprocs":
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < 1 || n > mostRanks {
			return fmt.Errorf("nprocs is %q; it needs 1 to %d", brief.String(strings.TrimSpace(value)), mostRanks)
		}
		p.trace.Ranks = int(n)
		return nil
	}
	switch {
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
		value, _, _ = strings.Cut(value, ",")
		rank, err := strconv.Atoi(value)
		if err != nil || rank < 0 || rank >= mostRanks {
			return fmt.Errorf("rank %q; there are ranks 0 to %d", brief.String(value), mostRanks-1)
		}
		b.rank, b.ranked = rank, true
	case "write_count":
		return b.counts(value)
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
	f := p.files[name]
	if f == nil {
		f = &dxtFile{File: File{Name: strings.Clone(name)}}
		p.files[f.Name] = f
	}
	p.block = block{file: f, line: number}
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
	b.file.StripeSize, b.file.StripeCount = n, k
	return nil
}

// whole returns an error if a block does not have the number of lines that it announces.
func (b *block) whole() error {
	if b.file == nil || !b.counted || b.write == b.writes && b.read == b.reads {
		return nil
	}
	return fmt.Errorf("%q of rank %d has %d writes and %d reads, and says in line %d on that it has %d and %d: the text is cut off or changed", brief.String(b.file.Name), b.rank, b.write, b.read, b.line, b.writes, b.reads)
}

// access reads the line of one access.
func (p *dxtReader) access(number int, fields []string) error {
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
		err = a.check()
	}
	if err != nil {
		return err
	}
	if p.trace.Ranks > 0 && a.Rank >= p.trace.Ranks {
		return fmt.Errorf("rank %d of %d ranks (nprocs)", a.Rank, p.trace.Ranks)
	}
	p.highest = max(p.highest, a.Rank)
	if p.total++; p.total > mostAccesses {
		return fmt.Errorf("more than %d accesses", mostAccesses)
	}
	switch {
	case module == "X_POSIX" && !placed:
		return errors.New("a request without an offset")
	case module == "X_POSIX":
		b.file.requests = append(b.file.requests, a)
	case placed:
		b.file.calls = append(b.file.calls, a)
	default:
		if b.file.unplaced++; b.file.unplaced == 1 {
			p.lineOf = number
		}
	}
	return nil
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
	placed = c.off >= 0 && fields[c.off] != "N/A"
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
	t := p.trace
	if err := p.block.whole(); err != nil {
		return nil, wrong(p.name, p.block.line, err)
	}
	if len(p.files) == 0 {
		return nil, fault("%s: no access: this is not what darshan-dxt-parser prints, or the job ran without DXT (DXT_ENABLE_IO_TRACE)", p.name)
	}
	if t.Ranks == 0 {
		t.Ranks = p.highest + 1
	}
	for _, f := range p.files {
		switch {
		case len(f.requests) > 0:
			f.Accesses = f.requests
			if n := len(f.calls) + f.unplaced; n > 0 {
				t.Notes = append(t.Notes, fmt.Sprintf("%q: its %d requests (X_POSIX) are replayed, not the %d calls (X_MPIIO) that made them", brief.String(f.Name), len(f.requests), n))
			}
		case f.unplaced > 0:
			return nil, wrong(p.name, p.lineOf, fmt.Errorf("%q has calls (X_MPIIO) without offsets, and no requests (X_POSIX) that say where its bytes are", brief.String(f.Name)))
		default:
			f.Accesses, f.Calls = f.calls, true
		}
		t.Files = append(t.Files, &f.File)
	}
	if err := t.finish(); err != nil {
		return nil, err
	}
	return t, nil
}
