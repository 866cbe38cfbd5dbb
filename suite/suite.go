// Package suite is a corpus of MPI-IO mistakes for scoring tools that look for them: pairs
// of a program with one mistake and its twin without it, each as a rank script, as C for
// MPI libraries and as Go.
//
//	for _, l := range suite.Labels() { fmt.Println(l.Name, l.Kind, l.Rule, l.Lines) }
//	claims, err := suite.ReadClaims(file)
//	fmt.Print(suite.Score(claims))
//
// Start here: [Labels] is the table of the mistakes in the bad programs. A tool's output
// becomes [Claim]s, and [Score] counts which mistakes they name. [Detect] makes the claims
// of this module's own detector.
//
// # Map
//
//   - corpus/NAME: bad.mpio and clean.mpio; bad.c, clean.c, bad.go, clean.go made from them
//   - labels.tsv: the table, made from the scripts; libraries.tsv: the results with MPI
//     libraries
//   - label.go: the label of a bad script
//   - detect.go: our own detector; score.go: claims and their score
//   - generate, a program: copies the twins of package consistency and makes the rest
//   - measure, a program: runs the C programs with MPI libraries
//
// # Borders
//
// The scripts are the source; everything else of the corpus is made from them, and a test
// fails if it is not up to date.
package suite

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed corpus/*/bad.mpio corpus/*/clean.mpio labels.tsv libraries.tsv
var files embed.FS

// Halves of a pair.
const (
	Bad   = "bad"
	Clean = "clean"
)

// Names returns the names of all pairs, sorted.
func Names() []string {
	dirs, err := fs.ReadDir(files, "corpus")
	if err != nil {
		panic(err) // it is embedded
	}
	names := make([]string, len(dirs))
	for i, d := range dirs {
		names[i] = d.Name()
	}
	slices.Sort(names)
	return names
}

// Text returns the rank script of one half of a pair.
func Text(name, half string) (string, error) {
	text, err := fs.ReadFile(files, "corpus/"+name+"/"+half+".mpio")
	if err != nil {
		return "", fmt.Errorf("suite: there is no program %s/%s", name, half)
	}
	return string(text), nil
}

// Labels returns the table, by name.
func Labels() []Label { return slices.Clone(table()) }

// LabelOf returns the label of a pair.
func LabelOf(name string) (Label, bool) {
	i := slices.IndexFunc(table(), func(l Label) bool { return l.Name == name })
	if i < 0 {
		return Label{}, false
	}
	return table()[i], true
}

var table = sync.OnceValue(func() []Label {
	text, err := fs.ReadFile(files, "labels.tsv")
	if err != nil {
		panic(err) // it is embedded
	}
	labels, err := readLabels(string(text))
	if err != nil {
		panic(err) // a test reads it
	}
	return labels
})

// Libraries returns the result of each program with each MPI library, as `go run
// ./suite/measure` wrote it: a heading and lines of columns with tabs between them.
func Libraries() string {
	text, err := fs.ReadFile(files, "libraries.tsv")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Files returns the scripts and the tables as files.
func Files() fs.FS { return files }

// Split splits a program's name NAME/bad or NAME/clean, with or without a suffix such as
// .c.
func Split(program string) (name, half string, ok bool) {
	program = strings.TrimPrefix(program, "corpus/")
	if i := strings.Index(program, "corpus/"); i >= 0 {
		program = program[i+len("corpus/"):]
	}
	name, half, ok = strings.Cut(program, "/")
	half, _, _ = strings.Cut(half, ".")
	return name, half, ok && (half == Bad || half == Clean)
}
