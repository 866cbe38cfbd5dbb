package mutants_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/mutants"
)

var (
	seeds = flag.Int("rates.seeds", 0, "how often TestCatchRates runs the suite on each broken layer")
	out   = flag.String("rates.out", "", "the page that TestCatchRates writes")
	only  = flag.String("rates.only", "", "layers whose OVER|LAYER|BUG| matches this regular expression")
	alarm = flag.Int("alarms", 0, "how many programs TestCorrectForLong runs over all correct layers")
	limit = flag.Duration("rates.limit", 5*time.Minute, "after which TestCatchRates begins no other layer")
)

// set sets a flag while a test runs.
func set(t *testing.T, name, v string) {
	old := flag.Lookup(name).Value.String()
	if err := flag.Set(name, v); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(name, old) })
}

// find runs the suite on a layer up to the first failure.
func find(t *testing.T, m mutants.Mutant) *proptest.Failure {
	groups, err := proptest.Groups(m.Maker(t.TempDir()), proptest.With(m.With...))
	if err != nil {
		t.Fatal(m, err)
	}
	for _, g := range groups {
		if g.Skipped == "" {
			if f := g.Find(t.Name()); f != nil {
				return f
			}
		}
	}
	return nil
}

// TestCorrect: if it fails, the suite reports faults of a correct layer.
func TestCorrect(t *testing.T) {
	set(t, "rapid.nofailfile", "true")
	if *seeds == 0 {
		set(t, "rapid.checks", "10") // more in .ci/long
	}
	for _, m := range mutants.Correct() {
		t.Run(m.Over+" "+m.Layer, func(t *testing.T) {
			if f := find(t, m); f != nil {
				t.Fatal(f)
			}
		})
	}
}

// TestCorrectForLong runs as many programs over correct layers as -alarms says: those of Correct, and
// this module's files and plain ones. Their groups draw all values, and offsets and counts of
// each rank.
func TestCorrectForLong(t *testing.T) {
	if *alarm == 0 {
		t.Skip("for .ci/long: -alarms=50000")
	}
	set(t, "rapid.nofailfile", "true")
	set(t, "rapid.checks", "25")
	layers := append(mutants.Correct(),
		mutants.Mutant{Over: "iofile", Layer: "ours"}, mutants.Mutant{Over: "os.File", Layer: "files"})
	total := 0
	for seed := 1; total < *alarm; seed++ {
		set(t, "rapid.seed", fmt.Sprint(seed))
		for _, m := range layers {
			mk := proptest.Ours(nil)
			switch m.Layer {
			case "ours":
			case "files":
				mk = proptest.Files(t.TempDir())
			default:
				mk = m.Maker(t.TempDir())
			}
			groups, err := proptest.Groups(mk, proptest.With(m.With...))
			if err != nil {
				t.Fatal(m, err)
			}
			n := 0
			for _, g := range groups {
				if g.Skipped != "" {
					continue
				}
				if f := g.Find(t.Name()); f != nil {
					t.Fatal(m.Over, m.Layer, f)
				}
				n += g.Asked()
			}
			total += n
			t.Logf("seed %d, %s %s: %d programs, %d in all", seed, m.Over, m.Layer, n, total)
		}
	}
}

// TestCaught: if it fails, the suite lets a broken layer pass.
func TestCaught(t *testing.T) {
	thorough.Only(t)
	set(t, "rapid.nofailfile", "true")
	if testing.Short() {
		set(t, "rapid.checks", "500") // the suite uses a fifth of it
	}
	if flag.Lookup("rapid.seed").Value.String() == "0" { // the same seed each day, unless another is asked for
		set(t, "rapid.seed", "1")
	}
	if *seeds == 0 {
		set(t, "rapid.shrinktime", "0")
	}
	every := 14
	if raceEnabled {
		every = 28
	}
	for i, m := range mutants.All() {
		if *seeds == 0 && i%every != 0 {
			continue // a sample; all in .ci/long, which also makes the programs smaller
		}
		t.Run(m.Layer+" "+m.Bug, func(t *testing.T) {
			f := find(t, m)
			if f == nil {
				t.Fatal("passes the suite")
			}
			if p := f.Program; p != nil && p.Reach == 0 && (p.Ranks > 3 || len(p.Ops) > mostOps(m)) {
				t.Logf("%d ranks and %d operations are many, which a free schedule that does not come again leaves:\n%v", p.Ranks, len(p.Ops), f)
			}
			t.Log(f)
		})
	}
}

// mostOps returns the most operations that a program which shows the bug may have.
func mostOps(m mutants.Mutant) int {
	if strings.Contains(m.Bug, "tenth") {
		return 24
	}
	return 6
}

// A rate is how often the suite finds a broken layer.
type rate struct {
	m            mutants.Mutant
	caught, runs int
	by           map[string]int
	took         time.Duration // the longest run
}

func measure(t *testing.T, m mutants.Mutant) rate {
	r := rate{m: m, by: map[string]int{}}
	for s := range *seeds {
		set(t, "rapid.seed", fmt.Sprint(s+1))
		start := time.Now()
		f := find(t, m)
		r.runs++
		r.took = max(r.took, time.Since(start))
		if f != nil {
			r.caught++
			r.by[f.Group]++
		}
	}
	return r
}

// groups returns the properties that found the layer, the most frequent first.
func (r rate) groups() string {
	by := slices.SortedFunc(maps.Keys(r.by), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.by[b], r.by[a]), cmp.Compare(a, b))
	})
	for i, g := range by {
		by[i] = fmt.Sprintf("%s %d", g, r.by[g])
	}
	return strings.Join(by, ", ")
}

func (r rate) String() string {
	return fmt.Sprintf("| %s | %s | %s | %d of %d | %s | %.1f |", r.m.Over, r.m.Layer, cmp.Or(r.m.Bug, "none"), r.caught, r.runs, r.groups(), r.took.Seconds())
}

// TestCatchRates measures how often the suite finds each broken layer, at the default
// number of programs. It fails if a run misses one, or reports a fault of a correct
// layer.
func TestCatchRates(t *testing.T) {
	if *seeds == 0 {
		t.Skip("for figures: -rates.seeds=20 -rates.out=rates.md")
	}
	set(t, "rapid.nofailfile", "true")
	set(t, "rapid.shrinktime", "0")
	set(t, "rapid.seed", "1")
	start := time.Now()
	chosen := regexp.MustCompile(*only)
	var rates []rate
	for _, m := range append(mutants.Correct(), mutants.All()...) {
		if !chosen.MatchString(m.Over + "|" + m.Layer + "|" + m.Bug + "|") {
			continue
		}
		if time.Since(start) > *limit {
			t.Fatalf("no time left before %s, %s: give -rates.limit or -rates.only", m.Layer, m.Bug)
		}
		r := measure(t, m)
		fmt.Println(r)
		rates = append(rates, r)
		assert.True(t, m.Bug == "" && r.caught == 0 || m.Bug != "" && r.caught == r.runs, "%v", r)
	}
	if *out != "" {
		file := *out
		if !filepath.IsAbs(file) {
			file = filepath.Join("..", "..", file)
		}
		assert.NoError(t, os.WriteFile(file, []byte(page(rates)), 0o666))
	}
}

// page returns the table of catch rates.
func page(rates []rate) string {
	var b strings.Builder
	broken, all := 0, 0
	for _, r := range rates {
		if r.m.Bug != "" {
			broken++
			if r.caught == r.runs {
				all++
			}
		}
	}
	fmt.Fprintf(&b, `# What the conformance suite finds

%d layers with one bug each (package proptest/mutants), each tested %d times by proptest.Conformance at its default of
100 checks a group, with seeds 1 to %d. %d are found in every run. The first rows are the same layers without a bug.
"Seconds" is the longest run up to the first failure, without making the program smaller, on one core of a machine
that does other work, too.

%s

Generated; to make it again:

    go test ./proptest/mutants -run TestCatchRates -cpu 1 -rates.seeds=%d -rates.limit=3h -timeout 4h -rates.out=rates.md

| over | layer | bug | found | by the group, in how many runs | seconds |
| --- | --- | --- | --- | --- | --- |
`, broken, *seeds, *seeds, all, mutants.Origins, *seeds)
	for _, r := range rates {
		fmt.Fprintln(&b, r)
	}
	return b.String()
}
