package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/reps"
)

// archs are the architectures by the names that the command line knows.
var archs = map[string]*reps.Arch{
	"lp64le": reps.LP64LE, "lp64be": reps.LP64BE, "ilp32le": reps.ILP32LE, "ilp32be": reps.ILP32BE,
}

// A fileForm is how items look in a file: what REP[@ARCH] stands for.
type fileForm struct {
	reps.Rep
	arch *reps.Arch
}

// parseForm reads REP[@ARCH]. Only native files look different on different
// machines; for the others ARCH says nothing about the file.
func parseForm(text string) (fileForm, error) {
	name, machine, given := strings.Cut(text, "@")
	if !given {
		machine = "lp64le"
	}
	arch := archs[strings.ToLower(machine)]
	if arch == nil {
		return fileForm{}, fmt.Errorf("%q: %q is no architecture; they are %s", text, machine,
			strings.Join(slices.Sorted(maps.Keys(archs)), ", "))
	}
	rep, err := reps.Lookup(name, arch)
	if err != nil {
		return fileForm{}, err
	}
	return fileForm{rep, arch}, nil
}

// String names the form as parseForm reads it.
func (f fileForm) String() string {
	if f.Name() == "native" {
		return f.Name() + "@" + strings.ToLower(f.arch.String())
	}
	return f.Name()
}
