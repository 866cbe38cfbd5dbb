package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
)

// TestLITX2LeavesEarly: if it fails, an exploration takes collective calls on files for
// barriers, lacks the deadlock of a program that takes them for none, or does not let the ranks
// stay in calls that fail. (IO-SHP-07 GEN-06)
func TestLITX2LeavesEarly(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []string
		deadlock   bool
	}{
		{"a collective write, and a read before it", `
0: write_at_all h 0 byte 5
1: read_at h 0 byte -> x
   write_at_all h 4 byte 6`, []string{"1.x = , file f = 05......06", "1.x = 05, file f = 05......06"}, false},
		{"a look between seeks", `
all: seek_shared h 4 set
  get_position_shared h -> p
  seek_shared h 0 set`, []string{"0.p = 0, 1.p = 4, file f = ", "0.p = 4, 1.p = 0, file f = ", "0.p = 4, 1.p = 4, file f = "}, false},
		{"a record before a new view", `
1: write_shared h byte 3
all: view h 0 byte byte native
0: write_shared h byte 4`, []string{"file f = 03", "file f = 0304", "file f = 04", "file f = 0403"}, false},
		{"like views, and the shared pointer", `
all: view h 0 byte byte native
1: write_shared h byte 3`, []string{"file f = 03"}, false},
		{"a barrier and a sync in either order", `
0: sync h
  barrier
1: barrier
  sync h`, []string{"file f = "}, true},
		{"two files in either order", `
all: open g k rdwr|create
0: sync h
  sync g
1: sync g
  sync h
all: close g`, []string{"file f = , file k = "}, true},
		{"different calls", `
0: sync h
1: write_at_all h 0 byte 3`, []string{"file f = "}, false},
		{"a seek through unlike views", `
0: view h 0 byte byte native
1: view h 4 byte byte native
all: seek_shared h 2 set`, []string{"file f = "}, false},
		{"an ordered write through unlike views", `
0: view h 0 byte byte native
1: view h 4 byte byte native
all: write_ordered h byte 2`, []string{"file f = "}, false},
		{"a size that Preallocate ensures", `
0: write_at h 2 byte 1
all: preallocate h 3
1: get_size h -> n`, []string{"1.n = 3, file f = ....01"}, false},
		{"a nonblocking access, and a read before it", `
1: read_at h 0 byte*1 -> y
0: iwrite_at_all h 0 byte 1 as q
1: iwrite_at_all h 1 byte 4 as q
0: read_at h 0 byte*1 -> x
all: wait q`, []string{
			"0.x = , 1.y = , file f = 0104", "0.x = .., 1.y = , file f = 0104", "0.x = .., 1.y = 01, file f = 0104",
			"0.x = 01, 1.y = , file f = 0104", "0.x = 01, 1.y = 01, file f = 0104", "0.x = , 1.y = 01, file f = 0104",
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			rep, found := exploredEndings(t, "ranks 2\nall: open h f rdwr|create"+row.text+"\nall: close h\n", Options{})
			assert.ElementsMatch(t, row.want, found)
			assert.Equal(t, row.deadlock, rep.Deadlock != nil)
		})
	}
}

// TestLITX2Stays: if it fails, an exploration takes for complete that all ranks come to an open, a
// change of the size or an ordered access before one goes on, although others race with what that one does then.
func TestLITX2Stays(t *testing.T) {
	for call, op := range map[string]string{"open k g rdwr|create": "Open", "preallocate h 3": "Preallocate", "set_size h 8": "SetSize", "write_ordered h byte 1": "WriteOrdered"} {
		for between, complete := range map[string]bool{"": false, "all: barrier\n": true} {
			s, err := Parse("ranks 2\nfile f = 00*8\nall: open h f rdwr\n0: read_at h 2 byte -> x\n" + between + "all: " + call + "\n1: write_at h 2 byte 1\nall: close h\n")
			require.NoError(t, err)
			rep, err := Explore(t.Context(), s, Options{Model: consistency.Session})
			require.NoError(t, err)
			assert.Equal(t, complete, rep.Complete, "%s: %v", call, rep.Stopped)
			if !complete {
				assert.ErrorContains(t, rep.Stopped, op+" returns on one rank before others have come to it")
			}
		}
	}
}

// TestLITX2AdoptedLater: if it fails, an exploration takes what an open has adopted for what a later
// order of calls at the shared pointer made of it, in one run.
func TestLITX2AdoptedLater(t *testing.T) {
	_, found := exploredEndings(t, "ranks 3\nfile f = 00*2\nall: open h f rdwr\n2: write_at h 0 byte 1\n0: read_shared h byte*1 -> x\n1: write_shared h byte 2\nall: close h\n",
		Options{Model: consistency.Session})
	assert.ElementsMatch(t, []string{"0.x = 00, file f = 0100", "0.x = 00, file f = 0102", "0.x = 00, file f = 0200", "0.x = 01, file f = 0102"}, found)
}

// exploredEndings returns the endings of a complete exploration, each of which its witness repeats.
func exploredEndings(t *testing.T, text string, o Options) (rep *Report, found []string) {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	rep, err = Explore(t.Context(), s, o)
	require.NoError(t, err)
	assert.True(t, rep.Complete, "%v", rep.Stopped)
	for _, seen := range rep.Outcomes {
		found = append(found, seen.Ending.Text(s))
		again, err := Run(t.Context(), s, Options{Model: o.Model, Replay: seen.Witness})
		require.NoError(t, err)
		assert.Equal(t, seen.Ending.Text(s), again.Outcomes[0].Ending.Text(s), seen.Witness)
	}
	return rep, found
}
