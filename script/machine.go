package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// arch returns the architecture of a rank.
func (s *Script) arch(rank int) *reps.Arch {
	for _, m := range s.Machines {
		if m.Rank == rank {
			return m.Arch.WithMarkers(s.Markers)
		}
	}
	return host.WithMarkers(s.Markers)
}

// likeHost reports whether memory of a looks like that of host.
func likeHost(a *reps.Arch) bool { return a.WithMarkers(types.Sticky) == host }

// archs returns the architectures of the ranks, each once.
func (s *Script) archs() []*reps.Arch {
	all := []*reps.Arch{host}
	for _, m := range s.Machines {
		if !slices.Contains(all, m.Arch) {
			all = append(all, m.Arch)
		}
	}
	return all
}

// world returns the options of a world that the script asks for.
func (s *Script) world() []world.Option {
	opts := []world.Option{world.Arch(world.AllRanks, host.WithMarkers(s.Markers))}
	for _, m := range s.Machines {
		opts = append(opts, world.Arch(m.Rank, m.Arch.WithMarkers(s.Markers)))
	}
	return opts
}

// machine reads the architecture of a rank.
func (p *parser) machine(at int) {
	if p.s.Ranks == 0 || len(p.s.Blocks) > 0 {
		p.line.pos = at
		p.fail("give the machines of ranks after the number of ranks and before the first block")
		return
	}
	m := Machine{Line: p.line.no, Rank: p.rank()}
	if p.failed() {
		return
	}
	if slices.ContainsFunc(p.s.Machines, func(o Machine) bool { return o.Rank == m.Rank }) {
		p.fail("rank %d has a machine already", m.Rank)
		return
	}
	p.line.space()
	at = p.line.pos
	a, err := reps.ParseArch(p.line.word())
	if err != nil {
		p.line.pos = at
		p.expected("an architecture: " + archNames())
		return
	}
	m.Arch = a
	p.s.Machines = append(p.s.Machines, m)
}

// markers reads the force of bounds.
func (p *parser) markers(at int) {
	if p.marked || len(p.s.Blocks) > 0 {
		p.line.pos = at
		p.fail("give the markers once, before the first block")
		return
	}
	p.marked = true
	p.s.Markers = choose(p, "sticky or weak", []named[types.Markers]{{"sticky", types.Sticky}, {"weak", types.Weak}})
}

// archNames returns the names of the architectures.
func archNames() string {
	var names []string
	for _, a := range reps.Archs() {
		names = append(names, strings.ToLower(a.String()))
	}
	return strings.Join(names, ", ")
}

// String returns the machine as scripts write it.
func (m Machine) String() string {
	return fmt.Sprintf("machine %d %s", m.Rank, strings.ToLower(m.Arch.String()))
}

// soundMachines checks the machines of a script that a program may have built itself.
func (s *Script) soundMachines() error {
	var seen []int
	if s.Markers > types.Weak {
		return fmt.Errorf("script: markers %d: there are types.Sticky and types.Weak", s.Markers)
	}
	for _, m := range s.Machines {
		switch {
		case m.Rank < 0 || m.Rank >= s.Ranks:
			return fmt.Errorf("script: a machine for rank %d: the ranks are 0 to %d", m.Rank, s.Ranks-1)
		case slices.Contains(seen, m.Rank):
			return fmt.Errorf("script: rank %d has two machines", m.Rank)
		case !slices.Contains(reps.Archs(), m.Arch):
			return fmt.Errorf("script: the machine of rank %d: use one of reps.Archs()", m.Rank)
		}
		seen = append(seen, m.Rank)
	}
	return nil
}

// onHost converts packed items of t from the memory of a machine to that of host, so that
// results look alike wherever they come from. Of an item with a byte that no rank wrote, all
// bytes count as such. An item that is cut at the end is left out.
func onHost(a *reps.Arch, packed []byte, blank []bool, t *types.Type) ([]byte, []bool, error) {
	if likeHost(a) || len(packed) == 0 {
		return packed, blank, nil
	}
	native, err := reps.Lookup("native", a)
	if err != nil {
		return nil, nil, err
	}
	form, err := inForm(native, packed, t, a)
	if err != nil {
		return nil, nil, err
	}
	sig := t.Signature()
	n, _ := sig.ItemsIn(int64(len(packed)), a)
	out := make([]byte, sig.BytesBefore(n, host))
	if err := native.Decode(out, form, host, sig, 0, n); err != nil || blank == nil {
		return out, nil, err
	}
	marks := make([]bool, len(out))
	from, to := int64(0), int64(0)
	for i := range n {
		k := sig.At(i % sig.Len())
		size, wide := a.Sizeof(k), host.Sizeof(k)
		if slices.Contains(blank[from:from+size], true) {
			for j := range wide {
				marks[to+j] = true
			}
		}
		from, to = from+size, to+wide
	}
	return out, marks, nil
}
