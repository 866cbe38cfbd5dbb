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

// Pattern is the first line of a ShiViz log: the expression by which ShiViz reads the
// others. The second line, the expression that separates several runs, is empty.
const Pattern = `(?<host>\S+) (?<clock>\{[^}]*\}) (?<event>.*)`

// A happening is an event with a clock, and the rank of the event.
type happening struct {
	rank int
	e    *Event
}

// WriteShiViz writes the events of all ranks as a log with vector clocks. ShiViz wants the
// events of a host to be numbered from 1 without gaps, but the ranks' own clocks also count
// events that are not in the log; so a time is replaced by the number of logged events up
// to it.
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

// upTo returns how many of the ascending times are t or earlier.
func upTo(times []uint64, t uint64) int {
	n, found := slices.BinarySearch(times, t)
	if found {
		n++
	}
	return n
}

// sentence returns e in words.
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

// oneLine escapes line breaks in a name, which would otherwise split an event in two.
func oneLine(s string) string { return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(s) }
