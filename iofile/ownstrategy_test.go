package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
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

// A blockOwners is a joint strategy of this package: the blocks of the file belong to the ranks
// in turn, and each rank moves the bytes of its blocks for all. Ranks are numbered within
// the access.
type blockOwners struct{ Size int64 }

func (o blockOwners) String() string                        { return fmt.Sprintf("owners of blocks of %d", o.Size) }
func (o blockOwners) With(strategy.Hints) strategy.Strategy { return o }
func (o blockOwners) Check() error                          { return nil }
func (o blockOwners) Together(p *strategy.Plan, parts []strategy.Part) bool {
	rounds, next := map[int64]int{}, make([]int, len(parts))
	asked := map[int64]*strategy.Request{}
	for rank := range parts {
		pos := int64(0)
		for off, n := range parts[rank].Runs() {
			for n > 0 {
				block := off / o.Size
				owner, k := int(block%int64(len(parts))), min(n, (block+1)*o.Size-off)
				if asked[block] == nil {
					rounds[block] = next[owner]
					next[owner]++
					asked[block] = &strategy.Request{Rank: owner, Round: rounds[block], Write: p.Write, Off: block * o.Size, Len: o.Size, Runs: 1}
				}
				p.Moves = append(p.Moves, strategy.Move{Rank: rank, Carrier: owner, Round: rounds[block], Off: off, Pos: pos, Len: k})
				off, pos, n = off+k, pos+k, n-k
			}
		}
	}
	for _, r := range asked {
		if p.Requests = append(p.Requests, *r); p.Write { // what lies between is written back
			p.Requests = append(p.Requests, r.Reading())
		}
	}
	return true
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

// A joint function plans like the method Together; see planning.
type joint func(p *strategy.Plan, parts []strategy.Part) bool

// A mistakenJoint strategy plans with that function.
type mistakenJoint struct{ plan *joint }

func (mistakenJoint) String() string                          { return "mistaken" }
func (m mistakenJoint) With(strategy.Hints) strategy.Strategy { return m }
func (mistakenJoint) Check() error                            { return nil }
func (m mistakenJoint) Together(p *strategy.Plan, parts []strategy.Part) bool {
	return (*m.plan)(p, parts)
}

// A joint strategy that loses a byte, moves one twice or names a rank that does not exist
// would change other bytes than those of the access, or end the world by a panic. Every rank
// must get the error, and the file must stay as it is.
func TestJointStrategyMistaken(t *testing.T) {
	right := func(p *strategy.Plan, parts []strategy.Part) bool { return blockOwners{8}.Together(p, parts) }
	change := func(f func(p *strategy.Plan)) joint {
		return func(p *strategy.Plan, parts []strategy.Part) bool {
			right(p, parts)
			f(p)
			return true
		}
	}
	for name, plan := range map[string]joint{
		"a move too few":        change(func(p *strategy.Plan) { p.Moves = p.Moves[1:] }),
		"a move twice":          change(func(p *strategy.Plan) { p.Moves = append(p.Moves, p.Moves[0]) }),
		"a move of another":     change(func(p *strategy.Plan) { p.Moves[0].Rank = 1 - p.Moves[0].Rank }),
		"a rank that is not":    change(func(p *strategy.Plan) { p.Moves[0].Carrier = 2 }),
		"a rank below 0":        change(func(p *strategy.Plan) { p.Moves[0].Rank = -1 }),
		"a round below 0":       change(func(p *strategy.Plan) { p.Moves[0].Round = -1 }),
		"an empty move":         change(func(p *strategy.Plan) { p.Moves[0].Len = 0 }),
		"a move elsewhere":      change(func(p *strategy.Plan) { p.Moves[0].Pos++ }),
		"no requests":           change(func(p *strategy.Plan) { p.Requests = nil }),
		"a request too short":   change(func(p *strategy.Plan) { p.Requests[0].Len = 1 }),
		"a request too long":    change(func(p *strategy.Plan) { p.Requests[0].Len = 1 << 60 }),
		"a request before 0":    change(func(p *strategy.Plan) { p.Requests[0].Off = -8 }),
		"a request twice":       change(func(p *strategy.Plan) { p.Requests = append(p.Requests, p.Requests[0]) }),
		"a request of no rank":  change(func(p *strategy.Plan) { p.Requests[0].Rank = 7 }),
		"a request in no round": change(func(p *strategy.Plan) { p.Requests[0].Round = 99 }),
		"a request to write":    change(func(p *strategy.Plan) { p.Requests[0].Write = !p.Write }),
		"a request for nothing": change(func(p *strategy.Plan) {
			p.Requests = append(p.Requests, strategy.Request{Round: 99, Len: 8, Write: p.Write})
		}),
		"a request too far": change(func(p *strategy.Plan) {
			p.Requests = append(p.Requests, strategy.Request{Round: p.Requests[0].Round, Off: math.MaxInt64 - 5, Len: 8})
		}),
		"a move in another round": change(func(p *strategy.Plan) { p.Moves[0].Round += 50 }),
		"a round too late": change(func(p *strategy.Plan) {
			for i := range p.Moves {
				p.Moves[i].Round = math.MaxInt
			}
		}),
		"moves by another carrier": change(func(p *strategy.Plan) {
			for i := range p.Moves {
				p.Moves[i].Carrier = 1 - p.Moves[i].Carrier
				p.Moves[i].Round += p.Moves[i].Carrier
			}
		}),
	} {
		for _, w := range inAllForms {
			t.Run("IO-OPEN-04 "+name+" "+w.name, func(t *testing.T) {
				now, fsys := joint(right), iofile.NewMem(iofile.WithModel(consistency.POSIX))
				m := mistakenJoint{&now}
				require.NoError(t, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", create, iofile.WithStrategy(m))
					if err != nil {
						return err
					}
					mine, got := []int64{int64(c.Rank()), 5, 7}, make([]int64, 3)
					err = f.SetView(iofile.View{Disp: int64(24 * c.Rank()), Etype: types.Int64, Filetype: types.Int64})
					if _, e := w.write(f, types.Of(mine)); err == nil {
						err = e
					}
					err = errors.Join(err, syncBarrierSync(f, c))
					if c.Rank() == 0 {
						now = plan
					}
					err = errors.Join(err, c.Barrier())
					_, e := w.write(f, types.Of([]int64{9, 9, 9}))
					assert.ErrorIs(t, e, iofile.ErrArg)
					_, e = w.read(f, types.Of(got))
					assert.ErrorIs(t, e, iofile.ErrArg)
					assert.Equal(t, make([]int64, 3), got)
					err = errors.Join(err, c.Barrier())
					if c.Rank() == 0 {
						now = right
					}
					err = errors.Join(err, syncBarrierSync(f, c))
					_, e = w.read(f, types.Of(got))
					assert.Equal(t, mine, got)
					return errors.Join(err, e, f.Close())
				}))
			})
		}
	}
}

// A strategy of the program gets a plan and parts of its own: whatever it does to them, the
// access is the one that the program made.
func TestStrategyKeepsAccess(t *testing.T) {
	for name, meddle := range map[string]func(p *strategy.Plan, parts []strategy.Part){
		"the direction":        func(p *strategy.Plan, _ []strategy.Part) { p.Write = !p.Write },
		"the number of ranks":  func(p *strategy.Plan, _ []strategy.Part) { p.Ranks = 1000 },
		"the bytes":            func(p *strategy.Plan, _ []strategy.Part) { p.Useful = -1 },
		"the number of rounds": func(p *strategy.Plan, _ []strategy.Part) { p.Rounds = math.MaxInt },
		"the strategy":         func(p *strategy.Plan, _ []strategy.Part) { p.Strategy = nil },
		"the parts":            func(_ *strategy.Plan, parts []strategy.Part) { clear(parts) },
		"the end of a part":    func(_ *strategy.Plan, parts []strategy.Part) { parts[0].N *= 2 },
	} {
		together := joint(func(p *strategy.Plan, parts []strategy.Part) bool {
			blockOwners{8}.Together(p, parts)
			meddle(p, parts)
			return true
		})
		alone := planning(func(p *strategy.Plan, part *strategy.Part) {
			blocks{8}.Independent(p, part)
			parts := []strategy.Part{*part}
			meddle(p, parts)
			*part = parts[0]
		})
		for _, s := range []strategy.Strategy{mistakenJoint{&together}, mistaken{&alone}} {
			for _, w := range inAllForms {
				t.Run(fmt.Sprintf("IO-OPEN-04 %s %T %s", name, s, w.name), func(t *testing.T) {
					fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
					require.NoError(t, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", create, iofile.WithStrategy(s))
						if err != nil {
							return err
						}
						mine, got := []int64{int64(c.Rank()), 5, 7}, make([]int64, 3)
						err = f.SetView(iofile.View{Disp: int64(24 * c.Rank()), Etype: types.Int64, Filetype: types.Int64})
						_, e1 := w.write(f, types.Of(mine))
						e2 := syncBarrierSync(f, c)
						_, e3 := w.read(f, types.Of(got))
						assert.Equal(t, mine, got)
						assert.Equal(t, s, f.Plan().Strategy)
						return errors.Join(err, e1, e2, e3, f.Close())
					}))
				})
			}
		}
	}
}

// A buffer for a request takes memory: one for all bytes between two far ones would end the
// process.
func TestStrategyFar(t *testing.T) {
	far := joint(func(p *strategy.Plan, parts []strategy.Part) bool {
		for r := range parts {
			p.Moves = append(p.Moves, strategy.Move{Rank: r, Off: int64(r) << 45, Len: 8})
		}
		p.Requests = append(p.Requests, strategy.Request{Write: p.Write, Len: 1<<45 + 8, Runs: 1})
		return true
	})
	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
	require.NoError(t, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", create, iofile.WithStrategy(mistakenJoint{&far}))
		if err != nil {
			return err
		}
		st, err := f.WriteAtAll(types.Of([]int64{1}), iofile.Offset(c.Rank())<<45)
		n, _ := st.Count(types.Byte)
		assert.Zero(t, n, "nothing is in the file")
		assert.ErrorIs(t, err, iofile.ErrArg)
		assert.ErrorContains(t, err, "a request for 35184372088840 bytes from byte 0")
		return f.Close()
	}))
}

// A strategy that plans while its handle is in a call could change that call by another one.
func TestStrategyUsesFile(t *testing.T) {
	require.NoError(t, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		var f *iofile.File
		plan := planning(func(p *strategy.Plan, part *strategy.Part) {
			_, err := f.ReadAt(types.Of(make([]byte, 1)), 0)
			refused(t, err, iofile.ErrOther, "REP-USR-10")
			blocks{8}.Independent(p, part)
		})
		f, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithStrategy(mistaken{&plan}))
		if err != nil {
			return err
		}
		_, err = f.WriteAt(types.Of([]byte{1}), 0)
		return errors.Join(err, f.Close())
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
			p.Requests = append(p.Requests, strategy.Request{Write: p.Write, Len: 24, Runs: 1})
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
		"no request": func(p *strategy.Plan, _ *strategy.Part) {
			p.Moves = append(p.Moves, strategy.Move{Len: 24})
		},
		"a request twice": func(p *strategy.Plan, _ *strategy.Part) {
			r := strategy.Request{Write: p.Write, Len: 24, Runs: 1}
			p.Requests, p.Moves = append(p.Requests, r, r), append(p.Moves, strategy.Move{Len: 24})
		},
		"a request in another round": func(p *strategy.Plan, _ *strategy.Part) {
			p.Requests = append(p.Requests, strategy.Request{Write: p.Write, Len: 24, Runs: 1})
			p.Moves = append(p.Moves, strategy.Move{Round: 1, Len: 24})
		},
		"moves out of the window": moves(strategy.Move{Off: 99, Pos: 1 << 30, Len: 4}),
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

// A strategy that moves whole blocks also moves the last one that a file can have, of which
// only the beginning exists.
func TestStrategyLastBlock(t *testing.T) {
	const last = 1<<62 - 3
	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
	require.NoError(t, world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		for _, s := range []strategy.Strategy{blocks{1 << 20}, blockOwners{1 << 20}, blocks{5}, blockOwners{5}} {
			f, err := iofile.Open(c, fsys, "f", create, iofile.WithStrategy(s))
			if err != nil {
				return err
			}
			_, e1 := f.WriteAtAll(types.Of(make([]byte, 1)), last+iofile.Offset(c.Rank()))
			st, e2 := f.ReadAtAll(types.Of(make([]byte, 1)), last+iofile.Offset(c.Rank()))
			assert.Equal(t, int64(1), st.Bytes())
			if err := errors.Join(e1, e2, f.Close()); err != nil {
				return err
			}
		}
		return nil
	}))
}
