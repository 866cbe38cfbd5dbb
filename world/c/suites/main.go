// Command suites compiles and runs tests of others with commworldcc and commworldrun, which
// must be in PATH, and prints a table of scores:
//
//	go run ./suites --src mpich-4.0.2/test/mpi io errors/io datatype
//
// It knows a suite by its files:
//
//   - MPICH's tests, test/mpi, also in Fortran (f77/io, f90/io, f08/io and others, which need
//     commworldfort and perl), and ROMIO's, src/mpi/romio/test: apt-get source mpich
//   - mpi-test-suite, configured with commworldcc and made; mpi-io-examples
//   - PnetCDF and HDF5, configured with commworldcc, and their tests made
//   - with --labelled, programs that are known to be right or wrong: the MPI Bugs Initiative,
//     MPI-BugBench, MPI-CorrBench, and any other whose sources have headers as the first has
//   - any other directory of programs: those that commworldcc has made, or C files with a main
//
// Nothing of them is part of this module, and nothing is written below their directory. A
// test passes if it says so, or if it says nothing by its exit status; how many of those that
// pass have races is a number of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

type command struct {
	Src      string        `required:"" placeholder:"DIR" help:"Directory of the tests."`
	Dirs     []string      `arg:"" optional:"" help:"Directories of tests below it; without any, those that need no processes and no windows."`
	Only     string        `placeholder:"NAME" help:"Run the tests of this name alone."`
	Model    string        `default:"weakest" placeholder:"MODEL" help:"As of commworldrun, ${default}."`
	Flags    []string      `placeholder:"FLAG" help:"More flags of commworldrun."`
	Memory   float64       `default:"2" placeholder:"GB" help:"Leave out tests that need more, ${default}."`
	Timeout  time.Duration `default:"1m" placeholder:"TIME" help:"Longest time of one run, ${default}."`
	Labelled bool          `help:"The programs are known to be right or wrong: count which are reported."`
	Jobs     int           `short:"j" default:"1" placeholder:"N" help:"Labelled programs to run at once, ${default}."`
	Verbose  bool          `short:"v" help:"Print all that failed tests have printed."`
}

var usual = []string{
	"io", "errors/io", "datatype", "pt2pt", "coll", "part", "comm", "attr", "group", "info", "topo", "errhan", "init", "mpi_t",
	"errors/attr", "errors/coll", "errors/comm", "errors/datatype", "errors/group", "errors/pt2pt", "errors/topo",
}

func main() {
	var cmd command
	kong.Parse(&cmd, kong.Name("suites"), kong.Description("Run tests of others on commworld."))
	if err := cmd.run(); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

// A verdict is what a run of a test came to.
type verdict string

const (
	pass    verdict = "pass"
	fail    verdict = "fail"
	build   verdict = "not compiled"
	skipped verdict = "skipped"
)

// A score counts the runs of a directory.
type score struct {
	runs, races int
	by          map[verdict]int
}

func (cmd *command) run() error {
	src, err := filepath.Abs(cmd.Src)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "commworld-suites-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	s := &suite{command: cmd, src: src, work: work}
	if cmd.Labelled {
		return s.labelled()
	}
	dirs, play := cmd.Dirs, s.dir
	others, ok, err := cmd.others(src)
	switch {
	case err != nil:
		return err
	case ok:
		dirs = slices.Sorted(maps.Keys(others))
		play = func(dir string) (score, error) { return s.play(dir, others[dir]) }
	default:
		if err := s.prepare(); err != nil {
			return err
		}
		if len(dirs) == 0 {
			dirs = usual
		}
	}
	var table strings.Builder
	for _, dir := range dirs {
		n, err := play(dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %d |\n", dir, n.runs, n.by[pass], n.races, n.by[fail], n.by[build], n.by[skipped])
	}
	fmt.Printf("\n| tests | runs | pass | of these with races | fail | not compiled | skipped |\n|---|---|---|---|---|---|---|\n%s", table.String())
	return nil
}

// A suite is the sources, and where programs are made of them.
type suite struct {
	*command
	src, work string
	objects   []string         // of what all tests are linked with
	made      map[string]error // programs, by path
}

const config = `#define HAVE_UNISTD_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_LIMITS_H 1
#define HAVE_MEMSET 1
#define HAVE_STRDUP 1
#define HAVE_USLEEP 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_DOUBLE 1
#define HAVE__BOOL 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_MPI_IO 1
#define HAVE_MPI_INTEGER16 1
#define MPIO_USES_MPI_REQUEST 1
#define USE_STRICT_MPI 1
#define POINTERINT_t long
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_MPI_OFFSET 8
#define SIZEOF_VOID_P 8
#define STDC_HEADERS 1
#define THREAD_PACKAGE_POSIX 1
#define THREAD_PACKAGE_INVALID 0
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define HAVE_PTHREAD_H 1
#define STDCALL
`

// prepare writes what configure would, and compiles what tests share.
func (s *suite) prepare() error {
	s.made = map[string]error{}
	if err := os.Mkdir(filepath.Join(s.work, "include"), 0o755); err != nil { // from which ../dtpoolsconf.h is found
		return err
	}
	for _, name := range []string{"mpitestconf.h", "dtpoolsconf.h"} {
		if err := os.WriteFile(filepath.Join(s.work, name), []byte(config+mangled), 0o644); err != nil {
			return err
		}
	}
	shared, err := filepath.Glob(filepath.Join(s.src, "dtpools/src/*.c"))
	if err != nil {
		return err
	}
	for _, name := range []string{"mtest.c", "mtest_common.c", "mtest_single.c", "dtypes.c"} {
		shared = append(shared, filepath.Join(s.src, "util", name))
	}
	for _, source := range shared {
		object := filepath.Join(s.work, filepath.Base(source)+".o")
		if err := s.compile("-c", source, "-o", object); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		s.objects = append(s.objects, object)
	}
	return nil
}

func (s *suite) compile(args ...string) error {
	args = append([]string{"-w", "-O1", "-I" + s.work, "-I" + s.work + "/include", "-I" + s.src + "/include", "-I" + s.src + "/util", "-I" + s.src + "/dtpools/include"}, args...)
	out, err := exec.Command("commworldcc", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// A test is a line of a list.
type test struct {
	name   string
	ranks  string
	args   []string
	memory float64
	result string
	xfail  string
}

var marks = regexp.MustCompile(`^@\w+@`)

func parse(line string) (t test, ok bool) {
	words := strings.Fields(marks.ReplaceAllString(line, ""))
	if len(words) < 2 || strings.HasPrefix(words[0], "#") {
		return t, false
	}
	t.name, t.ranks = words[0], words[1]
	for _, w := range words[2:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "arg":
			t.args = append(t.args, value)
		case "mem":
			t.memory, _ = strconv.ParseFloat(value, 64)
		case "resultTest":
			t.result = value
		case "xfail":
			t.xfail = value
		}
	}
	return t, true
}

// dir runs the tests of a directory and prints those that did not pass.
func (s *suite) dir(dir string) (n score, err error) {
	n.by = map[verdict]int{}
	list, err := s.first(dir, "testlist.in", "testlist", "testlist.ap")
	if err != nil {
		return n, err
	}
	makefile, err := s.first(dir, "Makefile.am", "Makefile.ap")
	if err != nil {
		return n, err
	}
	for line := range strings.Lines(string(list)) {
		t, ok := parse(line)
		if !ok || s.Only != "" && s.Only != t.name {
			continue
		}
		n.runs++
		v, races, why := s.test(dir, string(makefile), t)
		n.by[v]++
		if v == pass && races {
			n.races++
		}
		if v != pass {
			if t.xfail != "" {
				why = "(expected to fail with MPICH, too) " + why
			}
			fmt.Printf("%-12s %s/%s -n %s %s: %s\n", v, dir, t.name, t.ranks, strings.Join(t.args, " "), why)
		}
	}
	return n, nil
}

// first returns the text of the first file of a directory that exists.
func (s *suite) first(dir string, names ...string) (text []byte, err error) {
	for _, name := range names {
		if text, err = os.ReadFile(filepath.Join(s.src, dir, name)); err == nil {
			return text, nil
		}
	}
	return nil, err
}

func (s *suite) test(dir, makefile string, t test) (v verdict, races bool, why string) {
	if t.memory > s.Memory {
		return skipped, false, fmt.Sprintf("needs %g GB", t.memory)
	}
	program := filepath.Join(s.work, strings.ReplaceAll(dir, "/", "-")+"-"+t.name+".so")
	failed, ok := s.made[program]
	if !ok {
		failed = s.build(dir, makefile, t.name, program)
		s.made[program] = failed
	}
	if failed != nil {
		return build, false, s.brief(failed.Error())
	}
	place, err := os.MkdirTemp(s.work, "run-")
	if err != nil {
		return fail, false, err.Error()
	}
	text, status, err := s.execute(place, t.ranks, program, t.args)
	switch {
	case err != nil:
		return fail, false, err.Error()
	case judge(t, text, status):
		return pass, status == 3, ""
	}
	return fail, false, fmt.Sprintf("status %d: %s", status, s.brief(text))
}

// execute runs a program in a directory, as long as a test may take, and returns its output
// and exit status.
func (s *suite) execute(place, ranks, program string, args []string) (text string, status int, err error) {
	ctx, stop := context.WithTimeout(context.Background(), s.Timeout)
	defer stop()
	all := slices.Concat([]string{"-n", ranks, "--cached", "--model", s.Model}, s.Flags, []string{program}, args)
	run := exec.CommandContext(ctx, "commworldrun", all...)
	run.Dir = place
	run.WaitDelay = time.Second
	output, err := run.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", 0, fmt.Errorf("longer than %v", s.Timeout)
	case err != nil && !errors.As(err, new(*exec.ExitError)):
		return "", 0, err
	}
	return string(output), run.ProcessState.ExitCode(), nil
}

// judge reports whether a test passed: its output says so, or it was to fail.
func judge(t test, text string, status int) bool {
	switch t.result {
	case "TestErrFatal", "TestStatus":
		return status != 0
	}
	return strings.Contains(strings.ToLower(text), "no errors") && !strings.Contains(text, "panic:") && (status == 0 || status == 3)
}

// brief returns the first lines of an output, all of it if that is asked for.
func (s *suite) brief(text string) string {
	if s.Verbose {
		return "\n" + text
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = text[:300] + " ..."
	}
	return text
}

// build makes the program of a test of the sources and with the flags that the makefile names.
func (s *suite) build(dir, makefile, name, program string) error {
	if l := languageOf(dir); l != "" {
		return s.buildFortran(dir, l, makefile, name, program)
	}
	sources := []string{name + ".c"}
	if m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `_SOURCES\s*=\s*(.*)$`).FindStringSubmatch(makefile); m != nil {
		sources = strings.Fields(m[1])
	}
	args := []string{"-I" + filepath.Join(s.src, dir)}
	if m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `_CPPFLAGS\s*=\s*(.*)$`).FindStringSubmatch(makefile); m != nil {
		for _, w := range strings.Fields(m[1]) {
			if strings.HasPrefix(w, "-D") {
				args = append(args, w)
			}
		}
	}
	for _, source := range sources {
		args = append(args, filepath.Join(s.src, dir, source))
	}
	args = append(args, s.objects...)
	return s.compile(append(args, "-lm", "-lpthread", "-o", program)...)
}
