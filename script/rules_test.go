package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// TestRules: the results of a small program for each rule, under every schedule.
func TestRules(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"CONS-SYNC-03 ranks that only sync are in no order", `ranks 2
all: open h f rdwr|create
0: write_at h 0 int 5
all: sync h
1: read_at h 0 int*1 -> x
all: close h
race`},
		{"CONS-ATOM-02 an access has the mode of the time when it began", `ranks 2
file f = 00*4
all: open h f rdwr
0: iwrite_at h 0 int 7 as w
all: atomic h on
0: wait w
1: read_at h 0 int*1 -> x
all: close h
race`},
		{"CONS-ATOM-02 what begins in atomic mode is atomic", `ranks 2
file f = 00*4
all:
  open h f rdwr
  atomic h on
0: iwrite_at h 0 int 7 as w
   wait w
1: read_at h 0 int*1 -> x
all: close h
allow 1:x = 0 | 1:x = 7
norace`},
		{"IO-SHP-04 nonblocking writes at the shared pointer come in either order", `ranks 2
all: open h f rdwr|create
0: iwrite_shared h byte 1 as q
   wait q
1: iwrite_shared h byte 2 as q
   wait q
all: close h
allow file f = 0102 | file f = 0201
norace`},
		{"IO-SHP-09 the shared pointer is looked at before or after a move", `ranks 2
all: open h f rdwr|create
0: write_shared h byte 1
1: get_position_shared h -> n
all: close h
allow 1:n = 0 | 1:n = 1
norace`},
		{"IO-DEL-01 a name is taken away before or after it is made anew", `ranks 2
file f = 07
0: delete f
1: self open h f rdwr|create
   get_size h -> n
   close h
allow 1:n = 1, file f absent | 1:n = 0, file f = `},
		{"COLL-01 COLL-03 gather, allgather, scatter and reduce give each rank its part", `ranks 3
0: gather 1 int 7 -> a
1: gather 1 int 8 -> a
2: gather 1 int 9 -> a
0,1: allgather byte 1 2 -> b
2: allgather byte 3 4 -> b
2: scatter 2 short 5 6 7
0,1: scatter 2 short*1 -> c
0-1: reduce prod 0 int 3 -> d
2: reduce prod 0 int 5 -> d
allow 1:a = 7 8 9, 0:b = 1 2 1 2 3 4, 2:b = 1 2 1 2 3 4, 0:c = 5, 1:c = 6, 0:d = 45`},
		{"COLL-01 the root of a bcast may leave before the others come", early("bcast 1 byte*1 -> b", "bcast 1 byte 1")},
		{"COLL-01 the root of a scatter may leave before the others come", early("scatter 1 byte*1 -> b", "scatter 1 byte 1 2")},
		{"COLL-01 who is not the root of a gather may leave before the root comes", early("gather 0 byte 1 -> b", "gather 0 byte 2 -> b")},
		{"COLL-03 who is not the root of a reduce may leave before the root comes", early("reduce sum 0 int 1 -> b", "reduce sum 0 int 2 -> b")},
		{"COLL-01 who receives in a bcast waits for the root", strings.Replace(early("bcast 0 byte 1", "bcast 0 byte*1 -> b"), " | 0:x = 5", "", 1)},
		{"P2P-05 a probe says whose message there is, and leaves it", `ranks 3
0: probe any 4 -> who
   recv any 4 int*1 -> x
   recv any 4 int*1 -> y
1: send 0 4 int 1
2: send 0 4 int 2
allow 0:who = 1, 0:x = 1, 0:y = 2 | 0:who = 2, 0:x = 1, 0:y = 2 | 0:who = 1, 0:x = 2, 0:y = 1 | 0:who = 2, 0:x = 2, 0:y = 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := script.Parse(c.text)
			require.NoError(t, err)
			rep, err := script.Explore(t.Context(), s, script.Options{})
			require.NoError(t, err)
			assert.Empty(t, rep.Unmet)
		})
	}
}

// early is a script in which rank 0 reads, before a collective, the bytes that rank 1 writes
// after it.
func early(call0, call1 string) string {
	return `ranks 2
file f = 00*4
all: open h f rdwr
  view h 0 int int native
  atomic h on
0: read_at h 0 int*1 -> x
  ` + call0 + `
1: ` + call1 + `
  write_at h 0 int 5
all: close h
allow 0:x = 0 | 0:x = 5`
}
