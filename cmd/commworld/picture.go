package main

import (
	"fmt"
	"strings"
)

// The picture is drawn of an array of at most this many rows and columns; with
// three decompositions side by side that fits a line of 80 characters.
const (
	pictureRows = 6
	pictureCols = 25
	abreast     = 3
)

// A sketch draws who owns which element of small arrays.
type sketch struct {
	shape  shape
	ranks  int64
	colour bool // with the colours of a terminal
}

// newSketch chooses what to draw for an array of shape s and the rank counts of
// a run: the largest count of up to six.
func newSketch(s shape, counts []int, colour bool) sketch {
	ranks := int64(counts[0])
	for _, n := range counts {
		if n := int64(n); n <= 6 && n > ranks || ranks > 6 && n < ranks {
			ranks = n
		}
	}
	small := shape{max(1, min(s.rows, pictureRows)), max(1, min(s.width, pictureCols))}
	return sketch{small, ranks, colour}
}

// String draws all decompositions.
func (k sketch) String() string {
	var b strings.Builder
	ranks := "1 rank"
	if k.ranks > 1 {
		ranks = fmt.Sprintf("%d ranks", k.ranks)
	}
	fmt.Fprintf(&b, "Who owns which element (here %d rows of %d over %s):\n", k.shape.rows, k.shape.width, ranks)
	for i := 0; i < len(decompositions); i += abreast {
		b.WriteString("\n")
		k.strip(&b, decompositions[i:min(i+abreast, len(decompositions))])
	}
	return b.String()
}

// strip draws some decompositions side by side.
func (k sketch) strip(b *strings.Builder, ds []*decomposition) {
	for i, d := range ds {
		if i < len(ds)-1 {
			fmt.Fprintf(b, "%-*s", k.pane(), d.name)
		} else {
			b.WriteString(d.name + "\n")
		}
	}
	for row := range k.shape.rows {
		for i, d := range ds {
			k.row(b, d, row)
			if i < len(ds)-1 {
				fmt.Fprintf(b, "%*s", k.pane()-int(k.shape.width), "")
			}
		}
		b.WriteString("\n")
	}
}

// pane is the columns that one decomposition takes, with the gap behind it.
func (k sketch) pane() int {
	longest := 0
	for _, d := range decompositions {
		longest = max(longest, len(d.name))
	}
	return max(int(k.shape.width), longest) + 2
}

// row draws one row of an array, a character an element.
func (k sketch) row(b *strings.Builder, d *decomposition, row int64) {
	last := int64(-1)
	for col := range k.shape.width {
		r := d.owner(k.shape, k.ranks, row, col)
		if k.colour && r != last {
			b.WriteString(paint(r))
		}
		b.WriteByte(letter(r))
		last = r
	}
	if k.colour {
		b.WriteString("\x1b[0m")
	}
}

// letter stands for rank r: 0 to 9, then letters; ranks beyond begin again.
func letter(r int64) byte {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return letters[r%int64(len(letters))]
}

// A tint is the ground that a rank is drawn on, for black letters: on terminals
// of 256 colours, and as a web colour.
type tint struct {
	term int
	web  string
}

// tints is Paul Tol's "light" scheme, whose colours stay apart for all common
// kinds of colour vision.
var tints = [...]tint{
	{110, "#77AADD"},
	{222, "#EEDD88"},
	{209, "#EE8866"},
	{79, "#44BB99"},
	{217, "#FFAABB"},
	{117, "#99DDFF"},
	{149, "#BBCC33"},
	{142, "#AAAA00"},
	{253, "#DDDDDD"},
}

// colourOf is the tint of rank r; ranks beyond the last begin again.
func colourOf(r int64) tint { return tints[r%int64(len(tints))] }

// paint switches a terminal to the colours of rank r: black on a light ground.
func paint(r int64) string { return fmt.Sprintf("\x1b[38;5;16;48;5;%dm", colourOf(r).term) }
