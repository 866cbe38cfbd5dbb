package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
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

// An outcome is how one test or subtest ended.
type outcome struct {
	pkg, test string
	action    string // pass, fail or skip
	output    string
}

// outcomes reads a stream of test events and returns what became of each test,
// and which packages failed. As go test does without -v, it prints to w the
// line of each package, and all about tests that failed.
func outcomes(r io.Reader, w io.Writer) (tests []outcome, failed []string, err error) {
	output := map[string]*strings.Builder{}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var e event
		if json.Unmarshal(s.Bytes(), &e) != nil {
			fmt.Fprintln(w, s.Text()) // the go command itself speaks plain text
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
		case e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
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
	// A test that never ended took its package down: a panic, a time-out.
	for _, b := range output {
		if strings.Contains(b.String(), "panic:") {
			fmt.Fprint(w, b.String())
		}
	}
	return tests, failed, s.Err()
}
