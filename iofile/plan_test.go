package iofile_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// columns are the parts of p ranks that own column blocks of an n x n matrix of
// doubles.
func columns(t require.TestingT, n, p int64) []iofile.Part {
	l, err := types.Vector(n, n/p, n, types.Double).Layout(types.Host)
	require.NoError(t, err)
	var parts []iofile.Part
	for r := range p {
		parts = append(parts, iofile.Part{At: types.Tiling{L: l, Disp: r * n / p * 8}, N: n * n / p * 8})
	}
	return parts
}

// rows cuts each part into calls of one row each, as levels 0 and 1 make them.
func rows(t require.TestingT, n, p int64) [][]iofile.Part {
	l, err := types.Byte.Layout(types.Host)
	require.NoError(t, err)
	calls := make([][]iofile.Part, n)
	for i := range n {
		for r := range p {
			calls[i] = append(calls[i], iofile.Part{At: types.Tiling{L: l}, From: (i*n + r*n/p) * 8, N: n / p * 8})
		}
	}
	return calls
}

// measured are the requests that MPICH 4.0.2 was seen to make for column blocks
// on 4 ranks: level 0 one call for each row, 1 the same with collective calls, 2
// one independent call through a view, 3 one collective call through it.
var measured = []struct {
	name          string
	level         int
	n             int64
	write         bool
	s             iofile.Strategy
	reads, writes int64 // -1: not measured, or different from run to run
	bytes, locks  int64
}{
	{"L0", 0, 256, true, iofile.Sieve{}, 0, 1024, 524288, 0},
	{"L0 reading", 0, 256, false, iofile.Sieve{}, 1024, 0, 524288, 0},
	{"L1", 1, 256, true, iofile.TwoPhase{}, 0, 1024, 524288, 0},
	{"L1 reading", 1, 256, false, iofile.TwoPhase{}, 1024, 0, 524288, 0},
	{"L2", 2, 256, true, iofile.TwoPhase{}, -1, 4, 2091008, 4},
	{"L2 reading", 2, 256, false, iofile.TwoPhase{}, 4, 0, 2091008, 0},
	{"L2 buffers of 65536", 2, 256, true, iofile.Sieve{WriteBuffer: 65536}, -1, 32, 2091008, 4},
	{"L2 buffers of 65536 reading", 2, 256, false, iofile.Sieve{ReadBuffer: 65536}, 32, 0, 2091008, 0},
	{"L2 without sieve", 2, 256, true, iofile.Sieve{Write: iofile.Disable}, 0, 1024, 524288, 0},
	{"L2 without sieve reading", 2, 256, false, iofile.Sieve{Read: iofile.Disable}, 1024, 0, 524288, 0},
	{"L2 direct", 2, 256, true, iofile.Direct{}, 0, 1024, 524288, 0},
	{"L3", 3, 256, true, iofile.TwoPhase{}, 0, 1, 524288, 0},
	{"L3 reading", 3, 256, false, iofile.TwoPhase{}, 1, 0, 524288, 0},
	{"L3 *:4", 3, 256, true, iofile.TwoPhase{Nodes: 4}, 0, 4, 524288, 0},
	{"L3 *:4 reading", 3, 256, false, iofile.TwoPhase{Nodes: 4}, 4, 0, 524288, 0},
	{"L3 *:4 buffers of 32768", 3, 256, true, iofile.TwoPhase{Nodes: 4, Buffer: 32768}, 0, 16, 524288, 0},
	{"L3 *:3", 3, 256, true, iofile.TwoPhase{Nodes: 3}, 0, 3, 524288, 0},
	{"L3 without buffering", 3, 256, true, iofile.TwoPhase{Write: iofile.Disable}, -1, 4, 2091008, 4},
	{"L2 512", 2, 512, true, iofile.Sieve{}, -1, 16, 8376320, 4},
	{"L2 512 reading", 2, 512, false, iofile.Sieve{}, 4, 0, 8376320, 0},
	{"L2 1024", 2, 1024, true, iofile.Sieve{}, -1, 64, 33529856, 4},
	{"L2 1024 reading", 2, 1024, false, iofile.Sieve{}, 8, 0, 33529856, 0},
	{"L3 1024 buffers of 1 MiB", 3, 1024, true, iofile.TwoPhase{Buffer: 1 << 20}, 0, 8, 8388608, 0},
}

// TestPlanMeasured: if it fails, plans tell other requests than a real library
// makes, and what people learn from them is wrong.
func TestPlanMeasured(t *testing.T) {
	for _, row := range measured {
		t.Run("CONS-LAY-01 "+row.name, func(t *testing.T) {
			calls := [][]iofile.Part{columns(t, row.n, 4)}
			if row.level < 2 {
				calls = rows(t, row.n, 4)
			}
			var got iofile.Counts
			for _, parts := range calls {
				p, err := iofile.NewPlan(row.s, row.write, row.level%2 == 1, parts)
				require.NoError(t, err)
				got.Add(p.Counts())
			}
			if row.reads >= 0 {
				assert.Equal(t, row.reads, got.Reads, "reads")
			}
			assert.Equal(t, row.writes, got.Writes, "writes")
			bytes := got.ReadBytes
			if row.write {
				bytes = got.WriteBytes
			}
			assert.Equal(t, row.bytes, bytes, "bytes")
			assert.Equal(t, row.locks, got.Locks, "locks")
			assert.Equal(t, row.n*row.n*8, got.Useful, "useful bytes")
		})
	}
}

// drawParts draws parts of views that may be written through.
func drawParts(t *rapid.T) []iofile.Part {
	parts := make([]iofile.Part, rapid.IntRange(1, 5).Draw(t, "ranks"))
	for r := range parts {
		v := drawView(t, rapid.SampledFrom([]*types.Type{types.Byte, types.Short}).Draw(t, "etype"), "native")
		l, err := v.Filetype.Layout(types.Host)
		require.NoError(t, err)
		if l.Size == 0 {
			continue
		}
		parts[r] = iofile.Part{
			At:   types.Tiling{L: l, Disp: v.Disp + rapid.Int64Range(0, 60).Draw(t, "where")},
			From: rapid.Int64Range(0, 9).Draw(t, "from"), N: rapid.Int64Range(0, 40).Draw(t, "n"),
		}
	}
	return parts
}

// drawStrategy draws a strategy with buffers so small that they matter.
func drawStrategy(t *rapid.T) iofile.Strategy {
	size := func(name string) int64 { return rapid.Int64Range(0, 40).Draw(t, name) }
	toggle := func(name string) iofile.Switch {
		return rapid.SampledFrom([]iofile.Switch{iofile.Automatic, iofile.Enable, iofile.Disable}).Draw(t, name)
	}
	sieve := iofile.Sieve{ReadBuffer: size("read buffer"), WriteBuffer: size("write buffer"), Read: toggle("ds read"), Write: toggle("ds write")}
	switch rapid.IntRange(0, 4).Draw(t, "strategy") {
	case 0:
		return iofile.Direct{}
	case 1:
		return sieve
	case 2:
		return iofile.List{Most: rapid.IntRange(0, 3).Draw(t, "most")}
	}
	return iofile.TwoPhase{
		Nodes: rapid.IntRange(0, 6).Draw(t, "nodes"), Buffer: size("buffer"), MinDomain: size("domain"),
		Stripe: rapid.Int64Range(0, 20).Draw(t, "stripe"), Read: toggle("cb read"), Write: toggle("cb write"), Sieve: sieve,
	}
}

// each lists the packed bytes of a part: where each lies in the file.
func each(p iofile.Part) []int64 {
	var all []int64
	for i := range p.N {
		all = append(all, p.At.At(p.From+i))
	}
	return all
}

// byBytes plans two phases byte by byte, by the definition.
func byBytes(s iofile.TwoPhase, write bool, parts []iofile.Part) (requests []iofile.Request, rounds int) {
	touched := map[int64]bool{}
	lo, hi := int64(1<<62), int64(-1)
	for _, p := range parts {
		for _, at := range each(p) {
			touched[at] = true
			lo, hi = min(lo, at), max(hi, at)
		}
	}
	if hi < 0 {
		return nil, 0
	}
	n := int64(min(max(s.Nodes, 1), len(parts)))
	size := max((hi-lo+n)/n, s.MinDomain)
	buffer := cmp.Or(s.Buffer, 16<<20)
	domain := func(at int64) int64 {
		for i := range n - 1 {
			end := lo + (i+1)*size
			if s.Stripe > 0 {
				end = (2*end + s.Stripe) / (2 * s.Stripe) * s.Stripe
			}
			if at < end {
				return i
			}
		}
		return n - 1
	}
	for i := range n {
		first, last := int64(-1), int64(-1)
		for at := lo; at <= hi; at++ {
			if touched[at] && domain(at) == i {
				if first < 0 {
					first = at
				}
				last = at
			}
		}
		for k := int64(0); first >= 0 && first+k*buffer <= last; k++ {
			rounds = max(rounds, int(k)+1)
			r := iofile.Request{Rank: int(i), Round: int(k), Off: first + k*buffer, Runs: 1}
			r.Len = min(buffer, last+1-r.Off)
			wanted := int64(0)
			for at := r.Off; at < r.Off+r.Len; at++ {
				if touched[at] {
					wanted++
				}
			}
			if wanted > 0 && (!write || wanted < r.Len) {
				requests = append(requests, r)
			}
			if r.Write = write; wanted > 0 && write {
				requests = append(requests, r)
			}
		}
	}
	return requests, rounds
}

// TestPlanReference: if it fails, a plan loses bytes, moves some twice, or makes
// other requests than its rules say.
func TestPlanReference(t *testing.T) {
	t.Run("CONS-LAY-01 two phases by the definition", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			parts, write := drawParts(rt), rapid.Bool().Draw(rt, "write")
			s := iofile.TwoPhase{
				Nodes: rapid.IntRange(0, 6).Draw(rt, "nodes"), Buffer: rapid.Int64Range(0, 40).Draw(rt, "buffer"),
				MinDomain: rapid.Int64Range(0, 40).Draw(rt, "domain"), Stripe: rapid.Int64Range(0, 20).Draw(rt, "stripe"),
				Read: iofile.Enable, Write: iofile.Enable,
			}
			p, err := iofile.NewPlan(s, write, true, parts)
			require.NoError(rt, err)
			requests, rounds := byBytes(s, write, parts)
			require.Equal(rt, requests, p.Requests)
			require.Equal(rt, rounds, p.Rounds)
		})
	})
	t.Run("CONS-LAY-01 every byte moves once, inside a request", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			parts, write, s := drawParts(rt), rapid.Bool().Draw(rt, "write"), drawStrategy(rt)
			p, err := iofile.NewPlan(s, write, rapid.Bool().Draw(rt, "together"), parts)
			require.NoError(rt, err)
			checkPlan(rt, p, parts)
		})
	})
}

// checkPlan checks what holds for every plan.
func checkPlan(t *rapid.T, p *iofile.Plan, parts []iofile.Part) {
	want, named := int64(0), int64(0)
	var moves []string
	for r, part := range parts {
		want += part.N
		for pos, off := range each(part) {
			moves = append(moves, fmt.Sprint(r, pos, off))
		}
	}
	require.Equal(t, want, p.Useful)
	switch p.Strategy.(type) {
	case iofile.Direct, iofile.List:
		require.Empty(t, p.Moves)
		for _, r := range p.Requests {
			require.Equal(t, p.Write, r.Write)
			named += r.Len
		}
		require.Equal(t, want, named)
		return
	}
	var moved []string
	for _, m := range p.Moves {
		for i := range m.Len {
			moved = append(moved, fmt.Sprint(m.Rank, m.Pos+i, m.Off+i))
		}
		within := func(write bool) bool {
			return slices.ContainsFunc(p.Requests, func(r iofile.Request) bool {
				return r.Write == write && r.Rank == m.Carrier && r.Round == m.Round && r.Off <= m.Off && m.Off+m.Len <= r.Off+r.Len
			})
		}
		require.True(t, within(p.Write), "%+v\n%+v", m, p.Requests)
	}
	slices.Sort(moves)
	slices.Sort(moved)
	require.Equal(t, moves, moved)
}

// TestPlanRefuses: if it fails, settings that mean nothing crash or hang.
func TestPlanRefuses(t *testing.T) {
	parts := columns(t, 4, 2)
	for _, s := range []iofile.Strategy{
		iofile.Sieve{ReadBuffer: -1},
		iofile.Sieve{Write: 3},
		iofile.List{Most: -1},
		iofile.TwoPhase{Nodes: -1},
		iofile.TwoPhase{Buffer: 1<<30 + 1},
		iofile.TwoPhase{Stripe: 1 << 62},
		iofile.TwoPhase{Sieve: iofile.Sieve{WriteBuffer: -2}},
	} {
		t.Run(fmt.Sprintf("IO-OPEN-04 %v", s), func(t *testing.T) {
			_, err := iofile.NewPlan(s, true, true, parts)
			refused(t, err, iofile.ErrArg, "IO-OPEN-04")
		})
	}
	t.Run("IO-DA-16 parts", func(t *testing.T) {
		for _, p := range []iofile.Part{{N: -1}, {N: 1}, {At: parts[0].At, From: -1}, {At: parts[0].At, From: 1 << 62, N: 1 << 62}} {
			_, err := iofile.NewPlan(iofile.TwoPhase{}, true, true, []iofile.Part{p})
			assert.ErrorIs(t, err, iofile.ErrArg)
		}
	})
}
