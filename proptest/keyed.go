package proptest

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// objectNames are the names of the stores, or of the data sets, of programs.
var objectNames = [...]string{"s", "t"}

// A syncing is a handle of a key-value store or of a data set. Both calls are collective.
type syncing interface {
	Sync() error
	Close() error
}

// A keyed is a run of a program on layers of type L with handles of type H: key-value stores,
// or libraries of arrays.
type keyed[L any, H syncing] struct {
	p     *gen.Program
	l     L
	model *visibility
	seen  [][]finding // by operation and rank
	known [][]int64   // see gen.Program.Known; of this life

	openOne func(l L, c *comm.Comm, name string) (H, error)
	access  func(run *keyed[L, H], h H, rank, k int, see *finding) error
	counts  func(h H, see *finding) error // counts records after a sync; may be nil
	readAll func(run *keyed[L, H], h H, second bool) error
	own     func(l L) []OperationOn[H]
}

func (run *keyed[L, H]) use(l L) { run.l = l }

func (run *keyed[L, H]) begin(from int) {
	run.known = run.p.Known(from, [2]int64{run.model.records[0].least, run.model.records[1].least})
	run.seen = make([][]finding, len(run.p.Ops))
	for k := range run.seen {
		run.seen[k] = make([]finding, run.p.Ranks)
	}
}

// opened opens the stores or data sets on a rank.
func (run *keyed[L, H]) opened(c *comm.Comm) (all []H, err error) {
	for i, name := range objectNames {
		if i == 0 || run.p.Second == gen.OtherFile {
			h, err := run.openOne(run.l, c, name)
			if err != nil {
				return nil, fmt.Errorf("the open of %q fails: %w", name, err)
			}
			all = append(all, h)
		}
	}
	return all, nil
}

func (run *keyed[L, H]) open(c *comm.Comm, _ *watchdog) (session, error) {
	all, err := run.opened(c)
	return &keyedSession[L, H]{run, c, all}, err
}

func (run *keyed[L, H]) judge(from, to int) error { return run.model.judge(run.p, run.seen, from, to) }

func (run *keyed[L, H]) crashed() { run.model.crash() }

// check reads everything on one rank.
func (run *keyed[L, H]) check(last bool) error {
	if last {
		run.model.sync(false)
		run.model.sync(true)
	}
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		all, err := run.opened(c)
		if err != nil {
			return err
		}
		for i, h := range all {
			if err := run.readAll(run, h, i > 0); err != nil {
				return err
			}
		}
		for _, h := range all {
			err = errors.Join(err, h.Close())
		}
		return err
	}, world.Unchecked())
	if err != nil && last {
		return fmt.Errorf("after the last close: %w", err)
	}
	return err
}

// A keyedSession is one rank's part of a life.
type keyedSession[L any, H syncing] struct {
	run *keyed[L, H]
	c   *comm.Comm
	all []H
}

func (s *keyedSession[L, H]) begin(k int) { s.run.seen[k][s.c.Rank()].begun = true }

func (s *keyedSession[L, H]) close() (err error) {
	for _, h := range s.all {
		err = errors.Join(err, h.Close())
	}
	return err
}

func (s *keyedSession[L, H]) step(k int) error {
	o, me := &s.run.p.Ops[k], s.c.Rank()
	see := &s.run.seen[k][me]
	if o.By(me) {
		if err := s.perform(o, k, see); err != nil {
			return &OpError{s.run.p, k, err}
		}
	}
	see.done = true
	return nil
}

func (s *keyedSession[L, H]) perform(o *gen.Op, k int, see *finding) (err error) {
	i := numberOf(o.Second)
	switch h := s.all[i]; o.Do {
	case gen.Sync:
		err = h.Sync()
	case gen.Reopen:
		if err = h.Close(); err == nil {
			err = s.c.Barrier()
		}
		if err == nil {
			s.all[i], err = s.run.openOne(s.run.l, s.c, objectNames[i])
		}
	case gen.Own:
		err = s.own(h, o)
	default:
		return s.run.access(s.run, h, s.c.Rank(), k, see)
	}
	if err == nil && s.run.counts != nil {
		err = s.run.counts(s.all[i], see)
	}
	return err
}

// own performs an operation of the layer's own. One that removes everything comes between
// syncs.
func (s *keyedSession[L, H]) own(h H, o *gen.Op) error {
	call, err := ownCall(s.run.own(s.run.l), o.Name)
	if err != nil {
		return err
	}
	if o.Effect != gen.Empties {
		return call(s.c, h)
	}
	for _, call := range []func() error{h.Sync, func() error { return call(s.c, h) }, h.Sync} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}
