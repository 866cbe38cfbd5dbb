package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A code is a program that is known to be right or wrong.
type code struct {
	path string // relative to the suite
	label
}

// A label says what is known about a program.
type label struct {
	wrong   bool
	kind    string // of its mistake; empty: none
	ranks   string
	refused string // what it needs that commworld does not have; empty: nothing
}

var (
	header    = regexp.MustCompile(`(?s)BEGIN_\w+_TESTS\s(.*?)END_\w+_TESTS`)
	processes = regexp.MustCompile(`mpirun\s+-np\s+(\d+)`)
	mistake   = regexp.MustCompile(`\|\s*ERROR:?\s*([\w-]+)`)
	correct   = regexp.MustCompile(`\|\s*OK\b`)
)

// needs lists what programs use and commworld does not have.
var needs = []struct {
	what  string
	found *regexp.Regexp
}{
	{"windows", regexp.MustCompile(`\bMPI_Win_\w+\s*\(`)},
	{"OpenMP", regexp.MustCompile(`#\s*(include\s*<omp\.h>|pragma\s+omp)`)},
}

// labelOf returns the label of a program: what the header of its source says, as in the MPI Bugs
// Initiative and in MPI-BugBench, or without one by its path, as in MPI-CorrBench: what is in a
// folder called correct is right, and else the name begins with the kind of the mistake.
func labelOf(path, source string) (l label, ok bool) {
	l.ranks = "2"
	for _, n := range needs {
		if n.found.MatchString(source) {
			l.refused = n.what
			break
		}
	}
	if text := header.FindStringSubmatch(source); text != nil {
		if m := processes.FindStringSubmatch(text[1]); m != nil {
			l.ranks = m[1]
		}
		if m := mistake.FindStringSubmatch(text[1]); m != nil {
			l.wrong, l.kind = true, m[1]
			return l, true
		}
		return l, correct.MatchString(text[1])
	}
	if !regexp.MustCompile(`\bmain\s*\(`).MatchString(source) {
		return l, false
	}
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "correct") {
		return l, true
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".c"), "-")
	l.wrong, l.kind = true, filepath.ToSlash(filepath.Join(filepath.Dir(path), name))
	return l, true
}

// codes returns the labelled programs below a directory, in the order of their paths.
func codes(src string, only []string) (all []code, err error) {
	if len(only) == 0 {
		only = []string{"."}
	}
	for _, dir := range only {
		err = filepath.WalkDir(filepath.Join(src, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".c" || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(src, path)
			if l, ok := labelOf(name, string(text)); ok {
				all = append(all, code{name, l})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b code) int { return cmp.Compare(a.path, b.path) })
	return all, nil
}

// A tally counts what became of programs of a kind.
type tally struct{ found, missed, clean, accused, refused, failed int }

func (n *tally) add(m tally) {
	n.found, n.missed, n.clean, n.accused = n.found+m.found, n.missed+m.missed, n.clean+m.clean, n.accused+m.accused
	n.refused, n.failed = n.refused+m.refused, n.failed+m.failed
}

// labelled runs programs whose labels are known and prints the wrong ones that are not
// reported, the right ones that are, and a table.
func (s *suite) labelled() error {
	all, err := codes(s.src, s.Dirs)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no labelled programs", s.src)
	}
	var mu sync.Mutex
	var running sync.WaitGroup
	kinds := map[string]*tally{}
	next := make(chan code)
	for range max(s.Jobs, 1) {
		running.Go(func() {
			for c := range next {
				what, n, text := s.decide(c)
				mu.Lock()
				if kinds[c.kind] == nil {
					kinds[c.kind] = &tally{}
				}
				kinds[c.kind].add(n)
				if n.missed+n.accused+n.failed > 0 || s.Verbose {
					fmt.Printf("%-12s %s -n %s (%s): %s\n", what, c.path, c.ranks, cmp.Or(c.kind, "right"), text)
				}
				mu.Unlock()
			}
		})
	}
	for _, c := range all {
		if s.Only == "" || s.Only == strings.TrimSuffix(filepath.Base(c.path), ".c") {
			next <- c
		}
	}
	close(next)
	running.Wait()
	var sum tally
	fmt.Print("\n| kind | wrong: found | missed | right: clean | accused | refused | not compiled, or no end |\n|---|---|---|---|---|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		sum.add(*kinds[kind])
		kinds[kind].print(cmp.Or(kind, "right"))
	}
	sum.print("all")
	return nil
}

func (n *tally) print(kind string) {
	fmt.Printf("| %s | %d | %d | %d | %d | %d | %d |\n", kind, n.found, n.missed, n.clean, n.accused, n.refused, n.failed)
}

// decide runs a program. It returns what became of it, in words and in numbers, and what was
// printed if that is not what its label says.
func (s *suite) decide(c code) (what string, n tally, text string) {
	if c.refused != "" {
		return "refused", tally{refused: 1}, ""
	}
	so, err := os.CreateTemp(s.work, "labelled-*.so")
	if err != nil {
		return "failed", tally{failed: 1}, err.Error()
	}
	so.Close()
	defer os.Remove(so.Name())
	place, err := os.MkdirTemp(s.work, "run-")
	if err != nil {
		return "failed", tally{failed: 1}, err.Error()
	}
	defer os.RemoveAll(place)
	args := []string{"-O0", "-DUSE_STRICT_MPI", filepath.Join(s.src, c.path), "-lm", "-lpthread", "-o", so.Name()}
	for dir := filepath.Dir(c.path); ; dir = filepath.Dir(dir) {
		args = append(args, "-I"+filepath.Join(s.src, dir), "-I"+filepath.Join(s.src, dir, "include"))
		if dir == "." {
			break
		}
	}
	if err := s.compile(args...); err != nil {
		return "failed", tally{failed: 1}, s.brief(err.Error())
	}
	out, status, err := s.execute(place, c.ranks, so.Name(), nil)
	switch {
	case err != nil:
		return "failed", tally{failed: 1}, err.Error()
	case c.wrong && status != 0:
		return "found", tally{found: 1}, ""
	case c.wrong:
		return "missed", tally{missed: 1}, s.brief(out)
	case status != 0:
		return "accused", tally{accused: 1}, fmt.Sprintf("status %d: %s", status, s.brief(out))
	}
	return "clean", tally{clean: 1}, ""
}
