package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/types"
)

// The meaning of the characters of the picture.
const (
	hole   = '.' // no data, between lb and ub
	filler = '-' // a further byte of an item
	double = '#' // a byte of two items
)

// A typePicture draws the first copies of a type under several sizes below one ruler, one
// character for each byte, split into bands of equal width.
type typePicture struct {
	groups  []*group
	width   int64 // bytes of a band
	label   int   // columns for the names of rows
	origin  int64 // the offset at which band 0 begins
	bands   []uint64
	partly  bool // some bands with data are not drawn
	letters letters
	colours bool
}

// A group is the copies under one sizes. Its lines are by band.
type group struct {
	laid
	alike  []string // names of other sizes that look the same
	copies []int64  // displacement of each
	beyond bool     // later ones do not fit 64 bits
	lines  [][]line
}

// A line is a row of a band: its label, one character for each byte, and the kind of each
// byte.
type line struct {
	label string
	text  []byte
	kinds []types.Kind
	twice int64 // bytes that belong to two items
}

// picture draws the copies of all layouts.
func (w *typeWriter) picture(under []laid) {
	p := &typePicture{label: len("external32"), letters: letters{}, colours: w.colours}
	if len(under) == 1 {
		p.label = len("copy 000")
	}
	for _, l := range under {
		p.add(l, w.Copies)
	}
	p.label += 2
	p.width = max(8, int64(w.width-p.label-1)/8*8)
	p.choose()
	for _, g := range p.groups {
		for _, b := range p.bands {
			g.lines = append(g.lines, p.draw(g, b))
		}
	}
	p.merge()
	p.write(w)
}

func (p *typePicture) add(l laid, copies int64) {
	g := &group{laid: l}
	for k := range copies {
		d, ok := l.moved(k)
		if !ok {
			g.beyond = true
			break
		}
		g.copies = append(g.copies, d)
	}
	p.groups = append(p.groups, g)
}

// merge keeps only the first of groups that look the same.
func (p *typePicture) merge() {
	var kept []*group
	for _, g := range p.groups {
		same := func(o *group) bool {
			return slices.EqualFunc(g.lines, o.lines, func(a, b []line) bool {
				return slices.EqualFunc(a, b, func(x, y line) bool { return string(x.text) == string(y.text) })
			})
		}
		if i := slices.IndexFunc(kept, same); i >= 0 {
			kept[i].alike = append(kept[i].alike, g.name)
		} else {
			kept = append(kept, g)
		}
	}
	p.groups = kept
}

// draw draws one band of a group: its extents, then its copies.
func (p *typePicture) draw(g *group, band uint64) []line {
	lo := p.origin + int64(band)*p.width
	lines := []line{{text: g.extents(lo, p.width)}}
	for k, d := range g.copies {
		if l, ok := p.copy(g, d, lo); ok {
			l.label = "copy " + strconv.Itoa(k)
			lines = append(lines, l)
		}
	}
	return lines
}

// extents draws where each copy's extent begins and ends: one column more than bytes, for
// extents that end with the band.
func (g *group) extents(lo, width int64) []byte {
	text := blank(width + 1)
	put := func(at int64, c byte, over bool) {
		if x := uint64(at) - uint64(lo); at >= lo && x < uint64(len(text)) && (over || text[x] == ' ') {
			text[x] = c
		}
	}
	for k, d := range g.copies {
		from, to := min(g.LB, g.UB)+d, max(g.LB, g.UB)+d
		put(from, '|', true)
		put(to, '|', true)
		for i, c := range []byte(strconv.Itoa(k)) {
			if at := from + 1 + int64(i); at < to {
				put(at, c, true)
			}
		}
		for x := range width {
			if at := lo + x; at > from && at < to {
				put(at, '=', false)
			}
		}
	}
	return text
}

func blank(n int64) []byte { return []byte(strings.Repeat(" ", int(n))) }

// budget is how many loops of the layout are searched for a band of one copy.
const budget = 1 << 16

// copy draws the part of the copy displaced by d that is in the band at lo; ok is false if
// there is none.
func (p *typePicture) copy(g *group, d, lo int64) (l line, ok bool) {
	l = line{text: blank(p.width), kinds: make([]types.Kind, p.width)}
	from, to := min(g.LB, g.UB)+d, max(g.LB, g.UB)+d
	if max(to, g.TrueUB+d) <= lo || min(from, g.TrueLB+d) > lo+(p.width-1) {
		return l, false
	}
	for x := range p.width {
		if at := lo + x; at >= from && at < to {
			l.text[x], ok = hole, true
		}
	}
	sig, first := g.typ.Signature(), lo-d
	end := first + p.width
	if end < first {
		end = math.MaxInt64
	}
	full := min(p.width, g.TrueUB-g.TrueLB) // all bytes belong to two items: nothing more to draw
	if !g.Within(first, end, budget, func(pos, off, n int64) bool {
		ok = true
		for last := pos + n; pos < last; {
			item, _ := sig.ItemsIn(pos, g.sizes)
			begin := sig.BytesBefore(item, g.sizes)
			kind := sig.At(item)
			text := p.letters.item(kind, item, g.sizes.Sizeof(kind))
			n := min(last, begin+int64(len(text))) - pos
			l.put(off-first, text[pos-begin:][:n], kind)
			pos, off = pos+n, off+n
		}
		return l.twice < full
	}) && l.twice < full {
		p.partly = true
	}
	return l, ok
}

// put writes an item; bytes that are already occupied belong to two items.
func (l *line) put(x int64, text string, kind types.Kind) {
	for i := range len(text) {
		if at := x + int64(i); l.kinds[at] == types.KindNone {
			l.text[at], l.kinds[at] = text[i], kind
		} else if l.text[at] != double {
			l.text[at] = double
			l.twice++
		}
	}
}

// letters are the kinds drawn so far and the letter of each.
type letters map[types.Kind]byte

// of returns a letter of k's name that no other kind uses.
func (m letters) of(k types.Kind) byte {
	if c, ok := m[k]; ok {
		return c
	}
	const others = "abcdefghijklmnopqrstuvwxyz"
	for _, c := range []byte(k.String() + strings.ToUpper(k.String()) + others + strings.ToUpper(others)) {
		if c > '9' && !slices.ContainsFunc(m.kinds(), func(o types.Kind) bool { return m[o] == c }) {
			m[k] = c
			return c
		}
	}
	return '?' // more kinds than letters
}

// kinds returns the kinds drawn so far, in the standard's order.
func (m letters) kinds() []types.Kind {
	var all []types.Kind
	for _, k := range types.Kinds() {
		if m[k] != 0 {
			all = append(all, k)
		}
	}
	return all
}

// item returns the drawing of an item: the letter of its kind, and its number in the
// typemap if that fits.
func (m letters) item(k types.Kind, n, size int64) string {
	text := string(m.of(k)) + strconv.FormatInt(n, 10)
	if int64(len(text)) > size {
		text = text[:1]
	}
	return text + strings.Repeat(string(filler), int(size)-len(text))
}
