package proptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// PowerCuts runs a program with power cuts, see [gen.CrashPrograms], on a [Restarter]. After
// each cut it restarts the layer, reads the file on one rank, and goes on. Each byte must be
// the last one that was synced, or one that was written since; the file must not be shorter
// than the bytes that were synced, and not longer than all that was ever written.
// (CONS-SYNC-01 IO-CLOSE-01)
func PowerCuts(mk Maker, p *gen.Program) error {
	l, err := mk()
	if err != nil {
		return fmt.Errorf("no layer: %w", err)
	}
	if _, ok := l.(Restarter); !ok {
		return errors.New("the layer is not a Restarter: its power cannot be cut")
	}
	run := &crashRun{p: p, l: l.(Restarter), promised: newPromised(p.Ranks)}
	err = run.all()
	if c, ok := run.l.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return explain(p, err)
}

// A crashRun is one run of a program with power cuts.
type crashRun struct {
	p        *gen.Program
	l        Restarter
	promised *promised

	mu    sync.Mutex
	from  int // the first operation of this life
	next  int // the first operation that no rank has begun
	armed bool
}

func (run *crashRun) all() error {
	for i := range run.p.Cuts {
		if err := run.life(&run.p.Cuts[i]); err != nil {
			return run.after(i, err)
		}
		run.l.Power().restore(run.p.Seed + uint64(i))
		next, err := run.l.Restart()
		if err != nil {
			return run.after(i+1, fmt.Errorf("the layer cannot be restarted: %w", err))
		}
		r, ok := next.(Restarter)
		if !ok {
			return errors.New("the restarted layer is not a Restarter")
		}
		run.l = r
		run.promised.crashed()
		if err := run.check(); err != nil {
			return run.after(i+1, err)
		}
		run.from = run.next
	}
	if err := run.life(nil); err != nil {
		return run.after(len(run.p.Cuts), err)
	}
	return run.after(len(run.p.Cuts), run.check())
}

// after names the last of the power cuts before an error.
func (run *crashRun) after(cuts int, err error) error {
	if err == nil || cuts == 0 {
		return err
	}
	return fmt.Errorf("after power cut %d of %d, in %v: %w", cuts, len(run.p.Cuts), run.p.Cuts[cuts-1], err)
}

// life runs the ranks from one power cut to the next, or to the end if cut is nil.
func (run *crashRun) life(cut *gen.PowerCut) error {
	power := run.l.Power()
	run.armed = cut == nil
	if cut != nil && cut.Op < run.from {
		run.armed = true
		power.arm(cut.Call)
	}
	w := newWatchdog(run.p)
	err := w.over(timeLimit(), func(ctx context.Context) error {
		return world.Run(ctx, run.p.Ranks, func(_ context.Context, c *comm.Comm) error {
			pl := &player{l: run.l.(Layer), c: c, p: run.p, out: newTrace(run.p), dog: w}
			return run.rank(pl, cut)
		}, manner{}.options(run.p)...)
	})
	if power.isOff() {
		return nil // ranks ended in any way
	}
	return err
}

func newTrace(p *gen.Program) *trace {
	return &trace{seen: make([]observation, len(p.Ops)*p.Ranks), ranks: p.Ranks}
}

// rank runs one rank.
func (run *crashRun) rank(pl *player, cut *gen.PowerCut) error {
	me := pl.c.Rank()
	pl.dog.enter(me, -1)
	defer pl.dog.leave(me)
	pl.handles = handlesOf(pl.p)
	pl.handle = pl.handles[0]
	if err := pl.open(); err != nil {
		return err
	}
	for k := run.from; k < len(run.p.Ops); k++ {
		pl.dog.enter(me, k)
		run.begin(k, cut)
		if err := run.step(pl, k); err != nil {
			return &OpError{run.p, k, err}
		}
	}
	pl.dog.enter(me, len(run.p.Ops))
	if cut == nil {
		err := pl.close()
		if err == nil {
			run.promised.synced(me)
		}
		return err
	}
	if err := pl.c.Barrier(); err != nil {
		return err
	}
	run.l.Power().cut()
	return nil
}

// begin records that a rank begins an operation, and arms the power cut in it.
func (run *crashRun) begin(k int, cut *gen.PowerCut) {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.next = max(run.next, k+1)
	if !run.armed && k >= cut.Op {
		run.armed = true
		run.l.Power().arm(cut.Call)
	}
}

// step performs an operation and records what it promises.
func (run *crashRun) step(pl *player, k int) error {
	o, me := &run.p.Ops[k], pl.c.Rank()
	switch {
	case o.Do == gen.Write && o.By(me):
		off, n := o.Args(me)
		mem := make([]byte, n)
		bytewise.fill(run.p.Values, mem, me, k)
		run.promised.begin(me, off, mem)
		err := pl.step(k)
		if err == nil {
			run.promised.completed(me, off, mem)
		}
		return err
	case o.Do == gen.Sync && !(o.One && pl.syncsAll()):
		if err := pl.f.Sync(); err != nil {
			return err
		}
		run.promised.synced(me)
		if err := pl.c.Barrier(); err != nil {
			return err
		}
		err := pl.f.Sync()
		run.promised.ordered(k)
		return err
	case o.Do == gen.Reopen:
		if err := pl.f.Close(); err != nil {
			return err
		}
		run.promised.synced(me)
		if err := pl.c.Barrier(); err != nil {
			return err
		}
		run.promised.ordered(k)
		return pl.open()
	case o.Do == gen.Sync:
		if err := pl.f.(SyncAllFile).SyncAll(); err != nil {
			return err
		}
		run.promised.synced(me)
		if err := pl.c.Barrier(); err != nil { // all ranks have their promise
			return err
		}
		run.promised.ordered(k)
		return nil
	}
	return pl.step(k)
}

func (pl *player) syncsAll() bool {
	_, ok := pl.f.(SyncAllFile)
	return ok
}

// check reads the file on one rank and compares it with what was promised.
func (run *crashRun) check() error {
	t := &trace{}
	if err := t.reread(run.l.(Layer), fileName, 0, 1<<20); err != nil {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	if t.endless {
		return fmt.Errorf("the file does not end: %d bytes were read", len(t.stored))
	}
	return run.promised.check(run.p, t.stored)
}
