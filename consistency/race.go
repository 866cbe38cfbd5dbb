package consistency

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// Missing is what two accesses that race lack.
type Missing string

// What a race may lack, first thing first.
const (
	WriterSync Missing = "writer-sync" // the writer has not synced since it wrote
	Order      Missing = "order"       // nothing makes one of the two wait for the other
	ReaderSync Missing = "reader-sync" // the reader has not synced since it heard of the writer
)

// A Party is one of the two calls of a race.
type Party struct {
	Rank   int // in the world
	Op     string
	Write  bool
	Atomic bool
	Place  sched.Place // in the program
	View   string      // of the rank, at the time; may be empty

	view ViewParts // nil: not known
}

// String is the call in a sentence: `WriteAt at halo.go:17 on rank 2`.
func (p *Party) String() string {
	if at := p.Place.String(); at != "" {
		return fmt.Sprintf("%s at %s on rank %d", p.Op, at, p.Rank)
	}
	return fmt.Sprintf("%s on rank %d", p.Op, p.Rank)
}

// A RaceError says that two accesses to a file conflict and that the standard
// does not say which of them comes first: what is read, or what is in the file
// afterwards, is undefined. All that the same two places of a program did wrong
// with each other in the same way is one race.
type RaceError struct {
	File    string
	Lo, Hi  int64 // bytes [Lo, Hi) are the first of those in conflict
	More    int64 // ranges of bytes in conflict behind them, when it was seen first; at most 1,000 are counted
	A, B    Party // A comes first in the order that is there, or that Fix asks for
	Missing Missing
	Fix     string // what to change, as a sentence
	Rule    string // the case of the standard: CONS-C1, CONS-C2 or CONS-C3
	Count   int    // how often it was seen
	Replay  string // how to see it again; empty if the run needs nothing for that

	Together bool   // both are parts of one collective call
	Late     string // the sync that is there but in the wrong place, as a sentence; empty if there is none

	lack *lack // nil: it has been put into words

	Forgiven string // the profile by which it is none: it works there and is not guaranteed; mostly empty
}

// Error is the race on one line; [RaceError.Report] says more.
func (e *RaceError) Error() string {
	return fmt.Sprintf("consistency: %s on %q, %s: %v and %v: missing %s: %s (%s)",
		e.what(), e.File, e.Extent(), &e.A, &e.B, e.Missing, e.Fix, e.Rule)
}

// what says what it is.
func (e *RaceError) what() string {
	if e.Forgiven != "" {
		return fmt.Sprintf("race that works with %s and is not guaranteed,", e.Forgiven)
	}
	return "race"
}

// Lacks is what is missing, as part of a sentence.
func (e *RaceError) Lacks() string {
	if e.Missing == Order {
		return "order: nothing makes one of the two wait for the other"
	}
	after, p := "after", &e.A
	if (e.Missing == WriterSync) != e.A.Write {
		after, p = "before", &e.B
	}
	who, what := "the reader", "read"
	if p.Write {
		who, what = "the writer", "write"
	}
	if e.A.Write == e.B.Write {
		who = fmt.Sprintf("rank %d", p.Rank)
	}
	return fmt.Sprintf("a Sync of %s %s its %s", who, after, what)
}

// Extent is the bytes in words: "bytes 4 to 7", or "byte 4 and all after it" of
// a race about the size of the file.
func (e *RaceError) Extent() string {
	text := bytesText(e.Lo, e.Hi)
	switch {
	case e.More == 1:
		text += " and 1 more range"
	case e.More >= mostRanges:
		text += fmt.Sprintf(" and %d more ranges or more", e.More)
	case e.More > 1:
		text += fmt.Sprintf(" and %d more ranges", e.More)
	}
	return text
}

// mostRanges bounds the ranges of a race that are counted.
const mostRanges = 1000

// Report is the race on several lines, for people.
func (e *RaceError) Report() string {
	text := e.report()
	if e.Replay != "" {
		text += fmt.Sprintf("\n  replay   world.Replay(%q)", e.Replay)
	}
	return text
}

// report is Report without what differs from run to run.
func (e *RaceError) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %q, %s", e.what(), e.File, e.Extent())
	if e.Count > 1 {
		fmt.Fprintf(&b, ", and %d more like it", e.Count-1)
	}
	op, at := 0, 0
	for _, p := range []*Party{&e.A, &e.B} {
		op, at = max(op, len(p.Op)), max(at, len(p.Place.String()))
	}
	for _, p := range []*Party{&e.A, &e.B} {
		verb := "reads"
		if p.Write {
			verb = "writes"
		}
		line := fmt.Sprintf("\n  rank %-3d %-6s  %-*s  %-*s", p.Rank, verb, op, p.Op, at, p.Place)
		if p.Atomic {
			line += "  atomic"
		}
		if p.View != "" {
			line += "  " + p.View
		}
		b.WriteString(strings.TrimRight(line, " "))
	}
	if views, command := e.Views(); views != "" {
		fmt.Fprintf(&b, "\n  views    %s", wrapped(views, "\n           "))
		if command != "" {
			fmt.Fprintf(&b, "\n  draw     %s", command)
		}
	} else {
		lacks := e.Lacks()
		if e.Late != "" {
			lacks += ": " + e.Late
		}
		fmt.Fprintf(&b, "\n  missing  %s\n  fix      %s", wrapped(lacks, "\n           "), wrapped(e.Fix, "\n           "))
	}
	fmt.Fprintf(&b, "\n  rule     %s", e.Rule)
	return b.String()
}

// bytesText names the bytes [lo, hi) of a file. What reaches to where no file
// does is without end.
func bytesText(lo, hi int64) string {
	switch {
	case lo == hi: // see Detector.Unordered
		return "the shared pointer"
	case hi >= extent.MaxSize:
		return fmt.Sprintf("byte %d and all after it", lo)
	case hi == lo+1:
		return fmt.Sprintf("byte %d", lo)
	}
	return fmt.Sprintf("bytes %d to %d", lo, hi-1)
}

// wrapped breaks a sentence into lines that fit a screen.
func wrapped(text, indent string) string {
	const width = 88
	var b strings.Builder
	n := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case n+1+len(word) > width:
			b.WriteString(indent)
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}

// MarshalJSON writes the race for programs: bytes, a and b with rank, line and
// op, missing, rule, fix, for races about views "views" and "view_command" (see
// [RaceError.Views]), and what else is known.
func (e *RaceError) MarshalJSON() ([]byte, error) {
	type party struct {
		Rank   int          `json:"rank"`
		Line   int          `json:"line"`
		Op     string       `json:"op"`
		Source string       `json:"source,omitempty"`
		Caller *sched.Place `json:"caller,omitempty"` // the line that led to it
		Write  bool         `json:"write"`
		Atomic bool         `json:"atomic,omitempty"`
		View   string       `json:"view,omitempty"`
	}
	views, draw := e.Views()
	of := func(p *Party) party {
		return party{p.Rank, p.Place.Line, p.Op, p.Place.File, p.Place.Caller, p.Write, p.Atomic, p.View}
	}
	return json.Marshal(struct {
		File    string   `json:"file"`
		Bytes   [2]int64 `json:"bytes"`
		A       party    `json:"a"`
		B       party    `json:"b"`
		Missing Missing  `json:"missing"`
		Rule    string   `json:"rule"`
		Fix     string   `json:"fix"`
		Late    string   `json:"late,omitempty"` // the sync in the wrong place
		Count   int      `json:"count"`
		Views   string   `json:"views,omitempty"`        // of a race about views: what is wrong with them
		Draw    string   `json:"view_command,omitempty"` // and the command that draws them
		More    int64    `json:"more,omitempty"`         // ranges behind the bytes
		Replay  string   `json:"replay,omitempty"`

		Forgiven string `json:"forgiven,omitempty"` // the profile by which it is none
	}{e.File, [2]int64{e.Lo, e.Hi}, of(&e.A), of(&e.B), e.Missing, e.Rule, e.Fix, e.Late, e.Count, views, draw, e.More, e.Replay, e.Forgiven})
}

// need is what would have to be between two accesses.
type need struct{ first, order, second bool }

// missing names the first thing that a race lacks. The sync of the access seen
// first is the writer's if that one writes; of two writers the one to come
// later takes the reader's part, for it has to fetch before it overwrites.
func (n need) missing(aWrites bool) Missing {
	own, other := WriterSync, ReaderSync
	if !aWrites {
		own, other = other, own
	}
	switch {
	case n.order:
		return Order
	case n.first:
		return own
	}
	return other
}

// Races are the races of a run, as one error.
type Races []*RaceError

// Error gives the reports of the races, at most 20, and how to see them again.
func (r Races) Error() string {
	const most = 20
	var b strings.Builder
	for i, e := range r {
		if i == most {
			fmt.Fprintf(&b, "\nand %d more races", len(r)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.report())
	}
	if len(r) > 0 && r[0].Replay != "" { // one run has one schedule
		fmt.Fprintf(&b, "\nto see it again: world.Replay(%q)", r[0].Replay)
	}
	return b.String()
}

// Key tells these races from those of other runs, as [Races.Error] does without
// what is to be replayed, and much cheaper.
func (r Races) Key() string {
	var b []byte
	word := func(s string) { b = append(append(b, s...), 0) }
	number := func(n int64) { b = binary.AppendVarint(b, n) }
	for _, e := range r {
		word(e.File)
		number(e.Lo)
		number(e.Hi)
		for _, p := range []*Party{&e.A, &e.B} {
			number(int64(p.Rank))
			word(p.Op)
			b = strconv.AppendBool(strconv.AppendBool(b, p.Write), p.Atomic)
			word(p.Place.File)
			number(int64(p.Place.Line))
			word(p.View)
		}
		word(string(e.Missing))
		word(e.Rule)
		number(int64(e.Count))
	}
	return string(b)
}

// Unwrap gives errors.As the races.
func (r Races) Unwrap() []error {
	errs := make([]error, len(r))
	for i, e := range r {
		errs[i] = e
	}
	return errs
}
