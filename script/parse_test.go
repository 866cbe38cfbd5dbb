package script_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

const example = `# what a missing sync leaves open
ranks 2
type col = vector(4, 1, 4, int)
file f = 00*40

all:
  open h f rdwr|create
  view h 0 int int native
0:
  write_at h 0 int 5*10       # ten fives
1:
  read_at h 0 int*10 -> x
all:
  close h

allow  1:x = 5*10 | 1:x = 0*10
race
`

// TestPackageCommentScript is the script of the package comment: explored, it
// ends in both ways that it allows, because the read races.
func TestPackageCommentScript(t *testing.T) {
	s, err := script.Parse(example)
	require.NoError(t, err)
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	assert.Empty(t, rep.Unmet)
	assert.Len(t, rep.Outcomes, 2)
	require.Len(t, rep.Races, 1)
	assert.Equal(t, 10, rep.Races[0].A.Place.Line) // in the order of the text
	assert.Equal(t, 12, rep.Races[0].B.Place.Line)
}

// TestParseErrorPositions: line, column and a hint.
func TestParseErrorPositions(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
		says      string
	}{
		{"", 1, 1, "begins with the number of ranks"},
		{"ranks 0", 1, 8, "0 ranks"},
		{"ranks 99999999999999999999", 1, 7, "beyond 64 bits"},
		{"ranks 2\nranks 3", 2, 1, "once, before the first block"},
		{"0: barrier", 1, 1, "number of ranks first"},
		{"ranks 2\nbarrier", 2, 1, "is in no block"},
		{"ranks 2\n3: barrier", 2, 1, "there is no rank 3"},
		{"ranks 2\n1-0: barrier", 2, 4, "greater"},
		{"ranks 2\n0:\n  raed_at h 0 int*3 -> x", 3, 3, "did you mean read_at?"},
		{"ranks 2\nall:\n  BARRIER", 3, 3, "did you mean barrier?"},
		{"ranks 2\nall:\n  MPI_File_sync h", 3, 3, "did you mean sync?"},
		{"ranks 2\nall:\n  MPI_File_set_view h", 3, 3, "did you mean view?"},
		{"ranks 2\nall:\n  WriteAtAll h", 3, 3, "did you mean write_at_all?"},
		{"ranks 2\nrank 0:\n  barrier", 2, 1, "write 0:"},
		{"ranks 2\nRanks 0, 1: barrier", 2, 1, "write 0,1:"},
		{"ranks 2\nall:\n  open h f rdwr\n  view h 4 + r*2 char char native", 4, 10, "an expression has no blanks: write 4+r*2"},
		{"ranks 2\nall:\n  open h f rdwr\n  write_at h r *2 int 1", 4, 14, "write r*2"},
		{"ranks 2\nall:\n  open h f rdwr\n  write_at h 4+ r int 1", 4, 14, "write 4+r"},
		{"ranks 1\n0: open h f rdwr|creat", 2, 18, "an access mode"},
		{"ranks 1\n0: sync h", 2, 10, "has not opened a file as h"},
		{"ranks 1\n0: self sync h", 2, 9, "only open takes self"},
		{"ranks 1\n0: open h f rdwr\n write_at h 0 vector(1,2 int) 3", 3, 26, "expected"},
		{"ranks 1\n0: open h f rdwr\n write_at h 0 short 70000", 3, 20, "does not fit short"},
		{"ranks 1\n0: open h f rdwr\n write_at h 0 contiguous(2, int) 7", 3, 33, "not a whole number"},
		{"ranks 1\n0: open h f rdwr\n read h int*3", 3, 14, "expected \"->\""},
		{"ranks 1\n0: open h f rdwr\n read h int*3 -> x\n read h int*3 -> x", 4, 19, "has a result x already"},
		{"ranks 1\n0: open h f rdwr\n read h int*99999999999 -> x", 3, 24, "at most"},
		{"ranks 1\n0: open h f rdwr\n read h int*-1 -> x", 3, 15, "-1 copies"},
		{"ranks 1\n0: open h f rdwr\n write_at h 0 byte 1*99999999999", 3, 19, "more than"},
		{"ranks 1\n0: open h f rdwr\n write_at h 0 float 1e39", 3, 20, "\"1e39\" is not a value of type float"},
		{"ranks 1\n0: open h f rdwr cb_nodes=4\x7f", 2, 28, "expected a hint"},
		{"ranks 1\n0: wait q", 2, 10, "has started nothing as q"},
		{"ranks 1\n0: recv 0 0 int*1", 2, 18, "expected"},
		{"ranks 2\nfile f = 0g", 2, 10, "not a byte in hexadecimal"},
		{"ranks 2\nfile f = 00*999999999999", 2, 10, "at most"},
		{"ranks 2\nfile f = \"open", 2, 10, "not closed"},
		{"ranks 2\nfile f = 00\nfile f = 01", 3, 9, "is defined already"},
		{"ranks 2\ntype int = double", 2, 11, "predefined"},
		{"ranks 2\n1: barrier\nallow 1:x = 4", 3, 1, "no result x"},
		{"ranks 1\nrace sync", 2, 6, "writer-sync, order or reader-sync"},
		{"ranks 1\nrace order CONS-C4", 2, 12, "CONS-C1, CONS-C2 or CONS-C3"},
		{"ranks 1\n0: barrier\nrace order CONS-C1 at 0:2 0:9", 3, 1, "no statement on line 9"},
		{"ranks 1\nerror FOO at 0:3", 2, 7, "an error class"},
		{"ranks 1\n0: barrier\nerror ARG at 0:7", 3, 1, "no statement on line 7"},
		{"ranks 1\n0: barrier barrier", 2, 12, "unexpected"},
	} {
		_, err := script.Parse(c.text)
		var e *script.SyntaxError
		if assert.ErrorAs(t, err, &e, c.text) {
			assert.Contains(t, e.Error(), c.says)
			assert.Equal(t, [2]int{c.line, c.col}, [2]int{e.Line, e.Column}, "%s\n%s", c.text, e.Show())
			assert.True(t, strings.HasSuffix(e.Show(), "\n    "+strings.Repeat(" ", c.col-1)+"^"), "the mark is under the place: %s", e.Show())
		}
	}
}

// TestStringRoundTrip: what String writes is read back as the same.
func TestStringRoundTrip(t *testing.T) {
	same := func(t require.TestingT, text string) {
		s, err := script.Parse(text)
		require.NoError(t, err, text)
		again, err := script.Parse(s.String())
		require.NoError(t, err, s.String())
		assert.Equal(t, s.String(), again.String())
	}
	all, err := fs.Glob(consistency.Litmus(), "*.mpio")
	require.NoError(t, err)
	for _, name := range all {
		text, err := fs.ReadFile(consistency.Litmus(), name)
		require.NoError(t, err)
		same(t, string(text))
	}
	same(t, `ranks 1
file f = "a \"#\" b" # a mark inside of quotes begins no comment
allow file f = "a \"#\" b"
`)
	rapid.Check(t, func(t *rapid.T) { same(t, drawScript(t)) })
}

// drawScript draws the text of a script.
func drawScript(t *rapid.T) string {
	n := rapid.IntRange(1, 4).Draw(t, "ranks")
	var b strings.Builder
	fmt.Fprintf(&b, "ranks %d\nfile f = 00*4 \"a\\\"b\\x80\"*2\nall:\n open h f rdwr|create\n", n)
	typ := rapid.SampledFrom([]string{"int", "contiguous(2, int)", "resized(int, 0, 8)", "vector(2, 1, 2, int)"})
	for i := range rapid.IntRange(0, 12).Draw(t, "statements") {
		r := rapid.IntRange(0, n-1).Draw(t, "rank")
		off := rapid.Int64Range(-2, 9).Draw(t, "offset")
		form := rapid.SampledFrom([]string{
			"RANK: write_at h OFFSET TYPE 1*2", "RANK: read_at_all h OFFSET TYPE*3 -> xNUMBER",
			"RANK: iwrite h TYPE 7 -8 as qNUMBER", "RANK: iread_at h OFFSET TYPE*1 -> yNUMBER as pNUMBER",
			"all: view h OFFSET int TYPE external32", "RANK,0: barrier", "all: seek h OFFSET end", "RANK: waitall",
			"RANK: send RANK NUMBER double 1.5 -2e10*3", "RANK: recv any any char*9 -> zNUMBER", "all: write h \"a\\\"b\"*2",
			"all: allreduce max short 3 -> mNUMBER", "all: get_size h -> sNUMBER", "RANK: ssend 0 1 doublecomplex 1-2i 3",
			"all: gather 0 short 3 -> mNUMBER", "all: allgather TYPE 1*2 -> mNUMBER", "all: reduce sum 0 int 3 -> mNUMBER",
			"RANK: scatter 0 TYPE*1 -> mNUMBER", "RANK: scatter 0 int 1 2", "RANK: probe any NUMBER -> mNUMBER",
		}).Draw(t, "form")
		_, _ = strings.NewReplacer("RANK", fmt.Sprint(r), "OFFSET", fmt.Sprint(off), "TYPE", typ.Draw(t, "type"), "NUMBER", fmt.Sprint(i)).
			WriteString(&b, form+"\n")
	}
	b.WriteString("all: close h\n")
	b.WriteString(rapid.SampledFrom([]string{"", "race\n", "race writer-sync\nrace order CONS-C1\nrace reader-sync CONS-C3 at 0:4 0:4\n", "norace\nallow file f = 0001 .. \"x\"*2 | file g absent\n", "deadlock\n", "error ARG at 0:4\n"}).Draw(t, "expect"))
	return b.String()
}

// TestShowHostileLines: a stranger's script must not fill the terminal, or send
// control characters to it.
func TestShowHostileLines(t *testing.T) {
	for _, text := range []string{
		"ranks 2\n" + strings.Repeat("x", 5000),
		"ranks 2\n0: barrier" + strings.Repeat(" ", 5000) + "again",
		"\x1b[2J\x00\xff" + strings.Repeat("\xfe", 5000),
		"ranks 1\n0: open h f rdwr\n\twrite_at h 0 vector(1,2 int) 3 \u00e9",
	} {
		_, err := script.Parse(text)
		var e *script.SyntaxError
		require.ErrorAs(t, err, &e)
		lines := strings.Split(e.Show(), "\n")
		require.Len(t, lines, 3)
		for _, l := range lines {
			assert.Less(t, len(l), 400)
			assert.NotContains(t, l, "\x1b")
			assert.NotContains(t, l, "\xfe")
		}
	}
}

// FuzzParse: no text makes the parser panic, and an accepted script prints in a form that
// the parser accepts.
func FuzzParse(f *testing.F) {
	f.Add(example)
	for _, all := range []fs.FS{consistency.Litmus(), consistency.Twins()} {
		names, _ := fs.Glob(all, "*.mpio")
		for _, name := range names {
			text, _ := fs.ReadFile(all, name)
			f.Add(string(text))
		}
	}
	for _, text := range []string{
		"ranks 1000000000\n", "ranks 2\n0-1,1-0:", "ranks 2\nfile f = \"\\", "\x00\xff\xfe", "ranks 1\ntype a = dup(dup(dup(int)))\n",
		"ranks 2\nall: open h f rdwr\n write_at h -1 resized(int, -9223372036854775808, 0) 1*9223372036854775807 as",
		"ranks 1\nrace order CONS-C1 at 0:2147483648 0:-1", "ranks 1\nallow file f = ..*3 00*0, 0:x = \"\"*5 | file g absent",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse(text)
		if err != nil {
			return
		}
		if _, err := script.Parse(s.String()); err != nil {
			t.Fatalf("%v\n%s", err, s)
		}
	})
}
