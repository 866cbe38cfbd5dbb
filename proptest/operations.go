package proptest

import (
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
)

// An Operator is a Layer with operations of its own, such as a refresh, a define mode, a
// rename or an open that has to fail. Programs of the group "operations" call them between
// accesses, and the suite judges by their effects.
type Operator interface{ Operations() []Operation }

// An Operation is an operation of the layer's own.
type Operation = OperationOn[File]

// An OperationOn is an operation of the own of a layer with handles of type H.
type OperationOn[H any] struct {
	Name   string     // one word
	Effect gen.Effect // what it does to the file, the store or the data set, as others see it
	Alone  bool       // one rank calls it; otherwise it is collective

	// Call performs it through a rank's handle. An error fails the program.
	Call func(c *comm.Comm, h H) error
}

// ownOps returns operations of a layer's own, as programs know them.
func ownOps[H any](all []OperationOn[H]) (own []gen.OwnOp) {
	for _, x := range all {
		own = append(own, gen.OwnOp{Name: x.Name, Effect: x.Effect, Alone: x.Alone})
	}
	return own
}

func operationsOf(l Layer) []Operation {
	if o, ok := l.(Operator); ok {
		return o.Operations()
	}
	return nil
}

// own performs an operation of the layer's own. One that empties the file comes between
// syncs, as changes of the size do.
func (pl *player) own(o *gen.Op, see *observation) error {
	call, err := ownCall(operationsOf(pl.l), o.Name)
	if err != nil {
		return err
	}
	if o.Effect != gen.Empties {
		if err := call(pl.c, pl.f); err != nil || o.Effect == gen.ChangesNothing {
			return err
		}
		return pl.sized(see)
	}
	if err := pl.sync(&gen.Op{}, see); err != nil {
		return err
	}
	if err := pl.c.Barrier(); err != nil { // no rank may still be reading
		return err
	}
	if err := call(pl.c, pl.f); err != nil {
		return err
	}
	return pl.sync(&gen.Op{}, see)
}

func ownCall[H any](all []OperationOn[H], name string) (func(*comm.Comm, H) error, error) {
	for _, x := range all {
		if x.Name == name {
			return x.Call, nil
		}
	}
	return nil, fmt.Errorf("the layer has no operation %q", name)
}

// own judges by the effect of an operation of the layer's own.
func (ref *reference) own(k int, o *gen.Op) error {
	switch o.Effect {
	case gen.Syncs:
		return ref.publishSized(k)
	case gen.Empties:
		if err := ref.publish(); err != nil {
			return err
		}
		ref.resize(0)
		return ref.publishSized(k)
	}
	return nil
}
