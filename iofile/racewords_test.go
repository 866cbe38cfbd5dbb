package iofile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofTwo runs a program of two ranks on a file of 64 bytes that all open together as
// f, and returns the report of the run.
func ofTwo(t *testing.T, body func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error, opts ...iofile.Option) *world.Report {
	t.Helper()
	fsys := iofile.NewMem(opts...)
	put(t, fsys, "f", strings.Repeat("0", 64))
	rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
		if err != nil {
			return err
		}
		return errors.Join(body(f, c, fsys), f.Close())
	}, world.Seed(1))
	require.Equal(t, err, rep.Err)
	return rep
}

// lookedAt is a program in which one rank reads while the other writes byte 0.
func lookedAt(f *iofile.File) error { return second(f.ReadAt(types.Of(make([]byte, 1)), 0)) }

func written(f *iofile.File) error { return second(f.WriteAt(types.Of([]byte{1}), 0)) }

// onceMore opens the file once more, for this rank.
func onceMore(c *comm.Comm, fsys *iofile.FS, do func(g *iofile.File) error) error {
	g, err := iofile.Open(c.Self(), fsys, "f", iofile.ReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(do(g), g.Close())
}

// TestRaceOfEachKind: if a row fails, a kind of race is not found, or is reported as
// another kind. Each row has one race, with these calls and bytes.
func TestRaceOfEachKind(t *testing.T) {
	by := func(first, second func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error) func(*iofile.File, *comm.Comm, *iofile.FS) error {
		return func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
			if c.Rank() == 0 {
				return first(f, c, fsys)
			}
			return second(f, c, fsys)
		}
	}
	nothing := func(*iofile.File, *comm.Comm, *iofile.FS) error { return nil }
	writes := func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error { return written(f) }
	reads := func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error { return lookedAt(f) }
	cyclic := func(f *iofile.File, disp int64, write bool) error {
		err := f.SetView(iofile.View{Disp: disp, Etype: types.Byte, Filetype: types.Resized(types.Contiguous(4, types.Byte), 0, 16)})
		if p := types.Of(make([]byte, 16)); write {
			return errors.Join(err, second(f.WriteAt(p, 0)))
		} else {
			return errors.Join(err, second(f.ReadAt(p, 0)))
		}
	}
	for _, l := range []struct {
		name   string
		a, b   string // the calls, writer first
		lo, hi int64
		more   int64
		rule   string
		lacks  consistency.Missing
		body   func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error
	}{
		{"CONS-C1 nonblocking", "IWriteAt", "ReadAt", 0, 1, 0, "CONS-C1", consistency.Order, by(func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error {
			r, err := f.IWriteAt(types.Of([]byte{1}), 0)
			if err != nil {
				return err
			}
			return errors.Join(lookedAt(f), second(r.Wait()))
		}, nothing)},
		{"CONS-C1 IO-SPLIT-05 split", "WriteAtAllBegin", "ReadAt", 0, 4, 0, "CONS-C1", consistency.Order, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
			p := types.Of(make([]byte, 8))
			err := f.WriteAtAllBegin(p, iofile.Offset(8*c.Rank()))
			if c.Rank() == 0 {
				err = errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 4)), 0)))
			}
			return errors.Join(err, second(f.WriteAtAllEnd(p)))
		}},
		{"CONS-C2 one open", "WriteAt", "ReadAt", 0, 1, 0, "CONS-C2", consistency.Order, by(writes, reads)},
		{"CONS-C2 nonblocking, of another rank", "IWriteAt", "ReadAt", 0, 1, 0, "CONS-C2", consistency.Order, by(func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error {
			r, err := f.IWriteAt(types.Of([]byte{1}), 0)
			if err != nil {
				return err
			}
			return second(r.Wait())
		}, reads)},
		{"CONS-C3 two opens", "WriteAt", "ReadAt", 0, 1, 0, "CONS-C3", consistency.Order, by(writes, func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
			return onceMore(c, fsys, lookedAt)
		})},
		{"CONS-C3 two opens of one rank", "WriteAt", "ReadAt", 0, 1, 0, "CONS-C3", consistency.WriterSync, by(func(f *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
			return onceMore(c, fsys, func(g *iofile.File) error { return errors.Join(written(f), lookedAt(g)) })
		}, nothing)},
		{"CONS-C3 CONS-D08 set_size", "SetSize", "ReadAt", 40, extent.MaxSize, 0, "CONS-C3", consistency.Order, by(func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
			return onceMore(c, fsys, func(g *iofile.File) error { return g.SetSize(32) })
		}, func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error {
			return second(f.ReadAt(types.Of(make([]byte, 4)), 40))
		})},
		{"CONS-C3 CONS-D08 preallocate", "Preallocate", "Size", 64, 100, 0, "CONS-C3", consistency.Order, by(func(_ *iofile.File, c *comm.Comm, fsys *iofile.FS) error {
			return onceMore(c, fsys, func(g *iofile.File) error { return g.Preallocate(100) })
		}, func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error { return second(f.Size()) })},
		{"CONS-C2 CONS-D08 get_size", "WriteAt", "Size", 0, 1, 0, "CONS-C2", consistency.Order, by(writes, func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error {
			return second(f.Size())
		})},
		{"CONS-C2 regular views", "WriteAt", "ReadAt", 2, 4, 3, "CONS-C2", consistency.Order, by(
			func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error { return cyclic(f, 0, true) },
			func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error { return cyclic(f, 2, false) },
		)},
	} {
		t.Run(l.name, func(t *testing.T) {
			rep := ofTwo(t, l.body)
			var race *consistency.RaceError
			require.ErrorAs(t, rep.Err, &race)
			require.Len(t, rep.Races, 1)
			assert.Equal(t, race, rep.Races[0])
			assert.Equal(t, []any{l.a, l.b, l.lo, l.hi, l.more, l.rule, l.lacks},
				[]any{race.A.Op, race.B.Op, race.Lo, race.Hi, race.More, race.Rule, race.Missing}, race.Report())
			assert.Empty(t, race.Forgiven)
			assert.NotContains(t, race.Fix, "not tried", "the run is recorded whole")
		})
	}
	for _, l := range []struct {
		name, rule, text string
		do               func(f *iofile.File) error
	}{
		{"CONS-D03 atomic handles", "CONS-D03", "both are atomic, so each order is legal", func(f *iofile.File) error {
			return errors.Join(f.SetAtomicity(true), written(f))
		}},
		{"IO-SHP-04 the shared pointer is a variable", "IO-SHP-04", "the order of ranks 0 and 1 at the shared pointer is not determined", func(f *iofile.File) error {
			return second(f.WriteShared(types.Of([]byte{1})))
		}},
	} {
		t.Run(l.name+": an info, no race", func(t *testing.T) {
			rep := ofTwo(t, func(f *iofile.File, _ *comm.Comm, _ *iofile.FS) error { return l.do(f) })
			require.NoError(t, rep.Err)
			require.NotEmpty(t, rep.Lints)
			assert.Equal(t, l.rule, rep.Lints[0].Rule)
			assert.Contains(t, rep.String(), l.text)
		})
	}
}

// TestRaceByProfile: if it fails, the report asks for a sync that the library of the
// profile does not need, or does not say that other libraries need it.
func TestRaceByProfile(t *testing.T) {
	pairs := func(f *iofile.File, c *comm.Comm, order bool) (err error) {
		if c.Rank() == 0 {
			err = written(f)
		}
		if order {
			err = errors.Join(err, c.Barrier())
		}
		if c.Rank() == 1 {
			err = errors.Join(err, lookedAt(f))
		}
		return err
	}
	for _, p := range []consistency.Profile{{}, consistency.Strict, consistency.ROMIO, consistency.OMPIO} {
		works := p == consistency.ROMIO || p == consistency.OMPIO
		t.Run(fmt.Sprint("CONS-C2 ", p, " without syncs"), func(t *testing.T) {
			rep := ofTwo(t, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error { return pairs(f, c, true) }, iofile.WithRaceDetector(p))
			if !works { // by default, too
				require.Len(t, rep.Races, 1)
				assert.Equal(t, consistency.WriterSync, rep.Races[0].Missing)
				return
			}
			require.NoError(t, rep.Err)
			require.Len(t, rep.Lints, 1)
			assert.Equal(t, "CONS-C2", rep.Lints[0].Rule)
			assert.Contains(t, rep.String(), "that works with "+p.String()+", where a write is seen without a sync by all that come after it, and is not guaranteed")
		})
		t.Run(fmt.Sprint("CONS-C2 ", p, " without order"), func(t *testing.T) {
			rep := ofTwo(t, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error { return pairs(f, c, false) }, iofile.WithRaceDetector(p))
			require.Len(t, rep.Races, 1)
			assert.Equal(t, consistency.Order, rep.Races[0].Missing)
		})
	}
}

// throughView writes two blocks of eight bytes, from byte 4 on.
func throughView(f *iofile.File) error {
	err := f.SetView(iofile.View{Disp: 4, Etype: types.Byte, Filetype: types.Resized(types.Contiguous(8, types.Byte), 0, 24)})
	return errors.Join(err, second(f.WriteAt(types.Of(make([]byte, 16)), 0)))
}

// asItIs reads bytes 8 to 39.
func asItIs(f *iofile.File) error {
	err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte})
	return errors.Join(err, second(f.ReadAt(types.Of(make([]byte, 32)), 8)))
}

// TestRaceReport: if it fails, a report lacks something that a user needs to find the
// two calls, to understand and fix the race, or to replay it; or a program cannot parse
// reports.
func TestRaceReport(t *testing.T) {
	rep := ofTwo(t, func(f *iofile.File, c *comm.Comm, _ *iofile.FS) error {
		if c.Rank() == 0 {
			return errors.Join(throughView(f), c.Barrier())
		}
		return errors.Join(asItIs(f), c.Barrier())
	})
	var race *consistency.RaceError
	require.ErrorAs(t, rep.Err, &race)
	for name, part := range map[string]string{
		"CONS-C2 the bytes":           `race on "f", bytes 8 to 11 and 1 more range`,
		"CONS-C2 the writer":          fmt.Sprintf("rank 0   writes  WriteAt  racewords_test.go:%d", race.A.Place.Line),
		"CONS-C2 the reader":          fmt.Sprintf("rank 1   reads   ReadAt   racewords_test.go:%d", race.B.Place.Line),
		"CONS-C2 the view":            "view disp 4, etype byte, filetype resized(contiguous(8, byte), 0, 24)",
		"CONS-C2 the missing call":    "missing  order: nothing makes one of the two wait for the other",
		"CONS-C2 the fix":             "fix      add Sync, Barrier, Sync after WriteAt (racewords_test.go:",
		"CONS-C2 the rule":            "rule     CONS-C2",
		"CONS-C2 how to see it again": `replay   world.Replay("` + race.Replay + `")`,
	} {
		t.Run(name, func(t *testing.T) { assert.Contains(t, race.Report(), part) })
	}
	t.Run("CONS-C2 JSON", func(t *testing.T) {
		assert.True(t, strings.HasSuffix(race.A.Place.File, "/racewords_test.go"))
		text, err := json.Marshal(race)
		require.NoError(t, err)
		var all map[string]any
		require.NoError(t, json.Unmarshal(text, &all))
		for _, p := range []string{"a", "b"} {
			party := all[p].(map[string]any)
			assert.Contains(t, party["caller"], "line") // the test's helper made both calls
			delete(party, "caller")
		}
		assert.Equal(t, map[string]any{
			"file": "f", "bytes": []any{8., 12.}, "more": 1., "missing": "order", "rule": "CONS-C2", "count": 1.,
			"fix": race.Fix, "replay": race.Replay,
			"a": map[string]any{
				"rank": 0., "line": float64(race.A.Place.Line), "op": "WriteAt", "source": race.A.Place.File, "write": true, "view": race.A.View,
			},
			"b": map[string]any{"rank": 1., "line": float64(race.B.Place.Line), "op": "ReadAt", "source": race.A.Place.File, "write": false},
		}, all)
	})
	t.Run("CONS-C2 in the text of a run", func(t *testing.T) { assert.Contains(t, rep.String(), race.Report()) })
}
