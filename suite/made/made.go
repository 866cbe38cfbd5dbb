// Package made generates the files of the suite that are not written by hand.
//
// Start here: [Twins] returns the pairs of package consistency under the suite's names, and
// [Programs] all files made from the scripts of a corpus.
package made

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/export"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/suite"
)

// alike lists twins whose racy half equals that of another pair.
var alike = map[string]bool{"gather-root": true} // allgather-as-barrier

// Twins returns the scripts of the twins, by their names in the suite.
func Twins() (map[string]string, error) {
	files := map[string]string{}
	names, err := fs.Glob(consistency.Twins(), "*.mpio")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(consistency.Twins(), name)
		if err != nil {
			return nil, err
		}
		pair, half := strings.TrimSuffix(name, "-clean.mpio"), suite.Clean
		if pair == name {
			pair, half = strings.TrimSuffix(name, "-racy.mpio"), suite.Bad
		}
		if alike[pair] {
			continue
		}
		files["corpus/"+pair+"/"+half+".mpio"] = string(text)
	}
	return files, nil
}

// Programs returns the C and Go programs and the table for the scripts of a corpus.
func Programs(corpus fs.FS) (map[string]string, error) {
	dirs, err := fs.ReadDir(corpus, "corpus")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	var labels []suite.Label
	for _, d := range dirs {
		label, err := pair(corpus, d.Name(), files)
		if err != nil {
			return nil, err
		}
		labels = append(labels, label)
	}
	slices.SortFunc(labels, func(a, b suite.Label) int { return strings.Compare(a.Name, b.Name) })
	files["labels.tsv"] = suite.FormatLabels(labels)
	return files, nil
}

// pair generates the programs of one pair.
func pair(corpus fs.FS, name string, files map[string]string) (suite.Label, error) {
	texts := map[string]string{}
	for _, half := range []string{suite.Bad, suite.Clean} {
		text, err := fs.ReadFile(corpus, path.Join("corpus", name, half+".mpio"))
		if err != nil {
			return suite.Label{}, err
		}
		texts[half] = string(text)
	}
	clean, err := script.Parse(texts[suite.Clean])
	if err != nil {
		return suite.Label{}, fmt.Errorf("%s: %w", name, err)
	}
	for half, text := range texts {
		s, err := script.Parse(text)
		if err != nil {
			return suite.Label{}, fmt.Errorf("%s: %w", name, err)
		}
		// In C both halves are compared with the intended results, which are those of the
		// clean script.
		o := export.Options{Name: half + ".mpio", Comment: export.Head(text), Expect: clean.Expect, Other: true}
		inC, err := export.C(s, o)
		if err != nil {
			return suite.Label{}, fmt.Errorf("%s/%s: %w", name, half, err)
		}
		if half == suite.Bad { // Go has checks of its own; comparing values would hide their findings
			o.Expect = nil
		}
		inGo, err := export.Go(s, o)
		if err != nil {
			return suite.Label{}, fmt.Errorf("%s/%s: %w", name, half, err)
		}
		base := path.Join("corpus", name, half)
		files[base+".c"] = inC
		files[base+".go"] = "//go:build ignore\n\n" + inGo
	}
	label, err := suite.NewLabel(name, texts[suite.Bad], texts[suite.Clean])
	if err != nil {
		return label, err
	}
	bad := path.Join("corpus", name, suite.Bad)
	label.C, label.Go = suite.In(files[bad+".c"], label.Lines), suite.In(files[bad+".go"], label.Lines)
	if len(label.C) < len(label.Lines) || len(label.Go) < len(label.Lines) {
		return label, fmt.Errorf("%s: C and Go have no line for some of %v", name, label.Lines)
	}
	return label, nil
}
