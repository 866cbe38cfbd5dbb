package gen

import (
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A Use is a set of things that programs may do.
type Use uint16

// What programs may do besides reading and writing by explicit offset and
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

// Limits say how large programs are and what they may do.
type Limits struct {
	Ranks int  // at most
	Ops   int  // at most
	Exact bool // exactly so many
	Use   Use
}

// Programs draws programs that break no rule of the standard: what they may
// not do in the state that they are in, they do not do. Accesses of different
// ranks may conflict; what is then read is not determined, but everything
// else is.
func Programs(l Limits) *rapid.Generator[*Program] {
	menu := l.menu()
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: l.Ranks}
		if !l.Exact {
			p.Ranks = rapid.IntRange(1, max(1, l.Ranks)).Draw(t, "ranks")
		}
		m := maker{T: t, Limits: l, menu: menu, ranks: p.Ranks, same: true}
		if l.Exact {
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
		return p
	})
}

// menu lists what may be drawn, the most common things more than once.
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

// A maker draws one program, and keeps the state that later operations must
// respect.
type maker struct {
	*rapid.T
	Limits
	menu  []Do
	ranks int
	same  bool // all ranks have one view
}

func (m *maker) can(u Use) bool { return m.Use&u == u }

func (m *maker) int(name string, most int) int { return rapid.IntRange(0, most).Draw(m.T, name) }

func (m *maker) int64(name string, most int64) int64 {
	return rapid.Int64Range(0, most).Draw(m.T, name)
}

func (m *maker) op() Op {
	o := Op{Do: m.menu[m.int("what", len(m.menu)-1)]}
	switch o.Do {
	case Write, Read:
		m.access(&o)
		return o
	case Sync:
		if m.can(IncompleteSyncs) && m.int("whole", 3) == 3 {
			o.Lacks = Lack(m.int("lacks", int(ReaderSync)))
		}
	case SetView:
		o.Views = m.views()
	case Seek:
		o.Whence = []iofile.Whence{iofile.SeekSet, iofile.SeekCur, iofile.SeekEnd}[m.int("whence", 2)]
		o.Off, o.Step = m.int64("off", 6), m.int64("step", 2)
	case SeekShared:
		if !m.same {
			return Op{Do: Sync, All: true}
		}
		o.Off = m.int64("off", 6)
	case SetSize, Preallocate:
		o.Size = m.int64("size", 40)
	case Atomic:
		o.On = rapid.Bool().Draw(m.T, "on")
	case Reopen:
		m.same = true
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
	switch form := Form(m.int("form", int(Split))); {
	case form == Nonblocking && m.can(NonblockingAccesses) && (o.At != Shared || !o.All),
		form == Split && m.can(SplitAccesses) && o.All:
		o.Form = form
		o.Late = m.can(OutstandingAccesses) && rapid.Bool().Draw(m.T, "late")
	}
	if o.At == Explicit {
		o.Off = m.int64("off", 6)
		if o.All {
			o.Step = m.int64("step", 4)
		}
	}
	o.N = m.int64("n", 5)
	if o.All {
		o.More = m.int64("more", 1)
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

// views draws a view for each rank: one for all, or complementary ones.
func (m *maker) views() []iofile.View {
	rep := "native"
	if m.can(Representations) {
		rep = []string{"native", "external32"}[m.int("rep", 1)]
	}
	etype, disp := Etype().Draw(m.T, "etype"), m.int64("disp", 9)
	if !m.can(Views) {
		disp = 0
	}
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

// AtomicPrograms draws programs in atomic mode: between the first operations
// and the last, single ranks read and write the same few bytes in no order.
// Every access is as long as an int or more, so that a torn one shows.
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
