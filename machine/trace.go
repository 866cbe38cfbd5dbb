package machine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Trace runs p on m and writes its events, in the model's time, as JSON in the trace
// event format, which https://ui.perfetto.dev and chrome://tracing open. There is a row
// for each rank with its calls, divided by the parts of their time; for each server with
// the requests that it served; and for each aggregator with the requests of its rounds.
// An arrow leads from each send to its receive. A counter shows the bytes of requests and
// messages in flight. Errors: as [Run], those of w, and ErrArg for a run of more than a
// million slices; in that case the text ends there.
func Trace(ctx context.Context, w io.Writer, m Machine, p Program, o Options) error {
	if err := check(&m, &p, &o); err != nil {
		return err
	}
	s := newSim(ctx, &m, &p, o)
	out := bufio.NewWriter(w)
	s.tracer = &tracer{w: out, rows: map[row]bool{}}
	fmt.Fprintf(out, `{"displayTimeUnit":"ms","otherData":{"note":%q,"machine":%q},"traceEvents":[`, Note, m.Name)
	for kind, name := range rowNames {
		s.tracer.write(event{Phase: "M", Name: "process_name", Process: kind + 1, Args: map[string]any{"name": name + " (model)"}})
	}
	if err := s.run(); err != nil {
		return err
	}
	s.tracer.flights()
	if s.tracer.err != nil {
		return s.tracer.err
	}
	out.WriteString("]}\n")
	return out.Flush()
}

// mostSlices bounds the slices of a trace.
const mostSlices = 1_000_000

// The kinds of rows.
const (
	ofRank = iota
	ofServer
	ofAggregator
)

var rowNames = [...]string{"ranks", "servers", "aggregators"}

// A row of a trace.
type row struct{ kind, number int }

// A tracer writes a trace. A nil one does nothing.
type tracer struct {
	w      *bufio.Writer
	rows   map[row]bool // rows that have a name
	flight []change
	events int
	err    error
}

// A change is a change of the bytes in flight.
type change struct {
	at                 float64
	requests, messages int64
}

// addFlight records that bytes of a request, or of a message, are in flight from begin to
// end.
func (t *tracer) addFlight(begin, end float64, request, message int64) {
	if t == nil || t.err != nil || request+message == 0 {
		return
	}
	t.flight = append(t.flight, change{begin, request, message}, change{end, -request, -message})
	if len(t.flight) > 2*mostSlices {
		t.err = errTooMany()
	}
}

// flights writes the number of bytes in flight after each change.
func (t *tracer) flights() {
	slices.SortStableFunc(t.flight, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var now change
	for i, f := range t.flight {
		now.requests += f.requests
		now.messages += f.messages
		if i+1 == len(t.flight) || t.flight[i+1].at != f.at {
			t.put(event{
				Phase: "C", Name: "bytes in flight", Process: ofServer + 1, Time: f.at * 1e6,
				Args: map[string]any{"requests": now.requests, "messages": now.messages},
			})
		}
	}
}

// An event of a trace, with times in microseconds.
type event struct {
	Phase   string         `json:"ph"`
	Name    string         `json:"name"`
	Kind    string         `json:"cat,omitempty"`
	Process int            `json:"pid"`
	Thread  int            `json:"tid"`
	Time    float64        `json:"ts"`
	Length  *float64       `json:"dur,omitempty"`
	ID      int64          `json:"id,omitempty"`
	Bind    string         `json:"bp,omitempty"`
	Args    map[string]any `json:"args,omitempty"`
}

func errTooMany() error {
	return fault("a trace of more than %d slices; trace a smaller run", mostSlices)
}

func (t *tracer) write(e event) {
	if t.err != nil {
		return
	}
	if t.events++; t.events > mostSlices {
		t.err = errTooMany()
		return
	}
	t.put(e)
}

// put writes an event that does not count towards mostSlices.
func (t *tracer) put(e event) {
	if t.err != nil {
		return
	}
	text, err := json.Marshal(&e)
	if t.err = err; err != nil {
		return
	}
	if t.events > 1 {
		t.w.WriteString(",\n")
	}
	t.w.Write(text)
}

// row returns the process and thread of a row, and writes their names when the row is
// first used.
func (t *tracer) row(r row) (process, thread int) {
	if !t.rows[r] {
		t.rows[r] = true
		name := fmt.Sprintf([...]string{"rank %d", "server %d", "aggregator rank %d"}[r.kind], r.number)
		t.write(event{Phase: "M", Name: "thread_name", Process: r.kind + 1, Thread: r.number, Args: map[string]any{"name": name}})
	}
	return r.kind + 1, r.number
}

// slice writes a slice that lasts from begin to end.
func (t *tracer) slice(r row, name, kind string, begin, end float64, args map[string]any) {
	if t == nil || end <= begin {
		return
	}
	process, thread := t.row(r)
	length := (end - begin) * 1e6
	t.write(event{Phase: "X", Name: name, Kind: kind, Process: process, Thread: thread, Time: begin * 1e6, Length: &length, Args: args})
}

// arrow writes one end of an arrow: from a send, or to a receive.
func (t *tracer) arrow(phase string, rank int, number int64, at float64) {
	if t == nil {
		return
	}
	process, thread := t.row(row{ofRank, rank})
	e := event{Phase: phase, Name: "message", Kind: "message", Process: process, Thread: thread, Time: at * 1e6, ID: number}
	if phase == "f" {
		e.Bind = "e"
	}
	t.write(e)
}

// spent writes the slices of a rank's time from begin to end.
func (t *tracer) spent(rank int, label string, begin, end float64, spent *Parts) {
	if t == nil {
		return
	}
	args := map[string]any{}
	for kind, x := range spent {
		if x > 0 {
			args[PartNames[kind]+"_us"] = x * 1e6
		}
	}
	t.slice(row{ofRank, rank}, label, spent.Largest(), begin, end, args)
}

// served writes a request, or a server's part of it, on a row.
func (t *tracer) served(r row, write bool, bytes int64, f *file, rank int, begin, end float64, args map[string]any) {
	if t == nil {
		return
	}
	op := "read"
	if write {
		op = "write"
	}
	args["file"], args["rank"], args["bytes"] = f.name, rank, bytes
	t.slice(r, op+" "+size(bytes), op, begin, end, args)
}
