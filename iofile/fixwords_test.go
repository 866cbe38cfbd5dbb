package iofile_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// TestFixInGo: if it fails, the fix that a race of a Go program prints does not say
// what was tried, or does not work when it is done: the second and third bodies are
// the first with what it prints, by hand.
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
