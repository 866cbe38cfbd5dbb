package machine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/iofile/strategy"
)

// A Settings has the settings that advice may change: the striping of files, the strategy,
// and whether the accesses are collective.
type Settings struct {
	Machine  Machine
	Options  Options
	Together bool     // accesses are calls of all ranks, even if the program's are not
	Set      []string // the user's settings that lead to it, such as "cb_nodes=8"
}

// Advice is a change that was run in the model.
type Advice struct {
	Settings
	Report   *Report
	Faster   float64 // the time before, divided by the time with it
	Requests float64 // the requests before, divided by those with it
}

// String returns the advice as one sentence.
func (a *Advice) String() string {
	text := fmt.Sprintf("%s: %s less time here (%s)", strings.Join(a.Set, ", "), times(a.Faster), seconds(a.Report.Seconds))
	switch {
	case a.Requests > 1.05:
		text += fmt.Sprintf(", %s fewer requests", times(a.Requests))
	case a.Requests > 0 && a.Requests < 0.95:
		text += fmt.Sprintf(", %s more requests", times(1/a.Requests))
	}
	return text
}

func times(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0fx", x)
	}
	return fmt.Sprintf("%.2gx", x)
}

// Advise looks for settings under which p takes less time on m than in base, its report:
// collective calls, strategies, numbers of aggregators, striping. It runs each of them in
// the model. The best comes last; each one before it is a step towards it. If no change
// makes the program a twentieth faster, Advise returns nothing.
func Advise(ctx context.Context, m Machine, p Program, o Options, base *Report) ([]Advice, error) {
	a := &adviser{ctx: ctx, p: p, base: base, best: base, now: Settings{Machine: m, Options: o}}
	for _, options := range []func(Settings) []Settings{a.striping, a.collective, a.aggregators, a.striping, a.aggregators} {
		if err := a.try(options(a.now)); err != nil {
			return nil, err
		}
	}
	return a.taken, nil
}

type adviser struct {
	ctx   context.Context
	p     Program
	base  *Report
	best  *Report
	now   Settings
	taken []Advice
}

// try runs the alternatives and keeps the best one if it is better than the present
// settings.
func (a *adviser) try(list []Settings) error {
	var best *Settings
	var report *Report
	for i := range list {
		s := &list[i]
		if s.Machine.Check() != nil {
			continue
		}
		r, err := Run(a.ctx, s.Machine, s.program(a.p), s.Options)
		if err != nil {
			return err
		}
		if report == nil || r.Seconds < report.Seconds {
			best, report = s, r
		}
	}
	if best == nil || report.Seconds > a.best.Seconds/1.05 {
		return nil
	}
	a.now, a.best = *best, report
	a.taken = append(a.taken, Advice{
		Settings: *best, Report: report, Faster: a.base.Seconds / report.Seconds, Requests: ratio(a.base.Requests(), report.Requests()),
	})
	return nil
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// program returns p with the calls that the settings ask for.
func (s *Settings) program(p Program) Program {
	if s.Options.Strategy != nil && len(s.Set) > 0 { // in place of the program's own choice
		p = p.WithoutStrategies()
	}
	if slices.ContainsFunc(s.Set, func(set string) bool { return strings.HasPrefix(set, "striping_") }) {
		p = p.WithoutStriping()
	}
	if !s.Together {
		return p
	}
	call := p.Call
	p.Call = func(rank, i int) Call {
		c := call(rank, i)
		if (c.Op == Write || c.Op == Read) && c.Pointer == Explicit {
			c.Together = true
		}
		return c
	}
	return p
}

// set returns the settings with key=value in place of an earlier value of key.
func (s Settings) set(key, value string) Settings {
	s.Set = slices.DeleteFunc(slices.Clone(s.Set), func(old string) bool { return strings.HasPrefix(old, key+"=") })
	s.Set = append(s.Set, key+"="+value)
	return s
}

// striping returns settings with other numbers and sizes of stripes.
func (a *adviser) striping(s Settings) (list []Settings) {
	m := &s.Machine
	for count := 1; m.Servers > 1; count = min(4*count, m.Servers) {
		if count != m.stripes() {
			t := s.set("striping_factor", fmt.Sprint(count))
			t.Machine.StripeCount = count
			list = append(list, t)
		}
		if count == m.Servers {
			break
		}
	}
	for _, size := range []int64{1 << 20, 4 << 20, 16 << 20} {
		if size != m.StripeSize {
			t := s.set("striping_unit", fmt.Sprint(size))
			if t.Machine.Lock.Unit == t.Machine.StripeSize {
				t.Machine.Lock.Unit = size
			}
			t.Machine.StripeSize = size
			list = append(list, t)
		}
	}
	return list
}

// collective returns settings with two-phase collective buffering, and collective calls
// if all ranks make the same calls.
func (a *adviser) collective(s Settings) []Settings {
	two := s.twoPhase()
	two.Read, two.Write = strategy.Enable, strategy.Enable
	t := s.set("romio_cb_write", "enable").set("romio_cb_read", "enable")
	t.Options.Strategy = two
	list := []Settings{t}
	if !s.Together && a.alike() {
		t.Together = true
		t.Set = append([]string{"collective calls (write_all for write)"}, t.Set...)
		list = append(list, t)
	}
	return list
}

// aggregators returns settings with other numbers of aggregators.
func (a *adviser) aggregators(s Settings) (list []Settings) {
	if _, ok := s.Options.Strategy.(strategy.TwoPhase); !ok && s.Options.Strategy != nil {
		return nil
	}
	n := s.Machine.stripes()
	for _, k := range []int{1, n / 4, n / 2, n, 2 * n, 4 * n} {
		if k < 1 || k > a.p.Ranks || slices.ContainsFunc(list, func(o Settings) bool { return o.twoPhase().Nodes == k }) {
			continue
		}
		t := s.set("cb_nodes", fmt.Sprint(k))
		two := s.twoPhase()
		two.Nodes = k
		t.Options.Strategy = two
		list = append(list, t)
	}
	return list
}

func (s Settings) twoPhase() strategy.TwoPhase {
	two, _ := s.Options.Strategy.(strategy.TwoPhase)
	return two
}

// alike reports whether all ranks make the same calls on the same files, so that their
// accesses can be collective.
func (a *adviser) alike() bool {
	n := a.p.Calls(0)
	for i := range n {
		switch first := a.p.Call(0, i); {
		case (first.Op == Write || first.Op == Read) && first.Pointer != Explicit, first.Op == Send, first.Op == Receive:
			return false
		}
	}
	for rank := 1; rank < a.p.Ranks; rank++ {
		if a.p.Calls(rank) != n {
			return false
		}
		for i := range n {
			if x, y := a.p.Call(0, i), a.p.Call(rank, i); x.Op != y.Op || x.File != y.File || x.Group != y.Group || x.Pointer != y.Pointer {
				return false
			}
		}
	}
	return true
}
