package machine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
)

type traceEvent struct {
	Ph       string
	Pid, Tid int
	Ts, Dur  float64
	ID       int64
	Args     map[string]any
}

// traced returns the events of a program's trace by row, and the ends of its arrows.
func traced(t require.TestingT, m machine.Machine, p machine.Program, o machine.Options) (rows map[[2]int][]traceEvent, arrows map[int64]string) {
	var b, again bytes.Buffer
	require.NoError(t, machine.Trace(context.Background(), &b, m, p, o))
	require.NoError(t, machine.Trace(context.Background(), &again, m, p, o))
	require.Equal(t, b.String(), again.String())
	var all struct {
		TraceEvents []traceEvent
		OtherData   map[string]string
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &all))
	require.Equal(t, machine.Note, all.OtherData["note"])
	var counted []traceEvent
	rows, arrows = map[[2]int][]traceEvent{}, map[int64]string{}
	for _, e := range all.TraceEvents {
		switch e.Ph {
		case "X":
			rows[[2]int{e.Pid, e.Tid}] = append(rows[[2]int{e.Pid, e.Tid}], e)
		case "s", "f":
			arrows[e.ID] += e.Ph
		case "C":
			counted = append(counted, e)
		}
	}
	for i, e := range counted {
		for name, n := range e.Args {
			require.Contains(t, []string{"requests", "messages"}, name)
			require.GreaterOrEqual(t, n, 0.0)
			if i+1 == len(counted) {
				require.Zero(t, n, "bytes are in flight at the end")
			}
		}
	}
	return rows, arrows
}

// TestTrace: the slices of a row do not overlap; those of a rank cover its time, those of
// a server its busy time; each aggregator has its requests.
func TestTrace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line, m, o, ranks := drawLine(rt), drawMachine(rt), drawOptions(rt), rapid.IntRange(1, 8).Draw(rt, "ranks")
		w, err := pattern.Parse(line, ranks)
		require.NoError(rt, err)
		r, err := machine.Run(context.Background(), m, w.Program(), o)
		require.NoError(rt, err)
		rows, _ := traced(rt, m, w.Program(), o)
		near := 1e-3 * (1 + r.Seconds) // of microseconds
		for row, list := range rows {
			slices.SortFunc(list, func(a, b traceEvent) int { return int(1e3 * (a.Ts - b.Ts)) })
			sum, last := 0.0, 0.0
			for _, e := range list {
				require.GreaterOrEqual(rt, e.Ts, last-near, "row %v", row)
				last = e.Ts + e.Dur
				sum += e.Dur
			}
			switch row[0] {
			case 1:
				require.InDelta(rt, 1e6*r.Ends[row[1]], sum, near)
			case 2:
				require.InDelta(rt, 1e6*r.Servers[row[1]].Busy, sum, near)
			}
		}
	})
}

func TestTraceArrows(t *testing.T) {
	p := program{
		{{Op: machine.Send, To: 1, Number: 5, Bytes: 10}, {Op: machine.Receive, Number: 6}},
		{{Op: machine.Receive, Number: 5}, {Op: machine.Send, To: 0, Number: 6}},
	}
	_, arrows := traced(t, wires(), machine.Program{Ranks: 2, Calls: func(int) int { return 2 }, Call: func(rank, i int) machine.Call { return p[rank][i] }}, machine.Options{})
	assert.Equal(t, map[int64]string{5: "sf", 6: "sf"}, arrows)
}

func TestTraceAggregators(t *testing.T) {
	w, err := pattern.Parse("blocks -w --shape 64x64", 8)
	require.NoError(t, err)
	o := romio
	o.Hints.Nodes, o.Hints.Buffer = 2, 4096
	r, err := machine.Run(context.Background(), machine.Lustre(4, 1<<20), w.Program(), o)
	require.NoError(t, err)
	rows, _ := traced(t, machine.Lustre(4, 1<<20), w.Program(), o)
	requests := 0
	for row, list := range rows {
		if row[0] == 3 {
			requests += len(list)
		}
	}
	assert.Equal(t, r.Requests(), int64(requests))
	assert.Positive(t, requests)
	var b bytes.Buffer
	require.NoError(t, machine.Trace(context.Background(), &b, machine.Lustre(4, 1<<20), w.Program(), o))
	assert.Contains(t, b.String(), `"ph":"C","name":"bytes in flight"`)
}

func TestTraceRefuses(t *testing.T) {
	w, err := pattern.Parse("ior", 2)
	require.NoError(t, err)
	assert.ErrorIs(t, machine.Trace(context.Background(), &bytes.Buffer{}, machine.Machine{}, w.Program(), machine.Options{}), errclass.Arg)
	assert.ErrorIs(t, machine.Trace(context.Background(), noRoom{}, machine.NFS(), w.Program(), machine.Options{}), errNoRoom)
	many := machine.Program{Ranks: 1, Calls: func(int) int { return 1_100_000 }, Call: func(int, int) machine.Call { return compute(1) }}
	assert.ErrorContains(t, machine.Trace(context.Background(), &bytes.Buffer{}, machine.NFS(), many, machine.Options{}), "1000000 slices")
}

var errNoRoom = errors.New("no room")

type noRoom struct{}

func (noRoom) Write([]byte) (int, error) { return 0, errNoRoom }
