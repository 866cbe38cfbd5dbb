package proptest

import (
	"context"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// A KeyValueLayer is a key-value store under test, which ranks of a communicator use
// together. It may also be a [KeyValueOperator] and an io.Closer. If it is a [Restarter], its
// restarted layer must be a KeyValueLayer.
//
// Between two syncs, a key that one rank changes is determined for that rank alone; others
// find its old value or a new one. After a sync all ranks find the same value: the last one
// of the rank that changed it or, if several did, the last one of any of them. A value is
// never a mixture of two.
type KeyValueLayer interface {
	// OpenStore opens the store called name, and makes it if there is none. Collective.
	OpenStore(c *comm.Comm, name string) (KeyValueHandle, error)
}

// A KeyValueHandle is one rank's handle of a store. Get returns nil for a key without a
// value; an empty value is not nil.
type KeyValueHandle interface {
	KeyValue

	// Sync publishes the changes of all ranks, makes them durable, orders them before what
	// any rank does next, and fetches. Collective.
	Sync() error
	// Close syncs and gives the handle up. Collective.
	Close() error
}

// A KeyValueLister is a KeyValueHandle that returns the keys with values, in any order. It
// may but need not know what other ranks have changed since the last sync.
type KeyValueLister interface{ Keys() ([][]byte, error) }

// A KeyValueCollective is a KeyValueHandle with a collective put: each rank puts a key of its
// own, all at once.
type KeyValueCollective interface {
	PutAll(key, value []byte) error
}

// A KeyValueOperator is a KeyValueLayer with operations of its own, see [Operator].
type KeyValueOperator interface{ KeyValueOperations() []KeyValueOperation }

// A KeyValueOperation is an operation of a store's own, see [Operation]. It is collective.
type KeyValueOperation struct {
	Name   string // one word
	Effect gen.Effect
	Call   func(c *comm.Comm, h KeyValueHandle) error
}

// KeyValueConformance checks a key-value store as [Conformance] checks a file: by random
// programs of puts, gets, deletes, syncs, reopens and, if the layer has them, lists,
// collective puts, own operations and power cuts. mk makes a new, empty layer for each.
func KeyValueConformance(t *testing.T, mk KeyValueMaker) {
	t.Helper()
	groups, err := KeyValueGroups(mk)
	if err != nil {
		t.Fatal(err)
	}
	checkGroups(t, groups, testLine())
}

// A KeyValueMaker makes a new, empty store for one program.
type KeyValueMaker func() (KeyValueLayer, error)

// KeyValueGroups returns the properties that [KeyValueConformance] checks.
func KeyValueGroups(mk KeyValueMaker) ([]Group, error) {
	has, own, err := probeStore(mk)
	if err != nil {
		return nil, err
	}
	var groups []Group
	for _, x := range []struct {
		name, rules, needs string
		use                storeUse
		times              int // programs of one check
	}{
		{"values", "CONS-SYNC-01 values of keys, before syncs and after", "", storeUse{}, 4},
		{"lists", "CONS-SYNC-01 lists of keys", "Keys", storeUse{lists: true}, 4},
		{"together", "CONS-SYNC-01 puts of all ranks at one time", "PutAll", storeUse{together: true}, 4},
		{"stores", "CONS-SYNC-01 two stores on each rank", "", storeUse{two: true}, 4},
		{"operations", "CONS-SYNC-01 operations of the layer's own", "KeyValueOperations", storeUse{own: own}, 12},
		{"crashes", "CONS-SYNC-01 power cuts anywhere, recovery, and on", "Restart", storeUse{cuts: true}, 12},
	} {
		g := Group{Name: x.name, Rules: x.rules, asked: new(tally), counts: true}
		if x.needs != "" && !has[x.needs] {
			g.Skipped, g.short = "the layer has no method "+x.needs, "no such methods"
		}
		asked := g.asked
		g.alone = func(t *rapid.T) error {
			for range x.times {
				p := drawStoreProgram(t, x.use)
				p.count(asked)
				if err := KeyValues(mk, p); err != nil {
					return err
				}
			}
			return nil
		}
		g.Prop = func(t *rapid.T) {
			if err := g.alone(t); err != nil {
				t.Fatal(err)
			}
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// probeStore opens a store to find which methods a layer has.
func probeStore(mk KeyValueMaker) (has map[string]bool, own []gen.OwnOp, err error) {
	l, err := mk()
	if err != nil {
		return nil, nil, err
	}
	has = map[string]bool{}
	_, has["Restart"] = l.(Restarter)
	if o, ok := l.(KeyValueOperator); ok {
		has["KeyValueOperations"] = true
		for _, x := range o.KeyValueOperations() {
			own = append(own, gen.OwnOp{Name: x.Name, Effect: x.Effect})
		}
	}
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		h, err := l.OpenStore(c, storeNames[0])
		if err != nil {
			return err
		}
		_, has["Keys"] = h.(KeyValueLister)
		_, has["PutAll"] = h.(KeyValueCollective)
		return h.Close()
	})
	return has, own, errors.Join(err, closeLayer(l))
}

// closeLayer closes a layer that is an io.Closer.
func closeLayer(l any) error {
	if c, ok := l.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
