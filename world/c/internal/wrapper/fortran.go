package wrapper

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/world/c/include"
	"github.com/commworld/commworld/world/c/internal/fortran"
)

// longIntegers and longReals list options that make an INTEGER or a REAL another one than MPI has.
var (
	longIntegers = []string{"-fdefault-integer-8", "-i8", "-finteger-4-integer-8"}
	longReals    = []string{"-fdefault-real-8", "-fdefault-real-10", "-fdefault-real-16", "-r8", "-freal-4-real-8", "-freal-4-real-10", "-freal-4-real-16"}
)

// interfaces returns a directory with the interfaces of Fortran for a compiler, and makes it
// if it does not exist: mpif.h, the modules, the code behind them, and a library of Fortran
// that each rank has a copy of.
func (c Compiler) interfaces(headers string) (string, error) {
	version, err := c.ask("-dumpfullversion")
	if err != nil {
		return "", err
	}
	files, err := fortran.Make(include.Header, include.Functions)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, c.words(), version)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}) {
		fmt.Fprintln(sum, name, files[name])
	}
	dir := filepath.Join(headers, "fortran-"+hex.EncodeToString(sum.Sum(nil)[:6]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	work, err := os.MkdirTemp(headers, "new-") // several compilers may run at the same time
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	if err := c.makeInterfaces(headers, work); err != nil {
		return "", err
	}
	if err := os.Rename(work, dir); err != nil && !errors.Is(err, os.ErrExist) {
		if _, missing := os.Stat(dir); missing != nil {
			return "", err
		}
	}
	return dir, os.Chmod(dir, 0o755)
}

// objects lists what is linked with each program.
var objects = []string{"glue.o", "mpi.o", "mpi_f08.o"}

// renamed lists names that libgfortran uses and text/library.c defines.
var renamed = []string{"stdin", "stdout", "stderr", "fflush", "write"}

// replaced lists functions of libgfortran that text/library.c defines.
var replaced = []string{
	"stop_numeric", "stop_string", "error_stop_numeric", "error_stop_string", "exit_i4", "exit_i8", "abort",
	"runtime_error", "runtime_error_at", "os_error_at",
}

// asyncUnit is the variable of libgfortran that commworldrun has for all ranks: a library
// that is loaded while the process runs has no place for variables of threads.
const asyncUnit = "commworld_async_unit"

func (c Compiler) makeInterfaces(headers, dir string) error {
	library, err := c.ask("-print-file-name=libgfortran.a")
	if err != nil {
		return err
	}
	if !filepath.IsAbs(library) {
		return errors.New("the compiler has no libgfortran.a, the static library of Fortran that each rank gets a copy of; install it (libgfortran-static in some distributions)")
	}
	text, err := os.ReadFile(library)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "libgfortran.a"), text, 0o644); err != nil {
		return err
	}
	compiler := c.words()
	names := []string{"--redefine-sym=thread_unit=" + asyncUnit}
	for _, n := range renamed {
		names = append(names, "--redefine-sym="+n+"=commworld_"+n)
	}
	for _, n := range replaced {
		names = append(names, "--weaken-symbol=_gfortran_"+n)
	}
	modules := append(compiler, "-c", "-fPIC", "-fno-omit-frame-pointer", "-ffree-line-length-none", "-w")
	for _, line := range [][]string{
		append(slices.Clone(modules), "mpi.f90"),
		append(slices.Clone(modules), "mpi_f08.f90"),
		append(slices.Clone(compiler), "-I"+headers, "-c", "-x", "c", "-O1", "-fPIC", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-stack-protector", "-w", "glue.c"),
		{"ar", "d", "libgfortran.a", "async.o"},
		append(append([]string{"objcopy"}, names...), "libgfortran.a"),
	} {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the interfaces of Fortran cannot be made: %s: %w\n%s", strings.Join(line, " "), err, out)
		}
	}
	return nil
}

// ask returns what the compiler prints for an option.
func (c Compiler) ask(option string) (string, error) {
	line := append(c.words(), option)
	out, err := exec.Command(line[0], line[1:]...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w; the compiler is %s, or what %s says", strings.Join(line, " "), err, c.Default, c.Variable)
	}
	return string(bytes.TrimSpace(out)), nil
}

// fortranArguments returns the arguments that Fortran needs, for every step and for linking.
// Ranks that are processes need no library of Fortran of their own.
func (c Compiler) fortranArguments(headers string, args []string, processes bool) (always, link []string, err error) {
	for _, a := range args {
		if slices.Contains(longIntegers, a) {
			return nil, nil, fmt.Errorf("%s: an INTEGER of MPI has 4 bytes; declare integer(8) where the program needs it", a)
		}
		if slices.Contains(longReals, a) {
			return nil, nil, fmt.Errorf("%s: a REAL of MPI has 4 bytes, so MPI_REAL would move half of the data; declare real(8) where the program needs it, and pass MPI_REAL8", a)
		}
	}
	dir, err := c.interfaces(headers)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range objects {
		link = append(link, filepath.Join(dir, o))
	}
	if !processes {
		link = append(link, "-L"+dir, "-static-libgfortran")
	}
	// mpif.h has no interfaces, so calls with buffers of different types contradict each other.
	// Handlers of signals are those of commworldrun.
	return []string{"-I" + dir, "-fallow-argument-mismatch", "-fno-backtrace"}, link, nil
}
