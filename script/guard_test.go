package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

// TestParseLimits: parsing a script, which a stranger may have written,
// takes bounded time and memory.
func TestParseLimits(t *testing.T) {
	const open = "ranks 2\nall:\n open h f rdwr|create\n"
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	aliases := "type a0 = contiguous(2, int)\n"
	for i := range 40 {
		aliases += fmt.Sprintf("type a%d = struct([1,1], [0,8], [a%d, a%d])\n", i+1, i, i)
	}
	for name, c := range map[string]struct{ text, want string }{
		"long text":           {strings.Repeat("#\n", script.MaxText), "at most"},
		"doubling types":      {"ranks 1\n" + aliases, "written out"},
		"deep types":          {"ranks 1\ntype a = " + strings.Repeat("dup(", 20000) + "int" + strings.Repeat(")", 20000), "deep"},
		"wide blocks":         {"ranks 4096\n" + strings.Repeat("all:\n", 1000), "statements"},
		"lists of ranks":      {"ranks 4096\n" + strings.Repeat("0-4095,", 1000) + "0: barrier", "statements"},
		"many statements":     {"ranks 4096\nall:\n" + strings.Repeat(" barrier\n", 1000), "statements"},
		"buffers of ranks":    {"ranks 4096\nall:\n allreduce sum byte 1*1000000 -> x\n", "together"},
		"blocks of all ranks": {"ranks 4096\n0:\n allgather byte 1*10000 -> x\n", "blocks"},
		"blocks together":     {"ranks 64\nall:\n gather 0 byte 1*200000 -> x\n", "together"},
		"buffers of calls":    {"ranks 1\nall:\n open h f rdwr\n" + lines(100, " read_at h 0 byte*16000000 -> x%d\n"), "together"},
		"files":               {"ranks 1\n" + lines(100, "file f%d = 00*16000000\n") + "all: barrier", "together"},
		"copies in one place": {open + "0: send 1 0 resized(int, 0, 0) 1*16000000\n", "copies"},
		"long numbers":        {open + "0: write_at h 0 int " + strings.Repeat("9", 200000), "letters"},
		"expected values":     {open + "0: read_at h 0 int*1 -> x\nallow " + strings.Repeat("0:x = 1*16000000 | ", 100) + "0:x = 1\n", "more than"},
		"a long word":         {open + strings.Repeat("x", 200000), "unknown statement"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := script.Parse(c.text)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Less(t, len(err.Error()), 1000)
		})
	}
}

// TestRunRefusesHeterogeneousRanks: on ranks of another architecture than the script gives
// them, values would have another size or byte order than those in the script.
func TestRunRefusesHeterogeneousRanks(t *testing.T) {
	s, err := script.Parse("ranks 2\nall:\n open h f rdwr|create\n close h\n")
	require.NoError(t, err)
	for _, a := range []*reps.Arch{reps.LP64BE, reps.ILP32LE} {
		_, err = script.Run(t.Context(), s, script.Options{World: []world.Option{world.Arch(1, a)}})
		assert.EqualError(t, err, "script: rank 1 is given the architecture "+a.String()+
			", but its script says LP64LE; leave world.Arch out, and write a line such as: machine 1 "+strings.ToLower(a.String()))
	}
	rep, err := script.Run(t.Context(), s, script.Options{World: []world.Option{world.Arch(1, reps.LP64LE)}})
	require.NoError(t, err)
	assert.True(t, rep.OK())
}

// TestRepeatOfNothing: repeating nothing takes no time, wherever it is.
func TestRepeatOfNothing(t *testing.T) {
	s, err := script.Parse(`ranks 1
file f = ""*9000000000000000000 61
all:
  open h f rdwr
  write_at h 0 byte ""*9000000000000000000 98
  read_at h 0 byte*1 -> x
  close h
allow 0:x = ""*9000000000000000000 98, file f = ""*9000000000000000000 "b"
`)
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{})
	require.NoError(t, err)
	assert.Empty(t, rep.Unmet)
}

// TestScatteredBytes: a byte here and there takes a page each, so a short script
// could take all memory of the machine.
func TestScatteredBytes(t *testing.T) {
	for mode, at := range map[string]int{"off": 6, "on": 5} { // published by the sync, or at once
		t.Run("atomic "+mode, func(t *testing.T) {
			s, err := script.Parse("ranks 1\nall: open h f rdwr|create\nview h 0 byte vector(2000, 1, 1048576, byte) native\natomic h " + mode +
				"\nwrite_at h 0 byte 1*2000\nsync h\nset_size h 0\nclose h\n")
			require.NoError(t, err)
			rep, err := script.Run(t.Context(), s, script.Options{})
			require.NoError(t, err)
			require.NotEmpty(t, rep.Failures)
			assert.Equal(t, at, rep.Failures[0].Stmt.Line)
			assert.Equal(t, errclass.NoSpace, rep.Failures[0].Class())
		})
	}
}
