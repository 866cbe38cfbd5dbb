package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/outputs"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/lab"
	"github.com/commworld/commworld/world"
)

// jsonFlag is the flag of commands that print data, but no findings.
type jsonFlag struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// formatFlags are the flags of commands that print findings.
type formatFlags struct {
	Format string `default:"text" enum:"text,json,sarif,junit,github" placeholder:"FORMAT" help:"Print the findings as ${enum}; ${default}."`
	JSON   bool   `name:"json" help:"Short for --format=json: print one JSON object."`
}

// AfterApply makes --json the same as --format=json, wherever code asks.
func (f *formatFlags) AfterApply() error {
	if f.JSON && f.Format != "text" && f.Format != "json" {
		return fmt.Errorf("--json contradicts --format=%s", f.Format)
	}
	if f.JSON {
		f.Format = "json"
	}
	f.JSON = f.Format == "json"
	return nil
}

// machine reports whether the output is for programs.
func (f *formatFlags) machine() bool { return f.Format != "" && f.Format != "text" }

// print prints a report for programs. all embeds the report; err is why the command could not
// do all its work, or else nil.
func (f *formatFlags) print(stdout io.Writer, r *findings.Report, all any, code int, err error) error {
	r.End(code, err)
	if o, ok := all.(*outputs.Run); ok {
		o.OK = r.OK
	}
	return findings.Write(stdout, f.Format, r, all)
}

// ended returns the exit status and the reason for a report of a command that printed what said
// has, and returned code and err.
func ended(code int, err error, said *lastWords) (int, error) {
	switch {
	case err != nil:
		return exitUsage, err
	case code == exitUsage:
		return code, said.error()
	}
	return code, nil
}

// workingDirectory is the folder that the files of findings are relative to; empty if unknown.
func workingDirectory() string {
	dir, _ := os.Getwd()
	return dir
}

// A lastWords passes on what is printed and keeps its end, which says why a command failed.
type lastWords struct {
	w   io.Writer
	end []byte
}

func (l *lastWords) Write(p []byte) (int, error) {
	l.end = append(l.end, p...)
	l.end = l.end[max(0, len(l.end)-tailBytes):]
	return l.w.Write(p)
}

// error returns what was printed, without the name of the program, as an error.
func (l *lastWords) error() error {
	text := strings.TrimPrefix(strings.TrimSpace(string(l.end)), "commworld: ")
	if text == "" {
		return fmt.Errorf("nothing was done, and no reason was printed")
	}
	return fmt.Errorf("%s", strings.ToValidUTF8(text, "?"))
}

// printMark prints a marking in any format and returns the exit status.
func (f *formatFlags) printMark(stdout io.Writer, command, target string, m *course.Marking) (int, error) {
	code := verdictExit(m.Verdict)
	if !f.machine() {
		return code, printMarking(stdout, m)
	}
	o := &outputs.Mark{Report: findings.New(command, filepath.ToSlash(target)), Lesson: m.Lesson, Verdict: m.Verdict, Summary: m.Summary, Runs: m.Runs, Reason: m.Reason}
	for i := range m.Findings {
		g := &m.Findings[i]
		found := findings.Finding{Finding: world.Finding{Kind: world.Kind(g.Kind), Rule: g.Rule, Ranks: g.Ranks, Text: g.Text, Fix: g.Fix}, Run: g.With}
		for _, line := range g.Lines {
			found.Places = append(found.Places, placeOfSubmission(target, line))
		}
		o.Add(workingDirectory(), found)
	}
	return code, f.print(stdout, &o.Report, o, code, nil)
}

// placeOfSubmission returns the place of a line of a submission, such as "main.go:31", or "line 4" of a
// script.
func placeOfSubmission(target, line string) world.Place {
	at, _, _ := strings.Cut(line, " < ")
	if n, ok := strings.CutPrefix(at, "line "); ok {
		at = filepath.Base(target) + ":" + n
	}
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return world.Place{File: at}
	}
	n, _ := strconv.Atoi(at[i+1:])
	p := world.Place{File: at[:i], Line: n}
	for _, name := range []string{filepath.Join(target, p.File), target} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			p.File = filepath.ToSlash(name)
			return p
		}
	}
	return p
}

// runOutput returns the results of a script as JSON, and the findings among them.
func runOutput(target string, rep *script.Report, fixes []*script.Fix) *outputs.Run {
	name := filepath.ToSlash(target)
	o := &outputs.Run{Report: findings.New("run", name), Result: lab.NewResult(rep, fixes)}
	found := findingsIn(rep, fixes)
	if target != "-" {
		found = named(found, rep.Script.Name, filepath.ToSlash(filepath.Clean(target)))
	}
	for _, f := range found {
		o.Add(workingDirectory(), findings.Finding{Finding: f, With: []int{rep.Script.Ranks}})
	}
	if extra := consistency.Races(rep.Races).Total() - len(rep.Races); extra > 0 && rep.Unannounced() {
		o.Findings[0].Text += fmt.Sprintf("\n%d further races are not listed", extra)
	}
	return o
}
