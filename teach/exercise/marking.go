package exercise

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/commworld/commworld/world"
)

// A Verdict is the result of marking.
type Verdict string

// Verdicts.
const (
	Right    Verdict = "right"
	Wrong    Verdict = "wrong"
	Unmarked Verdict = "not marked" // the submission cannot be built or read
)

// Kinds of findings besides those of package world.
const (
	KindBuild      = "build"       // the submission cannot be built or read
	KindWorld      = "world"       // no world ran, or none with the required number of ranks
	KindBytes      = "bytes"       // a file has other bytes
	KindOutput     = "output"      // the program prints other lines
	KindRequests   = "requests"    // the bytes are right, but the task does not allow these accesses
	KindTimeout    = "timeout"     // the program ran too long
	KindMemory     = "memory"      // it took too much memory, or started too many processes
	KindExit       = "exit status" // it ended with a status other than 0, or inside a world
	KindOutcome    = "outcome"     // a script has other outcomes
	KindSource     = "source"      // the submission contains what could deceive the marker
	KindReport     = "report"      // the program wrote to the report of its run
	KindUnanswered = "unanswered"  // a question has no answer
	KindReason     = "reason"      // the program is right, and does not say what was wrong before
)

// Kinds that package world has, too.
const (
	kindRace     = string(world.KindRace)
	kindError    = string(world.KindError)
	kindMismatch = string(world.KindMismatch)
	kindDeadlock = string(world.KindDeadlock)
)

// A Finding is one mistake of a submission.
type Finding struct {
	Kind  string   `json:"kind"`
	Rule  string   `json:"rule,omitempty"` // id of the rule of the standard
	Ranks []int    `json:"ranks"`
	Lines []string `json:"lines"` // of the submission, such as main.go:31
	Text  string   `json:"text"`
	Fix   string   `json:"fix,omitempty"`
	With  string   `json:"with"` // the run that showed it first
}

// A Marking is the result of marking a submission.
type Marking struct {
	Lesson   string    `json:"lesson"`
	Verdict  Verdict   `json:"verdict"`
	Summary  string    `json:"summary"` // one sentence
	Runs     int       `json:"runs"`
	Findings []Finding `json:"findings"`

	// Reason is what a submission says about the mistake that it repairs. It is for the teacher
	// to read: marking judges the repair.
	Reason string `json:"reason,omitempty"`
}

// Conclude sorts the findings, causes first, and sets the verdict and the summary from them.
func (m *Marking) Conclude() {
	sort.SliceStable(m.Findings, func(i, k int) bool { return weight(&m.Findings[i]) < weight(&m.Findings[k]) })
	if len(m.Findings) == 0 {
		m.Verdict, m.Summary = Right, "Right."
		return
	}
	m.Verdict, m.Summary = Wrong, summary(&m.Findings[0])
}

// Refuse makes the submission one that cannot be marked, with a finding of kind that says why.
func (m *Marking) Refuse(kind, summary, text string) {
	m.Verdict, m.Summary = Unmarked, summary
	m.Find(kind, nil, "%s", text)
}

// Find adds a finding about lines of a script that was run under every schedule.
func (m *Marking) Find(kind string, lines []int, format string, args ...any) {
	f := Finding{Kind: kind, Text: fmt.Sprintf(format, args...)}
	for _, line := range lines {
		f.Lines = append(f.Lines, fmt.Sprint("line ", line))
	}
	m.add(f)
}

func (m *Marking) add(f Finding) {
	f.With = "every schedule"
	f.Ranks, f.Lines = append([]int{}, f.Ranks...), append([]string{}, f.Lines...)
	same := func(g Finding) bool { return g.Kind == f.Kind && g.Rule == f.Rule && g.Text == f.Text }
	if !slices.ContainsFunc(m.Findings, same) {
		m.Findings = append(m.Findings, f)
	}
}

// weights orders kinds: causes come before their consequences.
var weights = map[string]int{
	KindReport: 0, KindTimeout: 1, KindMemory: 1, kindDeadlock: 2, string(world.KindPanic): 2, kindMismatch: 3,
	kindError: 4, string(world.KindLeak): 5, kindRace: 6, KindExit: 7, KindWorld: 8, KindBytes: 11, KindOutput: 12, KindRequests: 13,
	string(world.KindIgnored): 14, string(world.KindLint): 15,
}

// ruleWritten is the rule about bytes that no rank wrote, a cause of wrong bytes.
const ruleWritten = "IO-SIZE-06"

func weight(f *Finding) int {
	if f.Rule == ruleWritten || f.Rule == "REP-BYTE-01" || strings.HasPrefix(f.Rule, "IO-INFO-") { // hints
		return 10
	}
	if w, ok := weights[f.Kind]; ok {
		return w
	}
	return 9
}

// sentences describes each kind of mistake in one sentence.
var sentences = map[string]string{
	KindTimeout: "The program does not end.", KindMemory: "The program takes too much memory or too many processes.",
	KindReport: "The program changes the report of its run.",
	KindExit:   "The program ends with an error, or too early.", KindWorld: "The program does not run the ranks that it was asked for.",
	KindBytes: "The file has wrong bytes.", KindOutput: "The program prints something wrong.",
	KindRequests: "The bytes are right, but not by the accesses that the task asks for.", KindOutcome: "The script has other outcomes than the task asks for.",
	kindDeadlock: "The ranks wait for each other for ever.", string(world.KindPanic): "A rank panics.",
	kindMismatch: "The ranks are in different collective calls, or gave different arguments.",
	kindError:    "A call breaks a rule of the standard.", string(world.KindLeak): "A rank leaves something open at the end.",
	kindRace:                  "Two ranks use the same bytes of a file, at least one writes, and order or syncs are missing between them.",
	string(world.KindIgnored): "The program ignores an error.", string(world.KindLint): "The program is legal, but probably not what you meant.",
	KindReason: "The program is right now, but the reason is missing.",
}

// summary describes the mistake in one sentence.
func summary(f *Finding) string {
	switch {
	case f.Rule == ruleWritten:
		return "There are bytes in the file that no rank wrote."
	case sentences[f.Kind] != "":
		return sentences[f.Kind]
	}
	return "The program is wrong."
}
