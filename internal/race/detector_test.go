package race

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func init() { thorough.Fewer() }

// vector is a vector clock as textbooks draw it.
type vector []uint64

func (v vector) Covers(rank int, time uint64) bool { return time <= v[rank] }

// An event is one access as the definitions see it.
type event struct {
	rank, open, handle int
	write, atomic      bool
	resize             bool
	bytes              map[int64]bool
	pending            bool
	during             []*event // accesses of the handle that were under way when it began
	seq                int      // number of its sequence among those of the handle
	reach              int64    // of a write: how long it makes the file
	time               uint64   // when it was complete
	clock              vector   // the clock of its rank at its beginning
}

// A border is the open, a sync or the close of a handle.
type border struct {
	rank  int
	time  uint64
	clock vector
}

// history is a run as the definitions see it: nothing is thrown away, and
// every pair of accesses is judged by comparing their bytes (CONS-D01 to
// CONS-D10).
type history struct {
	events  []*event
	borders map[int][]border // of each handle
	cuts    []sizeCut
	sized   bool // the initial size of the file is known
	begins  int64
	visible bool // under the profile a write is visible, without a sync, to all later events
}

func (h *history) precedes(a, b *event) bool {
	after := h.borders[a.handle][a.seq+1:]
	if len(after) == 0 {
		return false
	}
	end, begin := after[0], h.borders[b.handle][b.seq]
	return end.time <= begin.clock[end.rank]
}

func (h *history) conflict(a, b *event) bool {
	if !a.write && !b.write {
		return false
	}
	for off := range a.bytes {
		if b.bytes[off] {
			return true
		}
	}
	return false
}

// race reports whether a and b race; a began first.
func (h *history) race(a, b *event) bool {
	if !h.conflict(a, b) {
		return false
	}
	if a.handle == b.handle {
		return slices.Contains(b.during, a) && !(a.atomic && b.atomic)
	}
	if a.open == b.open && (a.atomic && b.atomic || a.resize || b.resize) {
		return false
	}
	return !h.precedes(a, b) && !h.precedes(b, a) && !(h.visible && (h.known(a, b) || h.known(b, a)))
}

// works says that some pair races by the standard, never did by the profile, and
// is forgiven.
func (h *history) works(raced map[[2]*event]bool) bool {
	if !h.visible {
		return false
	}
	for i, b := range h.events {
		for _, a := range h.events[:i] {
			h.visible = false
			strict := h.race(a, b)
			h.visible = true
			if strict && !h.race(a, b) && !raced[[2]*event{a, b}] {
				return true
			}
		}
	}
	return false
}

// known reports whether a was complete before b began, by the clock of b's rank.
func (h *history) known(a, b *event) bool {
	return !a.pending && a.time <= b.clock[a.rank]
}

// minSize returns the size that the file has at least at b, in any order of unordered
// events: the end of the writes of its handle, and of writes by others before it, less
// later cuts.
func (h *history) minSize(b *event) int64 {
	kept := func(size int64, events int) int64 {
		for _, c := range h.cuts {
			if c.after >= events {
				size = min(size, c.size)
			}
		}
		return size
	}
	size := kept(h.begins, 0)
	for i, a := range h.events {
		if a.write && (a.handle == b.handle || h.precedes(a, b) || h.visible && !a.resize && h.known(a, b)) {
			size = max(size, kept(a.reach, i+1))
		}
	}
	return size
}

// A sizeCut is a size that the file was given after the first events.
type sizeCut struct {
	after int
	size  int64
}

// raceProgram drives the detector and the definition through one random run.
type raceProgram struct {
	d       *Detector
	ref     *history
	clocks  []vector
	handles []*raceHandle
	found   map[[2]*event]bool // pairs that raced before
	pend    []*racePending
}

type raceHandle struct {
	t              *Tracker
	rank, open, id int
	atomic         bool
}

type racePending struct {
	p *Pending
	e *event
	h *raceHandle
}

func (p *raceProgram) tick(rank int) (uint64, vector) {
	p.clocks[rank][rank]++
	return p.clocks[rank][rank], slices.Clone(p.clocks[rank])
}

func (p *raceProgram) pick(t *rapid.T) *raceHandle {
	if len(p.handles) == 0 {
		t.Skip("no handle is open")
	}
	return rapid.SampledFrom(p.handles).Draw(t, "handle")
}

func (p *raceProgram) open(t *rapid.T) {
	if len(p.handles) > 6 {
		t.Skip("enough handles")
	}
	open := len(p.ref.borders)
	for r := range p.clocks {
		if !rapid.Bool().Draw(t, "takes part") {
			continue
		}
		time, clock := p.tick(r)
		h := &raceHandle{rank: r, open: open, id: len(p.ref.borders)}
		p.ref.borders[h.id] = []border{{r, time, clock}}
		h.t = p.d.Open(open, r, time, clock)
		p.handles = append(p.handles, h)
	}
}

func (p *raceProgram) busy(h *raceHandle) bool {
	return slices.ContainsFunc(p.pend, func(o *racePending) bool { return o.h == h })
}

func (p *raceProgram) sync(t *rapid.T) {
	h := p.pick(t)
	if p.busy(h) {
		t.Skip("something is under way")
	}
	time, clock := p.tick(h.rank)
	p.ref.borders[h.id] = append(p.ref.borders[h.id], border{h.rank, time, clock})
	h.t.Sync(time, clock)
}

func (p *raceProgram) close(t *rapid.T) {
	h := p.pick(t)
	if p.busy(h) {
		t.Skip("something is under way")
	}
	time, clock := p.tick(h.rank)
	p.ref.borders[h.id] = append(p.ref.borders[h.id], border{h.rank, time, clock})
	h.t.Close(time, clock)
	p.handles = slices.DeleteFunc(p.handles, func(o *raceHandle) bool { return o == h })
}

func (p *raceProgram) message(t *rapid.T) {
	from := rapid.IntRange(0, len(p.clocks)-1).Draw(t, "from")
	to := rapid.IntRange(0, len(p.clocks)-1).Draw(t, "to")
	_, sent := p.tick(from)
	for r := range sent {
		p.clocks[to][r] = max(p.clocks[to][r], sent[r])
	}
	p.tick(to)
}

func (p *raceProgram) barrier(*rapid.T) {
	all := make(vector, len(p.clocks))
	for r := range p.clocks {
		_, c := p.tick(r)
		for q := range c {
			all[q] = max(all[q], c[q])
		}
	}
	for r := range p.clocks {
		copy(p.clocks[r], all)
		p.tick(r)
	}
}

// compare says that the detector found a race at this event if and only if
// some pair races now that did not before.
func (p *raceProgram) compare(t *rapid.T, got *consistency.RaceError) {
	fresh := false
	for i, b := range p.ref.events {
		for _, a := range p.ref.events[:i] {
			if key := [2]*event{a, b}; !p.found[key] && p.ref.race(a, b) {
				p.found[key], fresh = true, true
			}
		}
	}
	if fresh != (got != nil) {
		t.Fatalf("race is %v, want %v", got, fresh)
	}
	// One that is covered by a later one of its handle, which races, is forgotten.
	works, want := len(p.d.Forgiven()) > 0, p.ref.works(p.found)
	if works && !want || want && !works && len(p.found) == 0 {
		t.Fatalf("forgiven: %v", p.d.Forgiven())
	}
}

func (p *raceProgram) note(e *event) {
	for _, o := range p.pend {
		if o.e.handle == e.handle {
			e.during = append(e.during, o.e)
		}
	}
	p.ref.events = append(p.ref.events, e)
}

var raceFiletypes = []extent.Pattern{
	{Block: 1, N: 1},
	{Block: 4, N: 1},
	{Block: 12, N: 1},
	{Block: 1, Stride: 3, N: 6},
	{Block: 2, Stride: 5, N: 4},
	{Block: 3, Stride: 8, N: 2},
	{Block: 1, Stride: 3, N: 2},
}

func (p *raceProgram) access(t *rapid.T, nonblocking bool) {
	h := p.pick(t)
	pat := rapid.SampledFrom(raceFiletypes).Draw(t, "pattern")
	pat.Lo = rapid.Int64Range(0, 20).Draw(t, "lo")
	runs := rapid.IntRange(1, 3).Draw(t, "calls")
	write := rapid.Bool().Draw(t, "write")
	short := !write && rapid.IntRange(0, 9).Draw(t, "short") == 0
	if nonblocking {
		runs = 1
	}
	for range runs {
		p.one(t, h, pat, write, short, nonblocking)
		pat.Lo += max(pat.N*pat.Stride, pat.Block)
	}
}

func (p *raceProgram) one(t *rapid.T, h *raceHandle, pat extent.Pattern, write, short, nonblocking bool) {
	time, clock := p.tick(h.rank)
	e := &event{
		rank: h.rank, open: h.open, handle: h.id, write: write, atomic: h.atomic,
		bytes: offsetsOf(&pat), seq: len(p.ref.borders[h.id]) - 1, pending: nonblocking, reach: pat.Hi(),
		time: time, clock: clock,
	}
	if short {
		for off := pat.Hi(); off < 200; off++ {
			e.bytes[off] = true
		}
	}
	if size := p.ref.minSize(e); p.ref.sized && !write {
		missed := int64(200)
		for off := range e.bytes {
			if off >= size {
				missed = min(missed, off)
			}
		}
		for off := missed; off < 200; off++ {
			e.bytes[off] = true
		}
	}
	a := &Access{
		Op: fmt.Sprintf("%v", write), Write: write, Atomic: h.atomic, Bytes: stretchOf(&pat),
		Time: time, Clock: clock, Short: short, EndsAt: pat.Hi(),
	}
	p.note(e)
	if !nonblocking {
		p.compare(t, h.t.Access(a))
		return
	}
	under, race := h.t.Begin(a)
	p.pend = append(p.pend, &racePending{under, e, h})
	p.compare(t, race)
}

func (p *raceProgram) end(t *rapid.T) {
	if len(p.pend) == 0 {
		t.Skip("nothing is under way")
	}
	i := rapid.IntRange(0, len(p.pend)-1).Draw(t, "which")
	o := p.pend[i]
	time, _ := p.tick(o.h.rank)
	o.p.End(time)
	o.e.pending, o.e.time = false, time
	p.pend = slices.Delete(p.pend, i, i+1)
}

// size is get_size, or set_size by all handles of an open.
func (p *raceProgram) size(t *rapid.T) {
	h := p.pick(t)
	all := map[int64]bool{}
	for off := range int64(200) {
		all[off] = true
	}
	if rapid.Bool().Draw(t, "get") {
		time, clock := p.tick(h.rank)
		p.note(&event{
			rank: h.rank, open: h.open, handle: h.id, atomic: h.atomic, bytes: all, seq: len(p.ref.borders[h.id]) - 1,
			time: time, clock: clock,
		})
		p.compare(t, h.t.Access(&Access{Op: "Size", Atomic: h.atomic, Bytes: extent.Between(0, extent.MaxSize), Time: time, Clock: clock}))
		return
	}
	from := rapid.Int64Range(0, 30).Draw(t, "from")
	to := int64(200) // the bytes between the two are written; the cut is behind the second
	if rapid.Bool().Draw(t, "cut") {
		to = from
		h.t.Cut(to)
		p.ref.cuts = append(p.ref.cuts, sizeCut{len(p.ref.events), to})
	}
	some := maps.Clone(all)
	maps.DeleteFunc(some, func(off int64, _ bool) bool { return off < from })
	for _, o := range p.handles {
		if o.open == h.open {
			time, clock := p.tick(o.rank)
			p.note(&event{
				rank: o.rank, open: o.open, handle: o.id, write: true, resize: true, bytes: some, seq: len(p.ref.borders[o.id]) - 1, reach: to,
				time: time, clock: clock,
			})
			p.compare(t, o.t.Access(&Access{
				Op: "SetSize", Write: true, Resize: true, EndsAt: to, Bytes: extent.Between(from, extent.MaxSize), Time: time, Clock: clock,
			}))
		}
	}
}

// atomicity changes the mode of all handles of an open.
func (p *raceProgram) atomicity(t *rapid.T) {
	h := p.pick(t)
	on := !h.atomic
	for _, o := range p.handles {
		if o.open == h.open {
			o.atomic = on
			time, clock := p.tick(o.rank)
			for _, q := range p.pend {
				if q.h == o && q.e.atomic { // nonatomic from now on
					q.e.atomic, q.e.clock = false, clock
				}
			}
			p.compare(t, o.t.Atomicity(true, time, clock))
		}
	}
}

// offsetsOf lists the bytes of p as its definition reads.
func offsetsOf(p *extent.Pattern) map[int64]bool {
	set := map[int64]bool{}
	for i := range p.N {
		for k := range p.Block {
			set[p.Start(i)+k] = true
		}
	}
	return set
}

// tileOf repeats block bytes every stride bytes from lo on.
func tileOf(block, stride, lo int64) types.Tiling {
	l, err := types.Resized(types.Contiguous(block, types.Byte), 0, stride).Layout(types.Host)
	if err != nil {
		panic(err)
	}
	return types.Tiling{L: l, Disp: lo}
}

// stretchOf returns the bytes of p.
func stretchOf(p *extent.Pattern) types.Part {
	if p.N == 1 {
		return extent.Between(p.Lo, p.Hi())
	}
	return types.Part{At: tileOf(p.Block, p.Stride, p.Lo), N: p.Block * p.N}
}

// If this fails, a program that races is called clean, or a clean one is
// accused: the detector and the definitions, pair by pair and byte by byte,
// disagree about some access.
func TestDetectorEqualsDefinition(t *testing.T) {
	t.Run("CONS-C1 CONS-C2 CONS-C3 CONS-D01 CONS-D02 CONS-D04 CONS-D05 CONS-D06 CONS-D07 CONS-D08 random histories", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
			profile := rapid.SampledFrom([]consistency.Profile{consistency.Strict, consistency.Strict, consistency.ROMIO}).Draw(t, "profile")
			p := &raceProgram{
				d:     NewDetector(DetectorOptions{File: "f", Ranks: ranks, Profile: profile}),
				ref:   &history{borders: map[int][]border{}, sized: rapid.Bool().Draw(t, "sized"), visible: profile.Visible()},
				found: map[[2]*event]bool{},
			}
			if p.ref.sized {
				p.ref.begins = rapid.SampledFrom([]int64{0, 10, 40}).Draw(t, "size")
				p.d.StartsWith(p.ref.begins)
			}
			p.d.sweepAt = 0 // forget as early as is right
			for range ranks {
				p.clocks = append(p.clocks, make(vector, ranks))
			}
			p.open(t)
			t.Repeat(map[string]func(*rapid.T){
				"open": p.open, "sync": p.sync, "sync2": p.sync, "close": p.close, "message": p.message, "barrier": p.barrier,
				"access":  func(t *rapid.T) { p.access(t, false) },
				"access2": func(t *rapid.T) { p.access(t, false) },
				"begin":   func(t *rapid.T) { p.access(t, true) },
				"end":     p.end, "size": p.size, "atomicity": p.atomicity,
				"": func(*rapid.T) { p.d.sweepAt = 0 },
			})
		})
	})
}

// If this fails, an endless correct program fills memory with records of old accesses.
func TestDetectorFreesOldRecords(t *testing.T) {
	const ranks = 4
	d := NewDetector(DetectorOptions{Ranks: ranks})
	var hs []*Tracker
	clock := make(vector, ranks)
	for r := range ranks {
		hs = append(hs, d.Open(1, r, 1, clock))
		clock[r] = 1
	}
	most := 0
	for step := range int64(2000) {
		for r, h := range hs {
			clock[r]++
			lo := (step*ranks + int64(r)) * 1000
			assert.Nil(t, h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(lo, lo+100), Time: clock[r], Clock: clock}))
		}
		if step%10 == 9 {
			for range 2 { // sync, barrier, sync
				for r, h := range hs {
					clock[r]++
					h.Sync(clock[r], slices.Clone(clock))
				}
				clock = slices.Clone(clock)
			}
		}
		most = max(most, d.Remembered())
	}
	assert.Less(t, most, 3000)
}

// If this fails, a loop that writes piece by piece costs memory for each piece.
func TestDetectorMerges(t *testing.T) {
	d := NewDetector(DetectorOptions{})
	h := d.Open(1, 0, 1, nil)
	for i := range int64(1000) {
		h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(i*8, i*8+8), Time: 2 + uint64(i)})
	}
	assert.Equal(t, 1, d.Remembered())
	for i := range int64(1000) {
		h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(1<<20+i*80, 1<<20+i*80+8), Time: 2000 + uint64(i)})
	}
	assert.Equal(t, 2, d.Remembered(), "a cyclic pattern is one extent")
	for range 1000 {
		h.Access(&Access{Op: "ReadAt", Bytes: extent.Between(1<<30, 1<<30+8), Time: 9000})
	}
	assert.LessOrEqual(t, d.Remembered(), 5, "the same bytes again")
	for i := range uint64(1000) {
		p, race := h.Begin(&Access{Op: "WriteAtAllBegin", Write: true, Bytes: extent.Between(1<<31, 1<<31+8), Time: 9001 + 2*i})
		assert.Nil(t, race)
		p.End(9002 + 2*i)
	}
	assert.LessOrEqual(t, d.Remembered(), 6, "the same bytes again, by accesses that do not wait")
}

// If this fails, a program that opens a file repeatedly gets a report of the same two
// lines for each open, and the detector keeps each report.
func TestPointerReportedOnce(t *testing.T) {
	d := NewDetector(DetectorOptions{Ranks: 2})
	apart := vector{0, 0}
	for open := range 3 {
		for rank := range 2 {
			h := d.Open(open, rank, uint64(3*open+1), apart)
			h.Pointer(&Access{Op: "WriteShared", Line: sched.Place{File: "f.go", Line: 7}, Write: true, Time: uint64(3*open + 2), Clock: apart}, PointerCall{Moves: true})
		}
	}
	infos := d.Unordered()
	if assert.Len(t, infos, 1) {
		assert.Equal(t, consistency.RulePointer, infos[0].Rule)
		assert.Equal(t, []int{0, 1}, []int{infos[0].A.Rank, infos[0].B.Rank})
		assert.Equal(t, 3, infos[0].Count)
	}
}

// racing returns a detector of a program whose ranks write the same bytes on each of its lines.
func racing(ranks, lines int, atomic bool) *Detector {
	d := NewDetector(DetectorOptions{})
	for r := range ranks {
		h := d.Open(1, r, 1, nil)
		for i := range lines {
			h.Access(&Access{
				Op: "WriteAt", Write: true, Atomic: atomic, Bytes: extent.Between(0, 4), Line: sched.Place{File: "f", Line: i + 1}, Time: uint64(i + 2),
			})
		}
	}
	return d
}

// If this fails, a program in which many lines of many ranks race takes minutes: each access
// would be compared with all others, though their lines are known to race.
func TestRacesAreCountedToALimit(t *testing.T) {
	const lines = 20
	for _, atomic := range []bool{false, true} {
		d := racing(64, lines, atomic)
		races := append(d.Races(), d.Unordered()...)
		if assert.Len(t, races, lines*(lines+1)/2) {
			assert.Equal(t, consistency.MostCounted, races[0].Count)
			assert.Equal(t, "at least 999 more like it", races[0].Alike())
		}
		assert.LessOrEqual(t, d.judged, int64(len(races)*consistency.MostCounted))
		_, all := d.Syncs()
		assert.False(t, all, "syncs between accesses that were not compared may have been needed")
	}
}

// If this fails, the races of a program with thousands of lines fill the memory, or some are
// left out without a word.
func TestRacesAreListedToALimit(t *testing.T) {
	const lines, all = 150, 150 * 151 / 2
	d := racing(4, lines, false)
	races := consistency.Races(d.Races())
	assert.Len(t, races, consistency.MostRaces)
	assert.Equal(t, all, races.Total())
	assert.Contains(t, races.Error(), fmt.Sprintf("and %d more races", all-20))
	assert.Less(t, d.judged, int64(consistency.MostRaces*4*4+2*all), "a race that is not listed is found once")
	d = racing(4, lines, true)
	assert.Empty(t, d.Races())
	assert.Equal(t, all, consistency.Races(d.Unordered()).Total())
}

// If this fails, a report gives the bytes of one call to the other, or advises what helps
// against another kind of race.
func TestRaceNamesItsCalls(t *testing.T) {
	for _, x := range []struct {
		opens  [2]int
		atomic bool
		call   uint64
		fix    string
	}{
		{[2]int{1, 1}, false, 1, "ranks 0 and 1 access these bytes in one collective call"},
		{[2]int{1, 1}, false, 0, "let all ranks of the file call Sync, Barrier and Sync, one after the other, where rank 0"},
		{[2]int{1, 1}, true, 1, "nothing: both are atomic"},
		{[2]int{1, 2}, false, 1, "in this order: all ranks of that open: Sync on the handle of WriteAt (f:1), after it"},
	} {
		for first := range 2 {
			d := NewDetector(DetectorOptions{Ranks: 2})
			hs := [2]*Tracker{d.Open(x.opens[0], 0, 1, nil), d.Open(x.opens[1], 1, 1, nil)}
			for _, rank := range []int{first, 1 - first} {
				lo := int64(4 * rank)
				hs[rank].Access(&Access{
					Op: "WriteAt", Write: true, Atomic: x.atomic, Bytes: extent.Between(lo, lo+8), Call: x.call, Line: sched.Place{File: "f", Line: 1}, Time: 2,
				})
			}
			races := append(d.Races(), d.Unordered()...)
			if !assert.Len(t, races, 1) {
				continue
			}
			for rank, p := range []consistency.Party{races[0].A, races[0].B} {
				assert.Equal(t, []int{rank, 4 * rank, 4*rank + 8}, []int{p.Rank, int(p.Lo), int(p.Hi)}, "%+v, rank %d first", x, first)
			}
			assert.Equal(t, x.call > 0 && x.opens[0] == x.opens[1], races[0].Together)
			assert.Contains(t, races[0].Fix, x.fix)
		}
	}
}

// If this fails, a report takes ranks that each opened the file for themselves for ranks that
// opened it together.
func TestRaceKnowsOpensOfOneRank(t *testing.T) {
	for ranks := 1; ranks <= 3; ranks++ {
		d := NewDetector(DetectorOptions{Ranks: ranks})
		for open := range 2 {
			rank := open % ranks
			h := d.Open(&single{}, rank, 1, vector{0, 0})
			h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(0, 4), Line: sched.Place{File: "f", Line: 1 + open}, Time: 2, Clock: vector{0, 0}})
		}
		if races := d.Races(); assert.Len(t, races, 1) {
			assert.Equal(t, []bool{ranks > 1, ranks > 1}, []bool{races[0].A.Alone, races[0].B.Alone})
		}
	}
}

// If this fails, races between two opens of a file are lost where the same lines race within
// one of them.
func TestFullRacesOfOneOpen(t *testing.T) {
	d := NewDetector(DetectorOptions{})
	write := func(open, rank, time int) {
		h := d.Open(open, rank, uint64(time), nil)
		h.Access(&Access{Op: "WriteAt", Write: true, Bytes: extent.Between(0, 4), Line: sched.Place{File: "f", Line: 1}, Time: uint64(time + 1)})
	}
	for rank := range 64 {
		write(1, rank, 1)
	}
	write(2, 64, 1)
	races := d.Races()
	if assert.Len(t, races, 2) {
		assert.Equal(t, []string{"CONS-C2", "CONS-C3"}, []string{races[0].Rule, races[1].Rule})
		assert.Equal(t, []int{consistency.MostCounted, 64}, []int{races[0].Count, races[1].Count})
	}
}

// Under a profile that shows a write to all that know of it, a write makes the file longer for them even
// if another one of its rank, of which they do not know, covers it. (CONS-D08)
func TestCoveredWriteMadeTheFileLonger(t *testing.T) {
	d := NewDetector(DetectorOptions{File: "f", Ranks: 2, Profile: consistency.ROMIO})
	d.StartsWith(0)
	reader, writer := d.Open(0, 0, 1, vector{1, 0}), d.Open(0, 1, 1, vector{0, 1})
	write := func(time uint64, lo, hi int64) *consistency.RaceError {
		return writer.Access(&Access{Op: "write", Write: true, Bytes: extent.Between(lo, hi), Time: time, Clock: vector{1, time}})
	}
	assert.Nil(t, write(2, 20, 21))
	for time := uint64(4); time < 8; time++ { // the newest two stay
		assert.Nil(t, write(time, 1, 30))
	}
	assert.Nil(t, reader.Access(&Access{Op: "read", Bytes: extent.Between(0, 1), Time: 5, Clock: vector{5, 3}}))
	assert.NotNil(t, reader.Access(&Access{Op: "read", Bytes: extent.Between(0, 2), Time: 6, Clock: vector{6, 3}}))
}
