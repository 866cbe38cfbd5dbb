package suite_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/export/gorun"
	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/internal/testkit/spec"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/suite"
)

// missed lists bad programs that our detector does not find, with the reason.
var missed = map[string]string{
	"append-then-offset": "nothing says that bytes of an old file were not to be overwritten",
}

// otherRule lists programs whose finding names another rule than the label.
var otherRule = map[string]string{
	"iread-overtaken": "CONS-D03, the order of two atomic accesses",
}

// If a script of the corpus had a name that twins have too, or half of a pair were missing,
// one of the two would be lost.
func TestNames(t *testing.T) {
	twins, err := fs.Glob(consistency.Twins(), "*-racy.mpio")
	require.NoError(t, err)
	corpus, err := os.ReadDir("corpus")
	require.NoError(t, err)
	assert.Len(t, suite.Names(), len(twins)-1+len(corpus), "gather-root has no pair of its own")
	for _, d := range corpus {
		assert.NotContains(t, twins, d.Name()+"-racy.mpio")
		for _, half := range []string{suite.Bad, suite.Clean} {
			assert.FileExists(t, "corpus/"+d.Name()+"/"+half+".mpio")
		}
	}
	_, err = suite.Program("barrier-only", suite.Bad, "f90")
	assert.EqualError(t, err, `suite: there are no programs in "f90"; use "c" or "go"`)
	_, err = suite.Program("no-such", suite.Bad, suite.C)
	assert.EqualError(t, err, "suite: there is no program no-such/bad")
}

// If there were few pairs, or several alike, a score would mean little.
func TestPairs(t *testing.T) {
	labels := suite.Labels()
	assert.GreaterOrEqual(t, len(labels), 120)
	assert.Len(t, labels, len(suite.Names()))
	seen := map[string]string{}
	for _, l := range labels {
		assert.True(t, spec.Known(l.Rule), "%s: there is no rule %s", l.Name, l.Rule)
		assert.NotEmpty(t, l.Title, l.Name)
		assert.NotEmpty(t, l.Lines, l.Name)
		text, err := suite.Text(l.Name, suite.Bad)
		require.NoError(t, err)
		s, err := script.Parse(text)
		require.NoError(t, err)
		s.Expect = nil
		if other, twice := seen[s.String()]; twice {
			t.Errorf("%s and %s are the same program", l.Name, other)
		}
		seen[s.String()] = l.Name
	}
}

// If the detector missed a bad program or named another reason than the label, one of
// them would be wrong; if it reported a clean program, the pair would prove nothing.
func TestDetector(t *testing.T) {
	for _, l := range suite.Labels() {
		t.Run(l.Rule+" "+l.Name, func(t *testing.T) {
			text, err := suite.Text(l.Name, suite.Bad)
			require.NoError(t, err)
			said, err := suite.Detect(t.Context(), l.Name+"/bad", text, true)
			require.NoError(t, err)
			found := suite.Score(said)
			row := found.Rows[slices.Index(suite.Kinds(), l.Kind)]
			if missed[l.Name] != "" {
				assert.Zero(t, row.Found, "it is found now")
			} else {
				assert.Equal(t, 1, row.RightKind, "%v", said)
				if otherRule[l.Name] == "" {
					assert.Equal(t, 1, row.RightRule, "%v", said)
				}
				if l.Kind != suite.Wrong {
					assert.Equal(t, 1, row.InLine, "%v", said)
				}
			}
			asTheScriptsSay(t, l.Name)
		})
	}
}

// asTheScriptsSay explores both scripts of a pair.
func asTheScriptsSay(t *testing.T, name string) {
	t.Helper()
	for _, half := range []string{suite.Bad, suite.Clean} {
		text, err := suite.Text(name, half)
		require.NoError(t, err)
		s, err := script.Parse(text)
		require.NoError(t, err)
		rep, err := script.Explore(t.Context(), s, script.Options{})
		require.NoError(t, err)
		assert.True(t, rep.Complete, half)
		assert.Empty(t, rep.Unmet, half)
		if half == suite.Clean {
			assert.Empty(t, rep.Races)
			assert.Nil(t, rep.Deadlock)
			assert.Empty(t, rep.Failures)
		}
	}
}

// If the Go programs did something else than the scripts, their labels would be wrong.
func TestGoPrograms(t *testing.T) {
	thorough.Only(t)
	var texts []string
	for _, l := range suite.Labels() {
		for _, half := range []string{suite.Bad, suite.Clean} {
			text, err := suite.Program(l.Name, half, suite.Go)
			require.NoError(t, err)
			texts = append(texts, strings.TrimPrefix(text, "//go:build ignore\n\n"))
		}
	}
	const seeds = 20
	ctx, stop := context.WithTimeout(t.Context(), 8*time.Minute)
	defer stop()
	runs, err := gorun.Run(ctx, t.TempDir(), "../..", texts, seeds)
	require.NoError(t, err)
	require.Len(t, runs, seeds*len(texts))
	for i, l := range suite.Labels() {
		bad, clean := runs[2*i*seeds:(2*i+1)*seeds], runs[(2*i+1)*seeds:(2*i+2)*seeds]
		for _, r := range clean {
			assert.Empty(t, r.Found, l.Name)
		}
		if l.Kind == suite.Wrong || rare[l.Name] {
			continue // the order of records shows under some schedules only
		}
		assert.True(t, slices.ContainsFunc(bad, func(r gorun.Ran) bool {
			return slices.ContainsFunc(r.Found, func(f gorun.Found) bool { return f.Kind == string(l.Kind) })
		}), "%s: %v", l.Name, bad)
	}
}

// The scores of a tool that claims everything, one that claims nothing, and one that is
// always right.
func TestScore(t *testing.T) {
	var all, nothing, truth []suite.Claim
	for _, l := range suite.Labels() {
		right := suite.Claim{Program: l.Name + "/bad", Kind: l.Kind, Rule: l.Rule, Missing: strings.Split(l.Missing, ",")[0], Lines: l.Lines}
		for _, half := range []string{"/bad", "/clean"} {
			all = append(all, suite.Claim{Program: l.Name + half, Kind: suite.Race})
			nothing = append(nothing, suite.Claim{Program: l.Name + half, Kind: suite.None})
		}
		truth = append(truth, right, suite.Claim{Program: l.Name + "/clean", Kind: suite.None})
	}
	n := len(suite.Labels())
	r := suite.Score(all)
	assert.InDelta(t, 0.5, r.Precision(), 1e-9)
	assert.InDelta(t, 1, r.Recall(), 1e-9)
	assert.Equal(t, n, r.CleanAccused)
	r = suite.Score(nothing)
	assert.InDelta(t, 0, r.Recall(), 1e-9)
	assert.Len(t, r.Missed, n)
	assert.Equal(t, 2*n, suite.Score(all).Rows[0].Named)
	assert.Zero(t, r.Rows[0].Named)
	assert.Equal(t, []int{n, 0}, []int{suite.Score(all).Pairs, suite.Score(all).PairsRight})
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"named":0,"precision":null,"recall":0`, "no claim has the kind")
	r = suite.Score(truth[1:])
	assert.Equal(t, []int{n - 1, n - 1}, []int{r.Pairs, r.PairsRight}, "half of a pair does not count")
	r = suite.Score(truth)
	assert.InDelta(t, 1, r.Precision(), 1e-9)
	assert.InDelta(t, 1, r.Rows[0].Precision(), 1e-9)
	text, err = json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(text), fmt.Sprintf(`{"tried":%d,"bad":%d,"found":%[2]d,"clean":%[2]d,"accused":0,"pairs":%[2]d,"pairs_right":%[2]d,"precision":1,"recall":1,"kinds":[{"kind":"race"`, 2*n, n))
	total := 0
	for _, row := range r.Rows {
		assert.Equal(t, row.Programs, row.RightRule)
		assert.Equal(t, row.Programs, row.InLine)
		total += row.Programs
	}
	assert.Equal(t, n, total)

	again, err := suite.ReadClaims(strings.NewReader(suite.FormatClaims(truth)))
	require.NoError(t, err)
	assert.Equal(t, suite.Score(truth).String(), suite.Score(again).String())
	for text, want := range map[string]string{
		"barrier-only/bad":                               `line 1: "barrier-only/bad" is not PROGRAM and KIND with a tab between them`,
		"# x\nnone/bad\trace":                            `line 2: there is no program "none/bad"; commworld suite list lists them`,
		"barrier-only/bad\tdata race":                    `line 1: there is no kind "data race": [race deadlock mismatch error leak wrong] or none`,
		"barrier-only/bad.c\trace\t-\t-\t8 x":            `line 1: "x" is neither RANK:LINE nor LINE`,
		"barrier-only/bad\trace\nbarrier-only/bad\tnone": `line 2: barrier-only/bad is both "race" and "none"; a tool that finds something in a program does not say none`,
		"barrier-only/bad\trace\t-\t-\t-1:8":             `line 1: "-1:8" is neither RANK:LINE nor LINE`,
	} {
		_, err := suite.ReadClaims(strings.NewReader(text))
		assert.EqualError(t, err, want)
	}
}

// If lines of C and Go programs were not those of the mistake, tools that read these
// programs would get too low a score.
func TestLinesOfPrograms(t *testing.T) {
	for _, l := range suite.Labels() {
		for _, ext := range []string{suite.C, suite.Go} {
			sites, err := l.In(ext)
			require.NoError(t, err)
			text, err := suite.Program(l.Name, suite.Bad, ext)
			require.NoError(t, err)
			lines := strings.Split(text, "\n")
			for _, s := range sites {
				mark := regexp.MustCompile(`check\((\d+), MPI_|// line (\d+)$`).FindStringSubmatch(lines[s.Line-1])
				if assert.NotNil(t, mark, "%s.%s:%d", l.Name, ext, s.Line) {
					assert.True(t, slices.ContainsFunc(l.Lines, func(own suite.Site) bool {
						return own.Rank == s.Rank && fmt.Sprint(own.Line) == mark[1]+mark[2]
					}), "%s.%s:%d", l.Name, ext, s.Line)
				}
			}
		}
	}
	l, ok := suite.LabelOf("barrier-only")
	require.True(t, ok)
	inC, err := l.In(suite.C)
	require.NoError(t, err)
	inGo, err := l.In(suite.Go)
	require.NoError(t, err)
	for claim, want := range map[string]int{
		fmt.Sprintf("bad.c\trace\t-\t-\t%d", inC[0].Line):     1,
		fmt.Sprintf("bad.c\trace\t-\t-\t%v", inC[0]):          1,
		fmt.Sprintf("bad.c\trace\t-\t-\t1:%d", inC[0].Line):   0,
		fmt.Sprintf("bad.go\trace\t-\t-\t%d", inC[0].Line):    0,
		fmt.Sprintf("bad.go\trace\t-\t-\t1 %v", inGo[1]):      1,
		fmt.Sprintf("bad\trace\t-\t-\t%d", l.Lines[1].Line):   1,
		fmt.Sprintf("bad.mpio\trace\t-\t-\t%v", l.Lines[1]):   1,
		fmt.Sprintf("bad\trace\t-\t-\t%d", l.Lines[1].Line+1): 0,
	} {
		claims, err := suite.ReadClaims(strings.NewReader("/home/me/corpus/barrier-only/" + claim + "\n"))
		require.NoError(t, err)
		assert.Equal(t, want, suite.Score(claims).Rows[0].InLine, claim)
		again, err := suite.ReadClaims(strings.NewReader(suite.FormatClaims(claims)))
		require.NoError(t, err)
		assert.Equal(t, claims, again)
	}
}

// wordSearch is the tool of the README: it searches for words in the C programs.
func wordSearch(t *testing.T) (claims []suite.Claim) {
	for _, l := range suite.Labels() {
		for _, half := range []string{suite.Bad, suite.Clean} {
			text, err := suite.Program(l.Name, half, suite.C)
			require.NoError(t, err)
			front, _, writes := strings.Cut(text, "MPI_File_write")
			c := suite.Claim{Program: l.Name + "/" + half, Source: "c", Kind: suite.None}
			if writes && !regexp.MustCompile("MPI_File_sync|MPI_File_set_atomicity").MatchString(text) {
				c.Kind, c.Lines = suite.Race, []suite.Site{{Rank: suite.AnyRank, Line: strings.Count(front, "\n") + 1}}
			}
			claims = append(claims, c)
		}
	}
	return claims
}

var every = flag.Bool("every", false, "compile and run every clean C program, not one in 20")

// departs lists clean programs that a library does not run as the standard says, with
// what the library does.
var departs = map[string]string{
	"MPICH read-only-reader":    "sync on a read-only handle is an error",
	"Open MPI read-only-reader": "sync on a read-only handle is an error",
	"Open MPI atomic-pieces":    "an atomic write through a view with gaps is several",
	"Open MPI pointer-past-end": "the file pointer behind the end is another",
}

// If a clean C program failed, the library or the program would be wrong.
func TestCPrograms(t *testing.T) {
	thorough.Only(t)
	for _, lib := range peers.All() {
		t.Run(lib.Name, func(t *testing.T) {
			if err := lib.Missing(); err != nil {
				t.Skip(err)
			}
			for i, l := range suite.Labels() {
				if !*every && i%20 != 0 {
					continue
				}
				for _, half := range []string{suite.Bad, suite.Clean} {
					source, err := suite.Program(l.Name, half, suite.C)
					require.NoError(t, err)
					p, err := lib.CompileStrictly([]byte(source))
					require.NoError(t, err, l.Name)
					defer p.Close()
					if half == suite.Bad {
						continue
					}
					_, _, err = p.Run(t.Context(), l.Ranks, t.TempDir())
					if why := departs[lib.Name+" "+l.Name]; why != "" {
						t.Logf("%s: %s: %v", l.Name, why, err) // by chance it may succeed
						continue
					}
					assert.NoError(t, err, l.Name)
				}
			}
		})
	}
}

// If README showed another score than the commands print, its readers would be misled.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, lints := range []bool{false, true} {
		var all []suite.Claim
		for _, l := range suite.Labels() {
			for _, half := range []string{suite.Bad, suite.Clean} {
				text, err := suite.Text(l.Name, half)
				require.NoError(t, err)
				said, err := suite.Detect(t.Context(), l.Name+"/"+half, text, lints)
				require.NoError(t, err)
				all = append(all, said...)
			}
		}
		assert.Contains(t, string(readme), suite.Score(all).String())
	}
	searched, _, _ := strings.Cut(suite.Score(wordSearch(t)).String(), "missed")
	assert.Contains(t, string(readme), strings.TrimSpace(searched))
	assert.Contains(t, string(readme), strings.TrimSpace(suite.LibraryTable(suite.Libraries())))
	for _, l := range suite.Labels() {
		for _, half := range []string{suite.Bad, suite.Clean} {
			assert.Contains(t, suite.Libraries(), l.Name+"/"+half+"\t"+string(l.Kind)+"\t", "go run ./teach/suite/measure")
		}
	}
}

// rare lists races that free runs of the Go program hardly ever show.
var rare = map[string]bool{"test-is-no-wait": true}
