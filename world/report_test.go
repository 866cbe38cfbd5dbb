package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// counted is a program whose report has only known numbers.
func counted(fsys *iofile.FS) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		me := c.Rank()
		x, y := types.Of([]int64{int64(me)}), types.Of([]int64{0})
		if me > 0 { // each sends me messages of 8 bytes to rank 0
			for range me {
				if err := c.Send(x, 0, 1); err != nil {
					return err
				}
			}
		} else {
			for range 3 {
				if _, err := c.Recv(y, comm.AnySource, 1); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(c.AllReduce(x, y, comm.Sum), c.Barrier(), c.Bcast(y, 0)); err != nil {
			return err
		}
		q, err := c.BcastInit(y, 0)
		if err != nil {
			return err
		}
		for range 2 {
			if err := q.Start(); err != nil {
				return err
			}
			if _, err := q.Wait(); err != nil {
				return err
			}
		}
		if err := q.Free(); err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "sums", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(x, iofile.Offset(8*me)); err != nil {
			return err
		}
		if _, err := f.ReadAt(y, iofile.Offset(8*me)); err != nil {
			return err
		}
		if me == 2 {
			_ = c.Send(x, 0, 99) // no rank receives it
		}
		return errors.Join(f.Sync(), f.Close())
	}
}

// If a report counted wrong, its reader would fix code that is right.
func TestReportCounts(t *testing.T) {
	for name, opts := range map[string][]world.Option{
		"WORLD-01 free":   nil,
		"WORLD-01 seeded": {world.Seed(4)},
	} {
		t.Run(name, func(t *testing.T) {
			rep, err := world.RunReport(t.Context(), 3, counted(iofile.NewMem()), opts...)
			require.ErrorContains(t, err, "never received")
			require.NotNil(t, rep)
			assert.Equal(t, err, rep.Err)
			assert.Equal(t, 3, rep.Ranks)
			assert.Equal(t, []world.Pair{
				{From: 1, To: 0, Traffic: world.Traffic{Count: 1, Bytes: 8}},
				{From: 2, To: 0, Traffic: world.Traffic{Count: 3, Bytes: 24}},
			}, rep.Pairs)
			assert.Equal(t, world.Traffic{Count: 4, Bytes: 32}, rep.Total())
			assert.Equal(t, []world.Collective{
				{Name: "AllReduce", Traffic: world.Traffic{Count: 3, Bytes: 24}},
				{Name: "Barrier", Traffic: world.Traffic{Count: 3}},
				{Name: "Bcast", Traffic: world.Traffic{Count: 3, Bytes: 8}},
				{Name: "Bcast by Start", Traffic: world.Traffic{Count: 6, Bytes: 16}},
				{Name: "BcastInit", Traffic: world.Traffic{Count: 3, Bytes: 8}},
			}, rep.Collectives)
			counters := rep.Files[0].Counters // see TestCounters
			rep.Files[0].Counters = world.Counters{}
			assert.Equal(t, []world.FileReport{{
				Name: "sums", Opens: 3, Syncs: 3,
				Reads: world.Traffic{Count: 3, Bytes: 24}, Writes: world.Traffic{Count: 3, Bytes: 24},
				Requests: world.Requests{Reads: 3, Writes: 3, ReadBytes: 24, WriteBytes: 24, Useful: 48},
				Strategy: "Direct",
			}}, rep.Files)
			rep.Files[0].Counters = counters
			for r, p := range rep.PerRank {
				assert.Equal(t, world.Traffic{Count: []int64{0, 1, 3}[r], Bytes: []int64{0, 8, 24}[r]}, p.Sent)
				assert.Equal(t, world.Traffic{Count: []int64{3, 0, 0}[r], Bytes: []int64{24, 0, 0}[r]}, p.Received)
				assert.EqualValues(t, 6, p.Calls)
				assert.Equal(t, world.Traffic{Count: 2, Bytes: 16}, p.Accesses)
				assert.Positive(t, p.Clock[r])
			}
			require.Len(t, rep.Leaks, 1)
			assert.Equal(t, 2, rep.Leaks[0].Rank)
			assert.Contains(t, rep.Leaks[0].Text, "tag 99")
			if opts == nil {
				assert.Equal(t, "free", rep.Schedule)
				assert.Positive(t, rep.Wall)
			} else {
				assert.Equal(t, "random:4", rep.Schedule)
				assert.Zero(t, rep.Wall)
				assert.Zero(t, rep.PerRank[0].Waited)
				again, _ := world.RunReport(t.Context(), 3, counted(iofile.NewMem()), world.Replay(rep.Schedule))
				assert.Equal(t, rep.String(), again.String())
			}
		})
	}
}

// If the names in the JSON changed, the programs that read it would find
// nothing.
func TestReportJSON(t *testing.T) {
	rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error { return c.Barrier() }, world.Seed(1))
	require.NoError(t, err)
	text, err := json.Marshal(rep)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"ranks": 2, "schedule": "random:1",
		"per_rank": [
			{"sent": {"count":0,"bytes":0}, "received": {"count":0,"bytes":0}, "calls": 1, "accesses": {"count":0,"bytes":0}, "waits": 0},
			{"sent": {"count":0,"bytes":0}, "received": {"count":0,"bytes":0}, "calls": 1, "accesses": {"count":0,"bytes":0}, "waits": 1}
		],
		"pairs": [], "collectives": [{"name":"Barrier","count":2,"bytes":0}], "files": [], "races": [], "lints": [], "leaks": []
	}`, string(text))
}

// The report must contain the findings of the checks, or users would have to look in two
// places.
func TestReportFindings(t *testing.T) {
	fsys := iofile.NewMem()
	rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "found", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if _, err = f.WriteAt(types.Of([]int32{int32(c.Rank())}), 0); err != nil {
			return err
		}
		err = f.SetView(iofile.View{Disp: 8, Etype: types.Long, Filetype: types.Long, Rep: "external32"})
		if err == nil {
			err = f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "external32"})
		}
		if err == nil {
			_, err = f.WriteAt(types.Of([]int32{1}), iofile.Offset(100*c.Rank()+100))
		}
		return errors.Join(err, f.Close())
	})
	require.Error(t, err)
	require.Len(t, rep.Races, 1)
	assert.Equal(t, "found", rep.Races[0].File)
	require.NotEmpty(t, rep.Lints)
	assert.Equal(t, "found", rep.Lints[0].File)
	text := rep.String()
	assert.Contains(t, text, "race on \"found\"")
	assert.Contains(t, text, "legal, but probably not what you meant")
	assert.Contains(t, text, "the run failed")
}

// A communicator that is never freed leaks under a real library. Here that is no
// error, unless it is asked for.
func TestReportHintsAtCommunicators(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	body := func(_ context.Context, c *comm.Comm) error {
		a, err := c.Dup()
		_, err2 := c.Split(0, 0)
		return errors.Join(err, err2, a.Free())
	}
	t.Run("COMM-01 a communicator that was never freed", func(t *testing.T) {
		rep, err := world.RunReport(t.Context(), 2, body)
		require.NoError(t, err)
		require.Len(t, rep.Lints, 2)
		at := fmt.Sprintf("report_test.go:%d", line+3)
		for i, l := range rep.Lints {
			assert.Equal(t, []any{i, "split 0 of COMM_WORLD", at, "COMM-01"}, []any{l.Rank, l.File, l.Place, l.Rule})
		}
		assert.Contains(t, rep.String(), at+": the communicator made here was never freed")

		rep, err = world.RunReport(t.Context(), 2, body, world.Check(world.Handles))
		require.ErrorContains(t, err, at)
		assert.Empty(t, rep.Lints)
		require.NoError(t, world.Run(t.Context(), 2, body))
		for _, quiet := range []func() (*world.Report, error){
			func() (*world.Report, error) { return world.RunReport(t.Context(), 2, body, world.Unchecked()) },
			func() (*world.Report, error) { // it has ended early
				return world.RunReport(t.Context(), 2, func(ctx context.Context, c *comm.Comm) error {
					return errors.Join(body(ctx, c), errors.New("enough"))
				})
			},
		} {
			rep, _ := quiet()
			assert.Empty(t, rep.Lints)
		}
	})
}

// If counting allocated, a long run with a report would be another run.
func TestReportCountsWithoutGarbage(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, opts := range map[string][]world.Option{"WORLD-01 free": nil, "WORLD-01 seeded": {world.Replay("roundrobin")}} {
		t.Run(name, func(t *testing.T) {
			var bare, counted float64
			require.NoError(t, world.Run(t.Context(), 2, rounds(&bare), opts...))
			rep, err := world.RunReport(t.Context(), 2, rounds(&counted), opts...)
			require.NoError(t, err)
			assert.EqualValues(t, 2*(10+200+1), rep.Total().Count)
			assert.Equal(t, bare, counted, "allocations of a round")
		})
	}
}

// rounds is a program that exchanges messages and meets, and measures the allocations of a
// round.
func rounds(per *float64) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		x, y := types.Of([]int64{1}), types.Of([]int64{0})
		round := func() error {
			first, second := func() error { return c.Send(x, 1-c.Rank(), 0) }, func() error {
				_, err := c.Recv(y, 1-c.Rank(), 0)
				return err
			}
			if c.Rank() == 1 {
				first, second = second, first
			}
			return errors.Join(first(), second(), c.AllReduce(x, y, comm.Sum))
		}
		for range 10 { // each meets its peer, and its pool of messages fills
			if err := round(); err != nil {
				return err
			}
		}
		var err error
		if c.Rank() == 0 {
			*per = testing.AllocsPerRun(200, func() { err = errors.Join(err, round()) })
			return err
		}
		for range 201 { // once more, to warm up
			err = errors.Join(err, round())
		}
		return err
	}
}

// A program whose arguments make no world must have no report.
func TestReportRefuses(t *testing.T) {
	rep, err := world.RunReport(t.Context(), 0, func(context.Context, *comm.Comm) error { return nil })
	assert.ErrorIs(t, err, world.ErrArg)
	assert.Nil(t, rep)
}

// A message to oneself: without a report, with one, and with a trace.
func BenchmarkReport(b *testing.B) {
	body := func(b *testing.B) func(context.Context, *comm.Comm) error {
		b.ReportAllocs()
		return func(_ context.Context, c *comm.Comm) error {
			x, y := types.Of([]int64{1}), types.Of([]int64{0})
			for b.Loop() {
				if err := c.Send(x, 0, 0); err != nil {
					return err
				}
				if _, err := c.Recv(y, 0, 0); err != nil {
					return err
				}
			}
			return nil
		}
	}
	b.Run("none", func(b *testing.B) { require.NoError(b, world.Run(b.Context(), 1, body(b))) })
	b.Run("report", func(b *testing.B) {
		_, err := world.RunReport(b.Context(), 1, body(b))
		require.NoError(b, err)
	})
	b.Run("trace", func(b *testing.B) {
		require.NoError(b, world.Run(b.Context(), 1, body(b), world.Trace(io.Discard, world.Chrome)))
	})
}
