package mpi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/commworld/commworld/world/mpi"
)

// examples lists the programs of the module. Those that use features of a world in one
// process are refused, with the reason.
var examples = []struct {
	name    string
	ranks   int
	refused string
}{
	{"quickstart", 4, ""},
	{"netcdf", 4, ""},                        // of four ranks, one has nothing to write
	{"datarep", 2, "data conversion failed"}, // no library here calls conversion functions of the program
	{"deadlock", 4, ""},
	{"levels", 4, ""},
	{"trace", 3, "Seed or Replay"},
	{"unlike", 4, "Arch needs the ranks in one process"},
	{"atomic", 2, "Seed or Replay"},
	{"stale", 2, "Seed or Replay"},
	{"syncbarriersync", 2, "Seed or Replay"},
	{"wildcard", 3, "Explore needs the ranks in one process"},
}

// build builds an example; with the engine linked in, it stays in the job until main
// ends, and only the first rank prints.
func build(t *testing.T, name string, engine bool) string {
	t.Helper()
	source, err := filepath.Abs("../../examples/" + name + "/main.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{source: filepath.Join(dir, "main.go")}
	if engine {
		text = bytes.Replace(text, []byte("func main() {"), []byte("func program() {"), 1)
		extra := filepath.Join(dir, "engine.go")
		replace[filepath.Join(filepath.Dir(source), "engine.go")] = extra
		write(t, extra, `package main

import (
	"os"

	"github.com/commworld/commworld/world/mpi"
)

func main() {
	defer mpi.Hold()()
	if os.Getenv("PMI_RANK") > "0" || os.Getenv("OMPI_COMM_WORLD_RANK") > "0" {
		os.Stdout, _ = os.Open(os.DevNull)
	}
	program()
}
`)
	}
	write(t, replace[source], string(text))
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, name)
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program}
	if strings.HasPrefix(mpi.Library(), "Open MPI") {
		args = append(args, "-tags", "openmpi")
	}
	out, err := exec.Command("go", append(args, "github.com/commworld/commworld/examples/"+name)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestExamples runs every example in one process and on the library: their output, which
// contains the bytes of their files or a sum of them, is the same.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds every example")
	}
	for _, x := range examples {
		if x.name == "deadlock" {
			continue // it demonstrates a deadlock, so on a library it does not end
		}
		t.Run(x.name, func(t *testing.T) {
			line := launcher(t, x.ranks)
			cmd := exec.CommandContext(t.Context(), line[0], append(line[1:], build(t, x.name, true), "-ranks", strconv.Itoa(x.ranks))...)
			cmd.Env = environment("COMMWORLD_ENGINE=mpi")
			var out, complaints bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaints
			err := cmd.Run()
			all := out.String() + complaints.String()
			if x.refused != "" {
				if !strings.Contains(all, x.refused) {
					t.Errorf("not refused: %q\n%s", x.refused, all)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, all)
			}
			want, err := exec.Command(build(t, x.name, false), "-ranks", strconv.Itoa(x.ranks)).CombinedOutput()
			if err != nil {
				t.Fatalf("in one process: %v\n%s", err, want)
			}
			if x.name == "levels" { // it prints requests, which a library does not count
				if lines := strings.Count(out.String(), "\n"); lines != strings.Count(string(want), "\n") {
					t.Errorf("on %s:\n%s", mpi.Library(), &out)
				}
				return
			}
			if len(want) == 0 || out.String() != string(want) {
				t.Errorf("on %s:\n%s\nin one process:\n%s", mpi.Library(), &out, want)
			}
		})
	}
}
