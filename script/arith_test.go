package script_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// TestArithmetic: r is the rank and n the number of ranks, in offsets, ranks, values and
// types; a block is repeated as often as its head says.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct{ text, plain string }{
		{
			"ranks 3\nall:\n  open h f rdwr|create\n  write_at h r*4 int {r*10+n}\n  close h\n",
			"ranks 3\nall:\n  open h f rdwr|create\n0:\n  write_at h 0 int 3\n1:\n  write_at h 4 int 13\n2:\n  write_at h 8 int 23\nall:\n  close h\n",
		},
		{
			"ranks 2\nall:\n  view_me\n", "",
		},
		{
			"ranks 2\nall:\n  open h f rdwr|create\n  view h r*4 int resized(int,0,n*4) native\n  repeat n+1:\n    write h int r\n    read_at h 0 int*1 -> x\n  close h\n",
			"ranks 2\nall: open h f rdwr|create\n0: view h 0 int resized(int,0,8) native\n1: view h 4 int resized(int,0,8) native\n" +
				"0: write h int 0\n1: write h int 1\nall: read_at h 0 int*1 -> x\n0: write h int 0\n1: write h int 1\nall: read_at h 0 int*1 -> x_2\n" +
				"0: write h int 0\n1: write h int 1\nall: read_at h 0 int*1 -> x_3\nall: close h\n",
		},
		{
			"ranks 4\nall: send (r+1)%n 5 int r*2\nall: recv (r+n-1)%n 5 int*2 -> x\n",
			"ranks 4\n0: send 1 5 int 0*2\n1: send 2 5 int 1*2\n2: send 3 5 int 2*2\n3: send 0 5 int 3*2\n" +
				"0: recv 3 5 int*2 -> x\n1: recv 0 5 int*2 -> x\n2: recv 1 5 int*2 -> x\n3: recv 2 5 int*2 -> x\n",
		},
		{
			"ranks 2\nrepeat 2:\n  repeat 2:\n    all: barrier\n  0: barrier\nrepeat 0:\n  all: nonsense\nall: repeat 3: barrier\n", "",
		},
		{"ranks 2\nrepeat 2:\n  repeat 2:\n    all: barrier\nrepeat 0:\n  all: nonsense\n", "ranks 2\nall: barrier\nall: barrier\nall: barrier\nall: barrier\n"},
	} {
		s, err := script.Parse(c.text)
		if c.plain == "" {
			assert.Error(t, err, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		plain, err := script.Parse(c.plain)
		require.NoError(t, err, c.plain)
		want, have := map[int][]string{}, map[int][]string{}
		for into, s := range map[*map[int][]string]*script.Script{&want: plain, &have: s} {
			for _, b := range s.Blocks {
				for _, r := range b.Ranks {
					for _, c := range b.Stmts {
						(*into)[r] = append((*into)[r], c.String())
					}
				}
			}
		}
		assert.Equal(t, want, have, c.text)
		again, err := script.Parse(s.String())
		require.NoError(t, err, "the printed script needs no r: %s", s)
		assert.Equal(t, s.String(), again.String())
	}
}

func TestArithmeticRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"write_at h r/0 int 1":                    "expected an offset",
		"write_at h q*4 int 1":                    "expected an offset",
		"write_at h r* int 1":                     "expected an offset",
		"write_at h 0 int {r":                     "",
		"write_at h 0 int {1/0}":                  "",
		"send n 0 int 1":                          "there is no rank 2",
		"send r-1 0 int 1":                        "there is no rank -1",
		"repeat -1: barrier":                      "expected how often",
		"repeat many: barrier":                    "expected how often",
		"repeat 2:":                               "nothing to repeat",
		"repeat 999999999: barrier":               "expected how often",
		"view h 0 int vector(r-5,1,2,int) native": "",
	} {
		_, err := script.Parse(fmt.Sprintf("ranks 2\nall:\n  open h f rdwr|create\n  %s\n", line))
		assert.ErrorContains(t, err, want, line)
		assert.Error(t, err, line)
	}
	deep := "ranks 1\n"
	for i := range 30 {
		deep += fmt.Sprintf("%*srepeat 100:\n", i, "")
	}
	_, err := script.Parse(deep + fmt.Sprintf("%40sall: barrier\n", ""))
	assert.Error(t, err)
}

// TestArithmeticFix: the fix of a script with computed numbers adds lines to it.
func TestArithmeticFix(t *testing.T) {
	s, err := script.Parse("ranks 2\nall:\n  open h f rdwr|create\n  write_at h r*4 int {r+1}\n  barrier\n  read_at h ((r+1)%n)*4 int*1 -> x\n  close h\n")
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, rep.Races)
	for _, f := range script.Fixes(t.Context(), rep, script.Options{}) {
		assert.Empty(t, f.None)
	}
	fixed, err := script.Repair(t.Context(), rep, script.Options{})
	require.NoError(t, err)
	assert.Contains(t, fixed.Text, "read_at h ((r+1)%n)*4 int*1 -> x")
	again, err := script.Parse(fixed.Text)
	require.NoError(t, err)
	rep, err = script.Explore(t.Context(), again, script.Options{})
	require.NoError(t, err)
	assert.True(t, rep.OK(), "%s", fixed.Text)
	assert.Empty(t, rep.Races)
}
