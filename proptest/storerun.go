package proptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// storeNames are the names of the stores of programs.
var storeNames = [...]string{"s", "t"}

// KeyValues runs a program on a new store and compares what ranks find with the definition of
// [KeyValueLayer]. If the program has power cuts, the layer must be a [Restarter].
func KeyValues(mk KeyValueMaker, p *StoreProgram) error {
	l, err := mk()
	if err != nil {
		return fmt.Errorf("no layer: %w", err)
	}
	run := &storeRun{p: p, l: l, model: newStoreModel(), seen: make([][]storeSeen, len(p.Ops))}
	for k := range run.seen {
		run.seen[k] = make([]storeSeen, p.Ranks)
	}
	if err = errors.Join(run.lives(), closeLayer(run.l)); err != nil {
		return fmt.Errorf("%v%w", p, err)
	}
	return nil
}

// A storeRun is one run of a program on a store.
type storeRun struct {
	p     *StoreProgram
	l     KeyValueLayer
	model *storeModel
	seen  [][]storeSeen // by operation and rank

	mu    sync.Mutex
	from  int
	next  int
	armed bool
}

// lives runs the program from power cut to power cut, and to the end.
func (run *storeRun) lives() error {
	for i := range run.p.Cuts {
		r, ok := run.l.(Restarter)
		if !ok {
			return errors.New("the layer is not a Restarter: its power cannot be cut")
		}
		cut := run.p.Cuts[i]
		if err := run.life(&cut, r.Power()); err != nil {
			return err
		}
		if err := run.model.judge(run.p, run.seen, run.from, run.next); err != nil {
			return err
		}
		run.model.crash()
		r.Power().restore(run.p.Seed + uint64(i))
		next, err := r.Restart()
		if err == nil {
			if run.l, ok = next.(KeyValueLayer); !ok {
				err = errors.New("the restarted layer is not a KeyValueLayer")
			}
		}
		if err == nil {
			err = run.check()
		}
		if err != nil {
			return fmt.Errorf("after power cut %d of %d, in %v: %w", i+1, len(run.p.Cuts), cut, err)
		}
		run.from = run.next
	}
	if err := run.life(nil, nil); err != nil {
		return err
	}
	if err := run.model.judge(run.p, run.seen, run.from, len(run.p.Ops)); err != nil {
		return err
	}
	run.model.sync(false)
	run.model.sync(true)
	if err := run.check(); err != nil {
		return fmt.Errorf("after the last close: %w", err)
	}
	return nil
}

// life runs the ranks up to a power cut, or to the end.
func (run *storeRun) life(cut *gen.PowerCut, power *Power) error {
	if run.armed = cut == nil; cut != nil && cut.Op < run.from {
		run.armed = true
		power.arm(cut.Call)
	}
	w := newWatchdog(&gen.Program{Ranks: run.p.Ranks})
	w.call = func(k int) string {
		if k < len(run.p.Ops) {
			return run.p.Ops[k].String()
		}
		return ""
	}
	err := w.over(timeLimit(), func(ctx context.Context) error {
		return world.Run(ctx, run.p.Ranks, func(_ context.Context, c *comm.Comm) error {
			w.enter(c.Rank(), -1)
			defer w.leave(c.Rank())
			return run.rank(c, cut, power, w)
		}, world.Replay(run.p.order()), world.Unchecked())
	})
	if power != nil && power.isOff() {
		return nil // ranks ended in any way
	}
	return err
}

// open opens the stores on a rank.
func (run *storeRun) open(c *comm.Comm) (all []KeyValueHandle, err error) {
	for i := range storeNames {
		if i == 0 || run.p.Two {
			h, err := run.l.OpenStore(c, storeNames[i])
			if err != nil {
				return nil, fmt.Errorf("open of store %q fails: %w", storeNames[i], err)
			}
			all = append(all, h)
		}
	}
	return all, nil
}

func (run *storeRun) rank(c *comm.Comm, cut *gen.PowerCut, power *Power, w *watchdog) error {
	all, err := run.open(c)
	if err != nil {
		return err
	}
	for k := run.from; k < len(run.p.Ops); k++ {
		w.enter(c.Rank(), k)
		run.begin(c.Rank(), k, cut, power)
		if err := run.step(c, all, k); err != nil {
			return fmt.Errorf("rank %d, operation %d, %v, fails: %w", c.Rank(), k, &run.p.Ops[k], err)
		}
		run.seen[k][c.Rank()].done = true
	}
	w.enter(c.Rank(), len(run.p.Ops))
	if cut != nil {
		if err := c.Barrier(); err != nil {
			return err
		}
		power.cut()
		return nil
	}
	for _, h := range all {
		err = errors.Join(err, h.Close())
	}
	return err
}

// begin records that a rank begins an operation, and arms the power cut in it.
func (run *storeRun) begin(rank, k int, cut *gen.PowerCut, power *Power) {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.seen[k][rank].begun = true
	run.next = max(run.next, k+1)
	if !run.armed && k >= cut.Op {
		run.armed = true
		power.arm(cut.Call)
	}
}

func (run *storeRun) step(c *comm.Comm, all []KeyValueHandle, k int) (err error) {
	o, me := &run.p.Ops[k], c.Rank()
	if !o.all() && o.Rank != me {
		return nil
	}
	i := 0
	if o.Second {
		i = 1
	}
	h, see := all[i], &run.seen[k][me]
	switch o.Do {
	case StorePut:
		return putChanged(h.Put, o, me, k)
	case StorePutAll:
		return putChanged(h.(KeyValueCollective).PutAll, o, me, k)
	case StoreDelete:
		return h.Delete(o.key(me))
	case StoreGet:
		var v []byte
		v, err = h.Get(o.key(me))
		see.value = valueOf(v)
	case StoreKeys:
		see.keys, err = h.(KeyValueLister).Keys()
	case StoreSync:
		return h.Sync()
	case StoreReopen:
		if err = h.Close(); err == nil {
			err = c.Barrier()
		}
		if err == nil {
			all[i], err = run.l.OpenStore(c, storeNames[i])
		}
	case StoreOwn:
		return run.own(c, h, o)
	}
	return err
}

// putChanged puts a value, and then changes the memory, as a program may.
func putChanged(put func(key, value []byte) error, o *StoreOp, rank, k int) error {
	key, value := o.key(rank), o.value(rank, k)
	err := put(key, value)
	fillBytes(key, 0xa5)
	fillBytes(value, 0xa5)
	return err
}

func (run *storeRun) own(c *comm.Comm, h KeyValueHandle, o *StoreOp) error {
	l, ok := run.l.(KeyValueOperator)
	if !ok {
		return fmt.Errorf("the layer has no operation %q", o.Name)
	}
	for _, x := range l.KeyValueOperations() {
		if x.Name != o.Name {
			continue
		}
		if o.Effect != gen.Empties {
			return x.Call(c, h)
		}
		for _, call := range []func() error{h.Sync, func() error { return x.Call(c, h) }, h.Sync} {
			if err := call(); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("the layer has no operation %q", o.Name)
}

// check reads all keys on one rank, and lists them.
func (run *storeRun) check() error {
	return world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		all, err := run.open(c)
		if err != nil {
			return err
		}
		for i, h := range all {
			if err := run.checkStore(h, i > 0); err != nil {
				return err
			}
		}
		for _, h := range all {
			err = errors.Join(err, h.Close())
		}
		return err
	}, world.Unchecked())
}

func (run *storeRun) checkStore(h KeyValueHandle, second bool) error {
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
			key := string(o.key(r))
			if o.Do > StorePutAll || o.Second != second || asked[key] {
				continue
			}
			asked[key] = true
			v, err := h.Get([]byte(key))
			if may := run.model.may(storeKey{second, key}, noRank); err == nil && !slices.Contains(may, valueOf(v)) {
				err = fmt.Errorf("found %v, want %s", valueOf(v), anyOf(may))
			}
			if err != nil {
				return fmt.Errorf("key %s: %w", quotedKey(key), err)
			}
		}
	}
	return nil
}

// noRank is the rank of a reader that has put nothing.
const noRank = -1
