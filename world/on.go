package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
)

// On runs the world in the time of a model of machine m. [comm.Comm.WTime] returns the
// model's time. Messages, collectives and accesses to files advance it; an access does
// so by the plan of its file's strategy. The strategy is [strategy.ROMIO] unless
// [Strategy], the file or its hints choose another, so collective calls move their
// bytes in two phases, as on a real system. Computing takes no time unless
// [machine.Compute] says so. The bytes still move and every check still runs. The
// [Report] of the run contains the model's report: the time of each rank by purpose,
// servers, tokens, the critical path. The same calls cost time as for [Record];
// docs/machine.md states the assumptions.
//
// If a rank reads its clock again without a call in between, a microsecond is added, so that
// loops that wait for time to pass end. The model does not schedule the ranks: one runs at a
// time, as under [Seed](0) unless another option says otherwise, so a receive from any source
// may match another message than on the machine. Each run of a program gives the same report.
// Error of [Run]: ErrArg for an invalid machine, and together with an [Engine].
func On(m machine.Machine) Option {
	return func(o *options) error {
		if err := m.Check(); err != nil {
			return fmt.Errorf("On: %w", err)
		}
		if err := o.nodes(m.RanksPerNode); err != nil {
			return err
		}
		o.cluster.Stripe, o.cluster.Stripes, o.cluster.Servers = m.StripeSize, m.StripeCount, m.Servers
		driver, _ := strategy.DriverOf(m.Driver)
		o.cluster.Driver = uint8(driver)
		if m.StripeCount == 0 {
			o.cluster.Stripes = m.Servers
		}
		out, r := o.needOutputs(), o.recorder()
		if r.clock == nil { // On may be given twice: the last machine counts, and one report is enough
			out.writers = append(out.writers, writer{"the model's report", func(s *sched.Sched) (err error) {
				out.model, err = r.cost()
				if s.Cause() != nil { // the recorded calls may be incomplete
					err = nil
				}
				return err
			}})
		}
		r.clock = &modelClock{machine: m}
		o.idle = r.wakeEarliest
		o.wrap = r.recordEnd
		return nil
	}
}

// A modelClock gives a world the time of a model of a machine. Until a rank reads it for the first
// time, only calls and ended ranks are recorded; then start gives those to sim, and makes the slices
// with an element for each rank.
type modelClock struct {
	machine machine.Machine
	ended   []bool        // ranks; nil until the first has ended
	sim     *machine.Live // nil until a rank reads the clock
	calls   []int         // of each rank when it last read the clock, plus one
	parked  []bool        // ranks that wait in Now
	threads []*sched.Rank // those that have read the clock
}

// cost returns what the recorded calls cost.
func (r *recorder) cost() (*machine.Report, error) {
	return machine.Run(context.Background(), r.clock.machine, r.program(), machine.Options{})
}

// recordEnd returns body with its end recorded.
func (r *recorder) recordEnd(body func(context.Context, *comm.Comm) error) func(context.Context, *comm.Comm) error {
	return func(ctx context.Context, c *comm.Comm) error {
		defer func() { r.clock.end(c.Rank(), len(r.calls)) }()
		return body(ctx, c)
	}
}

func (k *modelClock) end(rank, ranks int) {
	if k.sim != nil {
		k.sim.End(rank)
		return
	}
	if k.ended == nil {
		k.ended = make([]bool, ranks)
	}
	k.ended[rank] = true
}

// Now returns the model's time of thread's rank. The rank waits until no other one can make a call
// at an earlier time. It returns false in a world that has no model.
func (r *recorder) Now(thread *sched.Rank) (float64, bool) {
	k := r.clock
	if k == nil {
		return 0, false
	}
	if k.sim == nil && !k.start(r.calls) {
		return 0, true
	}
	rank := thread.ID()
	if k.calls[rank] == len(r.calls[rank])+1 { // it has made no call since it last read the clock
		r.add(rank, machine.Call{Op: machine.Work, Seconds: clockReadSeconds}, "WTime", thread.Place())
	}
	k.calls[rank], k.threads[rank] = len(r.calls[rank])+1, thread
	return k.await(thread), true
}

// await returns the time of a rank when it is certain. If the world ends before, the time is that of
// the calls that the model has carried out.
func (k *modelClock) await(thread *sched.Rank) float64 {
	rank := thread.ID()
	for {
		t, certain := k.sim.Now(rank)
		if certain {
			return t
		}
		k.parked[rank] = true
		k.sim.Ask(rank)
		if err := thread.Park(waitForClock{}); err != nil || !k.parked[rank] { // the end, or wakeEarliest
			k.parked[rank] = false
			t, _ = k.sim.Now(rank)
			return t
		}
	}
}

// clockReadSeconds is the time that a rank takes to read its clock again.
const clockReadSeconds = 1e-6

// waitForClock is a rank's reason to wait in Now.
type waitForClock struct{}

func (waitForClock) String() string { return "WTime" }

// start starts the model with the calls that the ranks have made, and reports whether it could.
func (k *modelClock) start(calls [][]machine.Call) bool {
	n := len(calls)
	sim, err := machine.NewLive(context.Background(), k.machine, n, machine.Options{})
	if err != nil { // the machine was checked before
		return false
	}
	k.sim, k.calls, k.parked, k.threads = sim, make([]int, n), make([]bool, n), make([]*sched.Rank, n)
	for rank, made := range calls {
		for _, c := range made {
			sim.Add(rank, c)
		}
		if k.ended != nil && k.ended[rank] {
			sim.End(rank)
		}
	}
	return true
}

// wakeEarliest is called by the scheduler when no rank can run. It wakes the rank in Now whose time is
// the earliest, because its next call comes before those of the others, and reports whether there
// was one. If the model cannot go on, it wakes any of them, so that the run fails.
func (r *recorder) wakeEarliest() bool {
	k := r.clock
	if k == nil || k.sim == nil {
		return false
	}
	rank, ok, _ := k.sim.Next()
	if !ok {
		rank = slices.Index(k.parked, true)
	}
	if rank < 0 {
		return false
	}
	k.parked[rank] = false
	k.threads[rank].Wake()
	return true
}
