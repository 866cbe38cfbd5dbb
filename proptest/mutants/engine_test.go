package mutants

import (
	"io"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// full is a file with every capability.
type full interface {
	proptest.File
	proptest.Viewer
	proptest.CollectiveFile
	proptest.IndividualFile
	proptest.IndividualCollectiveFile
	proptest.SharedFile
	proptest.OrderedFile
	proptest.StartingFile
	proptest.SizedFile
	proptest.AtomicFile
}

// A broken layer is this module's own layer with one method broken.
type broken struct {
	name bug
	wrap func(healthy) full

	damage func(file []byte, seed uint64) []byte   // changes the file after a crash; nil: no change
	fail   func(rules []faults.Rule) []faults.Rule // changes the faults; nil: no change
}

// A healthy is a file without the bug. Mutants embed it on purpose: they forward every
// method that they do not break.
type healthy struct {
	full
	c *comm.Comm
}

// engineLayer is the name of this module's own layer in the table.
const engineLayer = "commworld"

func engineFamily() family {
	fam := family{over: "iofile", layer: engineLayer, new: func(_ string, b bug) proptest.Maker {
		for _, m := range engine() {
			if m.name == b {
				return m.maker
			}
		}
		return proptest.Ours(nil)
	}}
	for _, m := range engine() {
		fam.bugs = append(fam.bugs, m.name)
	}
	return fam
}

func (m broken) maker() (proptest.Layer, error) {
	l, err := proptest.Ours(nil)()
	return sick{l, m}, err
}

type sick struct {
	proptest.Layer
	m broken
}

func (s sick) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := s.Layer.Open(c, name)
	if err != nil {
		return nil, err
	}
	return s.m.wrap(healthy{f.(full), c}), nil
}

func (s sick) OpenHinted(c *comm.Comm, name string, hints map[string]string) (proptest.File, error) {
	f, err := s.Layer.(proptest.Hinted).OpenHinted(c, name, hints)
	if err != nil {
		return nil, err
	}
	return s.m.wrap(healthy{f.(full), c}), nil
}

func (s sick) Fail(rules ...faults.Rule) error {
	if s.m.fail != nil {
		rules = s.m.fail(rules)
	}
	return s.Layer.(proptest.Faulty).Fail(rules...)
}

func (s sick) Remember() error { return s.Layer.(proptest.Crasher).Remember() }

func (s sick) Crashed(name string, seed uint64) ([]byte, error) {
	left, err := s.Layer.(proptest.Crasher).Crashed(name, seed)
	if err == nil && s.m.damage != nil {
		left = s.m.damage(left, seed)
	}
	return left, err
}

func (s sick) Stored(name string) ([]byte, error) { return s.Layer.(proptest.Storage).Stored(name) }

func engine() []broken {
	return append([]broken{
		{name: "the last byte of long writes is lost", wrap: func(h healthy) full { return &lostTail{h} }},
		{name: "ordered writes go in reverse rank order", wrap: func(h healthy) full { return &swappedRanks{h} }},
		{name: "views with holes begin a byte late", wrap: func(h healthy) full { return &lateHoles{h} }},
		{name: "sync does nothing", wrap: func(h healthy) full { return &noSync{h} }},
		{name: "atomic writes go in two halves", wrap: func(h healthy) full { return &tornWrite{healthy: h} }},
		{name: "a read beyond the end counts the requested bytes", wrap: func(h healthy) full { return &wrongCount{h} }},
		{name: "external32 is written as native", wrap: func(h healthy) full { return &unscaled{h} }},
		{name: "the pointer moves by the request", wrap: func(h healthy) full { return &movedByRequest{h} }},
		{name: "collective writes go to rank 0's offset", wrap: func(h healthy) full { return &oneOffset{h} }},
		{name: "displacements are ignored", wrap: func(h healthy) full { return &noDisplacement{h} }},
		{name: "set_view leaves the pointer", wrap: func(h healthy) full { return &keptPointer{h} }},
		{name: "set_size never cuts", wrap: func(h healthy) full { return &neverCuts{h} }},
		{name: "preallocate cuts", wrap: func(h healthy) full { return &cuttingPreallocate{h} }},
		{name: "a write of nothing writes an etype", wrap: func(h healthy) full { return &somethingFromNothing{h, 1} }},
		{name: "collective reads of nothing stay away", wrap: func(h healthy) full { return &awayFromBarrier{h} }},
		{name: "the shared pointer is each rank's own", wrap: func(h healthy) full { return &unshared{h} }},
		{name: "close drops the last write", wrap: func(h healthy) full { return &writeBehind{healthy: h} }},
		{name: "a read cache outlives writes", wrap: func(h healthy) full { return &staleCache{h, map[[2]int64][]byte{}} }},
		{name: "nonblocking writes wait for a sync", wrap: func(h healthy) full { return &lazyRequests{healthy: h} }},
		{name: "split accesses count nothing", wrap: func(h healthy) full { return &countlessSplit{h} }},
		{name: "seek from the end counts from the start", wrap: func(h healthy) full { return &wrongEnd{h} }},
		{name: "writes write back the bytes before them", wrap: func(h healthy) full { return &writeBack{h} }},
		{name: "the end of the file is an error", wrap: func(h healthy) full { return &endIsError{h} }},
		{name: "positions are in bytes", wrap: func(h healthy) full { return &bytePositions{h, 1} }},
		{name: "odd ranks write one etype further", wrap: func(h healthy) full { return &oddRanks{h} }},
		{name: "seek_shared moves nothing", wrap: func(h healthy) full { return &stuckShared{h} }},
		{name: "a crash tears synced bytes", wrap: func(h healthy) full { return h.full }, damage: func(file []byte, seed uint64) []byte {
			return file[:len(file)-min(len(file), int(seed%3))]
		}},

		{name: "only the access that was started last is completed", wrap: func(h healthy) full { return &oneRequest{healthy: h} }},
		{name: "a nonblocking collective access ends when all ranks wait for it", wrap: func(h healthy) full { return &jointWait{h} }},

		// These bugs show only when files fail.
		{name: "sync hides its error", wrap: func(h healthy) full { return &hidingSync{h} }},
		{name: "a write that fails changes the byte behind it", wrap: func(h healthy) full { return &spillingWrite{h} }},
		{name: "only one rank returns the error of a failed sync", wrap: func(h healthy) full { return &lonelyError{h} }},
		{name: "a rank that fails stays away from the others", wrap: func(h healthy) full { return &leavingRank{h} }},
		{name: "a failed write counts the requested bytes", wrap: func(h healthy) full { return &boastingWrite{h} }},
		{name: "a read that fails leaves rubbish", wrap: func(h healthy) full { return &rubbishRead{h} }},
		{name: "files fail in every other run", wrap: func(h healthy) full { return h.full }, fail: everyOther()},
		{name: "a handle that failed never works again", wrap: func(h healthy) full { return &bitterHandle{healthy: h} }},
		{name: "the pointer moves when a write fails", wrap: func(h healthy) full { return &restlessPointer{h} }},
		{name: "a wait returns the count of the oldest request", wrap: func(h healthy) full { return &oldestCount{healthy: h} }},
		{name: "shared writes take the position before they move it", wrap: func(h healthy) full { return &lateShared{healthy: h} }},
	}, wrapped()...)
}

type lostTail struct{ healthy }

func (m *lostTail) WriteAt(p []byte, off int64) (int, error) {
	if len(p) < 3 {
		return m.full.WriteAt(p, off)
	}
	_, err := m.full.WriteAt(p[:len(p)-1], off)
	return len(p), err
}

type swappedRanks struct{ healthy }

func (m *swappedRanks) WriteOrdered(p []byte) (n int, err error) {
	for r := m.c.Size() - 1; r >= 0; r-- {
		if r == m.c.Rank() {
			if n, err = m.WriteShared(p); err != nil {
				return n, err
			}
		}
		if err = m.c.Barrier(); err != nil {
			return n, err
		}
	}
	return n, nil
}

type lateHoles struct{ healthy }

func (m *lateHoles) SetView(v iofile.View) error {
	sizes := gen.SizesOf(v.Rep)
	if _, extent := v.Filetype.Extent(sizes); v.Filetype.Size(sizes) < extent {
		v.Disp++
	}
	return m.full.SetView(v)
}

type noSync struct{ healthy }

func (m *noSync) Sync() error { return nil }

type tornWrite struct {
	healthy
	atomic bool
}

func (m *tornWrite) SetAtomicity(on bool) error {
	m.atomic = on
	return m.full.SetAtomicity(on)
}

func (m *tornWrite) WriteAt(p []byte, off int64) (int, error) {
	half := len(p) / 2
	if half == 0 || !m.atomic {
		return m.full.WriteAt(p, off)
	}
	n, err := m.full.WriteAt(p[:half], off)
	if err != nil {
		return n, err
	}
	k, err := m.full.WriteAt(p[half:], off+int64(half))
	return n + k, err
}

type wrongCount struct{ healthy }

func (m *wrongCount) ReadAt(p []byte, off int64) (int, error) {
	_, err := m.full.ReadAt(p, off)
	return len(p), err
}

type unscaled struct{ healthy }

func (m *unscaled) SetView(v iofile.View) error {
	v.Rep = "native"
	return m.full.SetView(v)
}

type movedByRequest struct{ healthy }

func (m *movedByRequest) Read(p []byte) (int, error) {
	n, err := m.full.Read(p)
	if err == nil {
		err = m.Seek(iofile.Offset(len(p)-n), iofile.SeekCur) // correct only if positions were in bytes
	}
	return n, err
}

type oneOffset struct{ healthy }

func (m *oneOffset) WriteAtAll(p []byte, off int64) (int, error) {
	at := []int64{off}
	if err := m.c.Bcast(types.Of(at), 0); err != nil {
		return 0, err
	}
	return m.full.WriteAtAll(p, at[0])
}

type noDisplacement struct{ healthy }

func (m *noDisplacement) SetView(v iofile.View) error {
	v.Disp = 0
	return m.full.SetView(v)
}

type keptPointer struct{ healthy }

func (m *keptPointer) SetView(v iofile.View) error {
	at, err := m.Position()
	if err != nil {
		return err
	}
	if err := m.full.SetView(v); err != nil {
		return err
	}
	return m.Seek(iofile.Offset(at), iofile.SeekSet)
}

type neverCuts struct{ healthy }

func (m *neverCuts) SetSize(n int64) error { return m.full.Preallocate(n) }

type cuttingPreallocate struct{ healthy }

func (m *cuttingPreallocate) Preallocate(n int64) error { return m.full.SetSize(n) }

type somethingFromNothing struct {
	healthy
	unit int64
}

func (m *somethingFromNothing) SetView(v iofile.View) error {
	m.unit = v.Etype.Size(types.Host)
	return m.full.SetView(v)
}

func (m *somethingFromNothing) WriteAt(p []byte, off int64) (int, error) {
	if len(p) > 0 {
		return m.full.WriteAt(p, off)
	}
	_, err := m.full.WriteAt(make([]byte, m.unit), off)
	return 0, err
}

type awayFromBarrier struct{ healthy }

func (m *awayFromBarrier) ReadAtAll(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := m.c.Barrier(); err != nil {
		return 0, err
	}
	return m.full.ReadAt(p, off)
}

type unshared struct{ healthy }

func (m *unshared) WriteShared(p []byte) (int, error) { return m.Write(p) }

type writeBehind struct {
	healthy
	p   []byte
	off int64
}

func (m *writeBehind) flush() error {
	_, err := m.full.WriteAt(m.p, m.off)
	m.p = nil
	return err
}

func (m *writeBehind) WriteAt(p []byte, off int64) (int, error) {
	err := m.flush()
	m.p, m.off = slices.Clone(p), off
	return len(p), err
}

func (m *writeBehind) ReadAt(p []byte, off int64) (int, error) {
	if err := m.flush(); err != nil {
		return 0, err
	}
	return m.full.ReadAt(p, off)
}

func (m *writeBehind) Sync() error {
	if err := m.flush(); err != nil {
		return err
	}
	return m.full.Sync()
}

type staleCache struct {
	healthy
	cache map[[2]int64][]byte
}

func (m *staleCache) ReadAt(p []byte, off int64) (int, error) {
	key := [2]int64{off, int64(len(p))}
	if old, ok := m.cache[key]; ok {
		return copy(p, old), nil
	}
	n, err := m.full.ReadAt(p, off)
	m.cache[key] = slices.Clone(p[:n])
	return n, err
}

type lazyRequests struct {
	healthy
	late []func() error
}

func (m *lazyRequests) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	if !a.Write || a.All || a.At != gen.Explicit {
		return m.full.Start(a, p, off)
	}
	kept := slices.Clone(p)
	m.late = append(m.late, func() error { _, err := m.full.WriteAt(kept, off); return err })
	return done(len(p)), nil
}

func (m *lazyRequests) Sync() error {
	for _, write := range m.late {
		if err := write(); err != nil {
			return err
		}
	}
	m.late = nil
	return m.full.Sync()
}

// A done is a completed request that has moved so many bytes.
type done int

func (d done) Wait() (int, error) { return int(d), nil }

type countlessSplit struct{ healthy }

func (m *countlessSplit) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	q, err := m.full.Start(a, p, off)
	if err != nil || a.Form != gen.Split {
		return q, err
	}
	return countless{q}, nil
}

type countless struct{ q proptest.Request }

func (c countless) Wait() (int, error) {
	_, err := c.q.Wait()
	return 0, err
}

type wrongEnd struct{ healthy }

func (m *wrongEnd) Seek(off iofile.Offset, whence iofile.Whence) error {
	if whence == iofile.SeekEnd {
		whence = iofile.SeekSet
	}
	return m.full.Seek(off, whence)
}

type writeBack struct{ healthy }

func (m *writeBack) WriteAt(p []byte, off int64) (int, error) {
	whole := make([]byte, off+int64(len(p)))
	if _, err := m.full.ReadAt(whole, 0); err != nil || len(p) == 0 {
		return 0, err
	}
	copy(whole[off:], p)
	_, err := m.full.WriteAt(whole, 0)
	return len(p), err
}

type endIsError struct{ healthy }

func (m *endIsError) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.full.ReadAt(p, off)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

type bytePositions struct {
	healthy
	unit int64
}

func (m *bytePositions) SetView(v iofile.View) error {
	m.unit = v.Etype.Size(types.Host)
	return m.full.SetView(v)
}

func (m *bytePositions) Position() (int64, error) {
	at, err := m.full.Position()
	return at * m.unit, err
}

type oddRanks struct{ healthy }

func (m *oddRanks) WriteAtAll(p []byte, off int64) (int, error) {
	return m.full.WriteAtAll(p, off+int64(m.c.Rank()%2))
}

type stuckShared struct{ healthy }

func (m *stuckShared) SeekShared(iofile.Offset, iofile.Whence) error { return nil }

type hidingSync struct{ healthy }

func (m *hidingSync) Sync() error {
	_ = m.full.Sync()
	return nil
}

type spillingWrite struct{ healthy }

func (m *spillingWrite) WriteAt(p []byte, off int64) (int, error) {
	n, err := m.full.WriteAt(p, off)
	if err != nil {
		_, _ = m.full.WriteAt([]byte{0xff}, off+int64(len(p)))
	}
	return n, err
}

type lonelyError struct{ healthy }

func (m *lonelyError) Sync() error {
	if err := m.full.Sync(); m.c.Rank() == 0 {
		return err
	}
	return nil
}

type leavingRank struct{ healthy }

func (m *leavingRank) ReadAtAll(p []byte, off int64) (int, error) {
	n, err := m.full.ReadAt(p, off)
	if err != nil {
		return n, err
	}
	return n, m.c.Barrier()
}

type boastingWrite struct{ healthy }

func (m *boastingWrite) WriteAt(p []byte, off int64) (int, error) {
	_, err := m.full.WriteAt(p, off)
	return len(p), err
}

type rubbishRead struct{ healthy }

func (m *rubbishRead) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.full.ReadAt(p, off)
	if err != nil {
		clear(p)
	}
	return n, err
}

// everyOther makes every second layer one that never fails.
func everyOther() func([]faults.Rule) []faults.Rule {
	runs := 0
	return func(rules []faults.Rule) []faults.Rule {
		if len(rules) == 0 {
			return nil
		}
		if runs++; runs%2 == 0 {
			return nil
		}
		return rules
	}
}

type bitterHandle struct {
	healthy
	err error
}

func (m *bitterHandle) WriteAt(p []byte, off int64) (n int, err error) {
	if m.err == nil {
		n, m.err = m.full.WriteAt(p, off)
	}
	return n, m.err
}

type restlessPointer struct{ healthy }

func (m *restlessPointer) Write(p []byte) (int, error) {
	n, err := m.full.Write(p)
	if err != nil {
		_ = m.full.Seek(iofile.Offset(len(p)-n), iofile.SeekCur)
	}
	return n, err
}

type oneRequest struct {
	healthy
	last *forgotten
}

func (m *oneRequest) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	if !a.Write || a.All || a.At != gen.Explicit {
		return m.full.Start(a, p, off)
	}
	m.last = &forgotten{m: m, p: p, off: off}
	return m.last, nil
}

type forgotten struct {
	m   *oneRequest
	p   []byte
	off int64
}

func (f *forgotten) Wait() (int, error) {
	if f.m.last == f {
		return f.m.full.WriteAt(f.p, f.off)
	}
	return len(f.p), nil
}

// A jointWait returns from Wait only when all ranks are in Wait: a rank that is in
// another call makes the others hang.
type jointWait struct{ healthy }

func (m *jointWait) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	q, err := m.full.Start(a, p, off)
	if err != nil || !a.All || a.Form != gen.Nonblocking {
		return q, err
	}
	return waitTogether{q, m.c}, nil
}

type waitTogether struct {
	q proptest.Request
	c *comm.Comm
}

func (w waitTogether) Wait() (int, error) {
	if err := w.c.Barrier(); err != nil {
		return 0, err
	}
	return w.q.Wait()
}

// oldestCount swaps the counts of requests that are completed out of order.
type oldestCount struct {
	healthy
	open []int
}

func (m *oldestCount) Start(a gen.Access, p []byte, off int64) (proptest.Request, error) {
	q, err := m.full.Start(a, p, off)
	if err != nil || a.Form != gen.Nonblocking || !a.Write {
		return q, err
	}
	m.open = append(m.open, len(p))
	return counted(func() (int, error) {
		_, err := q.Wait()
		n := m.open[0]
		m.open = m.open[1:]
		return n, err
	}), nil
}

type counted func() (int, error)

func (c counted) Wait() (int, error) { return c() }

// A lateShared writes at the shared position and moves the position after that: two ranks
// that write at the same time may write at the same place.
type lateShared struct{ healthy }

func (m *lateShared) WriteShared(p []byte) (int, error) {
	at, err := m.full.PositionShared()
	if err != nil {
		return 0, err
	}
	n, err := m.full.WriteAt(p, at)
	if err != nil {
		return n, err
	}
	if err := m.c.Yield(); err != nil {
		return n, err
	}
	skip := make([]byte, len(p)) // a read moves the pointer, too
	_, err = m.full.ReadShared(skip)
	return n, err
}
