package iofile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// story runs the words of each rank's program: O and Os open the file with all
// ranks or alone, C closes, A turns atomic mode on, S syncs, B is a barrier, W
// and R access byte 0, w and r byte 1, Z asks for the size.
func story(t *testing.T, fsys *iofile.FS, programs ...string) error {
	return world.Run(t.Context(), len(programs), func(_ context.Context, c *comm.Comm) (err error) {
		var f *iofile.File
		open := func(c *comm.Comm) error {
			f, err = iofile.Open(c, fsys, "f", create)
			return err
		}
		one := types.Of(make([]byte, 1))
		do := map[string]func() error{
			"O": func() error { return open(c) }, "Os": func() error { return open(c.Self()) },
			"C": func() error { return f.Close() }, "A": func() error { return f.SetAtomicity(true) },
			"S": func() error { return f.Sync() }, "B": func() error { return c.Barrier() },
			"W": func() error { _, err := f.WriteAt(one, 0); return err },
			"R": func() error { _, err := f.ReadAt(one, 0); return err },
			"w": func() error { _, err := f.WriteAt(one, 1); return err },
			"r": func() error { _, err := f.ReadAt(one, 1); return err },
			"Z": func() error { _, err := f.Size(); return err },
		}
		for word := range strings.FieldsSeq(programs[c.Rank()]) {
			if err := do[word](); err != nil {
				return err
			}
		}
		return nil
	})
}

// If a row fails, a wrong program passes as right, or gets a misleading report. Each row
// is a program with its missing call.
func TestRacesOfPrograms(t *testing.T) {
	text, err := os.ReadFile("races_test.go")
	require.NoError(t, err)
	source := string(text)
	for _, l := range []struct {
		name     string
		missing  consistency.Missing // empty: the program is right
		rule     string
		programs []string
	}{
		{"CONS-SYNC-05 sync barrier sync", "", "", []string{"O W S B S C", "O S B S R C"}},
		{"the first sync dropped", consistency.WriterSync, "CONS-C2", []string{"O W B S C", "O B S R C"}},
		{"the barrier dropped", consistency.Order, "CONS-C2", []string{"O W S S C", "O S S R C"}},
		{"the second sync dropped", consistency.ReaderSync, "CONS-C2", []string{"O W S B C", "O S B R C"}},
		{"LIT-07 LIT-49 a barrier alone", consistency.WriterSync, "CONS-C2", []string{"O W B C", "O B R C"}},
		{"LIT-24 publish and order, no fetch", consistency.ReaderSync, "CONS-C2", []string{"O W S B C", "O S B R C"}},
		{"LIT-25 sync after the barrier", consistency.WriterSync, "CONS-C2", []string{"O W B S C", "O B S R C"}},
		{"a write after a read", consistency.ReaderSync, "CONS-C2", []string{"O R B C", "O B W C"}},
		{"a write after a read, in order", "", "", []string{"O R S B S C", "O S B S W C"}},
		{"LIT-30 two writers and a barrier", consistency.WriterSync, "CONS-C2", []string{"O W B C", "O B W C"}},
		{"LIT-31 two writers in order", "", "", []string{"O W S B S C", "O S B S W C"}},
		{"CONS-D10 neighbours' bytes", "", "", []string{"O W R B C", "O w r B C"}},
		{"LIT-21 close, barrier, open", "", "", []string{"Os W C B", "B Os R C"}},
		{"LIT-22 atomic mode across opens", consistency.WriterSync, "CONS-C3", []string{"Os A W B C", "Os A B R C"}},
		{"LIT-23 sync barrier sync across opens", "", "", []string{"Os W S B S C", "Os S B S R C"}},
		{"LIT-02 atomic mode", "", "", []string{"O A W B C", "O A B R C"}},
		{"LIT-42 a size that another rank changes", consistency.WriterSync, "CONS-C2", []string{"O W B C", "O B Z C"}},
		{"LIT-42 a size in order", "", "", []string{"O W S B S C", "O S B S Z C"}},
		{"LIT-46 readers only", "", "", []string{"O R R C", "O R R C"}},
		{"a repeated write after the sync", consistency.WriterSync, "CONS-C2", []string{"O W W W S B S w w B C", "O S B S B r C"}},
		{"a repeated read after the sync", consistency.ReaderSync, "CONS-C2", []string{"O R R R S B S r r B C", "O S B S B w C"}},
		{"repeated writes in order", "", "", []string{"O W W w w S B S C", "O S B S R R r r C"}},
		{"CONS-D09 opening together orders nothing", consistency.Order, "CONS-C3", []string{"Os W C O C", "O C Os R C"}},
	} {
		t.Run(l.name, func(t *testing.T) {
			fsys := iofile.NewMem()
			put(t, fsys, "f", "00")
			err := story(t, fsys, l.programs...)
			var race *consistency.RaceError
			if l.missing == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorAs(t, err, &race)
			assert.Equal(t, l.missing, race.Missing, "%v", race)
			assert.Equal(t, l.rule, race.Rule)
			assert.NotZero(t, race.A.Place.Line)
			for _, p := range []consistency.Party{race.A, race.B} {
				if text := "f." + p.Op + "(one, "; strings.Contains(source, text) {
					_, call, _ := strings.Cut(strings.Split(source, "\n")[p.Place.Line-1], text)
					assert.Equal(t, fmt.Sprint(race.Lo), call[:1], "%v", p)
				}
			}
		})
	}
}

// A race within one collective call has another fix than one between calls. Calls of ranks
// alone, before and between, are not a part of the count.
func TestRaceWithinOneCall(t *testing.T) {
	for _, l := range []struct {
		name     string
		together bool
		programs [2]string // A and I write by all ranks, blocking or not, W and i alone, at the byte that follows
	}{
		{"one call", true, [2]string{"A0", "A0"}},
		{"one nonblocking call", true, [2]string{"I0", "I0"}},
		{"calls of each rank", false, [2]string{"W0", "W0"}},
		{"a call of all and one of a rank", false, [2]string{"A0", "A5 W0"}},
		{"two calls", false, [2]string{"A0 A3", "A5 A0"}},
		{"two nonblocking calls", false, [2]string{"I0 I3", "I5 I0"}},
		{"the second call", true, [2]string{"A3 A0", "A5 A0"}},
		{"the last of three that join", true, [2]string{"A1 A2 A3", "A7 A8 A3"}},
		{"the first of three that join", true, [2]string{"A1 A2 A3", "A1 A5 A7"}},
		{"the third of three that join, and the first", false, [2]string{"A1 A2 A3", "A3 A5 A7"}},
		{"after calls of one rank", true, [2]string{"W6 i7 i8 I0", "I0"}},
		{"after other calls of one rank", false, [2]string{"i7 I1 A0", "I0 A2"}},
	} {
		t.Run(l.name, func(t *testing.T) {
			fsys := iofile.NewMem()
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				for word := range strings.FieldsSeq(l.programs[c.Rank()]) {
					one, off := types.Of(make([]byte, 1)), iofile.Offset(word[1]-'0')
					var q *comm.Request
					switch word[0] {
					case 'A':
						_, err = f.WriteAtAll(one, off)
					case 'W':
						_, err = f.WriteAt(one, off)
					case 'I':
						q, err = f.IWriteAtAll(one, off)
					case 'i':
						q, err = f.IWriteAt(one, off)
					}
					if q != nil {
						_, e := q.Wait()
						err = errors.Join(err, e)
					}
					if err != nil {
						return err
					}
				}
				return f.Close()
			})
			var races consistency.Races
			require.ErrorAs(t, err, &races)
			require.Len(t, races, 1)
			assert.Equal(t, l.together, races[0].Together, "%v", races[0])
		})
	}
}

// If this fails, a race is reported for every access, too often to read, or a file is not
// checked any more after its first race.
func TestRaceIsReportedOnce(t *testing.T) {
	fsys := iofile.NewMem()
	err := world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", create)
		if err != nil {
			return err
		}
		for i := range 10 {
			if _, err := f.WriteAt(types.Of([]byte{1}), iofile.Offset(i)); err != nil {
				return err
			}
		}
		return errors.Join(f.Close(), errors.New("and then the program fails"))
	})
	var races consistency.Races
	require.ErrorAs(t, err, &races)
	require.Len(t, races, 1)
	assert.Greater(t, races[0].Count, 10)
	assert.ErrorContains(t, err, "and then the program fails")
	text, err := json.Marshal(races[0])
	require.NoError(t, err)
	var back struct {
		Bytes         [2]int64
		A, B          struct{ Rank, Line int }
		Missing, Rule string
	}
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, "order", back.Missing)
	assert.Equal(t, races[0].A.Place.Line, back.A.Line)
	assert.Contains(t, races[0].Report(), "races_test.go:")
}

// If this fails, a user cannot turn the detector off, or a second run is blamed for
// accesses of the first.
func TestDetectorCanBeTurnedOff(t *testing.T) {
	for name, o := range map[string]struct {
		fsys *iofile.FS
		opts []world.Option
	}{
		"for a run":         {iofile.NewMem(), []world.Option{world.Unchecked()}},
		"for a file system": {iofile.NewMem(iofile.WithRaceDetector(consistency.Off)), nil},
		"by a profile":      {iofile.NewMem(iofile.WithRaceDetector(consistency.ROMIO)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				assert.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, o.fsys, "f", create)
					if err != nil {
						return err
					}
					if c.Rank() == 0 {
						_, err = f.WriteAt(types.Of([]byte{1}), 0)
					}
					if err = errors.Join(err, c.Barrier()); c.Rank() == 1 {
						_, err = f.ReadAt(types.Of(make([]byte, 1)), 0)
					}
					return errors.Join(err, f.Close())
				}, o.opts...))
			}
		})
	}
}

// If this fails, a user removes a sync that was needed, or keeps one that
// costs and orders nothing.
func TestSyncUses(t *testing.T) {
	t.Run("CONS-SYNC-05 which syncs were needed", func(t *testing.T) {
		var uses []consistency.SyncUse
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			b := types.Of(make([]byte, 1))
			if c.Rank() == 0 {
				_, err = f.WriteAt(b, 0)
			}
			err = errors.Join(err, f.Sync(), c.Barrier())
			err = errors.Join(err, f.Sync())
			if c.Rank() == 1 {
				_, e := f.ReadAt(b, 0)
				err = errors.Join(err, e)
			}
			err = errors.Join(err, f.Sync(), c.Barrier())
			if c.Rank() == 0 {
				var all bool
				uses, all = f.SyncUses()
				assert.True(t, all)
			}
			return errors.Join(err, f.Close())
		})
		require.Len(t, uses, 3)
		for i, needed := range []int{1, 1, 0} {
			assert.Equal(t, 2, uses[i].Calls)
			assert.Equal(t, needed, uses[i].Needed, "sync %d", i)
		}
	})
}

// If this fails, a race is reported in some schedules only: whether a read finds a hole
// made by the write of another rank, or the end of the file, depends only on the moment at
// which that write becomes visible.
func TestRaceOverHole(t *testing.T) {
	read := func(f *iofile.File) error { _, err := f.ReadAt(types.Of(make([]byte, 1)), 50); return err }
	write := func(f *iofile.File) error { _, err := f.WriteAt(types.Of([]byte{1}), 100); return err }
	for name, c := range map[string]struct {
		body func(f *iofile.File, c *comm.Comm) error
		race bool
	}{
		"CONS-D08 CONS-C4 nothing is ordered": {func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return errors.Join(write(f), f.Sync())
			}
			return errors.Join(f.Sync(), read(f))
		}, true},
		"CONS-D08 ordered, no rank fetches": {func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return errors.Join(write(f), f.Sync(), c.Barrier())
			}
			return errors.Join(f.Sync(), c.Barrier(), read(f))
		}, true},
		"CONS-SYNC-05 sync, barrier, sync": {func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return errors.Join(write(f), f.Sync(), c.Barrier(), f.Sync())
			}
			return errors.Join(f.Sync(), c.Barrier(), f.Sync(), read(f))
		}, false},
		"CONS-D08 a size that all have set": {func(f *iofile.File, c *comm.Comm) error {
			if err := f.SetSize(60); err != nil || c.Rank() == 0 {
				return errors.Join(err, write(f))
			}
			return read(f)
		}, false},
		"CONS-C2 the reader's own write reaches as far": {func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return write(f)
			}
			_, err := f.WriteAt(types.Of([]byte{1}), 60)
			return errors.Join(err, read(f))
		}, false},
		"CONS-D08 cut since all have set a size": {func(f *iofile.File, c *comm.Comm) error {
			if err := errors.Join(f.SetSize(60), f.SetSize(40)); err != nil || c.Rank() == 0 {
				return errors.Join(err, write(f))
			}
			return read(f)
		}, true},
		"CONS-D08 cut, and long enough still": {func(f *iofile.File, c *comm.Comm) error {
			if err := errors.Join(f.SetSize(80), f.SetSize(60)); err != nil || c.Rank() == 0 {
				return errors.Join(err, write(f))
			}
			return read(f)
		}, false},
		"CONS-SYNC-05 cut, and written again": {func(f *iofile.File, c *comm.Comm) error {
			err := errors.Join(f.SetSize(60), f.SetSize(40))
			if c.Rank() == 0 {
				return errors.Join(err, write(f), f.Sync(), c.Barrier(), f.Sync())
			}
			return errors.Join(err, f.Sync(), c.Barrier(), f.Sync(), read(f))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				for _, m := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.POSIX, consistency.Chaos(seed)} {
					fsys := iofile.NewMem(iofile.WithModel(m))
					err := world.Run(t.Context(), 2, func(_ context.Context, w *comm.Comm) error {
						f, err := iofile.Open(w, fsys, "f", create)
						if err != nil {
							return err
						}
						return errors.Join(c.body(f, w), f.Close())
					}, world.Seed(seed))
					var race *consistency.RaceError
					assert.Equal(t, c.race, errors.As(err, &race), "%v, seed %d: %v", m, seed, err)
				}
			}
		})
	}
}

// If this fails, a student cannot see how many different results a racy program has,
// because the same result is listed once for each schedule.
func TestExploredOutcomesIgnoreRaces(t *testing.T) {
	all, err := world.Explore(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem()
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			if _, err = f.WriteAt(types.Of([]byte{byte(c.Rank())}), 0); err == nil && c.Rank() == 0 {
				_, err = f.ReadAt(types.Of(make([]byte, 1)), 0) // the outcome does not say what it finds
			}
			return errors.Join(err, f.Close())
		}, func() any { b, _ := fsys.ReadFile("f"); return b }
	})
	require.NoError(t, err)
	assert.Greater(t, all.Schedules, 3)
	assert.Len(t, all.Outcomes, 3)
}

// If this fails, a rank that looks into a file right after the last close finds another content than
// the file has in the end.
func TestExploredContentAfterTheLastClose(t *testing.T) {
	all, err := world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys, closed, seen := iofile.NewMem(), 0, []byte(nil)
		return func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte{byte(c.Rank())}), 0)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
			if closed++; closed == 2 {
				seen, err = fsys.ReadFile("f")
			}
			return err
		}, func() any { b, _ := fsys.ReadFile("f"); return fmt.Sprint(seen, b) }
	})
	require.NoError(t, err)
	var found []any
	for _, o := range all.Outcomes {
		found = append(found, o.Value)
	}
	assert.ElementsMatch(t, []any{"[0] [0]", "[1] [1]"}, found)
}

// If this fails, the report of a run omits useless syncs or outcomes that depend on
// chance, or warns of calls that are needed.
func TestHintsOfARun(t *testing.T) {
	rules := func(body func(f *iofile.File, c *comm.Comm) error) []string {
		fsys := iofile.NewMem()
		rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			return errors.Join(body(f, c), f.Close())
		})
		require.NoError(t, err)
		var list []string
		for _, l := range rep.Lints {
			assert.Contains(t, l.Place, "races_test.go:")
			assert.Contains(t, rep.String(), l.Text)
			list = append(list, l.Op+" "+l.Rule)
		}
		return list
	}
	one := types.Of([]byte{1})
	write := func(f *iofile.File, c *comm.Comm) error {
		_, err := f.WriteAt(one, iofile.Offset(c.Rank()))
		return err
	}
	t.Run("CONS-SYNC-05 a sync that ordered nothing", func(t *testing.T) {
		assert.Equal(t, []string{"Sync CONS-SYNC-05"}, rules(func(f *iofile.File, c *comm.Comm) error {
			return errors.Join(write(f, c), f.Sync(), write(f, c))
		}))
	})
	t.Run("CONS-SYNC-01 a sync before close is for durability", func(t *testing.T) {
		assert.Empty(t, rules(func(f *iofile.File, c *comm.Comm) error {
			return errors.Join(write(f, c), f.Sync())
		}))
	})
	t.Run("CONS-SYNC-01 of several before close one is", func(t *testing.T) {
		assert.Equal(t, []string{"Sync CONS-SYNC-05"}, rules(func(f *iofile.File, c *comm.Comm) error {
			err := errors.Join(write(f, c), f.Sync())
			return errors.Join(err, f.Sync())
		}))
	})
	t.Run("CONS-SYNC-05 syncs that were needed", func(t *testing.T) {
		assert.Empty(t, rules(func(f *iofile.File, c *comm.Comm) error {
			err := errors.Join(write(f, c), f.Sync(), c.Barrier())
			err = errors.Join(err, f.Sync())
			_, e := f.ReadAt(types.Of(make([]byte, 2)), 0)
			return errors.Join(err, e)
		}))
	})
	t.Run("CONS-SYNC-05 syncs that another rank needs", func(t *testing.T) {
		assert.Empty(t, rules(func(f *iofile.File, c *comm.Comm) error {
			var err error
			if c.Rank() == 0 {
				_, err = f.WriteAt(one, 0)
				err = errors.Join(err, f.Sync(), c.Barrier())
				return errors.Join(err, f.Sync())
			}
			err = errors.Join(f.Sync(), c.Barrier())
			err = errors.Join(err, f.Sync())
			_, e := f.ReadAt(one, 0)
			return errors.Join(err, e)
		}))
	})
	t.Run("CONS-D03 two atomic writes that nothing orders", func(t *testing.T) {
		assert.Equal(t, []string{"WriteAt CONS-D03"}, rules(func(f *iofile.File, _ *comm.Comm) error {
			err := f.SetAtomicity(true)
			_, e := f.WriteAt(one, 0)
			return errors.Join(err, e)
		}))
	})
}

// If this fails, a report of overlapping views shows one range of bytes as if it
// were all.
func TestRangesOfStridedRace(t *testing.T) {
	t.Run("CONS-D02 views that overlap block by block", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "strided", create)
			if err != nil {
				return err
			}
			ft := types.Vector(8, 2, 4, types.Int32)
			err = f.SetView(iofile.View{Disp: int64(4 * c.Rank()), Etype: types.Int32, Filetype: ft})
			_, e := f.WriteAt(types.Of(make([]int32, 16)), 0)
			return errors.Join(err, e, f.Close())
		})
		var race *consistency.RaceError
		require.ErrorAs(t, err, &race)
		assert.Equal(t, int64(7), race.More)
		assert.Contains(t, race.Report(), `race on "strided", bytes 4 to 7 and 7 more ranges`)
	})
}
