package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// unlike is a script whose ranks have machines of other byte orders.
const unlike = `ranks 2
machine 1 lp64be
all:
  open h f rdwr|create
  view h 0 long long native
1:
  write_at h 0 long 100 -7
all:
  sync h
  barrier
  sync h
  read_at h 0 long*2 -> x
  close h
allow 1:x = 100 -7, 0:x = 7205759403792793600 -432345564227567617, file f = 0000000000000064 fffffffffffffff9
norace
`

// If scripts could not give ranks machines, nothing that depends on them could be shown by
// the command.
func TestMachines(t *testing.T) {
	explored := func(t *testing.T, text string) *script.Report {
		t.Helper()
		s, err := script.Parse(text)
		require.NoError(t, err)
		again, err := script.Parse(s.String())
		require.NoError(t, err)
		assert.Equal(t, s.String(), again.String())
		assert.Equal(t, len(s.Machines), len(again.Machines))
		rep, err := script.Explore(t.Context(), s, script.Options{})
		require.NoError(t, err)
		for _, u := range rep.Unmet {
			t.Error(u.Text)
		}
		once, err := script.Run(t.Context(), s, script.Options{Moments: true})
		require.NoError(t, err)
		assert.Empty(t, once.Unmet)
		for _, o := range rep.Outcomes {
			assert.True(t, o.Judged && o.Allowed, "%v", o.String())
		}
		return rep
	}
	t.Run("REP-NAT-01 REP-NAT-03 native files of unlike machines", func(t *testing.T) {
		explored(t, unlike)
	})
	t.Run("REP-INT-01 REP-X32-01 portable files of unlike machines", func(t *testing.T) {
		for _, rep := range []string{"internal", "external32"} {
			for _, a := range reps.Archs() {
				text := strings.ReplaceAll(strings.ReplaceAll(unlike, "native", rep), "lp64be", strings.ToLower(a.String()))
				text = strings.Replace(text, "0:x = 7205759403792793600 -432345564227567617", "0:x = 100 -7", 1)
				size := int64(8)
				if n := reps.External32.Sizeof(types.KindLong); n != size {
					text = strings.Replace(text, "0000000000000064 fffffffffffffff9", "00000064 fffffff9", 1)
				}
				explored(t, text)
			}
		}
	})
	t.Run("a value of a rank with a smaller type", func(t *testing.T) {
		s, err := script.Parse("ranks 1\nmachine 0 ilp32be\nall: open h f rdwr|create\n  write_at h 0 long 8589934592\n  close h\n")
		require.NoError(t, err)
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err)
		require.Len(t, rep.Failures, 1)
		assert.ErrorContains(t, rep.Failures[0].Err, "8589934592 does not fit long, which has 4 bytes")
	})
	t.Run("bytes that no rank wrote", func(t *testing.T) {
		for _, a := range reps.Archs() {
			explored(t, fmt.Sprintf("ranks 1\nmachine 0 %v\nall: open h f rdwr|create\n  view h 0 long long native\n  write_at h 1 long 7\n  read_at h 0 long*2 -> x\n  close h\nallow 0:x = ? 7\n", a))
		}
	})
	t.Run("wrong lines", func(t *testing.T) {
		for text, want := range map[string]string{
			"machine 0 lp64be\nranks 1\n":                              "line 1, column 1: give the machines of ranks after the number of ranks",
			"ranks 1\nall: barrier\nmachine 0 lp64be\n":                "line 3, column 1: give the machines",
			"ranks 1\nmachine 1 lp64be\n":                              "there is no rank 1",
			"ranks 1\nmachine 0 vax\n":                                 "expected an architecture: lp64le, lp64be, ilp32le, ilp32be, llp64le, found \"vax\"",
			"ranks 1\nmachine 0 lp64be\nmachine 0 lp64be\n":            "rank 0 has a machine already",
			"ranks 1\nall: open h f rdwr match=source\n":               "no matching policy source: final, source000, size or written",
			"ranks 1\nall: open h f rdwr match=size match=source000\n": "the hint match is given twice",
		} {
			_, err := script.Parse(text)
			assert.ErrorContains(t, err, want)
		}
	})
	t.Run("DT-RESIZE-03 EX-V12 weak markers", func(t *testing.T) {
		const text = "ranks 1\n%s\nall: open h f rdwr|create\n  view h 0 char struct([1,1],[0,4],[resized(char,0,3),char]) %s\n  write_at h 0 char 1 2 3 4\n  read_at h 0 char*4 -> x\n  type_extent h struct([1,1],[0,8],[resized(char,0,17),char]) -> e\n  look h 0 char*2\n  close h\nallow 0:x = 1 2 3 4, file f = %s\n"
		for _, rep := range []string{"native", "external32"} {
			explored(t, fmt.Sprintf(text, "markers weak", rep, "01 ..*3 02 03 ..*3 04"))
			explored(t, fmt.Sprintf(text, "markers sticky", rep, "01 ..*2 03 02 ..*2 04"))
			explored(t, fmt.Sprintf(text, "machine 0 lp64be\nmarkers weak", rep, "01 ..*3 02 03 ..*3 04"))
		}
		for text, want := range map[string]string{
			"ranks 1\nmarkers strong\n":             "expected sticky or weak",
			"ranks 1\nmarkers weak\nmarkers weak\n": "give the markers once",
			"ranks 1\nall: barrier\nmarkers weak\n": "before the first block",
		} {
			_, err := script.Parse(text)
			assert.ErrorContains(t, err, want)
		}
	})
	t.Run("IO-TM-04 data is read by the etype it was written with", func(t *testing.T) {
		const text = "ranks 1\nall: open h f rdwr|create%s\n  view h 0 float float native\n  write_at h 0 float 1\n  view h 0 int int native\n  read_at h 0 int*1 -> x\n  close h\n"
		for hint, want := range map[string]int{"": 0, " match=final": 0, " match=written": 1} {
			s, err := script.Parse(fmt.Sprintf(text, hint))
			require.NoError(t, err)
			rep, err := script.Run(t.Context(), s, script.Options{})
			require.NoError(t, err)
			require.Len(t, rep.Failures, want, hint)
		}
	})
	t.Run("a world with another machine", func(t *testing.T) {
		s, err := script.Parse(unlike)
		require.NoError(t, err)
		_, err = script.Run(t.Context(), s, script.Options{World: []world.Option{world.Arch(1, reps.LP64LE)}})
		assert.ErrorContains(t, err, "rank 1 is given the architecture LP64LE, but its script says LP64BE; leave world.Arch out, and write a line such as: machine 1 lp64le")
	})
	t.Run("IO-TM-S2 IO-TM-S4 the policy of an open", func(t *testing.T) {
		const text = "ranks 1\nfile f = 02 01\nall: open h f rdwr%s\n  view h 0 bool bool native\n  read_at h 0 bool*2 -> x\n  close h\n"
		for policy, want := range map[string]int{"": 0, " match=final": 0, " match=source000": 1, " match=size": 0} {
			s, err := script.Parse(fmt.Sprintf(text, policy))
			require.NoError(t, err)
			rep, err := script.Run(t.Context(), s, script.Options{})
			require.NoError(t, err)
			require.Len(t, rep.Failures, want, policy)
			if want > 0 {
				assert.ErrorContains(t, rep.Failures[0].Err, "element 0 of the access, bool at byte 0 of the file, bytes 02")
			}
		}
	})
}

// A naive reference for results of ranks with other machines: what is written and read back
// by the same rank under native is what was written, for every kind and machine.
func TestMachinesRoundTrip(t *testing.T) {
	kinds := []string{"char", "short", "int", "long", "float", "double", "int64", "uint16", "wchar"}
	rapid.Check(t, func(t *rapid.T) {
		a := reps.Archs()[rapid.IntRange(0, len(reps.Archs())-1).Draw(t, "machine")]
		rep := rapid.SampledFrom([]string{"native", "internal", "external32"}).Draw(t, "rep")
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		var values []string
		for range rapid.IntRange(1, 5).Draw(t, "n") {
			values = append(values, fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "value")))
		}
		list := strings.Join(values, " ")
		s, err := script.Parse(fmt.Sprintf("ranks 1\nmachine 0 %v\nall: open h f rdwr|create\n  view h 0 %[2]s %[2]s %[3]s\n  write_at h 0 %[2]s %[4]s\n  read_at h 0 %[2]s*%[5]d -> x\n  close h\nallow 0:x = %[4]s\n",
			a, kind, rep, list, len(values)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := script.Explore(t.Context(), s, script.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range got.Unmet {
			t.Fatal(u.Text)
		}
	})
}
