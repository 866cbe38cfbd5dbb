package world_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// handedOver returns a program in which rank 0 writes and rank 1 reads, with a sync, a
// barrier and a sync between if safe. Its outcome is the byte that rank 1 reads.
func handedOver(safe bool, opts ...iofile.Option) world.Setup {
	return func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys, got := iofile.NewMem(opts...), make([]byte, 1)
		err := fsys.Import("f", strings.NewReader("0"))
		return func(_ context.Context, c *comm.Comm) error {
			f, e := iofile.Open(c, fsys, "f", iofile.ReadWrite)
			if err := errors.Join(err, e); err != nil {
				return err
			}
			if c.Rank() == 0 {
				_, err = f.WriteAt(types.Of([]byte("5")), 0)
			}
			if safe {
				err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync())
			}
			if c.Rank() == 1 {
				_, e = f.ReadAt(types.Of(got), 0)
			}
			return errors.Join(err, e, f.Close())
		}, func() any { return string(got) }
	}
}

// TestExploreIncompleteModels: if it fails, an exploration says that it has all outcomes of
// a race under a model whose races it does not try in every way, or denies it to a program
// without a race. (CONS-C2)
func TestExploreIncompleteModels(t *testing.T) {
	for _, row := range []struct {
		name string
		opts []iofile.Option
		racy string // part of Stopped if there is a race; "": complete
		safe string // the same without a race
	}{
		{"weakest", nil, "", ""},
		{"session", []iofile.Option{iofile.WithModel(consistency.Session)}, "", ""},
		{"commit", []iofile.Option{iofile.WithModel(consistency.Commit)}, "", ""},
		{"chaos", []iofile.Option{iofile.WithModel(consistency.Chaos(1))}, "file f: under the model chaos, a race", ""},
		{"POSIX", []iofile.Option{iofile.WithModel(consistency.POSIX)}, "", ""},
		{"weakest, not watched", []iofile.Option{iofile.WithRaceDetector(consistency.Off)}, "WithRaceDetector(consistency.Off)", "WithRaceDetector(consistency.Off)"},
		{"session, not watched", []iofile.Option{iofile.WithRaceDetector(consistency.Off), iofile.WithModel(consistency.Session)}, "", ""},
		{"POSIX, not watched", []iofile.Option{iofile.WithRaceDetector(consistency.Off), iofile.WithModel(consistency.POSIX)}, "", ""},
		{"session, forgiven", []iofile.Option{iofile.WithRaceDetector(consistency.ROMIO), iofile.WithModel(consistency.Session)}, "", ""},
		{"chaos, forgiven", []iofile.Option{iofile.WithRaceDetector(consistency.ROMIO), iofile.WithModel(consistency.Chaos(1))}, "model chaos", "profile ROMIO does not report"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, safe := range []bool{false, true} {
				want := row.racy
				if safe {
					want = row.safe
				}
				x, err := world.Explore(t.Context(), 2, handedOver(safe, row.opts...))
				require.NoError(t, err)
				assert.Equal(t, want == "", x.Complete, "safe %v: %v", safe, x.Stopped)
				if want != "" {
					require.ErrorIs(t, x.Stopped, world.ErrUntried)
					assert.ErrorContains(t, x.Stopped, want)
				}
			}
		})
	}
}

// TestExploreIncompleteHandles: if it fails, an exploration says that it has all outcomes of a race between
// two opens although it does not try all, or denies it to one that has them. (CONS-C3)
func TestExploreIncompleteHandles(t *testing.T) {
	chaos := []iofile.Option{iofile.WithModel(consistency.Chaos(1))}
	const rw, in, out = iofile.ReadWrite, iofile.ReadOnly | iofile.Sequential, iofile.WriteOnly | iofile.Sequential
	for _, row := range []struct {
		name   string
		want   string // part of Stopped; "": complete
		fs     []iofile.Option
		modes  [2]iofile.Mode
		model  consistency.Model // of rank 1
		atomic [2]bool
	}{
		{"one atomic under chaos", "a race also depends on chance", chaos, [2]iofile.Mode{rw, rw}, consistency.Model{}, [2]bool{true, false}},
		{"both atomic under chaos", "", chaos, [2]iofile.Mode{rw, rw}, consistency.Model{}, [2]bool{true, true}},
		{"different models", "between handles of different models", nil, [2]iofile.Mode{rw, rw}, consistency.POSIX, [2]bool{}},
		{"a stream", "where reads of a stream end", nil, [2]iofile.Mode{out, in}, consistency.Model{}, [2]bool{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			x, err := world.Explore(t.Context(), 2, func() (program, func() any) {
				fsys, got := iofile.NewMem(row.fs...), make([]byte, 1)
				err := fsys.Import("f", strings.NewReader("0"))
				return func(_ context.Context, c *comm.Comm) error {
					r := c.Rank()
					var opts []iofile.OpenOption
					if r == 1 {
						opts = append(opts, iofile.WithModel(row.model))
					}
					f, e := iofile.Open(c.Self(), fsys, "f", row.modes[r], opts...)
					if err := errors.Join(err, e); err != nil {
						return err
					}
					if err = f.SetAtomicity(row.atomic[r]); r == 0 {
						_, e = f.WriteShared(types.Of([]byte("5")))
					} else {
						_, e = f.ReadShared(types.Of(got))
					}
					return errors.Join(err, e, f.Close())
				}, func() any { return string(got) }
			})
			require.NoError(t, err)
			assert.Equal(t, row.want == "", x.Complete, "%v", x.Stopped)
			if row.want != "" {
				require.ErrorIs(t, x.Stopped, world.ErrUntried)
				assert.ErrorContains(t, x.Stopped, row.want)
			}
		})
	}
}

// TestExploreStaysInALoop: if it fails, an exploration is called complete although ranks stayed in a
// collective call until all had come to it, only because the same line fails another time.
func TestExploreStaysInALoop(t *testing.T) {
	found, err := world.Explore(t.Context(), 2, func() (program, func() any) {
		fsys := iofile.NewMem()
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite|iofile.Create)
			if err != nil {
				return err
			}
			for i := range 2 {
				if i == 0 || c.Rank() == 0 {
					err = f.Sync()
				}
			}
			return errors.Join(err, f.Close())
		}, nil
	})
	require.NoError(t, err)
	assert.False(t, found.Complete)
	assert.ErrorIs(t, found.Stopped, world.ErrUntried)
	assert.ErrorContains(t, found.Stopped, "what may happen when Sync (")
}
