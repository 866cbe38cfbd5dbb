package replay_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/testkit/darshanlog"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/replay"
	"github.com/commworld/commworld/machine/replay/darshan"
)

// The numbers of modules in format 3.41.
const (
	posixModule    = 1
	mpiModule      = 2
	lustreModule   = 8
	dxtPosixModule = 10
	dxtCallsModule = 11
)

// counters returns the values of a record, in the order of Darshan's counters.
func counters(ints, floats int, set map[int]any) []any {
	r := make([]any, ints+floats)
	for i := range r {
		r[i] = 0
		if i >= ints {
			r[i] = 0.0
		}
		if v, ok := set[i]; ok {
			r[i] = v
		}
	}
	return r
}

// collectiveJob is the log of a job of 4 ranks: each writes blocks of 64 KiB by 8 collective
// calls, and two aggregators make the requests.
func collectiveJob() *darshanlog.Log {
	l := &darshanlog.Log{Minor: 41, Exe: "./solver", Ranks: 4, Mounts: []string{"lustre\t/scratch"}, Names: []string{"/scratch/out"}, Modules: map[int]darshanlog.Module{}}
	const block, calls = 64 << 10, 8
	var requests, made []any
	for rank := range 4 {
		made = append(made, 1, rank, 0, fmt.Sprintf("n%d", rank/2), calls, 0)
		if rank%2 == 0 {
			requests = append(requests, 1, rank, 0, fmt.Sprintf("n%d", rank/2), calls, 0)
		}
		for k := range calls {
			at := float64(k)
			made = append(made, (4*k+rank)*block, block, at, at+0.5, 0)
			if rank%2 == 0 {
				requests = append(requests, (4*k+rank)*block, 2*block, at+0.1, at+0.4, 0)
			}
		}
	}
	n := calls * 4
	l.Modules[dxtPosixModule] = darshanlog.Module{Version: 2, Records: requests}
	l.Modules[dxtCallsModule] = darshanlog.Module{Version: 3, Records: made}
	l.Modules[mpiModule] = darshanlog.Module{Version: 3, Records: append([]any{1, -1}, counters(51, 17, map[int]any{1: 4, 5: n, 15: n * block})...)}
	l.Modules[posixModule] = darshanlog.Module{Version: 4, Records: append([]any{1, -1}, counters(69, 17, map[int]any{
		0: 2, 4: n / 2, 15: n * block, 21: n / 2, 25: n / 4, 26: 1 << 20, 43: n / 2, // opens, writes, bytes, sequential, not aligned, alignment, small
		67: 2, 69 + 10: 1.5, 69 + 13: 2.0, 69 + 14: 0.5,
	})...)}
	l.Modules[lustreModule] = darshanlog.Module{Version: 2, Records: []any{
		1, -1, 2, 5, 1 << 16, 1, 0, 0, 0, 1 << 17, 0, make([]byte, 16), 1 << 18, 4, 0, 0, 1 << 17, -1, 0, make([]byte, 16), 1, 2, 3, 4, 5,
	}}
	return l
}

func readLog(t require.TestingT, l *darshanlog.Log) *replay.Trace {
	b := l.Bytes()
	trace, err := replay.ReadDarshan("job.darshan", bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return trace
}

// TestReadDarshan: if it fails, a binary log is replayed with other requests, stripes or nodes
// than it has.
func TestReadDarshan(t *testing.T) {
	trace := readLog(t, collectiveJob())
	assert.Equal(t, "./solver", trace.Name)
	assert.Equal(t, 4, trace.Ranks)
	assert.Equal(t, 2, trace.RanksPerNode)
	assert.Equal(t, "lustre", trace.FileSystem())
	assert.Equal(t, 16, trace.Accesses())
	assert.Equal(t, int64(32*64<<10), trace.Bytes())
	size, count := trace.Striping()
	assert.Equal(t, int64(1<<18), size, "most bytes are in the second component")
	assert.Equal(t, 4, count)
	span, busy := trace.Span()
	assert.InDelta(t, 7.3, span, 1e-9)
	assert.InDelta(t, 8*0.3, busy, 1e-9)
	require.Len(t, trace.Counts, 2)
	s := collectiveJob()
	s.Modules = map[int]darshanlog.Module{posixModule: s.Modules[posixModule]}
	alone := readLog(t, s)
	assert.Empty(t, alone.Files)
	assert.NotEmpty(t, alone.Findings(1<<20))
	b := collectiveJob().Bytes()
	_, err := replay.ReadDarshan("job.darshan", bytes.NewReader(b[:len(b)-4]), int64(len(b)-4))
	assert.ErrorContains(t, err, "job.darshan: ")
	assert.ErrorContains(t, err, "DXT_MPIIO: bytes")
	assert.ErrorIs(t, err, errclass.Arg)
}

// TestOfCalls: collective calls of a log are collective in the replay: as it was and with
// collective buffering they make the same requests, those of the aggregators.
func TestOfCalls(t *testing.T) {
	trace := readLog(t, collectiveJob())
	calls, err := trace.OfCalls()
	require.NoError(t, err)
	require.Len(t, calls.Files, 1)
	assert.Equal(t, 32, calls.Accesses())
	for _, a := range calls.Files[0].Accesses {
		assert.True(t, a.Collective)
	}
	m := machine.Lustre(4, 1<<18)
	m.RanksPerNode, m.StripeCount = 2, 4
	run := func(way replay.Way) *machine.Report {
		w, err := calls.Workload(way, replay.Options{})
		require.NoError(t, err)
		r, err := machine.Run(t.Context(), m, w.Program(), calls.Options(way))
		require.NoError(t, err)
		return r
	}
	was, together := run(replay.AsItWas), run(replay.Collective)
	assert.Equal(t, was.Requests(), together.Requests())
	assert.Equal(t, was.Counts.Rounds, together.Counts.Rounds)
	assert.NotZero(t, was.Counts.Rounds)
	assert.Less(t, was.Requests(), int64(32))
	assert.Equal(t, trace.Bytes(), was.Counts.Useful)

	s := collectiveJob()
	s.Modules[mpiModule].Records[2+5], s.Modules[mpiModule].Records[2+3] = 0, 32 // independent ones
	calls, err = readLog(t, s).OfCalls()
	require.NoError(t, err)
	assert.False(t, calls.Files[0].Accesses[0].Collective)

	delete(s.Modules, mpiModule)
	calls, err = readLog(t, s).OfCalls()
	require.NoError(t, err)
	assert.True(t, calls.Files[0].Accesses[0].Collective, "fewer ranks made the requests")
	assert.Contains(t, calls.Notes[0], "taken as collective")

	delete(s.Modules, dxtCallsModule)
	_, err = readLog(t, s).OfCalls()
	assert.ErrorContains(t, err, "no call of MPI-IO")
}

// TestOldCalls: calls of Darshan 3.1.3 to 3.1.6 have offset -1; the requests are replayed.
func TestOldCalls(t *testing.T) {
	trace := read(t, strings.NewReplacer(
		" X_MPIIO       0  write        0         2097152", " X_MPIIO       0  write        0      -1  2097152",
		"# Module    Rank  Wt/Rd  Segment       Length", "# Module    Rank  Wt/Rd  Segment  Offset     Length").Replace(dxt))
	assert.Equal(t, 6, trace.Accesses())
	_, err := trace.OfCalls()
	assert.ErrorIs(t, err, errclass.Arg)
}

// TestComponents: the stripes that Darshan prints from version 3.4.6 on.
func TestComponents(t *testing.T) {
	text := strings.ReplaceAll(dxt, "# DXT, Lustre stripe_size: 1048576, Lustre stripe_count: 2\n# DXT, Lustre OST obdidx: 3 7\n",
		"# DXT, Lustre stripe components:\n#\t[Component 1] stripe_ext: 0 - 4096, stripe_size: 65536, stripe_count: 1, OSTs: 3\n#\t[Component 2] stripe_ext: 4096 - EOF, stripe_size: 33554432, stripe_count: 64, OSTs: 1 2 3\n")
	trace := read(t, text)
	size, count := trace.Striping()
	assert.Equal(t, int64(33554432), size)
	assert.Equal(t, 64, count)
	assert.Equal(t, []darshan.Component{{Begin: 0, End: 4096, Size: 65536, Count: 1}, {Begin: 4096, End: -1, Size: 33554432, Count: 64}}, trace.Files[0].Layout)
	assert.Equal(t, "lustre", trace.FileSystem())
	_, err := replay.ReadDXT("job.txt", strings.NewReader(strings.Replace(text, "stripe_count: 64", "stripe_count: x", 1)))
	assert.ErrorContains(t, err, `job.txt:24: stripe_count of a component is "x"`)
}

// parser is text of darshan-parser: the counters that findings need.
const parser = `# darshan log version: 3.41
# exe: ./solver
# nprocs: 8
# mount entry:	/scratch	lustre
POSIX	-1	11	POSIX_OPENS	8	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_READS	0	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_WRITES	1000	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_STATS	5	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_BYTES_WRITTEN	100000	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_SEQ_WRITES	400	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_FILE_NOT_ALIGNED	990	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_FILE_ALIGNMENT	1048576	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_SIZE_WRITE_100_1K	1000	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_FASTEST_RANK	2	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_FASTEST_RANK_BYTES	100	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_SLOWEST_RANK	5	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_SLOWEST_RANK_BYTES	40000	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_F_WRITE_TIME	3.5	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_F_META_TIME	6.5	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_F_FASTEST_RANK_TIME	0.1	/scratch/out	/scratch	lustre
POSIX	-1	11	POSIX_F_SLOWEST_RANK_TIME	4.0	/scratch/out	/scratch	lustre
LUSTRE	-1	11	LUSTRE_COMP1_STRIPE_SIZE	2097152	/scratch/out	/scratch	lustre
LUSTRE	-1	11	LUSTRE_COMP1_STRIPE_COUNT	4	/scratch/out	/scratch	lustre
STDIO	0	12	STDIO_BYTES_WRITTEN	900000	/scratch/log	/scratch	lustre
`

func kinds(list []replay.Finding) (kinds []string) {
	for _, f := range list {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

// TestFindings: each kind is found in counters that have it, and none of them in others.
func TestFindings(t *testing.T) {
	trace := read(t, parser)
	assert.Empty(t, trace.Files)
	list := trace.Findings(1 << 20)
	assert.Equal(t, []string{"small", "misaligned", "random", "independent", "imbalanced", "metadata", "stdio"}, kinds(list))
	assert.Equal(t, `"/scratch/out": 1000 of 1000 writes (100 %) have less than 1 MB`, list[0].String())
	assert.Equal(t, `"/scratch/out": 600 of 1000 writes (60 %) begin before the end of the rank's access before`, list[2].String())
	assert.Equal(t, "the ranks spend 6.5 s of 10 s (65 %) in 8 opens, 5 stats and other calls that move no bytes", list[5].String())
	for _, c := range []struct{ old, new, gone string }{
		{"SIZE_WRITE_100_1K\t1000", "SIZE_WRITE_100_1K\t99", "small"},
		{"NOT_ALIGNED\t990", "NOT_ALIGNED\t99", "misaligned"},
		{"SEQ_WRITES\t400", "SEQ_WRITES\t801", "random"},
		{"RANK_BYTES\t100\t", "RANK_BYTES\t30000\t", "imbalanced"},
		{"META_TIME\t6.5", "META_TIME\t1.4", "metadata"},
		{"BYTES_WRITTEN\t900000", "BYTES_WRITTEN\t9000", "stdio"},
	} {
		text := strings.Replace(parser, c.old, c.new, 1)
		require.NotEqual(t, parser, text)
		assert.NotContains(t, kinds(read(t, text).Findings(1<<20)), c.gone)
	}
	even := strings.Replace(parser, "RANK_BYTES\t100\t", "RANK_BYTES\t40000\t", 1)
	assert.Contains(t, kinds(read(t, even).Findings(1<<20)), "straggler")
	_, err := replay.ReadDXT("c.txt", strings.NewReader(strings.Replace(parser, "POSIX_OPENS\t8", "POSIX_OPENS\tmany", 1)))
	assert.ErrorContains(t, err, `c.txt:5: POSIX_OPENS is "many", not a number`)
	_, err = replay.ReadDXT("c.txt", strings.NewReader(strings.Replace(parser, "\t8\t/scratch/out\t/scratch\tlustre", "\t8", 1)))
	assert.ErrorContains(t, err, "c.txt:5: 5 values")
}

// TestFindingsOfAccesses: without counters the accesses are counted.
func TestFindingsOfAccesses(t *testing.T) {
	f := &replay.File{Name: "f"}
	for k := range 40 {
		f.Accesses = append(f.Accesses, replay.Access{Rank: k % 4, Write: true, Off: int64(39-k) * 1000, Len: 1000, Begin: float64(k), End: float64(k) + 0.5})
	}
	trace := &replay.Trace{Ranks: 4, Files: []*replay.File{f}}
	assert.Equal(t, []string{"small", "misaligned", "random", "independent"}, kinds(trace.Findings(1<<20)))
	assert.NotNil(t, trace.Only("f"))
	assert.Nil(t, trace.Only("g"))
}

func FuzzReadDarshan(f *testing.F) {
	f.Add(collectiveJob().Bytes())
	raw := collectiveJob()
	raw.Raw = true
	f.Add(raw.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		trace, err := replay.ReadDarshan("x", bytes.NewReader(b), int64(len(b)))
		if err != nil || trace.Ranks > 1000 || trace.Bytes() > 1<<24 {
			return
		}
		trace.Findings(1 << 20)
		if calls, err := trace.OfCalls(); err == nil {
			w, err := calls.Workload(replay.AsItWas, replay.Options{})
			require.NoError(t, err)
			_, err = machine.Run(t.Context(), machine.Laptop(), w.Program(), calls.Options(replay.AsItWas))
			require.NoError(t, err)
		}
	})
}
