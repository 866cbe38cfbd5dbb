package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
	"github.com/commworld/commworld/machine/replay"
)

// dxt is text of darshan-dxt-parser: two ranks that write a header and blocks behind it, one
// that reads, and the calls of MPI-IO as old versions of Darshan print them.
const dxt = `# darshan log version: 3.10
# compression method: ZLIB
# exe: ./solver -n 4
# uid: 1000
# jobid: 4711
# start_time: 1500000000
# nprocs: 3
# run time: 2

# mounted file systems (mount point and fs type)
# -------------------------------------------------------
# mount entry:	/lustre	lustre

# ***************************************************
# DXT_POSIX module data
# ***************************************************

# DXT, file_id: 16457598720760448348, file_name: /lustre/out file
# DXT, rank: 0, hostname: n0
# DXT, write_count: 3, read_count: 0
# DXT, mnt_pt: /lustre, fs_type: lustre
# DXT, Lustre stripe_size: 1048576, Lustre stripe_count: 2
# DXT, Lustre OST obdidx: 3 7
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)  [OST]
 X_POSIX       0  write        0               0            2048      0.0010      0.0020  [  3]
 X_POSIX       0  write        1            2048         1048576      0.0100      0.0200  [  3]  [  7]
 X_POSIX       0  write        2         2099200         1048576      0.0300      0.0400  [  3]  [  7]

# DXT, file_id: 16457598720760448348, file_name: /lustre/out file
# DXT, rank: 1, hostname: n0
# DXT, write_count: 2, read_count: 1
# DXT, mnt_pt: /lustre, fs_type: lustre
# DXT, Lustre stripe_size: 1048576, Lustre stripe_count: 2
# DXT, Lustre OST obdidx: 3 7
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)  [OST]
 X_POSIX       1  write        0         1050624         1048576      0.0100      0.0200  [  7]
 X_POSIX       1  write        1         3147776         1048576      0.0300      0.0400  [  7]
 X_POSIX       1   read        0               0            2048      0.0500      0.0600  [  3]

# ***************************************************
# DXT_MPIIO module data
# ***************************************************

# DXT, file_id: 16457598720760448348, file_name: /lustre/out file
# DXT, rank: 0, hostname: n0
# DXT, write_count: 1, read_count: 0
# DXT, mnt_pt: /lustre, fs_type: lustre
# Module    Rank  Wt/Rd  Segment       Length    Start(s)      End(s)
 X_MPIIO       0  write        0         2097152      0.0100      0.0400
`

func read(t require.TestingT, text string) *replay.Trace {
	trace, err := replay.ReadDXT("job.txt", strings.NewReader(text))
	require.NoError(t, err)
	return trace
}

func TestReadDXT(t *testing.T) {
	trace := read(t, dxt)
	assert.Equal(t, "./solver -n 4", trace.Name)
	assert.Equal(t, 3, trace.Ranks)
	require.Len(t, trace.Files, 1)
	f := trace.Files[0]
	assert.Equal(t, "/lustre/out file", f.Name)
	require.Len(t, f.Accesses, 6)
	assert.Equal(t, replay.Access{Rank: 0, Write: true, Len: 2048, Begin: 0.001, End: 0.002}, f.Accesses[0])
	assert.Equal(t, replay.Access{Rank: 1, Len: 2048, Begin: 0.05, End: 0.06}, f.Accesses[5])
	assert.Equal(t, int64(4<<20+4096), trace.Bytes())
	size, count := trace.Striping()
	assert.Equal(t, int64(1<<20), size)
	assert.Equal(t, 2, count)
	require.Len(t, trace.Notes, 1)
	assert.Contains(t, trace.Notes[0], "X_POSIX")
	assert.True(t, replay.IsDXT([]byte(dxt)))
	assert.False(t, replay.IsDXT([]byte("ranks 2\nall:\n")))
	windows := read(t, strings.ReplaceAll(dxt, "\n", "\r\n"))
	assert.Equal(t, trace, windows)
}

// TestReadDXTRefuses: nothing of malformed text is replayed; the error has the line and the
// reason.
func TestReadDXTRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"0.0100      0.0200  [  3]  [  7]", "0.0100", "job.txt:26: 7 values; an access has 8"},
		{" X_POSIX       0  write        1", " X_POSIX       0  wrote        1", `job.txt:26: "wrote" is neither write nor read`},
		{" X_POSIX       0  write        1", " X_POSIX       2  write        1", "job.txt:26: rank 2 among the accesses of rank 0"},
		{" X_POSIX       0  write        1", " X_STDIO       0  write        1", `job.txt:26: "X_STDIO" does not begin a line of darshan-dxt-parser`},
		{"            2048         1048576      0.0100", "            -2048         1048576      0.0100", "job.txt:26: offset -2048 is negative"},
		{"            2048         1048576      0.0100", "            2048         -1      0.0100", "job.txt:26: length -1 is negative"},
		{"            2048         1048576      0.0100", "            9223372036854775807         1048576      0.0100", "job.txt:26: offset 9223372036854775807 is beyond"},
		{"            2048         1048576      0.0100", "            99999999999999999999         1048576      0.0100", "job.txt:26: offset"},
		{"            2048         1048576      0.0100", "            2048         1048576      0.9", "job.txt:26: ends at 0.02, and begins at 0.9"},
		{"            2048         1048576      0.0100", "            2048         1048576      NaN", "job.txt:26: begins at NaN"},
		{"            2048         1048576      0.0100", "            2048         1048576      soon", `job.txt:26: start "soon"`},
		{"# nprocs: 3", "# nprocs: 1", "job.txt:36: rank 1 of 1 ranks"},
		{"# nprocs: 3", "# nprocs: many", `job.txt:7: nprocs is "many"`},
		{"# nprocs: 3", "# nprocs: 999999999", "job.txt:7: nprocs"},
		{"write_count: 3, read_count: 0", "write_count: 4, read_count: 0", "job.txt:29: \"/lustre/out file\" of rank 0 has 3 writes and 0 reads"},
		{"write_count: 3, read_count: 0", "write_count: some", "job.txt:20: write_count"},
		{"# DXT, rank: 0, hostname", "# DXT, rank: none, hostname", `job.txt:19: rank "none"`},
		{", file_name: /lustre/out file", "", "job.txt:18: a file_id without a file_name"},
		{"stripe_size: 1048576", "stripe_size: 0", "job.txt:22: stripe_size and stripe_count"},
		{"Length    Start(s)", "Start(s)", "job.txt:24: the heading lacks"},
	} {
		text := strings.Replace(dxt, c.old, c.new, 1)
		require.NotEqual(t, dxt, text, c.old)
		trace, err := replay.ReadDXT("job.txt", strings.NewReader(text))
		assert.Nil(t, trace, c.want)
		assert.ErrorIs(t, err, errclass.Arg, c.want)
		assert.ErrorContains(t, err, c.want)
	}
	for _, c := range []struct{ text, want string }{
		{"", "no access"},
		{"# no DXT module data available for this Darshan log.\n", "no access"},
		{" X_POSIX 0 write 0 0 1 0 0\n", "job.txt:1: an access before any file_id"},
		{"# DXT, rank: 0, hostname: a\n", "job.txt:1: a line about a file whose file_id is missing"},
		{"# DXT, file_id: 1, file_name: a\n", "the trace has no access"},
		{"\x00\x01\x02\n", "job.txt:1:"},
		{"# " + strings.Repeat("x", 2<<20), "job.txt:1: a line of more than"},
		{dxt[:strings.Index(dxt, " X_POSIX       1  write        1")], "job.txt:29: \"/lustre/out file\" of rank 1 has 1 writes and 0 reads"},
		{dxt[strings.Index(dxt, "# DXT_MPIIO"):], "\"/lustre/out file\" is left out: it has 1 calls (X_MPIIO) without offsets"},
	} {
		trace, err := replay.ReadDXT("job.txt", strings.NewReader(c.text))
		assert.Nil(t, trace)
		assert.ErrorContains(t, err, c.want)
	}
}

func cost(t require.TestingT, trace *replay.Trace, way replay.Way, o replay.Options, m machine.Machine) *machine.Report {
	w, err := trace.Workload(way, o)
	require.NoError(t, err)
	r, err := machine.Run(context.Background(), m, w.Program(), way.Options())
	require.NoError(t, err)
	return r
}

// TestWays: AsItWas makes the trace's requests, and the aligned way moves no token.
func TestWays(t *testing.T) {
	trace := read(t, dxt)
	m := machine.Lustre(4, 1<<20)
	m.StripeCount = 2
	was := cost(t, trace, replay.AsItWas, replay.Options{}, m)
	assert.Equal(t, int64(6), was.Requests())
	assert.Equal(t, trace.Bytes(), was.Bytes())
	assert.Equal(t, trace.Bytes(), was.Counts.Useful)
	assert.Equal(t, int64(2), was.MetadataOps, "two ranks open the file")
	assert.NotZero(t, was.LockTransfers)
	aligned := cost(t, trace, replay.Aligned, replay.Options{}, m)
	assert.Equal(t, was.Requests(), aligned.Requests())
	assert.Equal(t, was.Bytes(), aligned.Bytes())
	assert.Less(t, aligned.LockTransfers, was.LockTransfers)
	assert.Less(t, aligned.Seconds, was.Seconds)
	together := cost(t, trace, replay.Collective, replay.Options{}, m)
	assert.Equal(t, trace.Bytes(), together.Counts.Useful)
	assert.Less(t, together.Requests(), was.Requests())
	domains := cost(t, trace, replay.CollectiveAligned, replay.Options{}, m)
	assert.LessOrEqual(t, domains.LockTransfers, together.LockTransfers)
	gaps := cost(t, trace, replay.AsItWas, replay.Options{Gaps: true}, m)
	assert.Greater(t, gaps.Seconds, was.Seconds)
	for _, way := range replay.Ways {
		again, err := replay.WayOf(way.Key())
		require.NoError(t, err)
		assert.Equal(t, way, again)
	}
	_, err := replay.WayOf("fast")
	assert.ErrorIs(t, err, errclass.Arg)
	_, err = trace.Workload(99, replay.Options{})
	assert.ErrorIs(t, err, errclass.Arg)
	_, err = trace.Workload(replay.AsItWas, replay.Options{Stripe: -1})
	assert.ErrorIs(t, err, errclass.Arg)
}

// drawTrace draws accesses of several ranks to several files; in a trace of writes alone,
// no two write the same byte.
func drawTrace(t *rapid.T, writes bool) *replay.Trace {
	trace := &replay.Trace{Ranks: rapid.IntRange(1, 6).Draw(t, "ranks")}
	for i := range rapid.IntRange(1, 3).Draw(t, "files") {
		f := &replay.File{Name: fmt.Sprintf("f%d", i)}
		at, clock := int64(0), 0.0
		for range rapid.IntRange(1, 20).Draw(t, "accesses") {
			a := replay.Access{Rank: rapid.IntRange(0, trace.Ranks-1).Draw(t, "rank"), Write: writes || rapid.Bool().Draw(t, "write"), Len: rapid.Int64Range(0, 50).Draw(t, "len")}
			a.Off = rapid.Int64Range(0, 300).Draw(t, "off")
			if writes {
				a.Len++
				a.Off = at
				at += a.Len + rapid.Int64Range(0, 20).Draw(t, "gap")
			}
			a.Begin = clock
			clock += float64(rapid.IntRange(0, 2).Draw(t, "time"))
			a.End = clock
			f.Accesses = append(f.Accesses, a)
		}
		if writes { // in any order
			random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
			random.Shuffle(len(f.Accesses), func(i, k int) {
				x, y := &f.Accesses[i], &f.Accesses[k]
				x.Off, x.Len, y.Off, y.Len = y.Off, y.Len, x.Off, x.Len
			})
		}
		trace.Files = append(trace.Files, f)
	}
	return trace
}

// TestWaysConserve: each way moves the bytes of the trace, and the parts of each rank's
// time add up to all of it.
func TestWaysConserve(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		trace := drawTrace(rt, false)
		o := replay.Options{Stripe: 64, Batch: rapid.SampledFrom([]int64{0, 1, 60}).Draw(rt, "batch"), Gaps: rapid.Bool().Draw(rt, "gaps")}
		m := machine.Lustre(3, 512)
		m.StripeCount, m.RanksPerNode = 0, 2
		for _, way := range replay.Ways {
			r := cost(rt, trace, way, o, m)
			require.Equal(rt, trace.Bytes(), r.Counts.Useful, way)
			for rank := range r.Parts {
				require.InDelta(rt, r.Ends[rank], r.Parts[rank].Sum(), 1e-9*(1+r.Seconds))
			}
			if way == replay.AsItWas {
				requests := int64(0)
				for _, f := range trace.Files {
					for _, a := range f.Accesses {
						requests += int64(min(a.Len, 1))
					}
				}
				require.Equal(rt, requests, r.Requests())
			}
		}
	})
}

// TestWaysWriteTheSame carries out each way on files: all leave the same bytes, except
// the aligned way, which moves them.
func TestWaysWriteTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		trace := drawTrace(rt, true)
		o := replay.Options{Stripe: 64, Batch: rapid.SampledFrom([]int64{0, 1, 60}).Draw(rt, "batch")}
		var want map[string]string
		for _, way := range replay.Ways {
			w, err := trace.Workload(way, o)
			require.NoError(rt, err)
			fsys := iofile.NewMem()
			require.NoError(rt, w.Run(context.Background(), fsys, []iofile.OpenOption{iofile.WithStrategy(way.Options().Strategy)}), way)
			require.NoError(rt, w.Check(fsys), way)
			have := map[string]string{}
			for _, f := range trace.Files {
				b, err := fs.ReadFile(fsys, f.Name)
				require.NoError(rt, err)
				have[f.Name] = string(b)
			}
			switch {
			case way == replay.Aligned:
			case want == nil:
				want = have
			default:
				require.Equal(rt, want, have, way)
			}
		}
	})
}

// TestFar: accesses that are very far from each other are replayed at once.
func TestFar(t *testing.T) {
	trace := read(t, `# DXT, file_id: 1, file_name: a
 X_POSIX 0 write 0 0 10 0 0
 X_POSIX 0 write 1 1000000000000 10 0 0
 X_POSIX 1 write 0 500000000000000000 10 0 0
`)
	for _, way := range replay.Ways {
		assert.Equal(t, int64(30), cost(t, trace, way, replay.Options{}, machine.Lustre(4, 1<<20)).Counts.Useful)
	}
}

// TestWriteDXT: reading back the text of a run gives the run's requests.
func TestWriteDXT(t *testing.T) {
	for _, line := range []string{"ior -b 64k -t 16k -s 3 --shift 100", "ior -b 64k -t 16k -F", "blocks --shape 33x47", "noncontig --elements 50", "log --lines 3"} {
		w, err := pattern.Parse(line, 4)
		require.NoError(t, err)
		for _, way := range []replay.Way{replay.AsItWas, replay.Collective} {
			m := machine.Lustre(3, 4096)
			m.StripeCount = 2
			var text bytes.Buffer
			require.NoError(t, replay.WriteDXT(context.Background(), &text, m, w.Program(), way.Options()))
			r, err := machine.Run(context.Background(), m, w.Program(), way.Options())
			require.NoError(t, err)
			assert.Contains(t, text.String(), machine.Note)
			trace := read(t, text.String())
			assert.Equal(t, line, trace.Name)
			assert.Equal(t, int(r.Requests()), trace.Accesses(), line)
			assert.Equal(t, r.Bytes(), trace.Bytes(), line)
			size, count := trace.Striping()
			assert.Equal(t, int64(4096), size)
			assert.Equal(t, 2, count)
			assert.InDelta(t, r.Seconds, trace.Seconds(), 1e-2+r.Seconds)
			if way == replay.AsItWas && !strings.HasPrefix(line, "log") {
				again := cost(t, trace, replay.AsItWas, replay.Options{}, m)
				assert.Equal(t, r.Requests(), again.Requests(), line)
				assert.Equal(t, r.Bytes(), again.Bytes(), line)
			}
		}
	}
}

// recorder is text of recorder2text, of two ranks.
func recorder() fstest.MapFS {
	return fstest.MapFS{
		"_text/0.txt": {Data: []byte(`0.000001 0.000002 MPI_Init 0 2 ( )
0.000100 0.000200 MPI_File_open 0 1 ( MPI_COMM_WORLD /scratch/my data 9 0x1 0-0 )
0.000110 0.000120 open 1 0 ( /scratch/my data 66 438 )
0.000300 0.000500 MPI_File_write_at_all 0 1 ( 0-0 0 %p 100 MPI_DOUBLE MPI_STATUS_IGNORE )
0.000310 0.000400 pwrite 1 0 ( /scratch/my data %p 800 0 )
0.000600 0.000700 MPI_File_close 0 1 ( 0-0 )
0.000610 0.000620 close 1 0 ( /scratch/my data )
0.000700 0.000710 fopen 0 0 ( /scratch/log a )
0.000720 0.000730 fwrite 0 0 ( %p 1 10 /scratch/log )
0.000740 0.000750 fprintf 0 0 ( /scratch/log 5 )
0.000760 0.000770 write 0 0 ( stdout %p 12 )
`)},
		"_text/1.txt": {Data: []byte(`0.000300 0.000500 MPI_File_write_at_all 0 1 ( 0-0 100 %p 100 MPI_DOUBLE MPI_STATUS_IGNORE )
`)},
		"_text/notes.md": {Data: []byte("no trace")},
	}
}

func TestReadRecorder(t *testing.T) {
	text := recorder()
	text["_text/1.txt"].Data = []byte(`0.000110 0.000120 open64 1 0 ( /scratch/my data 2 )
0.000310 0.000320 lseek64 1 0 ( /scratch/my data 800 0 )
0.000330 0.000400 write 1 0 ( /scratch/my data %p 400 )
0.000410 0.000420 write 1 0 ( /scratch/my data %p 400 )
0.000430 0.000440 lseek 1 0 ( /scratch/my data -1600 1 )
0.000450 0.000460 read 1 0 ( /scratch/my data %p 8 )
0.000470 0.000480 mkdir 1 0 ( /scratch/x 511 )
0.000500 0.000510 MPI_File_open 0 1 ( MPI_COMM_SELF /scratch/own 9 0x1 1-0 )
0.000520 0.000530 MPI_File_set_view 0 1 ( 1-0 16 MPI_INT MPI_INT 0x2 0x3 )
0.000540 0.000550 MPI_File_write 0 1 ( 1-0 %p 3 MPI_INT [0_0] )
0.000560 0.000570 MPI_File_iwrite_at 0 1 ( 1-0 10 %p 2 MPI_INT 0x4 )
0.000580 0.000590 MPI_File_read_all_begin 0 1 ( 1-0 %p 1 MPI_DOUBLE )
0.000580 0.000590 MPI_File_read_all_end 0 1 ( 1-0 %p MPI_STATUS_IGNORE )
0.000592 0.000593 MPI_File_close 0 1 ( 1-0 )
`)
	trace, err := replay.ReadRecorder("trace", text)
	require.NoError(t, err)
	assert.Equal(t, 2, trace.Ranks)
	have := map[string][]string{}
	for _, f := range trace.Files {
		for _, a := range f.Accesses {
			have[f.Name] = append(have[f.Name], fmt.Sprintf("%d %v %d+%d", a.Rank, a.Write, a.Off, a.Len))
		}
	}
	assert.Equal(t, map[string][]string{
		"/scratch/my data": {"0 true 0+800", "1 true 800+400", "1 true 1200+400", "1 false 0+8"},
		"/scratch/log":     {"0 true 0+10", "0 true 10+5"},
		"/scratch/own":     {"1 true 16+12", "1 true 56+8", "1 false 28+8"},
	}, have)
	require.Len(t, trace.Notes, 2)
	assert.Contains(t, trace.Notes[0], "/scratch/my data")
	assert.Contains(t, trace.Notes[1], "1 calls on devices")
	for _, way := range replay.Ways {
		cost(t, trace, way, replay.Options{}, machine.NFS())
	}
}

func TestReadRecorderRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"nonsense", "no record of Recorder"},
		{"0.1 0.2 pwrite 1 0 ( /a %p 8", "do not end"},
		{"x 0.2 pwrite 1 0 ( /a %p 8 0 )", `"x" is not a number of seconds`},
		{"0.1 0.2 pwrite 1 posix ( /a %p 8 0 )", `layer "posix"`},
		{"0.1 0.2 pwrite 1 0 ( /a )", "pwrite: 1 arguments; the call has 4"},
		{"0.1 0.2 pwrite 1 0 ( /a %p many 0 )", `pwrite: "many" is not a number`},
		{"0.1 0.2 pwrite 1 0 ( /a %p 8 -1 )", "pwrite: offset -1 is negative"},
		{"0.1 0.2 pwrite 1 0 ( /a %p -8 0 )", "pwrite: length -8 is negative"},
		{"0.3 0.2 pwrite 1 0 ( /a %p 8 0 )", "ends at 0.2, and begins at 0.3"},
		{"0.1 0.2 pwrite 1 0 ( /a %p 9223372036854775807 9223372036854775807 )", "no job moves"},
		{"0.1 0.2 fwrite 1 0 ( %p 9223372036854775807 9223372036854775807 /a )", "items of"},
		{"0.1 0.2 lseek 1 0 ( /a -5 0 )", "lseek: to -5 from 0"},
		{"0.1 0.2 lseek 1 0 ( /a 5 9 )", "whence"},
		{"0.1 0.2 MPI_File_write_at 0 1 ( 0-9 0 %p 1 MPI_INT MPI_STATUS_IGNORE )", "which was not opened"},
	} {
		text := recorder()
		text["_text/1.txt"].Data = []byte("0.0 0.0 MPI_Init 0 2 ( )\n" + c.line + "\n")
		trace, err := replay.ReadRecorder("trace", text)
		assert.Nil(t, trace)
		assert.ErrorIs(t, err, errclass.Arg, c.line)
		assert.ErrorContains(t, err, "trace/_text/1.txt:2: ")
		assert.ErrorContains(t, err, c.want)
	}
	text := recorder()
	_, err := replay.ReadRecorder("trace", text)
	require.ErrorContains(t, err, "trace/_text/1.txt:1:", "rank 1 has not opened its file")
	text["_text/1.txt"].Data = []byte("0.1 0.2 MPI_File_open 0 1 ( MPI_COMM_WORLD /v 9 0x1 0-0 )\n0.1 0.2 MPI_File_set_view 0 1 ( 0-0 0 MPI_INT tile 0x2 0x3 )\n0.1 0.2 MPI_File_write_all 0 1 ( 0-0 %p 3 MPI_INT [0_0] )\n")
	_, err = replay.ReadRecorder("trace", text)
	require.ErrorContains(t, err, "trace/_text/1.txt:3: the view has etype")
	delete(text, "_text/0.txt")
	_, err = replay.ReadRecorder("trace", text)
	require.ErrorContains(t, err, "no text of rank 0, but of rank 1")
	_, err = replay.ReadRecorder("trace", fstest.MapFS{})
	require.ErrorContains(t, err, "no file such as 0.txt")
	_, err = replay.ReadRecorder("trace", fstest.MapFS{"4294967.txt": {}})
	require.ErrorContains(t, err, "there are ranks 0 to")
}

func FuzzReadDXT(f *testing.F) {
	f.Add(dxt)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := replay.ReadDXT("x", strings.NewReader(text))
		if err != nil || trace.Ranks > 100 || trace.Bytes() > 1<<24 {
			return
		}
		for _, way := range replay.Ways {
			cost(t, trace, way, replay.Options{}, machine.Laptop())
		}
	})
}

func FuzzReadRecorder(f *testing.F) {
	f.Add(string(recorder()["_text/0.txt"].Data))
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := replay.ReadRecorder("x", fstest.MapFS{"0.txt": {Data: []byte(text)}})
		if err != nil || trace.Bytes() > 1<<24 {
			return
		}
		for _, way := range replay.Ways {
			cost(t, trace, way, replay.Options{}, machine.Laptop())
		}
	})
}
