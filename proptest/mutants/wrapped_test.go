package mutants

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// wrapped lists layers whose bugs need atomic accesses of some length or kind, etypes and
// filetypes of some kind, ranks that do unlike things, or many of something.
func wrapped() []broken {
	atomic := func(name bug, cut cutter) broken {
		return broken{name: name, wrap: func(h healthy) full { return &tornAtomic{healthy: h, cut: cut} }}
	}
	viewed := func(name bug, change func(*iofile.View)) broken {
		return broken{name: name, wrap: func(h healthy) full { return &otherView{h, change} }}
	}
	return []broken{
		atomic("atomic writes of more than 8 bytes go in two halves", cutter{at: longer(8)}),
		atomic("atomic writes give up their lock at multiples of 16", cutter{at: grain(16)}),
		atomic("atomic writes give up their lock at multiples of 64", cutter{at: grain(64)}),
		atomic("atomic writes give up their lock at multiples of 4096", cutter{at: grain(4096)}),
		atomic("atomic reads give up their lock at multiples of 16", cutter{at: grain(16), reads: true}),
		atomic("atomic reads give up their lock at multiples of 64", cutter{at: grain(64), reads: true}),
		atomic("atomic reads of more than 8 bytes go in two halves", cutter{at: longer(8), reads: true}),
		atomic("atomic writes through views with holes go in two halves", cutter{at: longer(1), holes: true}),
		atomic("atomic reads through views with holes go in two halves", cutter{at: longer(1), holes: true, reads: true}),
		atomic("collective atomic writes go in two halves", cutter{at: longer(1), all: true}),
		atomic("collective atomic reads go in two halves", cutter{at: longer(1), all: true, reads: true}),
		atomic("atomic writes by the individual pointer go in two halves", cutter{at: longer(1), pointer: true}),
		atomic("nonblocking atomic writes go in two halves", cutter{at: longer(1), started: true}),
		atomic("a sync ends the atomic mode", cutter{at: longer(3), afterSync: true}),

		viewed("float is not converted to external32", native(types.Float)),
		viewed("unsigned short is not converted to external32", native(types.UShort)),
		viewed("complex numbers are not converted to external32", native(types.FloatComplex)),
		viewed("views of three dimensions begin a byte late", func(v *iofile.View) {
			if c, err := v.Filetype.Contents(); err == nil && v.Filetype.Envelope().Combiner == types.CombinerSubarray && c.Integers[0] == 3 {
				v.Disp++
			}
		}),
		viewed("darray views begin a byte late", late(types.CombinerDarray)),
		viewed("struct views begin a byte late", late(types.CombinerStruct)),
		viewed("views of blocks at byte displacements begin a byte late", late(types.CombinerHIndexedBlock)),

		{name: "a negative long comes back positive", wrap: func(h healthy) full { return &otherLong{healthy: h, of: types.Long} }},
		{name: "a large unsigned long comes back negative", wrap: func(h healthy) full { return &otherLong{healthy: h, of: types.ULong, set: 0xff} }},
		{name: "NaN is written as 0", wrap: func(h healthy) full { return &noNaN{healthy: h} }},
		{name: "the offset times the size of the etype has 32 bits", wrap: func(h healthy) full { return &shortProduct{healthy: h, unit: 1} }},

		{name: "ordered writes count only the ranks after the last one without bytes", wrap: func(h healthy) full { return &forgetful{h} }},
		{name: "the shared pointer stays if the last rank orders nothing", wrap: func(h healthy) full { return &lastDecides{h} }},
		{name: "the end of a split access without bytes stays away", wrap: func(h healthy) full { return &emptyEnd{h} }},
		{name: "collective writes of ranks from 4 on are lost", wrap: func(h healthy) full { return &fewRanks{h, 4} }},
		{name: "collective writes of ranks from 8 on are lost", wrap: func(h healthy) full { return &fewRanks{h, 8} }},
		{name: "collective writes before those of the rank before go behind them", wrap: func(h healthy) full { return &onlyForwards{h} }},
		{name: "collective reads behind a rank without bytes get none", wrap: func(h healthy) full { return &behindEmpty{h} }},
		{name: "the sixth access under way is dropped", wrap: func(h healthy) full { return &fewRequests{healthy: h, most: 5} }},
		{name: "the eleventh access under way is dropped", wrap: func(h healthy) full { return &fewRequests{healthy: h, most: 10} }},
		{name: "the 17th write of a handle is lost", wrap: func(h healthy) full { return &fewWrites{healthy: h, lost: 17} }},
		{name: "writes of more than 256 KiB lose their last byte", wrap: func(h healthy) full { return &shortWrites{h, 1 << 18} }},
		{name: "writes of more than 1 MiB lose their last byte", wrap: func(h healthy) full { return &shortWrites{h, 1 << 20} }},
	}
}

// noBarrier is the bug of layers with shared pointers of their own.
const noBarrier = "seek_shared has no barrier"

func newOwnShared(_ string, b bug) proptest.Maker {
	return func() (proptest.Layer, error) {
		l, err := proptest.Ours(nil)()
		return sick{l, broken{wrap: ownPointers(b != noBarrier)}}, err
	}
}

// ownPointers returns the wrapper of a layer with shared pointers of its own, one for each open.
// With wait, it has no bug.
func ownPointers(wait bool) func(healthy) full {
	var mu sync.Mutex
	var made []*ownPointer
	opens := map[int]int{} // by rank
	return func(h healthy) full {
		mu.Lock()
		defer mu.Unlock()
		k := opens[h.c.Rank()]
		opens[h.c.Rank()]++
		for len(made) <= k {
			made = append(made, new(ownPointer))
		}
		return &ownShared{healthy: h, s: made[k], unit: 1, wait: wait}
	}
}

// A cutter says which atomic accesses go in two parts.
type cutter struct {
	at                                             func(off, n int64) int64 // etypes of the first part; 0: whole
	reads, holes, all, pointer, started, afterSync bool
}

func longer(than int64) func(off, n int64) int64 {
	return func(_, n int64) int64 {
		if n > than {
			return n / 2
		}
		return 0
	}
}

func grain(g int64) func(off, n int64) int64 {
	return func(off, n int64) int64 {
		if first := g - off%g; first < n {
			return first
		}
		return 0
	}
}

type tornAtomic struct {
	healthy
	cut            cutter
	atomic, synced bool
	unit           int64
	holes          bool
}

func (m *tornAtomic) SetAtomicity(on bool) error {
	m.atomic, m.synced = on, false
	return m.full.SetAtomicity(on)
}

func (m *tornAtomic) Sync() error {
	m.synced = true
	return m.full.Sync()
}

func (m *tornAtomic) SetView(v iofile.View) error {
	m.unit = v.Etype.Size(reps.LP64LE)
	_, extent := v.Filetype.Extent(types.Host)
	m.holes = v.Filetype.Size(types.Host) < extent
	return m.full.SetView(v)
}

// parts calls do for the parts of an access.
func (m *tornAtomic) parts(applies bool, p []byte, off int64, do func(p []byte, off int64) (int, error)) (int, error) {
	unit := max(1, m.unit)
	first := m.cut.at(off, int64(len(p))/unit) * unit
	if !applies || !m.atomic || first == 0 || m.cut.holes != m.holes && m.cut.holes || m.cut.afterSync && !m.synced {
		return do(p, off)
	}
	n, err := do(p[:first], off)
	if err != nil || int64(n) < first {
		return n, err
	}
	k, err := do(p[first:], off+first/unit)
	return n + k, err
}

func (m *tornAtomic) alone() bool { return !m.cut.all && !m.cut.pointer && !m.cut.started }

func (m *tornAtomic) WriteAt(p []byte, off int64) (int, error) {
	return m.parts(m.alone() && !m.cut.reads, p, off, m.full.WriteAt)
}

func (m *tornAtomic) ReadAt(p []byte, off int64) (int, error) {
	return m.parts(m.alone() && m.cut.reads, p, off, m.full.ReadAt)
}

// together has all ranks make both calls.
func (m *tornAtomic) together(applies bool, p []byte, off int64, do func(p []byte, off int64) (int, error)) (int, error) {
	unit := max(1, m.unit)
	first := int64(len(p)) / unit / 2 * unit
	if !applies || !m.atomic {
		return do(p, off)
	}
	n, err := do(p[:first], off)
	if err != nil {
		return n, err
	}
	k, err := do(p[first:], off+first/unit)
	if int64(n) < first {
		k = 0
	}
	return n + k, err
}

func (m *tornAtomic) WriteAtAll(p []byte, off int64) (int, error) {
	return m.together(m.cut.all && !m.cut.reads, p, off, m.full.WriteAtAll)
}

func (m *tornAtomic) ReadAtAll(p []byte, off int64) (int, error) {
	return m.together(m.cut.all && m.cut.reads, p, off, m.full.ReadAtAll)
}

func (m *tornAtomic) Write(p []byte) (int, error) {
	return m.parts(m.cut.pointer, p, 0, func(p []byte, _ int64) (int, error) { return m.full.Write(p) })
}

func (m *tornAtomic) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	if !m.cut.started || !m.atomic || !a.Write || a.All || a.At != gen.Explicit {
		return m.full.Start(a, p, off)
	}
	return counted(func() (int, error) { return m.parts(true, p, off, m.full.WriteAt) }), nil
}

// An otherView changes the views that are set.
type otherView struct {
	healthy
	change func(*iofile.View)
}

func (m *otherView) SetView(v iofile.View) error {
	m.change(&v)
	return m.full.SetView(v)
}

func native(of *types.Type) func(*iofile.View) {
	return func(v *iofile.View) {
		if v.Etype == of {
			v.Rep = "native"
		}
	}
}

func late(c types.Combiner) func(*iofile.View) {
	return func(v *iofile.View) {
		if v.Filetype.Envelope().Combiner == c {
			v.Disp++
		}
	}
}

// An otherLong changes the high bytes of longs that are read in external32.
type otherLong struct {
	healthy
	of  *types.Type
	set byte
	on  bool
}

func (m *otherLong) SetView(v iofile.View) error {
	m.on = v.Etype == m.of && v.Rep == "external32"
	return m.full.SetView(v)
}

func (m *otherLong) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.full.ReadAt(p, off)
	for i := 0; m.on && i+8 <= n; i += 8 {
		if p[i+3] >= 0x80 {
			for k := 4; k < 8; k++ {
				p[i+k] = m.set
			}
		}
	}
	return n, err
}

type noNaN struct {
	healthy
	on bool
}

func (m *noNaN) SetView(v iofile.View) error {
	m.on = v.Etype == types.Double
	return m.full.SetView(v)
}

func (m *noNaN) WriteAt(p []byte, off int64) (int, error) {
	q := append([]byte(nil), p...)
	for i := 0; m.on && i+8 <= len(q); i += 8 {
		if math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(q[i:]))) {
			clear(q[i : i+8])
		}
	}
	return m.full.WriteAt(q, off)
}

type shortProduct struct {
	healthy
	unit int64
}

func (m *shortProduct) SetView(v iofile.View) error {
	m.unit = v.Etype.Size(gen.SizesOf(v.Rep))
	return m.full.SetView(v)
}

func (m *shortProduct) at(off int64) int64 {
	if m.unit < 2 {
		return off
	}
	return int64(uint32(off*m.unit)) / m.unit
}

func (m *shortProduct) WriteAt(p []byte, off int64) (int, error) {
	return m.full.WriteAt(p, m.at(off))
}

func (m *shortProduct) ReadAt(p []byte, off int64) (int, error) { return m.full.ReadAt(p, m.at(off)) }

// lengths returns the lengths of all ranks.
func (m *healthy) lengths(p []byte) ([]int64, error) {
	all := make([]int64, m.c.Size())
	return all, m.c.AllGather(types.Of([]int64{int64(len(p))}), types.Of(all))
}

type forgetful struct{ healthy }

func (m *forgetful) WriteOrdered(p []byte) (int, error) {
	all, err := m.lengths(p)
	if err != nil {
		return 0, err
	}
	after := false
	for r, n := range all {
		after = after || n == 0 && r > 0 && r < m.c.Rank()
	}
	if !after {
		return m.full.WriteOrdered(p)
	}
	_, err = m.full.WriteOrdered(make([]byte, len(p)))
	return len(p), err
}

type lastDecides struct{ healthy }

func (m *lastDecides) WriteOrdered(p []byte) (int, error) {
	all, err := m.lengths(p)
	if err != nil {
		return 0, err
	}
	at, err := m.full.PositionShared()
	if err == nil {
		err = m.c.Barrier()
	}
	if err != nil {
		return 0, err
	}
	n, err := m.full.WriteOrdered(p)
	if err == nil && all[len(all)-1] == 0 {
		err = m.full.SeekShared(iofile.Offset(at), iofile.SeekSet)
	}
	return n, err
}

type emptyEnd struct{ healthy }

func (m *emptyEnd) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	q, err := m.full.Start(a, p, off)
	if err != nil || a.Form != gen.Split {
		return q, err
	}
	return counted(func() (int, error) {
		if len(p) > 0 {
			if err := m.c.Barrier(); err != nil {
				return 0, err
			}
		}
		return q.Wait()
	}), nil
}

type fewRanks struct {
	healthy
	most int
}

func (m *fewRanks) WriteAtAll(p []byte, off int64) (int, error) {
	if m.c.Rank() < m.most {
		return m.full.WriteAtAll(p, off)
	}
	_, err := m.full.WriteAtAll(p[:0], off)
	return len(p), err
}

type onlyForwards struct{ healthy }

func (m *onlyForwards) WriteAtAll(p []byte, off int64) (int, error) {
	all := make([]int64, m.c.Size())
	if err := m.c.AllGather(types.Of([]int64{off}), types.Of(all)); err != nil {
		return 0, err
	}
	if r := m.c.Rank(); r > 0 && len(p) > 0 && off < all[r-1] {
		off = all[r-1]
	}
	return m.full.WriteAtAll(p, off)
}

type behindEmpty struct{ healthy }

func (m *behindEmpty) ReadAtAll(p []byte, off int64) (int, error) {
	all, err := m.lengths(p)
	if err != nil {
		return 0, err
	}
	for _, n := range all[:m.c.Rank()] {
		if n == 0 {
			p = p[:0]
		}
	}
	return m.full.ReadAtAll(p, off)
}

type fewRequests struct {
	healthy
	most, under int
}

func (m *fewRequests) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	if a.All || a.At != gen.Explicit {
		return m.full.Start(a, p, off)
	}
	m.under++
	if m.under > m.most && a.Write {
		return counted(func() (int, error) { m.under--; return len(p), nil }), nil
	}
	q, err := m.full.Start(a, p, off)
	if err != nil {
		return nil, err
	}
	return counted(func() (int, error) { m.under--; return q.Wait() }), nil
}

type fewWrites struct {
	healthy
	lost, writes int
}

func (m *fewWrites) WriteAt(p []byte, off int64) (int, error) {
	if m.writes++; m.writes == m.lost {
		return len(p), nil
	}
	return m.full.WriteAt(p, off)
}

type shortWrites struct {
	healthy
	most int
}

func (m *shortWrites) WriteAt(p []byte, off int64) (int, error) {
	if len(p) <= m.most {
		return m.full.WriteAt(p, off)
	}
	_, err := m.full.WriteAt(p[:len(p)-1], off)
	return len(p), err
}

// An ownPointer is a shared pointer that a layer keeps itself, for all ranks.
type ownPointer struct {
	mu sync.Mutex
	at int64
}

type ownShared struct {
	healthy
	s    *ownPointer
	unit int64
	wait bool
}

func (m *ownShared) move(p []byte) int64 {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	at := m.s.at
	m.s.at += int64(len(p)) / m.unit
	return at
}

func (m *ownShared) set(to int64) {
	if m.c.Rank() == 0 {
		m.s.mu.Lock()
		m.s.at = to
		m.s.mu.Unlock()
	}
}

func (m *ownShared) WriteShared(p []byte) (int, error) { return m.full.WriteAt(p, m.move(p)) }
func (m *ownShared) ReadShared(p []byte) (int, error)  { return m.full.ReadAt(p, m.move(p)) }

func (m *ownShared) ordered(p []byte, do func(p []byte, off int64) (int, error)) (int, error) {
	all, err := m.lengths(p)
	if err != nil {
		return 0, err
	}
	at := m.s.at
	if err := m.c.Barrier(); err != nil {
		return 0, err
	}
	total := int64(0)
	for r, n := range all {
		if r < m.c.Rank() {
			at += n / m.unit
		}
		total += n / m.unit
	}
	if m.c.Rank() == 0 {
		m.set(at + total)
	}
	if err := m.c.Barrier(); err != nil {
		return 0, err
	}
	return do(p, at)
}

func (m *ownShared) WriteOrdered(p []byte) (int, error) { return m.ordered(p, m.full.WriteAtAll) }
func (m *ownShared) ReadOrdered(p []byte) (int, error)  { return m.ordered(p, m.full.ReadAtAll) }

func (m *ownShared) PositionShared() (int64, error) {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	return m.s.at, nil
}

func (m *ownShared) SeekShared(off iofile.Offset, whence iofile.Whence) error {
	if err := m.c.Barrier(); err != nil || whence != iofile.SeekSet {
		return err
	}
	if err := m.c.Yield(); err != nil {
		return err
	}
	m.set(int64(off))
	if m.wait {
		return m.c.Barrier()
	}
	return nil
}

func (m *ownShared) SetView(v iofile.View) error {
	m.unit = v.Etype.Size(reps.LP64LE)
	if err := m.full.SetView(v); err != nil {
		return err
	}
	if err := m.c.Barrier(); err != nil {
		return err
	}
	m.set(0)
	return m.c.Barrier()
}

func (m *ownShared) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	switch {
	case a.At != gen.Shared:
		return m.full.Start(a, p, off)
	case !a.All:
		at := m.move(p)
		a.At = gen.Explicit
		return m.full.Start(a, p, at)
	}
	do := m.ReadOrdered
	if a.Write {
		do = m.WriteOrdered
	}
	n, err := do(p)
	return counted(func() (int, error) { return n, err }), nil
}
