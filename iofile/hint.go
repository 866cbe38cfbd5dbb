package iofile

import (
	"cmp"
	"fmt"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/internal/trace"
)

// hint adds to the report of a run the lints of all accesses to a file together: syncs that
// ordered nothing, reads of bytes that no rank wrote, and accesses whose order decides the
// outcome and is not determined, which atomic mode and the shared pointer allow.
func hint(log *trace.Log, name string, d *race.Detector) {
	uses, all := d.Syncs()
	for _, u := range uses {
		if text := idle(&u); text != "" && all {
			log.Lint(trace.Lint{Op: "Sync", File: name, Place: u.Place.Base(), At: u.Place, Rule: "CONS-SYNC-05", Text: text})
		}
	}
	report := func(p *consistency.Party, rule, format string, args ...any) {
		log.Of(p.Rank).Lint(trace.Lint{Op: p.Op, File: name, Place: p.Place.Base(), At: p.Place, Rule: rule, Text: fmt.Sprintf(format, args...)})
	}
	for _, h := range d.HoleReads() {
		text := bytesText(h.Lo, h.Hi)
		if h.More > 0 {
			text += fmt.Sprintf(" and %s", counted(h.More, "more range"))
		}
		also := ""
		if h.Ranks > 1 {
			also = fmt.Sprintf("; so on %s", counted(h.Ranks-1, "more rank"))
		}
		report(&h.By, "IO-SIZE-06", "no rank ever wrote %s; a read there returns no particular value%s", text, also)
	}
	if log.Careful() {
		hintHoles(log, name, d)
	}
	unlisted := func(o *consistency.RaceError) string { // the last pair of a list that was full says how many there were
		if o.Unlisted == 0 {
			return ""
		}
		return fmt.Sprintf("; %s like this not listed", counted(o.Unlisted, "further pair"))
	}
	for _, o := range d.Forgiven() {
		report(&o.A, o.Rule, "it races with %v, %s: missing %s; that works with %s, where a write is seen without a sync by all that come after it, and is not guaranteed: %s%s",
			&o.B, o.Extent(), o.Lacks(), o.Forgiven, o.Fix, unlisted(o))
	}
	for _, o := range d.Unordered() {
		if o.Rule == consistency.RulePointer {
			report(&o.A, o.Rule, "the order of ranks %d and %d at the shared pointer is not determined: %s at %v, %s at %v; %s%s",
				o.A.Rank, o.B.Rank, o.A.Op, o.A.Place, o.B.Op, o.B.Place, o.Fix, unlisted(o))
			continue
		}
		otherwise := ""
		if m := o.Mistake(); m != nil {
			otherwise = fmt.Sprintf(", and one of the two writes is lost. If that is not meant: %s; %s", m.Cause, m.Cure)
		}
		report(&o.A, "CONS-D03", "nothing orders it and %v, which share bytes %d to %d; both are atomic, so each order is legal, but the outcome depends on it%s%s",
			&o.B, o.Lo, o.Hi-1, otherwise, unlisted(o))
	}
}

// hintHoles reports holes that the run left in the file; a wrong offset, displacement or
// extent leaves such holes.
func hintHoles(log *trace.Log, name string, d *race.Detector) {
	h, ok := d.Holes()
	if !ok {
		return
	}
	by := cmp.Or(h.Above, h.Below)
	l := trace.Lint{Op: "Close", File: name, Rule: "IO-SIZE-06"}
	if by != nil {
		l.Op, l.Place, l.At = by.Op, by.Place.String(), by.Place
		log = log.Of(by.Rank)
	}
	text := fmt.Sprintf("no rank wrote %s", bytesText(h.Lo, h.Hi))
	if h.More > 0 {
		text = fmt.Sprintf("no rank wrote %s and %s, %d bytes in all", bytesText(h.Lo, h.Hi), counted(h.More, "more range"), h.Bytes)
	}
	cause := consistency.HoleCause(h.Below, h.Above, h.Lo, h.Hi, d.Ranks())
	if cause != "" {
		text += "; likely cause: " + cause
	}
	if h.Below != nil {
		text += fmt.Sprintf("; %s ends at byte %d", writerText(h.Below), h.Lo)
	}
	if h.Above != nil {
		text += fmt.Sprintf("; %s writes byte %d", writerText(h.Above), h.Hi)
	}
	if cause == "" {
		text += "; offsets count etypes of the view, displacements and extents count bytes: check them"
	}
	l.Text = text + "; if the bytes are meant to stay empty, call SetSize or Preallocate, or write them"
	log.Lint(l)
}

// writerText returns the text for a write with its place and view.
func writerText(p *consistency.Party) string {
	text := p.String()
	if p.View != "" {
		text += " through " + p.View
	}
	return text
}

// idle returns the text for a line that syncs; empty if the sync was needed or comes right
// before a close, where it reports whether the bytes are safe, on some rank that it meets.
func idle(u *consistency.SyncUse) string {
	switch {
	case u.Needed > 0 || u.Last > 0 || u.Joined > 0:
		return ""
	case u.Idle == u.Calls:
		return fmt.Sprintf("in none of its %s was there anything to publish or to fetch: nothing was done through the handle before it, since the last one, nor after it",
			counted(u.Calls, "call"))
	}
	return fmt.Sprintf("of its %d calls by all ranks none was needed for visibility: it ordered no two accesses; all that it does is to bring bytes to the storage device", u.Calls)
}

// hintLeftover reports old bytes behind what a run wrote into a file that it opened as if
// the file were new.
func hintLeftover(log *trace.Log, l trace.Lint, d *race.Detector) {
	if o, ok := d.Leftover(); ok {
		l.Text = fmt.Sprintf("Create leaves a file that exists as it is: it had %d bytes, what this run wrote ends at %d, and %s are left over from before; "+
			"call SetSize, or delete the file first, unless they are meant to stay", o.Size, o.Written, bytesText(o.Written, o.Size))
		log.Lint(l)
	}
}

// bytesText names bytes [lo, hi).
func bytesText(lo, hi int64) string {
	if hi == lo+1 {
		return fmt.Sprintf("byte %d", lo)
	}
	return fmt.Sprintf("bytes %d to %d", lo, hi-1)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
