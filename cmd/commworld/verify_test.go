package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
)

// numbered is a file of n ints 0, 1, 2, ... and some bytes behind them.
func numbered(n, tail int) []byte {
	var data []byte
	for i := range n {
		data = binary.NativeEndian.AppendUint32(data, uint32(i))
	}
	for i := range tail {
		data = append(data, byte(0xe0+i))
	}
	return data
}

// ints is the element type that numbered is made of.
func ints() element { return elements[2] }

// small is an engine for 8 rows of 24 ints and a tail: in every decomposition except the
// irregular one, each of 4 ranks owns the same amount.
func small(ranks ...int) *engine {
	width := int64(24)
	e := newEngine(newInput("numbers", numbered(8*24, 5), ints(), &width), ranks, iofile.NewMem(), false)
	e.piece = 20 // so that each rank makes several calls
	return e
}

// verdict runs verify as the command does.
func verdict(t *testing.T, e *engine) (int, string) {
	t.Helper()
	var out strings.Builder
	v := verifyCommand{Ranks: e.ranks}
	code, err := v.verify(context.Background(), e, &out, new(strings.Builder))
	assert.NoError(t, err)
	return code, out.String()
}

// If verify reported an error in correct files, no one would trust it.
func TestIdentical(t *testing.T) {
	e := small(1, 2, 3, 4)
	code, out := verdict(t, e)
	assert.Equal(t, exitIdentical, code, out)
	size := 8*24*4 + 5
	want := fmt.Sprintf("identical: %d files, %d reads, %d bytes\n", 3*6*4, 3*6*4*4*2, 3*6*4*(1+4*2)*size)
	assert.True(t, strings.HasSuffix(out, "\n\n"+want), out)
}

// lastLine returns the line that a script would read.
func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// firstOf is the first element that one of two ranks of 4 owns.
func firstOf(d *decomposition, s shape, a, b int64) (e, owner int64) {
	for e := range s.elements() {
		if r := d.owner(s, 4, e/s.width, e%s.width); r == a || r == b {
			return e, r
		}
	}
	return -1, -1
}

// If verify missed two ranks that write each other's part, or named a wrong byte, its main
// promise would be false.
func TestSwappedWriters(t *testing.T) {
	for _, d := range decompositions[:5] {
		t.Run(d.name, func(t *testing.T) {
			e := small(4)
			e.faults.view = func(v part, write bool, name string, rank int) part {
				if write && name == d.name && (rank == 1 || rank == 2) {
					return d.view(e.in.shape, 4, int64(3-rank), e.in.elem.typ)
				}
				return v
			}
			code, out := verdict(t, e)
			assert.Equal(t, exitDifferent, code)
			first, owner := firstOf(d, e.in.shape, 1, 2)
			other, _ := firstOf(d, e.in.shape, 3-owner, 3-owner)
			want := fmt.Sprintf("different: byte %d (row %d, column %d): expected 0x%02x, found 0x%02x; written by rank %d of 4",
				first*4, first/24, first%24, first, other, owner)
			assert.Equal(t, want, lastLine(out))
			assert.Contains(t, out, "The file that 4 ranks wrote is wrong, native\n")
		})
	}
}

// If a reader with a wrong view passed, only half of the promise would be
// checked.
func TestBrokenReaderView(t *testing.T) {
	for _, d := range decompositions {
		t.Run(d.name, func(t *testing.T) {
			e := small(2, 4)
			e.faults.view = func(v part, write bool, name string, rank int) part {
				if !write && name == d.name && rank == 3 {
					v.first++
				}
				return v
			}
			code, out := verdict(t, e)
			assert.Equal(t, exitDifferent, code)
			first, _ := firstOf(d, e.in.shape, 3, 3)
			last := lastLine(out)
			assert.Contains(t, last, fmt.Sprintf("different: byte %d (row %d, column %d): expected 0x%02x, found", first*4, first/24, first%24, first))
			assert.Contains(t, last, "read by rank 3 of 4")
			assert.Contains(t, out, "A collective read got something else than FILE, native\n")
			assert.Contains(t, out, "  read by     rank 3 of 4 ("+d.name+")\n              disp ")
		})
	}
}

// If a byte could be lost or changed on its way, files would rot unseen.
func TestLostAndChangedBytes(t *testing.T) {
	for _, d := range decompositions {
		t.Run(d.name, func(t *testing.T) {
			e := small(4)
			e.faults.local = func(data []byte, name string, rank int) {
				if name == d.name && rank == 2 && len(data) > 0 {
					data[3] ^= 0xff
				}
			}
			code, out := verdict(t, e)
			assert.Equal(t, exitDifferent, code)
			first, _ := firstOf(d, e.in.shape, 2, 2)
			assert.Contains(t, lastLine(out), fmt.Sprintf("different: byte %d (row %d", first*4+3, first/24))
			assert.Contains(t, lastLine(out), "found 0xff; written by rank 2 of 4")

			e = small(4)
			e.faults.lost = func(name string, rank int) int64 {
				if name == d.name && rank == 1 {
					return 1
				}
				return 0
			}
			code, out = verdict(t, e)
			assert.Equal(t, exitDifferent, code)
			assert.Contains(t, lastLine(out), "written by rank 1 of 4")
		})
	}
}

// If shapes, types, rank counts or tails mattered, the promise would hold for
// the default only.
func TestAnyInput(t *testing.T) {
	t.Run("REP-INT-01 REP-DT-08 any array, type and numbers of ranks", rapid.MakeCheck(func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "file")
		width := rapid.Int64Range(1, 40).Draw(t, "width")
		ranks := rapid.SliceOfNDistinct(rapid.IntRange(1, 7), 1, 2, rapid.ID).Draw(t, "ranks")
		in := newInput("random", data, rapid.SampledFrom(elements).Draw(t, "type"), &width)
		e := newEngine(in, ranks, iofile.NewMem(), false)
		e.piece = rapid.Int64Range(1, 100).Draw(t, "piece")
		res, err := e.run(context.Background())
		assert.NoError(t, err)
		if res != nil {
			assert.Nil(t, res.Difference)
			n := 18 * len(ranks)
			assert.Equal(t, n, res.Files)
			assert.Equal(t, n*len(ranks)*2, res.Reads)
			assert.Equal(t, int64((res.Files+res.Reads)*len(data)), res.Bytes)
		}
	}))
}

// invoke runs the program and returns its exit status and what it printed.
func invoke(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// If a wrong use did not end with one clear line and status 2, scripts would
// take it for a verdict and people would not know what to do.
func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	empty, good := filepath.Join(dir, "empty"), filepath.Join(dir, "good")
	assert.NoError(t, os.WriteFile(empty, nil, 0o644))
	assert.NoError(t, os.WriteFile(good, numbered(20, 0), 0o644))
	for want, args := range map[string][]string{
		"no such file":                {"verify", filepath.Join(dir, "none")},
		"is a directory":              {"verify", dir},
		"file is empty":               {"verify", empty},
		"--width 0":                   {"verify", good, "--width", "0"},
		"--width -4":                  {"verify", good, "--width", "-4"},
		"--width: expected":           {"verify", good, "--width", "many"},
		"--type must be one of":       {"verify", good, "--type", "quaternion"},
		"--ranks 0":                   {"verify", good, "--ranks", "1,0"},
		"--ranks -2":                  {"verify", good, "--ranks=-2"},
		"--ranks 5000":                {"verify", good, "--ranks", "5000"},
		"2 twice":                     {"verify", good, "--ranks", "2,1,2"},
		"--ranks: expected":           {"verify", good, "--ranks", "two"},
		"--keep":                      {"verify", good, "--keep", filepath.Join(good, "sub")},
		"unknown flag --colour":       {"verify", good, "--colour"},
		"unexpected argument another": {"verify", good, "another"},
		"unexpected argument inspect": {"inspect"},
	} {
		code, out, errs := invoke(args...)
		assert.Equal(t, exitUsage, code, args)
		assert.Empty(t, out, args)
		assert.Contains(t, errs, want)
		assert.Equal(t, 1, strings.Count(errs, "\n"), errs)
		assert.True(t, strings.HasPrefix(errs, "commworld: "), errs)
	}
	code, out, errs := invoke("verify", "--help")
	assert.Equal(t, 0, code)
	assert.Contains(t, out, "--ranks")
	assert.Empty(t, errs)
}

// If the JSON object and the text differed, one of them would be wrong.
func TestJSON(t *testing.T) {
	name := filepath.Join(t.TempDir(), "numbers")
	assert.NoError(t, os.WriteFile(name, numbered(30, 3), 0o644))
	code, out, errs := invoke("verify", name, "--type=int", "--width=7", "--ranks=1,3", "--json")
	assert.Equal(t, exitIdentical, code)
	assert.Empty(t, errs)
	var got struct {
		Identical                bool
		Rows, Width, Tail, Files int
		Bytes                    int64
		Table                    []tableRow
		Difference               *difference
	}
	assert.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.True(t, got.Identical)
	assert.Equal(t, []int{4, 7, 11, 36}, []int{got.Rows, got.Width, got.Tail, got.Files})
	assert.Equal(t, int64(36*(1+4)*123), got.Bytes)
	assert.Len(t, got.Table, 18)
	for _, row := range got.Table {
		assert.Len(t, row.SHA256, 64)
	}
	assert.Nil(t, got.Difference)
}

// If the kept files were not those that were compared, no one could look for
// himself.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	name, kept := filepath.Join(dir, "numbers"), filepath.Join(dir, "a", "kept")
	data := numbered(30, 3)
	assert.NoError(t, os.WriteFile(name, data, 0o644))
	for range 2 { // the second run replaces the files of the first
		code, _, errs := invoke("verify", name, "--ranks=1,2", "--type=int", "--keep", kept)
		assert.Equal(t, exitIdentical, code, errs)
	}
	files, err := os.ReadDir(kept)
	assert.NoError(t, err)
	assert.Len(t, files, 36)
	got, err := os.ReadFile(filepath.Join(kept, "int.native.columns.2"))
	assert.NoError(t, err)
	assert.Equal(t, data, got)
	got, err = os.ReadFile(filepath.Join(kept, "int.external32.blocks.2"))
	assert.NoError(t, err)
	if assert.Len(t, got, len(data)) {
		assert.Equal(t, uint32(28), binary.BigEndian.Uint32(got[28*4:]), "most significant byte first")
	}

	// FILE itself must not be one of the files to be replaced.
	mine := filepath.Join(kept, "int.external32.rows.1")
	before, err := os.ReadFile(mine)
	assert.NoError(t, err)
	code, _, errs := invoke("verify", mine, "--ranks=1,2", "--type=int", "--keep", filepath.Join(kept, "..", "kept"))
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "would take the place of")
	after, err := os.ReadFile(mine)
	assert.NoError(t, err)
	assert.Equal(t, before, after)
}

// If the first command took a minute and said nothing, many would stop it.
func TestVerifyIsFast(t *testing.T) {
	var out, errs strings.Builder
	assert.Zero(t, run(t.Context(), []string{"verify", "--ranks", "2"}, &out, &errs))
	assert.Contains(t, out.String(), ": the first 1000000 of ")
	compared, end := strings.Index(out.String(), "to compare: 18 files, 36 reads, 54000000 bytes\n"), strings.Index(out.String(), "identical: 18 files, 36 reads, 54000000 bytes\n")
	assert.True(t, 0 < compared && compared < end, out.String())
	assert.Equal(t, 10, strings.Count(errs.String(), "\n"), errs.String())
	assert.True(t, strings.HasSuffix(errs.String(), "writing and reading: 100 %, 54 of 54 writes and reads\n"), errs.String())

	self, err := os.Executable()
	require.NoError(t, err)
	info, err := os.Stat(self)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	plan := &stopping{stop: stop} // the plan is printed before the comparison
	assert.Equal(t, exitUsage, run(ctx, []string{"verify", "--whole"}, plan, &errs))
	assert.Contains(t, plan.String(), fmt.Sprintf(": %d bytes as ", info.Size()))
}

// A stopping ends a context with the first write.
type stopping struct {
	strings.Builder
	stop func()
}

func (s *stopping) Write(p []byte) (int, error) {
	s.stop()
	return s.Builder.Write(p)
}
