package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An event is one line of go test -json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build events
	Test       string
	Output     string
}

// An outcome is the result of one test or subtest.
type outcome struct {
	pkg, test string
	action    string // pass, fail or skip
	output    string
}

// outcomes reads a stream of test events and returns the result of each test, and the
// packages that failed. Like go test without -v, it prints to w the line of each package,
// and the output of failed tests.
func outcomes(r io.Reader, w io.Writer) (tests []outcome, failed []string, err error) {
	output := map[string]*strings.Builder{}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var e event
		if json.Unmarshal(s.Bytes(), &e) != nil {
			fmt.Fprintln(w, s.Text()) // a line of the go command itself is plain text
			continue
		}
		key := e.Package + "\x00" + e.Test
		switch {
		case e.Action == "build-output":
			fmt.Fprint(w, e.Output)
		case e.Action == "output" && e.Test == "":
			if e.Output != "PASS\n" {
				fmt.Fprint(w, e.Output)
			}
		case e.Action == "output":
			if output[key] == nil {
				output[key] = new(strings.Builder)
			}
			output[key].WriteString(e.Output)
		case e.Action == "fail" && e.Test == "":
			failed = append(failed, e.Package)
		case e.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
			o := outcome{pkg: e.Package, test: e.Test, action: e.Action}
			if b := output[key]; b != nil {
				o.output = b.String()
				delete(output, key)
			}
			if e.Action == "fail" {
				fmt.Fprint(w, o.output)
			}
			tests = append(tests, o)
		}
	}
	// A test without an end ended its package, by a panic or a time-out.
	for _, b := range output {
		if strings.Contains(b.String(), "panic:") {
			fmt.Fprint(w, b.String())
		}
	}
	return tests, failed, s.Err()
}
