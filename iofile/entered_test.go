package iofile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// TestEntered limits how many functions a collective write of 8 bytes enters, in this package
// and in all packages of the module: so many have to be read by anyone who wants to know what
// the call does. The first access through a handle checks what later ones like it need not.
func TestEntered(t *testing.T) {
	thorough.Only(t) // it builds all packages with coverage counters
	program := filepath.Join(t.TempDir(), "entered")
	goTool(t, "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", program, "./iofile/testdata/entered")
	for _, c := range []struct {
		name, before string
		here, module int
	}{
		{"first", "0", 58, 225},
		{"again", "1", 40, 165},
	} {
		dir := t.TempDir()
		run := exec.Command(program, dir, c.before)
		run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		here, module := entered(goTool(t, "tool", "covdata", "func", "-i", dir))
		t.Logf("%s WriteAtAll of 8 bytes: %d functions of iofile, %d of the module", c.name, len(here), len(module))
		if len(here) > c.here {
			t.Errorf("%s WriteAtAll enters %d functions of iofile, more than %d:\n%s", c.name, len(here), c.here, strings.Join(here, "\n"))
		}
		if len(module) > c.module {
			t.Errorf("%s WriteAtAll enters %d functions of the module, more than %d:\n%s", c.name, len(module), c.module, strings.Join(module, "\n"))
		}
		if len(here) < 10 || len(module) < 2*len(here) {
			t.Errorf("%s WriteAtAll enters only %d functions of iofile and %d of the module: the counters are not those of the call", c.name, len(here), len(module))
		}
	}
}

// entered returns the functions of package iofile, and of all packages of the module, that
// a table of covdata names as entered.
func entered(table string) (here, module []string) {
	const path = "github.com/commworld/commworld/"
	for line := range strings.Lines(table) {
		w := strings.Fields(line) // place, function, share of its statements
		if len(w) != 3 || w[2] == "0.0%" || !strings.HasPrefix(w[0], path) || strings.Contains(w[0], "/testdata/") {
			continue
		}
		name := strings.TrimPrefix(w[0], path) + " " + w[1]
		module = append(module, name)
		if file, ok := strings.CutPrefix(name, "iofile/"); ok && !strings.Contains(file, "/") {
			here = append(here, name)
		}
	}
	return here, module
}

// goTool runs the go command in the module's root and returns what it prints.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = ".."
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, problems.String())
	}
	return string(out)
}
