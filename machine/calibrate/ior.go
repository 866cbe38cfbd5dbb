package calibrate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
)

// A Run is one test of IOR: its repetitions are averaged.
type Run struct {
	Source     string // file and line, or file and test
	API        string
	Ranks      int
	PerNode    int // ranks of a node
	Transfer   int64
	Block      int64
	Segments   int64
	Apart      bool  // a file for each rank
	Together   bool  // collective
	Shifted    bool  // reads what another rank wrote
	Synced     bool  // fsync after writing
	Stripes    int   // 0: unknown
	StripeSize int64 // 0: unknown

	Write, Read float64 // bytes a second; 0: not measured
}

// maxText is the largest output that is read.
const maxText = 64 << 20

// Read reads the output of ior, text or JSON, with one or more tests. Errors: ErrArg for other text, with the line, and
// those of r.
func Read(name string, r io.Reader) ([]Run, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return nil, err
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(brief.Name(name), "?"))
	if len(text) > maxText {
		return nil, wrong("%s: more than %d bytes", name, maxText)
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		return readJSON(name, trimmed)
	}
	return readText(name, text)
}

func wrong(format string, args ...any) error {
	return &errclass.Error{Pkg: "calibrate", Rank: errclass.NoRank, Class: errclass.Arg, Err: brief.Errorf(format, args...)}
}

// A reader collects the lines of one test after the other.
type reader struct {
	name    string
	runs    []Run
	now     *Run
	sums    [2]float64 // of bandwidths, writing and reading
	counts  [2]int
	command string
	summary bool
}

func readText(name string, text []byte) ([]Run, error) {
	d := &reader{name: name}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if err := d.line(n, strings.TrimSpace(lines.Text())); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, wrong("%s: %w", name, err)
	}
	return d.end()
}

// line reads one line of text.
func (d *reader) line(n int, line string) error {
	key, value, ok := strings.Cut(line, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	switch {
	case ok && key == "Command line":
		d.command = value
		return nil
	case ok && key == "api":
		if err := d.finish(); err != nil {
			return err
		}
		d.now, d.summary = &Run{Source: fmt.Sprintf("%s:%d", d.name, n), Segments: 1}, false
		d.now.Synced = hasFlag(d.command, "-e")
	case strings.HasPrefix(line, "Summary of all tests") || strings.HasPrefix(line, "Max Write") || strings.HasPrefix(line, "Max Read"):
		d.summary = true
	}
	if d.now == nil || d.summary {
		return nil
	}
	if ok {
		return d.option(n, key, value)
	}
	if key, value, ok := strings.Cut(line, "="); ok {
		return d.hint(n, strings.TrimSpace(key), strings.TrimSpace(value))
	}
	return d.result(n, strings.Fields(line))
}

// hasFlag reports whether a command line has a flag of one letter, alone or among others.
func hasFlag(command, flag string) bool {
	for _, word := range strings.Fields(command) {
		if word == flag {
			return true
		}
	}
	return false
}

// option reads "key : value".
func (d *reader) option(n int, key, value string) (err error) {
	r := d.now
	number := func() (v int) {
		if v, err = strconv.Atoi(value); err != nil || v < 1 {
			err = wrong("%s:%d: %s is %q; it needs a number from 1 on", d.name, n, key, value)
		}
		return v
	}
	size := func() (v int64) {
		if v, err = sizeOf(value); err != nil {
			err = wrong("%s:%d: %s is %q: %w", d.name, n, key, value, err)
		}
		return v
	}
	switch key {
	case "api":
		r.API = value
	case "access":
		r.Apart = strings.HasPrefix(value, "file-per-proc")
	case "type":
		r.Together = value == "collective"
	case "segments":
		r.Segments = int64(number())
	case "tasks":
		r.Ranks = number()
	case "clients per node":
		r.PerNode = number()
	case "ordering inter file":
		r.Shifted = value != "no tasks offsets"
	case "xfersize":
		r.Transfer = size()
	case "blocksize":
		r.Block = size()
	}
	return err
}

// hint reads "key = value" of the hints that --mpiio.showHints prints; the file system's values come last.
func (d *reader) hint(n int, key, value string) error {
	switch key {
	case "striping_factor":
		if v, err := strconv.Atoi(value); err == nil && v > 0 {
			d.now.Stripes = v
		}
	case "striping_unit":
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil || v < 0 {
			return wrong("%s:%d: striping_unit is %q", d.name, n, value)
		}
		d.now.StripeSize = v
	}
	return nil
}

// result reads a line of the table of results: access, bandwidth, and more columns.
func (d *reader) result(n int, words []string) error {
	if len(words) < 8 || words[0] != "write" && words[0] != "read" {
		return nil
	}
	mib, err := strconv.ParseFloat(words[1], 64)
	if err != nil || !(mib > 0) {
		return wrong("%s:%d: the bandwidth is %q", d.name, n, words[1])
	}
	d.add(words[0], mib)
	return nil
}

func (d *reader) add(access string, mib float64) {
	i := 0
	if access == "read" {
		i = 1
	}
	d.sums[i] += mib * (1 << 20)
	d.counts[i]++
}

// finish ends the present test.
func (d *reader) finish() error {
	r := d.now
	if r == nil {
		return nil
	}
	d.now = nil
	if d.counts[0] > 0 {
		r.Write = d.sums[0] / float64(d.counts[0])
	}
	if d.counts[1] > 0 {
		r.Read = d.sums[1] / float64(d.counts[1])
	}
	d.sums, d.counts = [2]float64{}, [2]int{}
	if r.Write == 0 && r.Read == 0 {
		return nil // it did not end
	}
	if r.Ranks == 0 || r.Transfer == 0 || r.Block == 0 {
		return wrong("%s: no tasks, xfersize or blocksize; give all that ior prints", r.Source)
	}
	if r.PerNode == 0 {
		r.PerNode = r.Ranks
	}
	d.runs = append(d.runs, *r)
	return nil
}

func (d *reader) end() ([]Run, error) {
	if err := d.finish(); err != nil {
		return nil, err
	}
	if len(d.runs) == 0 {
		return nil, wrong("%s: no results of ior; it needs the whole output, such as of: ior -a MPIIO --mpiio.showHints -w -r -t 1m -b 64m", d.name)
	}
	return d.runs, nil
}

// sizeOf parses "1 MiB" or "10000 bytes".
func sizeOf(text string) (int64, error) {
	number, unit, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, err
	}
	scale, ok := map[string]float64{"": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}[unit]
	if n := int64(v * scale); ok && n > 0 && n < 1<<60 {
		return n, nil
	}
	return 0, fmt.Errorf("not a size such as 1 MiB")
}

// readJSON reads the JSON of ior: the tests have the options of the text, and results in lists.
func readJSON(name string, text []byte) ([]Run, error) {
	var all struct {
		Command string `json:"Command line"`
		Tests   []struct {
			Options map[string]any
			Results any
		} `json:"tests"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, wrong("%s: %w", name, err)
	}
	d := &reader{name: name}
	for i, test := range all.Tests {
		d.now = &Run{Source: fmt.Sprintf("%s, test %d", name, i), Segments: 1, Synced: hasFlag(all.Command, "-e")}
		for key, value := range test.Options {
			if err := d.option(0, key, fmt.Sprint(value)); err != nil {
				return nil, err
			}
		}
		d.results(test.Results)
		if err := d.finish(); err != nil {
			return nil, err
		}
	}
	return d.end()
}

// results reads the results of a test, whose lists are nested differently by versions.
func (d *reader) results(x any) {
	switch x := x.(type) {
	case []any:
		for _, one := range x {
			d.results(one)
		}
	case map[string]any:
		access, _ := x["access"].(string)
		if mib, ok := x["bwMiB"].(float64); ok && mib > 0 && (access == "write" || access == "read") {
			d.add(access, mib)
		}
	}
}
