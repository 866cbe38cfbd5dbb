package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/race"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFixInGo: if it fails, the fix that the report of a race prints is not the one that
// was tried, or does not work in the program. The second and third bodies are the first
// one with the printed fixes applied by hand.
func TestFixInGo(t *testing.T) {
	body := func(sync, atomic bool, barrier bool) func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
		return func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
			if atomic {
				err = f.SetAtomicity(true)
			}
			if c.Rank() == 0 {
				err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), 0)))
			}
			if sync {
				err = errors.Join(err, f.Sync())
			}
			if barrier || sync {
				err = errors.Join(err, c.Barrier())
			}
			if sync {
				err = errors.Join(err, f.Sync())
			}
			if c.Rank() == 1 {
				err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
			}
			return err
		}
	}
	for _, barrier := range []bool{true, false} {
		var race *consistency.RaceError
		require.ErrorAs(t, ofTwo(t, body(false, false, barrier)).Err, &race)
		if barrier {
			assert.Regexp(t, `^add Sync before Barrier \(fixwords_test.go:\d+\) on all ranks of the file, `+
				`and add Sync after Barrier \(fixwords_test.go:\d+\) on all ranks of the file \(you have Barrier`, race.Fix)
		} else {
			assert.Regexp(t, `^add Sync, Barrier, Sync after WriteAt \(fixwords_test.go:\d+\) on rank 0, before ReadAt \(fixwords_test.go:\d+\) on rank 1`, race.Fix)
		}
		assert.Regexp(t, `or add SetAtomicity\(true\) after Open \(racewords_test.go:\d+\), on all ranks of the file`, race.Fix)
		assert.NoError(t, ofTwo(t, body(true, false, barrier)).Err)
		assert.NoError(t, ofTwo(t, body(false, true, barrier)).Err)
	}
	t.Run("two calls on one line", func(t *testing.T) {
		body := func(sync bool) func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
			return func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
				if c.Rank() == 0 {
					err = second(f.WriteAt(types.Of([]byte{1}), 0))
				}
				err = errors.Join(err, f.Sync(), c.Barrier())
				if sync {
					err = errors.Join(err, f.Sync())
				}
				if c.Rank() == 1 {
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
				}
				return err
			}
		}
		var race *consistency.RaceError
		require.ErrorAs(t, ofTwo(t, body(false)).Err, &race)
		assert.Regexp(t, `^add Sync after Barrier \(fixwords_test.go:\d+\) on all ranks of the file \(you have Sync`, race.Fix)
		assert.NoError(t, ofTwo(t, body(true)).Err)
	})
	t.Run("a sync that comes too late", func(t *testing.T) {
		var race *consistency.RaceError
		rep := ofTwo(t, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
			if c.Rank() == 0 {
				err = written(f)
			}
			err = errors.Join(err, c.Barrier(), f.Sync())
			if c.Rank() == 1 {
				err = errors.Join(err, lookedAt(f))
			}
			return err
		})
		require.ErrorAs(t, rep.Err, &race)
		assert.Equal(t, consistency.WriterSync, race.Missing)
		assert.Regexp(t, `^add Sync before Barrier \(fixwords_test.go:\d+\) on all ranks of the file`, race.Fix)
	})
	t.Run("one collective call: views, and no atomic mode", func(t *testing.T) {
		var race *consistency.RaceError
		rep := ofTwo(t, func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error {
			return second(f.WriteAtAll(types.Of(make([]byte, 4)), 0))
		})
		require.ErrorAs(t, rep.Err, &race)
		assert.True(t, race.Together)
		assert.Contains(t, race.Fix, "no sync or barrier can order two parts of one call")
		assert.NotContains(t, race.Fix, "Atomicity")
		assert.NotContains(t, race.Report(), "missing")
	})
}

// TestFixForEachRule: if a row fails, a race of a Go program gets untested advice, or no fix
// for the opposite order, although the run recorded enough.
func TestFixForEachRule(t *testing.T) {
	ofRank := func(rank int, do func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error) func(*iofile.File, *comm.Comm, *iofile.FS) error {
		return func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
			if c.Rank() != rank {
				return nil
			}
			return do(f, c, fsys)
		}
	}
	at := `\(fixwords_test.go:\d+\)`
	for _, l := range []struct {
		name, fix string
		body      func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error
	}{
		{
			"CONS-C1 nonblocking", `^complete IWriteAt @ before ReadAt \(racewords_test.go:\d+\) on rank 0: wait for its request there$`,
			ofRank(0, func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error {
				r, err := f.IWriteAt(types.Of([]byte{1}), 0)
				return errors.Join(err, lookedAt(f), second(r.Wait()))
			}),
		},
		{
			"CONS-C1 IO-SPLIT-05 split", `^move WriteAtAllEnd @ to before ReadAt @ on rank 0$`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of(make([]byte, 8))
				err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
				if c.Rank() == 0 {
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 0)))
				}
				return errors.Join(err, second(f.WriteAtAllEnd(p)))
			},
		},
		{
			"CONS-SYNC-02 nonblocking, complete before the sync", `^add Sync, Barrier, Sync after Wait @ on all ranks of the file; or `,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				q, err := f.IWriteAt(types.Of([]byte{1, 1}), iofile.Offset(2*c.Rank()))
				err = errors.Join(err, second(q.Wait()))
				return errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 0)))
			},
		},
		{
			"CONS-SYNC-02 split, complete before the sync", `^add Sync, Barrier, Sync after WriteAtAllEnd @ on all ranks of the file; or `,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of([]byte{1, 1})
				err := errors.Join(f.WriteAtAllBegin(p, iofile.Offset(2*c.Rank())), c.Barrier())
				err = errors.Join(err, second(f.WriteAtAllEnd(p)))
				return errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 0)))
			},
		},
		{
			"CONS-SYNC-02 nonblocking, by one rank only", `: add Sync, Barrier, Sync after Wait @ on rank 0, before ReadAt @ on rank 1; or `,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				if c.Rank() == 1 {
					return second(f.ReadAt(types.Of(make([]byte, 1)), 0))
				}
				q, err := f.IWriteAt(types.Of([]byte{1}), 0)
				return errors.Join(err, second(q.Wait()))
			},
		},
		{
			"CONS-C1 split, and a call before its end", `^move WriteAtAllEnd @ to before ReadAt @ on rank 0$`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of(make([]byte, 8))
				err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
				if c.Rank() == 0 {
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 0)))
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 100)))
				}
				return errors.Join(err, second(f.WriteAtAllEnd(p)))
			},
		},
		{
			"CONS-C1 split, and a barrier before its end", `^on rank 0 complete .* \(not tried in this run: the record of the run does not say enough\)$`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				p := types.Of(make([]byte, 8))
				err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
				if c.Rank() == 0 {
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 0)))
				}
				return errors.Join(err, c.Barrier(), second(f.WriteAtAllEnd(p)))
			},
		},
		{
			"CONS-C2 both orders", `^add Sync, Barrier, Sync after WriteAt @ on rank 0, before ReadAt @ on rank 1; or for the other order, ReadAt @ before WriteAt @: add Sync, Barrier, Sync before WriteAt @ on rank 0, after ReadAt @ on rank 1; or add SetAtomicity`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				if c.Rank() == 0 {
					return second(f.WriteAt(types.Of([]byte{1}), 0))
				}
				return second(f.ReadAt(types.Of(make([]byte, 1)), 0))
			},
		},
		{
			"CONS-C3 one rank", `^add Sync on the handle of WriteAt @ after WriteAt @ on rank 0, and add Sync on the handle of ReadAt @ before ReadAt @ on rank 0$`,
			ofRank(0, func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return onceMore(c, fsys, func(f *iofile.File) error {
					return onceMore(c, fsys, func(g *iofile.File) error {
						return errors.Join(second(f.WriteAt(types.Of([]byte{1}), 0)), second(g.ReadAt(types.Of(make([]byte, 1)), 0)))
					})
				})
			}),
		},
		{
			"CONS-C3 two ranks, a barrier, and a sync of the writer", `^add Sync on the handle of ReadAt @ before ReadAt @ on rank 1 \(you have Sync @, Barrier @\)$`,
			func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return onceMore(c, fsys, func(f *iofile.File) error {
					var err error
					if c.Rank() == 0 {
						err = second(f.WriteAt(types.Of([]byte{1}), 0))
					}
					err = errors.Join(err, f.Sync(), c.Barrier())
					if c.Rank() == 1 {
						err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
					}
					return err
				})
			},
		},
		{
			"CONS-C3 two ranks, no order", `^add Sync on the handle of WriteAt @ after WriteAt @ on rank 0, and add Barrier after WriteAt @ on rank 0, before ReadAt @ on rank 1, ` +
				`and add Sync on the handle of ReadAt @ before ReadAt @ on rank 1; or for the other order, ReadAt @ before WriteAt @: add Sync on the handle of ReadAt @ after ReadAt @ on rank 1, ` +
				`and add Barrier .*, and add Sync on the handle of WriteAt @ before WriteAt @ on rank 0$`,
			func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return onceMore(c, fsys, func(f *iofile.File) error {
					if c.Rank() == 0 {
						return second(f.WriteAt(types.Of([]byte{1}), 0))
					}
					return second(f.ReadAt(types.Of(make([]byte, 1)), 0))
				})
			},
		},
		{
			"CONS-C2 in the beginning of a long run", `^add Sync before Barrier @ on all ranks of the file, and add Sync after Barrier @ on all ranks of the file`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
				for range 600 {
					if c.Rank() == 0 {
						err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), 0)))
					}
					err = errors.Join(err, c.Barrier())
					if c.Rank() == 1 {
						err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
					}
					err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync())
				}
				return err
			},
		},
		{
			"CONS-C2 in a loop, and reads that found the end of the file", `^add Sync after Barrier @ on all ranks of the file \(you have Sync @, Barrier @\)`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
				for i := range iofile.Offset(5) {
					if c.Rank() == 0 {
						err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), i)))
					}
					err = errors.Join(err, f.Sync())
					err = errors.Join(err, c.Barrier())
					if c.Rank() == 1 {
						err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), i)))
					}
					err = errors.Join(err, c.Barrier())
				}
				return err
			},
		},
		{
			"CONS-C2 in each round of a long run, of which one rank records fewer", `^add Sync, Barrier, Sync after WriteAt @ on rank 0, before ReadAt @ on rank 1`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
				for i := range iofile.Offset(600) {
					if c.Rank() == 0 {
						for range 20 {
							err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 9000)))
						}
						err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), i)))
					} else {
						err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), i)))
					}
					err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync())
				}
				return err
			},
		},
		{
			"CONS-C2 in a loop, in both directions", `^add Sync, Barrier, Sync after each WriteAt @ on rank 0, before each ReadAt @ on rank 1, ` +
				`and add Sync, Barrier, Sync after each WriteAt @ on rank 0, after each ReadAt @ on rank 1; or for the other order`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
				for range 3 {
					if c.Rank() == 0 {
						err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), 0)))
					}
					if c.Rank() == 1 {
						err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
					}
				}
				return err
			},
		},
		{
			"CONS-SYNC-02 nonblocking, complete after a test", `^add Sync, Barrier, Sync before ReadAt @ on all ranks of the file`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
				q, err := f.IWriteAt(types.Of([]byte{1, 1}), iofile.Offset(2*c.Rank()))
				for done := false; !done && err == nil; {
					_, done, err = q.Test()
				}
				return errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 0)))
			},
		},
		{
			"CONS-C3 the second access nonblocking", `^add Sync on the handle of WriteAt @ after WriteAt @ on rank 0, and add Barrier after WriteAt @ on rank 0, before IReadAt @ on rank 1, ` +
				`and add Sync on the handle of IReadAt @ before IReadAt @ on rank 1; or `,
			func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return onceMore(c, fsys, func(f *iofile.File) error {
					if c.Rank() == 0 {
						return second(f.WriteAt(types.Of([]byte{1}), 0))
					}
					q, err := f.IReadAt(types.Of(make([]byte, 1)), 0)
					return errors.Join(err, second(q.Wait()))
				})
			},
		},
		{
			"CONS-C3 two handles that all ranks have", `^add Sync on the handle of WriteAt @ after WriteAt @ on rank 0, before ReadAt @ on rank 1, and add Barrier after WriteAt @ on rank 0, before ReadAt @ on rank 1, ` +
				`and add Sync on the handle of ReadAt @ after WriteAt @ on rank 0, before ReadAt @ on rank 1; or `,
			func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				g, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					err = second(f.WriteAt(types.Of([]byte{1}), 0))
				} else {
					err = second(g.ReadAt(types.Of(make([]byte, 1)), 0))
				}
				return errors.Join(err, g.Close())
			},
		},
		{
			"CONS-C3 read, close, open and write", `^add Barrier before Open .* on all ranks$`,
			func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				err := onceMore(c, fsys, func(f *iofile.File) error {
					if c.Rank() == 0 {
						return nil
					}
					return second(f.ReadAt(types.Of(make([]byte, 1)), 0))
				})
				return errors.Join(err, onceMore(c, fsys, func(f *iofile.File) error {
					if c.Rank() == 1 {
						return nil
					}
					return second(f.WriteAt(types.Of([]byte{1}), 0))
				}))
			},
		},
		{
			"CONS-C3 in a loop, in both directions", `^add Sync on the handle of WriteAt @ after each WriteAt @ on rank 0, and add Barrier after each WriteAt @ on rank 0, before each ReadAt @ on rank 1, ` +
				`and add Sync on the handle of ReadAt @ before each ReadAt @ on rank 1, and add Sync on the handle of ReadAt @ after each ReadAt @ on rank 1, ` +
				`and add Barrier after each WriteAt @ on rank 0, after each ReadAt @ on rank 1, and add Sync on the handle of WriteAt @ after each WriteAt @ on rank 0; or `,
			func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
				return onceMore(c, fsys, func(f *iofile.File) (err error) {
					for range 3 {
						if c.Rank() == 0 {
							err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), 0)))
						} else {
							err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
						}
					}
					return err
				})
			},
		},
		{
			"CONS-C2 after many other calls", `^add Sync before Barrier @ on all ranks of the file, and add Sync after Barrier @ on all ranks of the file`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
				for _, call := range []func() error{
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
					func() error { return f.Preallocate(1) },
				} {
					err = errors.Join(err, call())
				}
				if c.Rank() == 0 {
					err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), 0)))
				}
				err = errors.Join(err, c.Barrier())
				if c.Rank() == 1 {
					err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
				}
				return err
			},
		},
		{
			"CONS-C2 at the end of a long run", `\(not tried in this run: the part of the run that is recorded does not show the race; try a shorter run\)$`,
			func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
				for range 600 {
					err = errors.Join(err, c.Barrier(), f.Sync())
				}
				if c.Rank() == 0 {
					return errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), 0)))
				}
				return errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
			},
		},
	} {
		t.Run(l.name, func(t *testing.T) {
			var race *consistency.RaceError
			require.ErrorAs(t, ofTwo(t, l.body).Err, &race)
			assert.Regexp(t, strings.ReplaceAll(l.fix, "@", at), race.Fix)
		})
	}
}

// TestFixForManyRanks: if it fails, no fix is tried in a world of many ranks, or
// nothing says why.
func TestFixForManyRanks(t *testing.T) {
	for ranks, fix := range map[int]string{
		64: "^add Sync before Barrier ", race.MostRecorded: "^add Sync before Barrier ",
		race.MostRecorded + 1: fmt.Sprintf(`\(not tried in this run: the world has %d ranks, and fixes are tried with up to %d\)$`, race.MostRecorded+1, race.MostRecorded),
	} {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0")
		err := world.Run(t.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				err = written(f)
			}
			err = errors.Join(err, c.Barrier())
			if c.Rank() == ranks-1 {
				err = errors.Join(err, lookedAt(f))
			}
			return errors.Join(err, f.Close())
		}, world.Seed(1))
		var race *consistency.RaceError
		require.ErrorAs(t, err, &race)
		assert.Regexp(t, fix, race.Fix)
	}
}

// TestNoOrderThatIsNotMade: if it fails, a report offers an order of two accesses that its change
// does not make: the second one is collective, and one rank makes the first before it.
func TestNoOrderThatIsNotMade(t *testing.T) {
	var race *consistency.RaceError
	require.ErrorAs(t, ofTwo(t, func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
		g, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = second(g.WriteAt(types.Of([]byte{1}), 0))
		}
		err = errors.Join(err, f.Seek(0, iofile.SeekSet))
		err = errors.Join(err, second(f.WriteAtAll(types.Of([]byte{2}), iofile.Offset(1-c.Rank()))))
		return errors.Join(err, g.Close())
	}).Err, &race)
	assert.Contains(t, race.Fix, "add Sync on the handle of ")
	assert.NotContains(t, race.Fix, "for the other order")
}

// TestNoHeaderInACallMadeTwice: if it fails, a report takes a write that the run makes several
// times for that of a header, and its advice moves both writes, or not far enough.
func TestNoHeaderInACallMadeTwice(t *testing.T) {
	for name, body := range map[string]func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error{
		"in a loop": func(f *iofile.File, c *comm.Comm, _ *iofile.FS) (err error) {
			for i := range iofile.Offset(2) {
				if c.Rank() == 0 {
					err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1, 1}), 2*i)))
				}
			}
			if c.Rank() == 1 {
				err = errors.Join(err, second(f.WriteAt(types.Of([]byte{2}), 1)))
			}
			return err
		},
		"in a function called from two lines": func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
			put := func(off iofile.Offset) error { return second(f.WriteAt(types.Of([]byte{1, 1}), off)) }
			if c.Rank() == 0 {
				return put(0)
			}
			return put(1)
		},
	} {
		var race *consistency.RaceError
		require.ErrorAs(t, ofTwo(t, body).Err, &race, name)
		assert.Contains(t, race.Report(), "ranks 0 and 1 write the same bytes", name)
		assert.Regexp(t, `^if they are to write different bytes, correct the offset or the view of WriteAt \(fixwords_test.go:\d+\)( or of WriteAt|;)`, race.Fix, name)
	}
}

// TestNoHeaderThatMovesOntoOthers: if it fails, a report advises to move a write to bytes where it
// races with another call, or does not advise it where that works.
func TestNoHeaderThatMovesOntoOthers(t *testing.T) {
	for name, x := range map[string]struct {
		fix  string
		also func(f *iofile.File, c *comm.Comm) error
	}{
		"free": {`^add 4 to the offsets of WriteAt \(fixwords_test.go:\d+\); `, func(*iofile.File, *comm.Comm) error { return nil }},
		"written": {`^if they are to write different bytes, correct the offset or the view of WriteAt `, func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return second(f.WriteAt(types.Of([]byte{3}), 4))
			}
			return nil
		}},
		"read": {`^if they are to write different bytes, correct the offset or the view of WriteAt `, func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return second(f.ReadAt(types.Of(make([]byte, 1)), 4))
			}
			return nil
		}},
	} {
		r := raceOf(t, 2, name, func(f *iofile.File, c *comm.Comm) (err error) {
			if c.Rank() == 0 {
				err = second(f.WriteAt(types.Of([]byte{1, 1, 1, 1}), 0))
			} else {
				err = second(f.WriteAt(types.Of([]byte{2}), 0))
			}
			return errors.Join(err, x.also(f, c))
		})
		assert.Regexp(t, x.fix, r.Fix, name)
	}
}

// raceOf returns the only race of a program whose ranks share a file of 9 bytes.
func raceOf(t *testing.T, ranks int, name string, body func(f *iofile.File, c *comm.Comm) error) *consistency.RaceError {
	t.Helper()
	fsys := iofile.NewMem()
	put(t, fsys, "f", "012345678")
	err := world.Run(t.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
		if err != nil {
			return err
		}
		return errors.Join(body(f, c), f.Close())
	}, world.Seed(1))
	var race *consistency.RaceError
	require.ErrorAs(t, err, &race, name)
	return race
}

// TestOffsetsByRankMeetNoOthers: if it fails, a report advises offsets that depend on the rank and
// meet the bytes of another call, or does not begin at the byte where the call began.
func TestOffsetsByRankMeetNoOthers(t *testing.T) {
	for name, x := range map[string]struct {
		fix     string
		pointer bool
		also    func(f *iofile.File, c *comm.Comm) error
	}{
		"free": {`^let the offset depend on the rank, such as 2 \+ rank \* 2 bytes; `, false, func(*iofile.File, *comm.Comm) error { return nil }},
		"written": {`^let the offset depend on the rank; `, false, func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return second(f.WriteAt(types.Of([]byte{3}), 5))
			}
			return nil
		}},
		"pointer": {
			`^use WriteAt in place of Write \(fixwords_test.go:\d+\), with an offset such as 2 \+ rank \* 2; `, true,
			func(*iofile.File, *comm.Comm) error { return nil },
		},
		"pointer that others need": {
			`^use WriteAt in place of Write \(fixwords_test.go:\d+\), with an offset that depends on the rank; `, true,
			func(f *iofile.File, _ *comm.Comm) error { return second(f.Read(types.Of(make([]byte, 1)))) },
		},
	} {
		r := raceOf(t, 2, name, func(f *iofile.File, c *comm.Comm) (err error) {
			if x.pointer {
				err = errors.Join(f.Seek(2, iofile.SeekSet), second(f.Write(types.Of([]byte{1, 1}))))
			} else {
				err = second(f.WriteAt(types.Of([]byte{1, 1}), 2))
			}
			return errors.Join(err, x.also(f, c))
		})
		assert.Regexp(t, x.fix, r.Fix, name)
	}
}

// TestFixOfOffsetsInAView: if it fails, ranks that write with close offsets in one view without
// gaps are told to change the displacement, which is right; or the change that is named leaves a race.
func TestFixOfOffsetsInAView(t *testing.T) {
	const head = 16
	same := func(int) int { return 3 }
	race := func(disp, offset func(rank int) int, count func(rank int) int) error {
		fsys := iofile.NewMem()
		return world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			r := c.Rank()
			err = f.SetView(iofile.View{Disp: int64(disp(r)), Etype: types.Int32, Filetype: types.Int32})
			return errors.Join(err, second(f.WriteAtAll(types.Of(make([]int32, count(r))), iofile.Offset(offset(r)))), f.Close())
		}, world.Seed(1))
	}
	all := func(n int) func(int) int { return func(int) int { return n } }
	times := func(from, n int) func(int) int { return func(rank int) int { return from + n*rank } }
	grows := func(rank int) int { return 1 + rank }
	before := func(rank int) int { return rank * (rank + 1) / 2 }
	for name, x := range map[string]struct {
		wrong, right error
		words        string
	}{
		"one offset": {
			race(all(head), all(0), same), race(all(head), times(0, 3), same),
			"both ranks have the same view and the same offset, 0; offsets count etypes: let each rank begin at an offset such as rank * 3",
		},
		"by rank": {
			race(all(head), times(0, 1), same), race(all(head), times(0, 3), same),
			"apart; offsets count etypes: let each rank begin at an offset such as rank * 3",
		},
		"unlike counts": {
			race(all(head), all(0), grows), race(all(head), before, grows),
			"offsets count etypes: let each rank begin where the etypes of the ranks before it end",
		},
		"displacements of elements behind a header": {
			race(times(head, 3), all(0), same), race(times(head, 12), all(0), same),
			"multiply what the displacement of each view adds to 16 by 4, the bytes of int32",
		},
	} {
		t.Run("CONS-C1 "+name, func(t *testing.T) {
			assert.NoError(t, x.right)
			var races consistency.Races
			require.ErrorAs(t, x.wrong, &races)
			assert.Contains(t, races[0].Fix, x.words)
		})
	}
}

// TestFixNamesRanksOfAPart: if it fails, a fix says "all ranks of the file" at a line to which ranks
// come that have opened the file for another part of the communicator: there the fix ends in a
// deadlock, or makes none of them wait.
func TestFixNamesRanksOfAPart(t *testing.T) {
	body := func(fixed bool) error {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0")
		return world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
			sub, err := c.Split(c.Rank()/2, 0)
			if err != nil {
				return err
			}
			f, err := iofile.Open(sub, fsys, "f", iofile.ReadWrite)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				err = second(f.WriteAt(types.Of([]byte{1}), 40))
			}
			if fixed && c.Rank() < 2 {
				err = errors.Join(err, f.Sync(), sub.Barrier(), f.Sync())
			}
			if c.Rank() != 2 {
				err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), iofile.Offset(8*c.Rank()))))
			}
			if c.Rank() == 1 {
				err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 40)))
			}
			return errors.Join(err, f.Close(), sub.Free())
		}, world.Seed(1))
	}
	var race *consistency.RaceError
	require.ErrorAs(t, body(false), &race)
	assert.Regexp(t, `^add Sync, Barrier, Sync before WriteAt \(fixwords_test.go:\d+\) on ranks 0, 1($|;)`, race.Fix)
	assert.NoError(t, body(true))
}

// TestFixForEachOfManyRaces: if it fails, only the first races of a file get a fix that was tried.
func TestFixForEachOfManyRaces(t *testing.T) {
	put := func(f *iofile.File, at iofile.Offset) error { return second(f.WriteAt(types.Of([]byte{1}), at)) }
	get := func(f *iofile.File, at iofile.Offset) error { return second(f.ReadAt(types.Of(make([]byte, 1)), at)) }
	err := ofTwo(t, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
		if c.Rank() == 0 {
			return errors.Join(
				put(f, 0),
				put(f, 1),
				put(f, 2),
				put(f, 3),
				put(f, 4),
			)
		}
		return errors.Join(
			f.Seek(0, iofile.SeekSet),
			second(f.Read(types.Of(make([]byte, 5)))),
			get(f, 0),
			get(f, 1),
			get(f, 2),
			get(f, 3),
			get(f, 4),
		)
	}).Err
	races := 0
	for _, x := range world.Findings(err) {
		var race *consistency.RaceError
		if errors.As(x.Err, &race) {
			races++
			assert.NotContains(t, race.Fix, "not tried")
		}
	}
	assert.Equal(t, 10, races)
}

// TestFixForThirdRank: if it fails, the fix names no line, or a wrong one, for a rank that makes
// neither of the two accesses but has to join a collective call.
func TestFixForThirdRank(t *testing.T) {
	write := func(f *iofile.File, at iofile.Offset) error { return second(f.WriteAt(types.Of([]byte{1}), at)) }
	read := func(f *iofile.File) error { return second(f.ReadAt(types.Of(make([]byte, 1)), 0)) }
	for _, x := range []struct {
		name, fix string
		body      func(f *iofile.File, c *comm.Comm) error
	}{
		{
			"it does nothing", `^add Sync, Barrier, Sync after WriteAt .* on rank 0, after SetAtomicity .* on rank 1, before ReadAt .* on rank 2;`,
			func(f *iofile.File, c *comm.Comm) error {
				switch c.Rank() {
				case 0:
					return write(f, 0)
				case 2:
					return read(f)
				}
				return nil
			},
		},
		{
			"it writes elsewhere", `^add Sync, Barrier, Sync after WriteAt .* on ranks 0, 1, before ReadAt .* on rank 2;`,
			func(f *iofile.File, c *comm.Comm) error {
				if c.Rank() < 2 {
					return write(f, iofile.Offset(8*c.Rank()))
				}
				return read(f)
			},
		},
		{
			"it passes the news on", `^none found: \d+ changes were tried on the record of the run; each left the race, made another or ended in a deadlock$`,
			func(f *iofile.File, c *comm.Comm) error {
				together := []int{0, 1, 0}[c.Rank()]
				sub, err := c.Split(together, c.Rank())
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					err = write(f, 0)
				}
				if together == 0 {
					err = errors.Join(err, sub.Barrier())
				}
				switch c.Rank() {
				case 2:
					err = errors.Join(err, c.Send(types.Of([]byte{1}), 1, 0))
				case 1:
					_, e := c.Recv(types.Of([]byte{1}), 2, 0)
					err = errors.Join(err, e, read(f))
				}
				return errors.Join(err, sub.Free())
			},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			fsys := iofile.NewMem()
			put(t, fsys, "f", "0")
			err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
				if err != nil {
					return err
				}
				err = errors.Join(f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}), f.SetAtomicity(false)) // on one line
				return errors.Join(err, x.body(f, c), f.Close())
			}, world.Seed(1))
			var race *consistency.RaceError
			require.ErrorAs(t, err, &race)
			assert.Regexp(t, x.fix, race.Fix)
			assert.NotContains(t, race.Fix, "add SetAtomicity(true)", "the program sets it to false later")
		})
	}
}

// TestFixForThirdRankBesideALoop: if it fails, a rank that makes neither access gets an addition at a
// call that it makes more often than the others make theirs.
func TestFixForThirdRankBesideALoop(t *testing.T) {
	fsys := iofile.NewMem()
	put(t, fsys, "f", "0")
	err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
		if err != nil {
			return err
		}
		for range 4 {
			err = errors.Join(err, c.Barrier())
		}
		switch c.Rank() {
		case 0:
			err = errors.Join(err, second(f.WriteAt(types.Of([]byte{1}), 0)))
		case 2:
			err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 1)), 0)))
		}
		return errors.Join(err, f.Close())
	}, world.Seed(1))
	var race *consistency.RaceError
	require.ErrorAs(t, err, &race)
	assert.Regexp(t, `^add Sync, Barrier, Sync after WriteAt .* on rank 0, before Close .* on rank 1, before ReadAt .* on rank 2;`, race.Fix)
}

// TestNoFixAfterCancel: if it fails, a run that was cancelled goes on to try fixes.
func TestNoFixAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	fsys := iofile.NewMem()
	put(t, fsys, "f", "0")
	err := world.Run(ctx, 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = written(f)
		} else {
			err = lookedAt(f)
			cancel()
		}
		return errors.Join(err, f.Close())
	}, world.Seed(1))
	var race *consistency.RaceError
	require.ErrorAs(t, err, &race)
	assert.Contains(t, race.Fix, "(not tried in this run: the run was ended early)")
}

// TestReplacementsCanBeMade: if it fails, a report advises a collective write where one rank writes,
// which ends in a mismatch, or half of a split one, whose other half then fails.
func TestReplacementsCanBeMade(t *testing.T) {
	body := func(pointer bool) func(f *iofile.File, c *comm.Comm) error {
		return func(f *iofile.File, c *comm.Comm) (err error) {
			switch {
			case c.Rank() == 1 && pointer:
				err = second(f.WriteShared(types.Of([]byte{1})))
			case c.Rank() == 1:
				err = second(f.WriteAt(types.Of([]byte{1}), 0))
			}
			return errors.Join(err, second(f.WriteOrdered(types.Of([]byte{2}))))
		}
	}
	r := raceOf(t, 2, "one rank", body(false))
	assert.Regexp(t, `^use WriteShared in place of WriteAt \(fixwords_test.go:\d+\), or let`, r.Fix)
	assert.NoError(t, ofTwo(t, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error { return body(true)(f, c) }).Err)

	split := func(own bool) func(f *iofile.File, c *comm.Comm) error {
		return func(f *iofile.File, c *comm.Comm) error {
			buf := types.Of([]byte{1, 2})
			if own {
				return errors.Join(f.WriteAtAllBegin(buf, iofile.Offset(c.Rank()*2)), second(f.WriteAtAllEnd(buf)))
			}
			return errors.Join(f.WriteAllBegin(buf), second(f.WriteAllEnd(buf)))
		}
	}
	r = raceOf(t, 2, "split", split(false))
	assert.Regexp(t, `use WriteAtAllBegin and WriteAtAllEnd in place of WriteAllBegin \(fixwords_test.go:\d+\) and its WriteAllEnd, with an offset such as rank \* 2`,
		r.Fix)
	assert.NoError(t, ofTwo(t, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error { return split(true)(f, c) }).Err)
}

// TestFixWhereASendWaits: if it fails, a printed fix makes a rank wait in a collective call while
// another one waits in a send for its receive, which comes later: a deadlock wherever the library
// buffers no message.
func TestFixWhereASendWaits(t *testing.T) {
	body := func(fixed bool) error {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "01234567")
		return world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				err = written(f)
			}
			if fixed {
				err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync())
			}
			if c.Rank() == 0 {
				_, e := c.Recv(types.Of([]byte{1}), 1, 0)
				err = errors.Join(err, e)
			} else {
				err = errors.Join(err, c.Send(types.Of([]byte{1}), 0, 0), lookedAt(f))
			}
			return errors.Join(err, f.Close())
		}, world.Seed(1), world.Eager(0))
	}
	var race *consistency.RaceError
	require.ErrorAs(t, body(false), &race)
	assert.Regexp(t, `^add Sync, Barrier, Sync after WriteAt \(racewords_test.go:\d+\) on rank 0, before the send \(fixwords_test.go:\d+\) on rank 1; or `, race.Fix)
	assert.NoError(t, body(true))
}

// TestFixWithAMessageWhereASendWaits is TestFixWhereASendWaits where the fix would be a message: an
// added send may have to wait as well.
func TestFixWithAMessageWhereASendWaits(t *testing.T) {
	fsys := iofile.NewMem()
	put(t, fsys, "f", "01234567")
	err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error { // a barrier of all ranks cannot be placed
		if c.Rank() == 2 {
			return nil
		}
		f, err := iofile.Open(c.Self(), fsys, "f", iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = written(f)
			_, e := c.Recv(types.Of([]byte{1}), 1, 0)
			err = errors.Join(err, e)
		} else {
			err = errors.Join(c.Send(types.Of([]byte{1}), 0, 0), lookedAt(f))
		}
		return errors.Join(err, f.Close())
	}, world.Seed(1), world.Eager(0))
	var race *consistency.RaceError
	require.ErrorAs(t, err, &race)
	assert.NotContains(t, race.Fix, "add Send to rank 1 after WriteAt")
}

// TestFixWithAMessage: if it fails, a fix for a race between handles that two of three ranks opened alone sends its
// message the wrong way, or there is none.
func TestFixWithAMessage(t *testing.T) {
	fsys := iofile.NewMem()
	put(t, fsys, "f", "01234567")
	err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error { // a barrier of all ranks cannot be placed
		if c.Rank() == 2 {
			return nil
		}
		f, err := iofile.Open(c.Self(), fsys, "f", iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = written(f)
		} else {
			err = lookedAt(f)
		}
		return errors.Join(err, f.Close())
	}, world.Seed(1))
	var race *consistency.RaceError
	require.ErrorAs(t, err, &race)
	assert.Regexp(t, `and add Send to rank 1 after WriteAt \(racewords_test.go:\d+\) on rank 0, and add Recv from rank 0 before ReadAt \(racewords_test.go:\d+\) on rank 1, and add Sync `, race.Fix)
}

// TestPointerSetAfterAppend: if it fails, the report of a race after Append says that the pointers are
// at the end of the file, although the program has set them.
func TestPointerSetAfterAppend(t *testing.T) {
	const end = "with Append, the pointer of every rank begins at the same byte"
	for name, x := range map[string]struct {
		atEnd bool
		set   func(f *iofile.File) error
	}{
		"not set": {true, func(*iofile.File) error { return nil }},
		"by a view": {false, func(f *iofile.File) error {
			return f.SetView(iofile.View{Disp: 8, Etype: types.Int32, Filetype: types.Resized(types.Int32, 0, 8)})
		}},
		"by a view of all bytes": {false, func(f *iofile.File) error { return f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}) }},
		"by Seek":                {false, func(f *iofile.File) error { return f.Seek(8, iofile.SeekSet) }},
	} {
		t.Run("IO-AMODE-09 "+name, func(t *testing.T) {
			fsys := iofile.NewMem()
			put(t, fsys, "f", "01234567")
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.WriteOnly|iofile.Append)
				if err != nil {
					return err
				}
				return errors.Join(x.set(f), second(f.WriteAll(types.Of([]int32{7}))), f.Close())
			}, world.Seed(1))
			var race *consistency.RaceError
			require.ErrorAs(t, err, &race)
			if x.atEnd {
				assert.Contains(t, race.Fix, end)
			} else {
				assert.NotContains(t, race.Report(), "Append")
			}
		})
	}
}

// TestViewsAfterAppendWithAdviceApplied: if it fails, the advice about views that set the pointers of
// an appended file to 0 makes ranks whose displacements differ write the same bytes, if it is followed.
func TestViewsAfterAppendWithAdviceApplied(t *testing.T) {
	run := func(ranks int, add int64, seek bool) (string, error) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "01234567")
		rep, err := world.RunReport(t.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.WriteOnly|iofile.Append)
			if err != nil {
				return err
			}
			view := iofile.View{Disp: int64(4*c.Rank()) + add, Etype: types.Int32, Filetype: types.Resized(types.Int32, 0, 8)}
			if err = f.SetView(view); err == nil && seek {
				err = f.Seek(0, iofile.SeekEnd)
			}
			return errors.Join(err, second(f.WriteAll(types.Of([]int32{7}))), f.Close())
		}, world.Seed(1))
		var lints []string
		for _, l := range rep.Lints {
			lints = append(lints, l.Text)
		}
		return strings.Join(lints, "\n"), err
	}
	const add, seek = "add 8 to the Disp of its view", "call Seek(0, SeekEnd) after SetView, or "
	for ranks, want := range map[int]string{1: "0; " + seek + add, 2: "0; " + add} {
		lints, err := run(ranks, 0, false)
		require.NoError(t, err)
		require.Contains(t, lints, want)
		lints, err = run(ranks, 8, false)
		require.NoError(t, err)
		require.Empty(t, lints)
	}
	lints, err := run(1, 0, true)
	require.NoError(t, err)
	require.Empty(t, lints)
}

// TestCauseOfWritesInALoop: if it fails, the report of ranks that write in a loop says of their offsets
// what is not so, or advises one offset for all rounds, at which only the last round remains.
func TestCauseOfWritesInALoop(t *testing.T) {
	const each = "for each rank and each round, such as (round * ranks + rank) * "
	put := func(f *iofile.File, at int) error {
		return second(f.WriteAt(types.Of([]byte("abcd")), iofile.Offset(at)))
	}
	pointer := func(f *iofile.File, step, at int) error {
		if step == 0 {
			if err := f.Seek(iofile.Offset(at), iofile.SeekSet); err != nil {
				return err
			}
		}
		return second(f.WriteAll(types.Of([]byte("abcd"))))
	}
	ints := func(f *iofile.File, step, disp, at int) error {
		if step == 0 {
			if err := f.SetView(iofile.View{Disp: int64(disp), Etype: types.Int32, Filetype: types.Int32}); err != nil {
				return err
			}
		}
		return second(f.WriteAt(types.Of([]int32{1, 2}), iofile.Offset(at)))
	}
	for name, x := range map[string]struct {
		says, not string
		write     func(f *iofile.File, step, rank int) error
	}{
		"collective": {
			each + "bytes", "at the same offset",
			func(f *iofile.File, step, rank int) error {
				return second(f.WriteAtAll(types.Of([]byte("abcd")), iofile.Offset(4*(step+rank))))
			},
		},
		"collective, backwards": {
			"for each rank and each round, such as 8 + (round * ranks + rank) * bytes", "one collective call",
			func(f *iofile.File, step, rank int) error {
				return second(f.WriteAtAll(types.Of([]byte("abcd")), iofile.Offset(4*(step+3-rank))))
			},
		},
		"independent": {each + "bytes", "at the same offset", func(f *iofile.File, step, rank int) error { return put(f, 4*(step+rank)) }},
		"nonblocking": {each + "bytes", "at the same offset", func(f *iofile.File, step, rank int) error {
			q, err := f.IWriteAt(types.Of([]byte("abcd")), iofile.Offset(4*(step+rank)))
			return errors.Join(err, second(q.Wait()))
		}},
		"pointers":  {each + "bytes", "at the same offset", func(f *iofile.File, step, rank int) error { return pointer(f, step, 4*rank) }},
		"in a view": {each + "etypes", "the same offset,", func(f *iofile.File, step, rank int) error { return ints(f, step, 4, 2*(step+rank)) }},
		"views of blocks": {
			"tiled too closely", "elements of 4 bytes",
			func(f *iofile.File, step, rank int) error { return ints(f, step, 8*rank, 2*step) },
		},
		"one offset in each round": {
			"all ranks write at the same offset", "let the offset depend on the rank, such as",
			func(f *iofile.File, step, _ int) error { return put(f, 4*step) },
		},
		"one offset in all rounds": {
			"all ranks write at the same offset", each,
			func(f *iofile.File, _, _ int) error { return put(f, 4) },
		},
		"one offset in later rounds": {
			each + "bytes", "at the same offset",
			func(f *iofile.File, step, rank int) error {
				at := 8
				if step == 0 {
					at = 4 * rank
				}
				return put(f, at)
			},
		},
		"apart": {"", "", func(f *iofile.File, step, rank int) error { return put(f, 4*(2*step+rank)) }},
	} {
		t.Run("CONS-C2 "+name, func(t *testing.T) {
			fsys := iofile.NewMem()
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
				for step := 0; step < 3 && err == nil; step++ {
					err = x.write(f, step, c.Rank())
				}
				return errors.Join(err, f.Close())
			}, world.Seed(1))
			if x.says == "" {
				require.NoError(t, err)
				return
			}
			var race *consistency.RaceError
			require.ErrorAs(t, err, &race)
			text := strings.Join(strings.Fields(race.Report()), " ")
			assert.Contains(t, text, x.says)
			assert.NotContains(t, text, x.not)
		})
	}
}

// TestCauseNamesRanksOfOneOffset: if it fails, a report says of all ranks that they write at one offset,
// or that the offset does not depend on the rank, where other ranks write elsewhere.
func TestCauseNamesRanksOfOneOffset(t *testing.T) {
	r := raceOf(t, 4, "by halves", func(f *iofile.File, c *comm.Comm) error {
		return second(f.WriteAt(types.Of([]byte("ab")), iofile.Offset(c.Rank()/2*2)))
	})
	assert.Regexp(t, `^give each rank an offset of its own, such as (2 \+ )?rank \* 2 bytes; `, r.Fix)
	assert.Regexp(t, `ranks \d and \d write at the same offset`, r.Report())
}

// TestCauseOfSeparateOpens: if it fails, the report of ranks that opened the file in separate groups
// blames an offset that depends on the rank, or a shared pointer that they do not share; or a report
// blames the opens where the offsets overlap anyway.
func TestCauseOfSeparateOpens(t *testing.T) {
	const apart = " have opened the file in separate groups, "
	write := func(n int) func(f *iofile.File, rank int) error {
		return func(f *iofile.File, rank int) error {
			return second(f.WriteAtAll(types.Of([]byte("line\n")), iofile.Offset(n*rank)))
		}
	}
	ordered := func(f *iofile.File, _ int) error { return second(f.WriteOrdered(types.Of([]byte("line\n")))) }
	for name, x := range map[string]struct {
		says, cure string
		append     iofile.Mode
		self       bool
		write      func(f *iofile.File, rank int) error
	}{
		"offsets":         {apart + "and each group counts its ranks from 0: WriteAtAll", "give each rank an offset", 0, false, write(5)},
		"ordered":         {apart + "and each open has a shared file pointer", "open the file with the communicator of all ranks; only", 0, false, ordered},
		"ordered, by one": {"for itself (Self), and each open has a shared file pointer", "open the file with the communicator of all ranks; only", 0, true, ordered},
		"appended": {apart, "open the file with the communicator of all ranks, and use WriteShared in place of WriteAll", iofile.Append, false, func(f *iofile.File, _ int) error {
			return second(f.WriteAll(types.Of([]byte("line\n"))))
		}},
		"overlapping, by one": {"write the same bytes", "correct the offset", 0, true, nil},
	} {
		t.Run("CONS-C3 "+name, func(t *testing.T) {
			fsys := iofile.NewMem()
			err := world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
				half, err := c.Split(c.Rank()%2, 0)
				if err != nil {
					return err
				}
				by := half
				if x.self {
					by = c.Self()
				}
				f, err := iofile.Open(by, fsys, "f", iofile.Create|iofile.WriteOnly|x.append)
				if err != nil {
					return err
				}
				if err = c.Barrier(); err != nil {
					return err
				}
				if x.write != nil {
					err = x.write(f, by.Rank())
				} else {
					err = write(2)(f, c.Rank())
				}
				return errors.Join(err, f.Close(), half.Free())
			}, world.Seed(1))
			var races consistency.Races
			require.ErrorAs(t, err, &races)
			i := slices.IndexFunc(races, func(r *consistency.RaceError) bool { // an open with Append reads the size
				return r.A.Write && r.B.Write && r.Rule == "CONS-C3"
			})
			require.GreaterOrEqual(t, i, 0)
			assert.Contains(t, strings.Join(strings.Fields(races[i].Report()), " "), x.says)
			assert.Contains(t, races[i].Fix, x.cure)
		})
	}
}

// TestCauseWithAViewOfAllBytes: if it fails, a report says that no view is set where one is.
func TestCauseWithAViewOfAllBytes(t *testing.T) {
	for _, n := range []int{0, 2} {
		r := raceOf(t, 2, "view", func(f *iofile.File, c *comm.Comm) error {
			return errors.Join(f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}), f.Seek(iofile.Offset(n*c.Rank()), iofile.SeekSet),
				second(f.WriteAll(types.Of([]byte("abcd")[:4-c.Rank()]))))
		})
		assert.NotContains(t, r.Fix, "has set a view")
	}
}
