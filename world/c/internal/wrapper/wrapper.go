// Package wrapper is what commworldcc, commworldcxx and commworldfort have in common: a
// compiler that makes programs for commworldrun.
package wrapper

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/world/c/include"
)

// A Compiler is the compiler that a command wraps.
type Compiler struct {
	Name     string // of the command, for messages
	Default  string // the compiler
	Variable string // the environment variable that names another compiler
	Choice   string // the beginning of an option that does so, too, as in MPICH: -cc=
	Fortran  bool   // it compiles Fortran

	chosen string // by that option
}

// Main runs the compiler with the arguments of the process and ends the process.
func (c Compiler) Main() {
	c.Name = filepath.Base(os.Args[0])
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool {
		with, ok := strings.CutPrefix(a, c.Choice)
		if ok && with != "" {
			c.chosen = with
		}
		return ok && with != ""
	})
	code, err := c.run(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name, err)
	}
	os.Exit(code)
}

func (c Compiler) run(args []string) (int, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	headers, err := include.Dir(cache)
	if err != nil {
		return 2, fmt.Errorf("the headers cannot be written: %w; set XDG_CACHE_HOME to a directory that can", err)
	}
	processes := slices.Contains(args, asProcesses)
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == asProcesses })
	var always, objects []string
	if c.Fortran {
		processes = processes || slices.ContainsFunc(args, query.MatchString)
		if always, objects, err = c.fortranArguments(headers, args, processes); err != nil {
			return 2, err
		}
	}
	if answer, asked, err := c.show(headers, args, always, objects); asked {
		if err != nil {
			return 2, err
		}
		fmt.Println(answer)
		return 0, nil
	}
	line := c.command(headers, append(always, args...))
	if processes {
		if line, err = c.processCommand(headers, append(always, args...), objects); err != nil {
			return 2, err
		}
	}
	record, forget, err := c.record(headers, args)
	if err != nil {
		return 2, err
	}
	defer forget()
	line = append(line, record...)
	whole := links(args) && !processes
	if whole {
		more, err := c.linked(headers)
		if err != nil {
			return 2, err
		}
		line = slices.Concat(line, []string{"-x", "none"}, objects, more)
	}
	if code, err := c.execute(line); code != 0 || err != nil {
		return code, err
	}
	if whole {
		if err := privatize(output(args)); err != nil {
			return 2, err
		}
	}
	return 0, nil
}

// execute runs a command and returns its status.
func (c Compiler) execute(line []string) (int, error) {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return failed.ExitCode(), nil
	case err != nil:
		return 2, fmt.Errorf("%w; the compiler is %s, or what %s says", err, c.Default, c.Variable)
	}
	return 0, nil
}

// unfit lists arguments that would make another kind of file, or one without line
// numbers.
var unfit = []string{
	"-pie", "-no-pie", "-fPIE", "-fpie", "-static-pie",
	"-s", "-Wl,-s", "-Wl,--strip-all", "-Wl,-S", "-Wl,--strip-debug", "-g0", "-fomit-frame-pointer", "-foptimize-sibling-calls", "-fbacktrace",
}

// words returns the command of the compiler.
func (c Compiler) words() []string {
	for _, choice := range []string{c.chosen, os.Getenv(c.Variable)} {
		if line := strings.Fields(choice); len(line) > 0 {
			return line
		}
	}
	return []string{c.Default}
}

// command returns the command of the compiler, without the arguments of linked.
func (c Compiler) command(headers string, args []string) []string {
	line := c.words()
	line = append(line, "-I"+headers, "-fPIC")
	line = append(line, lineOptions...)
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
