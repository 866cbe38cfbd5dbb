package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A blocks is a sieve of this package: it moves whole blocks of the file, and reads a block
// before it writes it unless one run covers it. Only its plan says so.
type blocks struct{ Size int64 }

func (b blocks) String() string                        { return fmt.Sprintf("blocks of %d", b.Size) }
func (b blocks) With(strategy.Hints) strategy.Strategy { return b }
func (b blocks) Check() error                          { return nil }
func (b blocks) Independent(p *strategy.Plan, part *strategy.Part) {
	round, last, pos := -1, int64(-1), int64(0)
	for off, n := range part.Runs() {
		for n > 0 {
			block := off / b.Size
			k := min(n, (block+1)*b.Size-off)
			if block != last {
				round, last = round+1, block
				r := strategy.Request{Round: round, Off: block * b.Size, Len: b.Size, Runs: 1}
				if !p.Write || k < b.Size {
					p.Requests = append(p.Requests, r)
				}
				if r.Write = p.Write; p.Write {
					p.Requests = append(p.Requests, r)
				}
			}
			p.Moves = append(p.Moves, strategy.Move{Round: round, Off: off, Pos: pos, Len: k})
			off, pos, n = off+k, pos+k, n-k
		}
	}
}

// A pairs is a list strategy of this package: a request names two runs.
type pairs struct{}

func (pairs) String() string                        { return "pairs" }
func (pairs) With(strategy.Hints) strategy.Strategy { return pairs{} }
func (pairs) Check() error                          { return nil }
func (pairs) Independent(p *strategy.Plan, part *strategy.Part) {
	k := 0
	for off, n := range part.Runs() {
		if k++; k%2 == 1 {
			p.Requests = append(p.Requests, strategy.Request{Round: k / 2, Write: p.Write, Off: off})
		}
		r := &p.Requests[len(p.Requests)-1]
		r.Runs, r.Len = r.Runs+1, r.Len+n
	}
}

// A plain strategy has a name and no plan.
type plain struct{ _ []string }

func (plain) String() string                          { return "plain" }
func (p plain) With(strategy.Hints) strategy.Strategy { return p }
func (plain) Check() error                            { return nil }

// If a strategy of the program could not be compared, opening would end the world instead of
// returning an error.
func TestStrategyOfProgram(t *testing.T) {
	require.NoError(t, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		_, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithStrategy(plain{}))
		assert.ErrorIs(t, err, iofile.ErrArg)
		assert.ErrorContains(t, err, "iofile_test.plain cannot be compared")
		return nil
	}))
	require.NoError(t, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithStrategy(&plain{}))
		if err != nil {
			return err
		}
		err = f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 10)})
		_, e2 := f.WriteAt(types.Of(make([]byte, 3)), 0)
		assert.Equal(t, strategy.Counts{Writes: 3, WriteBytes: 3, Useful: 3}, f.Counts())
		return errors.Join(err, e2, f.Close())
	}))
}

// A planning function; strategies are compared, so one holds a pointer to it.
type planning func(p *strategy.Plan, part *strategy.Part)

// A mistaken strategy plans with that function.
type mistaken struct{ plan *planning }

func (mistaken) String() string                          { return "mistaken" }
func (m mistaken) With(strategy.Hints) strategy.Strategy { return m }
func (mistaken) Check() error                            { return nil }
func (m mistaken) Independent(p *strategy.Plan, part *strategy.Part) {
	(*m.plan)(p, part)
}

// A strategy that plans other bytes than those of the access would lose some, or end the
// world by a panic.
func TestStrategyMistaken(t *testing.T) {
	request := func(off, n int64) planning {
		return func(p *strategy.Plan, _ *strategy.Part) {
			p.Requests = append(p.Requests, strategy.Request{Write: p.Write, Off: off, Len: n, Runs: 1})
		}
	}
	moves := func(list ...strategy.Move) planning {
		return func(p *strategy.Plan, _ *strategy.Part) {
			p.Requests = append(p.Requests, strategy.Request{Len: 24, Runs: 1})
			p.Moves = append(p.Moves, list...)
		}
	}
	for name, plan := range map[string]planning{
		"nothing":                    func(*strategy.Plan, *strategy.Part) {},
		"too few bytes":              request(0, 23),
		"too many bytes":             request(0, 1<<40),
		"a negative number of bytes": request(0, -8),
		"a byte twice":               moves(strategy.Move{Len: 24}, strategy.Move{Len: 1}),
		"a byte not at all":          moves(strategy.Move{Len: 23}),
		"bytes elsewhere":            moves(strategy.Move{Off: 8, Len: 16}, strategy.Move{Pos: 16, Len: 8}),
		"moves out of the window":    moves(strategy.Move{Off: 99, Pos: 1 << 30, Len: 4}),
	} {
		t.Run("IO-OPEN-04 "+name, func(t *testing.T) {
			m := mistaken{&plan}
			require.NoError(t, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithStrategy(m))
				if err != nil {
					return err
				}
				_, err = f.WriteAt(types.Of([]int64{1, 2, 3}), 0)
				assert.ErrorIs(t, err, iofile.ErrArg)
				_, err = f.ReadAt(types.Of(make([]int64, 3)), 0)
				assert.ErrorIs(t, err, iofile.ErrArg)
				return f.Close()
			}))
		})
	}
}
