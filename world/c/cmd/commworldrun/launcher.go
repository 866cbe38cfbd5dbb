package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wrappers lists other names of the commands of this module, those of other MPI libraries, each
// with the command. A command that is not installed gets no names.
var wrappers = []struct{ name, command string }{
	{"mpicc", "commworldcc"},
	{"mpicxx", "commworldcxx"},
	{"mpic++", "commworldcxx"},
	{"mpiCC", "commworldcxx"},
	{"mpirun", "commworldrun"},
	{"mpiexec", "commworldrun"},
	{"mpifort", "commworldfort"},
	{"mpif77", "commworldfort"},
	{"mpif90", "commworldfort"},
}

// makeWrappers makes links in a directory with these names, and with those of the commands.
func makeWrappers(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var missing []string
	for _, w := range wrappers {
		command := filepath.Join(filepath.Dir(self), w.command)
		if _, err := os.Stat(command); err != nil {
			missing = append(missing, w.name)
			continue
		}
		for _, name := range []string{w.name, w.command} {
			if err := link(command, filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "note: no %s: their commands are not in %s\n", strings.Join(missing, ", "), filepath.Dir(self))
	}
	fmt.Printf("export PATH=%s:$PATH\n", dir)
	return nil
}

// link makes a link, in place of one that is there.
func link(to, at string) error {
	if to == at {
		return nil
	}
	if old, err := os.Lstat(at); err == nil {
		if old.Mode()&os.ModeSymlink == 0 {
			return fmt.Errorf("%s exists and is not a link; give another directory", at)
		}
		if err := os.Remove(at); err != nil {
			return err
		}
	}
	return os.Symlink(to, at)
}

// An effect is what an option of mpirun or mpiexec does here.
type effect int

const (
	ignored   effect = iota // it says where ranks run, and here they run on one machine
	unneeded                // what it allows is allowed
	ranks                   // their number
	exports                 // NAME or NAME=VALUE for the environment
	sets                    // NAME VALUE for the environment
	directory               // where the program runs
	labels                  // output begins with the rank
	seconds                 // the longest time
	inherits                // the environment is that of the launcher anyway
)

// launcherOptions are the options of other launchers, without the hyphens, with the number of
// their values.
var launcherOptions = map[string]struct {
	values int
	effect effect
}{
	"n": {1, ranks}, "np": {1, ranks}, "c": {1, ranks},
	"oversubscribe": {0, unneeded}, "allow-run-as-root": {0, unneeded}, "use-hwthread-cpus": {0, unneeded}, "quiet": {0, unneeded}, "q": {0, unneeded},
	"machinefile": {1, ignored}, "hostfile": {1, ignored}, "host": {1, ignored}, "hosts": {1, ignored}, "H": {1, ignored}, "f": {1, ignored},
	"N": {1, ignored}, "npernode": {1, ignored}, "ppn": {1, ignored}, "perhost": {1, ignored}, "npersocket": {1, ignored},
	"map-by": {1, ignored}, "bind-to": {1, ignored}, "rank-by": {1, ignored}, "mca": {2, ignored}, "gmca": {2, ignored}, "prefix": {1, ignored},
	"bynode": {0, ignored}, "byslot": {0, ignored}, "nolocal": {0, ignored}, "nooversubscribe": {0, ignored}, "report-bindings": {0, ignored},
	"bind-to-core": {0, ignored}, "bind-to-none": {0, ignored}, "iface": {1, ignored}, "launcher": {1, ignored}, "bootstrap": {1, ignored}, "rmk": {1, ignored},
	"x": {1, exports}, "genv": {2, sets}, "env": {2, sets}, "genvall": {0, inherits}, "envall": {0, inherits}, "genvlist": {1, inherits}, "envlist": {1, inherits},
	"wdir": {1, directory}, "wd": {1, directory},
	"tag-output": {0, labels}, "l": {0, labels}, "prepend-rank": {0, labels},
	"timeout": {1, seconds},
}

// launched returns the arguments of commworldrun for those of mpirun or mpiexec. It sets
// variables of the environment and the working directory.
func launched(name string, args []string, own *flag.FlagSet) (all []string, err error) {
	var notes []string
	for len(args) > 0 {
		a := args[0]
		if a == "--" || len(a) < 2 || a[0] != '-' {
			break
		}
		args = args[1:]
		option, value, joined := strings.Cut(strings.TrimLeft(a, "-"), "=")
		o, known := launcherOptions[option]
		if !known {
			f := own.Lookup(option)
			switch {
			case option == "h" || option == "help" || option == "V":
				return []string{map[bool]string{true: "--version", false: "--help"}[option == "V"]}, nil
			case f == nil:
				return nil, fmt.Errorf("%s: there is no option %s; %s --help lists those of commworldrun, and world/c/README.md those of other launchers", name, a, name)
			}
			all = append(all, a)
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); (!ok || !b.IsBoolFlag()) && !joined && len(args) > 0 {
				all, args = append(all, args[0]), args[1:]
			}
			continue
		}
		values := args
		if joined && o.values == 1 {
			values = append([]string{value}, args...)
		}
		if len(values) < o.values {
			return nil, fmt.Errorf("%s: the option %s needs %d more arguments", name, a, o.values-len(values))
		}
		args = values[o.values:]
		values = values[:o.values]
		switch o.effect {
		case ranks:
			all = append(all, "-n", values[0])
		case exports:
			if name, value, ok := strings.Cut(values[0], "="); ok {
				values = []string{name, value}
			} else {
				break // it is exported
			}
			fallthrough
		case sets:
			if err := os.Setenv(values[0], values[1]); err != nil {
				return nil, fmt.Errorf("%s: %s %s: %w", name, a, values[0], err)
			}
		case directory:
			if err := os.Chdir(values[0]); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, a, err)
			}
		case labels:
			all = append(all, "--label")
		case seconds:
			if _, err := strconv.Atoi(values[0]); err == nil {
				values[0] += "s"
			}
			all = append(all, "--timeout", values[0])
		case ignored:
			notes = append(notes, strings.Join(append([]string{a}, values...), " "))
		}
	}
	if slices.Contains(args, ":") {
		return nil, fmt.Errorf("%s: several programs, separated by :, cannot be ranks of one world; start one program that asks for its rank", name)
	}
	if len(notes) > 0 && died() == "" {
		fmt.Fprintf(os.Stderr, "note: %s ignores %s: all ranks run on this machine\n", name, strings.Join(notes, ", "))
	}
	return append(all, located(args)...), nil
}

// located replaces the name of a program that is not in the working directory by its path.
func located(args []string) []string {
	if len(args) == 0 || args[0] == "--" || strings.Contains(args[0], "/") {
		return args
	}
	if _, err := os.Stat(args[0]); err == nil {
		return args
	}
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return args
	}
	return append([]string{path}, args[1:]...)
}

// commandLine returns the arguments of commworldrun, which may have another name.
func commandLine(own *flag.FlagSet) ([]string, error) {
	args := os.Args[1:]
	name := filepath.Base(os.Args[0])
	if slices.ContainsFunc(wrappers, func(w struct{ name, command string }) bool { return w.name == name }) {
		var err error
		if args, err = launched(name, args, own); err != nil {
			return nil, err
		}
	}
	return append(strings.Fields(os.Getenv("COMMWORLD_FLAGS")), args...), nil
}
