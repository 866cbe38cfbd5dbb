//go:build linux

package recorder_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/internal/rerun"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/teach/suite"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/c/internal/recorder"
)

// A library is an MPI library of this machine, with a recorder for it.
type library struct {
	name, cc string
	run      []string
	recorder string
}

// tools are the commands of this module that the tests need.
type tools struct{ rec, cc, run string }

// shared is the folder of what tests make once.
var shared string

func TestMain(m *testing.M) {
	var err error
	if shared, err = os.MkdirTemp("", "recorder-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(shared)
	os.Exit(code)
}

// makeOnce makes a file of that name once, and returns its path.
func makeOnce(t *testing.T, name string, do func(path string) error) string {
	t.Helper()
	path := filepath.Join(shared, name)
	if _, err := os.Stat(path); err != nil {
		require.NoError(t, do(path))
	}
	return path
}

// commands returns the commands.
func commands(t *testing.T, more ...string) (k tools) {
	t.Helper()
	for _, name := range append(more, "commworldrec") {
		path := makeOnce(t, name, func(path string) error {
			out, err := exec.Command("go", "build", "-o", path, "../../cmd/"+name).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
		switch name {
		case "commworldrec":
			k.rec = path
		case "commworldcc":
			k.cc = path
		case "commworldrun":
			k.run = path
		}
	}
	return k
}

// libraries returns the libraries of this machine. Without one the test is skipped.
func libraries(t *testing.T) (all []library) {
	t.Helper()
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	for _, l := range []library{
		{name: "MPICH", cc: "mpicc.mpich", run: []string{"mpirun.mpich"}},
		{name: "Open MPI", cc: "mpicc.openmpi", run: []string{"mpirun.openmpi", "--oversubscribe"}},
	} {
		if _, err := exec.LookPath(l.cc); err != nil {
			t.Logf("NOT TESTED with %s: %v", l.name, err)
			continue
		}
		l.recorder = makeOnce(t, l.cc+".so", func(path string) error { return recorder.Build(l.cc, path) })
		all = append(all, l)
	}
	if len(all) == 0 {
		t.Skip("SKIPPED: neither MPICH nor Open MPI is installed, so nothing can be recorded")
	}
	return all
}

// record compiles and runs a program, and returns the folder of its recording.
func (l *library) record(t *testing.T, k tools, source string, ranks int, limit time.Duration) string {
	t.Helper()
	return l.recordIn(t, k, t.TempDir(), source, ranks, limit)
}

// recordIn is record in a folder.
func (l *library) recordIn(t *testing.T, k tools, dir, source string, ranks int, limit time.Duration) string {
	t.Helper()
	file, prog := filepath.Join(dir, "prog.c"), filepath.Join(dir, "prog")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	out, err := exec.Command(l.cc, "-g", "-w", "-o", prog, file, "-lm").CombinedOutput()
	require.NoError(t, err, string(out))
	trace := filepath.Join(dir, "trace")
	ctx, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	args := append(slices.Clone(l.run[1:]), "-n", fmt.Sprint(ranks), k.rec, "--lib", l.recorder, "-o", trace, prog)
	cmd := exec.CommandContext(ctx, l.run[0], args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	go endHung(ctx, stop, trace)
	out, _ = cmd.CombinedOutput() // a wrong program may fail
	if testing.Verbose() && bytes.Contains(out, []byte("commworldrec:")) {
		t.Log(string(out))
	}
	return trace
}

// endHung ends a job that cannot go on: twice in a row, its recording has all ranks in calls that
// wait for each other.
func endHung(ctx context.Context, stop func(), trace string) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for was := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		calls := int64(0)
		if tr, err := recording.Open(trace); err == nil && tr.Absent == 0 {
			if res, err := rerun.Run(ctx, tr, rerun.Options{}); err == nil && res.Hung {
				calls = res.Calls
			}
		}
		if calls > 0 && calls == was {
			stop()
		}
		was = calls
	}
}

// judge returns the verdict on a recording.
func judge(t *testing.T, dir string) *rerun.Result {
	t.Helper()
	tr, err := recording.Open(dir)
	require.NoError(t, err)
	res, err := rerun.Run(t.Context(), tr, rerun.Options{})
	require.NoError(t, err)
	return res
}

// inProcess returns the findings of a run by commworldrun in a folder.
func inProcess(t *testing.T, k tools, dir, source string, ranks int) (all []world.Finding) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prog.c"), []byte(source), 0o644))
	cmd := exec.Command(k.cc, "-w", "-o", "prog.so", "prog.c", "-lm")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	cmd = exec.Command(k.run, "-n", fmt.Sprint(ranks), "--cached", "--json", "-o", "found.json", "prog.so")
	cmd.Dir = dir
	_ = cmd.Run()
	return readFindings(t, filepath.Join(dir, "found.json"))
}

// readFindings reads what commworldrun has written.
func readFindings(t *testing.T, name string) (all []world.Finding) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var report findings.Report
	require.NoError(t, json.Unmarshal(text, &report))
	for _, f := range report.Findings {
		all = append(all, f.Finding)
	}
	return all
}

// verdict returns what is compared: kinds, rules and lines.
func verdict(all []world.Finding) string {
	var list []string
	for _, f := range relevant(all) {
		text := fmt.Sprintf("%s %s %s", f.Kind, f.Rule, strings.ReplaceAll(strings.Trim(verdictLines(f), "[]"), " ", ","))
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// relevant leaves out a status that is not 0, which a program returns when it finds wrong values.
func relevant(all []world.Finding) []world.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f world.Finding) bool {
		return f.Kind == world.KindError && f.Rule == "" && f.Class == ""
	})
}

func linesOf(f world.Finding) (lines []int) {
	for _, p := range f.Places {
		lines = append(lines, p.Line)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func verdictLines(f world.Finding) string { return fmt.Sprint(linesOf(f)) }

// alike reports whether findings have one kind and rule. That a file is not there has a rule of
// its own for files in folders, as those in this process are.
func alike(a, b world.Finding) bool {
	missing := func(f world.Finding) bool { return f.Rule == "IO-NAME-01" || f.Rule == "IO-AMODE-04" }
	return a.Kind == b.Kind && (a.Rule == b.Rule || a.Class == b.Class && missing(a) && missing(b))
}

// split returns the findings that are not aborts, and the first abort.
func split(all []world.Finding) (left []world.Finding, abort *world.Finding) {
	for _, f := range relevant(all) {
		switch {
		case f.Kind != world.KindAbort:
			left = append(left, f)
		case abort == nil:
			abort = &f
		}
	}
	return left, abort
}

// callerLine returns the line that called the function with a finding.
func callerLine(f *world.Finding) int {
	if p := f.Places[0].Caller; p != nil {
		return p.Line
	}
	return 0
}

// noted reports whether a note has a text.
func noted(res *rerun.Result, text string) bool {
	return slices.ContainsFunc(res.Notes, func(n string) bool { return strings.Contains(n, text) })
}

// The classes of differences that a recording cannot avoid.
const (
	same       = "same"
	more       = "with the lines of ranks that the abort of another one ended in this process"
	forgiven   = "the library of the job forgave the call, so the program did not abort" // and went on: what it did then is judged, too
	reported   = "the call that failed is reported, and not only the abort that follows"
	killed     = "other ranks were killed before they made the call, so why it failed is not known"
	status     = "in this process the program finds wrong values and returns a status, which hides what it left open"
	refused    = "the library of the job refused what the standard allows, so the program aborted there"
	shownInJob = "the mistake did not show in this process: a test or a receive went another way in the job"
	streams    = "files opened MPI_MODE_SEQUENTIAL are not judged"
)

// difference returns the class of the difference between the verdicts in this process and on a
// recording; it is empty if the difference has no class. mistake is the kind of the program's
// mistake, empty if it has none.
func difference(process []world.Finding, res *rerun.Result, mistake string) string {
	if verdict(process) == verdict(res.Findings) {
		return same
	}
	want, wantAbort := split(process)
	got, gotAbort := split(res.Findings)
	all := func(list []world.Finding, is func(world.Finding) bool) bool {
		return !slices.ContainsFunc(list, func(f world.Finding) bool { return !is(f) })
	}
	if len(want) == 0 && len(process) > 0 && wantAbort == nil && all(got, func(f world.Finding) bool { return f.Kind == world.KindLeak }) {
		return status
	}
	if len(process) == 0 && len(got) == 0 && gotAbort != nil && noted(res, fmt.Sprintf("prog.c:%d failed in the job and not here", callerLine(gotAbort))) {
		return refused
	}
	if len(process) == 0 && len(got) > 0 && gotAbort == nil && all(got, func(f world.Finding) bool { return string(f.Kind) == mistake }) {
		return shownInJob
	}
	if wantAbort == nil {
		return "" // only where the program ends at once may a recording have more
	}
	covers := func(f world.Finding, in []world.Finding) bool {
		return slices.ContainsFunc(in, func(o world.Finding) bool {
			return alike(o, f)
		})
	}
	shown := func(f world.Finding) bool { // with the lines, and perhaps those of ranks that the abort ended
		return slices.ContainsFunc(got, func(o world.Finding) bool {
			lines := linesOf(o)
			return alike(o, f) && !slices.ContainsFunc(linesOf(f), func(l int) bool { return !slices.Contains(lines, l) })
		})
	}
	failed := callerLine(wantAbort) // the call after which the program aborts
	unknown := func(f world.Finding) bool {
		return f.Kind == world.KindError && f.Rule == "" && (slices.Equal(linesOf(f), []int{failed}) ||
			slices.ContainsFunc(want, func(o world.Finding) bool { return verdictLines(o) == verdictLines(f) }))
	}
	switch {
	case len(got) == 0 && noted(res, "Sequential"):
		return streams
	case len(want) == 0 && len(got) > 0 && all(got, func(f world.Finding) bool { return slices.Contains(linesOf(f), failed) }):
		return reported
	case len(want) > 0 && len(got) > 0 && all(got, unknown):
		return killed
	case len(want) > 0 && all(want, shown) && all(got, func(f world.Finding) bool { return covers(f, want) }):
		if gotAbort != nil {
			return more
		}
		return forgiven
	}
	return ""
}

// The verdict on a recording of each C program of the bug suite is that of a run in this process.
// SUITE names the pairs to compare, or is all; without it there are few. SUITE_KEEP names a folder that keeps programs and
// recordings, so that a second test only judges them.
func TestSuite(t *testing.T) {
	var names []string
	switch only := os.Getenv("SUITE"); only {
	case "":
		thorough.Only(t)
		names = []string{"at-all-against-all", "deleted-by-all", "gather-skipped"}
	case "all":
		names = suite.Names()
	default:
		names = strings.Fields(only)
	}
	libs, k := libraries(t), commands(t, "commworldcc", "commworldrun")
	keep := os.Getenv("SUITE_KEEP")
	if keep == "" {
		keep = t.TempDir()
	}
	folder := func(words ...string) (dir string, made bool) {
		dir = filepath.Join(keep, strings.ReplaceAll(strings.Join(words, "."), " ", ""))
		_, err := os.Stat(dir)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		return dir, err == nil
	}
	classes := map[string]int{}
	for _, name := range names {
		label, _ := suite.LabelOf(name)
		for _, half := range []string{suite.Bad, suite.Clean} {
			source, err := suite.Program(name, half, suite.C)
			require.NoError(t, err)
			var found []world.Finding
			if dir, made := folder(name, half, "process"); made {
				found = readFindings(t, filepath.Join(dir, "found.json"))
			} else {
				found = inProcess(t, k, dir, source, label.Ranks)
			}
			for _, l := range libs {
				dir, made := folder(name, half, l.name)
				if _, err := os.Stat(filepath.Join(dir, "trace", "rank.0")); !made || err != nil {
					l.recordIn(t, k, dir, source, label.Ranks, time.Minute)
				}
				res := judge(t, filepath.Join(dir, "trace"))
				mistake := ""
				if half == suite.Bad {
					mistake = string(label.Kind)
				}
				class := difference(found, res, mistake)
				classes[class]++
				assert.NotEmpty(t, class, "%s/%s on %s, %s: in this process %s; on the recording %s; notes: %s",
					name, half, l.name, label.Kind, verdict(found), verdict(res.Findings), res.Notes)
			}
		}
	}
	for class, n := range classes {
		t.Logf("%d verdicts: %s", n, cmp.Or(class, "differ"))
	}
}
