package proptest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// A subject is a layer of type L that runs a program, from power cut to power cut, with the
// judge of its results.
type subject[L any] interface {
	use(l L)                                           // the layer of the next life
	begin(from int)                                    // a life, with the operations from there on
	open(c *comm.Comm, dog *watchdog) (session, error) // on a rank
	judge(from, to int) error                          // the results of operations [from, to) of a life
	crashed()                                          // the power is cut
	check(last bool) error                             // reads everything on one rank
}

// A session is one rank's part of a life.
type session interface {
	begin(k int)
	step(k int) error // the error names the operation
	close() error
}

// A livesRun is one run of a program on a subject.
type livesRun[L any] struct {
	p *gen.Program
	l L
	s subject[L]

	mu    sync.Mutex
	from  int // the first operation of this life
	next  int // the first operation that no rank has begun
	armed bool
}

// runLives runs a program on a new layer: a life for each power cut, and one to the end. Without
// power cuts there is one life.
func runLives[L any](mk func() (L, error), p *gen.Program, s subject[L]) error {
	l, err := mk()
	if err != nil {
		return fmt.Errorf("no layer: %w", err)
	}
	run := &livesRun[L]{p: p, l: l, s: s}
	s.use(l)
	return explain(p, errors.Join(run.all(), closeLayer(run.l)))
}

func (run *livesRun[L]) all() error {
	for i := range run.p.Cuts {
		r, ok := any(run.l).(RestarterOf[L])
		if !ok {
			return errors.New("the layer is not a Restarter: its power cannot be cut")
		}
		if err := run.life(&run.p.Cuts[i], r.Power()); err != nil {
			return run.after(i, err)
		}
		run.s.crashed()
		r.Power().restore(run.p.Seed + uint64(i))
		next, err := r.Restart()
		if err != nil {
			return run.after(i+1, fmt.Errorf("the layer cannot be restarted: %w", err))
		}
		run.l = next
		run.s.use(next)
		if err := run.s.check(false); err != nil {
			return run.after(i+1, err)
		}
		run.from = run.next
	}
	run.next = len(run.p.Ops)
	err := run.life(nil, nil)
	if err == nil {
		err = run.s.check(true)
	}
	return run.after(len(run.p.Cuts), err)
}

// after names the last of the power cuts before an error.
func (run *livesRun[L]) after(cuts int, err error) error {
	if err == nil || cuts == 0 {
		return err
	}
	return fmt.Errorf("after power cut %d of %d, in %v: %w", cuts, len(run.p.Cuts), run.p.Cuts[cuts-1], err)
}

// life runs the ranks from one power cut to the next, or to the end if cut is nil, and judges
// what they found.
func (run *livesRun[L]) life(cut *gen.PowerCut, power *Power) error {
	run.s.begin(run.from)
	run.armed = cut == nil
	if cut != nil && cut.Op < run.from {
		run.armed = true
		power.arm(cut.Call)
	}
	w := newWatchdog(run.p)
	err := w.over(timeLimit(), func(ctx context.Context) error {
		return world.Run(ctx, run.p.Ranks, func(_ context.Context, c *comm.Comm) error {
			return run.rank(c, w, cut, power)
		}, manner{}.options(run.p)...)
	})
	if err != nil && (power == nil || !power.isOff()) {
		return err
	}
	return run.s.judge(run.from, run.next)
}

// rank runs one rank.
func (run *livesRun[L]) rank(c *comm.Comm, w *watchdog, cut *gen.PowerCut, power *Power) error {
	w.enter(c.Rank(), -1)
	defer w.leave(c.Rank())
	s, err := run.s.open(c, w)
	if err != nil {
		return err
	}
	for k := run.from; k < len(run.p.Ops); k++ {
		w.enter(c.Rank(), k)
		run.begin(k, cut, power)
		s.begin(k)
		if err := s.step(k); err != nil {
			return err
		}
	}
	w.enter(c.Rank(), len(run.p.Ops))
	if cut == nil {
		return s.close()
	}
	if err := c.Barrier(); err != nil {
		return err
	}
	power.cut()
	return nil
}

// begin records that a rank begins an operation, and arms the power cut in it.
func (run *livesRun[L]) begin(k int, cut *gen.PowerCut, power *Power) {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.next = max(run.next, k+1)
	if !run.armed && k >= cut.Op {
		run.armed = true
		power.arm(cut.Call)
	}
}
