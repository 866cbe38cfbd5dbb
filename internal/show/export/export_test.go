package export_test

import (
	"context"
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
	"github.com/commworld/commworld/internal/show/export"
	"github.com/commworld/commworld/internal/show/export/gorun"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/script"
)

// A sample is a script that is exported.
type sample struct {
	name, text string
	s          *script.Script
}

// samples are the litmus tests, some twins, the lab's lessons and a script of all statements.
func samples(t *testing.T) []sample {
	t.Helper()
	var all []sample
	for _, c := range []struct {
		files fs.FS
		glob  string
	}{
		{consistency.Litmus(), "*.mpio"},
		{consistency.Twins(), "[a-g]*.mpio"},
		{os.DirFS("../../../teach/lab/lessons"), "*.mpio"},
		{os.DirFS("testdata"), "*.mpio"},
	} {
		all = append(all, samplesIn(t, c.files, c.glob)...)
	}
	return all
}

func samplesIn(t *testing.T, files fs.FS, glob string) (all []sample) {
	t.Helper()
	names, err := fs.Glob(files, glob)
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		s, err := script.Parse(string(text))
		require.NoError(t, err, name)
		s.Name = name
		all = append(all, sample{name, string(text), s})
	}
	return all
}

// If a C program silently did without a script's machine or matching policy, it would show
// something else than the script.
func TestOnlyHere(t *testing.T) {
	const open = "ranks 2\n%s\nall:\n  open h f rdwr|create %s\n  close h\n"
	for _, tc := range []struct{ machine, hint, c, goes string }{
		{"machine 1 lp64be", "", `line 2: a C program runs on the machine that it is compiled for: leave the line "machine 1 lp64be" out`, ""},
		{"machine 1 ilp32le", "", "line 2: a C program runs on the machine", "line 2: the memory of the Go program has the sizes of lp64le"},
		{"", "match=source000", "line 4: a C program cannot choose a matching policy: leave match=source000 out, and run the program with commworldrun --match source000", ""},
	} {
		s, err := script.Parse(fmt.Sprintf(open, tc.machine, tc.hint))
		require.NoError(t, err)
		_, err = export.C(s, export.Options{})
		assert.ErrorContains(t, err, tc.c)
		_, err = export.Go(s, export.Options{})
		if tc.goes == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, tc.goes)
		}
	}
}

// If the Go program did not do the same as the script, only one of them would race, fail
// or end in a given way.
func TestGoPrograms(t *testing.T) {
	thorough.Only(t)
	all := append(samples(t), samplesIn(t, os.DirFS("testdata/go"), "*.mpio")...)
	var texts []string
	for _, x := range all {
		text, err := export.Go(x.s, export.Options{Name: x.name, Comment: export.Head(x.text)})
		require.NoError(t, err, x.name)
		texts = append(texts, text)
	}
	const seeds = 8
	ctx, stop := context.WithTimeout(t.Context(), 8*time.Minute)
	defer stop()
	runs, err := gorun.Run(ctx, t.TempDir(), "../../..", texts, seeds)
	require.NoError(t, err)
	require.Len(t, runs, seeds*len(all))
	for i, x := range all {
		t.Run(x.name, func(t *testing.T) { compare(t, x.s, runs[i*seeds:(i+1)*seeds]) })
	}
}

// compare compares the runs of a Go program with an exploration of its script.
func compare(t *testing.T, s *script.Script, runs []gorun.Ran) {
	t.Helper()
	rep, err := script.Explore(t.Context(), s, script.Options{MaxSchedules: 20_000})
	require.NoError(t, err)
	races, deadlock := map[string]bool{}, false
	for _, r := range runs {
		for _, f := range r.Found {
			switch f.Kind {
			case "race":
				races[raceKey(f.Missing, f.Rule, f.Lines)] = true
			case "deadlock", "mismatch":
				deadlock = true
			case "error":
				assert.NotEmpty(t, rep.Failures, f.Text)
			default:
				t.Errorf("seed %d: %s: %s", r.Seed, f.Kind, f.Text)
			}
		}
	}
	for _, r := range rep.Races {
		key := raceKey(string(r.Missing), r.Rule, []int{r.A.Place.Line, r.B.Place.Line})
		if !races[key] && rep.Deadlock == nil {
			t.Logf("%s is not found under these seeds", key)
		}
	}
	assert.Equal(t, len(rep.Races) > 0, len(races) > 0, "races %v", races)
	for key := range races {
		assert.True(t, slices.ContainsFunc(rep.Races, func(r *consistency.RaceError) bool {
			return raceKey(string(r.Missing), r.Rule, []int{r.A.Place.Line, r.B.Place.Line}) == key
		}), "the script has no race %s", key)
	}
	assert.Equal(t, rep.Deadlock != nil, deadlock)
}

// raceKey names a race by its lines: of all ranks that run two lines a run reports one pair.
func raceKey(missing, rule string, lines []int) string {
	return fmt.Sprint(missing, " ", rule, " ", min(lines[0], lines[1]), " ", max(lines[0], lines[1]))
}

// If a statement of the language had no form in C or Go, a script that uses it would be
// refused; if the script of all statements did not have it, no test would show that.
func TestAllStatements(t *testing.T) {
	text, err := os.ReadFile("testdata/all.mpio")
	require.NoError(t, err)
	for _, form := range script.Statements() {
		name, _, _ := strings.Cut(form, " ")
		if strings.HasSuffix(name, "_begin") || strings.HasSuffix(name, "_end") || !regexp.MustCompile(`\b`+name+`\b`).Match(text) {
			short := "ranks 2\nall: open h f rdwr|create\n" + statement(name) + "\nall: close h\n"
			s, err := script.Parse(short)
			require.NoError(t, err, short)
			for _, write := range []func(*script.Script, export.Options) (string, error){export.C, export.Go} {
				out, err := write(s, export.Options{})
				if assert.NoError(t, err, name) {
					assert.NotEmpty(t, out)
				}
			}
		}
	}
}

// statement is one of the accesses with every argument, for all ranks.
func statement(name string) string {
	base, end := strings.CutSuffix(name, "_end")
	base, begin := strings.CutSuffix(base, "_begin")
	args := " h"
	if strings.Contains(base, "_at") {
		args += " 0"
	}
	if strings.Contains(base, "read") {
		args += " byte*1 -> x"
	} else {
		args += " byte 1"
	}
	switch {
	case strings.HasPrefix(base, "i"):
		return "all: " + base + args + " as q\n  wait q"
	case begin || end:
		return "all: " + base + "_begin" + args + "\n  " + base + "_end h"
	}
	return "all: " + base + args
}

// A statement that cannot be written in a language is refused, with its line.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"ranks 1\nall: open h f rdwr|create\n  write_at h 0 logical2 1\n  close h":                               "line 3: MPI_LOGICAL2 has no C type that all MPI libraries share; use another datatype",
		"ranks 2\n0: scatter 0 int 1 2 3\n1: scatter 0 int*1 -> x":                                               "line 2: 3 copies are not a whole number of blocks for 2 ranks",
		"ranks 1\nall: open h f rdwr|create\n  view h 0 byte resized(contiguous(3000000000, byte), 0, 9) native": "line 3: 3000000000 does not fit C's int in contiguous(3000000000, byte)",
	} {
		s, err := script.Parse(text)
		require.NoError(t, err, text)
		_, err = export.C(s, export.Options{})
		var refused *export.Error
		require.ErrorAs(t, err, &refused, text)
		assert.EqualError(t, err, want)
	}
}

// Text that a reduction sends is written where it is used; no array is declared for it.
func TestReducedText(t *testing.T) {
	s, err := script.Parse("ranks 2\nall:\n  reduce bor 0 byte \"ab\" -> x\n  allreduce band byte \"cd\" -> y")
	require.NoError(t, err)
	text, err := export.C(s, export.Options{})
	require.NoError(t, err)
	assert.Contains(t, text, `MPI_Reduce("ab", x, 2, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD)`)
	assert.Contains(t, text, `MPI_Allreduce("cd", y, 2, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD)`)
}
