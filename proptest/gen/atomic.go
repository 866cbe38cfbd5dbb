package gen

import (
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
)

// AtomicPrograms draws programs in atomic mode: ranks read and write the same bytes in no
// order, with accesses of up to two blocks that begin and end near borders of blocks, through
// views with holes, by all pointers, collective, nonblocking and split, as far as l.Use allows.
// Some have few accesses, some as many as l.Ops.
func AtomicPrograms(l Limits) *rapid.Generator[*Program] {
	l.Use = l.Use&^(Sizes|Reopening|FarOffsets|TwoHandles|TwoFiles|NoConflict|Long|IncompleteSyncs) | Shapes
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: l.Ranks}
		if !l.Exact {
			p.Ranks = rapid.IntRange(min(2, l.Ranks), l.Ranks).Draw(t, "ranks")
		}
		m := &hotMaker{maker: maker{T: t, Limits: l, ranks: p.Ranks, sameViews: true}}
		p.Ops = m.draw()
		if m.can(Irregular) {
			m.makeIrregular(p.Ops)
		}
		if m.can(AnyValues) && m.uniform("other values", 4) == 3 {
			p.Values = Values(m.uniform("values", int(values)))
		}
		p.Seed = rapid.Uint64().Draw(t, "schedule")
		p.Schedule = drawSchedule(t)
		p.removeIllegal()
		return p
	})
}

// grains are sizes at which layers divide their locks.
var grains = []int64{1, 8, 16, 64, 64, 512, 4096, 4096, 65536}

// A hotMaker draws accesses of the same few bytes.
type hotMaker struct {
	maker
	hot int64    // offset of most accesses
	n   [2]int64 // their lengths
}

func (m *hotMaker) draw() []Op {
	ops := []Op{{Do: Atomic, All: true, On: true}}
	m.blockSize = grains[m.uniform("grain", len(grains))]
	if m.can(Views) && rapid.Bool().Draw(m.T, "viewed") {
		m.blockSize = min(m.blockSize, 512)
		ops = append(ops, m.view())
	}
	m.hot = m.place("hot")
	for i := range m.n {
		m.n[i] = m.length("n")
		if m.int("two blocks", 2) == 2 {
			m.n[i] = 2 * m.blockSize
		}
		m.n[i] = max(4, m.n[i])
	}
	if rapid.Bool().Draw(m.T, "there before") {
		ops = append(ops, Op{Do: Write, Off: 0, N: m.hot + 2*max(m.n[0], m.n[1])}, Op{Do: Sync, All: true})
	}
	most := max(1, min(m.Ops, 8))
	if m.uniform("many", 6) == 5 {
		most = max(1, m.Ops)
	}
	access := rapid.Custom(func(t *rapid.T) []Op { m.T = t; return m.step() })
	for _, some := range rapid.SliceOfN(access, 1, most).Draw(m.T, "accesses") {
		ops = append(ops, some...)
	}
	return ops
}

func (m *hotMaker) view() Op {
	m.viewSet = true
	return Op{Do: SetView, All: true, Views: m.views()}
}

// step draws an access, seldom with a sync or a seek before it.
func (m *hotMaker) step() []Op {
	var before []Op
	switch m.int("before", 15) {
	case 14:
		before = []Op{{Do: Sync, All: true}}
	case 15:
		before = []Op{{Do: Finish, All: true, Which: m.int("which", 3)}}
	case 13:
		if m.can(Views) {
			before = []Op{m.view()}
		}
	}
	o := Op{Do: []Do{Write, Read}[m.int("read", 1)], N: m.n[m.int("n", 1)]}
	o.All = m.canAny(Collectives|OrderedAccesses) && m.int("all", 3) == 3
	if !o.All {
		o.Rank = m.int("rank", m.ranks-1)
	}
	if m.int("by pointer", 2) == 2 {
		o.At = m.pointer(o.All)
	}
	if o.All && o.At != Shared && !m.can(Collectives) {
		o.All = false
	}
	o = m.withForm(o)
	switch {
	case o.At == Explicit:
		o.Off = max(0, m.hot+rapid.Int64Range(-3, 3).Draw(m.T, "off"))
	case o.At == Individual && m.int("seek", 1) == 1:
		before = append(before, Op{Do: Seek, All: true, Off: m.hot, Whence: iofile.SeekSet})
	case o.At == Shared && m.int("seek", 1) == 1:
		before = append(before, Op{Do: SeekShared, All: true, Off: m.hot})
	}
	return append(before, o)
}
