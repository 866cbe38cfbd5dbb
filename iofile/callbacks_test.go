package iofile_test

import (
	"context"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// If this fails, a program that only makes the file system does not follow accesses, or an open
// that names a function of its own does not get the calls.
func TestCallbacksOfSystemAndOpen(t *testing.T) {
	calls := map[string]int{}
	of := func(name string) iofile.Callbacks {
		return iofile.Callbacks{
			Access:   func(*iofile.Observed) { calls[name+" access"]++ },
			Plan:     func(*strategy.Plan) { calls[name+" plan"]++ },
			Progress: func(iofile.Progress) { calls[name+" progress"]++ },
		}
	}
	for _, row := range []struct {
		name string
		open []iofile.OpenOption
		want map[string]int
	}{
		{"the system's alone", nil, map[string]int{"system access": 1, "system plan": 1, "system progress": 1}},
		{
			"one of the open's own",
			[]iofile.OpenOption{iofile.WithCallbacks(iofile.Callbacks{Plan: of("open").Plan})},
			map[string]int{"system access": 1, "open plan": 1, "system progress": 1},
		},
		{
			"two options of an open",
			[]iofile.OpenOption{iofile.WithCallbacks(of("first")), iofile.WithCallbacks(iofile.Callbacks{Access: of("second").Access})},
			map[string]int{"second access": 1, "first plan": 1, "first progress": 1},
		},
	} {
		t.Run("IO-DA-01 "+row.name, func(t *testing.T) {
			clear(calls)
			fsys := iofile.NewMem(iofile.WithCallbacks(of("system")))
			assert.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create, row.open...)
				if err != nil {
					return err
				}
				_, err = f.WriteAt(types.Of([]byte("abc")), 0)
				assert.NoError(t, err)
				return f.Close()
			}))
			assert.Equal(t, row.want, calls)
		})
	}
	t.Run("IO-OPEN-04 all ranks give functions or none does", func(t *testing.T) {
		fsys := iofile.NewMem()
		assert.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			var open []iofile.OpenOption
			if c.Rank() == 0 {
				open = append(open, iofile.WithCallbacks(iofile.Callbacks{Plan: func(*strategy.Plan) {}}))
			}
			_, err := iofile.Open(c, fsys, "f", create, open...)
			refused(t, err, iofile.ErrNotSame, "GEN-05")
			assert.ErrorContains(t, err, "callbacks")
			return nil
		}))
	})
}
