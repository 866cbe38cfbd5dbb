package script_test

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/script"
)

// repaired repairs a script, parses the printed result, and checks that it runs without a
// race, a deadlock or a new error, and that its own expectations hold.
func repaired(t *testing.T, source string) *script.Script {
	t.Helper()
	s, err := script.Parse(source)
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{MaxSchedules: 1000})
	require.NoError(t, err)
	fixed, err := script.Repair(t.Context(), rep, script.Options{})
	if !assert.NoError(t, err, "%v", s) {
		return nil
	}
	text := fixed.Text
	keepsText(t, source, text)
	again, err := script.Parse(text)
	require.NoError(t, err, text)
	after, err := script.Explore(t.Context(), again, script.Options{})
	require.NoError(t, err)
	assert.True(t, after.Complete, text)
	assert.Empty(t, after.Races, text)
	assert.Equal(t, rep.Deadlock == nil, after.Deadlock == nil, text)
	assert.Len(t, after.Failures, len(rep.Failures), text)
	assert.Empty(t, after.Unmet, text)
	return again
}

// unrepaired has the causes of the twins in which only the author knows which bytes each rank
// is to write.
var unrepaired = map[string]string{
	"header-by-all-racy.mpio":     "all ranks write at the same offset",
	"tiles-with-ghosts-racy.mpio": "the filetypes overlap",
}

// refused checks that a script has no repair because its ranks were probably not meant to write
// the same bytes, and that the reason names that cause.
func refused(t *testing.T, source, cause string) {
	t.Helper()
	s, err := script.Parse(source)
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	_, err = script.Repair(t.Context(), rep, script.Options{})
	require.ErrorContains(t, err, cause)
	require.ErrorContains(t, err, "--fix leaves that to you")
	for _, f := range script.Fixes(t.Context(), rep, script.Options{}) {
		assert.Empty(t, f.Change)
		assert.Contains(t, err.Error(), f.String())
	}
}

// TestRepairTwinsAndLitmus: if it fails, a mistake that programs make has a fix
// that does not work, or none.
func TestRepairTwinsAndLitmus(t *testing.T) {
	for _, all := range []fs.FS{consistency.Twins(), consistency.Litmus()} {
		names, err := fs.Glob(all, "*.mpio")
		require.NoError(t, err)
		for _, name := range names {
			text, err := fs.ReadFile(all, name)
			require.NoError(t, err)
			t.Run(name, func(t *testing.T) {
				if cause := unrepaired[name]; cause != "" {
					refused(t, string(text), cause)
				} else {
					repaired(t, string(text))
				}
			})
		}
	}
}

// A fencedLine is a statement of some ranks; fences may be left out.
type fencedLine struct {
	who   []int // nil: all
	text  string
	fence bool
}

// fencedProgram draws a program without races: accesses of one phase do not
// conflict, and between phases all ranks sync, meet and sync.
func fencedProgram(dice *rand.Rand) (ranks int, lines []fencedLine) {
	ranks = 2 + dice.IntN(2)
	handles := []string{"h", "g"}[:1+dice.IntN(4)/3]
	add := func(who []int, format string, args ...any) {
		lines = append(lines, fencedLine{who: who, text: fmt.Sprintf(format, args...)})
	}
	viewed := map[string]bool{}
	for _, h := range handles {
		add(nil, "open %s f rdwr|create", h)
		if viewed[h] = dice.IntN(3) == 0; viewed[h] {
			add(nil, "view %s 0 byte vector(2, 1, 2, byte) native", h)
		}
	}
	n := 0
	for phase := range 2 + dice.IntN(3) {
		if phase > 0 {
			for _, h := range handles {
				lines = append(lines, fencedLine{nil, "sync " + h, true})
			}
			lines = append(lines, fencedLine{nil, "barrier", true})
			for _, h := range handles {
				lines = append(lines, fencedLine{nil, "sync " + h, true})
			}
		}
		taken := make([]int, 16) // bytes of the file: 0 free, 1 read, 2 written
		for range 1 + dice.IntN(4) {
			r, at, long := dice.IntN(ranks), dice.IntN(6), 1+dice.IntN(3)
			h, write := handles[dice.IntN(len(handles))], dice.IntN(2) == 0
			if !claim(taken, viewed[h], at, long, write) {
				continue
			}
			n++
			who := []int{r}
			switch kind := dice.IntN(4); {
			case write && kind == 0:
				add(who, "iwrite_at %s %d byte %d*%d as q%d", h, at, n, long, n)
				add(who, "wait q%d", n)
			case write:
				add(who, "write_at %s %d byte %d*%d", h, at, n, long)
			case kind == 0:
				add(who, "iread_at %s %d byte*%d -> v%d as q%d", h, at, long, n, n)
				add(who, "wait q%d", n)
			default:
				add(who, "read_at %s %d byte*%d -> v%d", h, at, long, n)
			}
		}
		if dice.IntN(4) == 0 {
			from := dice.IntN(ranks)
			to := (from + 1 + dice.IntN(ranks-1)) % ranks
			add([]int{from}, "send %d %d byte 1", to, phase)
			add([]int{to}, "recv %d %d byte*1 -> m%d", from, phase, phase)
		}
	}
	for _, h := range handles {
		add(nil, "close %s", h)
	}
	return ranks, lines
}

// claim takes the bytes of an access, unless it conflicts with those of its phase.
func claim(taken []int, viewed bool, at, long int, write bool) bool {
	var bytes []int
	for i := at; i < at+long; i++ {
		b := i
		if viewed { // bytes 0, 2 and 3, 5 and 6, ...
			b = i/2*3 + i%2*2
		}
		if taken[b] == 2 || taken[b] == 1 && write {
			return false
		}
		bytes = append(bytes, b)
	}
	for _, b := range bytes {
		if taken[b] = 1; write {
			taken[b] = 2
		}
	}
	return true
}

// fencedText returns the program as text; if apart is true, each rank's statements are in
// a block of their own.
func fencedText(ranks int, lines []fencedLine, apart bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ranks %d\nfile f = 09*16\n", ranks)
	if !apart {
		for _, l := range lines {
			who := "all"
			if l.who != nil {
				who = fmt.Sprint(l.who[0])
			}
			fmt.Fprintf(&b, "%s: %s\n", who, l.text)
		}
		return b.String()
	}
	for r := range ranks {
		fmt.Fprintf(&b, "%d:\n", r)
		for _, l := range lines {
			if l.who == nil || l.who[0] == r {
				fmt.Fprintf(&b, "  %s\n", l.text)
			}
		}
	}
	return b.String()
}

// without leaves one to three fences out.
func without(dice *rand.Rand, lines []fencedLine) []fencedLine {
	out := slices.Clone(lines)
	for range 1 + dice.IntN(3) {
		var fences []int
		for i, l := range out {
			if l.fence {
				fences = append(fences, i)
			}
		}
		if len(fences) == 0 {
			break
		}
		i := fences[dice.IntN(len(fences))]
		out = slices.Delete(out, i, i+1)
	}
	return out
}

// commented adds comments and blank lines.
func commented(dice *rand.Rand, text string) string {
	var all []string
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch dice.IntN(5) {
		case 0:
			all = append(all, fmt.Sprint("  # above ", i))
		case 1:
			line += fmt.Sprint(" # at ", i)
		case 2:
			all = append(all, "")
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

var repairedPrograms = flag.Int("repaired", 0, "random programs that TestRepairRandomPrograms repairs, others each time; 0: the usual ones")

// TestRepairRandomPrograms: if it fails, a fix that a report prints does not work
// for a program in which only some syncs or barriers were forgotten.
func TestRepairRandomPrograms(t *testing.T) {
	programs, raced, stream := 1000, 0, uint64(15)
	if testing.Short() || !thorough.All() {
		programs = 100
	}
	if *repairedPrograms > 0 {
		programs, stream = *repairedPrograms, uint64(time.Now().UnixNano())
	}
	for seed := range uint64(programs) {
		dice := rand.New(rand.NewPCG(seed, stream))
		ranks, lines := fencedProgram(dice)
		apart := dice.IntN(2) == 0
		s, err := script.Parse(fencedText(ranks, lines, apart))
		require.NoError(t, err)
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err)
		require.Empty(t, rep.Races, "%v", s)
		text := fencedText(ranks, without(dice, lines), apart)
		s, err = script.Parse(text)
		require.NoError(t, err)
		rep, err = script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err)
		if len(rep.Races) > 0 {
			raced++
		}
		if repaired(t, commented(dice, text)); t.Failed() {
			t.Fatalf("seed %d, %d:\n%v", seed, stream, s)
		}
	}
	assert.Greater(t, raced, programs/4)
	t.Log(raced, "of", programs, "raced")
}

// TestRepairBeginsAgain: the change for the first race of this script leaves no place for that
// of a later one; if the search did not begin again with the later one, it would find nothing.
func TestRepairBeginsAgain(t *testing.T) {
	s, err := script.Parse(`ranks 2
file f = 00*4
all: open h f rdwr
all: self open k f rdwr
0: write_at h 1 byte 1 1
1: write_at k 1 byte 2 2
1: write_at k 1 byte 3
1: read_at h 0 byte*1 -> v4
1: write_at h 1 byte 5
1: write_at k 1 byte 6
0: send 1 7 byte 1
1: recv 0 7 byte -> m7
0: bcast 1 byte*1 -> b8
1: bcast 1 byte 1
all: close h
all: close k
`)
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, rep.Races)
	fixed, err := script.Repair(t.Context(), rep, script.Options{})
	require.NoError(t, err)
	again, err := script.Explore(t.Context(), fixed.Script, script.Options{})
	require.NoError(t, err)
	assert.Empty(t, again.Races)
	assert.Empty(t, again.Failures)
	assert.Nil(t, again.Deadlock)
}

// TestFixesCountRacingPairs: a run in which very many accesses race takes long in the race
// detector; if the search for fixes did not count that, it would take as long as it may.
func TestFixesCountRacingPairs(t *testing.T) {
	text := "ranks 16\nfile f = 00*8\nall: open h f rdwr\n" + strings.Repeat("all: write_at h 0 byte r\n", 60) + "all: close h\n"
	s, err := script.Parse(text)
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, rep.Races)
	for _, f := range script.Fixes(t.Context(), rep, script.Options{}) {
		assert.Empty(t, f.Change)
		assert.Contains(t, f.First(), "took too many runs")
	}
}

// If this fails, a report does not say that the writer's sync comes too late, behind the read.
func TestFixNamesLateSync(t *testing.T) {
	s, err := script.Parse("ranks 2\nfile f = 00*4\nall:\n  open h f rdwr\n0:\n  write_at h 0 int 1\nall:\n  barrier\n1:\n  read_at h 0 int*1 -> x\nall:\n  sync h\n  close h\n")
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{})
	require.NoError(t, err)
	fixes := script.Fixes(t.Context(), rep, script.Options{})
	require.Len(t, fixes, 1)
	assert.Equal(t, "the writer's sync on line 12 comes too late: after the barrier on line 8, by which rank 1 learns of the access", fixes[0].Late)
}

// TestRepairedNeedsAll: a repaired script has no statement that it does not need: what the fix of
// one race inserts may do for another one, too.
func TestRepairedNeedsAll(t *testing.T) {
	const text = `ranks 2
file f = 00*32
all:
  open h f rdwr
  write_at_all h r*4 int r
  barrier
1:
  write_at h 8 int 4
  read_at h 0 int*1 -> x
0:
  write_at h 8 int 1
all:
  close h
`
	s, err := script.Parse(text)
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	require.Len(t, rep.Races, 2)
	fixed, err := script.Repair(t.Context(), rep, script.Options{})
	require.NoError(t, err)
	old, added := strings.Split(text, "\n"), 0
	lines := strings.Split(fixed.Text, "\n")
	for i, line := range lines {
		if line = strings.TrimSpace(line); line != "sync h" && line != "barrier" || slices.Contains(old, lines[i]) {
			continue
		}
		added++
		less, err := script.Parse(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n"))
		if err != nil {
			continue // a block of its own is empty then
		}
		less.Expect = nil
		rep, err := script.Explore(t.Context(), less, script.Options{})
		require.NoError(t, err)
		require.True(t, len(rep.Races) > 0 || len(rep.Failures) > 0 || rep.Deadlock != nil, "line %d is not needed:\n%s", i+1, fixed.Text)
	}
	require.Positive(t, added)
}

// If this fails, a repair leaves a race that the report does not list, as that of one schedule may
// not, or returns a script with a race that only schedules show which it has not run.
func TestRepairRaceOfOtherSchedules(t *testing.T) {
	s, err := script.Parse(`ranks 3
file f = 00*4
file g = 00*4
all: open h f rdwr
all: open k g rdwr
0: write_at k 0 int 1
all: barrier
1: read_at k 0 int*1 -> x
1: write_at h 0 int 1
all: sync h
1: send 0 0 int 1
2: send 0 0 int 2
0: recv any 0 int*1 -> m
all: sync h
0: read_at h 0 int*1 -> y
0: recv any 0 int*1 -> n
all: close h
all: close k
`)
	require.NoError(t, err)
	var rep *script.Report // in which rank 0 receives from rank 1 first
	for seed := uint64(0); seed < 64 && (rep == nil || len(rep.Races) > 1); seed++ {
		rep, err = script.Run(t.Context(), s, script.Options{Seed: seed})
		require.NoError(t, err)
	}
	require.Len(t, rep.Races, 1)
	require.Equal(t, "g", rep.Races[0].File)
	fixed, err := script.Repair(t.Context(), rep, script.Options{})
	require.NoError(t, err)
	again, err := script.Explore(t.Context(), fixed.Script, script.Options{})
	require.NoError(t, err)
	assert.Empty(t, again.Races, fixed.Text)

	_, err = script.Repair(t.Context(), rep, script.Options{MaxSchedules: 1})
	assert.ErrorContains(t, err, "a race is left")
}

// If it fails, a repair makes a deadlocked program stop before it comes to the accesses that race, and calls
// the race gone.
func TestRepairKeepsTheDeadlock(t *testing.T) {
	s, err := script.Parse("ranks 2\nfile f = 00\nall: open h f rdwr\n0:\n  recv any 0 byte*1 -> a\n  write_at h 0 byte 1\n  barrier\n" +
		"1:\n  ssend 0 0 byte 1\n  read_at h 0 byte*1 -> x\n  recv 0 0 byte*1 -> b\n  barrier\nall: close h\n")
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	require.NotNil(t, rep.Deadlock)
	repaired, err := script.Repair(t.Context(), rep, script.Options{})
	require.NoError(t, err)
	fixed, err := script.Parse(repaired.Text)
	require.NoError(t, err)
	after, err := script.Explore(t.Context(), fixed, script.Options{})
	require.NoError(t, err)
	assert.Empty(t, after.Races)
	require.NotNil(t, after.Deadlock)
	for i, r := range rep.Deadlock.Ranks { // in the same calls
		assert.Equal(t, strings.Fields(r.Why)[0], strings.Fields(after.Deadlock.Ranks[i].Why)[0], repaired.Text)
	}
}
