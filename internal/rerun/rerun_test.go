package rerun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A job writes the recording of a job, as a program would make it: each call has a line of its own.
type writer struct {
	*recording.Writer
	t      testing.TB
	module int
	sites  map[string]int
	line   uint64
}

// fields are the fields of the functions that the tests use.
var fields = map[string]string{
	"File_open": "csmin>Fe", "File_close": "f>e", "File_write_at": "fnnt>e", "File_read_at": "fnnt>e", "File_sync": "f>e",
	"File_iwrite_at": "fnnt>Qe", "File_write_all_begin": "fnt>e", "File_write_at_all": "fnnt>e", "File_read_at_all": "fnnt>e", "File_set_view": "fnttsi>e", "File_delete": "si>e",
	"Barrier": "c>e", "Send": "ntrkc>e", "Recv": "ntrkc>RKe", "Irecv": "ntrkc>Qe", "Isend": "ntrkc>Qe", "Wait": "q>le", "Waitany": "l>nle",
	"Allreduce": "bntoc>e", "Gatherv": "bntlltrc>e", "Comm_split": "cun>Ce", "Comm_free": "c>e", "Win_fence": ">e", "Finalize": ">e", "Abort": "cn>e",
	"Comm_split_type": "cnni>Cle",
}

// do writes a call that returns.
func (w *writer) do(name string, args ...int64) {
	w.t.Helper()
	require.NoError(w.t, w.Call(w.site(name), append(args, 0)...), name)
}

// fail writes a call that returns an error.
func (w *writer) fail(name string, args ...int64) {
	w.t.Helper()
	require.NoError(w.t, w.Call(w.site(name), append(args, 1)...), name)
}

// site returns the site of the next line.
func (w *writer) site(name string) int {
	w.line++
	key := fmt.Sprint(name, w.line)
	if s, ok := w.sites[key]; ok {
		return s
	}
	s, err := w.Site(name, fields[name], recording.Frame{Module: w.module, Address: w.line + 1})
	require.NoError(w.t, err)
	w.sites[key] = s
	return s
}

// open writes the open of a file that all ranks of a communicator make: create and rdwr.
func (w *writer) open(comm int64, name string, size, id int64) {
	w.do("File_open", comm, w.Text(name), 1<<1|1<<3, -1, size, id)
}

// record writes the recording of a job of some ranks.
func record(t testing.TB, ranks int, body func(rank int, w *writer)) string {
	t.Helper()
	dir := t.TempDir()
	lines := "cwlines 1\n"
	for i := range 100 {
		lines += fmt.Sprintf("\"prog\"\t%x\t\"/src/prog.c\"\t%d\t\"main\"\n", i, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lines"), []byte(lines), 0o644))
	for rank := range ranks {
		file, err := recording.Create(dir, recording.Head{Rank: rank, Ranks: ranks, Job: 1, Library: "a library"})
		require.NoError(t, err)
		w := &writer{Writer: file, t: t, sites: map[string]int{}}
		w.module = w.Module(recording.Module{Path: "prog"})
		body(rank, w)
		require.NoError(t, w.Close())
	}
	return dir
}

func judge(t testing.TB, dir string, o Options) *Result {
	t.Helper()
	tr, err := recording.Open(dir)
	require.NoError(t, err)
	res, err := Run(context.Background(), tr, o)
	require.NoError(t, err)
	return res
}

// short is a finding in a few words: kind, rule, lines.
func short(all []world.Finding) (list []string) {
	for _, f := range all {
		var lines []string
		for _, p := range f.Places {
			lines = append(lines, fmt.Sprint(p.Line))
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Kind, f.Rule, strings.Join(lines, ","))))
	}
	slices.Sort(list)
	return list
}

// stale writes a job in which rank 1 reads what rank 0 has written, with the given syncs between.
func stale(t testing.TB, writerSyncs, orders, readerSyncs bool) string {
	return record(t, 2, func(rank int, w *writer) {
		i := w.Type(types.Int)
		w.open(0, "/dir/data", -1, 0)
		if rank == 0 {
			w.line = 9
			w.do("File_write_at", 0, 8, 4, i)
		}
		w.line = 19
		if writerSyncs {
			w.do("File_sync", 0)
		}
		w.line = 29
		if orders {
			w.do("Barrier", 0)
		}
		w.line = 39
		if readerSyncs {
			w.do("File_sync", 0)
		}
		if rank == 1 {
			w.line = 49
			w.do("File_read_at", 0, 8, 4, i)
		}
		w.line = 59
		w.do("File_close", 0)
		w.do("Finalize")
	})
}

// CONS-C2: races are found with the lines of both sides, under the models that they show under.
func TestRaces(t *testing.T) {
	models := []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX}
	for _, c := range []struct {
		writer, order, reader bool
		shows                 [4]bool
	}{
		{true, true, true, [4]bool{}},
		{false, false, false, [4]bool{true, true, true, true}},
		{false, true, false, [4]bool{true, true, true, false}},
		{false, true, true, [4]bool{true, true, true, false}},
		{true, true, false, [4]bool{true, true, false, false}},
	} {
		dir := stale(t, c.writer, c.order, c.reader)
		for i, m := range models {
			found := judge(t, dir, Options{Forgive: m}).Findings
			if !c.shows[i] {
				assert.Empty(t, short(found), "%v %v", c, m)
				continue
			}
			require.Len(t, found, 1, "%v %v", c, m)
			assert.Equal(t, world.KindRace, found[0].Kind)
			assert.Equal(t, "prog.c:10", found[0].Places[0].String())
			assert.Equal(t, "prog.c:50", found[0].Places[1].String())
			assert.NotContains(t, found[0].Text, "replay")
		}
	}
}

// A receive from any source receives what it received in the job, so that the same accesses are
// ordered; a wait for any request completes the one that was complete.
func TestMatches(t *testing.T) {
	for _, first := range []int64{1, 2} {
		dir := record(t, 3, func(rank int, w *writer) {
			i := w.Type(types.Int)
			w.open(0, "f", -1, 0)
			if rank > 0 {
				w.do("File_write_at", 0, int64(rank)*100, 4, i)
				w.do("Send", 1, i, 0, int64(rank), 0)
			} else {
				w.line = 10
				w.do("Irecv", 1, i, -1, -1, 0, 0)
				w.do("Irecv", 1, i, -1, -1, 0, 1)
				w.do("Waitany", w.List(0, 1), 0, w.List(0, first, first))
				w.line = 20
				w.do("File_read_at", 0, 100, 4, i) // ordered after the write of rank 1, if that came first
				w.line = 30
				w.do("Wait", 1, w.List(1, 3-first, 3-first))
			}
			w.line = 40
			w.do("File_close", 0)
			w.do("Finalize")
		})
		found := judge(t, dir, Options{Forgive: consistency.POSIX}).Findings
		if first == 1 {
			assert.Empty(t, short(found))
		} else {
			assert.Equal(t, []string{"race CONS-C2 2,21"}, short(found))
		}
	}
}

// What the library forgave is found: IO-TM-03, GEN-06, COLL-01, leaks, objects of the world.
func TestDeviations(t *testing.T) {
	i := func(w *writer) int64 { return w.Type(types.Int) }
	for want, body := range map[string]func(rank int, w *writer){
		"error IO-TM-03 3": func(_ int, w *writer) {
			w.open(0, "f", -1, 0)
			w.do("File_set_view", 0, 0, w.Type(types.Double), w.Type(types.Double), w.Text("native"), -1)
			w.do("File_write_at", 0, 0, 3, i(w))
			w.do("File_close", 0)
			w.do("Finalize")
		},
		"mismatch GEN-06 1": func(rank int, w *writer) {
			if rank == 0 {
				w.do("Barrier", 0)
			} else {
				w.do("Allreduce", 0, 1, i(w), 0, 0)
			}
			w.do("Finalize")
		},
		"leak IO-OPEN-08 1": func(_ int, w *writer) {
			w.open(0, "f", -1, 0)
			w.do("Finalize")
		},
		"error P2P-MATCH-03 2": func(rank int, w *writer) {
			if rank == 0 {
				w.do("Send", 5, i(w), 1, 0, 0)
			} else {
				w.line = 1
				w.do("Recv", 2, i(w), 0, 0, 0, 0, 0)
			}
			w.do("Finalize")
		},
		"": func(rank int, w *writer) { // all is well
			w.do("Gatherv", 0, 2, i(w), w.List(2, 2), w.List(0, 4), w.Type(types.Int), 0, 0)
			w.do("Comm_split", 0, int64(rank), 0, 2)
			w.do("Barrier", 2)
			w.open(2, fmt.Sprint("own", rank), -1, 0)
			w.do("File_write_at", 0, 0, 4, i(w))
			w.do("File_close", 0)
			w.do("Comm_free", 2)
			w.do("Finalize")
		},
	} {
		res := judge(t, record(t, 2, body), Options{})
		assert.Equal(t, want, strings.Join(short(res.Findings), "; "), "%v %v", res.Findings, res.Notes)
	}
}

// A job that was ended says what it can: a deadlock only if each rank was in a call.
func TestEnded(t *testing.T) {
	body := func(busy bool) func(rank int, w *writer) {
		return func(rank int, w *writer) {
			w.open(0, "f", -1, 0)
			w.line = uint64(10 * (rank + 1))
			if rank == 1 && busy {
				return
			}
			require.NoError(t, w.Pending(w.site("Recv"), 1, w.Type(types.Int), int64(1-rank), 0, 0))
		}
	}
	res := judge(t, record(t, 2, body(false)), Options{})
	assert.Equal(t, []string{"deadlock  11,21"}, short(res.Findings))
	assert.Contains(t, strings.Join(res.Notes, "; "), "2 ranks ends before MPI_Finalize")
	res = judge(t, record(t, 2, body(true)), Options{})
	assert.Empty(t, short(res.Findings))
	assert.Contains(t, strings.Join(res.Notes, "; "), "rank 1 was not in a call")
}

// Where a rank has several threads, one that waits says nothing about the others.
func TestCutThreads(t *testing.T) {
	res := judge(t, record(t, 2, func(rank int, w *writer) {
		if rank == 0 {
			w.Note("threads: several threads called MPI")
		}
		require.NoError(t, w.Pending(w.site("Recv"), 1, w.Type(types.Int), int64(1-rank), 0, 0))
	}), Options{})
	assert.Empty(t, short(res.Findings))
	assert.Contains(t, strings.Join(res.Notes, "; "), "several threads of rank 0 called MPI")
}

// The job is judged by what it did: an error after which it went on, a file that was there, a call
// that only this world refuses, and what follows from it, are not findings.
func TestUnlikeJob(t *testing.T) {
	byte1 := func(w *writer) int64 { return w.Type(types.Byte) }
	for _, c := range []struct {
		name, findings, note string
		body                 func(rank int, w *writer)
	}{
		{"handled", "", "went on after a call that failed in the job, too", func(_ int, w *writer) {
			w.fail("File_open", 0, w.Text("f"), 1, -1, -1, -1)
			w.do("Finalize")
		}},
		{"not handled", "error IO-AMODE-04 1", "", func(_ int, w *writer) {
			w.fail("File_open", 0, w.Text("f"), 1, -1, -1, -1)
		}},
		{"refused", "", "failed in the job and not here", func(_ int, w *writer) {
			w.open(0, "f", -1, 0)
			w.fail("File_sync", 0)
			w.do("File_close", 0)
			w.do("Finalize")
		}},
		{"deleted", "", "", func(rank int, w *writer) {
			if rank == 0 {
				w.do("File_delete", w.Text("f"), -1)
			}
			w.do("Finalize")
		}},
		{"view", "mismatch IO-VIEW-10 2", "MPI_File_write_at_all at prog.c:3 is not carried out", func(rank int, w *writer) {
			own := w.Type([]*types.Type{types.Int, types.Double}[rank])
			w.open(0, "f", -1, 0)
			w.do("File_set_view", 0, int64(8*rank), own, own, w.Text("native"), -1)
			w.do("File_write_at_all", 0, 0, 1, own) // would be in one place through the view from before
			w.do("File_close", 0)
			w.do("Finalize")
		}},
		{"close", "error IO-CLOSE-02 3", "", func(rank int, w *writer) {
			w.open(1, fmt.Sprint("f", rank), -1, 0)
			w.do("File_iwrite_at", 0, 0, 1, byte1(w), 0)
			w.do("File_close", 0)
			w.do("Wait", 0, -1)
			w.do("Finalize")
		}},
		{"split", "error IO-CLOSE-02 3", "", func(rank int, w *writer) {
			w.open(1, fmt.Sprint("f", rank), -1, 0)
			w.do("File_write_all_begin", 0, 1, byte1(w))
			w.do("File_close", 0)
			w.do("Finalize")
		}},
		{"killed", "error  12", "rank 0 called MPI_Abort", func(rank int, w *writer) {
			w.open(0, "f", -1, 0)
			if rank == 1 {
				return // the abort came first
			}
			w.line = 11
			w.fail("File_sync", 0)
			require.NoError(t, w.Pending(w.site("Abort"), 0, 2))
		}},
	} {
		res := judge(t, record(t, 2, c.body), Options{})
		got := strings.Join(slices.Compact(short(res.Findings)), "; ")
		assert.Equal(t, c.findings, got, "%s: %v", c.name, res.Notes)
		assert.Contains(t, strings.Join(res.Notes, "; "), c.note, c.name)
	}
}

// What is not carried out is said.
func TestUnsupported(t *testing.T) {
	res := judge(t, record(t, 2, func(_ int, w *writer) {
		w.do("Win_fence")
		w.Note("threads")
		w.do("Finalize")
	}), Options{})
	require.Len(t, res.Findings, 1)
	assert.Equal(t, world.KindUnchecked, res.Findings[0].Kind)
	assert.Contains(t, res.Findings[0].Text, "2 calls of MPI_Win_fence")
	assert.Contains(t, res.Notes, "threads")
}

// A file that was there before has its size.
func TestExisting(t *testing.T) {
	res := judge(t, record(t, 2, func(_ int, w *writer) {
		w.do("File_open", 0, w.Text("ufs:/a/b"), 1, -1, 1<<40, 0) // read only
		w.do("File_read_at", 0, 1<<39, 1, w.Type(types.Int))
		w.do("File_close", 0)
		w.do("Finalize")
	}), Options{})
	assert.Empty(t, short(res.Findings))
}

// Recordings with files missing, and with fields of another version, are not judged.
func TestNotJudged(t *testing.T) {
	dir := stale(t, true, true, true)
	require.NoError(t, os.Remove(filepath.Join(dir, "rank.1")))
	tr, err := recording.Open(dir)
	require.NoError(t, err)
	_, err = Run(context.Background(), tr, Options{})
	assert.ErrorContains(t, err, "1 rank of 2 have no file, such as rank.1")

	fields["Barrier"] = "n>e"
	defer func() { fields["Barrier"] = "c>e" }()
	tr, err = recording.Open(stale(t, true, true, true))
	require.NoError(t, err)
	_, err = Run(context.Background(), tr, Options{})
	assert.ErrorContains(t, err, `MPI_Barrier has the fields "ne"`)
}
