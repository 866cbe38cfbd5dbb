package wrapper

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// asProcesses is the argument for a program whose ranks are processes: an ordinary executable or
// library that needs the library of MPI's standard ABI.
const asProcesses = "--processes"

// processCommand returns the command of the compiler for such a program, which is linked with
// objects.
func (c Compiler) processCommand(headers string, args, objects []string) ([]string, error) {
	line := slices.Concat(c.words(), []string{"-I" + headers}, lineOptions, args)
	if !links(args) && !slices.Contains(args, "-shared") {
		return line, nil
	}
	dir, err := library()
	if err != nil {
		return nil, err
	}
	if len(objects) > 0 && links(args) {
		line = slices.Concat(line, []string{"-x", "none"}, objects)
	}
	return append(line, linkOptions(dir)...), nil
}

// lineOptions are for reports, which find lines of callers by frame pointers, and only if calls
// return.
var lineOptions = []string{"-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"}

// libraryName is the name of the library of MPI's standard ABI for the linker.
const libraryName = "mpi_abi"

// linkOptions returns what the linker needs for the library in a directory.
func linkOptions(dir string) []string {
	return []string{"-L" + dir, "-Wl,-rpath," + dir, "-Wl,--no-as-needed", "-l" + libraryName}
}

// library returns the directory of the library, which commworldrun makes.
func library() (string, error) {
	run := "commworldrun"
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), run); exists(beside) {
			run = beside
		}
	}
	out, err := exec.Command(run, "--lib").Output()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return "", fmt.Errorf("commworldrun --lib: %w\n%s", err, failed.Stderr)
	case err != nil:
		return "", fmt.Errorf("commworldrun has the library of programs whose ranks are processes, and is not beside this command and not in PATH: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
