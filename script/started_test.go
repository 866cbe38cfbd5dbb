package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
)

// A nonblocking or split access may take place at any time until its rank completes it, also in the
// middle of other calls of that rank. If an exploration tried it only then or at the beginning, it
// would call complete what is not.
func TestLITX1AccessesUnderWay(t *testing.T) {
	for _, row := range []struct {
		name  string
		model consistency.Model
		text  string
		want  []string
	}{
		{"a write, and a read between two barriers", consistency.POSIX, `
0: iwrite_at h 0 byte 7 as q
all: barrier
1: read_at h 0 byte*1 -> x
all: barrier
0: wait q`, []string{"1.x = , file f = 07", "1.x = 07, file f = 07"}},
		{"a split write, and a read between two barriers", consistency.POSIX, `
0: write_at_all_begin h 0 byte 7
1: write_at_all_begin h 0 byte
all: barrier
1: read_at h 0 byte*1 -> x
all: barrier
all: write_at_all_end h`, []string{"1.x = , file f = 07", "1.x = 07, file f = 07"}},
		{"an atomic write between two other calls of its rank", consistency.Weakest, `
all: atomic h on
0: write_at h 0 byte 0 0 0
all: barrier
0: iwrite_at h 0 byte 7 as q
  write_at h 1 byte 1
1: read_at h 1 byte*1 -> a
  read_at h 0 byte*1 -> b
  read_at h 0 byte*1 -> c
  write_at h 2 byte 2
0: read_at h 2 byte*1 -> d
  wait q`, []string{
			"0.d = 00, 1.a = 00, 1.b = 00, 1.c = 00, file f = 070102", "0.d = 00, 1.a = 00, 1.b = 00, 1.c = 07, file f = 070102",
			"0.d = 00, 1.a = 00, 1.b = 07, 1.c = 07, file f = 070102", "0.d = 00, 1.a = 01, 1.b = 00, 1.c = 00, file f = 070102",
			"0.d = 00, 1.a = 01, 1.b = 00, 1.c = 07, file f = 070102", "0.d = 00, 1.a = 01, 1.b = 07, 1.c = 07, file f = 070102",
			"0.d = 02, 1.a = 00, 1.b = 00, 1.c = 00, file f = 070102", "0.d = 02, 1.a = 00, 1.b = 00, 1.c = 07, file f = 070102",
			"0.d = 02, 1.a = 00, 1.b = 07, 1.c = 07, file f = 070102", "0.d = 02, 1.a = 01, 1.b = 00, 1.c = 00, file f = 070102",
			"0.d = 02, 1.a = 01, 1.b = 00, 1.c = 07, file f = 070102", "0.d = 02, 1.a = 01, 1.b = 07, 1.c = 07, file f = 070102",
		}},
		{"a write that others do not see, and a read of the same rank", consistency.Commit, `
0: iwrite_at h 1 byte 1 as q
  iread_at h 0 byte*2 -> x as r
  waitall q r`, []string{"0.x = , file f = ..01", "0.x = ..01, file f = ..01"}},
		{"a read of what the rank has adopted, and a write of its own", consistency.Session, `
0: iwrite_at h 0 byte 1 as q
  iread_at h 0 byte*1 -> x as r
  waitall r q`, []string{"0.x = , file f = 01", "0.x = 01, file f = 01"}},
		{"a read at the end of the file, and a write behind it", consistency.Commit, `
0: iread_at h 0 byte*1 -> x as q
  iwrite_at h 1 byte 1 as r
  wait r
  wait q`, []string{"0.x = , file f = ..01", "0.x = .., file f = ..01"}},
		{"a size, and a write of the same rank", consistency.Session, `
0: iwrite_at h 0 byte 1 as q
  get_size h -> n
  wait q`, []string{"0.n = 0, file f = 01", "0.n = 1, file f = 01"}},
		{"accesses that share nothing", consistency.POSIX, `
0: iwrite_at h 0 byte 1 as q
  iwrite_at h 1 byte 1 as r
1: iwrite_at h 2 byte 1 as q
  iwrite_at h 3 byte 1 as r
all: waitall r q`, []string{"file f = 01010101"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, found := exploredEndings(t, "ranks 2\nall: open h f rdwr|create"+row.text+"\nall: close h\n", Options{Model: row.model})
			assert.ElementsMatch(t, row.want, found)
		})
	}
}

// Three accesses of each rank, completed in another order than begun.
func TestLITX1OrdersOfAccessesUnderWay(t *testing.T) {
	rep, found := exploredEndings(t, `ranks 2
file f = 00*4
all: open h f rdwr
1: iwrite_at h 2 byte 3 as q1
0: iread_at_all h 2 byte*1 -> x1 as q2
1: iread_at_all h 0 byte*2 -> x2 as q3
0: iwrite_at h 1 byte 5 as q4
0: iwrite_at_all h 0 byte 7 as q5
1: iwrite_at_all h 1 byte 8 9 as q6
0: waitall q4 q2 q5
1: wait q6
  wait q3
  wait q1
all: close h
`, Options{Model: consistency.POSIX})
	assert.Len(t, found, 72)
	assert.Equal(t, 72, rep.Schedules)
}

// If this fails, an exploration is called complete that does not try when an access takes place.
func TestLITX1AccessesUnderWayNotTried(t *testing.T) {
	for says, text := range map[string]string{
		"what may happen when IWriteAt (": `
all: open h f rdwr|create
0: iwrite_at h 0 byte 1 as q
all: atomic h on
0: wait q
all: close h`,
		"what may happen when IWriteAtAll, which races, takes place before its rank completes it": `
all: open h f rdwr|create romio_cb_write=enable
0: iwrite_at_all h 0 byte 7 as q
1: iwrite_at_all h 1 byte 3 as q
all: barrier
1: read_at h 0 byte*1 -> x
all: barrier
all: wait q
all: close h`,
	} {
		s, err := Parse("ranks 2" + text + "\n")
		require.NoError(t, err)
		rep, err := Explore(t.Context(), s, Options{Model: consistency.POSIX})
		require.NoError(t, err)
		assert.False(t, rep.Complete, says)
		assert.ErrorContains(t, rep.Stopped, says)
	}
}
