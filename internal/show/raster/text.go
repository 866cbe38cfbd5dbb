package raster

import (
	"sync"

	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fonts returns the regular and the bold font.
var fonts = sync.OnceValues(func() (all [2]*sfnt.Font, err error) {
	for i, text := range [][]byte{gomono.TTF, gomonobold.TTF} {
		if all[i], err = sfnt.Parse(text); err != nil {
			return all, err
		}
	}
	return all, nil
})

// outline returns a line of text as a path: its left end at x, its base line at y. A character that the
// font does not have is a box.
func outline(text string, x, y, size float64, bold bool) (p path, err error) {
	all, err := fonts()
	if err != nil {
		return nil, err
	}
	font := all[0]
	if bold {
		font = all[1]
	}
	const em = 1024
	var b sfnt.Buffer
	scale := size / em / 64
	for _, r := range text {
		i, err := font.GlyphIndex(&b, r)
		if err != nil {
			return nil, err
		}
		glyph, err := font.LoadGlyph(&b, i, fixed.I(em), nil)
		if err != nil {
			return nil, err
		}
		p = appendGlyph(p, glyph, func(q fixed.Point26_6) point {
			return point{x + scale*float64(q.X), y + scale*float64(q.Y)}
		})
		wide, err := font.GlyphAdvance(&b, i, fixed.I(em), 0)
		if err != nil {
			return nil, err
		}
		x += scale * float64(wide)
	}
	return p, nil
}

// appendGlyph appends the outline of a character.
func appendGlyph(p path, glyph sfnt.Segments, at func(fixed.Point26_6) point) path {
	start := len(p)
	closed := func() {
		if len(p) > start {
			p = append(p, segment{closes: true, to: p[start].to})
		}
		start = len(p)
	}
	for _, s := range glyph {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			closed()
			p = append(p, segment{move: true, to: at(s.Args[0])})
		case sfnt.SegmentOpLineTo:
			p = append(p, segment{to: at(s.Args[0])})
		case sfnt.SegmentOpQuadTo:
			from, c, to := p[len(p)-1].to, at(s.Args[0]), at(s.Args[1])
			p = append(p, segment{curve: true, c1: between(from, c), c2: between(to, c), to: to})
		case sfnt.SegmentOpCubeTo:
			p = append(p, segment{curve: true, c1: at(s.Args[0]), c2: at(s.Args[1]), to: at(s.Args[2])})
		}
	}
	closed()
	return p
}

// between returns the point two thirds of the way from a to b: the control point of a cubic curve
// that equals a quadratic one.
func between(a, b point) point { return point{a.x + (b.x-a.x)*2/3, a.y + (b.y-a.y)*2/3} }
