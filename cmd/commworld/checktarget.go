package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// insteadOf says what to use for files that check cannot run, by their suffixes.
var insteadOf = []struct {
	suffixes []string
	text     string
}{
	{[]string{".c"}, "is a C program, which commworldrun checks (docs/c-programs.md): commworldcc FILE -o prog.so && commworldrun -n 2 prog.so"},
	{[]string{".cc", ".cpp", ".cxx", ".c++"}, "is a C++ program, which commworldrun checks (docs/c-programs.md): commworldcxx FILE -o prog.so && commworldrun -n 2 prog.so"},
	{[]string{".so"}, "is a library; if commworldcc made it of a C program, commworldrun checks that (docs/c-programs.md): commworldrun -n 2 FILE"},
	{[]string{".f", ".for", ".f90", ".f03", ".f08"}, "is a Fortran program, and commworld runs Go and scripts; " + otherLanguages},
	{[]string{".py"}, "is a Python program, and commworld runs Go and scripts; " + otherLanguages},
	{[]string{".darshan", ".dxt"}, "is a trace of a job; see what it costs: commworld replay FILE"},
	{[]string{".txt", ".csv", ".log"}, "is a text; if it is a trace of a job, see what it costs: commworld replay FILE"},
}

const otherLanguages = "record it on a cluster by commworldrec and check the recording (docs/traces.md), or write its file accesses as a script and check that (commworld run --help)"

// target returns an error for a target that is neither a package nor a script, with what to
// use for it.
func (c *checkCommand) target() error {
	info, err := os.Stat(c.Target)
	suffix := filepath.Ext(c.Target)
	if suffix == ".C" { // compilers take it for C++
		suffix = ".cc"
	}
	suffix = strings.ToLower(suffix)
	if suffix == ".mpio" || suffix == ".go" || c.Target == "-" || err == nil && info.IsDir() {
		return nil
	}
	for _, w := range insteadOf {
		if slices.Contains(w.suffixes, suffix) {
			return fmt.Errorf("%s %s", c.Target, strings.ReplaceAll(w.text, "FILE", c.Target))
		}
	}
	if err == nil {
		return fmt.Errorf("%s is a file that check cannot run: give a Go package, or a script FILE.mpio", c.Target)
	}
	if isFolder(c.Target) {
		return fmt.Errorf("%s: no such folder; give a Go package, a script FILE.mpio, or the folder of a recording (docs/traces.md)", c.Target)
	}
	return nil
}

// isFolder reports whether a target names a folder, and not the import path of a package: it is a
// path, or outside of a module a word that no import path is.
func isFolder(target string) bool {
	if strings.Contains(target, "...") || strings.Contains(target, "@") {
		return false
	}
	first, _, _ := strings.Cut(filepath.ToSlash(target), "/")
	if first == "." || first == ".." || filepath.IsAbs(target) {
		return true
	}
	return !strings.Contains(first, ".") && !inModule()
}

// inModule reports whether the working directory is in a Go module.
func inModule() bool {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return false
}
