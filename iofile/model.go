package iofile

import "github.com/commworld/commworld/consistency"

// WithModel says when the writes of one rank become visible to others. The default is
// [consistency.Weakest]; with [consistency.POSIX] files behave as on a laptop, and holes read
// as 0. What never-written bytes read as is set for a file system alone, by its model
// ([consistency.Model.WithPoison]): of a model that one open names it has no effect.
func WithModel(m consistency.Model) FileOption { return modelOption(m) }

type modelOption consistency.Model

func (m modelOption) file(o *options) { o.model = consistency.Model(m) }

func (m modelOption) open(o *opening) {
	if o.model = consistency.Model(m); o.model != (consistency.Model{}) {
		o.model = o.model.WithPoison(consistency.Poison) // ranks compare models
	}
}
