package raster

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/srwiley/rasterx"
	"golang.org/x/image/math/fixed"
)

// A point is a point of a drawing, or of its picture.
type point struct{ x, y float64 }

// A matrix maps points of an element to pixels.
type matrix struct{ xx, xy, yx, yy, dx, dy float64 }

var identity = matrix{xx: 1, yy: 1}

func (m matrix) at(p point) point {
	return point{m.xx*p.x + m.xy*p.y + m.dx, m.yx*p.x + m.yy*p.y + m.dy}
}

// in returns the matrix of an element whose own matrix within m is n.
func (m matrix) in(n matrix) matrix {
	o := m.at(point{n.dx, n.dy})
	return matrix{
		m.xx*n.xx + m.xy*n.yx, m.xx*n.xy + m.xy*n.yy,
		m.yx*n.xx + m.yy*n.yx, m.yx*n.xy + m.yy*n.yy, o.x, o.y,
	}
}

// inverse returns the matrix that maps pixels to points.
func (m matrix) inverse() matrix {
	d := m.xx*m.yy - m.xy*m.yx
	n := matrix{xx: m.yy / d, xy: -m.xy / d, yx: -m.yx / d, yy: m.xx / d}
	o := n.at(point{m.dx, m.dy})
	n.dx, n.dy = -o.x, -o.y
	return n
}

// scale returns by how much m makes lengths longer.
func (m matrix) scale() float64 { return math.Sqrt(math.Abs(m.xx*m.yy - m.xy*m.yx)) }

func translation(x, y float64) matrix { return matrix{xx: 1, yy: 1, dx: x, dy: y} }

func rotation(angle float64) matrix {
	s, c := math.Sincos(angle)
	return matrix{xx: c, xy: -s, yx: s, yy: c}
}

// transformOf parses the transform of a group or of a pattern.
func transformOf(text string) (matrix, error) {
	m := identity
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, rest, _ := strings.Cut(text, "(")
		args, rest, _ := strings.Cut(rest, ")")
		v, err := numbers(args)
		switch {
		case err != nil:
			return m, err
		case name == "translate" && len(v) == 2:
			m = m.in(translation(v[0], v[1]))
		case name == "scale" && len(v) == 1:
			m = m.in(matrix{xx: v[0], yy: v[0]})
		case name == "rotate" && len(v) == 1:
			m = m.in(rotation(v[0] * math.Pi / 180))
		default:
			return m, fmt.Errorf("raster: transform %q cannot be drawn", text)
		}
		text = rest
	}
	return m, nil
}

// numbers parses numbers between spaces or commas.
func numbers(text string) (all []float64, err error) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1e7 {
			return nil, fmt.Errorf("raster: %.20q is not a coordinate", word)
		}
		all = append(all, v)
	}
	return all, nil
}

// A segment is a part of a path: its end, and for a curve the two control points before it.
type segment struct {
	move, closes bool
	curve        bool
	c1, c2, to   point
}

// A path is a list of segments.
type path []segment

// pathOf parses the path of an element.
func pathOf(text string) (p path, err error) {
	at, start := point{}, point{}
	for text = strings.TrimSpace(text); text != ""; {
		verb := text[0]
		end := strings.IndexAny(text[1:], "MLChz")
		args := text[1:]
		if end >= 0 {
			args = text[1 : end+1]
		}
		v, err := numbers(args)
		s := segment{move: verb == 'M', closes: verb == 'z', curve: verb == 'C'}
		switch {
		case err != nil:
			return nil, err
		case (verb == 'M' || verb == 'L') && len(v) == 2:
			s.to = point{v[0], v[1]}
		case verb == 'C' && len(v) == 6:
			s.c1, s.c2, s.to = point{v[0], v[1]}, point{v[2], v[3]}, point{v[4], v[5]}
		case verb == 'h' && len(v) == 1:
			s.to = point{at.x + v[0], at.y}
		case verb == 'z' && len(v) == 0:
			s.to = start
		default:
			return nil, fmt.Errorf("raster: path %.40q cannot be drawn", text)
		}
		if len(p) == 0 && !s.move {
			return nil, fmt.Errorf("raster: path %.40q does not begin with M", text)
		}
		if p, at = append(p, s), s.to; s.move {
			start = at
		}
		text = strings.TrimSpace(text[1+len(args):])
	}
	return p, nil
}

// roundRect returns a rectangle with corners of radius r.
func roundRect(x, y, w, h, r float64) path {
	r = min(r, w/2, h/2)
	if r <= 0 {
		return path{{move: true, to: point{x, y}}, {to: point{x + w, y}}, {to: point{x + w, y + h}}, {to: point{x, y + h}}, {closes: true, to: point{x, y}}}
	}
	const k = 0.5523 // how far the control points of a quarter of a circle are from its ends
	p := path{{move: true, to: point{x + r, y}}}
	side := func(to, c1, c2, end point) {
		p = append(p, segment{to: to}, segment{curve: true, c1: c1, c2: c2, to: end})
	}
	c := r * (1 - k)
	side(point{x + w - r, y}, point{x + w - c, y}, point{x + w, y + c}, point{x + w, y + r})
	side(point{x + w, y + h - r}, point{x + w, y + h - c}, point{x + w - c, y + h}, point{x + w - r, y + h})
	side(point{x + r, y + h}, point{x + c, y + h}, point{x, y + h - c}, point{x, y + h - r})
	side(point{x, y + r}, point{x, y + c}, point{x + c, y}, point{x + r, y})
	return append(p, segment{closes: true, to: p[0].to})
}

// bounds returns the corners of a rectangle of pixels that contains the path.
func (p path) bounds(m matrix) (lo, hi point) {
	lo, hi = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	grow := func(q point) {
		q = m.at(q)
		lo, hi = point{min(lo.x, q.x), min(lo.y, q.y)}, point{max(hi.x, q.x), max(hi.y, q.y)}
	}
	for _, s := range p {
		if grow(s.to); s.curve {
			grow(s.c1)
			grow(s.c2)
		}
	}
	return lo, hi
}

// add adds the path in pixels.
func (p path) add(to rasterx.Adder, m matrix) {
	pixel := func(q point) fixed.Point26_6 {
		q = m.at(q)
		return rasterx.ToFixedP(q.x, q.y)
	}
	open := false
	for _, s := range p {
		switch {
		case s.move:
			if open {
				to.Stop(false)
			}
			to.Start(pixel(s.to))
			open = true
		case s.closes:
			to.Stop(true)
			open = false
		case s.curve:
			to.CubeBezier(pixel(s.c1), pixel(s.c2), pixel(s.to))
		default:
			to.Line(pixel(s.to))
		}
	}
	if open {
		to.Stop(false)
	}
}

// ends returns where the path begins and ends, and its directions there.
func (p path) ends() (from, to point, first, last float64) {
	if len(p) < 2 {
		return from, to, 0, 0
	}
	direction := func(a, b point) float64 { return math.Atan2(b.y-a.y, b.x-a.x) }
	second, end, before := p[1].to, p[len(p)-1], p[len(p)-2].to
	if p[1].curve {
		second = p[1].c1
	}
	if end.curve {
		before = end.c2
	}
	return p[0].to, end.to, direction(p[0].to, second), direction(before, end.to)
}
