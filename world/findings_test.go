package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// An autograder reads findings, not texts. If one were lost in nested and joined errors,
// or counted once a rank, it would give the wrong marks.
func TestFindings(t *testing.T) {
	assert.Empty(t, world.Findings(nil))
	races := func(fsys *iofile.FS) program {
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte{1}), 0)
			return errors.Join(err, f.Close())
		}
	}
	none := iofile.NewMem()
	for _, x := range []struct {
		name   string
		ranks  int
		body   program
		opts   []world.Option
		kinds  []world.Kind
		rules  []string
		hit    [][]int
		places []int
		typed  any
	}{
		{
			"a race", 2, races(iofile.NewMem()), nil,
			[]world.Kind{world.KindRace},
			[]string{"CONS-C2"},
			[][]int{{0, 1}},
			[]int{1},
			new(*consistency.RaceError),
		},
		{
			"a deadlock", 3, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					return nil
				}
				if err := c.Barrier(); err != nil {
					return fmt.Errorf("before the work: %w", err)
				}
				return nil
			}, nil,
			[]world.Kind{world.KindDeadlock},
			[]string{""},
			[][]int{{0, 2}},
			[]int{1},
			new(*world.DeadlockError),
		},
		{
			"a message that no receive matches", 2, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 0 {
					return c.Send(num(1), 1, 5)
				}
				_, err := c.Recv(num(0), 0, 7)
				return err
			}, nil,
			[]world.Kind{world.KindDeadlock},
			[]string{""},
			[][]int{{1}},
			[]int{2}, // of the receive, and of the send
			new(*world.DeadlockError),
		},
		{
			"one cause on all ranks", 4, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, none, "none", iofile.ReadOnly)
				if err != nil {
					return fmt.Errorf("start: %w", errors.Join(err, nil))
				}
				return f.Close()
			}, nil,
			[]world.Kind{world.KindError},
			[]string{"IO-AMODE-04"},
			[][]int{{0, 1, 2, 3}},
			nil, new(*world.Error),
		},
		{
			"a panic beside an error of the program", 2, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					panic("no")
				}
				return errors.New("enough")
			},
			[]world.Option{world.Seed(1)},
			nil, nil, nil, nil, nil,
		},
		{
			"different collectives", 3, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 2 {
					return c.Bcast(num(1), 0)
				}
				return c.Barrier()
			}, nil,
			[]world.Kind{world.KindMismatch},
			[]string{"GEN-06"},
			[][]int{{0, 1, 2}},
			nil, new(*world.Error),
		},
		{
			"a leak", 2, func(_ context.Context, c *comm.Comm) error {
				_, err := iofile.Open(c.Self(), iofile.NewMem(), "f", iofile.Create|iofile.ReadWrite)
				return err
			}, nil,
			[]world.Kind{world.KindLeak},
			nil,
			[][]int{{0, 1}},
			nil, new(*world.Error),
		},
		{
			"an abort", 2, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					return c.Abort(3)
				}
				return c.Barrier()
			}, nil,
			[]world.Kind{world.KindAbort},
			[]string{"WORLD-01"},
			[][]int{{1}},
			[]int{1},
			new(*world.AbortError),
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			err := world.Run(t.Context(), x.ranks, x.body, x.opts...)
			all := world.Findings(err)
			text, failed := json.Marshal(all)
			assert.NoError(t, failed)
			if !assert.NotEmpty(t, all) || x.kinds == nil {
				return
			}
			if !assert.Len(t, all, len(x.kinds), string(text)) {
				return
			}
			for i, f := range all {
				assert.Equal(t, x.kinds[i], f.Kind)
				if x.rules != nil {
					assert.Equal(t, x.rules[i], f.Rule)
				}
				assert.Equal(t, x.hit[i], f.Ranks, string(text))
				assert.ErrorAs(t, f.Err, x.typed)
				assert.NotEmpty(t, f.Text)
				if x.places != nil {
					assert.Len(t, f.Places, x.places[i], string(text))
				}
			}
		})
	}
	t.Run("an ignored error of a careful run", func(t *testing.T) {
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			_ = c.Bcast(num(1), 9)
			return nil
		}, world.Careful())
		var kinds []world.Kind
		for _, f := range world.Findings(err) {
			if kinds = append(kinds, f.Kind); f.Kind == world.KindIgnored {
				assert.Equal(t, []int{0, 1}, f.Ranks)
				assert.Equal(t, "MPI_ERR_ROOT", f.Class)
				assert.NotEmpty(t, f.Places)
			}
		}
		assert.Contains(t, kinds, world.KindIgnored)
	})
	t.Run("the lints of a report", func(t *testing.T) {
		fsys := iofile.NewMem()
		rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			return errors.Join(f.Sync(), f.Close())
		})
		assert.NoError(t, err)
		all := rep.Findings()
		if assert.NotEmpty(t, all) {
			assert.Len(t, all, 1)
			assert.Equal(t, world.KindLint, all[0].Kind)
			assert.Equal(t, []int{0}, all[0].Ranks)
			assert.NotEmpty(t, all[0].Places)
			assert.Equal(t, "CONS-SYNC-05", all[0].Rule)
		}
	})
}

// All fields that a program reads must be there: {} says nothing.
func TestErrorsInJSON(t *testing.T) {
	place := world.Place{File: "a.go", Line: 3, Func: "f"}
	for _, err := range []error{
		&world.Error{Pkg: "comm", Op: "Send", Rank: 1, Object: "COMM_WORLD", Class: errclass.Tag, Rule: "P2P-08", Err: errors.New("why"), Place: place},
		&world.RunError{Ranks: []*world.RankError{{Rank: 1, Err: errors.New("why")}}},
		&world.RankError{Rank: 1, Err: errors.New("why")},
		&world.PanicError{Value: "why", Place: place},
		&world.PanicError{Value: make(chan int), Place: place},
		&world.GoexitError{Place: place},
		&world.DeadlockError{Ranks: []world.Waiting{{Rank: 0, Why: "why", Place: place}}},
		&world.AbortError{Code: 4, Place: place},
		&world.UncontrolledError{Rank: 1, Before: "why", BeforeAt: place},
		&consistency.RaceError{File: "f", A: consistency.Party{Place: place}},
	} {
		text, failed := json.Marshal(err)
		assert.NoError(t, failed)
		var all map[string]any
		assert.NoError(t, json.Unmarshal(text, &all))
		assert.Greater(t, len(all), 1, "%T: %s", err, text)
	}
	x, err := world.Explore(t.Context(), 2, func() (program, func() any) {
		return func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				_, err := c.Recv(num(0), comm.AnySource, 0)
				return err
			}
			return c.Send(num(0), 0, 9)
		}, func() any { return math.NaN() }
	})
	assert.NoError(t, err)
	text, err := json.Marshal(x)
	assert.NoError(t, err)
	assert.Contains(t, string(text), `"kind":"deadlock"`)
	assert.Contains(t, string(text), `with tag 9 on COMM_WORLD`)
	var dead *world.DeadlockError
	if assert.ErrorAs(t, x.Outcomes[0].Err, &dead) {
		report, err := json.Marshal(dead)
		assert.NoError(t, err)
		assert.Contains(t, string(report), `"unreceived":[{"source":1,"tag":9,"comm":"COMM_WORLD","count":1,"place":{`)
	}
	assert.Contains(t, string(text), `"witness":"`)
	x, err = world.Explore(t.Context(), 1, func() (program, func() any) {
		return func(_ context.Context, c *comm.Comm) error { return nil }, func() any { return math.NaN() }
	})
	assert.NoError(t, err)
	text, err = json.Marshal(x)
	assert.NoError(t, err)
	assert.Contains(t, string(text), `"value":"NaN"`)
	err = world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		return errors.New("why")
	})
	text, err = json.Marshal(err)
	assert.NoError(t, err)
	assert.Contains(t, string(text), `"ranks":[0,1]`)
}
