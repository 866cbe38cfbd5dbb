// Package raster makes PNGs from the drawings of package picture, without a browser. Start here:
//
//	img, err := raster.Draw(drawing.SVG(), 1920)
//
// It reads the part of SVG that those drawings have: rectangles, lines, paths of M, L, C, h and z,
// text, groups, markers, patterns of rectangles, and a style sheet of classes. Anything else is an
// error, never left out. Text is in Go Mono, which has Latin, Greek and Cyrillic letters.
//
//   - raster.go: elements and their painting
//   - style.go: style sheets
//   - path.go: paths, markers; text.go: text as outlines of glyphs
package raster
