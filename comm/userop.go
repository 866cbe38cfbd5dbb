package comm

import "github.com/commworld/commworld/types"

// A function of a user operation runs while its reduction is half done, by one rank
// for all, with everybody's buffers in its hands; whatever it waits for waits for
// itself. Universe.folding knows the goroutines that are in one: each enters once
// for a reduction.

// apply calls the function of a user operation; the caller has entered folding.
func (o *Op) apply(in, inout types.Buffer) (f *fault) {
	defer func() {
		if v := recover(); v != nil {
			f = broken(ErrOp, "COLL-03", "the function of operation %s panicked: %v", o.name, v)
		}
	}()
	return faultOf(o.user(in, inout), ErrOp, "COLL-03")
}
