package proptest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// Explored runs a program without conflicts (its ConflictFree is set) under every schedule
// that makes a difference, see [world.Explore], and judges each run as [Reference] does. The
// error names a schedule that replays the run. It explores the orders of messages, of accesses to
// this module's files and of the parts of ranks between scheduling points: Lock of a [Mutex],
// [comm.Comm.Yield], and calls of a [YieldingDisk] and the like. Ranks of the layer must
// influence each other by nothing else: no goroutines, no locks of package sync, and no memory
// that a rank changes and another reads without a scheduling point before.
func Explored(mk Maker, p *gen.Program, opts ...world.Option) (*world.Exploration, error) {
	if !p.ConflictFree {
		return nil, explain(p, errors.New("the program is not marked as one without conflicts; races have results that are not judged"))
	}
	setup := func() (func(context.Context, *comm.Comm) error, func() any) {
		l, err := mk()
		accounts := make([]*Account, p.Ranks)
		body := func(_ context.Context, c *comm.Comm) error {
			if err != nil {
				return fmt.Errorf("no layer: %w", err)
			}
			a, err := Rank(l, c, p)
			accounts[c.Rank()] = a
			return err
		}
		return body, func() any {
			if wrong := errors.Join(judgeAccounts(l, p, accounts), closeLayer(l)); wrong != nil {
				return wrong.Error()
			}
			return ""
		}
	}
	x, err := world.Explore(context.Background(), p.Ranks, setup, append([]world.Option{world.Unchecked()}, opts...)...)
	if err != nil {
		return x, explain(p, err)
	}
	for _, o := range x.Outcomes {
		if o.Err != nil {
			return x, explain(p, fmt.Errorf("under the schedule %s: %w", o.Witness, o.Err))
		}
		if wrong := o.Value.(string); wrong != "" {
			return x, explain(p, fmt.Errorf("under the schedule %s: %s", o.Witness, wrong))
		}
	}
	return x, nil
}

// judgeAccounts judges what all ranks saw, and the file if the layer is a [Storage].
func judgeAccounts(l Layer, p *gen.Program, accounts []*Account) (err error) {
	t := newTrace(p)
	for r, a := range accounts {
		for k := range a.seen {
			*t.of(k, r) = a.seen[k]
		}
	}
	if s, ok := l.(Storage); ok {
		if t.stored, err = s.Stored(fileName); err != nil {
			return err
		}
		t.hasStored = true
	}
	return judge(p, t)
}

// Exhaustive runs every program without conflicts of two ranks with at most ops operations,
// reads and writes of two bytes at bytes 0 and 1 and syncs, under every schedule that makes a
// difference, see [Explored]. The log says how many programs and schedules that were.
func Exhaustive(t *testing.T, mk Maker, ops int) {
	t.Helper()
	programs, schedules, partly := 0, 0, 0
	eachProgram(ops, func(p *gen.Program) {
		x, err := Explored(mk, p, world.Limit(world.Limits{Schedules: mostSchedules}))
		if err != nil {
			t.Fatal(err)
		}
		programs++
		schedules += x.Schedules
		if !x.Complete {
			partly++
		}
	})
	t.Logf("%d programs under %d schedules; %d programs have more outcomes than were tried", programs, schedules, partly)
}

// mostSchedules bounds the runs of one program.
const mostSchedules = 2000

// eachProgram calls do for each program of at most n operations. By symmetry the first access
// is by rank 0, and no program begins or ends with a sync.
func eachProgram(n int, do func(*gen.Program)) {
	var menu []gen.Op
	for _, what := range []gen.Do{gen.Write, gen.Read} {
		for rank := range 2 {
			for off := range int64(2) {
				menu = append(menu, gen.Op{Do: what, Rank: rank, Off: off, N: 2})
			}
		}
	}
	menu = append(menu, gen.Op{Do: gen.Sync, All: true})
	var extend func(ops []gen.Op)
	extend = func(ops []gen.Op) {
		if len(ops) > 0 && ops[len(ops)-1].Do != gen.Sync {
			p := &gen.Program{Ranks: 2, Ops: append([]gen.Op{}, ops...), ConflictFree: true}
			if !p.Legal() {
				return
			}
			do(p)
		}
		for _, o := range menu {
			if len(ops) < n && (len(ops) > 0 || o.Do != gen.Sync && o.Rank == 0) {
				extend(append(ops, o))
			}
		}
	}
	extend(nil)
}
