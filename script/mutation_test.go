package script

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/world"
)

func init() { thorough.Fewer() }

// An action is the call of one rank, or of all, on one line of a program.
type action struct {
	do     string // write, read, sync, barrier, send, recv, open, view, close
	rank   int    // -1: all
	handle string
	lo, hi int // bytes of an access, in the view
	to     int // of a message, or where it is from
}

func (d *action) access() bool       { return d.do == "write" || d.do == "read" }
func (d *action) syncs() bool        { return d.do == "sync" || d.do == "open" || d.do == "close" }
func (d *action) by(rank int) bool   { return d.rank < 0 || d.rank == rank }
func (d *action) mayBeDropped() bool { return d.do == "sync" || d.do == "barrier" || d.do == "send" }

// A lens is a regular view: blocks of bytes at equal distances.
type lens struct{ disp, block, stride int }

// A lineProgram is a program for some ranks on files of 64 bytes. alone says that each rank
// opens them by itself, so that its syncs do not involve other ranks.
type lineProgram struct {
	ranks int
	alone bool
	files map[string]string // of handles
	views map[string][]lens // of handles, by rank
	lines []action
}

// bytes are those of its file that an access touches.
func (p *lineProgram) bytes(d *action) (all [64]bool) {
	v := p.views[d.handle][d.rank]
	for i := d.lo; i < d.hi; i++ {
		all[v.disp+i/v.block*v.stride+i%v.block] = true
	}
	return all
}

// conflict returns the stretches of bytes for which two accesses are in conflict.
func (p *lineProgram) conflict(d, e *action) (runs [][2]int64) {
	if d.do != "write" && e.do != "write" || p.files[d.handle] != p.files[e.handle] {
		return nil
	}
	a, b := p.bytes(d), p.bytes(e)
	for i := range a {
		switch k := len(runs) - 1; {
		case !a[i] || !b[i]:
		case k >= 0 && runs[k][1] == int64(i):
			runs[k][1]++
		default:
			runs = append(runs, [2]int64{int64(i), int64(i) + 1})
		}
	}
	return runs
}

// hides reports whether the later access e touches the bytes of run as d did, and at least
// as strongly: every access that races with d over them also races with e.
func (p *lineProgram) hides(e, d *action, run [2]int64) bool {
	if !e.access() || e.rank != d.rank || e.handle != d.handle || d.do == "write" && e.do == "read" {
		return false
	}
	all := p.bytes(e)
	return !slices.Contains(all[run[0]:run[1]], false)
}

// cleanProgram draws a program without a race: phases in which no rank is in
// conflict with another, and between them sync, order, sync. Not all of that is
// needed.
func cleanProgram(t *rapid.T) *lineProgram {
	p := &lineProgram{
		ranks: rapid.IntRange(2, 3).Draw(t, "ranks"), alone: rapid.Bool().Draw(t, "alone"),
		files: map[string]string{"h": "f", "g": rapid.SampledFrom([]string{"f", "f", "e"}).Draw(t, "file")}, views: map[string][]lens{},
	}
	handles := []string{"h", "g"}[:rapid.IntRange(1, 2).Draw(t, "handles")]
	everybody := func(do, handle string) {
		if !p.alone || do == "barrier" {
			p.lines = append(p.lines, action{do: do, rank: -1, handle: handle})
			return
		}
		for r := range p.ranks {
			p.lines = append(p.lines, action{do: do, rank: r, handle: handle})
		}
	}
	for _, h := range handles {
		everybody("open", h)
		for r := range p.ranks {
			v := lens{disp: rapid.IntRange(0, 4).Draw(t, "disp"), block: rapid.IntRange(1, 3).Draw(t, "block")}
			v.stride = v.block + rapid.IntRange(0, 3).Draw(t, "hole")
			p.views[h] = append(p.views[h], v)
			p.lines = append(p.lines, action{do: "view", rank: r, handle: h})
		}
	}
	for phase := range rapid.IntRange(2, 3).Draw(t, "phases") {
		if phase > 0 {
			p.separate(t, handles, everybody)
		}
		first := len(p.lines)
		for range rapid.IntRange(1, 4).Draw(t, "accesses") {
			d := action{
				do: rapid.SampledFrom([]string{"write", "read"}).Draw(t, "do"), rank: rapid.IntRange(0, p.ranks-1).Draw(t, "rank"),
				handle: rapid.SampledFrom(handles).Draw(t, "handle"), lo: rapid.IntRange(0, 5).Draw(t, "lo"),
			}
			d.hi = d.lo + rapid.IntRange(1, 6).Draw(t, "n")
			if !slices.ContainsFunc(p.lines[first:], func(e action) bool {
				return len(p.conflict(&e, &d)) > 0 && (e.rank != d.rank || e.handle != d.handle)
			}) {
				p.lines = append(p.lines, d)
			}
		}
	}
	for _, h := range handles {
		everybody("close", h)
	}
	return p
}

// separate puts sync, order, sync between two phases.
func (p *lineProgram) separate(t *rapid.T, handles []string, everybody func(do, handle string)) {
	for range rapid.IntRange(1, 2).Draw(t, "syncs") {
		for _, h := range handles {
			everybody("sync", h)
		}
	}
	if p.ranks == 2 && rapid.Bool().Draw(t, "messages") {
		p.lines = append(
			p.lines,
			action{do: "send", rank: 0, to: 1}, action{do: "send", rank: 1, to: 0},
			action{do: "recv", rank: 1, to: 0}, action{do: "recv", rank: 0, to: 1},
		)
	} else {
		everybody("barrier", "")
	}
	for _, h := range handles {
		everybody("sync", h)
	}
}

// String returns the program as a script; line i of the program is line i+4 of it.
func (p *lineProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ranks %d\nfile f = 00*64\nfile e = 00*64\n", p.ranks)
	for i, d := range p.lines {
		who := "all"
		if d.rank >= 0 {
			who = fmt.Sprint(d.rank)
		}
		call := fmt.Sprint(d.do, " ", d.handle)
		switch d.do {
		case "open":
			if call = fmt.Sprintf("open %s %s rdwr", d.handle, p.files[d.handle]); p.alone {
				call = "self " + call
			}
		case "view":
			v := p.views[d.handle][d.rank]
			call = fmt.Sprintf("view %s %d byte resized(contiguous(%d, byte), 0, %d) native", d.handle, v.disp, v.block, v.stride)
		case "write":
			call = fmt.Sprintf("write_at %s %d byte %d*%d", d.handle, d.lo, i+1, d.hi-d.lo)
		case "read":
			call = fmt.Sprintf("read_at %s %d byte*%d -> x%d", d.handle, d.lo, d.hi-d.lo, i)
		case "send":
			call = fmt.Sprintf("send %d 0 byte 1", d.to)
		case "recv":
			call = fmt.Sprintf("recv %d 0 byte*1 -> m%d", d.to, i)
		}
		fmt.Fprintf(&b, "%s: %s\n", who, call)
	}
	return b.String()
}

const firstLine = 4

// without returns the program without line i; if line i is a send, without its receive too.
func (p *lineProgram) without(i int) *lineProgram {
	q := p.clone()
	d := q.lines[i]
	q.lines[i] = action{do: "seek", rank: 0, handle: "h 0 set"} // does nothing, and keeps the numbers of lines
	if d.do == "send" {
		for k := i; ; k++ {
			if e := q.lines[k]; e.do == "recv" && e.rank == d.to && e.to == d.rank {
				q.lines[k] = q.lines[i]
				break
			}
		}
	}
	return q
}

// with returns the program with another handle on line i.
func (p *lineProgram) with(i int, handle string) *lineProgram {
	q := p.clone()
	q.lines[i].handle = handle
	return q
}

// moved returns the program with line i on line k.
func (p *lineProgram) moved(i, k int) *lineProgram {
	q := p.clone()
	d := q.lines[i]
	q.lines = slices.Insert(slices.Delete(q.lines, i, i+1), k, d)
	return q
}

func (p *lineProgram) clone() *lineProgram {
	q := *p
	q.lines = slices.Clone(p.lines)
	return &q
}

// A lacking is a race: two lines, the first of them first if anything puts them
// into an order, and the missing call.
type lacking struct {
	a, b int
	what consistency.Missing
}

// A finding is a race as it was reported: with the file, the first stretch of bytes
// and how many follow.
type finding struct {
	lacking
	file string
	run  [2]int64
	more int
}

// before returns, for every two events, whether the first happened before the second: the
// closure of the order of each rank, of messages and of barriers. An event is a line and the
// rank that runs it.
func (p *lineProgram) before() func(rank, line, rank2, line2 int) bool {
	n := len(p.lines)
	at := func(rank, line int) int { return rank*n + line }
	hb := make([][]bool, p.ranks*n)
	for i := range hb {
		hb[i] = make([]bool, p.ranks*n)
	}
	for r := range p.ranks {
		for i := range n {
			for j := i + 1; j < n; j++ {
				hb[at(r, i)][at(r, j)] = true
			}
		}
	}
	for i, d := range p.lines {
		switch d.do {
		case "barrier": // a statement before it on any rank comes before a statement behind it on every rank
			for r := range p.ranks {
				for s := range p.ranks {
					if i > 0 && i+1 < n {
						hb[at(r, i-1)][at(s, i+1)] = true
					}
				}
			}
		case "send":
			sent := 0
			for _, e := range p.lines[:i] {
				if e.do == "send" && e.rank == d.rank && e.to == d.to {
					sent++
				}
			}
			for j, e := range p.lines {
				if e.do == "recv" && e.rank == d.to && e.to == d.rank {
					if sent--; sent < 0 {
						hb[at(d.rank, i)][at(e.rank, j)] = true
						break
					}
				}
			}
		}
	}
	for k := range hb {
		for i := range hb {
			if !hb[i][k] {
				continue
			}
			for j, then := range hb[k] {
				hb[i][j] = hb[i][j] || then
			}
		}
	}
	return func(rank, line, rank2, line2 int) bool { return hb[at(rank, line)][at(rank2, line2)] }
}

// races returns the races of the program by the definition: for two accesses in conflict
// there must be a sync of the first's handle after it that happened before a sync of the
// second's before that. (CONS-C1 to CONS-C3)
func (p *lineProgram) races() (all []lacking) {
	hb := p.before()
	for i := range p.lines {
		for j := range p.lines[:i] {
			a, b := &p.lines[j], &p.lines[i]
			if !a.access() || !b.access() || len(p.conflict(a, b)) == 0 || a.rank == b.rank && a.handle == b.handle {
				continue
			}
			ab, ba := p.lack(hb, j, i), p.lack(hb, i, j)
			switch {
			case ab == "" || ba == "":
			case hb(b.rank, i, a.rank, j):
				all = append(all, lacking{i, j, ba})
			default:
				all = append(all, lacking{j, i, ab})
			}
		}
	}
	return all
}

// lack returns the calls that line j misses to come after line i for certain.
func (p *lineProgram) lack(hb func(rank, line, rank2, line2 int) bool, i, j int) consistency.Missing {
	a, b := &p.lines[i], &p.lines[j]
	own, other := consistency.WriterSync, consistency.ReaderSync
	if a.do == "read" {
		own, other = other, own
	}
	if !hb(a.rank, i, b.rank, j) {
		return consistency.Order
	}
	published := false
	for x, d := range p.lines {
		if !d.syncs() || !d.by(a.rank) || d.handle != a.handle || !hb(a.rank, i, a.rank, x) || !hb(a.rank, x, b.rank, j) {
			continue
		}
		published = true
		for z, e := range p.lines {
			if e.syncs() && e.by(b.rank) && e.handle == b.handle && hb(a.rank, x, b.rank, z) && hb(b.rank, z, b.rank, j) {
				return ""
			}
		}
	}
	if !published {
		return own
	}
	return other
}

// found runs a program once and returns the races and the lines of needed syncs.
func (p *lineProgram) found(t require.TestingT, seed uint64) (races []finding, needed map[int]bool) {
	s, err := Parse(p.String())
	require.NoError(t, err, p.String())
	x := newCollector(s, Options{})
	r, err := newRun(s, x.plan, x.files()...)
	require.NoError(t, err)
	x.ended(world.Run(context.Background(), s.Ranks, r.body, world.Seed(seed)), "")
	require.Nil(t, x.report.Deadlock, "%v", p)
	require.NoError(t, x.report.Err)
	for _, race := range x.races {
		races = append(races, finding{
			lacking{race.A.Place.Line - firstLine, race.B.Place.Line - firstLine, race.Missing},
			race.File,
			[2]int64{race.Lo, race.Hi},
			int(race.More),
		})
	}
	needed = map[int]bool{}
	for _, h := range r.ranks[0].handles {
		uses, all := h.SyncUses()
		require.True(t, all)
		for _, u := range uses {
			needed[u.Place.Line-firstLine] = u.Needed > 0
		}
	}
	return races, needed
}

// blames compares the findings with the definition: none is invented, every two lines that
// race are reported, and the file and the bytes are those in conflict. But if a later
// access of a handle touches bytes again and races, the earlier race may be missing.
func blames(t require.TestingT, p *lineProgram, found []finding, want []lacking) {
	of := func(a, b int) *finding {
		k := slices.IndexFunc(found, func(f finding) bool { return f.a == a && f.b == b || f.a == b && f.b == a })
		if k < 0 {
			return nil
		}
		return &found[k]
	}
	var hidden func(a, b int, run [2]int64) bool
	hidden = func(a, b int, run [2]int64) bool {
		for range 2 {
			for e := a + 1; e < len(p.lines); e++ {
				if p.hides(&p.lines[e], &p.lines[a], run) && (of(e, b) != nil || hidden(e, b, run)) {
					return true
				}
			}
			a, b = b, a
		}
		return false
	}
	for _, f := range found {
		if f.what == consistency.Order && f.a > f.b { // which one is first says nothing
			f.a, f.b = f.b, f.a
		}
		if !slices.ContainsFunc(want, func(w lacking) bool {
			if w.what == consistency.Order && w.a > w.b {
				w.a, w.b = w.b, w.a
			}
			return w == f.lacking
		}) {
			assert.Fail(t, "a race is made up, or lacks something else", "%+v, not of %+v\n%v", f, want, p)
		}
	}
	for _, w := range want {
		a := &p.lines[w.a]
		runs := p.conflict(a, &p.lines[w.b])
		f := of(w.a, w.b)
		if f == nil {
			for _, run := range runs {
				assert.True(t, hidden(w.a, w.b, run), "a race is missed: %+v over %v, only %+v\n%v", w, run, found, p)
			}
			continue
		}
		assert.Equal(t, p.files[a.handle], f.file)
		reported := f.more
		for _, run := range runs {
			switch {
			case run == f.run || run[0] > f.run[0] && reported > 0 && !hidden(w.a, w.b, run):
				if run != f.run {
					reported--
				}
			default:
				assert.True(t, hidden(w.a, w.b, run), "%+v is without bytes %v\n%v", f, run, p)
			}
		}
		assert.Contains(t, runs, f.run, "%v", p)
		assert.LessOrEqual(t, f.more, len(runs)-1, "%v", p)
	}
}

// TestMutants: if it fails, a program without a needed sync gets no report, or one of
// another race or other bytes, or the advice to keep a useless sync. Mutants are clean
// programs without one sync, barrier or message, with two handles exchanged, or with an
// access on another line. The definition gives the racing lines. The test runs until a
// thousand pairs have raced.
func TestMutants(t *testing.T) {
	pairs := 1000
	if !thorough.All() {
		pairs = 200
	}
	count := map[string]int{}
	t.Run("CONS-SYNC-05 CONS-D07 CONS-C1 CONS-C2 CONS-C3 random programs", func(t *testing.T) {
		for range 50 {
			if rapid.Check(t, func(t *rapid.T) { mutate(t, cleanProgram(t), count) }); t.Failed() || count["pairs"] >= pairs {
				return
			}
		}
	})
	assert.GreaterOrEqual(t, count["pairs"], pairs)
	for _, what := range []string{"writer-sync", "order", "reader-sync", "silent", "swapped", "moved"} {
		assert.NotZero(t, count[what], "no mutant %s", what)
	}
	t.Log(count)
}

// mutate holds all mutants of a clean program, and itself, against the definition.
func mutate(t *rapid.T, p *lineProgram, count map[string]int) {
	seed := rapid.Uint64().Draw(t, "schedule")
	judge := func(q *lineProgram, how string) []lacking {
		want := q.races()
		found, _ := q.found(t, seed)
		blames(t, q, found, want)
		count[how]++
		count["pairs"] += len(want)
		return want
	}
	require.Empty(t, p.races(), "%v", p)
	found, needed := p.found(t, seed)
	require.Empty(t, found, "a clean program\n%v", p)
	first := slices.IndexFunc(p.lines, func(d action) bool { return d.access() || d.mayBeDropped() })
	last := slices.IndexFunc(p.lines, func(d action) bool { return d.do == "close" })
	for i := range p.lines {
		d := &p.lines[i]
		if other := map[string]string{"h": "g", "g": "h"}[d.handle]; (d.access() || d.do == "sync") && strings.Contains(p.String(), "open g") {
			judge(p.with(i, other), "swapped")
		}
		if d.access() {
			judge(p.moved(i, rapid.IntRange(first, last-1).Draw(t, "to")), "moved")
		}
		if !d.mayBeDropped() {
			continue
		}
		want := judge(p.without(i), "dropped")
		for _, w := range want {
			count[string(w.what)]++
		}
		if len(want) == 0 {
			count["silent"]++
		}
		if d.do == "sync" {
			audited(t, p, i, needed[i], len(want) > 0)
		}
	}
}

// TestMutantsOfTwins drops every sync and barrier of the correct twins: bytes that are then
// undefined by the rules have raced, and no rank misses a sync that the audit calls
// unneeded.
func TestMutantsOfTwins(t *testing.T) {
	all, err := fs.Glob(consistency.Twins(), "*-clean.mpio")
	require.NoError(t, err)
	undefined, silent := 0, 0
	for _, name := range all {
		text, err := fs.ReadFile(consistency.Twins(), name)
		require.NoError(t, err)
		t.Run("CONS-SYNC-05 CONS-D07 "+name, func(t *testing.T) {
			s, err := Parse(string(text))
			require.NoError(t, err)
			_, r := once(t, s)
			needed := map[int]bool{}
			for _, k := range r.ranks {
				for _, h := range k.handles {
					uses, _ := h.SyncUses()
					for _, u := range uses {
						needed[u.Place.Line] = needed[u.Place.Line] || u.Needed > 0
					}
				}
			}
			for b := range s.Blocks {
				for i, c := range s.Blocks[b].Stmts {
					if c.Routine != "sync" && c.Routine != "barrier" {
						continue
					}
					m := *s
					m.Blocks = slices.Clone(s.Blocks)
					m.Blocks[b].Stmts = slices.Delete(slices.Clone(s.Blocks[b].Stmts), i, i+1)
					x, r := once(t, &m)
					if x.report.Deadlock != nil || len(x.report.Failures) > 0 {
						continue // only some ranks were left with a collective call
					}
					raced := len(x.races) > 0
					if _, err := r.histories(); err == nil && leftOpen(t, r) {
						undefined++
						assert.True(t, raced, "without line %d", c.Line)
					}
					if c.Routine == "sync" && !needed[c.Line] {
						silent++
						assert.False(t, raced, "without line %d", c.Line)
					}
				}
			}
		})
	}
	assert.Greater(t, undefined, 20)
	assert.NotZero(t, silent)
	t.Log(undefined, silent)
}

// once runs a script under one schedule.
func once(t *testing.T, s *Script) (*collector, *run) {
	x := newCollector(s, Options{})
	r, err := newRun(s, x.plan, x.files()...)
	require.NoError(t, err)
	x.ended(world.Run(t.Context(), s.Ranks, r.body, world.Seed(1)), "")
	x.recordFailures(r)
	return x, r
}

// audited compares the audit of the clean run about the sync on line i with the effect of
// removing it. If several syncs of a handle have the same effect, any one can be removed,
// but not all.
func audited(t require.TestingT, p *lineProgram, i int, needed, races bool) {
	if races {
		assert.True(t, needed, "line %d is needed and the audit does not say so\n%v", i+firstLine, p)
	}
	if !needed {
		return
	}
	q := p
	for k, d := range p.lines {
		if d == p.lines[i] {
			q = q.without(k)
		}
	}
	assert.NotEmpty(t, q.races(), "the audit says that line %d is needed\n%v", i+firstLine, p)
}
