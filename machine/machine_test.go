package machine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func cost(t require.TestingT, m machine.Machine, line string, ranks int, o machine.Options) *machine.Report {
	w, err := pattern.Parse(line, ranks)
	require.NoError(t, err)
	r, err := machine.Run(context.Background(), m, w.Program(), o)
	require.NoError(t, err)
	return r
}

func lustre(servers, stripes int) machine.Machine {
	m := machine.Lustre(servers, 1<<20)
	m.StripeCount = stripes
	return m
}

var romio = machine.Options{Strategy: strategy.TwoPhase{}}

var direct = machine.Options{Strategy: strategy.Direct{}}

// TestOptionsDefault: without options the ranks move bytes as ROMIO does with the machine's
// stripes and nodes, and the report names each strategy that moved bytes.
func TestOptionsDefault(t *testing.T) {
	m, line := lustre(4, 4), "blocks -w --shape 1024x1024"
	is, want := cost(t, m, line, 4, machine.Options{}), cost(t, m, line, 4, machine.Options{Strategy: strategy.ROMIO})
	assert.Equal(t, want.String(), is.String())
	assert.Less(t, is.Requests(), cost(t, m, line, 4, direct).Requests())
	assert.Contains(t, is.String(), "TwoPhase{")

	own := machine.Program{Ranks: 1, Calls: func(int) int { return 2 }, Call: func(_, i int) machine.Call {
		return machine.Call{Op: machine.Write, File: "f", Part: strategy.Part{At: extent.Flat(), N: 4}, Strategy: []strategy.Strategy{strategy.Direct{}, strategy.List{}}[i]}
	}}
	both, err := machine.Run(t.Context(), m, own, machine.Options{})
	require.NoError(t, err)
	assert.Equal(t, "Direct, List", both.Strategy)
}

func collective(nodes int) machine.Options {
	return machine.Options{Strategy: strategy.TwoPhase{Nodes: nodes, Read: strategy.Enable, Write: strategy.Enable}}
}

// TestHeaderMisaligned: 128 ranks write 64 segments of 1 MiB; with a header before the
// data each request shares a stripe with the next. Published: 1.97 times slower on one
// stripe, 1.70 on four (radix-io/hands-on, benchmarking/alignment-demo, means of four).
func TestHeaderMisaligned(t *testing.T) {
	for _, c := range []struct {
		stripes   int
		published float64
	}{{1, 635.5 / 323.2}, {4, 1271.8 / 748.2}} {
		aligned := cost(t, lustre(64, c.stripes), "ior -w -t 1m -b 1m -s 64", 128, romio)
		shifted := cost(t, lustre(64, c.stripes), "ior -w -t 1m -b 1m -s 64 --shift 2048", 128, romio)
		assert.InEpsilon(t, c.published, shifted.Seconds/aligned.Seconds, 0.7, "%d stripes", c.stripes)
		assert.InDelta(t, 128*64, aligned.LockTransfers, 4, "one a piece")
		assert.Greater(t, shifted.LockTransfers, 19*aligned.LockTransfers/10, "one more for each border of two ranks")
	}
}

// TestSharedFileIsFlat: a shared file on one stripe gets no faster with more ranks, a
// file for each rank does (ARCHER-CSE/parallel-io, max_write_ssfmpiio_fpp.csv).
func TestSharedFileIsFlat(t *testing.T) {
	m := lustre(64, 1)
	m.Server.Write = 3.6e8 // published peak by servers
	few, many := cost(t, m, "ior -w -t 1m -b 16m", 8, romio), cost(t, m, "ior -w -t 1m -b 16m", 256, romio)
	assert.InEpsilon(t, few.Bandwidth(), many.Bandwidth(), 0.2)
	few, many = cost(t, m, "ior -w -F -t 1m -b 16m", 8, romio), cost(t, m, "ior -w -F -t 1m -b 16m", 256, romio)
	assert.Greater(t, many.Bandwidth(), 5*few.Bandwidth())
}

// TestSievingNeedsUsefulBytes: sieving wins only while enough of the bytes that it
// moves are the program's.
func TestSievingNeedsUsefulBytes(t *testing.T) {
	gain := func(spacing string) float64 {
		line := "hpio -w --independent --size 64 --count 2000 --spacing " + spacing
		each := cost(t, lustre(4, 4), line, 1, direct)
		sieved := cost(t, lustre(4, 4), line, 1, machine.Options{Strategy: strategy.Sieve{}})
		return each.Seconds / sieved.Seconds
	}
	assert.Greater(t, gain("64"), 2.0)
	assert.Less(t, gain("1m"), 1.0)
}

func locks(r *machine.Report) float64 { return r.Spread(machine.InLock).Median }

// TestStridedWritesContend: independent strided writes get slower with ranks, because
// they lock one after the other; reads lock nothing.
func TestStridedWritesContend(t *testing.T) {
	at := func(op string, ranks int) *machine.Report { // columns of an array of 64 rows of 128 KiB
		line := fmt.Sprintf("hpio --independent --count 64 --size %d --spacing 0 %s", (128<<10)/ranks, op)
		return cost(t, lustre(64, 64), line, ranks, romio)
	}
	few, many := at("-w", 4), at("-w", 16)
	assert.Greater(t, many.Seconds, 3*few.Seconds)
	assert.Greater(t, locks(many), 3*locks(few))
	assert.Greater(t, locks(many), 2*many.Spread(machine.InServer).Median)
	few, many = at("-r", 4), at("-r", 16)
	assert.Zero(t, few.Spread(machine.InLock).Max+many.Spread(machine.InLock).Max)
}

// TestAlignedDomains: file domains that end at stripes move no token; others move one or
// two a border.
func TestAlignedDomains(t *testing.T) {
	line, m := "blocks -w --shape 1000x1000x20", lustre(8, 8)
	m.Driver, m.Lock.Extent = "ufs", 0
	aligned := cost(t, m, line, 64, collective(8))
	assert.Zero(t, aligned.LockTransfers)
	o := collective(8)
	o.Hints.Unit = 1
	apart := cost(t, m, line, 64, o)
	assert.GreaterOrEqual(t, apart.LockTransfers, int64(7))
	assert.LessOrEqual(t, apart.LockTransfers, int64(2*7*apart.Counts.Rounds))
	assert.Greater(t, apart.Seconds, aligned.Seconds)
}

// TestStripesInTurn: as many aggregators as stripes are the best with Lustre's driver, and never in the way of each
// other; with contiguous domains they meet at the same server.
func TestStripesInTurn(t *testing.T) {
	at := func(driver string, nodes int) *machine.Report {
		m := lustre(32, 32)
		m.Driver = driver
		return cost(t, m, "blocks -w --shape 512x512x512", 1024, collective(nodes))
	}
	best := at("lustre", 32)
	assert.Zero(t, best.LockTransfers)
	assert.Less(t, best.Seconds, at("lustre", 31).Seconds)
	assert.LessOrEqual(t, best.Seconds, at("lustre", 33).Seconds)
	assert.Less(t, best.Seconds, at("ufs", 32).Seconds)
	assert.Equal(t, best.Requests(), at("cray", 32).Requests())
}

// TestAggregators: more aggregators help up to the number of servers; beyond that, moving
// tokens cancels the gain where domains do not end at stripes.
func TestAggregators(t *testing.T) {
	at := func(nodes int) float64 {
		o := collective(nodes)
		o.Hints.Unit = 1
		m := lustre(8, 8)
		m.RanksPerNode = 1
		return cost(t, m, "blocks -w --shape 256x256x256 --shift 1000", 256, o).Seconds
	}
	assert.Less(t, at(4), at(1))
	assert.Less(t, at(8), at(2))
	assert.Greater(t, at(128), at(8))
}

// TestPointers: write_at_all takes at most as long as write_ordered, which takes at most
// as long as write_shared.
func TestPointers(t *testing.T) {
	m := lustre(8, 8)
	for _, ranks := range []int{2, 16, 128} {
		prefix := cost(t, m, "log --lines 20 --bytes 4k --prefix", ranks, machine.Options{})
		ordered := cost(t, m, "log --lines 20 --bytes 4k --ordered", ranks, machine.Options{})
		shared := cost(t, m, "log --lines 20 --bytes 4k", ranks, machine.Options{})
		assert.LessOrEqual(t, prefix.Seconds, ordered.Seconds, "%d ranks", ranks)
		if ranks > 2 {
			assert.LessOrEqual(t, ordered.Seconds, shared.Seconds, "%d ranks", ranks)
		}
	}
}

// TestPartitioning: on a file system with locks the best partition of a file is more
// than ten times faster than the worst (Liao, TPDS 22(2) 2011: over thirty).
func TestPartitioning(t *testing.T) {
	line := "noncontig -w --elements 20000"
	worst := cost(t, lustre(16, 16), line, 32, direct)
	best := cost(t, lustre(16, 16), line, 32, collective(16))
	assert.Greater(t, worst.Seconds, 10*best.Seconds)
}

// TestLevels: with many small pieces, collective buffering beats sieving, which beats one
// request per piece; for one rank and one large piece there is nothing to gain.
func TestLevels(t *testing.T) {
	m := lustre(4, 4)
	line := "blocks -w --shape 1024x1024"
	each, sieved, together := cost(t, m, line, 4, direct), cost(t, m, line+" --independent", 4, machine.Options{Strategy: strategy.Sieve{}}), cost(t, m, line, 4, collective(4))
	assert.Less(t, together.Seconds, sieved.Seconds)
	assert.Less(t, sieved.Seconds, each.Seconds)
	line = "ior -w -c -t 64m -b 64m"
	assert.LessOrEqual(t, cost(t, m, line, 1, direct).Seconds, cost(t, m, line, 1, collective(1)).Seconds)
}

// drawLine draws a small pattern.
func drawLine(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"ior -b 64k -t 16k -s 3", "ior -b 64k -t 16k -s 3 -F", "ior -b 64k -t 64k -c -V --shift 100", "blocks --shape 33x47", "blocks --shape 9x8x7 --independent",
		"noncontig --elements 50", "log --lines 5", "log --lines 5 --ordered", "csr --rows 10", "life --rows 40 --cols 100", "e3sm --columns 30", "madbench2 --bins 2 --chunk 10k",
		"hpio --count 50", "mpi-tile-io --overlap_x 3",
	}).Draw(t, "line")
}

func drawMachine(t *rapid.T) machine.Machine {
	m := machine.Lustre(rapid.IntRange(1, 9).Draw(t, "servers"), 1<<rapid.IntRange(9, 16).Draw(t, "stripe"))
	m.StripeCount = rapid.IntRange(0, m.Servers).Draw(t, "stripes")
	m.RanksPerNode = rapid.IntRange(1, 5).Draw(t, "ranks a node")
	m.Lock.Unit = rapid.SampledFrom([]int64{0, m.StripeSize, 4096}).Draw(t, "unit")
	m.Cache = rapid.SampledFrom([]int64{0, 0, 1000, 100_000}).Draw(t, "cache")
	return m
}

func drawOptions(t *rapid.T) machine.Options {
	s := rapid.SampledFrom([]strategy.Strategy{
		strategy.Direct{},
		strategy.Sieve{ReadBuffer: 1000, WriteBuffer: 1000},
		strategy.List{Most: 5},
		strategy.TwoPhase{},
		strategy.TwoPhase{Nodes: 3, Buffer: 10_000, Read: strategy.Enable, Write: strategy.Enable},
	}).Draw(t, "strategy")
	return machine.Options{Strategy: s, Hints: strategy.Hints{Unit: rapid.SampledFrom([]int64{0, 1}).Draw(t, "striping_unit")}}
}

// TestConservation: the servers serve the bytes that were asked for; the parts of each
// rank's time add up to all of it; no time is below what the bytes take; the same input
// gives the same report.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line, m, o, ranks := drawLine(rt), drawMachine(rt), drawOptions(rt), rapid.IntRange(1, 12).Draw(rt, "ranks")
		r := cost(rt, m, line, ranks, o)
		var bytes, requests int64
		least := 0.0
		for i := range r.Servers {
			s := &r.Servers[i]
			bytes += s.Bytes
			requests += s.Requests
			least = max(least, float64(s.Bytes)/max(m.Server.Read, m.Server.Write))
			require.LessOrEqual(rt, s.Busy, r.Seconds*(1+1e-9)+1e-12)
		}
		require.Equal(rt, r.Bytes(), bytes)
		require.GreaterOrEqual(rt, requests, r.Requests())
		if !strings.Contains(line, "overlap") { // bytes that several ranks read may be read once
			require.GreaterOrEqual(rt, r.Bytes(), r.Counts.Useful)
		}
		require.GreaterOrEqual(rt, r.Seconds*(1+1e-9), least)
		path := 0.0
		for i := range r.Path {
			path += r.Path[i].Parts.Sum()
		}
		require.InDelta(rt, r.Seconds, path, 1e-9*(1+r.Seconds))
		for rank := range r.Parts {
			require.InDelta(rt, r.Ends[rank], r.Parts[rank].Sum(), 1e-9*(1+r.Seconds), "rank %d", rank)
			for _, x := range r.Parts[rank] {
				require.GreaterOrEqual(rt, x, -1e-12)
			}
		}
		again := cost(rt, m, line, ranks, o)
		a, err := json.Marshal(r)
		require.NoError(rt, err)
		b, err := json.Marshal(again)
		require.NoError(rt, err)
		require.Equal(rt, string(a), string(b))
		require.Equal(rt, r.String(), again.String())
	})
}

// TestMoreServers: more servers are never slower for aligned contiguous writes. More of them may need more locks on
// extents, and more seeks, because fewer of a server's requests follow each other: both are left out here, with the
// limits of clients.
func TestMoreServers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, ranks := rapid.IntRange(1, 16).Draw(rt, "servers"), rapid.IntRange(1, 40).Draw(rt, "ranks")
		line := fmt.Sprintf("ior -w -t 1m -b 1m -s %d", rapid.IntRange(1, 8).Draw(rt, "segments"))
		servers := func(n int) machine.Machine {
			m := lustre(n, n)
			m.Lock.Extent, m.Server.Seek, m.Cache, m.Client = 0, 0, 0, machine.Client{}
			return m
		}
		few, many := cost(rt, servers(n), line, ranks, direct), cost(rt, servers(2*n), line, ranks, direct)
		require.LessOrEqual(rt, many.Seconds, few.Seconds*(1+1e-9))
	})
}

// TestSizes: many ranks, and few requests.
func TestSizes(t *testing.T) {
	r := cost(t, lustre(64, 0), "ior -w -t 16m -b 16m", 100_000, romio)
	assert.Equal(t, int64(100_000), r.Requests())
	assert.Equal(t, int64(100_000)<<24, r.Bytes())
}

func TestRefuses(t *testing.T) {
	ctx := context.Background()
	w, err := pattern.Parse("ior", 2)
	require.NoError(t, err)
	p := w.Program()
	for name, change := range map[string]func(m *machine.Machine){
		"servers":    func(m *machine.Machine) { m.Servers = 0 },
		"stripes":    func(m *machine.Machine) { m.StripeCount = 65 },
		"stripe":     func(m *machine.Machine) { m.StripeSize = 1 },
		"bandwidth":  func(m *machine.Machine) { m.Server.Write = 0 },
		"not number": func(m *machine.Machine) { m.Copy = math.NaN() },
		"time":       func(m *machine.Machine) { m.Metadata = -1 },
		"infinite":   func(m *machine.Machine) { m.Network.Latency = math.Inf(1) },
		"nodes":      func(m *machine.Machine) { m.RanksPerNode = 0 },
		"unit":       func(m *machine.Machine) { m.Lock.Unit = 7 },
		"cache":      func(m *machine.Machine) { m.Cache = -1 },
	} {
		m := machine.Lustre(64, 1<<20)
		change(&m)
		_, err := machine.Run(ctx, m, p, machine.Options{})
		assert.ErrorIs(t, err, errclass.Arg, name)
	}
	run := func(ranks int, calls ...machine.Call) error {
		_, err := machine.Run(ctx, machine.Laptop(), machine.Program{
			Ranks: ranks, Calls: func(rank int) int { return len(calls) - rank }, Call: func(_, i int) machine.Call { return calls[i] },
		}, machine.Options{})
		return err
	}
	assert.ErrorIs(t, run(0), errclass.Arg)
	assert.ErrorContains(t, run(2, machine.Call{Op: machine.Work, Seconds: 1}, machine.Call{Op: machine.Barrier}), "1 ranks have ended")
	assert.ErrorIs(t, run(1, machine.Call{Op: machine.Work, Seconds: math.NaN()}), errclass.Arg)
	assert.ErrorIs(t, run(1, machine.Call{Op: 99}), errclass.Arg)
	assert.ErrorIs(t, run(1, machine.Call{Op: machine.Write, Part: strategy.Part{N: -1}}), errclass.Arg)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = machine.Run(ended, machine.Laptop(), p, machine.Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestDecode(t *testing.T) {
	for _, name := range machine.Names {
		m, ok := machine.Named(name)
		require.True(t, ok)
		require.NoError(t, m.Check())
		again, err := machine.Decode(strings.NewReader(m.String()))
		require.NoError(t, err)
		assert.Equal(t, m, again)
	}
	m, err := machine.Decode(strings.NewReader("base = \"lustre\"\nservers = 8\n[server]\nwrite = 1e9\n"))
	require.NoError(t, err)
	want := machine.Lustre(8, 1<<20)
	want.Server.Write = 1e9
	assert.Equal(t, want, m)
	for _, text := range []string{"", "nonsense", "base = \"cray\"", "base = \"nfs\"\nserver = 3", "base = \"nfs\"\ndisks = 3", "base = \"nfs\"\nservers = 0", "base = 7"} {
		_, err := machine.Decode(strings.NewReader(text))
		assert.ErrorIs(t, err, errclass.Arg, text)
	}
}

// TestDecodeDeep: texts whose parsing takes time and memory that grow with the square of their
// length are refused before they are parsed. One of these took a minute and four gigabytes.
func TestDecodeDeep(t *testing.T) {
	const n = 60 << 10
	for _, text := range []string{
		"x = " + strings.Repeat("[", n),
		strings.Repeat("[", n),
		"x = " + strings.Repeat("{a=", n/3),
		"a" + strings.Repeat(".a", n/2) + " = 1",
		"[a" + strings.Repeat(". a", n/3) + "]",
		"x = 'y' # [\nz" + strings.Repeat(".\"a\"", n/4) + " = 1",
		"x = \"\"\"\n[[\n\"\"\"\ny = " + strings.Repeat("[\n", n/2),
	} {
		_, err := machine.Decode(strings.NewReader(text))
		assert.ErrorIs(t, err, errclass.Arg, "%.40s", text)
		assert.ErrorContains(t, err, "nested deeper than 16", "%.40s", text)
	}
	_, err := machine.Decode(strings.NewReader(strings.Repeat("#", 1<<20)))
	assert.ErrorContains(t, err, "a machine of more than 65536 bytes of text")
	brackets := strings.Repeat("[{.", 40)
	for _, name := range []string{`"` + brackets + `\""`, `'` + brackets + `'`, `"""` + brackets + "\n" + brackets + `"""`, " + brackets + ", `"" # ` + brackets} {
		_, err = machine.Decode(strings.NewReader("base = \"lustre\"\nname = " + name + "\n"))
		assert.NotContains(t, fmt.Sprint(err), "nested", name)
	}
}

// TestAdvice: every advice was run, and running it again gives the promised gain.
func TestAdvice(t *testing.T) {
	w, err := pattern.Parse("blocks -w --shape 128x128x128 --independent", 64)
	require.NoError(t, err)
	m := machine.Lustre(16, 1<<20)
	o := machine.Options{Strategy: strategy.Direct{}}
	base, err := machine.Run(context.Background(), m, w.Program(), o)
	require.NoError(t, err)
	advice, err := machine.Advise(context.Background(), m, w.Program(), o, base)
	require.NoError(t, err)
	require.NotEmpty(t, advice)
	last := advice[len(advice)-1]
	require.Greater(t, last.Faster, 10.0)
	together, err := pattern.Parse("blocks -w --shape 128x128x128", 64)
	require.NoError(t, err)
	r, err := machine.Run(context.Background(), last.Machine, together.Program(), last.Options)
	require.NoError(t, err)
	assert.InEpsilon(t, base.Seconds/last.Faster, r.Seconds, 1e-9)
}

func BenchmarkTenThousandRanks(b *testing.B) {
	for b.Loop() {
		cost(b, lustre(64, 0), "ior -w -t 1m -b 100m", 10_000, romio)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range machine.Names {
		m, _ := machine.Named(name)
		f.Add(m.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := machine.Decode(strings.NewReader(text))
		if err == nil {
			require.NoError(t, m.Check())
		}
	})
}
