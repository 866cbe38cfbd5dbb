// Package findings has the one shape in which commands report what they found, and writes it as
// JSON, SARIF, JUnit and annotations of GitHub.
//
// Start here: [New] makes a report, [Report.End] adds the exit status, and [Write] prints it.
package findings

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/world"
)

// Version is the version of the shape. A field that is removed or changes its meaning raises it.
const Version = 1

// Formats are the names of the formats, text first, which each command prints in its own way.
var Formats = []string{"text", "json", "sarif", "junit", "github"}

// A Report is the part that the reports of all commands have in common.
type Report struct {
	Version  int       `json:"version"`         // of this shape
	Command  string    `json:"command"`         // such as check or course mark
	Target   string    `json:"target"`          // what it was about, as the user named it
	OK       bool      `json:"ok"`              // the exit status is 0
	Exit     int       `json:"exit"`            // the exit status
	Error    string    `json:"error,omitempty"` // why the command could not do all its work
	Findings []Finding `json:"findings"`
}

// A Finding is one mistake. Its files are relative to the working directory, with slashes, unless
// they are outside of it.
type Finding struct {
	world.Finding
	With  []int  `json:"with,omitempty"`  // numbers of ranks that showed it
	Order string `json:"order,omitempty"` // forward, backward or program, if only that order of ranks showed it
	Run   string `json:"run,omitempty"`   // the run that showed it first, in words
}

// New returns an empty report.
func New(command, target string) Report {
	return Report{Version: Version, Command: command, Target: target, Findings: []Finding{}}
}

// End adds the exit status, and the error that ended the command, if any.
func (r *Report) End(exit int, err error) {
	r.Exit, r.OK = exit, exit == 0
	if err != nil {
		r.Error = err.Error()
	}
}

// Add adds findings, with the files named relative to a folder.
func (r *Report) Add(dir string, all ...Finding) {
	for _, f := range all {
		places := make([]world.Place, len(f.Places))
		for i, p := range f.Places {
			places[i] = Relative(dir, p)
		}
		f.Places = places
		if f.Ranks == nil {
			f.Ranks = []int{}
		}
		r.Findings = append(r.Findings, f)
	}
}

// Relative returns a place whose files are relative to a folder.
func Relative(dir string, p world.Place) world.Place {
	p.File = filepath.ToSlash(careenv.Relative(dir, p.File))
	if p.Caller != nil {
		caller := Relative(dir, *p.Caller)
		p.Caller = &caller
	}
	return p
}

// title names the command and its target.
func (r *Report) title() string {
	if strings.HasPrefix(r.Command, "commworld") { // a program of its own
		return strings.TrimSpace(r.Command + " " + r.Target)
	}
	return strings.TrimSpace("commworld " + r.Command + " " + r.Target)
}

// head returns the kind and the rule of a finding.
func (f *Finding) head() string {
	if f.Rule == "" {
		return string(f.Kind)
	}
	return fmt.Sprintf("%s (%s)", f.Kind, f.Rule)
}

// id names the kind of mistake for tools that count them: the rule, or else the kind.
func (f *Finding) id() string {
	if f.Rule != "" {
		return f.Rule
	}
	return strings.ReplaceAll(string(f.Kind), " ", "-")
}

// whole returns the text with everything that helps to repair.
func (f *Finding) whole() string {
	text := strings.TrimSpace(f.Text)
	if f.Fix != "" && !Says(text, f.Fix) {
		text += "\nfix: " + f.Fix
	}
	if f.Replay != "" && !strings.Contains(text, f.Replay) {
		text += "\nreplay: " + f.Replay
	}
	return text
}

// warns reports whether a finding may be meant: a lint, or something that was not checked.
func (f *Finding) warns() bool {
	return f.Kind == world.KindLint || f.Kind == world.KindUnchecked
}

// at returns the first known line of a finding.
func (f *Finding) at() (world.Place, bool) {
	for _, p := range f.Places {
		if p.File != "" && p.Line > 0 {
			return p, true
		}
	}
	return world.Place{}, false
}

// Says reports whether the text of a finding contains its fix, perhaps in other lines. Of a race
// that views cause it has the command that draws them on a line of its own.
func Says(text, fix string) bool {
	fix, _, _ = strings.Cut(fix, " To see them: ")
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return strings.Contains(flat(text), flat(fix))
}

// Write writes a report in a format other than text. As JSON it writes all, which embeds the
// report and may have more fields.
func Write(w io.Writer, format string, r *Report, all any) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(all)
	case "sarif":
		return writeSARIF(w, r)
	case "junit":
		return writeJUnit(w, r)
	case "github":
		return writeGitHub(w, r)
	}
	return fmt.Errorf("unknown format %q; use %s", format, strings.Join(Formats[1:], ", "))
}
