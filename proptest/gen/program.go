package gen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A Use is a set of features that programs may use.
type Use uint32

// Features that programs may use besides reading and writing at explicit offsets and
// syncing.
const (
	Views Use = 1 << iota
	Representations
	Collectives
	IndividualPointers
	SharedPointers
	OrderedAccesses
	NonblockingAccesses
	SplitAccesses
	Sizes
	AtomicMode
	Reopening
	IncompleteSyncs
	FileHints
	OutstandingAccesses // with NonblockingAccesses or SplitAccesses

	Everything Use = 1<<iota - 1
)

// Features that programs use only if asked to, because not every layer, or not every
// program that runs programs, supports them.
const (
	Shapes     Use = 1 << (iota + 16) // orders of operations that bugs need, and blocks of many sizes
	SyncAlls                          // syncs in one call
	FarOffsets                        // all offsets are about 2^31, 2^32 or 2^40
	NoConflict                        // no two ranks use a byte between two syncs, unless both read
	TwoHandles                        // each rank has two handles of the file
	TwoFiles                          // each rank has a second file open
)

// Limits bound the size of programs and the features that they may use.
type Limits struct {
	Ranks int  // at most
	Ops   int  // at most
	Exact bool // exactly Ranks and Ops
	Use   Use
}

// Programs draws programs that break no rule of the standard. Accesses of different ranks
// may conflict; the values that are then read are undetermined, but everything else is
// determined.
func Programs(l Limits) *rapid.Generator[*Program] {
	menu := l.menu()
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: l.Ranks}
		if !l.Exact {
			p.Ranks = rapid.IntRange(1, max(1, l.Ranks)).Draw(t, "ranks")
		}
		m := maker{T: t, Limits: l, menu: menu, ranks: p.Ranks, same: true}
		p.ConflictFree = m.can(NoConflict)
		if m.can(FarOffsets) {
			m.round = fars[m.even("far", len(fars))]
			p.Far = m.round - m.int64("before", 24)
			m.far = p.Far
		}
		if m.can(Shapes) {
			m.grain = grains[m.even("grain", len(grains))]
			if m.Use&(Views|Representations) != 0 {
				m.grain = min(m.grain, 64)
			}
			if m.far > 0 {
				m.grain = min(m.grain, 512)
			}
		}
		switch {
		case m.can(TwoHandles):
			p.Second = SameFile
		case m.can(TwoFiles):
			p.Second = OtherFile
		}
		m.second = p.Second
		shaped := m.can(Shapes) && !l.Exact && m.int("shaped", 3) > 0
		if shaped {
			p.Ops = m.pieces(max(1, l.Ops))
		} else if l.Exact {
			for len(p.Ops) < l.Ops {
				p.Ops = append(p.Ops, m.op())
			}
		} else {
			// A slice, so that rapid can drop one operation from the middle.
			p.Ops = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Op { m.T = t; return m.op() }), 1, max(1, l.Ops)).Draw(t, "ops")
		}
		if l.Use&FileHints != 0 {
			p.Hints = fileHints.Draw(t, "info")
		}
		p.Seed = rapid.Uint64().Draw(t, "schedule")
		if m.can(Shapes) {
			p.Schedule = schedule(t)
		}
		p.repair()
		return p
	})
}

// Near is how many bytes at the beginning of the file a program with far offsets may
// touch: a bug that truncates offsets moves far bytes there.
const Near = 64

// fars are offsets that do not fit in 32 bits, signed or not, or in the digits of a
// float64. The last is the first such offset in each of three stripes.
var fars = []int64{1 << 31, 1 << 32, 1 << 40, 3 << 31}

// schedule draws how ranks run: most often at random by the seed; else by priorities, in
// turn, or free.
func schedule(t *rapid.T) string {
	switch rapid.IntRange(0, 9).Draw(t, "run") {
	case 6, 7:
		return fmt.Sprintf("pct:3:%d", rapid.IntRange(0, 999).Draw(t, "priorities"))
	case 8:
		return "roundrobin"
	case 9:
		return Free
	}
	return ""
}

// menu lists the operations that may be drawn, the most common ones more than once.
func (l Limits) menu() []Do {
	menu := []Do{Write, Read, Sync, Write, Read}
	for _, x := range []struct {
		use Use
		do  Do
	}{
		{Views, SetView},
		{Representations, SetView},
		{IndividualPointers, Seek},
		{SharedPointers | OrderedAccesses, SeekShared},
		{Sizes, SetSize},
		{Sizes, Preallocate},
		{AtomicMode, Atomic},
		{Reopening, Reopen},
		{OutstandingAccesses, Finish},
	} {
		if l.Use&x.use != 0 {
			menu = append(menu, x.do)
		}
	}
	return menu
}

// A maker draws one program, and tracks the state that later operations depend on.
type maker struct {
	*rapid.T
	Limits
	menu  []Do
	ranks int
	same  bool // all ranks have one view
	grain int64
	far   int64 // before the first byte of the program
	round int64 // the power of two near far
	view  bool  // a view is set

	second Second
}

// Base returns the offset near which accesses lie, in the present view.
func (m *maker) Base() int64 {
	if m.view {
		return 0
	}
	return m.far
}

// forget makes all handles new.
func (m *maker) forget() { m.same, m.view = true, false }

func (m *maker) can(u Use) bool { return m.Use&u == u }

func (m *maker) int(name string, most int) int { return rapid.IntRange(0, most).Draw(m.T, name) }

func (m *maker) int64(name string, most int64) int64 {
	return rapid.Int64Range(0, most).Draw(m.T, name)
}

// op draws one operation.
func (m *maker) op() Op {
	o := m.anyOp()
	if m.second != NoSecond {
		ops := []Op{o}
		m.divide(ops)
		o = ops[0]
	}
	return o
}

func (m *maker) anyOp() Op {
	o := Op{Do: m.menu[m.int("what", len(m.menu)-1)]}
	switch o.Do {
	case Write, Read:
		m.access(&o)
		return o
	case Sync:
		if m.can(IncompleteSyncs) && m.int("whole", 3) == 3 {
			o.Lacks = Lack(m.int("lacks", int(ReaderSync)))
		}
		o.One = o.Lacks == Nothing && m.can(SyncAlls) && rapid.Bool().Draw(m.T, "one call")
	case SetView:
		o.Views = m.views()
		m.view = true
	case Seek:
		o.Whence = []iofile.Whence{iofile.SeekSet, iofile.SeekCur, iofile.SeekEnd}[m.int("whence", 2)]
		o.Off, o.Step = m.int64("off", 6), m.int64("step", 2)
		if m.far > 0 && !m.view {
			o.Whence, o.Off = iofile.SeekSet, o.Off+m.far
		}
	case SeekShared:
		if !m.same {
			return Op{Do: Sync, All: true}
		}
		o.Off = m.Base() + m.int64("off", 6)
	case SetSize, Preallocate:
		o.Size = m.far + m.int64("size", 40)
		if m.far > 0 {
			o.Do = SetSize // it does not allocate
		}
	case Atomic:
		o.On = rapid.Bool().Draw(m.T, "on")
	case Reopen:
		m.forget()
	case Finish:
		o.Which = m.int("which", 3)
	}
	o.All = true
	return o
}

func (m *maker) access(o *Op) {
	o.All = m.can(Collectives) && rapid.Bool().Draw(m.T, "all")
	if !o.All {
		o.Rank = m.int("rank", m.ranks-1)
	}
	o.At = m.pointer(o.All)
	m.formOf(o)
	if o.At == Explicit {
		o.Off = m.place("off")
		if o.All {
			o.Step = m.int64("step", 4)
		}
	}
	o.N = m.int64("n", 5)
	if m.grain > 1 && m.int("blocks", 5) == 5 {
		o.N = m.length("n")
	}
	if o.All {
		o.More = m.int64("more", 1)
	}
}

// formOf makes an access nonblocking or split, where that is allowed.
func (m *maker) formOf(o *Op) {
	switch form := Form(m.int("form", int(Split))); {
	case form == Nonblocking && m.can(NonblockingAccesses) && (o.At != Shared || !o.All),
		form == Split && m.can(SplitAccesses) && o.All:
		o.Form = form
		o.Late = m.can(OutstandingAccesses) && rapid.Bool().Draw(m.T, "late")
	}
}

func (m *maker) pointer(all bool) Pointer {
	if m.Use&(IndividualPointers|SharedPointers|OrderedAccesses) == 0 {
		return Explicit
	}
	switch p := Pointer(m.int("pointer", int(Shared))); {
	case p == Individual && m.can(IndividualPointers):
		return p
	case p == Shared && m.same && (all && m.can(OrderedAccesses) || !all && m.can(SharedPointers)):
		return p
	}
	return Explicit
}

// views draws a view for each rank: the same for all, or complementary ones.
func (m *maker) views() []iofile.View {
	rep := "native"
	if m.can(Representations) {
		rep = []string{"native", "external32"}[m.int("rep", 1)]
	}
	etype, disp := Etype().Draw(m.T, "etype"), m.int64("disp", 9)
	if !m.can(Views) {
		disp = 0
	}
	disp += m.far
	m.same = !m.can(Views) || m.ranks == 1 || !rapid.Bool().Draw(m.T, "complementary")
	if !m.same {
		return partition(m.T, m.ranks, etype, disp, rep)
	}
	var ft *types.Type = etype
	if m.can(Views) {
		ft = Filetype(m.T, etype)
	}
	all := make([]iofile.View, m.ranks)
	for r := range all {
		all[r] = iofile.View{Disp: disp, Etype: etype, Filetype: ft, Rep: rep}
	}
	return all
}

// AtomicPrograms draws programs in atomic mode: between the first operations and the
// last, single ranks read and write the same few bytes in no order. Every access is at
// least as long as an int, so a torn one shows.
func AtomicPrograms(ranks, ops int) *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: rapid.IntRange(1, ranks).Draw(t, "ranks"), Ops: []Op{{Do: Atomic, All: true, On: true}}}
		access := rapid.Custom(func(t *rapid.T) Op {
			return Op{
				Do:   Do(rapid.IntRange(0, 1).Draw(t, "read")),
				Rank: rapid.IntRange(0, p.Ranks-1).Draw(t, "rank"),
				Off:  rapid.Int64Range(0, 3).Draw(t, "off"),
				N:    rapid.Int64Range(4, 8).Draw(t, "n"),
			}
		})
		p.Ops = append(p.Ops, rapid.SliceOfN(access, 1, ops).Draw(t, "accesses")...)
		p.Seed = rapid.Uint64().Draw(t, "schedule")
		return p
	})
}
