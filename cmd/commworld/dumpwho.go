package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// who carries out dump --who.
func (c *dumpCommand) who(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	ofScript := strings.HasSuffix(c.File, ".mpio")
	switch {
	case c.Type != "" || c.Offset != 0 || c.Skip != 0:
		return 0, errors.New("--who shows bytes and not items: leave --type, --offset and --skip out")
	case c.Limit < -1:
		return 0, fmt.Errorf("--limit %d is negative", c.Limit)
	case c.Replay != "" && c.Seed != 0:
		return 0, errors.New("--seed and --replay both say which schedule")
	case !ofScript && (c.Of != "" || c.Replay != "" || c.Seed != 0):
		return 0, errors.New("--of, --seed and --replay are for a script, whose name ends in .mpio")
	case !ofScript:
		origins, err := readWho(c.File)
		if err != nil {
			return 0, err
		}
		out := bufio.NewWriter(stdout)
		(&whoSheet{out: out, limit: c.Limit, json: c.JSON}).write(filepath.Base(c.File), origins)
		return 0, out.Flush()
	}
	return c.whoOfScript(ctx, stdout, stderr)
}

// whoOfScript runs a script and shows who wrote the files that it leaves behind.
func (c *dumpCommand) whoOfScript(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	s, err := readScript(ctx, c.File, stderr)
	if err != nil || s == nil {
		return exitUsage, err
	}
	rep, err := script.Run(ctx, s, script.Options{Seed: c.Seed, Replay: c.Replay})
	switch {
	case err != nil:
		return 0, err
	case len(rep.Outcomes) == 0:
		return 0, fmt.Errorf("%s did not come to its end, so there are no files to show; commworld run says why", s.Name)
	}
	files := rep.Outcomes[0].Ending.Files
	if _, there := files[c.Of]; c.Of != "" && !there {
		return 0, fmt.Errorf("%s leaves no file %q behind, but %q", s.Name, c.Of, slices.Sorted(maps.Keys(files)))
	}
	if n := len(rep.Failures); n > 0 {
		fmt.Fprintf(stderr, "commworld: %s failed; commworld run shows them\n", plain.Count(n, "statement"))
	}
	if n := consistency.Races(rep.Races).Total(); n > 0 {
		fmt.Fprintf(stderr, "commworld: %s: other schedules may leave other bytes; commworld run shows them\n", plain.Count(n, "race"))
	}
	out := bufio.NewWriter(stdout)
	sheet := &whoSheet{out: out, limit: c.Limit, json: c.JSON, op: func(o *consistency.Origin) string {
		return lab.RoutineAt(rep, o.Place.Line, o.Op)
	}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if c.Of == "" || c.Of == name {
			sheet.write(name, files[name].Origins)
		}
	}
	return 0, out.Flush()
}

// readWho reads the provenance that is stored beside a file.
func readWho(name string) ([]consistency.Origin, error) {
	beside := name + ".who"
	f, err := os.Open(beside)
	if err != nil {
		return nil, fmt.Errorf("%w; a file on disk does not know who wrote it, see dump --help", err)
	}
	defer f.Close()
	lines := json.NewDecoder(bufio.NewReader(f))
	var head iofile.ProvenanceHead
	if err := lines.Decode(&head); err != nil {
		return nil, fmt.Errorf("%s: the first line: %w", beside, err)
	}
	if err := unchanged(name, head); err != nil {
		return nil, err
	}
	var all []consistency.Origin
	for end := int64(0); ; {
		var o consistency.Origin
		switch err := lines.Decode(&o); {
		case err == io.EOF && end == head.Size:
			return all, nil
		case err == io.EOF:
			return nil, fmt.Errorf("%s describes %d of %d bytes: it is cut", beside, end, head.Size)
		case err != nil:
			return nil, fmt.Errorf("%s: line %d: %w", beside, len(all)+2, err)
		case o.Lo != end || o.Hi > head.Size:
			return nil, fmt.Errorf("%s: line %d is about bytes %d to %d and not about byte %d of %d", beside, len(all)+2, o.Lo, o.Hi-1, end, head.Size)
		}
		all = append(all, o)
		end = o.Hi
	}
}

// unchanged returns an error if a file is not the one that the provenance describes.
func unchanged(name string, head iofile.ProvenanceHead) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	switch {
	case err != nil:
		return err
	case size != head.Size:
		return fmt.Errorf("%s has %d bytes and had %d when %s.who was written", name, size, head.Size, filepath.Base(name))
	case fmt.Sprintf("%x", sum.Sum(nil)) != head.SHA256:
		return fmt.Errorf("%s has other bytes than when %s.who was written", name, filepath.Base(name))
	}
	return nil
}

// A whoSheet prints where the bytes of files come from.
type whoSheet struct {
	out   io.Writer
	limit int64
	json  bool
	op    func(o *consistency.Origin) string // returns the call as the program writes it; may be nil
	shown bool
}

func (w *whoSheet) write(file string, origins []consistency.Origin) {
	if w.op != nil {
		origins = slices.Clone(origins)
		for i := range origins {
			origins[i].Op = w.op(&origins[i])
		}
	}
	if w.json {
		w.lines(file, origins)
		return
	}
	if w.shown {
		fmt.Fprintln(w.out)
	}
	w.shown = true
	size := int64(0)
	if k := len(origins); k > 0 {
		size = origins[k-1].Hi
	}
	fmt.Fprintf(w.out, "file %s, %s\n", file, plain.Count(size, "byte"))
	if size > 0 {
		w.table(origins)
		fmt.Fprintln(w.out, originTotals(origins))
	}
}

// lines prints the origins as JSON.
func (w *whoSheet) lines(file string, origins []consistency.Origin) {
	for i, o := range origins {
		if w.limit >= 0 && int64(i) == w.limit {
			return
		}
		text, err := json.Marshal(o)
		if err != nil {
			panic(err) // an Origin has only numbers and strings
		}
		name, _ := json.Marshal(file)
		fmt.Fprintf(w.out, "{\"file\":%s,%s\n", name, text[1:])
	}
}

// A whoRow is a range of a file, or a note that the rows before it repeat so many times.
type whoRow struct {
	bytes, length string
	cells         [5]string // rank, call, place, type, representation
	state         string
}

func rowOf(o *consistency.Origin) whoRow {
	r := whoRow{bytes: plain.Span(o.Lo, o.Hi), length: strconv.FormatInt(o.Hi-o.Lo, 10)}
	switch o.From {
	case consistency.FromHole:
		r.state = "hole: no rank wrote it"
	case consistency.FromBefore:
		r.state = "left over from before the first open"
	default:
		r.cells = [5]string{strconv.Itoa(o.Rank), o.Op, o.Place.String(), o.Type, o.Rep}
		r.state = "synced"
		if !o.Synced {
			r.state = "NOT synced"
		}
	}
	return r
}

// table prints the rows in columns.
func (w *whoSheet) table(origins []consistency.Origin) {
	rows := []whoRow{{"bytes", "length", [5]string{"rank", "call", "place", "type", "rep"}, "state"}}
	for i := 0; i < len(origins); {
		period, times := repeats(origins[i:])
		for k := range period {
			rows = append(rows, rowOf(&origins[i+k]))
		}
		if i += period * times; times > 1 {
			end := origins[i-1].Hi
			rows = append(rows, whoRow{state: fmt.Sprintf("%s %d times up to byte %d, every %d bytes",
				map[bool]string{true: "this", false: fmt.Sprintf("these %d rows", period)}[period == 1],
				times, end-1, origins[i-period].Lo-origins[i-2*period].Lo)})
		}
	}
	more := int64(len(rows)-1) - w.limit
	if w.limit >= 0 && more > 0 {
		rows = rows[:w.limit+1]
	}
	var wide whoWidths
	for i := range rows {
		wide.fit(&rows[i])
	}
	for i := range rows {
		line := wide.line(&rows[i])
		fmt.Fprintln(w.out, line)
		if i == 0 {
			fmt.Fprintln(w.out, strings.Repeat("-", wide.all()))
		}
	}
	if w.limit >= 0 && more > 0 {
		fmt.Fprintf(w.out, "and %s\n", plain.Count(more, "more row"))
	}
}

type whoWidths struct {
	bytes, length, state int
	cells                [5]int
}

func (w *whoWidths) fit(r *whoRow) {
	if r.bytes == "" {
		return // it has its own line
	}
	w.bytes, w.length, w.state = max(w.bytes, len(r.bytes)), max(w.length, len(r.length)), max(w.state, len(r.state))
	for i, c := range r.cells {
		w.cells[i] = max(w.cells[i], len(c))
	}
}

func (w *whoWidths) all() int {
	n := w.bytes + w.length + w.state + 2*6
	for _, c := range w.cells {
		n += c
	}
	return n
}

func (w *whoWidths) line(r *whoRow) string {
	if r.bytes == "" {
		return strings.Repeat(" ", w.bytes+w.length+4) + r.state
	}
	text := fmt.Sprintf("%*s  %*s", w.bytes, r.bytes, w.length, r.length)
	for i, c := range r.cells {
		text += fmt.Sprintf("  %-*s", w.cells[i], c)
	}
	return text + "  " + r.state
}

// repeats returns how many rows at the beginning of a list repeat at equal distances, and
// how many times they occur: 1 and 1 if nothing repeats.
func repeats(list []consistency.Origin) (period, times int) {
	const longest = 32
	for p := 1; p <= longest && 3*p <= len(list); p++ {
		n := 1
		for (n+1)*p <= len(list) && sameRows(list[(n-1)*p:n*p], list[n*p:(n+1)*p], list[p].Lo-list[0].Lo) {
			n++
		}
		if n >= 3 {
			return p, n
		}
	}
	return 1, 1
}

// sameRows reports whether b is a, moved by the given number of bytes.
func sameRows(a, b []consistency.Origin, by int64) bool {
	for i, x := range a {
		x.Lo, x.Hi = x.Lo+by, x.Hi+by
		if x != b[i] {
			return false
		}
	}
	return true
}

// originTotals returns how many bytes come from which origin, as text.
func originTotals(origins []consistency.Origin) string {
	ranks := map[int]int64{}
	var holes, before, unsynced int64
	for _, o := range origins {
		n := o.Hi - o.Lo
		switch {
		case o.From == consistency.FromHole:
			holes += n
		case o.From == consistency.FromBefore:
			before += n
		default:
			ranks[o.Rank] += n
			if !o.Synced {
				unsynced += n
			}
		}
	}
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(ranks)) {
		parts = append(parts, fmt.Sprintf("rank %d wrote %d", r, ranks[r]))
	}
	for _, p := range []struct {
		n    int64
		what string
	}{{holes, "in holes"}, {before, "left over"}, {unsynced, "not synced"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}
