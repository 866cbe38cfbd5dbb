package findings

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of JUnit's XML that readers agree on.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		File    string       `xml:"file,attr,omitempty"`
		Line    int          `xml:"line,attr,omitempty"`
		Failure *junitResult `xml:"failure"`
		Error   *junitResult `xml:"error"`
	}
	junitResult struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a test case that fails for each finding, one with an error if the command
// could not do all its work, and one that passes if there are neither.
func writeJUnit(w io.Writer, r *Report) error {
	s := junitSuite{Name: r.title()}
	for i := range r.Findings {
		f := &r.Findings[i]
		c := junitCase{Class: r.Target, Name: f.head()}
		if at, ok := f.at(); ok {
			c.File, c.Line = at.File, at.Line
			c.Name += fmt.Sprintf(" at %s:%d", at.File, at.Line)
		}
		first, _, _ := strings.Cut(strings.TrimSpace(f.Text), "\n")
		c.Failure = &junitResult{Message: first, Type: f.id(), Text: f.whole()}
		s.Cases = append(s.Cases, c)
		s.Failures++
	}
	switch {
	case r.Error != "":
		s.Cases = append(s.Cases, junitCase{Class: r.Target, Name: r.Command, Error: &junitResult{Message: r.Error, Type: "error", Text: r.Error}})
		s.Errors++
	case len(s.Cases) == 0 && r.OK:
		s.Cases = append(s.Cases, junitCase{Class: r.Target, Name: "no findings"})
	case len(s.Cases) == 0:
		text := fmt.Sprintf("exit status %d", r.Exit)
		s.Cases = append(s.Cases, junitCase{Class: r.Target, Name: r.Command, Failure: &junitResult{Message: text, Type: "exit-status", Text: text}})
		s.Failures++
	}
	s.Tests = len(s.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Name: "commworld", Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
