package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// If a row fails, a program in which ranks overwrite each other's data by mistake gets a fix that
// makes the loss certain, that leaves holes, or that contradicts the cause in the report.
func TestRepairKeepsEveryByte(t *testing.T) {
	const open = "all: open h f rdwr|create\n"
	for name, c := range map[string]struct {
		text string
		file string // after the fix, in each order; empty: there is no fix
		says string // the fix, or the reason why there is none
	}{
		"header, and a view of the data": {
			"ranks 3\n" + open + "0: write_at h 0 byte 72*16\nall: view h 0 int int native\nall: write_at_all h 2*r int {r} {r}\nall: close h\n",
			strings.Repeat("48", 16) + strings.Repeat("00000000", 2) + strings.Repeat("01000000", 2) + strings.Repeat("02000000", 2),
			"add 16 to the displacement of the view of write_at_all (line 5): line 4: view h 16 int int native",
		},
		"header, and writes on two lines": {
			"ranks 2\n" + open + "0: write_at h 0 byte 72*16\nall: view h 0 int int native\n0: write_at h 0 int 1 2\n1: write_at h 2 int 3 4\nall: close h\n",
			strings.Repeat("48", 16) + "01000000020000000300000004000000",
			"line 4: view h 16 int int native",
		},
		"displacements in elements": {
			"ranks 3\n" + open + "all: view h r int int native # of r\nall: write_at_all h 0 int {r}\nall: close h # done\n",
			"000000000100000002000000",
			"multiply the displacement of each view by 4, the bytes of int: line 3: view h r*4 int int native",
		},
		"all append": {
			"ranks 2\nfile f = 01*4\nall: open h f wronly|append # logs\nall: write h byte {r} # a line\nall: close h\n",
			"010101010001",
			"use write_ordered in place of write (line 4)",
		},
		"all append, and move their pointers later": {
			"ranks 2\nfile f = 01*4\nall: open h f wronly|append\nall: write h byte {r}\nall: seek h 0 set\nall: close h\n",
			"010101010001",
			"use write_ordered in place of write (line 4)",
		},
		"split, all append": {
			"ranks 2\nfile f = 01*4\nall: open h f wronly|append\nall: write_all_begin h byte {r}\nall: write_all_end h\nall: close h\n",
			"010101010001",
			"use write_ordered_begin and write_ordered_end in place of write_all_begin (line 4) and its write_all_end",
		},
		"shared beside individual pointer": {
			"ranks 2\n" + open + "0: write_ordered h byte 1 1\n1: write_ordered h byte 2 2\n1: write h byte 3\nall: close h\n",
			"0101020203",
			"use write_shared in place of write (line 5)",
		},
		"all at one offset": {
			"ranks 3\n" + open + "all: write h byte {r+1}\nall: close h\n", "010203",
			"use write_at in place of write (line 3), with an offset such as rank",
		},
		"all at one offset, twice": {
			"ranks 2\n" + open + "all:\n  repeat 2:\n    write_at h 0 byte {r+1}\nall: close h\n", "0102",
			"let the offset depend on the rank, such as rank: line 5: write_at h r byte {r+1}",
		},
		"one view and one offset": {
			"ranks 2\n" + open + "all: view h 0 int int native\nall: write_at_all h 0 int {r}\nall: close h\n", "0000000001000000",
			"line 4: write_at_all h r int {r}",
		},
		"at one offset from 4 on, with the rank in the data": {
			"ranks 3\nfile f = 05*4\nall: open h f rdwr|create\nall:\n  write_at_all h 4 byte {r} 9\nall: close h\n", "05050505000901090209",
			"line 5: write_at_all h 4+r*2 byte {r} 9",
		},
		"tiles too close": {
			"ranks 2\n" + open + "all: view h r*4 int int native\nall: write_all h int {r} {r}\nall: close h\n", "00000000010000000000000001000000",
			"resized(int, 0, 8)",
		},
		"each rank opens with Self": {
			"ranks 2\nall: self open h f rdwr|create\nall: write_at h 0 int {r}\nall: close h\n", "",
			"open the file with the communicator of all ranks, and give each rank an offset or a displacement of its own (--fix leaves that to you",
		},
		"all append with Self": {
			"ranks 2\nfile f = 01*4\nall: self open h f wronly|append\nall: write h byte {r}\nall: close h\n", "010101010001",
			"", // a rank that opens later appends behind the others
		},
		"all at one offset, with data behind it": {
			"ranks 2\n" + open + "all: write_at h 0 int 7\nall: write_at h r*4+4 int {r}\nall: close h\n", "",
			"only if both ranks mean to write the same bytes, and one value is to win: ",
		},
		"another race whose fix would order the writes": {
			"ranks 2\nall: self open h f rdwr|create\nall: write_at h 0 int {r}\n0: read_at h 0 int*1 -> x\nall: close h\n", "",
			"open the file with the communicator of all ranks",
		},
		"a counter that ranks read and write": {
			"ranks 2\nfile f = 00*4\nall: open h f rdwr\nall: read_at h 0 byte*4 -> x\nall: write_at h 0 byte 5 5 5 5\nall: close h\n", "05050505",
			"sync h; barrier; sync h",
		},
		"two writers of one flag": {
			"ranks 2\n" + open + "0: write_at h 0 byte 1\n1: write_at h 0 byte 2\nall: close h\n", "02",
			"after line 3 add, on all ranks: sync h; barrier; sync h",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := script.Parse(c.text)
			require.NoError(t, err)
			rep, err := script.Explore(t.Context(), s, script.Options{})
			require.NoError(t, err)
			require.NotEmpty(t, rep.Races)
			fixed, err := script.Repair(t.Context(), rep, script.Options{})
			fixes := script.Fixes(t.Context(), rep, script.Options{})
			assert.Contains(t, fixes[0].String(), c.says)
			if c.file == "" {
				require.ErrorContains(t, err, c.says)
				assert.Empty(t, fixes[0].Change)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, fixed.Fixes[0].String(), c.says)
			keepsText(t, c.text, fixed.Text)
			after, err := script.Explore(t.Context(), fixed.Script, script.Options{})
			require.NoError(t, err)
			assert.Empty(t, after.Races, fixed.Text)
			for _, o := range after.Outcomes {
				assert.Equal(t, c.file, o.Ending.Files["f"].String(), fixed.Text)
			}
		})
	}
}
