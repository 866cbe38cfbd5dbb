package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A program is a run of a suite that has no lists as MPICH's has.
type program struct {
	name   string // for the table
	path   string // of the program, or of its source, which is compiled first
	ranks  string
	args   []string
	passes func(text string, status int) bool
}

// ended reports whether a program ended without an error: the test of programs that print
// no result.
func ended(_ string, status int) bool { return status == 0 || status == 3 }

func says(what string) func(string, int) bool {
	return func(text string, status int) bool {
		return ended(text, status) && strings.Contains(strings.ToLower(text), strings.ToLower(what))
	}
}

// others returns the programs of a suite that is not MPICH's, by directory, and the
// directories in order; false if src is MPICH's.
func (cmd *command) others(src string) (all map[string][]program, ok bool, err error) {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(src, name))
		return err == nil
	}
	all = map[string][]program{}
	switch {
	case has("util/mtest.c"):
		return nil, false, nil
	case has("runtests.in"):
		all["romio"], err = romio(src)
	case has("tst_types.c"):
		if !has("mpi_test_suite") {
			return nil, true, errors.New("build it first: autoreconf -i && ./configure CC=commworldcc MPICC=commworldcc && make; gengetopt is needed")
		}
		all, err = testSuite(filepath.Join(src, "mpi_test_suite"))
	case has("tests/ntimes_filetype.c"):
		all, err = examples(src)
	default:
		dirs := cmd.Dirs
		switch {
		case len(dirs) > 0:
		case has("src/include/pnetcdf.h"):
			dirs = []string{"test/testcases", "test/nonblocking", "test/header", "test/cdf_format", "examples/C"}
		case has("testpar"):
			dirs = []string{"testpar"}
		default:
			dirs = []string{"."}
		}
		for _, dir := range dirs {
			if all[dir], err = plain(filepath.Join(src, dir)); err != nil {
				return nil, true, err
			}
		}
	}
	return all, true, err
}

// romio returns the tests of ROMIO as its script runs them.
func romio(src string) ([]program, error) {
	script, err := os.ReadFile(filepath.Join(src, "runtests.in"))
	if err != nil {
		return nil, err
	}
	var all []program
	for _, m := range regexp.MustCompile(`(?m)^\s*\$mpirun -np (\d+) \./(\w+)(.*)$`).FindAllStringSubmatch(string(script), -1) {
		if _, err := os.Stat(filepath.Join(src, m[2]+".f.in")); err == nil {
			continue // Fortran
		}
		args := strings.Fields(strings.NewReplacer("$FILENAME", "test", "$srcdir", src).Replace(m[3]))
		passes := says("no errors")
		if m[2] == "error" || m[2] == "status" {
			passes = ended
		}
		all = append(all, program{name: m[2], path: filepath.Join(src, m[2]+".c"), ranks: m[1], args: args, passes: passes})
	}
	for _, more := range []string{"async-multiple", "big_extents", "creat_excl", "darray_read", "external32", "large_array", "perf", "simple", "types_with_zeros"} {
		if !slices.ContainsFunc(all, func(p program) bool { return p.name == more }) {
			args := []string{"-fname", "test"}
			if more == "big_extents" {
				args = args[1:]
			}
			all = append(all, program{name: more, path: filepath.Join(src, more+".c"), ranks: "4", args: args, passes: ended})
		}
	}
	return all, nil
}

// testSuite returns the tests of mpi-test-suite by class, each with all its communicators.
func testSuite(path string) (map[string][]program, error) {
	list, err := exec.Command("commworldrun", path, "-l").Output()
	if err != nil {
		return nil, fmt.Errorf("commworldrun %s -l: %w", path, err)
	}
	all := map[string][]program{}
	for _, m := range regexp.MustCompile(`(?m)^(Environment|P2P|Collective|IO) test:\d+ (.+)$`).FindAllStringSubmatch(string(list), -1) {
		class, test := m[1], m[2]
		datatypes := "all,^MPI_TYPE_MIX_LB_UB" // for MPI-3 and later it has none, and takes another with a size of 0
		if class == "IO" && strings.Contains(test, "read") {
			datatypes = withoutHoles // a file is written without them, and read with them
		}
		all[class] = append(all[class], program{
			name: test, path: path, ranks: "4", args: []string{"-t", test, "-d", datatypes},
			passes: func(text string, _ int) bool { // it leaves requests behind
				return strings.Contains(text, "Number of failed tests: 0") && !strings.Contains(text, "signal ")
			},
		})
	}
	return all, nil
}

// withoutHoles lists the datatypes of mpi-test-suite whose size is their extent.
const withoutHoles = "MPI_CHAR,MPI_UNSIGNED_CHAR,MPI_SIGNED_CHAR,MPI_BYTE,MPI_SHORT,MPI_UNSIGNED_SHORT,MPI_INT,MPI_UNSIGNED,MPI_LONG,MPI_UNSIGNED_LONG," +
	"MPI_FLOAT,MPI_DOUBLE,MPI_FLOAT_INT,MPI_2INT,MPI_CONTIGUOUS_INT,MPI_VECTOR_INT,MPI_HVECTOR_INT,MPI_INDEXED_INT,MPI_HINDEXED_INT,MPI_STRUCT_INT"

// examples returns the programs of mpi-io-examples, with the arguments of its scripts. Two
// get smaller arrays, because theirs would need 36 and 14 GB.
func examples(src string) (map[string][]program, error) {
	all := map[string][]program{}
	args := map[string]string{
		"column_wise": "-o testfile", "print_mpi_io_hints": "testfile", "nvars": "-r -f testfile", "trace_alltomany": filepath.Join(src, "MPI/trace_1024p_253n.dat"),
		"large_dtype": "-n 100 -l 512 -f testfile", "pio_noncontig": "-c 65536 -f testfile",
	}
	for _, name := range []string{"indexed_fsize", "hindexed_fsize", "struct_fsize", "ntimes_buftype", "ntimes_filetype"} {
		args[name] = "-f testfile"
	}
	for _, dir := range []string{".", "MPI", "tests"} {
		list, err := plain(filepath.Join(src, dir))
		if err != nil {
			return nil, err
		}
		for i, p := range list {
			list[i].args = strings.Fields(args[p.name])
			list[i].passes = func(text string, status int) bool {
				return ended(text, status) && !strings.Contains(text, "rror") && !strings.Contains(text, "Usage")
			}
		}
		all[dir] = list
	}
	return all, nil
}

// follows are programs and what reads their files.
var follows = [][2]string{{"t_pshutdown", "t_prestart"}, {"t_pflush1", "t_pflush2"}, {"put_vara", "get_vara"}}

// inputs are arguments of programs that read files of their directory.
var inputs = map[string]string{"test_inq_format": ".", "tst_corrupt": ".", "tst_open_cdf5": "bad_begin.nc5"}

// plain returns the programs of a directory: those that commworldcc has made, or without
// any those that its C files with a main make.
func plain(dir string) (all []program, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var sources []program
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		p := program{name: e.Name(), path: path, ranks: "4", passes: ended}
		switch {
		case !e.Type().IsRegular():
		case filepath.Ext(path) == ".c":
			if text, err := os.ReadFile(path); err == nil && regexp.MustCompile(`\bmain\s*\(`).Match(text) {
				p.name = strings.TrimSuffix(p.name, ".c")
				sources = append(sources, p)
			}
		case runnable(path, e):
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		all = sources
	}
	slices.SortFunc(all, func(a, b program) int { return cmp.Compare(a.name, b.name) })
	for _, pair := range follows {
		from := slices.IndexFunc(all, func(p program) bool { return p.name == pair[1] })
		to := slices.IndexFunc(all, func(p program) bool { return p.name == pair[0] })
		if from < 0 || to < 0 {
			continue
		}
		reader := all[from]
		if all = slices.Delete(all, from, from+1); from < to {
			to--
		}
		all = slices.Insert(all, to+1, reader)
	}
	for i := range all {
		if name, ok := inputs[all[i].name]; ok {
			all[i].args = []string{filepath.Join(dir, name)}
		}
	}
	return all, nil
}

func runnable(path string, e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil || info.Mode()&0o111 == 0 {
		return false
	}
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, err := f.Symbols()
	return err == nil && f.Entry != 0 && slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "main" })
}

// play runs the programs of a directory, one after the other in one place, and prints those
// that did not pass.
func (s *suite) play(dir string, all []program) (n score, err error) {
	n.by = map[verdict]int{}
	place, err := os.MkdirTemp(s.work, "run-")
	if err != nil {
		return n, err
	}
	for _, p := range all {
		if s.Only != "" && s.Only != p.name {
			continue
		}
		n.runs++
		v, races, why := s.playOne(place, p)
		n.by[v]++
		if v == pass && races {
			n.races++
		}
		if v != pass || s.Verbose {
			fmt.Printf("%-12s %s/%s -n %s %s: %s\n", v, dir, p.name, p.ranks, strings.Join(p.args, " "), why)
		}
	}
	return n, nil
}

func (s *suite) playOne(place string, p program) (v verdict, races bool, why string) {
	path := p.path
	if filepath.Ext(path) == ".c" {
		if _, err := os.Stat(path); os.IsNotExist(err) { // configure makes the source
			text, err := os.ReadFile(path + ".in")
			path = filepath.Join(s.work, filepath.Base(path))
			if err := errors.Join(err, os.WriteFile(path, bytes.ReplaceAll(text, []byte("@LL@"), []byte("lld")), 0o644)); err != nil {
				return build, false, err.Error()
			}
		}
		so := filepath.Join(s.work, p.name+".so")
		if err := s.compile("-I"+filepath.Dir(p.path), path, "-lm", "-lpthread", "-o", so); err != nil {
			return build, false, s.brief(err.Error())
		}
		path = so
	}
	text, status, err := s.execute(place, p.ranks, path, p.args)
	switch {
	case err != nil:
		return fail, false, err.Error()
	case p.passes(text, status):
		return pass, status == 3, s.brief(text)
	}
	return fail, false, fmt.Sprintf("status %d: %s", status, s.brief(text))
}
