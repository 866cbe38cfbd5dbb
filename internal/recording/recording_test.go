package recording

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/types"
)

var head = Head{Rank: 0, Ranks: 1, Job: 7, Library: "a library"}

// write writes the file of one rank.
func write(t testing.TB, dir string, h Head, calls func(w *Writer)) {
	t.Helper()
	w, err := Create(dir, h)
	require.NoError(t, err)
	calls(w)
	require.NoError(t, w.Close())
}

type made struct {
	name     string
	site     int
	args     []int64
	returned bool
}

func read(t testing.TB, r *Reader) (all []made) {
	t.Helper()
	for {
		c, err := r.Next()
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		all = append(all, made{c.Name, c.Site, append([]int64{}, c.Args...), c.Returned})
	}
}

// What was written is read, whatever the calls are.
func TestReadsWhatWasWritten(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var want []made
		dir := t.TempDir()
		write(t, dir, head, func(w *Writer) {
			var sites []int
			for i := range 1 + rng.IntN(300) {
				s, err := w.Site(fmt.Sprintf("F%d", i%7), "abc>d", Frame{Module: -1, Address: uint64(i)})
				require.NoError(t, err)
				sites = append(sites, s)
			}
			for i := range 2000 {
				s := sites[rng.IntN(len(sites))]
				if rng.IntN(10) > 0 {
					s = sites[i%min(3, len(sites))]
				}
				args := []int64{int64(i / 3), 5, int64(i%3) * 1000, 0}
				if rng.IntN(20) == 0 {
					args[rng.IntN(4)] = int64(rng.Uint64())
				}
				if rng.IntN(50) == 0 {
					w.Text(fmt.Sprint(i))
				}
				require.NoError(t, w.Call(s, args...))
				want = append(want, made{fmt.Sprintf("F%d", s%7), s, args, true})
			}
			require.NoError(t, w.Pending(sites[0], 1, 2, 3))
		})
		tr, err := Open(dir)
		require.NoError(t, err)
		r, err := tr.Rank(0)
		require.NoError(t, err)
		got := read(t, r)
		last := got[len(got)-1]
		assert.False(t, last.returned)
		assert.Equal(t, []int64{1, 2, 3}, last.args[:3])
		require.Equal(t, want, got[:len(got)-1], "seed %d", seed)
		assert.Equal(t, Cut, r.End())
	}
}

// A loop of any length takes a few bytes.
func TestRepeatsAreFolded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, head, func(w *Writer) {
		a, _ := w.Site("A", "nn>e")
		b, _ := w.Site("B", "n>e")
		for i := range int64(100_000) {
			require.NoError(t, w.Call(a, i*4096, 3, 0))
			require.NoError(t, w.Call(b, 1, 0))
		}
	})
	info, err := os.Stat(filepath.Join(dir, "rank.0"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(120))
	tr, err := Open(dir)
	require.NoError(t, err)
	r, err := tr.Rank(0)
	require.NoError(t, err)
	require.NoError(t, r.All())
	assert.EqualValues(t, 200_000, r.Calls())
}

func TestValues(t *testing.T) {
	vector := types.Vector(3, 2, 5, types.Struct(types.Field{Count: 1, Disp: 8, Type: types.OfKind(types.KindInt)}))
	array := types.Subarray(types.OrderFortran, []types.Slab{{Size: 8, Sub: 4, Start: 2}}, types.OfKind(types.KindDouble))
	dir := t.TempDir()
	write(t, dir, head, func(w *Writer) {
		s, _ := w.Site("A", "t>")
		for _, slot := range []int64{w.Type(vector), w.Text("a file"), w.List(3, -1, 1<<40), w.Type(array), w.Type(vector)} {
			require.NoError(t, w.Call(s, slot))
		}
		for i := range int64(slots) { // the first ones are replaced
			w.List(i)
		}
		require.NoError(t, w.Call(s, w.Type(vector)))
	})
	tr, err := Open(dir)
	require.NoError(t, err)
	r, err := tr.Rank(0)
	require.NoError(t, err)
	next := func() int64 {
		c, err := r.Next()
		require.NoError(t, err)
		return c.Args[0]
	}
	first, err := r.Type(next())
	require.NoError(t, err)
	assert.True(t, first.Equal(vector), first)
	text, err := r.Text(next())
	require.NoError(t, err)
	assert.Equal(t, "a file", text)
	list, err := r.List(next())
	require.NoError(t, err)
	assert.Equal(t, []int64{3, -1, 1 << 40}, list)
	second, err := r.Type(next())
	require.NoError(t, err)
	assert.True(t, second.Equal(array), second)
	assert.EqualValues(t, 0, next())
	again, err := r.Type(next())
	require.NoError(t, err)
	assert.Same(t, first, again)
	_, err = r.Text(0)
	assert.ErrorContains(t, err, "no text")
	_, err = r.List(slots)
	assert.ErrorContains(t, err, "no list")
	none, err := r.Type(None)
	require.NoError(t, err)
	assert.Nil(t, none)
}

// Every beginning of a file is read up to where it ends, or is an error with an offset. No call
// is read that was not made.
func TestTruncated(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, head, func(w *Writer) {
		s, _ := w.Site("A", "nt>e", Frame{w.Module(Module{"/a/program", "ab12"}), 0x1234})
		for i := range int64(5) {
			require.NoError(t, w.Call(s, i*i*1000, w.List(i), 0))
		}
		for range 100 {
			require.NoError(t, w.Call(s, 5, 0, 0))
		}
		require.NoError(t, w.Call(s, 6, 0, 0))
	})
	whole, err := os.ReadFile(filepath.Join(dir, "rank.0"))
	require.NoError(t, err)
	all := read(t, reader(t, whole))
	for n := range whole {
		r, err := newReader("rank.0", memory(whole[:n]), &typeCache{})
		var got []made
		for err == nil {
			var c *Call
			if c, err = r.Next(); err == nil {
				got = append(got, made{c.Name, c.Site, append([]int64{}, c.Args...), c.Returned})
			}
		}
		assert.LessOrEqual(t, len(got), len(all))
		if len(got) > 0 {
			assert.Equal(t, all[:len(got)], got)
		}
		var wrong *Error
		assert.True(t, err == io.EOF || errors.As(err, &wrong), err)
	}
}

type memory []byte

// TestCutWhileRead: a rank cuts the unused bytes off its file when it ends, perhaps before rank 0 reads it,
// while, or after.
func TestCutWhileRead(t *testing.T) {
	for _, last := range []string{"A", "Finalize"} {
		dir := t.TempDir()
		write(t, dir, head, func(w *Writer) {
			s, err := w.Site(last, ">", Frame{-1, 7})
			require.NoError(t, err)
			require.NoError(t, w.Call(s))
		})
		name := filepath.Join(dir, fileName(0))
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(name, info.Size()+1000))
		tr, err := Open(dir)
		require.NoError(t, err)
		r, err := tr.Rank(0)
		require.NoError(t, err)
		assert.Len(t, read(t, r), 1)
		require.NoError(t, os.Truncate(name, info.Size()))
		r, err = tr.Rank(0)
		require.NoError(t, err)
		assert.Len(t, read(t, r), 1)
	}
}

func (m memory) Size() int64 { return int64(len(m)) }

func (m memory) ReadAt(p []byte, off int64) (int, error) {
	if n := copy(p, m[min(off, int64(len(m))):]); n < len(p) {
		return n, io.EOF
	}
	return len(p), nil
}

func reader(t testing.TB, b []byte) *Reader {
	t.Helper()
	r, err := newReader("rank.0", memory(b), &typeCache{})
	require.NoError(t, err)
	return r
}

func TestForeignAndMixed(t *testing.T) {
	of := func(h Head, as string) func(string) {
		return func(dir string) {
			write(t, dir, h, func(*Writer) {})
			require.NoError(t, os.Rename(filepath.Join(dir, fileName(h.Rank)), filepath.Join(dir, "x"+as)))
			require.NoError(t, os.Rename(filepath.Join(dir, "x"+as), filepath.Join(dir, as)))
		}
	}
	bytes := func(text string) func(string) {
		return func(dir string) { require.NoError(t, os.WriteFile(filepath.Join(dir, "rank.0"), []byte(text), 0o644)) }
	}
	for want, files := range map[string][]func(string){
		"rank.0: at byte 0: not the file of a recording":                           {bytes("a file of something else")},
		"rank.0: at byte 0: not the file of a recording: it is too short":          {bytes("cw")},
		"rank.0: at byte 0: version 9 of the format; this program reads version 1": {bytes("cwtrace\x09")},
		"rank.0: at byte 8: the head is missing":                                   {bytes(magic + "\x05")},
		"rank.0: at byte 8: the file ends within a record":                         {bytes(magic + "\x01\x00")},
		"rank.0: at byte 8: rank 3 of 2":                                           {bytes(magic + "\x01\x03\x02\x00\x00")},
		"rank.1: at byte 8: the file of rank 0 has the name of that of rank 1":     {of(Head{Rank: 0, Ranks: 2}, "rank.1")},
		"rank.1: at byte 8: rank 1 of 2 is of another job than rank 0 of 2":        {of(Head{Rank: 0, Ranks: 2, Job: 1}, "rank.0"), of(Head{Rank: 1, Ranks: 2, Job: 2}, "rank.1")},
		"not a recording: there is no file rank.0":                                 {},
	} {
		dir := t.TempDir()
		for _, make := range files {
			make(dir)
		}
		_, err := Open(dir)
		assert.ErrorContains(t, err, want)
	}
	dir := t.TempDir()
	of(Head{Rank: 1, Ranks: 3, Job: 1}, "rank.1")(dir)
	tr, err := Open(dir)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 2}, tr.Missing)
	_, err = tr.Rank(0)
	assert.ErrorContains(t, err, "there is no such file")
}

// Records that no recorder writes are errors.
func TestHostile(t *testing.T) {
	begin := magic + "\x01\x00\x01\x00\x00"
	// A process that is killed may leave a part of a record behind the end.
	assert.NoError(t, reader(t, []byte(begin+"\x00\x10\x07\x00\x00")).All())
	site := begin + "\x02\x01A\x02n>\x04\x00\x00"
	for records, want := range map[string]string{
		begin + "\x10\x00":                                  "there is no site 0",
		site + "\x10\x02\x00":                               "a call with 2 fields of 1",
		site + "\x0e\x05":                                   "a run of calls that nothing predicts",
		site + "\x10\x00\x0e\x05":                           "a run of calls that nothing predicts",
		begin + "\x04\x00\x00":                              "function 0: there are 0",
		begin + "\x02\x01A\x01n":                            `function "A" has the fields "n"`,
		begin + "\x05\x05\x01l":                             "a value ends early",
		begin + "\x05\x05\x02l\x00":                         "slot 5 comes before slot 0",
		begin + "\x05\x00\x02l\x7f":                         "127 parts of a value in 0 bytes",
		begin + "\x05\x00\x05t\x65\x02XY":                   `there is no predefined datatype "XY"`,
		begin + "\x05\x00\xff\xff\xff\x0fl":                 "the file ends within a record",
		begin + "\x0c":                                      "there is no record 0xc",
		begin + strings.Repeat("\x00", mostTorn+2) + "\x07": "the end of the recording is followed by byte 0x7",
		begin + "\x0a\x02\x01A":                             "a record after the end of the program",
		begin + "\x02\xff\xff\xff\xff\xff\x0f":              "length of a text 549755813887: there are 65536",
	} {
		err := reader(t, []byte(records)).All()
		assert.ErrorContains(t, err, want)
		var wrong *Error
		assert.ErrorAs(t, err, &wrong)
	}
}

func FuzzReader(f *testing.F) {
	dir := f.TempDir()
	write(f, dir, head, func(w *Writer) {
		s, _ := w.Site("A", "nt>e", Frame{w.Module(Module{"/a", ""}), 1})
		for i := range int64(9) {
			_ = w.Call(s, i*i, w.Type(types.Vector(2, 1, i, types.OfKind(types.KindInt))), 0)
		}
		w.Note("threads")
	})
	b, err := os.ReadFile(filepath.Join(dir, "rank.0"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(append(b, make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := newReader("rank.0", memory(b), &typeCache{})
		for n := 0; err == nil && n < 10_000; n++ {
			var c *Call
			if c, err = r.Next(); err != nil {
				break
			}
			for _, a := range c.Args {
				for _, err := range []error{second(r.Type(a)), second(r.List(a)), second(r.Text(a)), second(r.Types(a))} {
					var wrong *Error
					if err != nil && !errors.As(err, &wrong) {
						t.Fatal(err)
					}
				}
			}
		}
		var wrong *Error
		if err != nil && err != io.EOF && !errors.As(err, &wrong) {
			t.Fatal(err)
		}
	})
}

func second[T any](_ T, err error) error { return err }
