package script_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// TestConstructedScripts: a script need not come from Parse, and one that
// cannot be run is an error, whichever function gets it.
func TestConstructedScripts(t *testing.T) {
	open := &script.Stmt{Routine: "open", Handle: "h", File: "f", Mode: iofile.ReadWrite | iofile.Create}
	one := func(stmts ...*script.Stmt) *script.Script {
		return &script.Script{Ranks: 1, Blocks: []script.Block{{Ranks: []int{0}, Stmts: stmts}}}
	}
	file := func(b ...script.Stretch) *script.Script {
		return &script.Script{Ranks: 1, Files: []script.File{{Name: "f", Bytes: b}}}
	}
	ranks := func(ranks ...int) *script.Script {
		return &script.Script{Ranks: 2, Blocks: []script.Block{{Ranks: ranks, Stmts: []*script.Stmt{open}}}}
	}
	write := func(d *script.Data) *script.Script {
		return one(open, &script.Stmt{Routine: "write_at", Handle: "h", Data: d})
	}
	sums := func(op string) *script.Script {
		return one(&script.Stmt{Routine: "allreduce", Op: op, Into: "x", Data: &script.Data{Type: types.Int, Values: []script.Value{{Text: "1", Repeat: 1}}}})
	}
	int1 := func(repeat int64) *script.Data {
		return &script.Data{Type: types.Int, Values: []script.Value{{Text: "1", Repeat: repeat}}}
	}
	for _, c := range []struct {
		s    *script.Script
		says string
	}{
		{nil, "it is nil"},
		{&script.Script{}, "0 ranks"},
		{&script.Script{Ranks: -1}, "-1 ranks"},
		{&script.Script{Ranks: 1 << 30}, "1073741824 ranks"},
		{one(nil), "it is nil"},
		{one(&script.Stmt{}), `unknown statement ""`},
		{one(&script.Stmt{Routine: "sync", Handle: "h"}), "rank 0 has not opened a file as h"},
		{one(open, &script.Stmt{Routine: "sync", Handle: "h", Self: true}), "only open takes self"},
		{one(&script.Stmt{Routine: "open", File: "f"}), "needs Handle"},
		{write(nil), "needs Data"},
		{write(&script.Data{}), "needs Data"},
		{write(&script.Data{Type: new(types.Type)}), "write_at"},
		{write(int1(-5)), "-5 times"},
		{write(int1(1 << 60)), "times"},
		{write(&script.Data{Type: types.Contiguous(2, types.Int), Values: []script.Value{{Text: "1", Repeat: 3}}}), "not a whole number"},
		{write(&script.Data{Type: types.Contiguous(-2, types.Int), Values: []script.Value{{Text: "1", Repeat: 2}}}), "-2"},
		{one(open, &script.Stmt{Routine: "read_at", Handle: "h", Into: "x"}), "needs Want"},
		{one(open, &script.Stmt{Routine: "read_at", Handle: "h", Want: &script.Want{}, Into: "x"}), "needs Want"},
		{one(open, &script.Stmt{Routine: "read_at", Handle: "h", Want: &script.Want{Type: types.Int, Count: 1}}), "needs Into"},
		{one(open, &script.Stmt{Routine: "get_size", Handle: "h", Into: "x"}, &script.Stmt{Routine: "get_size", Handle: "h", Into: "x"}), "has a result x already"},
		{one(&script.Stmt{Routine: "bcast"}), "needs Data"},
		{one(&script.Stmt{Routine: "bcast", Want: &script.Want{Type: types.Int, Count: 1}}), "needs Into"},
		{one(&script.Stmt{Routine: "wait"}), "0 requests"},
		{one(&script.Stmt{Routine: "waitall", Reqs: []string{"q"}}), "rank 0 has started nothing as q"},
		{sums(""), `unknown operation ""`},
		{ranks(1, 0), "must rise"},
		{ranks(0, 0), "must rise"},
		{ranks(-1), "must rise"},
		{ranks(2), "must rise"},
		{file(script.Stretch{Bytes: []byte{1}, Repeat: -1}), "-1 times"},
		{file(script.Stretch{Bytes: []byte{1}, Repeat: 1 << 62}), "times"},
		{file(script.Stretch{Bytes: make([]byte, 64), Repeat: 1 << 20}, script.Stretch{Bytes: []byte{1}, Repeat: 1}), "at most"},
		{&script.Script{Ranks: 1, Expect: []script.Expectation{{Outcomes: []script.Outcome{{{File: "f", Bytes: []script.Stretch{{Repeat: 1 << 62}}}}}}}}, "times"},
		{&script.Script{Ranks: 1, Expect: []script.Expectation{{Outcomes: []script.Outcome{{{Rank: -4, Name: "x"}}}}}}, "has no result x"},
	} {
		_, err := script.Run(t.Context(), c.s, script.Options{})
		assert.ErrorContains(t, err, c.says)
		_, err2 := script.Explore(t.Context(), c.s, script.Options{})
		assert.Equal(t, err, err2)
		_, _, _, err2 = script.Body(c.s, iofile.NewMem())
		assert.Equal(t, err, err2)
	}
	// One that can be run is run, without lines.
	rep, err := script.Run(t.Context(), one(open, &script.Stmt{Routine: "write_at", Handle: "h", Data: int1(3)},
		&script.Stmt{Routine: "read_at", Handle: "h", Want: &script.Want{Type: types.Int, Count: 3}, Into: "x"},
		&script.Stmt{Routine: "allreduce", Op: "sum", Into: "y", Data: int1(1)},
		&script.Stmt{Routine: "close", Handle: "h"}), script.Options{})
	require.NoError(t, err)
	assert.True(t, rep.OK(), rep.Unmet)
	assert.Len(t, rep.Outcomes[0].Ending.Results[0], 2)
}

// TestCancelledContexts: a run that was stopped before it began is not a success, and finished
// runs are reported.
func TestCancelledContexts(t *testing.T) {
	s, err := script.Parse("ranks 2\nall: barrier\nnorace\n")
	require.NoError(t, err)
	var none context.Context
	_, err = script.Run(none, s, script.Options{})
	require.ErrorContains(t, err, "the context is nil")
	_, err = script.Explore(none, s, script.Options{})
	require.ErrorContains(t, err, "the context is nil")

	why := errors.New("no time")
	ended, end := context.WithCancelCause(t.Context())
	end(why)
	rep, err := script.Run(ended, s, script.Options{})
	require.ErrorIs(t, err, why)
	assert.Nil(t, rep)
	rep, err = script.Explore(ended, s, script.Options{})
	require.ErrorIs(t, err, why)
	require.ErrorContains(t, err, "nothing was run to its end")
	assert.Nil(t, rep)

	// During a run. The world may notice it after the last statement only:
	// then again.
	const many = 30_000
	s, err = script.Parse("ranks 1\n0:\n open h f rdwr|create\n write_at h 0 byte 1\n" + strings.Repeat("sync h\n", many) + " close h\n")
	require.NoError(t, err)
	for err == nil {
		within, end := context.WithCancelCause(t.Context())
		rep, err = script.Run(within, s, script.Options{Open: []iofile.OpenOption{iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) { end(why) }})}})
		end(nil)
	}
	require.ErrorIs(t, err, why)
	require.ErrorIs(t, rep.Err, why)
	assert.False(t, rep.OK())
	assert.NotEmpty(t, rep.Log)
	assert.Less(t, len(rep.Log), many+3)
}
