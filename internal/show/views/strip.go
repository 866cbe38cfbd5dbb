package views

import (
	"fmt"
	"math"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/types"
)

// Bounds for the height of drawings in lines; larger ones are cut or made smaller.
const (
	stripLines = 48
	gridLines  = 40
)

// cells returns the number of cells in a line, a multiple of eight.
func (p *sheet) cells() int64 { return max(8, int64(p.width-margin-1)/8*8) }

// bands returns how many bands of the strip are drawn: all if they are few enough, or
// else the first two below an overview.
func (p *sheet) bands() int64 {
	most := max(1, stripLines/int64(len(p.shown)+4))
	if p.win.end-p.begin() > p.cells()*most {
		return min(most, 2)
	}
	return most
}

// begin returns the first byte drawn: 0 if that needs no further band.
func (p *sheet) begin() int64 {
	if p.win.end <= p.cells() {
		return 0
	}
	return p.win.from / 8 * 8
}

// overview draws the whole window in one line, unless the strip shows all of it.
func (p *sheet) overview() {
	span := p.win.end - p.win.from
	if p.win.end-p.begin() <= p.cells()*p.bands() {
		return
	}
	scale := (span-1)/p.cells() + 1
	p.out.WriteByte('\n')
	p.line("The window, %s a character:", plain.Count(scale, "byte"))
	p.out.WriteByte('\n')
	l := newLane((span-1)/scale + 1)
	for x := range int64(len(l.text)) {
		lo := p.win.from + x*scale
		who := p.owner(lo, min(plus(lo, scale), p.win.end))
		l.put(x, sign(who), who)
	}
	numbers, ticks := rulerText(p.win.from, p.cells(), scale, p.width-margin)
	p.line("%-*s%s", margin, "byte", numbers)
	p.line("%-*s%s", margin, "", ticks)
	p.line("%-*s%s", margin, "file", p.painted(l))
}

// strip draws the window, or the part of its beginning that fits, one character a byte.
func (p *sheet) strip() {
	width, from := p.cells(), p.begin()
	if p.win.end-from > width*p.bands() {
		p.out.WriteByte('\n')
		p.line("Its beginning, a byte a character:")
	}
	for band := range p.bands() {
		lo := plus(from, band*width)
		if lo >= p.win.end || lo == math.MaxInt64 {
			return
		}
		p.out.WriteByte('\n')
		p.band(lo, min(width, p.win.end-lo))
	}
	if left := p.win.end - from - width*p.bands(); left > 0 {
		p.out.WriteByte('\n')
		p.line("%-*s... %s, not drawn ...", margin, "", plain.Count(left, "more byte"))
	}
}

// band draws bytes [lo, lo+n).
func (p *sheet) band(lo, n int64) {
	numbers, ticks := rulerText(lo, (n+7)/8*8, 1, p.width-margin)
	p.line("%-*s%s", margin, "byte", numbers)
	p.line("%-*s%s", margin, "", ticks)
	file := newLane(n)
	for x := range n {
		who := p.owner(lo+x, lo+x+1)
		file.put(x, sign(who), who)
	}
	p.line("%-*s%s", margin, "file", p.painted(file))
	for _, r := range p.shown {
		p.line("%-*s%s", margin, fmt.Sprintf("rank %d", r), p.painted(p.views[r].lane(lo, n)))
	}
}

// lane draws the etypes of one rank in bytes [lo, lo+n), by their numbers.
func (v *rankView) lane(lo, n int64) lane {
	l := newLane(n)
	for x := range n {
		if lo+x >= v.disp && v.Tiles.L.Size > 0 {
			l.text[x] = hole
		}
	}
	head := v.Unit.Size // contiguous bytes at the begin of an etype: space for its number
	for _, n := range (types.Tiling{L: v.Unit}).Runs(0, v.Unit.Size) {
		head = n
		break
	}
	v.within(lo, lo+n, func(pos, off, n int64) bool {
		for i := range n {
			at, x := pos+i, off+i-lo
			e := at / v.Unit.Size
			in := at - e*v.Unit.Size
			c := byte(filler)
			if in < head {
				c = numberedCell(e, min(head, 24), filler)[min(in, 23)]
			}
			if l.who[x] != noRank {
				l.put(x, double, shared)
				continue
			}
			l.put(x, c, v.rank)
		}
		return true
	})
	return l
}

// within calls yield for the data in [lo, hi): packed bytes [pos, pos+n) of the view are
// at offset off.
func (v *rankView) within(lo, hi int64, yield func(pos, off, n int64) bool) {
	const most = 1 << 12 // bound on copies: so many in one place cover all bytes that they can
	first, behind := v.copies(lo, hi)
	for k := first; k < min(behind, first+most); k++ {
		d := v.disp + k*v.Tiles.L.Extent
		more := true
		v.Tiles.L.Within(lo-d, hi-d, budget, func(pos, off, n int64) bool {
			more = yield(k*v.Tiles.L.Size+pos, off+d, n)
			return more
		})
		if !more {
			return
		}
	}
}
