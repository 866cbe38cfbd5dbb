package consistency

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/show/plain"
)

// Missing names the call or order that two racing accesses lack.
type Missing string

// The values of Missing, in the order in which they are checked.
const (
	WriterSync Missing = "writer-sync" // the writer has not synced since it wrote
	Order      Missing = "order"       // neither of the two waits for the other
	ReaderSync Missing = "reader-sync" // the reader has not synced since it learned of the write
)

// A Party is one of the two calls of a race.
type Party struct {
	Rank   int // in the world
	Op     string
	Write  bool
	Atomic bool
	Place  sched.Place // in the program
	View   string      // view of the rank at the time; may be empty

	Parts ViewParts // parts of the view; nil: unknown

	Known
}

// String returns the call as part of a sentence: `WriteAt at halo.go:17 on rank 2`.
func (p *Party) String() string {
	if at := p.Place.String(); at != "" {
		return fmt.Sprintf("%s at %s on rank %d", p.Op, at, p.Rank)
	}
	return fmt.Sprintf("%s on rank %d", p.Op, p.Rank)
}

// A RaceError reports that two accesses to a file conflict and that the standard does not
// order them: the bytes read, or the bytes in the file afterwards, are undefined. All
// conflicts of the same kind between the same two lines of a program are one race.
type RaceError struct {
	File    string
	Lo, Hi  int64 // bytes [Lo, Hi) are the first of those in conflict
	More    int64 // number of further conflicting ranges when it was first seen; at most 1,000 are counted
	A, B    Party // A comes first in the actual order, or in the order that Fix asks for
	Missing Missing
	Fix     string // the change that fixes it, as a sentence
	Rule    string // the case of the standard: CONS-C1, CONS-C2 or CONS-C3
	Count   int    // how often it was seen; at most [MostCounted] are counted
	Replay  string // how to replay the run; empty if every run shows it

	Tried    bool   // changes of the views and offsets were tried, and none keeps what both ranks write
	Together bool   // both are parts of one collective call
	Separate bool   // neither rank is one of those with which the other opened the file
	Late     string // a sync that exists but in the wrong place, as a sentence; else empty
	After    string // calls of the two ranks that had failed before, and whose effect the race may be; else empty

	Forgiven string // the profile that forgives it: it works there, but is not guaranteed; usually empty

	// Unlisted is, in the last of [MostRaces] races of a file, how many further pairs of lines
	// race, which are not listed; else 0.
	Unlisted int
}

// Blame names calls that had failed before the race, as its likely reason, and replaces the fix.
func (e *RaceError) Blame(failed string) {
	e.After, e.Fix = failed, "first let these calls succeed, because the race may be their effect"
}

// Error returns the race as one line; [RaceError.Report] says more.
func (e *RaceError) Error() string {
	return fmt.Sprintf("consistency: %s on %q, %s: %v and %v: missing %s: %s (%s)",
		e.kindText(), e.File, e.Extent(), &e.A, &e.B, e.Missing, e.Fix, e.Rule)
}

// kindText returns the kind of race as text.
func (e *RaceError) kindText() string {
	if e.Forgiven != "" {
		return fmt.Sprintf("race that works with %s and is not guaranteed,", e.Forgiven)
	}
	return "race"
}

// Lacks describes the missing call, as part of a sentence.
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

// Extent returns the bytes in words: "bytes 4 to 7", or "byte 4 and all after it" for a
// race about the size of the file.
func (e *RaceError) Extent() string {
	text := bytesText(e.Lo, e.Hi)
	switch {
	case e.More == 1:
		text += " and 1 more range"
	case e.More >= MostRanges:
		text += fmt.Sprintf(" and %d more ranges or more", e.More)
	case e.More > 1:
		text += fmt.Sprintf(" and %d more ranges", e.More)
	}
	return text
}

// Bounds of what is counted and listed.
const (
	MostRanges  = 1000   // of the conflicting ranges of a race
	MostCounted = 1000   // of the pairs of accesses of a race
	MostRaces   = 10_000 // of the races of one file
)

// Alike describes how often the race was seen again, as part of a sentence: "3 more like it";
// empty if it was seen once.
func (e *RaceError) Alike() string {
	switch {
	case e.Count <= 1:
		return ""
	case e.Count >= MostCounted:
		return fmt.Sprintf("at least %d more like it", e.Count-1)
	}
	return fmt.Sprintf("%d more like it", e.Count-1)
}

// Report returns the race as several lines, for people.
func (e *RaceError) Report() string {
	text := e.report()
	if e.Replay != "" {
		text += fmt.Sprintf("\n  replay   world.Replay(%q)", e.Replay)
	}
	return text
}

// report returns the text of Report without the parts that differ from run to run.
func (e *RaceError) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %q, %s", e.kindText(), e.File, e.Extent())
	if like := e.Alike(); like != "" {
		fmt.Fprintf(&b, ", and %s", like)
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
	if e.After != "" {
		fmt.Fprintf(&b, "\n  after    %s\n  fix      %s", wrapped(e.After), wrapped(e.Fix))
	} else if views, command := e.Views(); views != "" {
		fmt.Fprintf(&b, "\n  views    %s", wrapped(views))
		if command != "" {
			fmt.Fprintf(&b, "\n  draw     %s", command)
		}
	} else {
		if m := e.Mistake(); m != nil {
			fmt.Fprintf(&b, "\n  cause    %s", wrapped(m.Cause))
		}
		lacks := e.Lacks()
		if e.Late != "" {
			lacks += ": " + e.Late
		}
		fmt.Fprintf(&b, "\n  missing  %s\n  fix      %s", wrapped(lacks), wrapped(e.Fix))
	}
	fmt.Fprintf(&b, "\n  rule     %s", e.Rule)
	return b.String()
}

// bytesText returns the bytes [lo, hi) of a file as text. A range that reaches beyond every
// file has no end.
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

// wrapped breaks a sentence into lines that fit a screen, below each other.
func wrapped(text string) string { return strings.Join(plain.Fold(text, 88), "\n           ") }

// MarshalJSON writes the race for programs: bytes, a and b with rank, line and op, missing,
// rule, fix, for races that views cause "views" and "view_command" (see [RaceError.Views]),
// and further known facts.
func (e *RaceError) MarshalJSON() ([]byte, error) {
	type party struct {
		Rank   int          `json:"rank"`
		Line   int          `json:"line"`
		Op     string       `json:"op"`
		Source string       `json:"source,omitempty"`
		Caller *sched.Place `json:"caller,omitempty"` // the line that called Place's function
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
		Views   string   `json:"views,omitempty"`        // for a race that views cause: the mistake in them
		Draw    string   `json:"view_command,omitempty"` // and the command that draws them
		More    int64    `json:"more,omitempty"`         // number of further ranges
		Replay  string   `json:"replay,omitempty"`

		Forgiven string `json:"forgiven,omitempty"` // the profile that forgives it
		Unlisted int    `json:"unlisted,omitempty"` // of the last race of a file: races that are not listed
	}{e.File, [2]int64{e.Lo, e.Hi}, of(&e.A), of(&e.B), e.Missing, e.Rule, e.Fix, e.Late, e.Count, views, draw, e.More, e.Replay, e.Forgiven, e.Unlisted})
}

// Races are the races of a run, as one error.
type Races []*RaceError

// Total returns the number of races, with those that are not listed.
func (r Races) Total() int {
	n := len(r)
	for _, e := range r {
		n += e.Unlisted
	}
	return n
}

// Summary counts the races, and the pairs of calls if they are more: a race is of two lines of a program, which many
// ranks may run.
func (r Races) Summary() string {
	text, pairs := plain.Count(r.Total(), "race"), 0
	for _, e := range r {
		if pairs += max(1, e.Count); e.Unlisted > 0 || e.Count >= MostCounted {
			return text
		}
	}
	if pairs > len(r) {
		text += fmt.Sprintf(" (%d pairs of calls)", pairs)
	}
	return text
}

// Error returns the reports of the races, at most 20, and how to replay them.
func (r Races) Error() string {
	const most = 20
	var b strings.Builder
	for i, e := range r {
		if i == most {
			fmt.Fprintf(&b, "\nand %d more races", r.Total()-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.report())
	}
	if len(r) > 0 && r[0].Replay != "" { // all races of a run have the same schedule
		fmt.Fprintf(&b, "\nto see it again: world.Replay(%q)", r[0].Replay)
	}
	return b.String()
}

// Key returns a text that distinguishes these races from those of other runs, like
// [Races.Error] without the replay token, and much faster.
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

// Unwrap gives errors.As the individual races.
func (r Races) Unwrap() []error {
	errs := make([]error, len(r))
	for i, e := range r {
		errs[i] = e
	}
	return errs
}
