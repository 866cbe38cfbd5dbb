package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// TestCONSD08ResizeSeenAtOnce: a handle that sees a new size at once counts as
// one that changed it.
func TestCONSD08ResizeSeenAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		mode  string
		model consistency.Model
	}{
		"CONS-D08 atomic":       {"on", consistency.Weakest},
		"CONS-D08 POSIX":        {"off", consistency.POSIX},
		"CONS-D08 atomic POSIX": {"on", consistency.POSIX},
	} {
		for _, call := range []string{"set_size", "preallocate"} {
			t.Run(name+" "+call, func(t *testing.T) {
				s, err := script.Parse("ranks 2\nall:\n open h f rdwr|create\n open g f rdwr|create\n atomic h " + c.mode + `
0:
 read_at g 0 byte*1 -> v
all:
 ` + call + ` h 4
 close h
 close g
race
`)
				require.NoError(t, err)
				rep, err := script.Explore(t.Context(), s, script.Options{Model: c.model})
				require.NoError(t, err)
				assert.Empty(t, rep.Unmet)
			})
		}
	}
}

// TestCONSC4ReadBehindEveryWrite: no rank writes as far as the read begins, so it finds
// nothing, in any order.
func TestCONSC4ReadBehindEveryWrite(t *testing.T) {
	s, err := script.Parse(`ranks 2
all: open h f rdwr|create
0: write_at h 0 byte 3
1: read_at h 2 byte*2 -> v
all: close h
norace
`)
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	assert.Empty(t, rep.Unmet)
	for _, o := range rep.Outcomes {
		assert.True(t, o.Judged && o.Allowed)
	}
}

// TestAtomicityAtTimeOfAccess: an access keeps the mode that its handle had at that time, even if the
// handle changes its mode later.
func TestAtomicityAtTimeOfAccess(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"CONS-ATOM-02 before atomic mode": {"write_at h 0 byte 1", "", "race"},
		"CONS-ATOM-02 within atomic mode": {"", "write_at h 0 byte 1", "norace"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := script.Parse("ranks 2\nall: open h f rdwr|create\n0: " + or(c.before) + "\nall: atomic h on\n0: " + or(c.after) + `
1: read_at h 0 byte*1 -> v
all: close h
` + c.want)
			require.NoError(t, err)
			rep, err := script.Explore(t.Context(), s, script.Options{})
			require.NoError(t, err)
			assert.Empty(t, rep.Unmet)
		})
	}
}

// or is a call, or one that does nothing.
func or(call string) string {
	if call == "" {
		return "seek h 0 set"
	}
	return call
}

// TestRacesOfSeveralAccesses: each of several accesses of one rank to the same bytes has a
// race of its own with an access of another rank.
func TestRacesOfSeveralAccesses(t *testing.T) {
	s, err := script.Parse(`ranks 2
file f = 00*4
all: open h f rdwr
0: write_at h 0 byte 1*4
   write_at h 0 byte 2*4
   read_at h 0 byte*4 -> x
   write_at h 0 byte 3*4
1: write_at h 2 byte 4
all: close h
race order CONS-C2 at 0:4 1:8
race order CONS-C2 at 0:5 1:8
race order CONS-C2 at 1:8 0:6
race order CONS-C2 at 0:7 1:8
`)
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	assert.Empty(t, rep.Unmet)
	assert.Len(t, rep.Races, 4)
}
