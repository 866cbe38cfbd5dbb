package world_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A picture is a trace as a viewer reads it.
type picture struct {
	Events []mark `json:"traceEvents"`
}

type mark struct {
	Ph   string
	Name string
	ID   int
	Bp   string
	S    string
	Pid  int
	Tid  int
	Ts   *float64
	Dur  *float64
	Args map[string]any
}

// checkPicture holds a trace against the rules of the format: fields that each
// phase has, slices of a row that nest, arrows with two ends, each in a slice,
// that do not go back in time.
func checkPicture(t require.TestingT, text []byte) picture {
	var p picture
	require.NoError(t, json.Unmarshal(text, &p), "%s", text)
	type span struct{ from, to float64 }
	rows := map[int][]span{}
	begins, ends := map[int]float64{}, map[int]float64{}
	names := map[int]string{}
	for _, e := range p.Events {
		assert.Equal(t, 1, e.Pid)
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				names[e.Tid] = e.Args["name"].(string)
			}
		case "X":
			if assert.NotNil(t, e.Ts) && assert.NotNil(t, e.Dur) {
				assert.GreaterOrEqual(t, *e.Dur, 0.0)
				rows[e.Tid] = append(rows[e.Tid], span{*e.Ts, *e.Ts + *e.Dur})
			}
		case "s", "f":
			to := begins
			if e.Ph == "f" {
				to = ends
				assert.Equal(t, "e", e.Bp, "without it the arrow ends at the next slice")
			}
			assert.Positive(t, e.ID)
			assert.NotContains(t, to, e.ID, "one message, two arrows")
			to[e.ID] = *e.Ts
		case "i":
			assert.Equal(t, "t", e.S)
		case "C":
			for name, n := range e.Args {
				assert.Contains(t, []string{"requests", "messages"}, name)
				assert.GreaterOrEqual(t, n, 0.0)
			}
		default:
			assert.Fail(t, "unknown phase "+e.Ph)
		}
		assert.Contains(t, append([]string{""}, values(names)...), names[e.Tid], "a row without a name")
	}
	for _, row := range rows {
		for _, a := range row {
			for _, b := range row {
				assert.False(t, a.from < b.from && b.from < a.to-1e-6 && a.to < b.to, "slices %v and %v overlap", a, b)
			}
		}
	}
	assert.Len(t, ends, len(begins), "arrows with one end")
	for id, at := range begins {
		assert.Contains(t, ends, id)
		assert.LessOrEqual(t, at, ends[id])
	}
	for _, e := range p.Events {
		if e.Ph == "s" || e.Ph == "f" {
			inside := slices.ContainsFunc(rows[e.Tid], func(s span) bool { return s.from <= *e.Ts && *e.Ts <= s.to })
			assert.True(t, inside, "an arrow that begins or ends nowhere: %v", e)
		}
	}
	return p
}

func values(m map[int]string) (all []string) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

var shiVizLine = regexp.MustCompile("^" + world.ShiVizPattern + "$")

// An occurrence is a line of a ShiViz log.
type occurrence struct {
	host  string
	clock map[string]int
	text  string
}

// readShiViz reads a log as ShiViz does, and checks its rules: the events of a host are
// numbered from 1 without gaps, and no clock covers an event that is not in the log.
func readShiViz(t require.TestingT, log string) (hosts map[string][]occurrence) {
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	require.GreaterOrEqual(t, len(lines), 2)
	require.Equal(t, world.ShiVizPattern, lines[0])
	require.Empty(t, lines[1])
	hosts = map[string][]occurrence{}
	for _, line := range lines[2:] {
		m := shiVizLine.FindStringSubmatch(line)
		require.NotNil(t, m, line)
		o := occurrence{host: m[shiVizLine.SubexpIndex("host")], text: m[shiVizLine.SubexpIndex("event")]}
		require.NoError(t, json.Unmarshal([]byte(m[shiVizLine.SubexpIndex("clock")]), &o.clock))
		hosts[o.host] = append(hosts[o.host], o)
		require.Equal(t, len(hosts[o.host]), o.clock[o.host], line)
	}
	for _, all := range hosts {
		for _, o := range all {
			for h, n := range o.clock {
				require.LessOrEqual(t, n, len(hosts[h]))
			}
		}
	}
	return hosts
}

// A step of a drawn program is a message or a collective; all ranks take the
// steps in one order, so nothing can lock up.
type step struct {
	what     string // send, ssend, isend, barrier, bcast
	from, to int
}

func (s step) String() string { return fmt.Sprintf("%s %d>%d", s.what, s.from, s.to) }

func drawSteps(t *rapid.T, n int) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		s := step{rapid.SampledFrom([]string{"send", "ssend", "isend", "barrier", "bcast"}).Draw(t, "what"), rapid.IntRange(0, n-1).Draw(t, "from"), 0}
		s.to = (s.from + rapid.IntRange(1, n-1).Draw(t, "to")) % n
		return s
	}), 0, 12).Draw(t, "steps")
}

func runSteps(c *comm.Comm, steps []step) error {
	x, y := types.Of([]int32{1}), types.Of([]int32{0})
	for tag, s := range steps {
		var err error
		switch me := c.Rank(); {
		case s.what == "barrier":
			err = c.Barrier()
		case s.what == "bcast":
			err = c.Bcast(y, s.from)
		case me == s.from && s.what == "ssend":
			err = c.SSend(x, s.to, tag)
		case me == s.from && s.what == "isend":
			var q *comm.Request
			if q, err = c.ISend(x, s.to, tag); err == nil {
				_, err = q.Wait()
			}
		case me == s.from:
			err = c.Send(x, s.to, tag)
		case me == s.to && s.what == "isend":
			var q *comm.Request
			if q, err = c.IRecv(y, s.from, tag); err == nil {
				_, err = comm.WaitAll(q)
			}
		case me == s.to:
			_, err = c.Recv(y, s.from, tag)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// order has, for each event of a drawn program, the events that happen before it by the
// definition of the standard.
type order struct {
	texts  [][]string // by rank
	before map[[2]int][][2]int
}

func (o *order) event(rank int, text string, after ...[2]int) [2]int {
	at := [2]int{rank, len(o.texts[rank])}
	if at[1] > 0 {
		after = append(after, [2]int{rank, at[1] - 1})
	}
	o.texts[rank] = append(o.texts[rank], text)
	o.before[at] = append(o.before[at], after...)
	return at
}

func (o *order) history(of [2]int, seen map[[2]int]bool) {
	for _, e := range o.before[of] {
		if !seen[e] {
			seen[e] = true
			o.history(e, seen)
		}
	}
}

func orderOf(n int, steps []step) *order {
	o := &order{make([][]string, n), map[[2]int][][2]int{}}
	learned := make([][][2]int, n) // by a rank, since its last event
	event := func(r int, text string, after ...[2]int) [2]int {
		at := o.event(r, text, append(after, learned[r]...)...)
		learned[r] = nil
		return at
	}
	for tag, s := range steps {
		switch s.what {
		case "barrier", "bcast":
			name := map[string]string{"barrier": "Barrier", "bcast": "Bcast"}[s.what]
			begun := make([][2]int, n)
			for r := range n {
				begun[r] = event(r, name+" begins on COMM_WORLD")
			}
			for r := range n {
				after := begun
				if s.what == "bcast" {
					after = begun[s.from : s.from+1]
				}
				event(r, name+" is complete on COMM_WORLD", after...)
			}
		default:
			send, recv := map[string]string{"send": "Send", "ssend": "SSend", "isend": "ISend"}[s.what], "Recv"
			if s.what == "isend" {
				recv = "IRecv"
			}
			out := event(s.from, fmt.Sprintf("%s to %d tag %d, 4 bytes on COMM_WORLD", send, s.to, tag))
			if s.what == "ssend" { // its end is after the receive has begun
				learned[s.from] = append(learned[s.from], learned[s.to]...)
				if k := len(o.texts[s.to]); k > 0 {
					learned[s.from] = append(learned[s.from], [2]int{s.to, k - 1})
				}
			}
			event(s.to, fmt.Sprintf("%s from %d tag %d, 4 bytes on COMM_WORLD", recv, s.from, tag), out)
		}
	}
	return o
}

// If the clocks of a ShiViz log differed from the order of messages and collectives, the
// log would show an order that does not exist. If a trace broke the rules of its format, the
// viewer would show nothing, or something wrong.
func TestShiVizOfRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "ranks")
		steps := drawSteps(t, n)
		var chrome, shiviz bytes.Buffer
		opts := []world.Option{world.Trace(&chrome, world.Chrome), world.Trace(&shiviz, world.ShiViz)}
		if rapid.Bool().Draw(t, "seeded") {
			opts = append(opts, world.Seed(rapid.Uint64().Draw(t, "seed")))
		}
		err := world.Run(context.Background(), n, func(_ context.Context, c *comm.Comm) error { return runSteps(c, steps) }, opts...)
		require.NoError(t, err)

		p := checkPicture(t, chrome.Bytes())
		arrows, messages := 0, 0
		for _, e := range p.Events {
			if e.Ph == "s" {
				arrows++
			}
		}
		for _, s := range steps {
			if strings.HasSuffix(s.what, "send") {
				messages++
			}
		}
		assert.Equal(t, messages, arrows)

		hosts, want := readShiViz(t, shiviz.String()), orderOf(n, steps)
		for r, texts := range want.texts {
			all := hosts[fmt.Sprintf("rank%d", r)]
			require.Len(t, all, len(texts))
			for i, text := range texts {
				require.Equal(t, text, all[i].text)
				earlier := map[[2]int]bool{{r, i}: true}
				want.history([2]int{r, i}, earlier)
				for other, events := range want.texts {
					for k := range events {
						knows := all[i].clock[fmt.Sprintf("rank%d", other)] > k
						require.Equal(t, earlier[[2]int{other, k}], knows, "%q of rank %d before %q of rank %d\n%s", events[k], other, text, r, shiviz.String())
					}
				}
			}
		}
	})
}

// busy is a program with some of everything that a trace shows.
func busy(fsys *iofile.FS) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		me, n := c.Rank(), c.Size()
		x, y := types.Of([]int32{int32(me)}), types.Of([]int32{0})
		q, err := c.IRecv(y, comm.AnySource, 5)
		if err != nil {
			return err
		}
		if err := c.Send(x, (me+1)%n, 5); err != nil {
			return err
		}
		if _, _, err := comm.WaitAny(q); err != nil {
			return err
		}
		if _, err := c.SendRecv(x, comm.To{Rank: (me + 1) % n, Tag: 6}, y, comm.From{Rank: (me + n - 1) % n, Tag: 6}); err != nil {
			return err
		}
		b, err := c.IBarrier()
		if err != nil {
			return err
		}
		if _, err := b.Wait(); err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "busy", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if _, err = f.WriteAt(x, iofile.Offset(4*me)); err != nil {
			return err
		}
		w, err := f.IWriteAtAll(x, iofile.Offset(4*(n+me)))
		if err != nil {
			return err
		}
		if _, err := w.Wait(); err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	}
}

// If two runs of one seed wrote different bytes, a trace could not be compared
// with yesterday's.
func TestTraceRepeats(t *testing.T) {
	run := func(opt world.Option) (string, string) {
		var chrome, shiviz bytes.Buffer
		require.NoError(t, world.Run(t.Context(), 3, busy(iofile.NewMem()), opt, world.Trace(&chrome, world.Chrome), world.Trace(&shiviz, world.ShiViz)))
		p := checkPicture(t, chrome.Bytes())
		readShiViz(t, shiviz.String())
		var names []string
		for _, e := range p.Events {
			if e.Ph == "X" && e.Tid == 1 {
				names = append(names, e.Name)
				assert.Regexp(t, `^trace_test\.go:\d+$`, e.Args["at"])
			}
		}
		assert.Equal(t, []string{
			"IRecv", "Send", "WaitAny", "SendRecv", "IBarrier", "Wait",
			"Open", "WriteAt", "IWriteAtAll", "Wait", "Sync", "Close",
		}, names)
		return chrome.String(), shiviz.String()
	}
	for seed := range uint64(10) {
		a, b := run(world.Seed(seed))
		for range 3 {
			c, d := run(world.Replay(fmt.Sprintf("random:%d", seed)))
			require.Equal(t, a, c)
			require.Equal(t, b, d)
		}
	}
}

// A world that fails must write a complete file, because failed runs are those that users
// most want to look at.
func TestTraceOfFailures(t *testing.T) {
	t.Run("WORLD-01 a deadlock", func(t *testing.T) {
		for _, opts := range [][]world.Option{nil, {world.Seed(1)}} {
			var chrome, shiviz bytes.Buffer
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				if err := c.Send(types.Of([]int32{1}), 1-c.Rank(), 9); err != nil {
					return err
				}
				if c.Rank() == 0 {
					_, err := c.Recv(types.Of([]int32{1}), 1, 7)
					return err
				}
				return c.Barrier()
			}, append(opts, world.Trace(&chrome, world.Chrome), world.Trace(&shiviz, world.ShiViz))...)
			var dead *world.DeadlockError
			require.ErrorAs(t, err, &dead)
			p := checkPicture(t, chrome.Bytes())
			hosts := readShiViz(t, shiviz.String())
			failed := map[string]any{}
			for _, e := range p.Events {
				if e.Args["failed"] != nil {
					failed[e.Name] = e.Args["failed"]
				}
			}
			assert.Equal(t, map[string]any{"Recv": "the world was ended", "Barrier": "the world was ended"}, failed)
			assert.Equal(t, "Barrier is complete on COMM_WORLD: failed: the world was ended", last(hosts["rank1"]).text)
		}
	})
	t.Run("WORLD-01 a panic", func(t *testing.T) {
		var chrome bytes.Buffer
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				panic("one \"rank\" less")
			}
			return c.Barrier()
		}, world.Trace(&chrome, world.Chrome))
		assert.Error(t, err)
		checkPicture(t, chrome.Bytes())
	})
	t.Run("WORLD-01 a race is marked where it happened", func(t *testing.T) {
		var chrome bytes.Buffer
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "race", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]int32{int32(c.Rank())}), 0)
			return errors.Join(err, f.Close())
		}, world.Trace(&chrome, world.Chrome), world.Seed(3))
		require.Error(t, err)
		p := checkPicture(t, chrome.Bytes())
		marks := 0
		for _, e := range p.Events {
			if e.Ph == "i" {
				marks++
				assert.True(t, slices.ContainsFunc(p.Events, func(x mark) bool {
					return x.Ph == "X" && x.Name == "WriteAt" && x.Tid == e.Tid && *x.Ts == *e.Ts
				}))
			}
		}
		assert.Equal(t, 2, marks)
	})
}

func last[T any](xs []T) T { return xs[len(xs)-1] }

// A trace that cannot be written must be an error, or no one would notice that it is
// missing.
func TestTraceRefuses(t *testing.T) {
	nothing := func(context.Context, *comm.Comm) error { return nil }
	assert.ErrorIs(t, world.Run(t.Context(), 1, nothing, world.Trace(nil, world.Chrome)), world.ErrArg)
	assert.ErrorIs(t, world.Run(t.Context(), 1, nothing, world.Trace(nil, world.ShiViz)), world.ErrArg)
	assert.ErrorIs(t, world.Run(t.Context(), 1, nothing, world.Trace(&bytes.Buffer{}, world.ShiViz), world.Unchecked()), world.ErrArg)
	assert.ErrorIs(t, world.Run(t.Context(), 1, nothing, world.Trace(full{}, world.Chrome)), errFull)
	assert.ErrorIs(t, world.Run(t.Context(), 1, nothing, world.Trace(full{}, world.ShiViz)), errFull)
	_, err := world.Explore(t.Context(), 1, func() (program, func() any) { return nothing, nil }, world.Trace(&bytes.Buffer{}, world.Chrome))
	assert.ErrorIs(t, err, world.ErrArg)
}

type full struct{}

var errFull = errors.New("the disk is full")

func (full) Write([]byte) (int, error) { return 0, errFull }
