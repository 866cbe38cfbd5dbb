// Package picture draws runs and files as SVG: the calls of ranks and their order, and
// which rank wrote which byte. Start here:
//
//	d := picture.SpaceTime{Lanes: []string{"rank 0", "rank 1"}, Rows: rows}
//	svg := d.Draw().SVG()
//
// A drawing is a value; drawing it is a pure function, so equal values give equal text.
// Colours follow the page: light, dark or printed. Every drawing has a title and a text
// alternative, and no text of a program gets into it unescaped.
//
//   - svg.go: the canvas, colours, text
//   - spacetime.go: ranks side by side, time from top to bottom; span.go: files that are open
//   - strip.go: bytes of a file as each rank sees them
package picture
