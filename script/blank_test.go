package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
)

// carried parses a script and explores it.
func carried(t *testing.T, text string, o Options) *Report {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	rep, err := Explore(t.Context(), s, o)
	require.NoError(t, err)
	return rep
}

// TestBlank: if it fails, bytes that no rank wrote are shown as if they had a value.
func TestBlank(t *testing.T) {
	t.Run("IO-SIZE-06 bytes that no rank wrote are shown and expected as ?", func(t *testing.T) {
		for _, c := range []struct{ name, text, shown, vars string }{
			{"bytes", "write_at h 2 byte 7*2\n read_at h 0 byte*4 -> x", "?*2 7*2", "....0707"},
			{"an item of which a part was written", "write_at h 2 byte 7*2\n read_at h 0 int*1 -> x", "?", "....0707"},
			{"text", "write_at h 2 \"AB\"\n read_at h 0 byte*4 -> x", `?*2 "AB"`, "....4142"},
			{"the value of the usual poison", "write_at h 1 byte 165\n read_at h 0 byte*2 -> x", "? 165", "..a5"},
			{"external32", "view h 0 int int external32\n write_at h 1 int 258\n read_at h 0 int*2 -> x", "? 258", "........02010000"},
			{"narrow in the file", "view h 0 long long external32\n write_at h 1 long 5\n read_at h 0 long*2 -> x", "? 5", "................0500000000000000"},
		} {
			t.Run(c.name, func(t *testing.T) {
				text := "ranks 1\nall:\n open h f rdwr|create\n " + c.text + "\n close h\n"
				rep := carried(t, text, Options{})
				require.True(t, rep.OK(), rep.Unmet)
				require.Len(t, rep.Outcomes, 1)
				e := rep.Outcomes[0].Ending
				assert.Equal(t, c.shown, e.Results[0]["x"].Text())
				assert.Equal(t, c.vars, e.Vars(rep.Script)["0.x"])

				rep = carried(t, text+"allow 0:x = "+c.shown, Options{})
				assert.True(t, rep.OK(), rep.Unmet)
				assert.Contains(t, rep.Script.String(), "allow 0:x = "+c.shown)
			})
		}
	})
	t.Run("REP-X32-05 IO-SIZE-06 converted truth values are shown, and judged by any bytes of true", func(t *testing.T) {
		for _, kind := range []string{"bool", "logical", "logical1", "logical8"} {
			for _, c := range []struct{ text, shown string }{
				{"write_at h 0 K 1 0 1\n read_at h 0 K*3 -> x", "1 0 1"},
				{"view h 0 byte byte native\n write_at h 0 byte 2 7*7 0*8\n view h 0 K K external32\n read_at h 0 K*1 -> x", "1"},
			} {
				text := "ranks 1\nall:\n open h f rdwr|create\n view h 0 K K external32\n " + c.text + "\n close h\n"
				rep := carried(t, strings.ReplaceAll(text, "K", kind), Options{})
				require.True(t, rep.OK(), "%v %s", rep.Unmet, rep.Outcomes[0].Ending.Text(rep.Script))
				assert.Equal(t, c.shown, rep.Outcomes[0].Ending.Results[0]["x"].Text())
			}
		}
	})
	t.Run("IO-SIZE-06 ? is neither a value nor the other way round", func(t *testing.T) {
		const text = "ranks 1\nall:\n open h f rdwr|create\n write_at h 2 byte 165\n read_at h 0 byte*3 -> x\n close h\n"
		for want, ok := range map[string]bool{"?*2 165": true, "165*3": false, "?*3": false, "0*2 165": false, "?*2": false} {
			assert.Equal(t, ok, carried(t, text+"allow 0:x = "+want, Options{}).OK(), want)
		}
	})
	t.Run("IO-SIZE-06 outcomes differ if one has bytes that no rank wrote", func(t *testing.T) {
		rep := carried(t, `ranks 2
all: open h f rdwr|create
0: write_at h 0 byte 165*2
1: write_at h 2 byte 1
   read_at h 0 byte*3 -> x
all: close h
allow 1:x = ?*2 1 | 1:x = 165*2 1
race
`, Options{})
		assert.True(t, rep.OK(), rep.Unmet)
		assert.Len(t, rep.Outcomes, 2)
	})
	t.Run("IO-SIZE-06 a model whose holes are 0 reads 0, and ? fits it", func(t *testing.T) {
		const text = "ranks 1\nall:\n open h f rdwr|create\n write_at h 2 byte 7\n read_at h 0 byte*3 -> x\n close h\nallow 0:x = "
		for _, want := range []string{"0*2 7", "?*2 7"} {
			rep := carried(t, text+want, Options{Model: consistency.POSIX})
			assert.True(t, rep.OK(), rep.Unmet)
			assert.Equal(t, "0*2 7", rep.Outcomes[0].Ending.Results[0]["x"].Text())
			assert.Equal(t, "000007", rep.Outcomes[0].Ending.Vars(rep.Script)["0.x"])
		}
	})
	t.Run("IO-SIZE-06 no statement writes ?", func(t *testing.T) {
		_, err := Parse("ranks 1\n0: open h f rdwr|create\n write_at h 0 byte ?\n close h\n")
		assert.ErrorContains(t, err, `"?" is not a value of type byte`)
	})
}

// TestQuotedText: if it fails, what a script wrote as text is read as numbers.
func TestQuotedText(t *testing.T) {
	rep := carried(t, `ranks 2
file f = "abc" 00 "d"
file g = 616263
all:
  open h f rdonly
  open k g rdonly
  read_at h 0 byte*5 -> x
  read_at h 0 short*1 -> s
  read_at k 0 byte*3 -> y
  close h
  close k
0: send 1 0 "hello"
1: recv 0 0 byte*5 -> m
`, Options{})
	require.True(t, rep.OK(), rep.Unmet)
	e := rep.Outcomes[0].Ending
	for name, want := range map[string]string{"x": `"abc" 0 "d"`, "s": "25185", "y": "97 98 99", "m": `"hello"`} {
		assert.Equal(t, want, e.Results[1][name].Text(), name)
	}
	assert.Equal(t, `"abc" 00 "d"`, e.Files["f"].Text())
	assert.Equal(t, "616263", e.Files["g"].Text())
	assert.Equal(t, "6162630064", e.Files["f"].String())
}

// TestFileNeverClosed: if it fails, a script that loses what it wrote is said to be right.
func TestFileNeverClosed(t *testing.T) {
	t.Run("IO-OPEN-08 a handle that is never closed is an error of every rank", func(t *testing.T) {
		rep := carried(t, "ranks 2\nall: open h f rdwr|create\n0: write_at h 0 byte 1\n", Options{})
		require.Len(t, rep.Failures, 2)
		assert.EqualError(t, rep.Failures[1].Err, `file "f", opened on line 2 as h, is never closed; what was written since the last sync is lost: end with "close h" (IO-OPEN-08)`)
		assert.Equal(t, "IO-OPEN-08", rep.Failures[1].Rule())
		assert.False(t, rep.OK())
	})
	t.Run("IO-OPEN-08 a script may expect it", func(t *testing.T) {
		rep := carried(t, "ranks 1\n0: open h f rdwr|create\nerror OTHER at 0:2\n", Options{})
		assert.True(t, rep.OK(), rep.Unmet)
	})
	t.Run("IO-OPEN-08 a name that is used again hides the first handle", func(t *testing.T) {
		rep := carried(t, "ranks 1\n0: self open h f rdwr|create\n self open h f rdwr\n close h\n", Options{})
		require.Len(t, rep.Failures, 1)
		assert.Equal(t, 2, rep.Failures[0].Stmt.Line)
	})
	t.Run("IO-OPEN-08 not where a rank could not go on", func(t *testing.T) {
		rep := carried(t, "ranks 2\nall: open h f rdwr|create\n0: barrier\n1: close h\ndeadlock\n", Options{})
		assert.Empty(t, rep.Failures)
	})
}
