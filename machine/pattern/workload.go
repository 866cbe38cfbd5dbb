package pattern

import (
	"fmt"
	"sync"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

// A Workload is a pattern with its parameters for a number of ranks.
type Workload struct {
	Name    string // the line it was made from
	Ranks   int
	Pattern *Pattern

	phases []phase

	mu      sync.Mutex
	layouts map[*types.Type]*types.Layout
}

// A Step is one call of a rank.
type Step struct {
	Op       machine.Op
	File     string
	Together bool            // a collective call of all ranks, or of all of Group
	Group    *machine.Group  // of a collective call; nil: all ranks
	Pointer  machine.Pointer // of an access
	Seconds  float64         // of Work

	// An access moves Count copies of Elem, from the Offset-th on, of a view: Filetype, made
	// of Elem, tiled from byte Disp of the file.
	Disp     int64
	Elem     *types.Type
	Filetype *types.Type // nil: Elem
	Views    bool        // all ranks set a view for this call, if it is not set yet
	Renew    bool        // they set it even if it is set: some rank has another view than before
	Offset   int64
	Count    int64
	Memory   *types.Type // one copy has the Count elements in memory; nil: they are adjacent

	Label string
}

// NewWorkload returns a workload of a program's own: calls returns the number of steps of
// a rank, step returns its i-th step, from 0. Both must return the same each time. The
// workload has no Pattern. Collective calls of a Group must come in the same order on all
// of its ranks.
func NewWorkload(name string, ranks int, calls func(rank int) int, step func(rank, i int) Step) *Workload {
	w := &Workload{Name: name, Ranks: ranks}
	w.some(calls, step)
	return w
}

// A phase is steps of the same kind: their number for each rank, and a function that
// returns the i-th.
type phase struct {
	count func(rank int) int
	step  func(rank, i int) Step
}

// all adds a step of all ranks.
func (w *Workload) all(s Step) {
	w.phases = append(w.phases, phase{func(int) int { return 1 }, func(int, int) Step { return s }})
}

// each adds n steps of each rank.
func (w *Workload) each(n int, step func(rank, i int) Step) {
	w.phases = append(w.phases, phase{func(int) int { return n }, step})
}

// some adds steps whose number depends on the rank.
func (w *Workload) some(count func(rank int) int, step func(rank, i int) Step) {
	w.phases = append(w.phases, phase{count, step})
}

// open and close add collective calls on one file. A barrier follows a close: without it
// a rank could read what another has written although nothing orders the two (CONS-C3).
func (w *Workload) open(file string) { w.all(Step{Op: machine.Open, File: file, Together: true}) }

func (w *Workload) close(file string) {
	w.all(Step{Op: machine.Close, File: file, Together: true})
	w.all(Step{Op: machine.Barrier})
}

// Steps returns the number of calls of rank.
func (w *Workload) Steps(rank int) (n int) {
	for i := range w.phases {
		n += w.phases[i].count(rank)
	}
	return n
}

// Step returns the i-th call of rank, from 0.
func (w *Workload) Step(rank, i int) Step {
	for k := range w.phases {
		p := &w.phases[k]
		n := p.count(rank)
		if i < n {
			return p.step(rank, i)
		}
		i -= n
	}
	panic("pattern: step out of range")
}

// Part returns the bytes of the file that an access touches. Error: if a type cannot be
// laid out.
func (w *Workload) Part(s *Step) (strategy.Part, error) {
	size := s.Elem.Size(types.Host)
	if s.Count == 0 {
		return strategy.Part{}, nil
	}
	tiles := extent.Flat()
	if s.Filetype != nil {
		l, err := w.layout(s.Filetype)
		if err != nil {
			return strategy.Part{}, err
		}
		tiles.L = l
	}
	tiles.Disp = s.Disp
	return strategy.Part{At: tiles, From: s.Offset * size, N: s.Count * size}, nil
}

// Describe returns a step as text: the call, its file and, of an access, its bytes.
func (w *Workload) Describe(s *Step) (string, error) {
	call := s.Op.String()
	if s.Op == machine.Barrier {
		return call, nil
	}
	switch {
	case s.Pointer == machine.Shared:
		call += "_shared"
	case s.Pointer == machine.Ordered:
		call += "_ordered"
	case s.Together && (s.Op == machine.Write || s.Op == machine.Read):
		call += "_all"
	case !s.Together && s.Op == machine.Open:
		call += " alone"
	}
	text := fmt.Sprintf("%s %s", call, s.File)
	if s.Op != machine.Write && s.Op != machine.Read {
		return text, nil
	}
	part, err := w.Part(s)
	if err != nil {
		return "", err
	}
	text += ": " + plain.Count(part.N, "byte")
	if part.N == 0 {
		return text, nil
	}
	runs := part.Pieces()
	first := part.At.At(part.From)
	if runs == 1 {
		text += fmt.Sprintf(" from byte %d", first)
	} else {
		text += fmt.Sprintf(" in %d runs, the first at byte %d", runs, first)
	}
	if s.Memory != nil {
		text += ", not adjacent in memory"
	}
	return text, nil
}

// layout returns the layout of t and caches it: ranks that repeat a view repeat the type.
func (w *Workload) layout(t *types.Type) (*types.Layout, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.layouts[t]; l != nil {
		return l, nil
	}
	l, err := t.Layout(types.Host)
	if err == nil {
		if len(w.layouts) >= keptLayouts {
			w.layouts = nil
		}
		if w.layouts == nil {
			w.layouts = map[*types.Type]*types.Layout{}
		}
		w.layouts[t] = l
	}
	return l, err
}

// keptLayouts is the number of layouts that a workload caches.
const keptLayouts = 1 << 14

// Program returns the workload as a program of the model. A part that cannot be computed
// becomes a call that the model refuses.
func (w *Workload) Program() machine.Program {
	return machine.Program{
		Name: w.Name, Ranks: w.Ranks, Calls: w.Steps,
		Call: func(rank, i int) machine.Call {
			s := w.Step(rank, i)
			c := machine.Call{Op: s.Op, File: s.File, Together: s.Together, Group: s.Group, Pointer: s.Pointer, Seconds: s.Seconds, Label: s.Label}
			if s.Op == machine.Write || s.Op == machine.Read {
				part, err := w.Part(&s)
				if err != nil {
					part = strategy.Part{N: -1} // refused by the model, with the rank's number
				}
				c.Part = part
			}
			return c
		},
	}
}

// A perRank caches one value per rank, computed when it is first asked for.
type perRank[T any] struct {
	mu   sync.Mutex
	kept map[int]T
	make func(rank int) T
}

func (p *perRank[T]) of(rank int) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.kept[rank]
	if !ok {
		if p.kept == nil {
			p.kept = map[int]T{}
		}
		v = p.make(rank)
		p.kept[rank] = v
	}
	return v
}
