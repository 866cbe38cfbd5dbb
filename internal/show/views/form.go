package views

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A Form is the form of items in a file: the meaning of REP[@ARCH].
type Form struct {
	reps.Rep
	Arch *reps.Arch
}

// ParseForm reads REP[@ARCH]. Only native files look different on different
// machines; for the others ARCH says nothing about the file.
func ParseForm(text string) (Form, error) {
	name, machine, given := strings.Cut(text, "@")
	arch := reps.LP64LE
	if given {
		var err error
		if arch, err = reps.ParseArch(machine); err != nil {
			return Form{}, err
		}
	}
	return formOf(name, arch)
}

func formOf(name string, arch *reps.Arch) (Form, error) {
	rep, err := reps.Lookup(name, arch)
	if err != nil {
		return Form{}, fmt.Errorf("%q is not a representation; they are native, internal and external32 (%s, IO-VIEW-14)",
			name, reps.ErrUnsupportedDatarep.Name())
	}
	return Form{rep, arch}, nil
}

// under returns f where bounds have the force m.
func (f Form) under(m types.Markers) (Form, error) { return formOf(f.Name(), f.Arch.WithMarkers(m)) }

// String returns the form in the syntax of ParseForm.
func (f Form) String() string {
	if f.Name() == "native" {
		return f.Name() + "@" + strings.ToLower(f.Arch.String())
	}
	return f.Name()
}
