package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/machine"
)

// On runs the world in the time of a model of machine m: [comm.Comm.WTime] is the model's
// time, which messages, collectives and accesses to files advance, according to the plans
// of their files' strategies. The strategy is [strategy.ROMIO] unless [Strategy], the file or
// its hints choose another, so collective calls move their bytes in two phases, as on a real
// system. Computing takes no time unless [machine.Compute] says so. The bytes still move and
// every check still runs. The [Report] of the run contains the model's report: the time of
// each rank by purpose, servers, tokens, the critical path. Which calls cost time, and which
// are free, is as for [Record]; docs/machine.md states the assumptions.
//
// If a rank asks for the time again without a call in between, the model lets it compute for
// a microsecond, so that loops that wait for time to pass end. The model does not schedule
// the ranks: one runs at a time, as under [Seed](0) unless another option says otherwise, so
// a receive from any source may take another message than on the machine. The same program
// has the same report. Error of [Run]: ErrArg for an invalid machine, and together with an
// [Engine].
func On(m machine.Machine) Option {
	return func(o *options) error {
		if err := m.Check(); err != nil {
			return fmt.Errorf("On: %w", err)
		}
		if err := o.nodes(m.RanksPerNode); err != nil {
			return err
		}
		o.cluster.Stripe, o.cluster.Stripes, o.cluster.Servers = m.StripeSize, m.StripeCount, m.Servers
		if m.StripeCount == 0 {
			o.cluster.Stripes = m.Servers
		}
		t, r := o.wanted(), o.recorder()
		if r.watch == nil {
			t.writers = append(t.writers, writer{"the model's report", func(s *sched.Sched) (err error) {
				t.model, err = r.report()
				if s.Cause() != nil { // the recorded calls may be incomplete
					err = nil
				}
				return err
			}})
		}
		r.watch = &watched{machine: m}
		o.idle = r.idle
		o.wrap = r.follow
		return nil
	}
}

// A watched is the state of a world that runs in the time of a machine.
type watched struct {
	machine machine.Machine
	live    *machine.Live // from the first time that a rank asks for the time
	asked   []int         // number of calls of each rank when it last asked, plus one
	waits   []bool        // ranks that wait for the time
	ended   []bool
	ranks   []*sched.Rank
}

// report returns the cost of the calls.
func (r *recorder) report() (*machine.Report, error) {
	return machine.Run(context.Background(), r.watch.machine, r.program(), machine.Options{})
}

// follow returns body with its end recorded.
func (r *recorder) follow(body func(context.Context, *comm.Comm) error) func(context.Context, *comm.Comm) error {
	return func(ctx context.Context, c *comm.Comm) error {
		defer func() {
			if w := r.watch; w.live != nil {
				w.live.End(c.Rank())
			} else {
				w.end(c.Rank(), len(r.calls))
			}
		}()
		return body(ctx, c)
	}
}

func (w *watched) end(rank, ranks int) {
	if w.ended == nil {
		w.ended = make([]bool, ranks)
	}
	w.ended[rank] = true
}

// Now returns the time of a rank. It waits until no other rank can do anything earlier. It
// returns false in a world that has no model.
func (r *recorder) Now(thread *sched.Rank) (float64, bool) {
	w, rank := r.watch, thread.ID()
	if w == nil {
		return 0, false
	}
	if w.live == nil && !r.begin() {
		return 0, true
	}
	if w.asked[rank] == len(r.calls[rank])+1 {
		r.add(rank, machine.Call{Op: machine.Work, Seconds: look}, "WTime", thread.Place())
	}
	w.asked[rank] = len(r.calls[rank]) + 1
	w.ranks[rank] = thread
	for {
		t, done := w.live.Now(rank)
		if done {
			return t, true
		}
		w.waits[rank] = true
		w.live.Ask(rank)
		if err := thread.Park(asking{}); err != nil || !w.waits[rank] {
			w.waits[rank] = false
			t, _ = w.live.Now(rank)
			return t, true
		}
	}
}

// look is the time that a rank takes to read its clock again.
const look = 1e-6

// asking is a rank's reason to wait while it asks for the time.
type asking struct{}

func (asking) String() string { return "WTime" }

// begin begins to follow the clocks, and reports whether it could.
func (r *recorder) begin() bool {
	w, n := r.watch, len(r.calls)
	live, err := machine.NewLive(context.Background(), w.machine, n, machine.Options{})
	if err != nil { // the machine was checked before
		return false
	}
	w.live, w.asked, w.waits, w.ranks = live, make([]int, n), make([]bool, n), make([]*sched.Rank, n)
	for rank := range n {
		for _, c := range r.calls[rank] {
			live.Add(rank, c)
		}
		if w.ended != nil && w.ended[rank] {
			live.End(rank)
		}
	}
	return true
}

// idle wakes a rank that waits for the time, when no rank can run: the one with the earliest
// time, because its next call comes before those of the others. It reports whether it woke
// one.
func (r *recorder) idle() bool {
	w := r.watch
	if w == nil || w.live == nil {
		return false
	}
	rank, ok, _ := w.live.Next()
	if !ok { // a rank waits in the model for an event that will never happen: the run fails
		rank = slices.Index(w.waits, true)
	}
	if rank < 0 {
		return false
	}
	w.waits[rank] = false
	w.ranks[rank].Wake()
	return true
}
