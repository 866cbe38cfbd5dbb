package proptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// A KeyValueLayer is a key-value store under test, which ranks of a communicator use
// together. It may also be a [KeyValueOperator], a [RestarterOf] key-value layers and an
// io.Closer.
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

// A KeyValueOperation is an operation of a store's own.
type KeyValueOperation = OperationOn[KeyValueHandle]

// A KeyValueMaker makes a new, empty store for one program.
type KeyValueMaker func() (KeyValueLayer, error)

// KeyValueConformance checks a key-value store as [Conformance] checks a file: by random
// programs of puts, gets, deletes, syncs, reopens and, if the layer has them, lists,
// collective puts, own operations and power cuts. mk makes a new, empty layer for each.
func KeyValueConformance(t *testing.T, mk KeyValueMaker, opts ...Option) {
	t.Helper()
	groups, err := KeyValueGroups(mk, opts...)
	if err != nil {
		t.Fatal(err)
	}
	checkGroups(t, groups, testLine())
}

// KeyValueGroups returns the properties that [KeyValueConformance] checks.
func KeyValueGroups(mk KeyValueMaker, opts ...Option) ([]Group, error) {
	s := settingsWith(24, opts)
	err := s.only("key-value stores", Collectives, Listing, TwoFiles, Operating, Restarting)
	if err != nil {
		return nil, err
	}
	has, own, err := probeStore(mk)
	if err != nil {
		return nil, err
	}
	var groups []Group
	for _, x := range []struct {
		name, rules string
		needs       Capability
		method      string // that shows it
		use         gen.StoreUse
		times       int // programs of one check
	}{
		{"values", "CONS-SYNC-01 values of keys, before syncs and after", "", "", gen.StoreUse{}, 4},
		{"lists", "CONS-SYNC-01 lists of keys", Listing, "Keys", gen.StoreUse{Lists: true}, 4},
		{"together", "CONS-SYNC-01 puts of all ranks at one time", Collectives, "PutAll", gen.StoreUse{Together: true}, 4},
		{"stores", "CONS-SYNC-01 two stores on each rank", TwoFiles, "OpenStore", gen.StoreUse{Two: true}, 4},
		{"operations", "CONS-SYNC-01 operations of the layer's own", Operating, "KeyValueOperations", gen.StoreUse{Own: own}, 12},
		{"crashes", "CONS-SYNC-01 power cuts anywhere, recovery, and on", Restarting, "Restart", gen.StoreUse{Cuts: true}, 12},
	} {
		g := programGroup(x.name, x.rules, "KeyValues", x.times, func(p *gen.Program) error { return KeyValues(mk, p) })
		g.draw = gen.StorePrograms(s.limits(), x.use)
		if x.needs != "" {
			g.unless(&s, x.needs, missing(has[x.needs], x.method))
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// probeStore opens a store to find which methods a layer has.
func probeStore(mk KeyValueMaker) (has map[Capability]bool, own []gen.OwnOp, err error) {
	l, err := mk()
	if err != nil {
		return nil, nil, err
	}
	has = map[Capability]bool{TwoFiles: true}
	_, has[Restarting] = l.(RestarterOf[KeyValueLayer])
	own = ownOps(keyValueOperations(l))
	has[Operating] = own != nil
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		h, err := l.OpenStore(c, objectNames[0])
		if err != nil {
			return err
		}
		_, has[Listing] = h.(KeyValueLister)
		_, has[Collectives] = h.(KeyValueCollective)
		return h.Close()
	})
	return has, own, errors.Join(err, closeLayer(l))
}

func keyValueOperations(l KeyValueLayer) []KeyValueOperation {
	if o, ok := l.(KeyValueOperator); ok {
		return o.KeyValueOperations()
	}
	return nil
}

// closeLayer closes a layer that is an io.Closer.
func closeLayer(l any) error {
	if c, ok := l.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// KeyValues runs a program, see [gen.StorePrograms], on a new store and compares what ranks find
// with the definition of [KeyValueLayer]. If the program has power cuts, the layer must be a
// [RestarterOf] key-value layers.
func KeyValues(mk KeyValueMaker, p *gen.Program) error {
	return runLives(mk, p, &keyed[KeyValueLayer, KeyValueHandle]{
		p: p, model: newVisibility(), openOne: KeyValueLayer.OpenStore, access: accessStore, readAll: readStore, own: keyValueOperations,
	})
}

type storeRun = keyed[KeyValueLayer, KeyValueHandle]

// accessStore performs an operation on a store.
func accessStore(run *storeRun, h KeyValueHandle, rank, k int, see *finding) (err error) {
	o := &run.p.Ops[k]
	key := o.KeyBytes(rank)
	switch o.Do {
	case gen.Put:
		return putChanged(h.Put, o, rank, k)
	case gen.PutAll:
		all, ok := h.(KeyValueCollective)
		if !ok {
			return errors.New("the handle has no PutAll")
		}
		return putChanged(all.PutAll, o, rank, k)
	case gen.Delete:
		return h.Delete(key)
	case gen.Get:
		v, err := h.Get(key)
		see.values = []found{{place{o.Second, string(key), 0}, valueOf(v)}}
		return err
	case gen.Keys:
		l, ok := h.(KeyValueLister)
		if !ok {
			return errors.New("the handle has no Keys")
		}
		see.listed = true
		see.keys, err = l.Keys()
		return err
	}
	return errors.New("it is not an operation on a key-value store")
}

// putChanged puts a value, and then changes the memory, as a program may.
func putChanged(put func(key, value []byte) error, o *gen.Op, rank, k int) error {
	key, value := o.KeyBytes(rank), append([]byte{}, o.Values.Data(rank, k, o.N)...)
	err := put(key, value)
	fillBytes(key, 0xa5)
	fillBytes(value, 0xa5)
	return err
}

// readStore reads all keys of a store on one rank, and lists them.
func readStore(run *storeRun, h KeyValueHandle, second bool) error {
	if l, ok := h.(KeyValueLister); ok {
		keys, err := l.Keys()
		if err == nil {
			err = run.model.list(second, noRank, keys)
		}
		if err != nil {
			return err
		}
	}
	asked := map[string]bool{}
	for k := range run.p.Ops {
		o := &run.p.Ops[k]
		for r := range run.p.Ranks {
			key := o.KeyBytes(r)
			if len(key) == 0 || o.Second != second || asked[string(key)] {
				continue
			}
			asked[string(key)] = true
			v, err := h.Get(bytes.Clone(key))
			if err == nil {
				err = run.model.get(place{second, string(key), 0}, noRank, valueOf(v))
			}
			if err != nil {
				return fmt.Errorf("key %s: %w", gen.QuotedKey(string(key)), err)
			}
		}
	}
	return nil
}
