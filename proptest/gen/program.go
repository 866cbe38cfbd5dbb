package gen

import (
	"fmt"
	"slices"

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

// Further features, which Everything does not include: some layers, and some callers of this
// package, do not support them.
const (
	Shapes     Use = 1 << (iota + 16) // orders of operations that bugs need, and blocks of many sizes
	SyncAlls                          // syncs in one call
	FarOffsets                        // all offsets are about one of [FarStarts]
	NoConflict                        // no two ranks use a byte between two syncs, unless both read
	TwoHandles                        // each rank has two handles of the file
	TwoFiles                          // each rank has a second file open
	AnyValues                         // accesses write other bytes than marks, too; see [Values]
	Irregular                         // offsets and counts of collective accesses are each rank's own
	Long                              // some accesses have up to 4 MiB
)

// Limits bound the size of programs and the features that they may use.
type Limits struct {
	Ranks int  // greatest number of ranks
	Ops   int  // greatest number of operations
	Exact bool // always draw Ranks ranks and Ops operations
	Many  int  // greatest number of ranks of a few programs, if larger than Ranks
	Use   Use
	Own   []OwnOp // for OwnPrograms

	// Hints has hints of the layer's own, with their values, for programs with FileHints.
	Hints map[string][]string

	// Far has the elements of [FarStarts] that programs may use; nil: all.
	Far []int64
}

// Programs draws programs that break no rule of the standard. Accesses of different ranks
// may conflict; the values that are then read are undetermined, but everything else is
// determined.
func Programs(l Limits) *rapid.Generator[*Program] {
	menu, infos := l.menu(), hintsWith(l.Hints)
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: l.drawRanks(t)}
		m := maker{T: t, Limits: l, menu: menu, ranks: p.Ranks, sameViews: true}
		p.ConflictFree = m.can(NoConflict)
		if m.can(FarOffsets) {
			m.farStart = m.farStarts()[m.uniform("far", len(m.farStarts()))]
			p.Far = m.farStart - m.int64("before", 24)
		}
		switch {
		case m.can(TwoHandles):
			p.Second = SameFile
		case m.can(TwoFiles):
			p.Second = OtherFile
		}
		m.far, m.second = p.Far, p.Second
		m.drawBlockSize()
		p.Ops = m.drawOps()
		if m.can(Irregular) {
			m.makeIrregular(p.Ops)
		}
		if m.can(AnyValues) && rapid.Bool().Draw(t, "other values") {
			p.Values = Values(m.uniform("values", int(values)))
		}
		if m.can(FileHints) {
			p.Hints = infos.Draw(t, "info")
		}
		p.Seed = rapid.Uint64().Draw(t, "schedule")
		if m.can(Shapes) {
			p.Schedule = drawSchedule(t)
		}
		p.removeIllegal()
		return p
	})
}

// drawRanks draws the number of ranks of a program.
func (l *Limits) drawRanks(t *rapid.T) int {
	if l.Exact {
		return l.Ranks
	}
	ranks := rapid.IntRange(1, max(1, l.Ranks)).Draw(t, "ranks")
	if l.Many > l.Ranks && uniform(t, "many", 8) == 7 {
		ranks = rapid.IntRange(l.Ranks+1, l.Many).Draw(t, "many ranks")
	}
	return ranks
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
	menu      []Do
	ranks     int
	second    Second
	blockSize int64 // offsets and lengths are often close to a multiple of it
	far       int64 // Far of the program
	farStart  int64 // the element of farStarts that far is close to

	viewSet   bool  // a view was set since the last open
	viewBase  int64 // etypes of it before far; 0 if it begins there
	sameViews bool  // all ranks have the same view
}

// Near is how many bytes at the beginning of the file a program with far offsets may
// touch: a bug that truncates offsets moves far bytes there.
const Near = 64

// farStarts are offsets that do not fit in 32 bits, signed or not; whose blocks of 512 to 4096
// bytes have numbers that do not; and that do not fit in 40 or 48 bits. The last is the first
// such offset in each of three stripes.
var farStarts = []int64{1 << 31, 1 << 32, 1 << 40, 1 << 41, 1 << 43, 1 << 48, 3 << 31}

// FarStarts lists the offsets near which accesses of programs with [FarOffsets] lie.
func FarStarts() []int64 { return slices.Clone(farStarts) }

// farStarts returns those that programs may use.
func (l *Limits) farStarts() []int64 {
	if l.Far != nil {
		return l.Far
	}
	return farStarts
}

// drawSchedule draws how ranks run: most often at random by the seed; else by priorities, in
// turn, or free. Empty means the seed.
func drawSchedule(t *rapid.T) string {
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

// base returns the offset near which accesses lie, in the current view.
func (m *maker) base() int64 {
	if m.viewSet {
		return m.viewBase
	}
	return m.far
}

// resetViews records that all handles have been opened again, without a view.
func (m *maker) resetViews() { m.sameViews, m.viewSet, m.viewBase = true, false, 0 }

// can reports whether the program may use all features of u.
func (m *maker) can(u Use) bool { return m.Use&u == u }

// canAny reports whether the program may use a feature of u.
func (m *maker) canAny(u Use) bool { return m.Use&u != 0 }

// int draws a number from 0 to most; so does int64.
func (m *maker) int(name string, most int) int { return rapid.IntRange(0, most).Draw(m.T, name) }

func (m *maker) int64(name string, most int64) int64 {
	return rapid.Int64Range(0, most).Draw(m.T, name)
}

// drawOps draws the operations of the program.
func (m *maker) drawOps() (ops []Op) {
	switch {
	case m.Exact:
		for range m.Ops {
			ops = append(ops, m.op())
		}
		return ops
	case m.can(Shapes) && m.int("shaped", 3) > 0:
		return m.pieces(max(1, m.Ops))
	}
	// A slice, so that rapid can drop one operation from the middle.
	one := rapid.Custom(func(t *rapid.T) Op { m.T = t; return m.op() })
	return rapid.SliceOfN(one, 1, max(1, m.Ops)).Draw(m.T, "ops")
}

// op draws one operation, and its handle if ranks have two.
func (m *maker) op() Op {
	ops := []Op{m.opOfFirstHandle()}
	m.assignHandles(ops)
	return ops[0]
}

func (m *maker) opOfFirstHandle() Op {
	o := Op{Do: m.menu[m.int("what", len(m.menu)-1)]}
	if o.isAccess() {
		return m.access(o)
	}
	o.All = true
	switch o.Do {
	case Sync:
		if m.can(IncompleteSyncs) && m.int("whole", 3) == 3 {
			o.Lacks = Lack(m.int("lacks", int(ReaderSync)))
		}
		o.One = o.Lacks == Nothing && m.can(SyncAlls) && rapid.Bool().Draw(m.T, "one call")
	case SetView:
		o.Views = m.views()
		m.viewSet = true
	case Seek:
		o.Whence = []iofile.Whence{iofile.SeekSet, iofile.SeekCur, iofile.SeekEnd}[m.int("whence", 2)]
		o.Off, o.Step = m.int64("off", 6), m.int64("step", 2)
		o.All = m.base() > 0 || m.int("seekers", 3) > 0
		if !o.All {
			o.Rank, o.Step = m.int("rank", m.ranks-1), 0
		}
		if m.base() > 0 { // the pointer, or the end of the file, need not be in the far range
			o.Whence, o.Off = iofile.SeekSet, m.base()+o.Off
		}
	case SeekShared:
		if !m.sameViews { // illegal
			o.Do = Sync
			break
		}
		o.Off = m.base() + m.int64("off", 6)
	case SetSize, Preallocate:
		o.Size = m.far + m.int64("size", 40)
		if m.far > 0 {
			o.Do = SetSize // Preallocate would allocate all bytes before far
		}
	case Atomic:
		o.On = rapid.Bool().Draw(m.T, "on")
	case Reopen:
		m.resetViews()
	case Finish:
		o.Which = m.int("which", 3)
	}
	return o
}

// access draws the ranks, the pointer, the form and the size of a Read or Write.
func (m *maker) access(o Op) Op {
	o.All = m.can(Collectives) && rapid.Bool().Draw(m.T, "all")
	if !o.All {
		o.Rank = m.int("rank", m.ranks-1)
	}
	o.At = m.pointer(o.All)
	o = m.withForm(o)
	if o.At == Explicit {
		o.Off = m.place("off")
		if o.All {
			o.Step = m.int64("step", 4)
		}
	}
	o.N = m.int64("n", 5)
	if m.blockSize > 1 && m.int("blocks", 5) == 5 {
		o.N = m.length("n")
	}
	if o.All {
		o.More = m.int64("more", 1)
	}
	return o
}

// withForm returns the access nonblocking or split if that is drawn and allowed, else as it is.
func (m *maker) withForm(o Op) Op {
	form := Form(m.int("form", int(Split)))
	nonblocking := form == Nonblocking && m.can(NonblockingAccesses) && (o.At != Shared || !o.All)
	split := form == Split && m.can(SplitAccesses) && o.All
	if nonblocking || split {
		o.Form = form
		o.Late = m.can(OutstandingAccesses) && rapid.Bool().Draw(m.T, "late")
	}
	return o
}

// pointer draws the pointer of an access by all ranks or by one. It is explicit if the drawn one is
// not allowed.
func (m *maker) pointer(all bool) Pointer {
	if !m.canAny(IndividualPointers | SharedPointers | OrderedAccesses) {
		return Explicit
	}
	byShared := SharedPointers
	if all {
		byShared = OrderedAccesses
	}
	p := Pointer(m.int("pointer", int(Shared)))
	if p == Individual && m.can(IndividualPointers) || p == Shared && m.sameViews && m.can(byShared) {
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
	etype, disp := m.etype(rep), m.int64("disp", 9)
	if !m.can(Views) {
		disp = 0
	}
	m.viewBase = 0
	m.sameViews = !m.can(Views) || m.ranks == 1 || !rapid.Bool().Draw(m.T, "complementary")
	if !m.sameViews {
		return partition(m.T, m.ranks, etype, disp+m.far, rep)
	}
	filetype := etype
	if m.can(Views) {
		filetype = m.filetype(etype, rep)
	}
	v := iofile.View{Disp: disp + m.far, Etype: etype, Filetype: filetype, Rep: rep}
	if m.far > 0 && rapid.Bool().Draw(m.T, "near") { // offsets in etypes are far, the view begins near
		v.Disp = disp
		m.viewBase = etypesBefore(v, m.far)
	}
	return slices.Repeat([]iofile.View{v}, m.ranks)
}

// etype draws an etype for a representation.
func (m *maker) etype(rep string) *types.Type {
	if m.can(AnyValues) && rapid.Bool().Draw(m.T, "any kind") {
		list := kindsOf(rep)
		return list[m.uniform("kind", len(list))]
	}
	return Etype().Draw(m.T, "etype")
}

// filetype draws a filetype, one that needs the sizes of items only if the file has those of
// memory.
func (m *maker) filetype(etype *types.Type, rep string) *types.Type {
	if m.can(AnyValues) && rep == "native" && rapid.Bool().Draw(m.T, "in bytes") {
		return bytewiseFiletype(m.T, etype)
	}
	return Filetype(m.T, etype)
}
