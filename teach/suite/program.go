package suite

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/commworld/commworld/internal/show/export"
	"github.com/commworld/commworld/script"
)

// Languages of the programs generated from the scripts; they are file extensions, too.
const (
	C  = "c"
	Go = "go"
)

// Program returns one half of a pair as a C or Go program.
func Program(name, half, language string) (string, error) {
	text, err := Text(name, half)
	if err != nil {
		return "", err
	}
	intended, err := Text(name, Clean)
	if err != nil {
		return "", err
	}
	clean, err := script.Parse(intended)
	if err != nil {
		return "", fmt.Errorf("suite: %s/%s: %w", name, Clean, err)
	}
	s, err := script.Parse(text)
	if err != nil {
		return "", fmt.Errorf("suite: %s/%s: %w", name, half, err)
	}
	// In C both halves are compared with the intended results, which are those of the
	// clean script.
	o := export.Options{Name: half + ".mpio", Comment: export.Head(text), Expect: clean.Expect, Other: true}
	switch language {
	case C:
		text, err = export.C(s, o)
	case Go:
		if half == Bad { // Go has checks of its own; comparing values would hide their findings
			o.Expect = nil
		}
		text, err = export.Go(s, o)
		text = "//go:build ignore\n\n" + text
	default:
		return "", fmt.Errorf("suite: there are no programs in %q; use %q or %q", language, C, Go)
	}
	if err != nil {
		return "", fmt.Errorf("suite: %s/%s: %w", name, half, err)
	}
	return text, nil
}

// Files returns the whole corpus by file name: the scripts, C and Go programs of all pairs,
// the table of labels and the results with MPI libraries.
func Files() (map[string]string, error) {
	all := map[string]string{"libraries.tsv": Libraries()}
	for program, text := range scripts() {
		name, half, _ := Split(program)
		base := "corpus/" + program + "."
		all[base+"mpio"] = text
		for _, language := range []string{C, Go} {
			text, err := Program(name, half, language)
			if err != nil {
				return nil, err
			}
			all[base+language] = text
		}
	}
	labels, err := formatLabels(Labels())
	all["labels.tsv"] = labels
	return all, err
}

// calls finds the line of the script in a line of a C program or of a Go program: check(8, and // line 8.
var calls = regexp.MustCompile(`^\s*check\((\d+), |// line (\d+)$`)

// In returns the lines of the mistake in the bad program of a language.
func (l Label) In(language string) ([]Site, error) {
	program, err := Program(l.Name, Bad, language)
	if err != nil {
		return nil, err
	}
	var all []Site
	n := 0
	for text := range strings.Lines(program) {
		n++
		m := calls.FindStringSubmatch(strings.TrimRight(text, "\n"))
		for _, s := range l.Lines {
			if m != nil && m[1]+m[2] == fmt.Sprint(s.Line) {
				all = append(all, Site{s.Rank, n})
			}
		}
	}
	if len(all) < len(l.Lines) {
		return nil, fmt.Errorf("suite: %s/%s: the %s program has no line for some of %v", l.Name, Bad, language, l.Lines)
	}
	return all, nil
}
