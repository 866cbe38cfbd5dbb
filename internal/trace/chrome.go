package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
)

// An Instant is a mark in the picture at a call of a rank, such as a race.
type Instant struct {
	Rank  int
	Op    string
	Place string
	Name  string
	Text  string
}

// The rows of the picture: one process, with a thread for each rank. Some viewers treat
// thread 0 as a processor's idle thread, so the numbers begin at 1.
const process = 1

func row(rank int) int { return rank + 1 }

// WriteChrome writes the events of all ranks as one JSON object in the trace event format.
// All ranks must have ended.
func (w *World) WriteChrome(to io.Writer, title string, marks []Instant) error {
	c := chrome{b: bufio.NewWriter(to)}
	fmt.Fprintf(c.b, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"schedule\":%s},\"traceEvents\":[", quoted(title))
	c.meta("process_name", 0, "name", fmt.Sprintf("world of %d ranks", len(w.logs)))
	for r := range w.logs {
		c.meta("thread_name", row(r), "name", "rank "+strconv.Itoa(r))
		c.meta("thread_sort_index", row(r), "sort_index", r)
	}
	flows := w.flows()
	end := int64(0)
	for r := range w.logs {
		for e := range w.logs[r].all() {
			end = max(end, e.End)
			c.event(r, e, flows)
		}
	}
	w.requests(&c, len(flows))
	for _, m := range marks {
		c.mark(m, w.startOr(m, end))
	}
	c.b.WriteString("\n]}\n")
	if c.err == nil {
		c.err = c.b.Flush()
	}
	return c.err
}

// flows numbers the received messages, in order of their senders.
func (w *World) flows() map[int64]int {
	received := map[int64]bool{}
	for r := range w.logs {
		for e := range w.logs[r].all() {
			if e.Kind == In {
				received[e.Message] = true
			}
		}
	}
	flows := make(map[int64]int, len(received))
	for r := range w.logs {
		for e := range w.logs[r].all() {
			if e.Kind == Out && received[e.Message] {
				flows[e.Message] = len(flows) + 1
			}
		}
	}
	return flows
}

// startOr returns the time at which the call of a mark began, or the end.
func (w *World) startOr(m Instant, end int64) int64 {
	if m.Rank >= 0 && m.Rank < len(w.logs) {
		for e := range w.logs[m.Rank].all() {
			if e.Kind == Slice && e.Name == m.Op && e.Line.Place().String() == m.Place {
				return e.Begin
			}
		}
	}
	return end
}

// chrome writes trace events.
type chrome struct {
	b     *bufio.Writer
	err   error
	later bool
}

// An item is one trace event.
type item struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Group string         `json:"cat,omitempty"`
	ID    int            `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Scope string         `json:"s,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Time  json.Number    `json:"ts,omitempty"`
	Dur   json.Number    `json:"dur,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

func (c *chrome) write(it item) {
	if c.err != nil {
		return
	}
	text, err := json.Marshal(it)
	if err != nil {
		c.err = err
		return
	}
	if c.later {
		c.b.WriteByte(',')
	}
	c.later = true
	c.b.WriteByte('\n')
	_, c.err = c.b.Write(text)
}

func (c *chrome) meta(name string, tid int, key string, value any) {
	c.write(item{Phase: "M", Name: name, Pid: process, Tid: tid, Args: map[string]any{key: value}})
}

func (c *chrome) event(rank int, e *Event, flows map[int64]int) {
	it := item{Pid: process, Tid: row(rank), Time: micros(e.Begin)}
	switch e.Kind {
	case Slice:
		it.Phase, it.Name, it.Group, it.Dur, it.Args = "X", e.Name, e.Group, micros(e.End-e.Begin), e.args()
	case Out, In:
		it.ID = flows[e.Message]
		if it.ID == 0 {
			return // an arrow needs two ends
		}
		it.Phase, it.Name, it.Group = "s", "message", "message"
		if e.Kind == In {
			it.Phase, it.Bind = "f", "e"
		}
	default:
		return
	}
	c.write(it)
}

// args returns the values that the viewer shows for a call. encoding/json sorts them.
func (e *Event) args() map[string]any {
	args := map[string]any{}
	object := "comm"
	if e.Group == "file" {
		object = "file"
	}
	for name, text := range map[string]string{object: e.Object, "what": e.Detail, "failed": e.Failed, "at": e.Line.Place().String()} {
		if text != "" {
			args[name] = text
		}
	}
	for name, n := range map[string]int64{"peer": int64(e.Peer), "tag": int64(e.Tag), "root": int64(e.Root), "offset": e.Offset} {
		if n != None {
			args[name] = n
		}
	}
	if e.Group != "wait" {
		args["bytes"] = e.Bytes
	}
	if e.Waits > 0 {
		args["waits"] = e.Waits
	}
	return args
}

func (c *chrome) mark(m Instant, when int64) {
	c.write(item{
		Phase: "i", Name: m.Name, Group: "race", Scope: "t", Pid: process, Tid: row(m.Rank), Time: micros(when),
		Args: map[string]any{"text": m.Text, "at": m.Place},
	})
}

// micros returns a time in microseconds, the unit of the format.
func micros(ns int64) json.Number {
	whole, part := ns/int64(time.Microsecond), ns%int64(time.Microsecond)
	if part == 0 {
		return json.Number(strconv.FormatInt(whole, 10))
	}
	return json.Number(fmt.Sprintf("%d.%03d", whole, part))
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // marshalling a string cannot fail
	return string(b)
}
