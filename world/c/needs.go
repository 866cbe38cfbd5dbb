package c

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/commworld/commworld/world/c/internal/table"
)

// Needs is what a program and the libraries that it is linked with want of MPI.
type Needs struct {
	Missing     []string // functions that no library has
	Unsupported []string // functions that return MPI_ERR_UNSUPPORTED_OPERATION
	Foreign     []string // libraries of other implementations, with which it does not run here
}

var (
	// foreign matches the libraries of MPI that have another binary interface.
	foreign = regexp.MustCompile(`^lib(mpi|mpich|mpichcxx|mpicxx|mpi_cxx|mpifort|mpichfort|mpi_mpifh|mpi_usempi\w*|psmpi|smpi)\.so(\.|$)`)

	mpiName = regexp.MustCompile(`^(P?MPI_\w+|p?mpi_\w+_)$`)
)

// NeedsOf reads what an executable or a library wants of MPI, and what the libraries want that it
// needs, as far as they are found. Errors: those of a file that is not an executable or a library.
func NeedsOf(path string) (*Needs, error) {
	list, err := table.All()
	if err != nil {
		return nil, err
	}
	have := map[string]bool{} // whether a function is supported
	for _, f := range list {
		for _, prefix := range []string{"MPI_", "PMPI_"} {
			have[prefix+f.Name] = supported(f.Name)
			if f.Large != nil {
				have[prefix+f.Name+"_c"] = supported(f.Name)
			}
		}
	}
	w := &walk{seen: map[string]bool{}, wanted: map[string]bool{}, defined: map[string]bool{}}
	if err := w.object(path); err != nil {
		return nil, err
	}
	n := &Needs{Foreign: w.foreign}
	for name := range w.wanted {
		supported, known := have[name]
		switch {
		case w.defined[name]:
		case !known:
			n.Missing = append(n.Missing, name)
		case !supported:
			n.Unsupported = append(n.Unsupported, name)
		}
	}
	slices.Sort(n.Missing)
	slices.Sort(n.Unsupported)
	return n, nil
}

// Err returns an error if the program cannot run, which says what to do.
func (n *Needs) Err(path string) error {
	switch {
	case len(n.Foreign) > 0:
		return fmt.Errorf("%s needs %s, which has another binary interface than the standard ABI of MPI: compile the program with commworldcc, with commworldcc --processes, "+
			"or with the compiler of another implementation for that ABI (such as mpicc_abi)", path, strings.Join(n.Foreign, " and "))
	case len(n.Missing) > 0:
		const most = 5
		more := ""
		if len(n.Missing) > most {
			more = fmt.Sprintf(" and %d more", len(n.Missing)-most)
		}
		return fmt.Errorf("%s wants %s%s, which commworld does not have: commworldrun --missing %[1]s lists all", path, strings.Join(n.Missing[:min(most, len(n.Missing))], ", "), more)
	}
	return nil
}

// A walk goes through a program and what it is linked with.
type walk struct {
	seen            map[string]bool
	wanted, defined map[string]bool
	foreign         []string
}

func (w *walk) object(path string) error {
	if w.seen[path] {
		return nil
	}
	w.seen[path] = true
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return err
	}
	for _, s := range symbols {
		switch {
		case !mpiName.MatchString(s.Name):
		case s.Section == elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_WEAK:
			w.wanted[s.Name] = true
		case s.Section != elf.SHN_UNDEF:
			w.defined[s.Name] = true
		}
	}
	needed, _ := f.ImportedLibraries() // a static program has none
	for _, name := range needed {
		switch {
		case foreign.MatchString(name):
			if !slices.Contains(w.foreign, name) {
				w.foreign = append(w.foreign, name)
			}
		case strings.HasPrefix(name, "libmpi_abi.so"):
		default:
			if found := find(name, path, f); found != "" {
				_ = w.object(found) // the loader says what is wrong with it
			}
		}
	}
	return nil
}

// find returns the path of a library that an object needs, empty if it is not found.
func find(name, by string, f *elf.File) string {
	if strings.Contains(name, "/") {
		return name
	}
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		paths, _ := f.DynString(tag)
		for _, p := range paths {
			for dir := range strings.SplitSeq(p, ":") {
				origin := filepath.Dir(by)
				dirs = append(dirs, strings.NewReplacer("$ORIGIN", origin, "${ORIGIN}", origin).Replace(dir))
			}
		}
	}
	dirs = append(dirs, strings.Split(os.Getenv("LD_LIBRARY_PATH"), ":")...)
	for _, dir := range append(dirs, systemDirs()...) {
		if path := filepath.Join(dir, name); dir != "" && regular(path) {
			return path
		}
	}
	return ""
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeType == 0
}

// systemDirs returns where the loader looks for libraries.
func systemDirs() []string {
	dirs := []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"}
	files, _ := filepath.Glob("/etc/ld.so.conf.d/*.conf") // the pattern is valid
	for _, file := range append(files, "/etc/ld.so.conf") {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if dir := strings.TrimSpace(line); strings.HasPrefix(dir, "/") {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
