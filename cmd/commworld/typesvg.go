package main

import (
	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/views"
)

// drawing draws the copies of the type under each of its sizes.
func (w *typeWriter) drawing() *picture.Drawing {
	var all []views.Laid
	for _, l := range w.good {
		all = append(all, views.Laid{Name: l.name, Sizes: l.sizes, Type: l.typ, Layout: l.Layout})
	}
	return views.DrawCopies(all, w.Copies)
}
