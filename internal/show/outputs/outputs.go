// Package outputs has the JSON objects that commands print: what they found, in the shape of
// package findings, and what each command adds. The JSON Schema files in docs/schema are made from
// these structs.
//
// Start here: [Check], [Run] and [Mark]; [All] lists them with their names.
package outputs

import (
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/lab"
	"github.com/commworld/commworld/world"
)

// All returns an empty object of each kind, by the name of its schema.
func All() map[string]any {
	return map[string]any{"findings": &findings.Report{}, "check": &Check{}, "run": &Run{}, "mark": &Mark{}}
}

// Check is what commworld check prints.
type Check struct {
	findings.Report
	Runs        []CheckRun `json:"runs"`
	Notes       []string   `json:"notes,omitempty"`       // files that depend on the number of ranks
	Unchecked   string     `json:"unchecked,omitempty"`   // what the check could not cover, and the remedy
	Interrupted bool       `json:"interrupted,omitempty"` // interrupted before everything was checked
}

// A CheckRun is one run of a program that is checked.
type CheckRun struct {
	Ranks  []int    `json:"ranks"`           // sizes of the worlds that began, each once
	Asked  int      `json:"asked"`           // worlds that the program asked for
	Worlds int      `json:"worlds"`          // worlds that began
	Exit   int      `json:"exit"`            // exit status; -1 if check ended the process
	Ended  string   `json:"ended,omitempty"` // why check ended the process
	Notes  []string `json:"notes,omitempty"`
	Output string   `json:"output,omitempty"` // the end of what it printed
}

// Run is what commworld run prints. Of its races and errors those are findings that the script
// does not expect.
type Run struct {
	OK bool `json:"ok"` // the exit status is 0
	findings.Report
	*lab.Result
	World *world.Report `json:"report,omitempty"` // with --report
}

// Mark is what commworld course mark and commworld litmus --quiz --mark print.
type Mark struct {
	findings.Report
	Lesson  string         `json:"lesson"`
	Verdict course.Verdict `json:"verdict"`
	Summary string         `json:"summary"` // one sentence
	Runs    int            `json:"runs"`
	Reason  string         `json:"reason,omitempty"` // that the submission gives for the mistake it repairs
}
