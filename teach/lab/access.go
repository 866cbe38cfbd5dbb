package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// madePlans collects the plans that the accesses of a run are carried out by.
type madePlans struct {
	mu  sync.Mutex
	all []*strategy.Plan // each once, in the order in which they were made
}

// option makes an open report its plans.
func (m *madePlans) option() iofile.OpenOption {
	return iofile.WithCallbacks(iofile.Callbacks{Plan: func(p *strategy.Plan) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if p != nil && !slices.Contains(m.all, p) {
			m.all = append(m.all, p)
		}
	}}).(iofile.OpenOption)
}

// An accessed is a data access of a run: a call of one rank, or a collective call.
type accessed struct {
	text  string
	write bool
	runs  map[int][]consistency.Run // by rank
}

// accessOf returns the access of a step; nil if it has none.
func accessOf(stage script.Stage) *accessed {
	a := &accessed{text: stage.String(), runs: map[int][]consistency.Run{}}
	for _, e := range stage.Events {
		if runs, write := e.Runs(); len(runs) > 0 {
			a.runs[e.Rank], a.write = runs, write
		}
	}
	if len(a.runs) == 0 {
		return nil
	}
	return a
}

// planned returns the plan in rounds by which aggregators carried out an access; nil if each
// rank moved its own bytes.
func (m *madePlans) planned(a *accessed) *strategy.Plan {
	for _, p := range m.all {
		if p.Rounds == 0 || p.Write != a.write {
			continue
		}
		moved := map[int][]consistency.Run{}
		for _, x := range p.Moves {
			moved[x.Rank] = append(moved[x.Rank], consistency.Run{Off: x.Off, Len: x.Len})
		}
		if maps.EqualFunc(moved, a.runs, func(x, y []consistency.Run) bool { return slices.Equal(joined(x), joined(y)) }) {
			return p
		}
	}
	return nil
}

// joined returns runs in the order of the file, with neighbours as one.
func joined(runs []consistency.Run) (all []consistency.Run) {
	for _, r := range slices.SortedFunc(slices.Values(runs), func(a, b consistency.Run) int { return cmp.Compare(a.Off, b.Off) }) {
		if n := len(all); n > 0 && all[n-1].Off+all[n-1].Len == r.Off {
			all[n-1].Len += r.Len
			continue
		}
		all = append(all, r)
	}
	return all
}

// exchangeOf draws the aggregators of a plan in rounds, their domains and what is sent.
func exchangeOf(p *strategy.Plan, ranks int) *picture.Drawing {
	d := &picture.Exchange{Ranks: ranks, Write: p.Write, Rounds: p.Rounds}
	d.Title = fmt.Sprintf("two phases: %v", p.Strategy)
	for _, m := range p.Moves {
		i := slices.IndexFunc(d.Sends, func(s picture.Send) bool { return s.Rank == m.Rank && s.Aggregator == m.Carrier })
		if i < 0 {
			i, d.Sends = len(d.Sends), append(d.Sends, picture.Send{Rank: m.Rank, Aggregator: m.Carrier})
		}
		d.Sends[i].Bytes += m.Len
		j := slices.IndexFunc(d.Domains, func(o picture.Owned) bool { return o.Rank == m.Carrier })
		if j < 0 {
			j, d.Domains = len(d.Domains), append(d.Domains, picture.Owned{Rank: m.Carrier, Lo: m.Off})
		}
		d.Domains[j].Lo, d.Domains[j].Hi = min(d.Domains[j].Lo, m.Off), max(d.Domains[j].Hi, m.Off+m.Len)
	}
	slices.SortFunc(d.Domains, func(a, b picture.Owned) int { return cmp.Compare(a.Lo, b.Lo) })
	return d.Draw()
}

// ran runs the program of a request and collects the plans of its accesses.
func (q *Request) ran(ctx context.Context) (*script.Report, *madePlans, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, nil, err
	}
	m := &madePlans{}
	o.Open = append(o.Open, m.option())
	rep, err := script.Run(ctx, s, o)
	return rep, m, err
}

// An offered is a step of a run that a pane offers.
type offered struct {
	Step int    `json:"step"`
	Text string `json:"text"`
}

// accesses lists the data accesses of a run.
func accesses(ctx context.Context, q *Request) (any, error) {
	rep, _, err := q.ran(ctx)
	if err != nil {
		return nil, err
	}
	all := []offered{}
	for i, stage := range rep.Stages() {
		if a := accessOf(stage); a != nil {
			all = append(all, offered{i + 1, a.text})
		}
	}
	return map[string]any{"accesses": all}, nil
}

// An accessAnswer has the requests of one access of a program: those that it makes, and those
// that other strategies would make.
type accessAnswer struct {
	Own *planOf `json:"own"`
	*planAnswer
}

// access plans one access of a run by each strategy, and as the program does it.
func access(ctx context.Context, q *Request) (any, error) {
	rep, made, err := q.ran(ctx)
	if err != nil {
		return nil, err
	}
	stages := rep.Stages()
	if q.Step < 1 || q.Step > len(stages) {
		return nil, &fieldError{"step", fmt.Errorf("step %d: this run has steps 1 to %d", q.Step, len(stages))}
	}
	a := accessOf(stages[q.Step-1])
	if a == nil {
		return nil, &fieldError{"step", fmt.Errorf("step %d moves no bytes of a file", q.Step)}
	}
	if q.Plan == nil {
		return nil, &fieldError{"plan", errors.New("the request has no access to plan")}
	}
	parts, err := a.parts(rep.Script.Ranks)
	if err != nil {
		return nil, err
	}
	x := &accessAnswer{}
	if x.planAnswer, err = comparePlans(q.Plan, parts, a.write); err != nil {
		return nil, err
	}
	d := &picture.Requests{Title: "as the program does it: each rank moves its own bytes", Data: dataOf(parts)}
	plan := made.planned(a)
	if plan == nil {
		if plan, err = strategy.NewPlan(strategy.Direct{}, a.write, false, parts); err != nil {
			return nil, err
		}
		own := drawPlan(d, plan, false)
		x.Own = &own
		return x, nil
	}
	d.Title = fmt.Sprintf("as the program does it: %v", plan.Strategy)
	own := drawPlan(d, plan, true)
	e := exchangeOf(plan, rep.Script.Ranks)
	own.Exchange, own.ExchangeWords = e.Fragment(), e.Description()
	x.Own = &own
	return x, nil
}

// parts returns the bytes of an access for planning.
func (a *accessed) parts(ranks int) ([]strategy.Part, error) {
	parts := make([]strategy.Part, ranks)
	total := int64(0)
	for rank, runs := range a.runs {
		var blocks []types.Block
		n := int64(0)
		for _, r := range runs {
			blocks = append(blocks, types.Block{Len: r.Len, Disp: r.Off})
			n += r.Len
		}
		l, err := types.HIndexed(blocks, types.Byte).Layout(types.Host)
		if err != nil {
			return nil, err
		}
		parts[rank] = strategy.Part{At: types.Tiling{L: l}, N: n}
		total += n
	}
	if total > maxPlannedBytes {
		return nil, fmt.Errorf("the access moves %s; at most %d are planned here", plain.Count(total, "byte"), maxPlannedBytes)
	}
	return parts, nil
}

const maxPlannedBytes = 1 << 19
