package script

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/world"
)

// smallProgram draws a program of accesses to one file, with and without the calls that
// make it right.
func smallProgram(dice *rand.Rand) string {
	var b strings.Builder
	ranks := 2 + dice.IntN(2)
	fmt.Fprintf(&b, "ranks %d\n", ranks)
	if dice.IntN(2) == 0 {
		b.WriteString("file f = 09*8\n")
	}
	b.WriteString("all:\n open h f rdwr|create\n")
	handles := []string{"h"}
	if dice.IntN(4) == 0 {
		b.WriteString(" open g f rdwr|create\n")
		handles = append(handles, "g")
	}
	views := dice.IntN(3)
	if views == 1 {
		b.WriteString(" view h 0 byte vector(2,1,2,byte) native\n")
	}
	if dice.IntN(5) == 0 {
		b.WriteString(" atomic h on\n")
	}
	n := 0
	under := make([][]string, ranks)
	for range 2 + dice.IntN(6) {
		h := handles[dice.IntN(len(handles))]
		switch dice.IntN(18) {
		case 0, 1:
			fmt.Fprintf(&b, "all:\n sync %s\n", h)
		case 2:
			b.WriteString("all:\n barrier\n")
		case 3:
			from := dice.IntN(ranks)
			to := (from + 1 + dice.IntN(ranks-1)) % ranks
			fmt.Fprintf(&b, "%d:\n send %d %d byte 1\n%d:\n recv %d %d byte*1 -> m%d\n", from, to, n, to, from, n, n)
		case 4:
			fmt.Fprintf(&b, "all:\n %s %s %d\n", []string{"set_size", "preallocate"}[dice.IntN(2)], h, dice.IntN(12))
		case 5:
			fmt.Fprintf(&b, "%d:\n get_size %s -> v%d\n", dice.IntN(ranks), h, n)
		case 6:
			fmt.Fprintf(&b, "all:\n sync %s\n barrier\n sync %s\n", h, h)
		case 7:
			fmt.Fprintf(&b, "%d:\n write_at_all %s %d byte %d*2\n", 0, h, dice.IntN(4), n+1)
			for r := 1; r < ranks; r++ {
				fmt.Fprintf(&b, "%d:\n write_at_all %s %d byte %d\n", r, h, dice.IntN(6), n+1)
			}
		case 8:
			r := dice.IntN(ranks)
			q := fmt.Sprintf("r%d", n)
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, "%d:\n iwrite_at %s %d byte %d*2 as %s\n", r, h, dice.IntN(4), n+1, q)
			} else {
				fmt.Fprintf(&b, "%d:\n iread_at %s %d byte*2 -> v%d as %s\n", r, h, dice.IntN(4), n, q)
			}
			under[r] = append(under[r], q)
		case 9:
			r := dice.IntN(ranks)
			if len(under[r]) > 0 {
				fmt.Fprintf(&b, "%d:\n waitall\n", r)
				under[r] = nil
			}
		case 10: // a rank alone, with calls of the others before and after
			r := dice.IntN(ranks)
			fmt.Fprintf(&b, "%d:\n self open s%d f rdwr\n", r, n)
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, " write_at s%d %d byte %d*2\n", n, dice.IntN(8), n+1)
			}
			if dice.IntN(3) == 0 {
				fmt.Fprintf(&b, " set_size s%d %d\n", n, dice.IntN(12))
			}
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, " read_at s%d %d byte*2 -> w%d\n get_size s%d -> v%d\n", n, dice.IntN(8), n, n, n)
			}
			fmt.Fprintf(&b, " close s%d\n", n)
		case 11:
			fmt.Fprintf(&b, "all:\n atomic %s %s\n", h, []string{"on", "off"}[dice.IntN(2)])
		case 12:
			r := dice.IntN(ranks)
			q := fmt.Sprintf("r%d", n)
			fmt.Fprintf(&b, "all:\n iwrite_at_all %s %d byte %d*2 as %s\n%d:\n read_at %s %d byte*3 -> v%d\nall:\n wait %s\n",
				h, dice.IntN(4), n+1, q, r, h, dice.IntN(4), n, q)
		case 13:
			fmt.Fprintf(&b, "all:\n write_at_all_begin %s %d byte %d*2\n write_at_all_end %s\n", h, dice.IntN(4), n+1, h)
		case 14:
			b.WriteString(collective(dice, ranks, n))
		default:
			r := dice.IntN(ranks)
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, "%d:\n write_at %s %d byte %d*%d\n", r, h, dice.IntN(4), n+1, 1+dice.IntN(3))
			} else {
				fmt.Fprintf(&b, "%d:\n read_at %s %d byte*%d -> v%d\n", r, h, dice.IntN(4), 1+dice.IntN(3), n)
			}
		}
		n++
	}
	for r := range ranks {
		if len(under[r]) > 0 {
			fmt.Fprintf(&b, "%d:\n waitall\n", r)
		}
	}
	for _, h := range handles {
		fmt.Fprintf(&b, "all:\n close %s\n", h)
	}
	return b.String()
}

// collective draws a collective of a few items, or of none, which then orders nothing.
func collective(dice *rand.Rand, ranks, n int) string {
	root, items := dice.IntN(ranks), dice.IntN(3)
	var b strings.Builder
	kind := []string{"allreduce sum", "allgather", "bcast", "scatter", "gather", "reduce sum"}[dice.IntN(6)]
	for r := range ranks {
		fmt.Fprintf(&b, "%d:\n ", r)
		switch kind {
		case "allreduce sum", "allgather":
			fmt.Fprintf(&b, "%s int %d*%d -> m%d\n", kind, r, items, n)
		case "gather", "reduce sum":
			fmt.Fprintf(&b, "%s %d int %d*%d -> m%d\n", kind, root, r, items, n)
		case "bcast", "scatter":
			if r != root {
				fmt.Fprintf(&b, "%s %d int*%d -> m%d\n", kind, root, items, n)
				continue
			}
			sent := items
			if kind == "scatter" {
				sent *= ranks
			}
			fmt.Fprintf(&b, "%s %d int %d*%d\n", kind, root, r, sent)
		}
	}
	return b.String()
}

// TestLITX2EmptyCollectives has programs in which only a collective may order a write
// before a read.
func TestLITX2EmptyCollectives(t *testing.T) {
	for _, row := range []struct{ name, first, second string }{
		{"allreduce", "allreduce sum int 1*%d -> m", "allreduce sum int 2*%d -> m"},
		{"allgather", "allgather int 1*%d -> m", "allgather int 2*%d -> m"},
		{"bcast", "bcast 0 int 1*%d", "bcast 0 int*%d -> m"},
		{"scatter", "scatter 0 int 1*%d", "scatter 0 int*%d -> m"},
		{"gather", "gather 1 int 1*%d -> m", "gather 1 int 2*%d -> m"},
		{"reduce", "reduce sum 1 int 1*%d -> m", "reduce sum 1 int 2*%d -> m"},
	} {
		for items := range 2 {
			t.Run(fmt.Sprintf("CONS-D09 %s, %d items", row.name, items), func(t *testing.T) {
				sent := items
				if row.name == "scatter" {
					sent *= 2
				}
				s, err := Parse("ranks 2\nfile f = 09*8\nall:\n open h f rdwr\n0:\n write_at h 0 byte 7\nall:\n sync h\n0:\n " +
					fmt.Sprintf(row.first, sent) + "\n1:\n " + fmt.Sprintf(row.second, items) +
					"\nall:\n sync h\n1:\n read_at h 0 byte*1 -> x\nall:\n close h\n")
				require.NoError(t, err)
				x := newCollector(s, Options{})
				r, err := x.run()
				require.NoError(t, err)
				x.ended(world.Run(t.Context(), s.Ranks, r.body, world.Seed(1)), "")
				x.recordFailures(r)
				require.Empty(t, x.report.Failures)
				assert.Equal(t, items == 0, len(x.races) > 0, "the detector")
				assert.Equal(t, items == 0, outcomes(t, r) > 1 || leftOpen(t, r), "the rules")
				rep, err := Explore(t.Context(), s, Options{})
				require.NoError(t, err)
				for _, o := range rep.Outcomes {
					assert.True(t, o.Judged && o.Allowed, "%v", o.text)
				}
			})
		}
	}
}

// ways are some of the ways in which one program may be run.
func ways(seed uint64) []Options {
	with := func(s strategy.Strategy) []iofile.OpenOption { return []iofile.OpenOption{iofile.WithStrategy(s)} }
	return []Options{
		{},
		{Seed: seed + 1},
		{Seed: seed + 2, Open: with(strategy.Sieve{ReadBuffer: 4, WriteBuffer: 4})},
		{Seed: seed + 3, Model: consistency.Session},
		{Seed: seed + 4, Model: consistency.Commit, Open: with(strategy.TwoPhase{Nodes: 1, Buffer: 2, Read: strategy.Enable, Write: strategy.Enable})},
		{Seed: seed + 5, Model: consistency.POSIX},
		{Seed: seed + 6, Model: consistency.POSIX, Open: with(strategy.List{Most: 1})},
		{Seed: seed + 7, Model: consistency.Chaos(seed)},
		{Seed: seed + 8, Model: consistency.Chaos(seed + 1), Open: with(strategy.TwoPhase{})},
		{Seed: seed + 9, Model: consistency.Chaos(seed + 2)},
	}
}

// TestLITX2SmallProgramsAgainstAllowed compares the race detector and the outcomes of random
// programs with the rules, under every kind of model, schedule and strategy:
//
//   - each outcome is one that the rules allow;
//   - without a race it is always the same one, except with atomic accesses;
//   - if the rules leave bytes undefined, a race is found under at least one schedule or model.
func TestLITX2SmallProgramsAgainstAllowed(t *testing.T) {
	var n tested
	for seed := range uint64(programs()) {
		n.program(t, seed, smallProgram(rand.New(rand.NewPCG(seed, *family))))
	}
	n.all(t)
}

// TestLITX2SmallProgramsExplored runs some of these programs under all schedules: each
// outcome is allowed, and without a race and atomic accesses there is one.
func TestLITX2SmallProgramsExplored(t *testing.T) {
	explored := 0
	for seed := range uint64(programs()+19) / 20 {
		text := smallProgram(rand.New(rand.NewPCG(seed, *family)))
		s, err := Parse(text)
		require.NoError(t, err, text)
		rep, err := Explore(t.Context(), s, Options{MaxSchedules: 1000})
		require.NoError(t, err, text)
		require.Nil(t, rep.Deadlock, text)
		if len(rep.Failures) > 0 || !rep.Complete {
			continue
		}
		explored++
		for _, o := range rep.Outcomes {
			assert.True(t, !o.Judged || o.Allowed, "seed %d: not allowed: %s\n%s", seed, o.text, text)
		}
		if len(rep.Races) == 0 && !strings.Contains(text, "atomic") {
			assert.Len(t, rep.Outcomes, 1, "seed %d: no race:\n%s", seed, text)
		}
	}
	t.Log(explored, "programs explored")
	assert.NotZero(t, explored)
}

// TestLITX2ShortReads is the same for reads that the end of file cuts,
// also inside an item, through individual and shared pointers.
func TestLITX2ShortReads(t *testing.T) {
	var n tested
	for seed := range uint64(programs()) {
		n.program(t, seed, cutProgram(rand.New(rand.NewPCG(seed, 15))))
	}
	n.all(t)
}

// tested counts runs of random programs.
type tested struct{ judged, races, alone int }

func (n *tested) all(t *testing.T) {
	t.Log(n.judged, "judged,", n.races, "with races,", n.alone, "with one outcome")
	assert.NotZero(t, n.judged)
	assert.NotZero(t, n.races)
	assert.NotZero(t, n.alone)
}

// program runs a program in some ways and judges the runs.
func (n *tested) program(t *testing.T, seed uint64, text string) {
	s, err := Parse(text)
	require.NoError(t, err, text)
	raced, open, failed := false, false, false
	for i, o := range ways(seed) {
		x := newCollector(s, o)
		r, err := x.run()
		require.NoError(t, err)
		x.ended(world.Run(t.Context(), s.Ranks, r.body, world.Seed(o.Seed)), "")
		x.recordFailures(r)
		require.Nil(t, x.report.Deadlock, text)
		require.NoError(t, x.report.Err, text)
		if failed = len(x.report.Failures) > 0; failed {
			break // a request was under way where none may be
		}
		raced = raced || len(x.races) > 0
		if i == 0 {
			// Whether a read meets a hole or the end of the file may depend on a write
			// behind it; a run shows one of the two.
			open = leftOpen(t, r) && len(s.Files) > 0
		}
		seen, err := x.seen(r, "", 1)
		require.NoError(t, err)
		if seen.Judged {
			n.judged++
		}
		assert.True(t, !seen.Judged || seen.Allowed, "seed %d, %v %v: not allowed: %s\n%s", seed, o.Model, o.Open, seen.text, text)
		switch {
		case raced:
			n.races++
		case !strings.Contains(text, "atomic") && seen.Judged: // and so allowed
			n.alone++
			assert.Equal(t, 1, outcomes(t, r), "seed %d, %v: no race, but two outcomes:\n%s", seed, o.Model, text)
		}
	}
	assert.True(t, raced || failed || !open, "seed %d: a race is missed:\n%s", seed, text)
}

// cutProgram draws a program of reads up to and beyond the end of a file that need
// not hold whole items.
func cutProgram(dice *rand.Rand) string {
	var b strings.Builder
	ranks := 1 + dice.IntN(3)
	kind := []string{"int", "double", "shortint", "byte"}[dice.IntN(4)]
	rep := []string{"native", "external32", "internal"}[dice.IntN(3)]
	filetype := []string{kind, "vector(2, 1, 2, " + kind + ")", "resized(" + kind + ", 0, 20)"}[dice.IntN(3)]
	fmt.Fprintf(&b, "ranks %d\nfile f = 01*%d\n", ranks, dice.IntN(60))
	fmt.Fprintf(&b, "all:\n open h f rdwr\n view h %d %s %s %s\n", dice.IntN(24), kind, filetype, rep)
	memory := func() string {
		return []string{kind, "vector(2, 1, 2, " + kind + ")", "contiguous(3, " + kind + ")"}[dice.IntN(3)]
	}
	who := func() string { return []string{"all", fmt.Sprint(dice.IntN(ranks))}[dice.IntN(2)] }
	for n := range 3 + dice.IntN(6) {
		r, want := who(), fmt.Sprintf("%s*%d -> v%d", memory(), 1+dice.IntN(3), n)
		switch dice.IntN(12) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "%s:\n read h %s\n", r, want)
		case 3:
			fmt.Fprintf(&b, "%s:\n read_shared h %s\n", r, want)
		case 4:
			fmt.Fprintf(&b, "all:\n %s h %s\n", []string{"read_all", "read_ordered"}[dice.IntN(2)], want)
		case 5:
			fmt.Fprintf(&b, "%s:\n %s h %s as q%d\n wait q%d\n", r, []string{"iread", "iread_shared"}[dice.IntN(2)], want, n, n)
		case 6:
			fmt.Fprintf(&b, "all:\n read_all_begin h %s\n read_all_end h\n", want)
		case 7:
			fmt.Fprintf(&b, "%s:\n seek h %d set\n read h %s\n", r, dice.IntN(6), want)
		case 8:
			fmt.Fprintf(&b, "all:\n seek_shared h %d set\n", dice.IntN(6))
		case 9:
			fmt.Fprintf(&b, "all:\n set_size h %d\n", dice.IntN(60))
		case 10:
			fmt.Fprintf(&b, "all:\n sync h\n barrier\n sync h\n")
		default:
			value := "7"
			if kind == "shortint" {
				value = "7*2"
			}
			fmt.Fprintf(&b, "%s:\n write_at h %d %s %s\n", r, dice.IntN(5), kind, value)
		}
	}
	b.WriteString("all:\n close h\n")
	return b.String()
}

var (
	soaked = flag.Int("litx2.programs", 0, "how many random programs TestLITX2 tries, if not the usual number")
	family = flag.Uint64("litx2.family", 6, "the second word of the seeds of those programs")
)

// programs is how many random programs a test tries.
func programs() int {
	if *soaked > 0 {
		return *soaked
	}
	if testing.Short() {
		return 100
	}
	return 400
}

// outcomes returns how many outcomes the rules allow. Values of bytes that no rank wrote do
// not count as different outcomes.
func outcomes(t *testing.T, r *run) int {
	all, err := r.histories()
	require.NoError(t, err)
	n := 1
	for _, h := range all {
		o, err := consistency.Allowed(h)
		require.NoError(t, err)
		n *= len(o)
	}
	return n
}

// leftOpen reports whether the rules leave something of a run undefined.
func leftOpen(t *testing.T, r *run) bool {
	all, err := r.histories()
	require.NoError(t, err)
	for _, h := range all {
		o, err := consistency.Allowed(h)
		require.NoError(t, err)
		if o.Undefined() {
			return true
		}
	}
	return false
}

// TestPartialItem reads into an item that the end of file cuts: what arrives is allowed,
// and the next read begins behind the cut item.
func TestPartialItem(t *testing.T) {
	for _, want := range []string{"double*2", "vector(2, 1, 2, double)*1"} {
		for _, rep := range []string{"native", "external32"} {
			s, err := Parse("ranks 1\nfile f = 01*42\n0:\n open h f rdwr\n view h 20 double double " + rep +
				"\n seek h 2 set\n read h " + want + " -> x\n read h " + want + " -> y\n close h\n")
			require.NoError(t, err)
			rep, err := Run(t.Context(), s, Options{})
			require.NoError(t, err)
			assert.Empty(t, rep.Unmet)
			assert.Empty(t, rep.Outcomes[0].Ending.Results[0]["y"].Data)
			assert.EqualValues(t, 3, rep.Outcomes[0].Ending.Results[0]["x"].Pos)
		}
	}
}

// TestLITX2Resize has programs in which a change of size has no effect in the run, but would
// have one if it came before accesses that are unordered with it.
func TestLITX2Resize(t *testing.T) {
	const start = "ranks 3\nfile f = 09*8\nall:\n open h f rdwr\n"
	var n tested
	for _, row := range []struct {
		name, text string
		races      bool
	}{
		{"CONS-D08 a set_size repeats what preallocate did, not synced", `all:
 preallocate h 11
1:
 self open s f rdwr
 set_size s 11
 close s
`, true},
		{"CONS-D08 a set_size repeats what a write did, not synced", `0:
 write_at h 8 byte 1*3
 send 1 0 byte 1
1:
 recv 0 0 byte*1 -> m
 self open s f rdwr
 set_size s 11
 close s
`, true},
		{"CONS-D08 the size is known through another open to one rank only", `all:
 open g f rdwr
0:
 write_at_all g 8 byte 1*2
1,2:
 write_at_all g 10 byte 1
all:
 sync g
 sync h
 preallocate h 13
 close g
`, true},
		{"CONS-D08 a set_size repeats what preallocate did, synced", `all:
 preallocate h 11
 sync h
 barrier
1:
 self open s f rdwr
 set_size s 11
 close s
`, false},
		{"CONS-D08 a set_size of the same open repeats what another rank wrote", `all:
 atomic h on
0:
 write_at h 8 byte 1*3
all:
 set_size h 11
all:
 sync h
0:
 send 1 0 byte 1
1:
 recv 0 0 byte*1 -> m
 self open s f rdwr
 read_at s 8 byte*3 -> x
 close s
`, false},
		{"CONS-D08 a write through another open begins where preallocate ends", `all:
 preallocate h 11
2:
 self open s f rdwr
 write_at s 11 byte 2*2
 read_at s 11 byte*2 -> x
 close s
`, false},
		{"CONS-D08 a write through another open begins before preallocate ends", `all:
 preallocate h 11
2:
 self open s f rdwr
 write_at s 10 byte 2*2
 close s
`, true},
		{"CONS-D08 a write through another open leaves out what preallocate gives", `all:
 preallocate h 10
2:
 self open s f rdwr
 view s 6 byte vector(2,1,4,byte) native
 write_at s 0 byte 2*2
 close s
`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := n.races
			n.program(t, 0, start+row.text+"all:\n close h\n")
			assert.Equal(t, row.races, n.races > before)
		})
	}
}
