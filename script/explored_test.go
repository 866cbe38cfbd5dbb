package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/world"
)

// unjudged are the scripts whose outcomes are not worked out from the rules.
// TestLitmus and TestTwins hold them against their own lines.
var unjudged = map[string]string{
	"lit-05":             "deadlock",
	"append-alone-clean": "a file is opened append|wronly",
	"append-alone-racy":  "a file is opened append|wronly",
}

// TestLITX1ExploredOutcomes: if it fails, an exploration has outcomes that the rules forbid, or
// lacks outcomes of whole writes that are delayed, reordered or not seen. See
// consistency.Resolved.
func TestLITX1ExploredOutcomes(t *testing.T) {
	for _, collection := range []fs.FS{consistency.Litmus(), consistency.Twins()} {
		names, err := fs.Glob(collection, "*.mpio")
		require.NoError(t, err)
		for _, name := range names {
			text, err := fs.ReadFile(collection, name)
			require.NoError(t, err)
			s, err := Parse(string(text))
			require.NoError(t, err)
			name = strings.TrimSuffix(name, ".mpio")
			t.Run(name, func(t *testing.T) {
				rep, err := Explore(t.Context(), s, Options{})
				require.NoError(t, err)
				require.True(t, rep.Complete)
				if err := held(t, rep, true); err != nil || unjudged[name] != "" {
					assert.EqualError(t, err, unjudged[name])
				}
			})
		}
	}
}

// TestLITX1ChainsOfRaces: if it fails, an exploration that leaves out orders which show nothing
// new, such as a read before a write that races with it, also leaves out what such a read leads to
// on its rank.
func TestLITX1ChainsOfRaces(t *testing.T) {
	for name, text := range map[string]string{
		"each reads before it writes": `
all: open h f rdwr
0: read_at h 0 byte*1 -> a
1: read_at h 1 byte*1 -> b
  write_at h 0 byte 1
2: read_at h 0 byte*1 -> c
  write_at h 1 byte 4
all: close h`,
		"handles of their own": `
all: self open h f rdwr
0: read_at h 0 byte*1 -> a
1: read_at h 1 byte*1 -> b
  write_at h 0 byte 1
2: write_at h 1 byte 4
all: close h`,
		"what a write leads to": `
all: self open h f rdwr
2: write_at h 0 byte 1
0: read_at h 0 byte*1 -> a
  write_at h 1 byte 2
1: read_at h 1 byte*1 -> b
  write_at h 0 byte 3
all: close h`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Parse("ranks 3\nfile f = 00*2" + text)
			require.NoError(t, err)
			rep, err := Explore(t.Context(), s, Options{})
			require.NoError(t, err)
			require.True(t, rep.Complete)
			require.NoError(t, held(t, rep, true))
		})
	}
}

// TestLITX2PointerFollowsRead: if it fails, the individual pointer does not move by what an explored
// read has found.
func TestLITX2PointerFollowsRead(t *testing.T) {
	for text, want := range map[string][]string{
		`file f = 00
all: open h f rdwr
0: seek h 1 set
  read h byte*1 -> x
1: write_at h 1 byte 3
0: write h byte 4
all: close h`: {"0.x = , file f = 0003", "0.x = , file f = 0004", "0.x = 03, file f = 000304"},
		`file f = e0
all: open h f rdwr
1: seek h 1 set
  read h byte*1 -> y
  read h byte*1 -> x
0: write_at h 2 byte 2
all: close h`: {
			"1.x = , 1.y = , file f = e0..02", "1.x = , 1.y = .., file f = e0..02", "1.x = .., 1.y = , file f = e0..02", "1.x = 02, 1.y = .., file f = e0..02",
		},
	} {
		s, err := Parse("ranks 2\n" + text)
		require.NoError(t, err)
		rep, err := Explore(t.Context(), s, Options{})
		require.NoError(t, err)
		require.True(t, rep.Complete)
		var found []string
		for _, seen := range rep.Outcomes {
			found = append(found, seen.Ending.Text(s))
		}
		slices.Sort(found)
		slices.Sort(want)
		assert.Equal(t, want, slices.Compact(found), text)
	}
}

// TestLITX2LaterCuts: while a read or query is under way, another open may cut the file. What the
// file certainly has is then less than it was, and other writes may lengthen it again.
func TestLITX2LaterCuts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		models     []consistency.Model
		outcomes   int
	}{
		{
			"a query beside a cut", "0: set_size h 2\n1: set_size h 4\n1: get_size h -> x\n0: write_at h 1 byte 20*2\n",
			[]consistency.Model{consistency.POSIX},
			4,
		},
		{
			"a write that is overwritten, and seen by its own rank", "1: set_size h 1\n1: write_at h 1 byte 19*2\n0: write_at h 1 byte 20*1\n0: get_size h -> x\n",
			[]consistency.Model{consistency.POSIX},
			5,
		},
		{
			"a read before what lengthens the file", "0: read_at h 0 byte*3 -> x\n1: set_size h 2\n1: get_size h -> s\n1: write_at h 5 byte 7\n",
			[]consistency.Model{consistency.POSIX, consistency.Weakest},
			3,
		},
		{
			"a pointer that moves when its read begins",
			"0: iread h byte*3 -> x as q\n0: get_position h -> p\n0: wait q\n1: set_size h 2\n1: get_size h -> s\n1: write_at h 5 byte 7\n",
			[]consistency.Model{consistency.POSIX, consistency.Commit},
			5,
		},
		{
			"that of the other rank",
			"1: iread h byte*3 -> x as q\n1: get_position h -> p\n1: wait q\n0: set_size h 2\n0: get_size h -> s\n0: write_at h 5 byte 7\n",
			[]consistency.Model{consistency.POSIX, consistency.Commit},
			5,
		},
		{
			"the same by the other rank", "1: read_at h 0 byte*3 -> x\n0: set_size h 2\n0: get_size h -> s\n0: write_at h 5 byte 7\n",
			[]consistency.Model{consistency.POSIX, consistency.Weakest},
			3,
		},
	} {
		for _, model := range c.models {
			t.Run(c.name+" "+model.String(), func(t *testing.T) {
				s, err := Parse("ranks 2\nfile f = 09*4\nall: self open h f rdwr\n" + c.text + "all: close h\n")
				require.NoError(t, err)
				rep, err := Explore(t.Context(), s, Options{Model: model})
				require.NoError(t, err)
				assert.True(t, rep.Complete, "%v", rep.Stopped)
				assert.Len(t, rep.Outcomes, c.outcomes)
			})
		}
	}
}

// held compares the outcomes of an exploration with all outcomes of whole writes, and those
// with the outcomes that the rules allow. An error says why these are not known.
func held(t require.TestingT, rep *Report, whole bool) error {
	if rep.Deadlock != nil {
		return errors.New("deadlock")
	}
	s := rep.Script
	shown, may, allowed := map[string]consistency.Outcomes{}, map[string]consistency.Outcomes{}, map[string]consistency.Outcomes{} // by file
	for _, seen := range rep.Outcomes {
		x := newCollector(s, Options{})
		r, err := x.run()
		require.NoError(t, err)
		_ = world.Run(context.Background(), s.Ranks, r.body, world.Replay(seen.Witness)) // its result is in rep
		all, err := r.histories()
		if err != nil {
			return err
		}
		for file, h := range all {
			o, err := r.observed(file, seen.Ending)
			require.NoError(t, err)
			shown[file] = append(shown[file], o)
			rules, err := consistency.Allowed(h)
			require.NoError(t, err)
			allowed[file] = append(allowed[file], rules...)
			found, err := consistency.Resolved(h)
			if err != nil {
				return err
			}
			may[file] = append(may[file], found...)
		}
	}
	for file, all := range may {
		for _, o := range shown[file] {
			assert.True(t, all.Allows(o), "shown, but no writes come to it: %v", o)
			assert.True(t, allowed[file].Allows(o), "not allowed: %v", o)
		}
		for _, o := range all {
			one := consistency.Outcomes{o}
			assert.True(t, slices.ContainsFunc(shown[file], one.Allows), "never shown: %v\nshown:\n%v", o, shown[file])
			assert.True(t, slices.ContainsFunc(allowed[file], func(a consistency.Outcome) bool { return consistency.Outcomes{a}.Allows(o) }), "%v", o)
		}
		for _, a := range allowed[file] {
			if !whole {
				break // collective calls meet here, and by the rules alone an atomic access may come before one that the caller of the other had passed
			}
			one := consistency.Outcomes{a}
			assert.True(t, slices.ContainsFunc(all, one.Allows), "allowed, but no writes come to it: %v", a)
		}
	}
	return nil
}

// TestLITX1Resize runs programs that change the size of a file: earlier calls of all ranks
// through the same open come before the change, and writes through another open only if they
// are ordered with the call of every rank. A library may make the change when the first rank
// comes; that this is not tried is said.
func TestLITX1Resize(t *testing.T) {
	for _, row := range []struct {
		name, text string
		outcomes   int
		complete   bool
	}{
		{"CONS-D08 a write of the same open by the first rank", "0:\n write_at h 4 byte 2\nall:\n set_size h 2\n", 1, true},
		{"CONS-D08 a write of the same open by another rank", "1:\n write_at h 4 byte 2\nall:\n set_size h 2\n", 1, false},
		{"CONS-D08 the same before a barrier", "1:\n write_at h 4 byte 2\nall:\n barrier\n set_size h 2\n", 1, true},
		{"CONS-D08 a query by another rank", "1:\n get_size h -> n\nall:\n set_size h 2\n", 1, false},
		{"CONS-D08 a read by another rank before Preallocate", "1:\n read_at h 0 byte*2 -> x\nall:\n preallocate h 2\n", 1, false},
		{"CONS-D08 a write by another rank of bytes that stay", "1:\n write_at h 0 byte 2\nall:\n set_size h 2\n", 1, true},
		{"CONS-D08 a collective write of the same open", "0:\n write_at_all h 4 byte 2\n1:\n write_at_all h 6 byte 3\nall:\n sync h\n set_size h 2\n", 1, false},
		{"CONS-C3 a write of another open, synced to no rank", "0:\n self open s f rdwr\n write_at s 4 byte 2\n close s\nall:\n set_size h 2\n", 2, true},
		{"CONS-C3 a write of another open, synced to the first rank", "0:\n self open s f rdwr\n write_at s 4 byte 2\n close s\nall:\n sync h\n set_size h 2\n", 2, true},
		{"CONS-C3 a write of another open, synced to another rank", "1:\n self open s f rdwr\n write_at s 4 byte 2\n close s\nall:\n sync h\n set_size h 2\n", 2, false},
		{"CONS-C3 a write of another open, synced to all ranks", "1:\n self open s f rdwr\n write_at s 4 byte 2\n close s\nall:\n barrier\n sync h\n set_size h 2\n", 1, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := Parse("ranks 2\nall:\n open h f rdwr|create\n" + row.text + "all:\n close h\n")
			require.NoError(t, err)
			rep, err := Explore(t.Context(), s, Options{})
			require.NoError(t, err)
			assert.Equal(t, row.complete, rep.Complete, "%v", rep.Stopped)
			if !row.complete {
				assert.ErrorContains(t, rep.Stopped, "before rank 1 has come to it")
			}
			assert.NoError(t, held(t, rep, true))
			assert.Len(t, rep.Outcomes, row.outcomes)
			assert.Equal(t, row.outcomes > 1, len(rep.Races) > 0)
		})
	}
}

// TestLITX1TooMany: if it fails, an exploration is incomplete and does not say so.
func TestLITX1TooMany(t *testing.T) {
	for writes, all := range map[int]bool{8: true, 9: false} {
		text := fmt.Sprintf("ranks 2\nfile f = 00*%d\nall: open h f rdwr\n0:\n", writes)
		for i := range writes {
			text += fmt.Sprintf(" write_at h %d byte 1\n", i)
		}
		s, err := Parse(text + fmt.Sprintf("all: barrier\n1: read_at h 0 byte*%d -> x\nall: close h\n", writes))
		require.NoError(t, err)
		rep, err := Explore(t.Context(), s, Options{})
		require.NoError(t, err)
		assert.Equal(t, all, rep.Complete)
		if all {
			assert.Len(t, rep.Outcomes, 1<<writes)
			continue
		}
		assert.ErrorIs(t, rep.Stopped, world.ErrUntried)
		assert.ErrorContains(t, rep.Stopped, "file f: ReadAt races with more than is tried in all combinations")
		assert.Len(t, rep.Outcomes, 2+2*writes) // none, all, one, all but one
	}
}

// TestLITX1Large: if it fails, the exploration of a right program on a large file is
// reported as incomplete, or that of a wrong one as complete.
func TestLITX1Large(t *testing.T) {
	for at, all := range map[int]bool{8: true, 0: false} {
		s, err := Parse(fmt.Sprintf(`ranks 2
file f = 00*2000000
all: open h f rdwr
0: write_at h 0 byte 1*8
1: read_at h %d byte*8 -> x
all: close h`, at))
		require.NoError(t, err)
		rep, err := Explore(t.Context(), s, Options{})
		require.NoError(t, err)
		assert.Equal(t, all, rep.Complete)
		if !all {
			assert.ErrorIs(t, rep.Stopped, world.ErrUntried)
		}
	}
}

// racyProgram draws a small program of two or three ranks that may well race.
func racyProgram(t *rapid.T) string {
	var b strings.Builder
	ranks := rapid.IntRange(2, 3).Draw(t, "ranks")
	fmt.Fprintf(&b, "ranks %d\n", ranks)
	if rapid.Bool().Draw(t, "file") {
		b.WriteString("file f = 09*4\n")
	}
	self := rapid.IntRange(0, 3).Draw(t, "open") == 3
	if self {
		b.WriteString("all:\n self open h f rdwr|create\n")
	} else {
		b.WriteString("all:\n open h f rdwr|create\n")
	}
	atomic := rapid.IntRange(0, 3).Draw(t, "atomic") == 3
	if atomic {
		b.WriteString(" atomic h on\n")
	}
	wait := make([]bool, ranks)
	accesses := 0
	step := rapid.IntRange(0, 14)
	for n := range rapid.IntRange(1, 6).Draw(t, "steps") {
		kind := step.Draw(t, "step")
		r := rapid.IntRange(0, ranks-1).Draw(t, "rank")
		off, size := rapid.IntRange(0, 5).Draw(t, "offset"), rapid.IntRange(1, 2).Draw(t, "size")
		switch {
		case kind == 0:
			b.WriteString("all:\n barrier\n")
		case kind == 1:
			to := (r + 1) % ranks
			fmt.Fprintf(&b, "%d:\n send %d %d byte 1\n%d:\n recv %d %d byte*1 -> m%d\n", r, to, n, to, r, n, n)
		case kind <= 3:
			b.WriteString("all:\n sync h\n")
		case accesses == 4:
		case kind <= 6:
			fmt.Fprintf(&b, "%d:\n write_at h %d byte %d*%d\n", r, off, n+1, size)
			accesses++
		case kind <= 8:
			fmt.Fprintf(&b, "%d:\n read_at h %d byte*%d -> x%d\n", r, off, size, n)
			accesses++
		case kind == 9:
			fmt.Fprintf(&b, "%d:\n get_size h -> n%d\n", r, n)
			accesses++
		case kind == 10 && !wait[r] && !atomic: // an atomic one takes place when it begins or when it is waited for, and not in between
			fmt.Fprintf(&b, "%d:\n iwrite_at h %d byte %d*%d as q%d\n", r, off, n+1, size, n)
			wait[r] = true
			accesses++
		case kind >= 12 && !self && accesses+ranks > 4:
		case kind == 12 && !self:
			fmt.Fprintf(&b, "all:\n write_at_all h %d byte %d*%d\n", off, n+1, size)
			accesses += ranks
		case kind == 13 && !self:
			fmt.Fprintf(&b, "all:\n read_at_all h %d byte*%d -> x%d\n", off, size, n)
			accesses += ranks
		case kind == 14 && !self && !atomic && !slices.Contains(wait, true):
			// A rank's part takes place only when all have begun theirs: after the barrier they have.
			fmt.Fprintf(&b, "all:\n iwrite_at_all h %d byte %d*%d as q%d\n barrier\n", off, n+1, size, n)
			for r := range wait {
				wait[r] = true
			}
			accesses += ranks
		case kind == 11 && self:
			fmt.Fprintf(&b, "%d:\n set_size h %d\n", r, off)
			accesses++
		}
	}
	for r := range ranks {
		if wait[r] {
			fmt.Fprintf(&b, "%d:\n waitall\n", r)
		}
	}
	b.WriteString("all:\n close h\n")
	return b.String()
}

// TestLITX1RacyPrograms checks the schedules of random programs, as TestLITX1ExploredOutcomes
// checks those of the collections.
func TestLITX1RacyPrograms(t *testing.T) {
	races, judged := 0, 0
	// shown reports whether all schedules of a program ran without failures.
	shown := func(q require.TestingT, text string) bool {
		s, err := Parse(text)
		require.NoError(q, err, text)
		rep, err := Explore(t.Context(), s, Options{MaxSchedules: 5_000})
		require.NoError(q, err, text)
		if len(rep.Failures) > 0 || !rep.Complete {
			return false
		}
		if held(q, rep, false) == nil {
			judged++
			if len(rep.Races) > 0 {
				races++
			}
		}
		return true
	}
	assert.True(t, shown(t, "ranks 2\nall:\n open h f rdwr|create\n0:\n write_at h 0 byte 1\n1:\n read_at h 0 byte*1 -> x\nall:\n close h\n"))
	assert.Equal(t, 1, races, "of random programs none may have races")
	// A rank that returns from a collective access goes on although others have not moved their bytes.
	assert.True(t, shown(t, "ranks 2\nfile f = 09\nall:\n open h f rdwr\n read_at_all h 0 byte*1 -> x\n1:\n write_at h 0 byte 5\nall:\n close h\n"))
	assert.True(t, shown(t, "ranks 2\nfile f = 09*3\nall:\n open h f rdwr\n iwrite_at_all h 1 byte 3*2 as q\n0:\n read_at h 0 byte*3 -> x\n"+
		"all:\n wait q\n1:\n write_at h 1 byte 5\nall:\n close h\n"))
	rapid.Check(t, func(q *rapid.T) {
		text := racyProgram(q)
		if !shown(q, text) {
			q.Skip()
		}
		if q.Failed() {
			q.Logf("%s", text)
		}
	})
	t.Log(judged, "programs,", races, "with races")
}
