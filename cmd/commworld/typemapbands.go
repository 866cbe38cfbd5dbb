package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/types"
)

// Limits of the drawing: bands of all copies together, unless there are more copies than
// that, and runs that are searched for bands.
const (
	mostBands  = 8
	bandedRuns = 4096
)

// choose picks the bands to draw: those in which each copy begins, in typemap
// order, and those of its bounds.
func (p *typePicture) choose() {
	p.origin = math.MaxInt64
	for _, g := range p.groups {
		for _, d := range g.copies {
			p.origin = min(p.origin, g.LB+d, g.UB+d)
			if g.Size > 0 {
				p.origin = min(p.origin, g.TrueLB+d)
			}
		}
	}
	if r := p.origin % 8; r != 0 && p.origin >= math.MinInt64+8 {
		p.origin -= (r + 8) % 8
	}
	p.shrink()
	chosen := map[uint64]bool{}
	for _, g := range p.groups {
		for i, d := range g.copies {
			p.banded(g, d, chosen, max(1, mostBands/len(g.copies)))
			if i == 0 || g.Size == 0 {
				p.bound(g.LB+d, chosen)
				p.bound(g.UB+d, chosen)
			}
		}
	}
	p.bands = slices.Sorted(maps.Keys(chosen))
}

// shrink makes the only band no wider than its content.
func (p *typePicture) shrink() {
	used := uint64(8)
	for _, g := range p.groups {
		for _, d := range g.copies {
			used = max(used, uint64(max(g.LB, g.UB, g.TrueUB)+d)-uint64(p.origin))
		}
	}
	if used < uint64(p.width) {
		p.width = int64(used+7) / 8 * 8
	}
}

// band returns the number of the band that contains a byte.
func (p *typePicture) band(at int64) uint64 {
	return (uint64(at) - uint64(p.origin)) / uint64(p.width)
}

// banded chooses bands for the first data of the copy displaced by d.
func (p *typePicture) banded(g *group, d int64, chosen map[uint64]bool, most int) {
	runs := 0
	first, end := p.band(g.TrueLB+d), p.band(g.TrueUB+d-1)
	for off, n := range (types.Tiling{L: g.Layout, Disp: d}).Runs(0, g.Size) {
		last := p.band(off + n - 1)
		for b := p.band(off); b <= last; b++ {
			if chosen[b] {
				continue
			}
			if most--; most < 0 {
				p.partly = true
				return
			}
			chosen[b] = true
		}
		if runs++; runs == bandedRuns {
			p.partly = p.partly || first != end // else the data are in one band
			return
		}
	}
}

// bound chooses the band of a bound, unless the bound is visible at the end of another one.
func (p *typePicture) bound(at int64, chosen map[uint64]bool) {
	b := p.band(at)
	if atStart := uint64(at)-uint64(p.origin) == b*uint64(p.width); !atStart || b == 0 || !chosen[b-1] {
		chosen[b] = true
	}
}

// write prints the bands and the meaning of their signs.
func (p *typePicture) write(w *typeWriter) {
	next := uint64(0)
	for i, b := range p.bands {
		if i > 0 {
			w.out.WriteByte('\n')
		}
		if b > next {
			from, to := p.start(next), p.start(b)-1
			fmt.Fprintf(w.out, "%*s... bytes %d to %d %s ...\n\n", p.label, "", from, to, p.skipped())
		}
		next = b + 1
		p.ruler(w, p.start(b))
		for _, g := range p.groups {
			p.rows(w, g, i)
		}
	}
	if p.partly {
		fmt.Fprintf(w.out, "\n%*s... and more, not drawn ...\n", p.label, "")
	}
	p.legend(w)
}

func (p *typePicture) start(band uint64) int64 { return p.origin + int64(band)*p.width }

func (p *typePicture) skipped() string {
	if p.partly {
		return "not drawn"
	}
	return "without data"
}

// ruler prints the numbers of the bytes from lo on.
func (p *typePicture) ruler(w *typeWriter, lo int64) {
	step := int64(8)
	for step < p.width && len(strconv.FormatInt(lo, 10))+2 > int(step) {
		step *= 2
	}
	var numbers, ticks strings.Builder
	for x := int64(0); x <= p.width; x += 8 {
		if number := strconv.FormatInt(lo+x, 10); x%step == 0 && lo <= math.MaxInt64-x && p.label+int(x)+len(number) <= w.width {
			fmt.Fprintf(&numbers, "%-*s", int(step), number)
		}
		if x < p.width {
			ticks.WriteString("'       ")
		} else {
			ticks.WriteString("'")
		}
	}
	w.row("byte", p.label, numbers.String())
	w.row("", p.label, ticks.String())
}

// row prints a labelled line.
func (w *typeWriter) row(label string, indent int, text string) {
	fmt.Fprintln(w.out, strings.TrimRight(fmt.Sprintf("%-*s%s", indent, label, text), " "))
}

// rows prints band i of a group.
func (p *typePicture) rows(w *typeWriter, g *group, i int) {
	name, indent := "extents", ""
	if len(p.groups) > 1 || len(g.alike) > 0 {
		name, indent = g.name, "  "
	}
	for k, l := range g.lines[i] {
		switch {
		case k > 0:
			w.row(indent+l.label, p.label, p.paint(l))
		case len(bytes.TrimSpace(l.text)) > 0 || (indent != "" && len(g.lines[i]) > 1):
			w.row(name, p.label, string(l.text))
		}
	}
}

// paint colours items by their kinds.
func (p *typePicture) paint(l line) string {
	if !p.colours {
		return string(l.text)
	}
	var b strings.Builder
	last := types.KindNone
	for i, c := range l.text {
		if k := l.kinds[i]; k != last {
			if last != types.KindNone {
				b.WriteString("\x1b[0m")
			}
			if last = k; k != types.KindNone {
				b.WriteString(picture.Paint(slices.Index(p.letters.kinds(), k)))
			}
		}
		b.WriteByte(c)
	}
	if last != types.KindNone {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

// legend prints the meaning of the signs.
func (p *typePicture) legend(w *typeWriter) {
	var used []string
	for _, k := range p.letters.kinds() {
		used = append(used, fmt.Sprintf("%c %s", p.letters[k], k))
	}
	has := func(sign byte) bool {
		return slices.ContainsFunc(p.groups, func(g *group) bool {
			return slices.ContainsFunc(g.lines, func(band []line) bool {
				return slices.ContainsFunc(band, func(l line) bool { return bytes.IndexByte(l.text, sign) >= 0 })
			})
		})
	}
	if has(hole) {
		used = append(used, ". no data")
	}
	if has(double) {
		used = append(used, "# in two items")
	}
	w.out.WriteByte('\n')
	if text := strings.Join(used, ", "); len(p.letters) > 0 {
		w.paragraph("letters", text+"; numbers count the items of the typemap")
	} else {
		w.paragraph("letters", text)
	}
	for _, g := range p.groups {
		if len(g.alike) > 0 {
			w.paragraph("", fmt.Sprintf("The drawing for %s is also that of %s.", g.name, strings.Join(g.alike, ", ")))
		}
		if g.beyond {
			w.paragraph("", fmt.Sprintf("Copies of %s from %d on would lie beyond 64 bits.", g.name, len(g.copies)))
		}
	}
}
