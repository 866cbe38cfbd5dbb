package main

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/reps"
)

// A fileForm is how items look in a file: what REP[@ARCH] stands for.
type fileForm struct {
	reps.Rep
	arch *reps.Arch
}

// parseForm reads REP[@ARCH]. Only native files look different on different
// machines; for the others ARCH says nothing about the file.
func parseForm(text string) (fileForm, error) {
	name, machine, given := strings.Cut(text, "@")
	arch := reps.LP64LE
	if given {
		var err error
		if arch, err = reps.ParseArch(machine); err != nil {
			return fileForm{}, err
		}
	}
	rep, err := reps.Lookup(name, arch)
	if err != nil {
		return fileForm{}, fmt.Errorf("%q is no representation; they are native, internal and external32 (%s, IO-VIEW-14)",
			name, reps.ErrUnsupportedDatarep.Name())
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
