package iofile

import "github.com/commworld/commworld/consistency"

// WithModel says when the writes of one rank become visible to others. The default is
// [consistency.Weakest]; with [consistency.POSIX] files behave as on a laptop, and holes read
// as 0. [consistency.Model.WithPoison] sets what never-written bytes read as in a new file
// system in memory; in the model of one open it has no effect.
func WithModel(m consistency.Model) FileOption { return modelOption(m) }

type modelOption consistency.Model

func (m modelOption) file(o *options) { o.model = consistency.Model(m) }

func (m modelOption) open(o *opening) {
	if o.model = consistency.Model(m); o.model != (consistency.Model{}) {
		o.model = o.model.WithPoison(consistency.Poison) // ranks compare models
	}
}
