package iofile_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// columns are the parts of p ranks that own column blocks of an n x n matrix of
// doubles.
func columns(t require.TestingT, n, p int64) []strategy.Part {
	l, err := types.Vector(n, n/p, n, types.Double).Layout(types.Host)
	require.NoError(t, err)
	var parts []strategy.Part
	for r := range p {
		parts = append(parts, strategy.Part{At: types.Tiling{L: l, Disp: r * n / p * 8}, N: n * n / p * 8})
	}
	return parts
}

// rows cuts each part into calls of one row each, as levels 0 and 1 make them.
func rows(t require.TestingT, n, p int64) [][]strategy.Part {
	l, err := types.Byte.Layout(types.Host)
	require.NoError(t, err)
	calls := make([][]strategy.Part, n)
	for i := range n {
		for r := range p {
			calls[i] = append(calls[i], strategy.Part{At: types.Tiling{L: l}, From: (i*n + r*n/p) * 8, N: n / p * 8})
		}
	}
	return calls
}

// measured has the observed requests of MPICH 4.0.2 for column blocks on 4 ranks: level 0 one call
// for each row, 1 the same with collective calls, 2 one independent call through a view, 3 one
// collective call through it.
var measured = []struct {
	name          string
	level         int
	n             int64
	write         bool
	s             strategy.Strategy
	reads, writes int64 // -1: not measured, or different from run to run
	bytes, locks  int64
}{
	{"L0", 0, 256, true, strategy.Sieve{}, 0, 1024, 524288, 0},
	{"L0 reading", 0, 256, false, strategy.Sieve{}, 1024, 0, 524288, 0},
	{"L1", 1, 256, true, strategy.TwoPhase{}, 0, 1024, 524288, 0},
	{"L1 reading", 1, 256, false, strategy.TwoPhase{}, 1024, 0, 524288, 0},
	{"L2", 2, 256, true, strategy.TwoPhase{}, -1, 4, 2091008, 4},
	{"L2 reading", 2, 256, false, strategy.TwoPhase{}, 4, 0, 2091008, 0},
	{"L2 buffers of 65536", 2, 256, true, strategy.Sieve{WriteBuffer: 65536}, -1, 32, 2091008, 4},
	{"L2 buffers of 65536 reading", 2, 256, false, strategy.Sieve{ReadBuffer: 65536}, 32, 0, 2091008, 0},
	{"L2 without sieve", 2, 256, true, strategy.Sieve{Write: strategy.Disable}, 0, 1024, 524288, 0},
	{"L2 without sieve reading", 2, 256, false, strategy.Sieve{Read: strategy.Disable}, 1024, 0, 524288, 0},
	{"L2 direct", 2, 256, true, strategy.Direct{}, 0, 1024, 524288, 0},
	{"L3", 3, 256, true, strategy.TwoPhase{}, 0, 1, 524288, 0},
	{"L3 reading", 3, 256, false, strategy.TwoPhase{}, 1, 0, 524288, 0},
	{"L3 *:4", 3, 256, true, strategy.TwoPhase{Nodes: 4}, 0, 4, 524288, 0},
	{"L3 *:4 reading", 3, 256, false, strategy.TwoPhase{Nodes: 4}, 4, 0, 524288, 0},
	{"L3 *:4 buffers of 32768", 3, 256, true, strategy.TwoPhase{Nodes: 4, Buffer: 32768}, 0, 16, 524288, 0},
	{"L3 *:3", 3, 256, true, strategy.TwoPhase{Nodes: 3}, 0, 3, 524288, 0},
	{"L3 without buffering", 3, 256, true, strategy.TwoPhase{Write: strategy.Disable}, -1, 4, 2091008, 4},
	{"L2 512", 2, 512, true, strategy.Sieve{}, -1, 16, 8376320, 4},
	{"L2 512 reading", 2, 512, false, strategy.Sieve{}, 4, 0, 8376320, 0},
	{"L2 1024", 2, 1024, true, strategy.Sieve{}, -1, 64, 33529856, 4},
	{"L2 1024 reading", 2, 1024, false, strategy.Sieve{}, 8, 0, 33529856, 0},
	{"L3 1024 buffers of 1 MiB", 3, 1024, true, strategy.TwoPhase{Buffer: 1 << 20}, 0, 8, 8388608, 0},
}

// TestPlanMeasured: if it fails, plans have other requests than a real library, and people
// learn wrong facts from them.
func TestPlanMeasured(t *testing.T) {
	for _, row := range measured {
		t.Run("CONS-LAY-01 "+row.name, func(t *testing.T) {
			calls := [][]strategy.Part{columns(t, row.n, 4)}
			if row.level < 2 {
				calls = rows(t, row.n, 4)
			}
			var got strategy.Counts
			for _, parts := range calls {
				p, err := strategy.NewPlan(row.s, row.write, row.level%2 == 1, parts)
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
func drawParts(t *rapid.T) []strategy.Part {
	parts := make([]strategy.Part, rapid.IntRange(1, 5).Draw(t, "ranks"))
	for r := range parts {
		v := drawView(t, rapid.SampledFrom([]*types.Type{types.Byte, types.Short}).Draw(t, "etype"), "native")
		l, err := v.Filetype.Layout(types.Host)
		require.NoError(t, err)
		if l.Size == 0 {
			continue
		}
		parts[r] = strategy.Part{
			At:   types.Tiling{L: l, Disp: v.Disp + rapid.Int64Range(0, 60).Draw(t, "where")},
			From: rapid.Int64Range(0, 9).Draw(t, "from"), N: rapid.Int64Range(0, 40).Draw(t, "n"),
		}
	}
	return parts
}

// drawStrategy draws a strategy with buffers so small that they matter.
func drawStrategy(t *rapid.T) strategy.Strategy {
	size := func(name string) int64 { return rapid.Int64Range(0, 40).Draw(t, name) }
	toggle := func(name string) strategy.Switch {
		return rapid.SampledFrom([]strategy.Switch{strategy.Automatic, strategy.Enable, strategy.Disable}).Draw(t, name)
	}
	sieve := strategy.Sieve{ReadBuffer: size("read buffer"), WriteBuffer: size("write buffer"), Read: toggle("ds read"), Write: toggle("ds write")}
	switch rapid.IntRange(0, 7).Draw(t, "strategy") {
	case 0:
		return strategy.Direct{}
	case 5:
		return blocks{1 + size("block")}
	case 6:
		return pairs{}
	case 7:
		return blockOwners{1 + size("block")}
	case 1:
		return sieve
	case 2:
		return strategy.List{Most: rapid.IntRange(0, 3).Draw(t, "most")}
	}
	return strategy.TwoPhase{
		Nodes: rapid.IntRange(0, 6).Draw(t, "nodes"), Buffer: size("buffer"), MinDomain: size("domain"),
		Stripe: rapid.Int64Range(0, 20).Draw(t, "stripe"), Read: toggle("cb read"), Write: toggle("cb write"), Sieve: sieve,
		Driver:  rapid.SampledFrom([]strategy.Driver{strategy.UFS, strategy.Lustre, strategy.Cray}).Draw(t, "driver"),
		Stripes: rapid.IntRange(0, 5).Draw(t, "stripes"), PerServer: rapid.IntRange(0, 2).Draw(t, "per server"),
		Threshold: size("threshold"), Holes: toggle("ds in coll"),
	}
}

// each lists the packed bytes of a part: where each is in the file.
func each(p strategy.Part) []int64 {
	var all []int64
	for i := range p.N {
		all = append(all, p.At.At(p.From+i))
	}
	return all
}

// byBytes plans two phases byte by byte, by the definition.
func byBytes(s strategy.TwoPhase, write bool, parts []strategy.Part) (requests []strategy.Request, rounds int) {
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
			r := strategy.Request{Rank: int(i), Round: int(k), Off: first + k*buffer, Runs: 1}
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

// byStripes plans two phases of a driver for Lustre byte by byte, by the definition.
func byStripes(s strategy.TwoPhase, write bool, parts []strategy.Part) (requests []strategy.Request) {
	touched := map[int64]bool{}
	lo := int64(1 << 62)
	for _, p := range parts {
		for _, at := range each(p) {
			touched[at], lo = true, min(lo, at)
		}
	}
	n := min(s.Nodes, len(parts))
	for s.Stripes%n != 0 && (n%s.Stripes != 0 || s.Driver == strategy.Lustre && n/s.Stripes > s.PerServer) {
		n--
	}
	last := map[int64]int64{} // by aggregator
	for at := range touched {
		i := at / s.Stripe % int64(n)
		last[i] = max(last[i], at)
	}
	for i := range int64(n) {
		rounds := 0
		for k := lo / s.Stripe; k*s.Stripe <= last[i]; k++ {
			if k%int64(n) != i {
				continue
			}
			hi := min((k+1)*s.Stripe, last[i]+1)
			var runs [][2]int64
			for at := k * s.Stripe; at < hi; at++ {
				switch m := len(runs); {
				case !touched[at]:
				case m > 0 && runs[m-1][1] == at:
					runs[m-1][1]++
				default:
					runs = append(runs, [2]int64{at, at + 1})
				}
			}
			if len(runs) == 0 {
				continue
			}
			r := strategy.Request{Rank: int(i), Round: int((k - lo/s.Stripe) / int64(n)), Write: write, Runs: 1}
			if s.Holes == strategy.Disable && write {
				for _, x := range runs {
					r.Round, r.Off, r.Len = rounds, x[0], x[1]-x[0]
					rounds++
					requests = append(requests, r)
				}
				continue
			}
			r.Off, r.Len = runs[0][0], hi-runs[0][0]
			if write && (len(runs) > 1 || runs[0][1] < hi) {
				requests = append(requests, r.Reading())
			}
			requests = append(requests, r)
		}
	}
	return requests
}

// TestPlanReference: if it fails, a plan loses bytes, moves some twice, or makes
// other requests than its rules say.
func TestPlanReference(t *testing.T) {
	t.Run("CONS-LAY-01 two phases by the definition", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			parts, write := drawParts(rt), rapid.Bool().Draw(rt, "write")
			s := strategy.TwoPhase{
				Nodes: rapid.IntRange(0, 6).Draw(rt, "nodes"), Buffer: rapid.Int64Range(0, 40).Draw(rt, "buffer"),
				MinDomain: rapid.Int64Range(0, 40).Draw(rt, "domain"), Stripe: rapid.Int64Range(0, 20).Draw(rt, "stripe"),
				Read: strategy.Enable, Write: strategy.Enable,
			}
			p, err := strategy.NewPlan(s, write, true, parts)
			require.NoError(rt, err)
			requests, rounds := byBytes(s, write, parts)
			require.Equal(rt, requests, p.Requests)
			require.Equal(rt, rounds, p.Rounds)
		})
	})
	t.Run("CONS-LAY-01 stripes in turn by the definition", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			parts := drawParts(rt)
			s := strategy.TwoPhase{
				Nodes: rapid.IntRange(1, 6).Draw(rt, "nodes"), Stripe: rapid.Int64Range(1, 20).Draw(rt, "stripe"), Read: strategy.Enable, Write: strategy.Enable,
				Driver: rapid.SampledFrom([]strategy.Driver{strategy.Lustre, strategy.Cray}).Draw(rt, "driver"), Stripes: rapid.IntRange(1, 5).Draw(rt, "stripes"),
				PerServer: rapid.IntRange(1, 3).Draw(rt, "per server"), Holes: rapid.SampledFrom([]strategy.Switch{strategy.Automatic, strategy.Disable}).Draw(rt, "ds in coll"),
			}
			write := s.Driver == strategy.Lustre || rapid.Bool().Draw(rt, "write")
			p, err := strategy.NewPlan(s, write, true, parts)
			require.NoError(rt, err)
			require.Equal(rt, byStripes(s, write, parts), p.Requests)
		})
	})
	t.Run("CONS-LAY-01 every byte moves once, inside a request", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			parts, write, s := drawParts(rt), rapid.Bool().Draw(rt, "write"), drawStrategy(rt)
			together := rapid.Bool().Draw(rt, "together")
			p, err := strategy.NewPlan(s, write, together, parts)
			require.NoError(rt, err)
			checkPlan(rt, p, parts)
			o, err := strategy.NewOutline(s, write, parts)
			require.NoError(rt, err)
			if !together {
				return
			}
			if p.Rounds == 0 {
				require.True(rt, o == nil || o.Rounds == 0)
				return
			}
			require.Equal(rt, p.Counts(), o.Counts())
		})
	})
}

// checkPlan checks what holds for every plan.
func checkPlan(t *rapid.T, p *strategy.Plan, parts []strategy.Part) {
	want, named := int64(0), int64(0)
	var moves []string
	for r, part := range parts {
		want += part.N
		for pos, off := range each(part) {
			moves = append(moves, fmt.Sprint(r, pos, off))
		}
	}
	require.Equal(t, want, p.Useful)
	s := p.Strategy
	if _, ok := s.(blockOwners); ok && p.Rounds == 0 {
		s = strategy.Direct{}
	}
	switch s.(type) {
	case strategy.Direct, strategy.List, pairs:
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
			return slices.ContainsFunc(p.Requests, func(r strategy.Request) bool {
				return r.Write == write && r.Rank == m.Carrier && r.Round == m.Round && r.Off <= m.Off && m.Off+m.Len <= r.Off+r.Len
			})
		}
		require.True(t, within(p.Write), "%+v\n%+v", m, p.Requests)
	}
	slices.Sort(moves)
	slices.Sort(moved)
	require.Equal(t, moves, moved)
}

// TestPlanRefuses: if it fails, invalid settings crash or hang.
func TestPlanRefuses(t *testing.T) {
	parts := columns(t, 4, 2)
	for _, s := range []strategy.Strategy{
		strategy.Sieve{ReadBuffer: -1},
		strategy.Sieve{Write: 3},
		strategy.List{Most: -1},
		strategy.TwoPhase{Nodes: -1},
		strategy.TwoPhase{Buffer: 1<<30 + 1},
		strategy.TwoPhase{Stripe: 1 << 62},
		strategy.TwoPhase{Sieve: strategy.Sieve{WriteBuffer: -2}},
	} {
		t.Run(fmt.Sprintf("IO-OPEN-04 %v", s), func(t *testing.T) {
			_, err := strategy.NewPlan(s, true, true, parts)
			refused(t, err, iofile.ErrArg, "IO-OPEN-04")
		})
	}
	t.Run("IO-DA-16 parts", func(t *testing.T) {
		for _, p := range []strategy.Part{{N: -1}, {N: 1}, {At: parts[0].At, From: -1}, {At: parts[0].At, From: 1 << 62, N: 1 << 62}} {
			_, err := strategy.NewPlan(strategy.TwoPhase{}, true, true, []strategy.Part{p})
			assert.ErrorIs(t, err, iofile.ErrArg)
		}
	})
}

// TestDomains compares file domains with the plans of the same accesses: an aggregator asks
// for bytes of its domain only, and the domains follow each other.
func TestDomains(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		parts, write := drawParts(rt), rapid.Bool().Draw(rt, "write")
		s := strategy.TwoPhase{
			Nodes: rapid.IntRange(1, 5).Draw(rt, "nodes"), PerNode: rapid.IntRange(0, 3).Draw(rt, "per node"),
			Buffer: rapid.Int64Range(1, 60).Draw(rt, "buffer"), Stripe: rapid.Int64Range(0, 40).Draw(rt, "stripe"),
			Read: strategy.Enable, Write: rapid.SampledFrom([]strategy.Switch{strategy.Enable, strategy.Automatic}).Draw(rt, "cb_write"),
			Driver: rapid.SampledFrom([]strategy.Driver{strategy.UFS, strategy.Lustre, strategy.Cray}).Draw(rt, "driver"), Stripes: rapid.IntRange(1, 4).Draw(rt, "stripes"),
			Holes: rapid.SampledFrom([]strategy.Switch{strategy.Automatic, strategy.Disable}).Draw(rt, "ds in coll"),
		}
		p, err := strategy.NewPlan(s, write, true, parts)
		require.NoError(rt, err)
		domains, err := s.Domains(write, parts)
		require.NoError(rt, err)
		if p.Rounds == 0 {
			require.Empty(rt, domains)
			return
		}
		for i, d := range domains {
			require.Less(rt, d.Lo, d.Hi)
			require.True(rt, i == 0 || domains[i-1].Hi == d.Lo)
		}
		for _, r := range p.Requests {
			require.True(rt, slices.ContainsFunc(domains, func(d strategy.Domain) bool {
				return d.Rank == r.Rank && d.Lo <= r.Off && r.Off+r.Len <= d.Hi
			}), "%v of %v", r, domains)
		}
	})
	_, err := strategy.TwoPhase{Nodes: -1}.Domains(true, nil)
	assert.ErrorIs(t, err, iofile.ErrArg)
}

// TestOutline compares outlines with the plans of the same accesses.
func TestOutline(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		parts, write := drawParts(rt), rapid.Bool().Draw(rt, "write")
		s := strategy.TwoPhase{
			Nodes: rapid.IntRange(1, 5).Draw(rt, "nodes"), PerNode: rapid.IntRange(0, 3).Draw(rt, "per node"),
			Buffer: rapid.Int64Range(1, 60).Draw(rt, "buffer"), Stripe: rapid.Int64Range(0, 40).Draw(rt, "stripe"),
			Read: strategy.Enable, Write: rapid.SampledFrom([]strategy.Switch{strategy.Enable, strategy.Automatic}).Draw(rt, "cb_write"),
		}
		p, err := strategy.NewPlan(s, write, true, parts)
		require.NoError(rt, err)
		o, err := s.Outline(write, parts)
		require.NoError(rt, err)
		if p.Rounds == 0 {
			require.True(rt, o == nil || o.Rounds == 0)
			return
		}
		require.NotNil(rt, o)
		require.Equal(rt, p.Counts(), o.Counts())
		require.Equal(rt, p.Rounds, o.Rounds)
		var requests []strategy.Request
		for _, c := range o.Carriers {
			for i := range c.Windows {
				requests = append(requests, c.Windows[i].Requests(c.Rank, write)...)
			}
		}
		require.Equal(rt, p.Requests, requests)
		for _, c := range o.Carriers {
			for i := range c.Windows {
				sent := map[int]int64{}
				for _, m := range p.MovesOf(&strategy.Request{Rank: c.Rank, Round: c.Windows[i].Round}) {
					sent[m.Rank] += m.Len
				}
				for _, m := range c.Windows[i].Messages {
					require.Equal(rt, sent[m.Rank], m.Bytes)
					delete(sent, m.Rank)
				}
				require.Empty(rt, sent)
			}
		}
	})
}

// TestOutlineFar: bytes that are very far from each other need no window between them.
func TestOutlineFar(t *testing.T) {
	l, err := types.Byte.Layout(types.Host)
	require.NoError(t, err)
	var parts []strategy.Part
	for _, at := range []int64{7, 1 << 60, 1 << 40, 1<<60 - 100} {
		parts = append(parts, strategy.Part{At: types.Tiling{L: l, Disp: at}, N: 100})
	}
	s := strategy.TwoPhase{Nodes: 2, Buffer: 50, Read: strategy.Enable, Write: strategy.Enable}
	for _, write := range []bool{false, true} {
		o, err := s.Outline(write, parts)
		require.NoError(t, err)
		p, err := strategy.NewPlan(s, write, true, parts)
		require.NoError(t, err)
		if strconv.IntSize == 32 { // an int does not count the rounds, so that each rank moves its own bytes
			require.Nil(t, o)
			require.Zero(t, p.Rounds)
			continue
		}
		var have []strategy.Request
		for _, c := range o.Carriers {
			for i := range c.Windows {
				have = append(have, c.Windows[i].Requests(c.Rank, write)...)
			}
		}
		assert.Equal(t, p.Requests, have)
		assert.Equal(t, p.Rounds, o.Rounds)
	}
}

// A share of more than 1 would make no sense in a plan.
func TestPlanOfRepeatedBytes(t *testing.T) {
	l, err := types.Int32.Layout(types.Host)
	require.NoError(t, err)
	parts := slices.Repeat([]strategy.Part{{At: types.Tiling{L: l}, N: 4}}, 3)
	p, err := strategy.NewPlan(strategy.TwoPhase{Nodes: 1, Write: strategy.Enable}, true, true, parts)
	require.NoError(t, err)
	assert.Contains(t, p.String(), "ranks ask for the same bytes, which were read and written once; 1 rounds")
}
