//go:build linux

package recorder_test

import (
	"bytes"
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
	dir := t.TempDir()
	file, prog := filepath.Join(dir, "prog.c"), filepath.Join(dir, "prog")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	out, err := exec.Command(l.cc, "-g", "-O1", "-w", "-o", prog, file, "-lm").CombinedOutput()
	require.NoError(t, err, string(out))
	ctx, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	args := append(slices.Clone(l.run[1:]), "-n", fmt.Sprint(ranks), k.rec, "--lib", l.recorder, "-o", filepath.Join(dir, "trace"), prog)
	cmd := exec.CommandContext(ctx, l.run[0], args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	out, _ = cmd.CombinedOutput() // a wrong program may fail
	if testing.Verbose() && bytes.Contains(out, []byte("commworldrec:")) {
		t.Log(string(out))
	}
	return filepath.Join(dir, "trace")
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

// inProcess returns the findings of a run by commworldrun.
func inProcess(t *testing.T, k tools, source string, ranks int) (all []world.Finding) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prog.c"), []byte(source), 0o644))
	cmd := exec.Command(k.cc, "-w", "-o", "prog.so", "prog.c", "-lm")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	cmd = exec.Command(k.run, "-n", fmt.Sprint(ranks), "--cached", "--json", "-o", "found.json", "prog.so")
	cmd.Dir = dir
	_ = cmd.Run()
	text, err := os.ReadFile(filepath.Join(dir, "found.json"))
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
	for _, f := range all {
		if f.Kind == world.KindError && f.Rule == "" && f.Class == "" {
			continue // a status that is not 0, which the program returns when it finds wrong values
		}
		var lines []string
		for _, p := range f.Places {
			lines = append(lines, fmt.Sprint(p.Line))
		}
		slices.Sort(lines)
		text := fmt.Sprintf("%s %s %s", f.Kind, f.Rule, strings.Join(slices.Compact(lines), ","))
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// The verdict on a recording of each C program of the bug suite is that of a run in this process.
// SUITE names the pairs to compare, or is all.
func TestSuite(t *testing.T) {
	only := os.Getenv("SUITE")
	if only == "" {
		t.Skip("SKIPPED: takes about an hour: SUITE=all, or the names of pairs, selects it")
	}
	names := suite.Names()
	if only != "all" {
		names = strings.Fields(only)
	}
	libs, k := libraries(t), commands(t, "commworldcc", "commworldrun")
	for _, name := range names {
		label, _ := suite.LabelOf(name)
		for _, half := range []string{suite.Bad, suite.Clean} {
			source, err := suite.Program(name, half, suite.C)
			require.NoError(t, err)
			want := verdict(inProcess(t, k, source, label.Ranks))
			for _, l := range libs {
				res := judge(t, l.record(t, k, source, label.Ranks, 5*time.Second))
				assert.Equal(t, want, verdict(res.Findings), "%s/%s on %s, %s; notes: %s", name, half, l.name, label.Kind, res.Notes)
			}
		}
	}
}
