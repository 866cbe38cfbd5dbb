// Command commworldcc compiles C programs that call MPI for commworldrun. It takes the
// arguments of the C compiler:
//
//	commworldcc prog.c -o prog.so
//	commworldcc -c -O2 part.c && commworldcc part.o main.o -lm -o prog.so
//
// The compiler is cc, or what the environment variable COMMWORLD_CC names, with words of
// its own, such as "gcc-14 -std=c11". Programs become shared objects with debugging
// information, which reports take their lines from. A library of the program has to be
// static: one that is dynamic is shared by all ranks, with its global variables.
//
// A program can be run by its name, too, which runs commworldrun with the flags that the
// environment variable COMMWORLD_FLAGS has. So configure and make can take it for the
// compiler: ./configure CC=commworldcc MPICC=commworldcc.
//
// With --showme it prints the command and runs nothing.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/commworld/commworld/world/c/include"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "commworldcc:", err)
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	headers, err := include.Dir(cache)
	if err != nil {
		return 2, fmt.Errorf("the headers cannot be written: %w; set XDG_CACHE_HOME to a directory that can", err)
	}
	line := command(headers, args)
	if slices.Contains(args, "--showme") {
		fmt.Println(strings.Join(line, " "))
		return 0, nil
	}
	whole := links(args)
	if whole {
		more, err := linked(headers)
		if err != nil {
			return 2, err
		}
		line = append(line, more...)
	}
	if code, err := execute(line); code != 0 || err != nil {
		return code, err
	}
	if whole {
		if err := forget(output(args), stubName); err != nil {
			return 2, err
		}
	}
	return 0, nil
}

// execute runs a command and returns its status.
func execute(line []string) (int, error) {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return failed.ExitCode(), nil
	case err != nil:
		return 2, fmt.Errorf("%w; the C compiler is cc, or what COMMWORLD_CC says", err)
	}
	return 0, nil
}

// unfit lists arguments that would make another kind of file, or one without line
// numbers.
var unfit = []string{
	"-pie", "-no-pie", "-fPIE", "-fpie", "-static-pie", "--showme",
	"-s", "-Wl,-s", "-Wl,--strip-all", "-Wl,-S", "-Wl,--strip-debug", "-g0", "-fomit-frame-pointer", "-foptimize-sibling-calls",
}

// compiler returns the command of the C compiler.
func compiler() []string {
	if line := strings.Fields(os.Getenv("COMMWORLD_CC")); len(line) > 0 {
		return line
	}
	return []string{"cc"}
}

// command returns the command of the C compiler, without the arguments of [linked].
func command(headers string, args []string) []string {
	line := compiler()
	// Lines of callers are found by frame pointers, and only if calls return.
	line = append(line, "-I"+headers, "-g", "-fPIC", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
	line = append(line, slices.DeleteFunc(slices.Clone(args), func(a string) bool { return slices.Contains(unfit, a) })...)
	if links(args) || slices.Contains(args, "-shared") {
		line = append(line, "-shared", "-Wl,-Bsymbolic", "-Wl,-z,now")
	}
	return line
}

// links reports whether the compiler is asked to link a program, and not for an earlier
// step or a library.
func links(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		return slices.Contains([]string{"-shared", "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-dumpversion", "-dumpmachine", "-r"}, a) ||
			strings.HasPrefix(a, "-print-")
	})
}
