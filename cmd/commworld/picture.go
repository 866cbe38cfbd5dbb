package main

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
)

// The picture shows an array of at most this many rows and columns; with three
// decompositions side by side that fits a line of 80 characters.
const (
	pictureRows = 6
	pictureCols = 25
	abreast     = 3
)

// A sketch draws the owners of the elements of small arrays.
type sketch struct {
	shape  shape
	ranks  int64
	colour bool // with the colours of a terminal
}

// newSketch chooses what to draw for an array of shape s and the rank counts of a run: the
// largest count up to six.
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

// String returns the drawing of all decompositions.
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

// pane returns the columns that one decomposition takes, with the gap after it.
func (k sketch) pane() int {
	longest := 0
	for _, d := range decompositions {
		longest = max(longest, len(d.name))
	}
	return max(int(k.shape.width), longest) + 2
}

// row draws one row of an array, one character for each element.
func (k sketch) row(b *strings.Builder, d *decomposition, row int64) {
	last := int64(-1)
	for col := range k.shape.width {
		r := d.owner(k.shape, k.ranks, row, col)
		if k.colour && r != last {
			b.WriteString(picture.Paint(int(r)))
		}
		b.WriteByte(picture.Letter(int(r)))
		last = r
	}
	if k.colour {
		b.WriteString("\x1b[0m")
	}
}
