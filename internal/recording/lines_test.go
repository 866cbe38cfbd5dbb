package recording

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Lines are those that were written into the recording; what lies between the program and MPI
// is left out. (Package recorder of world/c tests those of executables.)
func TestLines(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, head, func(w *Writer) {
		m := w.Module(Module{"/a\tb", "12"})
		s, err := w.Site("A", ">", Frame{-1, 7}, Frame{m, 1}, Frame{m, 0x21}, Frame{m, 0x31}, Frame{m, 2}, Frame{m, 0x21})
		require.NoError(t, err)
		require.NoError(t, w.Call(s))
	})
	open := func(lines string) (*Trace, error) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, linesFile), []byte(lines), 0o644))
		return Open(dir)
	}
	lines := linesHead + "\n" + `"/a\tb"` + "\t20\t\"/src/p.c\"\t5\t\"put\"\n" + `"/a\tb"` + "\t30\t\"/src/p.c\"\t9\t\"main\"\n"
	for range 2 {
		tr, err := open(lines)
		require.NoError(t, err)
		r, err := tr.Rank(0)
		require.NoError(t, err)
		require.NoError(t, r.All())
		assert.Equal(t, "p.c:5 < p.c:9", tr.Place(r, 0).String())
		found, all, err := tr.WriteLines() // the program is not there, so it adds nothing
		require.NoError(t, err)
		assert.Equal(t, []int{2, 4}, []int{found, all})
		b, err := os.ReadFile(filepath.Join(dir, linesFile))
		require.NoError(t, err)
		lines = string(b)
	}
	for text, want := range map[string]string{
		"lines of what\n":                            "line 1",
		linesHead + "\nx\n":                          "line 2: 1 words of 5",
		linesHead + "\n\"/a\"\tzz\t\"f\"\t1\t\"\"\n": "line 2",
		linesHead + "\n/a\t1\t\"f\"\t1\t\"\"\n":      "line 2: word 1",
	} {
		_, err := open(text)
		assert.ErrorContains(t, err, want)
	}
}

// Without a line a place is the function and the offset in it, or the offset in the file; that of
// the program is preferred to that of a library.
func TestWithoutLines(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, head, func(w *Writer) {
		prog, lib := w.Module(Module{"/a/prog", "12"}), w.Module(Module{"/a/libfort.so.1", "13"})
		for _, frames := range [][]Frame{{{prog, 0x21}}, {{lib, 0x31}, {prog, 0x21}}, {{lib, 0x31}}, {{prog, 0x101}}, {{-1, 0}}} {
			s, err := w.Site("A", ">", frames...)
			require.NoError(t, err)
			require.NoError(t, w.Call(s))
		}
	})
	require.NoError(t, os.WriteFile(filepath.Join(dir, linesFile), []byte(linesHead+"\n\"/a/prog\"\t20\t\"\"\t-9\t\"main\"\n"), 0o644))
	for range 2 {
		tr, err := Open(dir)
		require.NoError(t, err)
		r, err := tr.Rank(0)
		require.NoError(t, err)
		require.NoError(t, r.All())
		for site, want := range []string{"main@prog:9", "main@prog:9", "@libfort.so.1:49", "@prog:257", "call@unknown:5"} {
			p := tr.Place(r, site)
			assert.Equal(t, want, p.String())
			assert.False(t, HasLine(p))
		}
		_, _, err = tr.WriteLines()
		require.NoError(t, err)
	}
}

// Lines are written of what can be read, if a rank's file is not whole.
func TestLinesOfWrongFile(t *testing.T) {
	dir := t.TempDir()
	for rank := range 2 {
		write(t, dir, Head{Rank: rank, Ranks: 2, Job: 7, Library: "a library"}, func(w *Writer) {
			s, err := w.Site("A", ">", Frame{w.Module(Module{"/a/prog", "12"}), uint64(0x20 + rank)})
			require.NoError(t, err)
			require.NoError(t, w.Call(s))
		})
	}
	f, err := os.OpenFile(filepath.Join(dir, fileName(0)), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\x0c")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	tr, err := Open(dir)
	require.NoError(t, err)
	_, all, err := tr.WriteLines()
	assert.ErrorContains(t, err, "there is no record 0xc")
	assert.Equal(t, 2, all)
	assert.FileExists(t, filepath.Join(dir, linesFile))
}
