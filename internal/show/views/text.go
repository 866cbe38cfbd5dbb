package views

import (
	"bufio"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/plain"
)

// A sheet writes a byte map as text.
type sheet struct {
	*ByteMap
	out     *bufio.Writer
	width   int // columns
	colours bool
	signs   map[byte]bool // signs that were drawn and must be explained
}

// Characters of a strip, besides the numbers of ranks and etypes.
const (
	hole   = '.' // no rank, or a hole in a rank's view
	filler = '-' // a further byte of an etype
	double = '#' // a byte that is seen twice
)

// budget bounds the loops of a layout that a band looks at.
const budget = 1 << 16

func blank(n int64) []byte { return []byte(strings.Repeat(" ", int(n))) }

// margin is the number of columns for the names of rows.
const margin = 10

func (p *sheet) write() {
	p.signs = map[byte]bool{}
	p.head()
	p.table()
	for _, f := range p.findings() {
		p.words(f[0], f[1])
	}
	p.overview()
	p.strip()
	if p.Width > 0 {
		p.grid()
	}
	p.legend()
}

// line prints a line without blanks at its end.
func (p *sheet) line(format string, args ...any) {
	fmt.Fprintln(p.out, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// words prints text after a label, broken into lines.
func (p *sheet) words(label, text string) {
	for _, l := range plain.Lines(text, p.width-margin) {
		p.line("%-*s%s", margin, label, l)
		label = ""
	}
}

func (p *sheet) head() {
	v := p.views[0]
	p.words("views", fmt.Sprintf("%s, %v", plain.Count(p.Ranks, "rank"), p.form))
	p.words("disp", p.Disp)
	p.words("etype", fmt.Sprintf("%s: %s of data, extent %d in the file", p.Etype, plain.Count(v.Unit.Size, "byte"), v.Unit.Extent))
	p.words("filetype", p.Filetype)
	p.words("window", fmt.Sprintf("bytes 0 to %d of the file", p.win.end-1))
	p.out.WriteByte('\n')
}

// table prints a line for each rank that is shown.
func (p *sheet) table() {
	rows := [][]string{{"rank", "disp", "extent", "etypes", "holes", "sees bytes"}}
	for _, r := range p.shown {
		v := p.views[r]
		l := v.Tiles.L
		rows = append(rows, []string{
			strconv.Itoa(r), strconv.FormatInt(v.disp, 10), strconv.FormatInt(l.Extent, 10),
			strconv.FormatInt(l.Size/v.Unit.Size, 10), strconv.FormatInt(max(0, l.Extent-l.Size), 10), "",
		})
	}
	wide := make([]int, 6)
	for _, row := range rows {
		for i, cell := range row[:5] {
			wide[i] = max(wide[i], len(cell))
		}
	}
	for i, row := range rows {
		left := ""
		for k, cell := range row[:5] {
			left += fmt.Sprintf("%*s  ", wide[k], cell)
		}
		if i == 0 {
			p.line("%s%s", left, row[5])
			continue
		}
		p.line("%s%s", left, p.runsText(p.shown[i-1], p.width-len(left)))
	}
	if rest := len(p.views) - len(p.shown); rest > 0 {
		p.line("%*s  %s not listed; --show chooses", wide[0], "...", plain.Count(rest, "rank"))
	}
	p.out.WriteByte('\n')
}

// runsText returns the runs of rank r in about room columns.
func (p *sheet) runsText(r, room int) string {
	rr := p.seen[r]
	if len(rr.runs) == 0 {
		switch v := p.views[r]; {
		case rr.cut:
			return "not looked at: --limit"
		case v.Tiles.L.Size == 0:
			return "none: the filetype has no data"
		default:
			return fmt.Sprintf("none in the window; its first is byte %d", v.Tiles.At(0))
		}
	}
	more := func(listed int) string {
		switch left := len(rr.runs) - listed; {
		case rr.cut:
			return fmt.Sprintf(" and %s, and so on", plain.Count(left, "more run"))
		case left == 0:
			return ""
		default:
			return fmt.Sprintf(" and %s", plain.Count(left, "more run"))
		}
	}
	text := ""
	for i, run := range rr.runs {
		next := plain.Span(run[0], run[0]+run[1])
		if i > 0 {
			next = " " + next
		}
		behind := more(i + 1)
		if i > 0 && len(text)+len(next)+max(len(behind), len(more(i))) > room {
			return text + more(i)
		}
		text += next
	}
	return text + more(len(rr.runs))
}

// A finding is a label and its text.
type finding [2]string

// holes returns the bytes after their displacement that the shown ranks do not see.
func (m *ByteMap) holes() (f []finding) {
	const most = 4 // most holes listed for each rank
	label := "holes"
	for _, r := range m.shown {
		at, end := m.views[r].disp, min(m.win.end, m.seen[r].known)
		var names []string
		sum, count := int64(0), 0
		hole := func(lo, hi int64) {
			if lo >= hi {
				return
			}
			sum += hi - lo
			if count++; count <= most {
				names = append(names, plain.Span(lo, hi))
			}
		}
		runs := m.seen[r].runs
		if m.views[r].tangled {
			runs = slices.Clone(runs)
			sort.Slice(runs, func(i, j int) bool { return runs[i][0] < runs[j][0] })
		}
		for _, run := range runs {
			hole(at, min(run[0], end))
			at = max(at, run[0]+run[1])
		}
		hole(at, end)
		if count > 0 {
			f = append(f, finding{label, fmt.Sprintf("rank %d, %s: %s%s", r, plain.Count(sum, "byte"), strings.Join(names, ", "), further(count-len(names)))})
			label = ""
		}
	}
	if f == nil {
		return []finding{{label, "none: each rank listed sees all from its displacement on"}}
	}
	return f
}

// findings returns the holes, gaps and overlaps.
func (m *ByteMap) findings() []finding {
	const most = 6 // most ranges listed of each
	var gaps, overlaps []string
	missing, doubled, nGaps, nOverlaps := int64(0), int64(0), 0, 0
	for _, part := range m.parts {
		switch {
		case len(part.ranks) == 0:
			missing += part.hi - part.lo
			if nGaps++; nGaps <= most {
				gaps = append(gaps, plain.Span(part.lo, part.hi))
			}
		case len(part.ranks) > 1:
			doubled += part.hi - part.lo
			if nOverlaps++; nOverlaps <= most {
				overlaps = append(overlaps, plain.Span(part.lo, part.hi)+" by "+ranksOf(part.ranks))
			}
		}
	}
	f := m.holes()
	f = append(f, finding{"gaps", "none: some rank sees each byte"}, finding{"overlaps", "none: no byte is seen twice"})
	gap, overlap := &f[len(f)-2], &f[len(f)-1]
	if nGaps > 0 {
		gap[1] = fmt.Sprintf("%s that no rank sees: %s%s", plain.Count(missing, "byte"), strings.Join(gaps, ", "), further(nGaps-len(gaps)))
	}
	if nOverlaps > 0 {
		overlap[1] = fmt.Sprintf("%s seen more than once: %s%s", plain.Count(doubled, "byte"), strings.Join(overlaps, "; "), further(nOverlaps-len(overlaps)))
	}
	for _, n := range m.notes {
		f = append(f, finding{"note", fmt.Sprintf("%s: %s (%s)", plain.Ranks(n.Ranks), n.Text, n.Rule)})
	}
	if late, end := m.late(); late != nil {
		f = append(f, finding{"window", fmt.Sprintf("ends before %s; --bytes %d shows one extent of every rank", plain.Ranks(late), end)})
	}
	if m.known < m.win.end {
		f = append(f, finding{"known", fmt.Sprintf("as far as byte %d: the runs behind it are too many; see --limit", m.known)})
	}
	return f
}

// late returns the ranks whose data begin after the window, and the end of the last first
// extent.
func (m *ByteMap) late() (ranks []int, end int64) {
	for _, v := range m.views {
		l := v.Tiles.L
		end = max(end, plus(v.disp, max(l.Extent, l.TrueUB)))
		if l.Size > 0 && v.Tiles.At(0) >= m.win.end {
			ranks = append(ranks, v.rank)
		}
	}
	return ranks, end
}

func further(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// ranksOf returns the ranks of an overlap as text.
func ranksOf(ranks []int) string {
	once := slices.Compact(slices.Clone(ranks))
	if len(once) == 1 {
		return fmt.Sprintf("rank %d, %d times", once[0], len(ranks))
	}
	return plain.Ranks(once)
}

// rulerText returns the numbers and ticks of a ruler: cells of scale bytes each, from
// byte lo on.
func rulerText(lo, width, scale int64, room int) (numbers, ticks string) {
	step := int64(8)
	for int64(len(strconv.FormatInt(plus(lo, width*scale), 10)))+1 > step {
		step *= 2
	}
	var n, t strings.Builder
	for x := int64(0); x <= width; x += 8 {
		at := plus(lo, x*scale)
		if number := strconv.FormatInt(at, 10); x%step == 0 && int(x)+len(number) <= room {
			fmt.Fprintf(&n, "%-*s", int(step), number)
		}
		if x < width {
			t.WriteString("'       ")
		} else {
			t.WriteByte('\'')
		}
	}
	return n.String(), t.String()
}

// numberedCell returns n characters for a numbered element: its number if that fits.
func numberedCell(number, n int64, fill byte) string {
	text := strconv.FormatInt(number, 10)
	if int64(len(text)) > n {
		text = text[int64(len(text))-n:]
		if n > 1 {
			text = "+" + text[1:]
		}
	}
	return text + strings.Repeat(string(fill), int(n)-len(text))
}

// A lane is a row of cells: their characters, and their owners.
type lane struct {
	text []byte
	who  []int // rank, or noRank and so on
}

func newLane(n int64) lane {
	l := lane{blank(n), make([]int, n)}
	for i := range l.who {
		l.who[i] = noRank
	}
	return l
}

// put writes a cell.
func (l lane) put(x int64, c byte, who int) { l.text[x], l.who[x] = c, who }

// sign returns the character of an owner.
func sign(who int) byte {
	switch who {
	case noRank:
		return hole
	case several:
		return mixed
	case shared:
		return double
	}
	return picture.Letter(who)
}

// mixed represents a cell of several ranks that share no byte.
const mixed = '*'

// painted returns a lane with colours.
func (p *sheet) painted(l lane) string {
	var b strings.Builder
	last := noRank
	for i, c := range l.text {
		if c == hole || c == mixed || c == double {
			p.signs[c] = true
		}
		if who := l.who[i]; p.colours && who != last {
			if last != noRank {
				b.WriteString("\x1b[0m")
			}
			switch {
			case who >= 0:
				b.WriteString(picture.Paint(who))
			case who == shared:
				b.WriteString("\x1b[7;1m") // mark overlaps by more than a hue
			}
			last = who
			if who == several {
				last = noRank
			}
		}
		b.WriteByte(c)
	}
	if p.colours && last != noRank {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

// legend explains the signs that were drawn.
func (p *sheet) legend() {
	var used []string
	if p.signs[hole] {
		used = append(used, ". no rank, or a hole in a rank's view")
	}
	if p.signs[mixed] {
		used = append(used, "* several ranks side by side")
	}
	if p.signs[double] {
		used = append(used, "# seen more than once")
	}
	if len(p.views) > 62 {
		used = append(used, "ranks from 62 on begin again with 0")
	}
	if len(used) > 0 {
		p.out.WriteByte('\n')
		p.words("signs", strings.Join(used, "; "))
	}
}
