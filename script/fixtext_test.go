package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// TestRepairKeepsText: if it fails, run --fix loses comments or the layout of a
// script.
func TestRepairKeepsText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"blocks", `# publish and order,
# but do not fetch

ranks 2      # two of them
type cell = int
file f = 00*4


all:   # everyone
    open h f rdwr
	view h 0 cell cell native   # "#" in a comment

0: # the writer
    write_at h 0 cell 5 # five
all:
    sync h

    # now rank 1 may go on
    barrier # here

# the reader
1:
    # too early?
    read_at h 0 cell*1 -> x
all:
    close h

# what to expect
allow 1:x = 0 | 1:x = 5   # either
race reader-sync          # CONS-C2
# the end
`, `# publish and order,
# but do not fetch

ranks 2      # two of them
type cell = int
file f = 00*4


all:   # everyone
    open h f rdwr
	view h 0 cell cell native   # "#" in a comment

0: # the writer
    write_at h 0 cell 5 # five
all:
    sync h

    # now rank 1 may go on
    barrier # here
    sync h

# the reader
1:
    # too early?
    read_at h 0 cell*1 -> x
all:
    close h

# what to expect
allow 1:x = 5   # either
norace          # CONS-C2
# the end
`},
		{"one line each, no expectation", `ranks 2
file f = 00*4
all: self open h f rdwr
0: write_at h 0 int 5 # five
   sync h
1:   read_at h 0 int*1 -> x
all: close h`, `ranks 2
file f = 00*4
all: self open h f rdwr
0: write_at h 0 int 5 # five
   sync h
all: barrier
1:   sync h
1:   read_at h 0 int*1 -> x
all: close h

norace
`},
		{"in the middle of a block, and an error that moves down", `ranks 2
file f = 00*4
all:
  open h f rdwr
0:
  write_at h 0 int 5
  # still rank 0
  send 1 0 int 1
1:
  recv 0 0 int*1 -> m
  read_at h 0 int*1 -> x
  # beyond the end
  seek h -1 set
all:
  close h
error ARG at 1:13 # wrong on purpose
race
race
`, `ranks 2
file f = 00*4
all:
  open h f rdwr
0:
  write_at h 0 int 5
all:
  sync h
0:
  # still rank 0
  send 1 0 int 1
1:
  recv 0 0 int*1 -> m
all:
  sync h
1:
  read_at h 0 int*1 -> x
  # beyond the end
  seek h -1 set
all:
  close h
error ARG at 1:19 # wrong on purpose
norace
`},
		{"above a comment", `ranks 2
file f = 00*4
all:
  self open h f rdwr
0:
  write_at h 0 int 5
  sync h

# the reader
1:
  # too early?
  read_at h 0 int*1 -> x
all:
  close h
norace
`, `ranks 2
file f = 00*4
all:
  self open h f rdwr
0:
  write_at h 0 int 5
  sync h
all:
  barrier

# the reader
1:
  sync h
  # too early?
  read_at h 0 int*1 -> x
all:
  close h
norace
`},
		{"a moved statement leaves no line", `ranks 2
file f = 00*8
all:
  self open h f rdwr
0:
  write_at_all_begin h 0 int 1
  write_at h 0 int 2
  write_at_all_end h
  barrier
1:
  barrier
all:
  close h
norace
`, `ranks 2
file f = 00*8
all:
  self open h f rdwr
0:
  write_at_all_begin h 0 int 1
  write_at_all_end h
  write_at h 0 int 2
  barrier
1:
  barrier
all:
  close h
norace
`},
		{"a moved statement leaves its ranks", `ranks 2
file f = 00*8
all: self open h f rdwr
0: write_at_all_begin h 0 int 1
   write_at h 0 int 2
0: write_at_all_end h
   barrier
1: barrier
all: close h
norace
`, `ranks 2
file f = 00*8
all: self open h f rdwr
0: write_at_all_begin h 0 int 1
   write_at_all_end h
   write_at h 0 int 2
0:
   barrier
1: barrier
all: close h
norace
`},
		{"between lines of some ranks", `ranks 3
file f = 00*12
all:
  open h f rdwr
0-1:
  write_at h r*4 int {r+1}
  read_at h (1-r)*4 int*1 -> x
2:
  read_at h 8 int*1 -> y
all:
  close h
norace
`, `ranks 3
file f = 00*12
all:
  open h f rdwr
0-1:
  write_at h r*4 int {r+1}
  all:
  sync h
  barrier
  sync h
  0-1:
  read_at h (1-r)*4 int*1 -> x
2:
  read_at h 8 int*1 -> y
all:
  close h
norace
`},
		{
			"carriage returns", "ranks 2\r\nfile f = 00*4\r\n# c\r\nall: open h f rdwr\r\n0: write_at h 0 int 5\r\nall: sync h\r\nbarrier\r\n1: read_at h 0 int*1 -> x\r\nall: close h\r\nrace # r\r\n",
			"ranks 2\r\nfile f = 00*4\r\n# c\r\nall: open h f rdwr\r\n0: write_at h 0 int 5\r\nall: sync h\r\nbarrier\r\nsync h\r\n1: read_at h 0 int*1 -> x\r\nall: close h\r\nnorace # r\r\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := script.Parse(c.text)
			require.NoError(t, err)
			rep, err := script.Explore(t.Context(), s, script.Options{})
			require.NoError(t, err)
			require.NotEmpty(t, rep.Races)
			fixed, err := script.Repair(t.Context(), rep, script.Options{})
			require.NoError(t, err)
			assert.Equal(t, c.want, fixed.Text)
			assert.Equal(t, strings.Count(c.text, "\r"), strings.Count(c.text, "\r\n"))
			repaired(t, c.text)
		})
	}
}

// keepsText checks that all comments are still there, in order.
func keepsText(t *testing.T, before, after string) {
	t.Helper()
	left := after
	for _, line := range strings.Split(before, "\n") {
		if _, comment, ok := strings.Cut(line, "#"); ok {
			_, rest, found := strings.Cut(left, "#"+comment)
			assert.True(t, found, "%q is not in\n%s", comment, after)
			left = rest
		}
	}
}

// If this fails, a fix for two writes of one collective call is made although one loses its data,
// or its advice names other lines.
func TestRepairWithoutAll(t *testing.T) {
	s, err := script.Parse("ranks 2\nfile f = 00*16\nall:\n  open h f rdwr\n  write_at_all h r*4+8 int 7\n0:\n  write_at_all h 0 int 1 2\n1:\n  write_at_all h 4 int 3\nall:\n  close h\n")
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	_, err = script.Repair(t.Context(), rep, script.Options{})
	assert.ErrorContains(t, err, "write one rank after the other: lines 7, 9 without _all, ")
}
