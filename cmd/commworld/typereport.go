package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/types"
)

// report prints the complete report about t.
func (w *typeWriter) report(t *types.Type, under []laid) {
	w.paragraph("", t.String())
	w.out.WriteByte('\n')
	sig := t.Signature()
	text := sig.String()
	if text == "" {
		text = "empty"
	}
	w.paragraph("signature", text)
	if t.Portable() {
		w.paragraph("portable", "yes: its displacements count elements, and scale with their sizes")
	} else {
		w.paragraph("portable", "no: byte displacements or bounds stay what they are in every representation")
	}
	w.out.WriteByte('\n')
	w.tables(under)
	if w.Copies > 0 && slices.ContainsFunc(under, func(l laid) bool { return l.Size > 0 || l.Extent != 0 }) {
		w.out.WriteByte('\n')
		w.picture(under)
	}
}

// labelled is the width of the names of rows.
const labelled = 13

// paragraph prints text after a label, broken into lines.
func (w *typeWriter) paragraph(label, text string) {
	indent := 0
	if label != "" {
		indent = labelled
	}
	for first := true; first || text != ""; first = false {
		line := text
		if room := max(20, w.width-indent); len(text) > room {
			cut := strings.LastIndexByte(text[:room+1], ' ')
			if cut <= 0 {
				cut = room
			}
			line = text[:cut]
		}
		text = strings.TrimLeft(text[len(line):], " ")
		w.row(label, indent, line)
		label = ""
	}
}

// A row of the table, with the lines of the cell for each layout.
type row struct {
	label string
	cell  func(l laid) []string
}

var rows = []row{
	{"", func(l laid) []string { return []string{l.name} }},
	{"size", number(func(l laid) int64 { return l.Size })},
	{"items", number(func(l laid) int64 { return l.Items() })},
	{"lb", number(func(l laid) int64 { return l.LB })},
	{"ub", number(func(l laid) int64 { return l.UB })},
	{"extent", number(func(l laid) int64 { return l.Extent })},
	{"true lb", number(func(l laid) int64 { return l.TrueLB })},
	{"true ub", number(func(l laid) int64 { return l.TrueUB })},
	{"true extent", number(func(l laid) int64 { return l.TrueUB - l.TrueLB })},
	{"markers", markers},
	{"padding", padding},
	{"order", order},
	{"overlap", overlap},
	{"copies", meeting},
	{"loop nest", nest},
}

func number(of func(l laid) int64) func(laid) []string {
	return func(l laid) []string { return []string{fmt.Sprint(of(l))} }
}

// markers returns the bounds that do not follow from the data.
func markers(l laid) []string {
	lb, ub := l.Layout.Markers()
	text := func(name string, b types.Bound) []string {
		switch {
		case !b.Set:
			return nil
		case b.Weak:
			return []string{fmt.Sprintf("%s %d, weak", name, b.At)}
		}
		return []string{fmt.Sprintf("%s %d", name, b.At)}
	}
	lines := append(text("lb", lb), text("ub", ub)...)
	if lines == nil {
		return []string{"none"}
	}
	return lines
}

// padding returns what alignment adds after the data.
func padding(l laid) []string {
	if _, ub := l.Layout.Markers(); ub.Set && l.UB == ub.At {
		return []string{"none: ub is set"}
	}
	if l.Size == 0 || l.UB <= l.TrueUB {
		return []string{"none"}
	}
	return []string{plain.Count(l.UB-l.TrueUB, "byte")}
}

// order returns the text that says whether displacements never decrease, as a filetype
// requires.
func order(l laid) []string {
	if l.Monotone() {
		return []string{"rising"}
	}
	if (types.Tiling{L: l.Layout}).At(0) < 0 {
		return []string{"begins below 0", "(no filetype)"}
	}
	return []string{"goes back", "(no filetype)"}
}

// nest returns the normalized loop nest, one loop on a line.
func nest(l laid) []string {
	p, ok := l.Loops()
	if !ok {
		return []string{"nothing"}
	}
	b := nestWriter{room: 20}
	b.loop(p, "", p.Off != 0)
	return b.lines
}

// A nestWriter writes loops; each level is indented one step more.
type nestWriter struct {
	lines []string
	room  int // lines left
}

func (b *nestWriter) add(line string) {
	if b.room--; b.room == 0 {
		line = line[:len(line)-len(strings.TrimLeft(line, " "))] + "..."
	}
	if b.room >= 0 {
		b.lines = append(b.lines, line)
	}
}

// loop writes p and the loops inside; placed says whether to write the offset of its first
// byte.
func (b *nestWriter) loop(p types.Loop, indent string, placed bool) {
	const few = 6 // number of list entries that are shown
	at := indent
	if placed {
		at += fmt.Sprintf("at %d: ", p.Off)
	}
	switch {
	case b.room <= 0:
	case p.Form == types.FormRun:
		b.add(at + plain.Count(p.Size, "byte"))
	case p.Form == types.FormRepeat:
		b.add(at + fmt.Sprintf("%d times, every %s", p.N, plain.Count(p.Stride, "byte")))
		b.loop(p.Part(0), indent+"  ", false)
	default:
		b.add(at + fmt.Sprintf("list of %d", p.N))
		for i := range min(p.N, few) {
			b.loop(p.Part(i), indent+"  ", true)
		}
		if p.N > few {
			b.add(indent + "  ...")
		}
	}
}

// tables prints the rows for all layouts side by side, in as many tables as the width
// requires.
func (w *typeWriter) tables(under []laid) {
	cells := make([][][]string, len(under)) // layout, row, line
	wide := make([]int, len(under))
	for i, l := range under {
		wide[i] = labelled
		for _, r := range rows {
			lines := r.cell(l)
			cells[i] = append(cells[i], lines)
			for _, line := range lines {
				wide[i] = max(wide[i], len(line)+2)
			}
		}
	}
	for from := 0; from < len(under); {
		to, room := from+1, w.width-labelled-wide[from]
		for to < len(under) && wide[to] <= room+2 { // no gap is needed after the last column
			room -= wide[to]
			to++
		}
		if from > 0 {
			w.out.WriteByte('\n')
		}
		w.table(cells[from:to])
		from = to
	}
}

// table prints the rows of some layouts.
func (w *typeWriter) table(cells [][][]string) {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, labelled, 0, 2, ' ', 0)
	for i, r := range rows {
		most := 0
		for _, c := range cells {
			most = max(most, len(c[i]))
		}
		label := r.label
		for line := range most {
			fmt.Fprint(tw, label)
			for _, c := range cells {
				fmt.Fprint(tw, "\t")
				if line < len(c[i]) {
					fmt.Fprint(tw, c[i][line])
				}
			}
			fmt.Fprintln(tw)
			label = ""
		}
	}
	tw.Flush()
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(w.out, strings.TrimRight(line, " \n"))
	}
}
