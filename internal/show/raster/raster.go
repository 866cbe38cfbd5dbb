package raster

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/srwiley/rasterx"
	"golang.org/x/image/math/fixed"
)

// most is the most pixels of a picture.
const most = 100 << 20

// Draw returns a drawing of package picture as a picture of width pixels; 0 means the width of the
// drawing. A drawing that is too large, or has elements that this package does not know, is an error.
func Draw(svg string, width int) (*image.RGBA, error) {
	root, err := parse(svg)
	if err != nil {
		return nil, err
	}
	wide, high, err := sizeOf(root)
	if err != nil {
		return nil, err
	}
	if width <= 0 {
		width = int(wide)
	}
	scale := float64(width) / wide
	if height := math.Round(high * scale); float64(width)*height > most || height < 1 {
		return nil, fmt.Errorf("raster: a picture of %d x %.0f pixels; at most %d pixels are drawn", width, height, most)
	}
	p := &painter{image: image.NewRGBA(image.Rect(0, 0, width, int(math.Round(high*scale)))), byID: map[string]*node{}}
	if err := p.collect(root); err != nil {
		return nil, err
	}
	return p.image, p.draw(root, props{"fill": "#000", "stroke": "none", "stroke-width": "1"}, matrix{xx: scale, yy: scale})
}

// parse returns the elements of a drawing.
func parse(svg string) (root *node, err error) {
	d := xml.NewDecoder(strings.NewReader(svg))
	var at *node
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && root != nil && at == nil:
			return root, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("raster: not a drawing")
		case err != nil:
			return nil, fmt.Errorf("raster: %w", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}, parent: at}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			n.classes = strings.Fields(n.attr["class"])
			if at != nil {
				at.kids = append(at.kids, n)
			} else if root == nil {
				root = n
			}
			at = n
		case xml.EndElement:
			at = at.parent
		case xml.CharData:
			if at != nil {
				at.text += string(token)
			}
		}
	}
}

// sizeOf returns the width and the height of a drawing.
func sizeOf(root *node) (wide, high float64, err error) {
	box, err := numbers(root.attr["viewBox"])
	if err == nil && (root.name != "svg" || len(box) != 4 || box[0] != 0 || box[1] != 0 || box[2] < 1 || box[3] < 1) {
		err = fmt.Errorf("raster: an svg with a viewBox from 0 0 is needed, not %s %.40q", root.name, root.attr["viewBox"])
	}
	if err != nil {
		return 0, 0, err
	}
	return box[2], box[3], nil
}

// A painter draws elements into a picture.
type painter struct {
	image *image.RGBA
	byID  map[string]*node
	sheet []rule
}

// collect finds the style sheet and the elements that others refer to.
func (p *painter) collect(n *node) error {
	if id := n.attr["id"]; id != "" {
		p.byID[id] = n
	}
	if n.name == "style" {
		sheet, err := sheetOf(n.text)
		if err != nil {
			return err
		}
		p.sheet = append(p.sheet, sheet...)
	}
	for _, k := range n.kids {
		if err := p.collect(k); err != nil {
			return err
		}
	}
	return nil
}

// draw draws an element whose group has the properties of from.
func (p *painter) draw(n *node, from props, m matrix) error {
	s := styleOf(n, from, p.sheet)
	switch n.name {
	case "title", "desc", "style", "defs":
		return nil
	case "svg", "g":
		t, err := transformOf(n.attr["transform"])
		if err != nil {
			return err
		}
		for _, k := range n.kids {
			if err := p.draw(k, s, m.in(t)); err != nil {
				return err
			}
		}
		return nil
	}
	shape, err := p.shape(n, s)
	if err != nil {
		return err
	}
	if err := p.paint(shape, s, m); err != nil {
		return err
	}
	return p.markers(shape, s, m)
}

// shape returns the outline of an element.
func (p *painter) shape(n *node, s props) (path, error) {
	v := map[string]float64{}
	for _, name := range []string{"x", "y", "width", "height", "rx", "x1", "y1", "x2", "y2"} {
		text, ok := n.attr[name]
		if !ok {
			continue
		}
		if text == "100%" {
			b := p.image.Bounds()
			v[name] = float64(max(b.Dx(), b.Dy())) + 1e4
			continue
		}
		all, err := numbers(text)
		if err != nil || len(all) != 1 {
			return nil, fmt.Errorf("raster: %s %s=%.20q cannot be drawn", n.name, name, text)
		}
		v[name] = all[0]
	}
	switch n.name {
	case "rect":
		return roundRect(v["x"], v["y"], v["width"], v["height"], v["rx"]), nil
	case "line":
		return path{{move: true, to: point{v["x1"], v["y1"]}}, {to: point{v["x2"], v["y2"]}}}, nil
	case "path":
		return pathOf(n.attr["d"])
	case "text":
		size, err := s.number("font-size", 12)
		if err != nil {
			return nil, err
		}
		return outline(strings.Join(strings.Fields(n.text), " "), v["x"], v["y"], size, s["font-weight"] == "bold")
	}
	return nil, fmt.Errorf("raster: element %q cannot be drawn", n.name)
}

// number returns a property that is a number.
func (s props) number(name string, otherwise float64) (float64, error) {
	text, ok := s[name]
	if !ok {
		return otherwise, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 1e4 {
		return 0, fmt.Errorf("raster: %s %.20q cannot be drawn", name, text)
	}
	return v, nil
}

// paint fills and strokes a shape.
func (p *painter) paint(shape path, s props, m matrix) error {
	opacity, err := s.number("opacity", 1)
	if err != nil {
		return err
	}
	clear, err := s.number("fill-opacity", 1)
	if err != nil {
		return err
	}
	fill, err := p.paintOf(s["fill"], clear*opacity, m)
	if err != nil {
		return err
	}
	stroke, err := p.paintOf(s["stroke"], opacity, m)
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error { p.fill(shape, fill, m); return nil },
		func() error { return p.stroke(shape, stroke, s, m) },
	}
	if strings.HasPrefix(s["paint-order"], "stroke") {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *painter) fill(shape path, paint any, m matrix) {
	scanner, m := p.scanner(shape, paint, m, 0)
	if scanner == nil {
		return
	}
	f := rasterx.NewFiller(scanner.Dest.Bounds().Dx(), scanner.Dest.Bounds().Dy(), scanner)
	shape.add(f, m)
	f.Draw()
}

func (p *painter) stroke(shape path, paint any, s props, m matrix) error {
	wide, err := s.number("stroke-width", 1)
	if err != nil || paint == nil || wide == 0 {
		return err
	}
	var dashes []float64
	if text := s["stroke-dasharray"]; text != "" && text != "none" {
		if dashes, err = numbers(text); err != nil {
			return err
		}
	}
	for i := range dashes {
		dashes[i] *= m.scale()
	}
	wide *= m.scale()
	scanner, m := p.scanner(shape, paint, m, 2*wide)
	if scanner == nil {
		return nil
	}
	d := rasterx.NewDasher(scanner.Dest.Bounds().Dx(), scanner.Dest.Bounds().Dy(), scanner)
	d.SetStroke(fixed.Int26_6(wide*64), 4<<6, rasterx.ButtCap, rasterx.ButtCap, rasterx.FlatGap, rasterx.MiterClip, dashes, 0)
	shape.add(d, m)
	d.Draw()
	return nil
}

// scanner returns a scanner for the pixels of a shape with an edge, and the matrix that its paths need:
// a scanner for the whole picture would visit each pixel for each shape. It returns nil if no pixel of the
// shape is in the picture.
func (p *painter) scanner(shape path, paint any, m matrix, edge float64) (*rasterx.ScannerGV, matrix) {
	if paint == nil || len(shape) == 0 {
		return nil, m
	}
	lo, hi := shape.bounds(m)
	b := p.image.Bounds()
	clamp := func(v float64, most int) int { return int(max(0, min(v, float64(most)))) }
	box := image.Rect(clamp(lo.x-edge-1, b.Dx()), clamp(lo.y-edge-1, b.Dy()), clamp(hi.x+edge+2, b.Dx()), clamp(hi.y+edge+2, b.Dy()))
	if box.Empty() {
		return nil, m
	}
	s := rasterx.NewScannerGV(box.Dx(), box.Dy(), p.image.SubImage(box).(draw.Image), box)
	s.Offset = box.Min
	s.SetColor(paint)
	return s, translation(float64(-box.Min.X), float64(-box.Min.Y)).in(m)
}

// paintOf returns what a shape is painted with: a colour, a function of the pixel, or nil for nothing.
func (p *painter) paintOf(text string, opacity float64, m matrix) (any, error) {
	if text == "none" || opacity == 0 {
		return nil, nil
	}
	if id, ok := reference(text); ok {
		return p.pattern(id, opacity, m)
	}
	c, err := colourOf(text)
	if err != nil {
		return nil, err
	}
	return rasterx.ApplyOpacity(c, opacity), nil
}

// reference returns the id in url(#id).
func reference(text string) (id string, ok bool) {
	id, ok = strings.CutPrefix(text, "url(#")
	return strings.TrimSuffix(id, ")"), ok
}

// colourOf parses #rgb and #rrggbb.
func colourOf(text string) (color.NRGBA, error) {
	digits, ok := strings.CutPrefix(text, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if !ok || err != nil || len(digits) != 6 {
		return color.NRGBA{}, fmt.Errorf("raster: colour %.30q cannot be drawn", text)
	}
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}, nil
}

// pattern returns the colour of each pixel of a pattern that consists of rectangles.
func (p *painter) pattern(id string, opacity float64, m matrix) (any, error) {
	n := p.byID[id]
	if n == nil || n.name != "pattern" {
		return nil, fmt.Errorf("raster: there is no pattern %q", id)
	}
	t, err := transformOf(n.attr["patternTransform"])
	if err != nil {
		return nil, err
	}
	tile := &painter{image: image.NewRGBA(image.Rect(0, 0, 8, 8)), sheet: p.sheet}
	size, err := numbers(n.attr["width"] + " " + n.attr["height"])
	if err != nil || len(size) != 2 || size[0] <= 0 || size[1] <= 0 {
		return nil, fmt.Errorf("raster: pattern %q has no size", id)
	}
	const fine = 16 // pixels of a tile for one of the drawing
	tile.image = image.NewRGBA(image.Rect(0, 0, int(size[0]*fine), int(size[1]*fine)))
	for _, k := range n.kids {
		if err := tile.draw(k, props{"stroke": "none"}, matrix{xx: fine, yy: fine}); err != nil {
			return nil, err
		}
	}
	back := m.in(t).inverse()
	return rasterx.ColorFunc(func(x, y int) color.Color {
		q := back.at(point{float64(x) + 0.5, float64(y) + 0.5})
		wrap := func(v, size float64) int { return int((v - math.Floor(v/size)*size) * fine) }
		return rasterx.ApplyOpacity(tile.image.At(wrap(q.x, size[0]), wrap(q.y, size[1])), opacity)
	}), nil
}

// markers draws the heads of arrows.
func (p *painter) markers(shape path, s props, m matrix) error {
	from, to, first, last := shape.ends()
	for _, one := range []struct {
		name  string
		at    point
		angle float64
	}{{"marker-start", from, first + math.Pi}, {"marker-end", to, last}} {
		id, ok := reference(s[one.name])
		if !ok {
			continue
		}
		n := p.byID[id]
		if n == nil || n.name != "marker" {
			return fmt.Errorf("raster: there is no marker %q", id)
		}
		wide, err := s.number("stroke-width", 1)
		if err != nil {
			return err
		}
		box, err := numbers(n.attr["viewBox"] + " " + n.attr["markerWidth"] + " " + n.attr["refX"] + " " + n.attr["refY"])
		if err != nil || len(box) != 7 || box[2] <= 0 {
			return fmt.Errorf("raster: marker %q cannot be drawn", id)
		}
		scale := wide * box[4] / box[2]
		place := translation(one.at.x, one.at.y).in(rotation(one.angle)).in(matrix{xx: scale, yy: scale}).in(translation(-box[5], -box[6]))
		for _, k := range n.kids {
			if err := p.draw(k, props{"fill": "#000", "stroke": "none"}, m.in(place)); err != nil {
				return err
			}
		}
	}
	return nil
}
