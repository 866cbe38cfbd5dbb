package world

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/commworld/commworld/internal/show/plain"
)

// mostRows bounds the rows of a table that String prints; the Report holds all.
const mostRows = 32

// String returns the report as tables. It omits empty tables, and cuts long ones with a
// note.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ranks, schedule %s", r.Ranks, r.Schedule)
	if r.Wall > 0 {
		fmt.Fprintf(&b, ", %v", r.Wall.Round(1000))
	}
	b.WriteByte('\n')
	if r.Err != nil {
		b.WriteString("the run failed; its error says how\n")
	}

	free := r.Wall > 0
	head := "rank\tsent\tbytes\treceived\tbytes\tcollectives\taccesses\tbytes\twaits\t"
	if free {
		head += "waited\t"
	}
	table(&b, head, len(r.PerRank), func(i int) string {
		p := &r.PerRank[i]
		row := fmt.Sprintf("%d\t%s\t%s\t%d\t%s\t%d\t", i, cells(p.Sent), cells(p.Received), p.Calls, cells(p.Accesses), p.Waits)
		if free {
			row += p.Waited.Round(1000).String() + "\t"
		}
		return row
	})
	table(&b, "from\tto\tmessages\tbytes\t", len(r.Pairs), func(i int) string {
		p := r.Pairs[i]
		return fmt.Sprintf("%d\t%d\t%s\t", p.From, p.To, cells(p.Traffic))
	})
	table(&b, "collective\tcalls\tbytes\t", len(r.Collectives), func(i int) string {
		c := r.Collectives[i]
		return fmt.Sprintf("%s\t%s\t", c.Name, cells(c.Traffic))
	})
	table(&b, "file\topens\treads\tbytes\twrites\tbytes\tsyncs\t", len(r.Files), func(i int) string {
		f := &r.Files[i]
		return fmt.Sprintf("%q\t%d\t%s\t%s\t%d\t", f.Name, f.Opens, cells(f.Reads), cells(f.Writes), f.Syncs)
	})
	r.requests(&b)
	for i, e := range r.Races {
		if i == mostRows {
			fmt.Fprintf(&b, "\nand %d more races", r.Races.Total()-i)
			break
		}
		b.WriteString("\n" + e.Report() + "\n")
	}
	list(&b, "left open", len(r.Leaks), func(i int) string { return fmt.Sprintf("rank %d: %s", r.Leaks[i].Rank, r.Leaks[i].Text) })
	list(&b, "legal, but probably not what you meant", len(r.Lints), func(i int) string {
		l := r.Lints[i]
		at := cmp.Or(l.At.String(), l.Place)
		if at != "" {
			at = " at " + at
		}
		return fmt.Sprintf("rank %d: %s %q%s: %s (%s)", l.Rank, l.Op, l.File, at, l.Text, l.Rule)
	})
	if r.Model != nil {
		b.WriteString("\nOn the machine's model: " + r.Model.String())
	}
	return b.String()
}

// requests prints the requests to the file system, for files for which they are known.
func (r *Report) requests(b *strings.Builder) {
	var asked []*FileReport
	for i := range r.Files {
		if f := &r.Files[i]; f.Requests.Moved() > 0 {
			asked = append(asked, f)
		}
	}
	table(b, "requests\treads\tbytes\twrites\tbytes\tsent\trounds\tlocks\tuseful\tof moved\t", len(asked), func(i int) string {
		n := &asked[i].Requests
		return fmt.Sprintf("%q\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t", asked[i].Name, n.Reads, n.ReadBytes, n.Writes, n.WriteBytes,
			n.Sent, n.Rounds, n.Locks, n.Useful, plain.Useful(float64(n.Useful)/float64(n.Moved()), " %"))
	})
	if len(asked) > 0 {
		fmt.Fprintf(b, "These requests are planned, by %s.\n", strategies(asked))
	}
	for i, f := range asked {
		if i == mostRows {
			fmt.Fprintf(b, "and %d files more\n", len(asked)-i)
			break
		}
		f.Counters.text(b, f.Name)
	}
}

// strategies returns the names of the strategies of files.
func strategies(files []*FileReport) string {
	var words []string
	for _, f := range files {
		if !slices.Contains(words, f.Strategy) {
			words = append(words, f.Strategy)
		}
	}
	text := strings.Join(words, ", ")
	if text == "Direct" {
		text += ": a request for each run of bytes; hints, iofile.WithStrategy or COMMWORLD_STRATEGY=romio choose another way"
	}
	return text
}

func cells(t Traffic) string { return fmt.Sprintf("%d\t%d", t.Count, t.Bytes) }

// table writes rows below a head: the first column is aligned to the left, numbers to the
// right.
func table(b *strings.Builder, head string, rows int, row func(i int) string) {
	if rows == 0 {
		return
	}
	b.WriteByte('\n')
	lines := []string{head}
	for i := range min(rows, mostRows) {
		lines = append(lines, row(i))
	}
	width := 0
	for _, line := range lines {
		first, _, _ := strings.Cut(line, "\t")
		width = max(width, len([]rune(first)))
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range lines {
		first, rest, _ := strings.Cut(line, "\t")
		fmt.Fprintf(w, "%-*s\t%s\n", width, first, rest)
	}
	w.Flush()
	if rows > mostRows {
		fmt.Fprintf(b, "and %d more\n", rows-mostRows)
	}
}

// list writes lines below a title.
func list(b *strings.Builder, title string, lines int, line func(i int) string) {
	if lines == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for i := range min(lines, mostRows) {
		fmt.Fprintf(b, "  %s\n", line(i))
	}
	if lines > mostRows {
		fmt.Fprintf(b, "  and %d more\n", lines-mostRows)
	}
}
