package consistency

import (
	"embed"
	"io/fs"
)

//go:embed testdata/litmus/*.mpio testdata/twins/*.mpio
var scripts embed.FS

// Litmus returns the litmus tests of the standard's consistency rules, as rank scripts (see
// package script). Each begins with a comment: the id of the test and its subject.
func Litmus() fs.FS { return collection("litmus") }

// Twins returns mistakes of real programs, as pairs of rank scripts. NAME-racy.mpio races
// or, if it says so, has more than one outcome although it is atomic; NAME-clean.mpio
// differs by the one change that fixes it. Each begins with a comment: the rule and the
// name, the mistake, and what it teaches.
func Twins() fs.FS { return collection("twins") }

func collection(name string) fs.FS {
	sub, err := fs.Sub(scripts, "testdata/"+name)
	if err != nil {
		panic(err) // the name above is wrong
	}
	return sub
}
