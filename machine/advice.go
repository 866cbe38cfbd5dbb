package machine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/iofile/strategy"
)

// A Settings has the settings that advice may change: the striping of files, the strategy,
// and which calls make the accesses.
type Settings struct {
	Machine  Machine
	Options  Options
	Together bool     // accesses are calls of all ranks, even if the program's are not
	Offsets  bool     // accesses have offsets that ranks compute, in place of the shared pointer
	Apart    bool     // each rank has its own file
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
	where := "here"
	if a.Machine.Fitted != "" {
		where = "on your machine"
	}
	text := fmt.Sprintf("%s: %s less time %s (%s)", strings.Join(a.Set, ", "), times(a.Faster), where, seconds(a.Report.Seconds))
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

// Advise looks for settings under which p takes less time on m than in base, its report: offsets in place of a shared
// pointer, collective calls, strategies, numbers of aggregators, striping, a file for each rank. It runs each of them
// in the model. The best comes last; each one before it is a step towards it. If no change makes the program a
// twentieth faster, Advise returns nothing. When ctx ends it returns the steps found so far, with an error.
func Advise(ctx context.Context, m Machine, p Program, o Options, base *Report) ([]Advice, error) {
	a := &adviser{ctx: ctx, p: p, base: base, best: base, now: Settings{Machine: m, Options: o}}
	a.alike, a.pointers = alike(&p)
	for _, options := range []func(Settings) []Settings{
		a.offsets, a.striping, a.collective, a.aggregators, a.striping, a.between, a.aggregators, a.files,
	} {
		if err := a.try(options(a.now)); err != nil {
			return a.taken, err
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

	alike    bool // all ranks make the same calls on the same files
	pointers bool // some of them with a shared pointer
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
		if a.now.Options.Progress != nil {
			a.now.Options.Progress(strings.Join(s.Set, ", "))
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
	if s.Apart || slices.ContainsFunc(s.Set, func(set string) bool { return strings.HasPrefix(set, "striping_") }) {
		p = p.WithoutStriping()
	}
	if s.Offsets {
		p = p.withOffsets()
	}
	if s.Apart {
		return p.apart()
	}
	if !s.Together {
		return p
	}
	call := p.Call
	p.Call = func(rank, i int) Call {
		c := call(rank, i)
		if isAccess(&c) && c.Pointer == Explicit {
			c.Together = true
		}
		return c
	}
	return p
}

func isAccess(c *Call) bool { return c.Op == Write || c.Op == Read }

// withOffsets returns p with collective accesses at offsets in place of those with a shared pointer. Before each, the
// ranks add up the lengths of the ranks before them. All ranks make the same calls.
func (p Program) withOffsets() Program {
	call, n := p.Call, p.Calls(0)
	var at []int // of the new program: the call of p, or -1-i for the sum before call i
	for i := range n {
		if c := call(0, i); isAccess(&c) && c.Pointer != Explicit {
			at = append(at, -1-i)
		}
		at = append(at, i)
	}
	p.Calls = func(int) int { return len(at) }
	p.Call = func(rank, i int) Call {
		if k := at[i]; k < 0 {
			c := call(rank, -1-k)
			return Call{Op: Collective, Kind: Allreduce, Group: c.Group, Bytes: 8, Number: 1<<62 + int64(-k), Label: "exscan"}
		}
		c := call(rank, at[i])
		if isAccess(&c) && c.Pointer != Explicit {
			c.Pointer, c.Together = Explicit, true
		}
		return c
	}
	return p
}

// apart returns p with a file for each rank in place of each file.
func (p Program) apart() Program {
	call := p.Call
	p.Call = func(rank, i int) Call {
		c := call(rank, i)
		if c.File != "" {
			c.File, c.Together = c.File+"."+strconv.Itoa(rank), false
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

// says returns the settings with a change of calls, in words, first.
func (s Settings) says(change string) Settings {
	s.Set = append([]string{change}, s.Set...)
	return s
}

// offsets returns settings without a shared pointer.
func (a *adviser) offsets(s Settings) []Settings {
	if !a.alike || !a.pointers {
		return nil
	}
	t := s.says("computed offsets (exscan, then write_at_all) for the shared pointer")
	t.Offsets = true
	u := t.set("romio_cb_write", "enable").set("romio_cb_read", "enable")
	two := u.twoPhase()
	two.Read, two.Write = strategy.Enable, strategy.Enable
	u.Options.Strategy = two
	return []Settings{t, u}
}

// knownStripes is the largest number of stripes that was seen to help on a published Lustre machine.
const knownStripes = 80

// mostStripes returns the largest number of stripes that advice may ask for.
func (m *Machine) mostStripes() int {
	if m.driver() == strategy.UFS {
		return m.Servers
	}
	return min(m.Servers, knownStripes)
}

// striping returns settings with other numbers and sizes of stripes.
func (a *adviser) striping(s Settings) (list []Settings) {
	most := s.Machine.mostStripes()
	for count := 1; most > 1; count = min(4*count, most) {
		list = s.withStripes(list, count)
		if count == most {
			break
		}
	}
	for _, size := range []int64{1 << 20, 4 << 20, 16 << 20} {
		if m := &s.Machine; size != m.StripeSize {
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

// withStripes adds settings with that number of stripes to list, unless they are the present ones.
func (s Settings) withStripes(list []Settings, count int) []Settings {
	if count < 1 || count > s.Machine.mostStripes() || count == s.Machine.stripes() {
		return list
	}
	t := s.set("striping_factor", fmt.Sprint(count))
	t.Machine.StripeCount = count
	return append(list, t)
}

// between returns settings with numbers of stripes around the present one.
func (a *adviser) between(s Settings) (list []Settings) {
	n := s.Machine.stripes()
	for _, count := range []int{n / 2, 3 * n / 4, 3 * n / 2, 2 * n, 3 * n} {
		list = s.withStripes(list, count)
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
	if !s.Together && a.alike && !a.pointers {
		t = t.says("collective calls (write_all for write)")
		t.Together = true
		list = append(list, t)
	}
	return list
}

// aggregators returns settings with other numbers of aggregators.
func (a *adviser) aggregators(s Settings) (list []Settings) {
	if _, ok := s.Options.Strategy.(strategy.TwoPhase); !ok && s.Options.Strategy != nil {
		return nil
	}
	n, nodes := s.Machine.stripes(), (a.p.Ranks-1)/s.Machine.RanksPerNode+1
	for _, k := range []int{1, n / 4, n / 2, 3 * n / 4, n, 3 * n / 2, 2 * n, 4 * n} {
		if k < 1 || k > a.p.Ranks || slices.ContainsFunc(list, func(o Settings) bool { return o.twoPhase().Nodes == k }) {
			continue
		}
		t, two := s.set("cb_nodes", fmt.Sprint(k)), s.twoPhase()
		two.Nodes = k
		if k > nodes && s.Machine.driver() != strategy.Cray {
			t = t.set("cb_config_list", fmt.Sprintf("*:%d", (k-1)/nodes+1))
		}
		if two.PerServer = 0; k >= 2*n && s.Machine.driver() == strategy.Lustre {
			two.PerServer = k / n
			t = t.set("romio_lustre_co_ratio", fmt.Sprint(two.PerServer))
		}
		t.Options.Strategy = two
		list = append(list, t)
	}
	return list
}

// files returns settings with a file for each rank.
func (a *adviser) files(s Settings) []Settings {
	if !a.alike || a.pointers || a.p.Ranks == 1 || s.Machine.Servers == 1 {
		return nil
	}
	t := Settings{Machine: s.Machine, Options: a.now.Options, Apart: true}
	t.Machine.StripeCount = 1
	return []Settings{t.set("striping_factor", "1").says("a file for each rank")}
}

func (s Settings) twoPhase() strategy.TwoPhase {
	two, _ := s.Options.Strategy.(strategy.TwoPhase)
	return two
}

// alike reports whether all ranks make the same calls on the same files, so that their accesses can be collective, and
// whether some use a shared pointer.
func alike(p *Program) (same, pointers bool) {
	n := p.Calls(0)
	for i := range n {
		switch first := p.Call(0, i); {
		case first.Op == Send || first.Op == Receive:
			return false, false
		case isAccess(&first) && first.Pointer != Explicit:
			pointers = true
		}
	}
	for rank := 1; rank < p.Ranks; rank++ {
		if p.Calls(rank) != n {
			return false, false
		}
		for i := range n {
			if x, y := p.Call(0, i), p.Call(rank, i); x.Op != y.Op || x.File != y.File || x.Group != y.Group || x.Pointer != y.Pointer {
				return false, false
			}
		}
	}
	return true, pointers
}
