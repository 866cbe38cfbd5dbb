package proptest

import (
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
)

// PowerCuts runs a program with power cuts, see [gen.CrashPrograms], on a [Restarter]. After
// each cut it restarts the layer, reads the file on one rank, and goes on. Each byte must be
// the last one that was synced, or one that was written since; the file must not be shorter
// than the bytes that were synced, and not longer than all that was ever written.
// (CONS-SYNC-01 IO-CLOSE-01)
func PowerCuts(mk Maker, p *gen.Program) error {
	return runLives(mk, p, &crashRun{p: p, promised: newPromised(p.Ranks)})
}

// A crashRun is one run of a program with power cuts on files.
type crashRun struct {
	p        *gen.Program
	l        Layer
	promised *promised
	out      *trace
}

func (run *crashRun) use(l Layer)          { run.l, run.out = l, newTrace(run.p) }
func (run *crashRun) begin(int)            {}
func (run *crashRun) judge(int, int) error { return nil } // check does
func (run *crashRun) crashed()             { run.promised.crashed() }

func (run *crashRun) open(c *comm.Comm, dog *watchdog) (session, error) {
	pl := &player{l: run.l, c: c, p: run.p, out: run.out, dog: dog, handles: handlesOf(run.p)}
	pl.handle = pl.handles[0]
	return &crashSession{run, pl}, pl.open()
}

func newTrace(p *gen.Program) *trace {
	return &trace{seen: make([]observation, len(p.Ops)*p.Ranks), ranks: p.Ranks}
}

// A crashSession is one rank's part of a life.
type crashSession struct {
	run *crashRun
	pl  *player
}

func (s *crashSession) begin(int) {}

func (s *crashSession) step(k int) error {
	if err := s.run.step(s.pl, k); err != nil {
		return &OpError{s.run.p, k, err}
	}
	return nil
}

func (s *crashSession) close() error {
	err := s.pl.close()
	if err == nil {
		s.run.promised.synced(s.pl.c.Rank())
	}
	return err
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
func (run *crashRun) check(bool) error {
	t := &trace{}
	if err := t.reread(run.l, fileName, 0, 1<<20); err != nil {
		return fmt.Errorf("the file cannot be read: %w", err)
	}
	if t.endless {
		return fmt.Errorf("the file does not end: %d bytes were read", len(t.stored))
	}
	return run.promised.check(run.p, t.stored)
}
