package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Pattern is the first line of a ShiViz log: the expression by which ShiViz
// reads the others. The second line, of which expression parts several runs, is
// empty.
const Pattern = `(?<host>\S+) (?<clock>\{[^}]*\}) (?<event>.*)`

// A happening is an event with a clock, and the rank it happened on.
type happening struct {
	rank int
	e    *Event
}

// WriteShiViz writes what the ranks did as a log of events with vector clocks.
// ShiViz wants the events of a host to be numbered from 1 without gaps, where
// the ranks' own clocks count also what is no event here; so a time stands for
// the events of the log up to then.
func (w *World) WriteShiViz(to io.Writer) error {
	b := bufio.NewWriter(to)
	fmt.Fprintf(b, "%s\n\n", Pattern)
	times := make([][]uint64, len(w.logs))
	var all []happening
	for r := range w.logs {
		for e := range w.logs[r].all() {
			if e.time > 0 {
				times[r] = append(times[r], e.time)
				all = append(all, happening{r, e})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b happening) int { return cmp.Compare(a.e.End, b.e.End) })
	for _, h := range all {
		fmt.Fprintf(b, "rank%d {", h.rank)
		sep := ""
		for r, t := range h.e.clock.Times() {
			if n := upTo(times[r], t); n > 0 {
				fmt.Fprintf(b, `%s"rank%d":%d`, sep, r, n)
				sep = ","
			}
		}
		fmt.Fprintf(b, "} %s\n", oneLine(h.e.sentence()))
	}
	return b.Flush()
}

// upTo counts the times, which rise, that are not after t.
func upTo(times []uint64, t uint64) int {
	n, found := slices.BinarySearch(times, t)
	if found {
		n++
	}
	return n
}

// sentence is e in words.
func (e *Event) sentence() string {
	s := e.Name
	bytes := ", " + strconv.FormatInt(e.Bytes, 10) + " bytes"
	switch e.Kind {
	case Out:
		s += fmt.Sprintf(" to %d tag %d%s", e.Peer, e.Tag, bytes)
	case In:
		s += fmt.Sprintf(" from %d tag %d%s", e.Peer, e.Tag, bytes)
	case Enter:
		s += " begins"
	case Leave:
		s += " is complete"
	case Slice:
		if e.Offset != None {
			s += fmt.Sprintf(" at %d%s", e.Offset, bytes)
		}
	}
	switch {
	case e.Group == "file":
		s += fmt.Sprintf(" on %q", e.Object)
	case e.Object != "":
		s += " on " + e.Object
	}
	if e.Failed != "" {
		s += ": failed: " + e.Failed
	}
	return s
}

// oneLine keeps a name with a line break in it from being two events.
func oneLine(s string) string { return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(s) }
