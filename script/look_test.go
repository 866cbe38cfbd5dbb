package script_test

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

func ExampleLook() {
	s, err := script.Parse(`ranks 2
file f = 00*4
all:
  open h f rdwr
  view h 0 int int native
0:
  write_at h 0 int 7
  look h 0 int*1
  barrier
1:
  barrier
  look h 0 int*1
all:
  close h
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := script.Run(context.Background(), s, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range rep.Log {
		if e.Look != nil {
			fmt.Printf("rank %d: %s\n", e.Rank, e.Look.Text())
		}
	}
	fmt.Println(len(rep.Races), "races")
	// Output:
	// rank 0: 7; sees version 0 of 0, and its own bytes 0 to 3
	// rank 1: 0 or 7 (rank 0, line 7); sees version 0 of 0
	// 0 races
}

// looksOf returns the texts of the look statements of one run, by line.
func looksOf(t *testing.T, text string, o script.Options) (looks map[int]string, rep *script.Report) {
	t.Helper()
	s, err := script.Parse(text)
	require.NoError(t, err)
	rep, err = script.Run(t.Context(), s, o)
	require.NoError(t, err)
	looks = map[int]string{}
	for _, e := range rep.Log {
		if e.Look != nil {
			looks[e.Stmt.Line] = e.Look.Text()
		}
	}
	return looks, rep
}

func TestLook(t *testing.T) {
	t.Run("through views, item by item", func(t *testing.T) {
		looks, _ := looksOf(t, `ranks 1
file f = 00*32
0:
  open h f rdwr
  view h 4 int vector(2, 1, 3, int) native
  write_at h 0 int 1 2 3
  look h 0 int*4
  look h 1 byte*2
  look h 1 short*2
  view h 0 int int external32
  look h 1 int*1
  look h 9 int*1
  atomic h on
  look h 1 double*0
  close h
`, script.Options{})
		assert.Equal(t, "1, 2 3, end; sees version 0 of 0, and its own bytes 4 to 7, 16 to 23", looks[7])
		assert.Contains(t, looks[8], "2 0;")
		assert.Contains(t, looks[9], "2 0;")
		assert.Contains(t, looks[11], "0x01000000;")
		assert.Contains(t, looks[12], "end;")
		assert.Contains(t, looks[14], "nothing; sees each version at once")
	})
	t.Run("parts of an item", func(t *testing.T) {
		looks, _ := looksOf(t, "ranks 1\nfile f = 00*4\n0:\n  open h f rdwr\n  write_at h 1 byte 9\n  look h 0 int*1\n  close h\n", script.Options{})
		assert.Equal(t, "0x00, 0x09, 0x0000; sees version 0 of 0, and its own bytes 1 to 1", looks[6])
	})
	t.Run("what fails", func(t *testing.T) {
		for _, c := range []struct{ open, look, want string }{
			{"rdwr|create", "look h -1 int*1", "ARG"},
			{"wronly|create|sequential", "look h 0 int*1", "UNSUPPORTED_OPERATION"},
		} {
			_, rep := looksOf(t, "ranks 1\n0:\n  open h f "+c.open+"\n  "+c.look+"\n  close h\n", script.Options{})
			if assert.Len(t, rep.Failures, 1, c.look) {
				assert.Contains(t, rep.Failures[0].Class().Name(), c.want)
			}
		}
		for _, text := range []string{"look h 0 int*1", "open h f rdwr\n  look h 0 int*1 -> x", "open h f rdwr\n  look h int*1"} {
			_, err := script.Parse("ranks 1\n0:\n  " + text)
			assert.Error(t, err, text)
		}
	})
	t.Run("too many places", func(t *testing.T) {
		_, rep := looksOf(t, "ranks 1\n0:\n  open h f rdwr|create\n  view h 0 byte vector(2, 1, 2, byte) native\n  look h 0 byte*4000\n  close h\n", script.Options{})
		if assert.Len(t, rep.Failures, 1) {
			assert.ErrorContains(t, rep.Failures[0].Err, "look at fewer")
		}
	})
}

// A script has the same outcomes and races with a look after each statement. If the result
// of a look is known, the next read returns one of its choices.
func TestLooksChangeNothing(t *testing.T) {
	use := regexp.MustCompile(`(?m)^(\s+)(write_at|read_at|sync|view|set_size|atomic|write_shared|iwrite_at) (\w+) .*$|^(\s+)(sync) (\w+)$`)
	for _, all := range []fs.FS{consistency.Litmus(), consistency.Twins()} {
		names, err := fs.Glob(all, "*.mpio")
		require.NoError(t, err)
		for _, name := range names {
			text, err := fs.ReadFile(all, name)
			require.NoError(t, err)
			body, _, _ := strings.Cut(string(text), "\nallow ") // lines of expectations count lines
			body, _, _ = strings.Cut(body, "\nrace ")
			looking := use.ReplaceAllString(body, "$0\n${1}${4}look ${3}${6} 0 byte*9")
			if looking == body || strings.Contains(body, "sequential") {
				continue
			}
			t.Run("CONS-D01 "+name, func(t *testing.T) {
				assert.Equal(t, ends(t, body), ends(t, looking))
			})
		}
	}
}

// ends returns all possible ends of a script.
func ends(t *testing.T, text string) (all []string) {
	t.Helper()
	s, err := script.Parse(text)
	require.NoError(t, err, text)
	rep, err := script.Explore(t.Context(), s, script.Options{MaxSchedules: 20_000})
	require.NoError(t, err)
	if !rep.Complete {
		t.Skip(rep.Stopped)
	}
	for i := range rep.Outcomes {
		all = append(all, rep.Outcomes[i].String())
	}
	return append(all, fmt.Sprint(len(rep.Races), " races, ", len(rep.Failures), " failures"))
}

// TestTextIsQuoted: bytes that a script writes as text are text wherever they are shown, also
// before the file has any, and where a statement looks at them.
func TestTextIsQuoted(t *testing.T) {
	s, err := script.Parse("ranks 1\nall:\n open h f rdwr|create\n write_at h 0 \"BBBB\"\n look h 0 byte*4\n look h 0 int\n read_at h 0 byte*4 -> x\n close h\n")
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{Moments: true})
	require.NoError(t, err)
	var looks []string
	for _, e := range rep.Log {
		if e.Look != nil {
			text, _, _ := strings.Cut(e.Look.Text(), ";")
			looks = append(looks, text)
		}
	}
	assert.Equal(t, []string{`"BBBB"`, "1111638594"}, looks)
	shown := 0
	for _, m := range rep.Moments {
		for name, c := range m.Files {
			assert.Equal(t, `"BBBB"`, c.Show(0, []byte("BBBB"), 0), name)
			shown++
		}
	}
	assert.Greater(t, shown, 4)
}
