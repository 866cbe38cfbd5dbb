//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrapped puts a directory of wrappers first in PATH.
func wrapped(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bin")
	out, err := exec.Command(filepath.Join(tools, "commworldrun"), "--wrappers", dir).Output()
	require.NoError(t, err)
	require.Equal(t, "export PATH="+dir+":$PATH\n", string(out))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// command runs a command of the shell in a directory.
func command(t *testing.T, dir, line string) (out, errs string, status int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run()
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// TestLauncher: mpirun and mpiexec understand what scripts write, and name what they do not.
func TestLauncher(t *testing.T) {
	wrapped(t)
	dir := t.TempDir()
	source, err := filepath.Abs("testdata/launched.c")
	require.NoError(t, err)
	_, errs, status := command(t, dir, "mpicc -O2 "+source+" -o prog && mkdir sub")
	require.Equal(t, 0, status, errs)
	for line, want := range map[string]string{
		"mpirun -np 2 ./prog": "no word, no argument",
		"mpirun --allow-run-as-root --oversubscribe -c 2 prog -n": "no word, -n",
		"mpiexec -n 2 -genv WORD w ./prog":                        "w, no argument",
		"mpiexec -env WORD w -n 2 ./prog":                         "w, no argument",
		"mpirun -x WORD=w -x PATH --np 2 ./prog":                  "w, no argument",
		"WORD=v mpirun -x WORD -np 2 ./prog":                      "v, no argument",
		"mpirun -wdir sub -n 2 ../prog a":                         "no word, a",
		"mpirun --careful --seed 3 --timeout 60 -n=2 -- ./prog":   "no word, no argument",
		"COMMWORLD_FLAGS=--free mpirun -n 2 $PWD/prog":            "no word, no argument",
		"PATH=$PWD:$PATH; cd sub; mpirun -n 2 prog":               "no word, no argument",
	} {
		out, errs, status := command(t, dir, line)
		require.Equal(t, 0, status, "%s\n%s", line, errs)
		require.Empty(t, errs, line)
		for _, rank := range []string{"0", "1"} {
			require.Contains(t, out, rank+" of 2, "+want+"\n", line)
		}
	}
	_, errs, status = command(t, dir, "mpirun -hostfile h -H a,b --mca btl self --bind-to core -np 2 ./prog")
	require.Equal(t, 0, status)
	require.Equal(t, "note: mpirun ignores -hostfile h, -H a,b, --mca btl self, --bind-to core: all ranks run on this machine\n", errs)
	for line, want := range map[string]string{
		"mpirun --frob -np 2 ./prog":        "mpirun: there is no option --frob; ",
		"mpiexec -n 1 ./prog : -n 1 ./prog": "mpiexec: several programs, separated by :, cannot be ranks of one world; ",
		"mpirun --mca a":                    "mpirun: the option --mca needs 1 more arguments",
		"mpirun -wdir nowhere ./prog":       "mpirun: -wdir: chdir nowhere: no such file or directory",
		"mpicc -showme:frob":                `mpicc: there is no option "-showme:frob"; `,
	} {
		_, errs, status := command(t, dir, line)
		require.Equal(t, 2, status, line)
		require.Contains(t, errs, want)
	}
	out, _, _ := command(t, dir, "mpirun --version")
	require.Contains(t, out, "commworld")
}

// TestAnswers: what mpicc answers to build systems makes programs with another compiler.
func TestAnswers(t *testing.T) {
	wrapped(t)
	dir := t.TempDir()
	source, err := filepath.Abs("testdata/launched.c")
	require.NoError(t, err)
	for _, line := range []string{
		"$(mpicc -show " + source + " -o prog)",
		"$(mpicc --showme " + source + " -o prog)",
		"$(mpicc -link_info " + source + " -o prog)",
		"cc $(mpicc -showme:compile) -c " + source + " -o prog.o && cc prog.o $(mpicc -showme:link) -o prog",
		"cc -I$(mpicc -showme:incdirs) " + source + " -L$(mpicc -showme:libdirs) -l$(mpicc -showme:libs) -o prog",
		"$(mpicc -compile_info -c " + source + " -o prog.o) && cc prog.o $(mpicc -showme:link) -o prog",
	} {
		_ = os.Remove(filepath.Join(dir, "prog"))
		_, errs, status := command(t, dir, line)
		require.Equal(t, 0, status, "%s\n%s", line, errs)
		out, errs, status := command(t, dir, "mpirun -np 2 ./prog")
		require.Equal(t, 0, status, "%s\n%s", line, errs)
		require.Contains(t, out, "1 of 2, ", line)
	}
}

// project writes the files of a project.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile("testdata/launched.c")
	require.NoError(t, err)
	files["launched.c"] = string(source)
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// TestMakeCheck: the test target of a project that knows mpicc and mpiexec runs unchanged.
func TestMakeCheck(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make here: the project was not built")
	}
	wrapped(t)
	dir := project(t, map[string]string{"Makefile": "CC = mpicc\nMPIEXEC = mpiexec\nlaunched: launched.o libpart.a\n\t$(CC) launched.o -L. -lpart -o $@\n" +
		"libpart.a: part.o\n\tar rc $@ part.o\ncheck: launched\n\t$(MPIEXEC) -n 3 ./launched\n", "part.c": "#include <mpi.h>\nint part(void) { return MPI_VERSION; }\n"})
	out, errs, status := command(t, dir, "make check")
	require.Equal(t, 0, status, errs)
	require.Contains(t, out, "2 of 3, no word, no argument\n")
}

// TestFindMPI: CMake finds the library by mpicc, and builds and tests a project.
func TestFindMPI(t *testing.T) {
	for _, program := range []string{"cmake", "make"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here: the project was not built", program)
		}
	}
	wrapped(t)
	dir := project(t, map[string]string{"CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)
project(launched C)
find_package(MPI REQUIRED)
add_executable(launched launched.c)
target_link_libraries(launched MPI::MPI_C)
enable_testing()
add_test(NAME launched COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 ${MPIEXEC_PREFLAGS} $<TARGET_FILE:launched>)
`})
	for _, options := range []string{"", "-DCMAKE_C_COMPILER=mpicc"} {
		out, errs, status := command(t, dir, "rm -rf build && cmake -S . -B build "+options+" && cmake --build build && cd build && ctest -V")
		require.Equal(t, 0, status, "%s\n%s", out, errs)
		require.Contains(t, out, "2 of 3, no word, no argument\n", options)
	}
}
