package consistency

import (
	"embed"
	"io/fs"
)

//go:embed testdata/litmus/*.mpio
var litmus embed.FS

// Litmus returns the litmus tests of the standard's consistency rules, as rank
// scripts (see package script). Each begins with a comment: the id of the test
// and what it is about.
func Litmus() fs.FS {
	sub, err := fs.Sub(litmus, "testdata/litmus")
	if err != nil {
		panic(err) // the name above is wrong
	}
	return sub
}
