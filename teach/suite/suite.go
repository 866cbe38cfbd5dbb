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
// of this module's own detector. [Files] returns the whole corpus as files, with the C and
// Go programs, and [Program] one of them.
//
// # Borders
//
// The scripts are the source; everything else of the corpus is generated from them.
package suite

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/commworld/commworld/consistency"
)

//go:embed corpus/*/bad.mpio corpus/*/clean.mpio libraries.tsv
var files embed.FS

// Halves of a pair.
const (
	Bad   = "bad"
	Clean = "clean"
)

// copies lists twins whose racy half equals that of another pair.
var copies = map[string]bool{"gather-root": true} // allgather-as-barrier

// scripts returns the rank scripts of all pairs, by NAME/bad and NAME/clean: those of the
// corpus, and the twins of package consistency.
var scripts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	add := func(from fs.FS, glob string, program func(file string) string) {
		names, err := fs.Glob(from, glob)
		if err != nil {
			panic(err) // a pattern of this file
		}
		for _, name := range names {
			text, err := fs.ReadFile(from, name)
			if err != nil {
				panic(err) // it is embedded
			}
			if p := program(name); !copies[path.Dir(p)] {
				all[p] = string(text)
			}
		}
	}
	add(files, "corpus/*/*.mpio", func(file string) string {
		return strings.TrimSuffix(strings.TrimPrefix(file, "corpus/"), ".mpio")
	})
	add(consistency.Twins(), "*-racy.mpio", func(file string) string { return strings.TrimSuffix(file, "-racy.mpio") + "/" + Bad })
	add(consistency.Twins(), "*-clean.mpio", func(file string) string { return strings.TrimSuffix(file, "-clean.mpio") + "/" + Clean })
	return all
})

// Names returns the names of all pairs, sorted.
func Names() []string {
	var names []string
	for program := range scripts() {
		if name, half := path.Split(program); half == Bad {
			names = append(names, path.Clean(name))
		}
	}
	slices.Sort(names)
	return names
}

// Text returns the rank script of one half of a pair.
func Text(name, half string) (string, error) {
	text, ok := scripts()[name+"/"+half]
	if !ok {
		return "", fmt.Errorf("suite: there is no program %s/%s", name, half)
	}
	return text, nil
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
	names := Names()
	labels := make([]Label, len(names))
	for i, name := range names {
		var err error
		if labels[i], err = NewLabel(name, scripts()[name+"/"+Bad], scripts()[name+"/"+Clean]); err != nil {
			panic(err) // a test computes it
		}
	}
	return labels
})

// Libraries returns the result of each program with each MPI library, as `go run
// ./teach/suite/measure` wrote it: a heading and lines of columns with tabs between them.
func Libraries() string {
	text, err := fs.ReadFile(files, "libraries.tsv")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

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
