package darshan_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/testkit/darshanlog"
	"github.com/commworld/commworld/machine/replay/darshan"
)

// counted returns a record of counters: ints and floats are 1, 2, 3, ...
func counted(file, rank, ints, floats int) []any {
	r := []any{file, rank}
	for i := range ints {
		r = append(r, i+1)
	}
	for i := range floats {
		r = append(r, float64(ints+i+1))
	}
	return r
}

// sample returns a log of a version with the records that all versions can have.
func sample(minor int) *darshanlog.Log {
	l := &darshanlog.Log{
		Minor: minor, Exe: "./solver -n 4", Ranks: 4, Mounts: []string{"ext4\t/", "lustre\t/scratch"},
		Names: []string{"/scratch/out file", "/home/log"}, Modules: map[int]darshanlog.Module{},
	}
	lustre, stdio, dxt := 6, 7, 8
	switch {
	case minor >= 41:
		lustre, stdio, dxt = 8, 9, 10
	case minor >= 20:
		lustre, stdio, dxt = 7, 8, 9
	}
	posix, mpi, std := counted(1, -1, 64, 17), counted(1, 2, 51, 15), counted(2, 0, 13, 15)
	posixVersion, mpiVersion := uint32(3), uint32(2)
	switch {
	case minor >= 41:
		posix, mpi, posixVersion, mpiVersion = counted(1, -1, 69, 17), counted(1, 2, 51, 17), 4, 3
	case minor == 0:
		posix, posixVersion = counted(1, -1, 68, 15), 1
	}
	l.Modules[1] = darshanlog.Module{Version: posixVersion, Records: posix}
	l.Modules[2] = darshanlog.Module{Version: mpiVersion, Records: mpi}
	l.Modules[stdio] = darshanlog.Module{Version: 1, Records: std}
	l.Modules[lustre] = darshanlog.Module{Version: 1, Records: []any{1, -1, 64, 1, 0, 1 << 20, 2, 3, 7}}
	posixTrace := []any{1, 3, 0, "n0", 1, 1, 10, 20, 0.5, 0.75, 30, 40, 1.0, 1.25}
	version := uint32(1)
	if minor >= 41 {
		version = 2
		posixTrace = []any{1, 3, 0, "n0", 1, 1, 10, 20, 0.5, 0.75, 99, 30, 40, 1.0, 1.25, 99}
		l.Modules[lustre] = darshanlog.Module{Version: 2, Records: []any{
			1, -1, 3, 3,
			1 << 20, 1, 0, 0, 0, 1 << 22, 0, make([]byte, 16),
			1 << 21, 2, 0, 0, 1 << 22, -1, 0, make([]byte, 16),
			-1, 0, 0, 0, 0, 0, 0, make([]byte, 16),
			3, 7, 9,
		}}
	}
	l.Modules[dxt] = darshanlog.Module{Version: version, Records: posixTrace}
	l.Modules[dxt+1] = darshanlog.Module{Version: version, Records: []any{1, 3, 0, "n0", 1, 0, 10, 20, 0.5, 0.75}}
	return l
}

func open(t require.TestingT, b []byte) *darshan.Log {
	l, err := darshan.Open(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return l
}

// all returns what a log contains.
type all struct {
	counters map[string]*darshan.Counters
	layout   []darshan.Component
	traces   []darshan.Trace
	segments []darshan.Segment
}

func contents(l *darshan.Log) (a all, err error) {
	a.counters = map[string]*darshan.Counters{}
	err = l.Counters(func(c *darshan.Counters) error { one := *c; a.counters[c.Module] = &one; return nil })
	if err == nil {
		err = l.Layouts(func(_ uint64, parts []darshan.Component) error { a.layout = parts; return nil })
	}
	if err == nil {
		err = l.Traces(func(t *darshan.Trace) error { a.traces = append(a.traces, *t); return nil },
			func(s *darshan.Segment) error { a.segments = append(a.segments, *s); return nil })
	}
	return a, err
}

// TestOpen: if it fails, logs of some version, byte order or compression are read wrongly.
func TestOpen(t *testing.T) {
	for _, minor := range []int{0, 10, 20, 21, 41} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, raw := range []bool{false, true} {
				s := sample(minor)
				s.Order, s.Raw = order, raw
				l := open(t, s.Bytes())
				assert.Equal(t, "./solver -n 4", l.Job.Exe)
				assert.Equal(t, 4, l.Job.Ranks)
				assert.InDelta(t, map[bool]float64{false: 2, true: 1.5}[minor >= 41], l.Job.Seconds, 1e-9)
				assert.Equal(t, "3.4.6", l.Job.Metadata["lib_ver"])
				assert.Equal(t, darshan.Mount{Path: "/scratch", Type: "lustre"}, l.MountOf("/scratch/out file"))
				assert.Equal(t, "ext4", l.MountOf("/scratches").Type)
				assert.Equal(t, map[uint64]string{1: "/scratch/out file", 2: "/home/log"}, l.Names)
				a, err := contents(l)
				require.NoError(t, err, minor)
				posix, mpi, stdio := a.counters["POSIX"], a.counters["MPI-IO"], a.counters["STDIO"]
				assert.Equal(t, -1, posix.Rank)
				assert.Equal(t, int64(1), posix.Int("OPENS"))
				assert.Equal(t, 2, mpi.Rank)
				assert.Equal(t, int64(51), mpi.Int("SLOWEST_RANK_BYTES"))
				assert.Equal(t, int64(-1), stdio.Int("FDOPENS"))
				assert.Equal(t, int64(2), stdio.Int("READS"))
				assert.Equal(t, 28.0, stdio.Float("F_VARIANCE_RANK_BYTES"))
				last := map[int][4]float64{0: {68, 68 + 15, -1, 7 + 4}, 41: {69, 69 + 17, 69 + 4, 9}}
				want, ok := last[minor]
				if !ok {
					want = [4]float64{64, 64 + 17, 64 + 4, 7}
				}
				assert.Equal(t, int64(want[0]), posix.Int("SLOWEST_RANK_BYTES"), minor)
				assert.Equal(t, want[1], posix.Float("F_VARIANCE_RANK_BYTES"), minor)
				assert.Equal(t, want[2], posix.Float("F_CLOSE_START_TIMESTAMP"), minor)
				assert.Equal(t, int64(want[3]), posix.Int("FSYNCS"), minor)
				assert.Equal(t, int64(-1), posix.Int("NONE"))
				require.Len(t, a.traces, 2)
				assert.Equal(t, darshan.Trace{Module: "DXT_POSIX", File: 1, Rank: 3, Host: "n0", Writes: 1, Reads: 1}, a.traces[0])
				placed := int64(-1)
				if minor >= 41 {
					placed = 10
				}
				assert.Equal(t, []darshan.Segment{{true, 10, 20, 0.5, 0.75}, {false, 30, 40, 1, 1.25}, {true, placed, 20, 0.5, 0.75}}, a.segments)
				if minor >= 41 {
					assert.Equal(t, []darshan.Component{{0, 1 << 22, 1 << 20, 1}, {1 << 22, -1, 1 << 21, 2}}, a.layout)
				} else {
					assert.Equal(t, []darshan.Component{{0, -1, 1 << 20, 2}}, a.layout)
				}
			}
		}
	}
}

// TestSkipped: modules that are not read, and new versions of known ones, are named, not read.
func TestSkipped(t *testing.T) {
	s := sample(41)
	s.Modules[15] = darshanlog.Module{Version: 1, Records: []any{1}}
	s.Modules[40] = darshanlog.Module{Version: 1, Records: []any{1}}
	s.Modules[9] = darshanlog.Module{Version: 3, Records: []any{1}}
	s.Partial = 1 << 10
	l := open(t, s.Bytes())
	assert.Equal(t, []string{"STDIO (version 3; this program reads 1 to 2)", "HEATMAP", "number 40"}, l.Skipped)
	assert.Equal(t, []string{"DXT_POSIX"}, l.Partial)
}

// TestBzip2 reads a log whose regions are compressed by bzip2.
func TestBzip2(t *testing.T) {
	s := &darshanlog.Log{Minor: 41, Ranks: 1, Exe: "a", Code: 1, Pack: func(b []byte) []byte {
		assert.Len(t, b, 56+1024+2)
		packed, err := base64.StdEncoding.DecodeString(packedJob)
		require.NoError(t, err)
		return packed
	}}
	l := open(t, s.Bytes())
	assert.Equal(t, "a", l.Job.Exe)
	assert.Equal(t, 1, l.Job.Ranks)
}

// TestDamaged: damage is reported with the region, the position and the reason.
func TestDamaged(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*darshanlog.Log) []byte
		want   string
	}{
		{"short", func(*darshanlog.Log) []byte { return []byte("3.41") }, "not a log of Darshan"},
		{"header", func(l *darshanlog.Log) []byte { return l.Bytes()[:500] }, "header: 1328 bytes of a file of 500"},
		{"new", func(l *darshanlog.Log) []byte { l.Minor = 50; return l.Bytes() }, `version "3.50" is newer`},
		{"ranks", func(l *darshanlog.Log) []byte { l.Ranks = 0; return l.Bytes() }, "job, byte 1080: 0 processes"},
		{"end", func(l *darshanlog.Log) []byte { b := l.Bytes(); return b[:len(b)-10] }, "DXT_MPIIO: bytes "},
		{"rank", func(l *darshanlog.Log) []byte { l.Ranks = 3; return l.Bytes() }, "DXT_POSIX, byte 104: rank 3 of 3"},
		{"record", func(l *darshanlog.Log) []byte {
			m := l.Modules[1]
			m.Records = m.Records[:20]
			l.Modules[1] = m
			return l.Bytes()
		}, "POSIX, byte 0: a record of 704 bytes ends after 160"},
		{"many", func(l *darshanlog.Log) []byte {
			m := l.Modules[10]
			m.Records[4] = int64(1) << 50
			return l.Bytes()
		}, "DXT_POSIX, byte 184: the record ends before its 40 bytes"},
		{"negative", func(l *darshanlog.Log) []byte {
			l.Modules[10].Records[5] = -1
			return l.Bytes()
		}, "DXT_POSIX, byte 104: 1 writes and -1 reads"},
		{"stripes", func(l *darshanlog.Log) []byte {
			l.Modules[8].Records[5] = -4
			return l.Bytes()
		}, "LUSTRE, byte 104: -4 stripes of 1048576 bytes"},
		{"code", func(l *darshanlog.Log) []byte { b := l.Bytes(); b[16] = 9; return b }, "header, byte 16: compression 9"},
		{"stream", func(l *darshanlog.Log) []byte {
			b := l.Bytes()
			for i := 1328; i < 1344; i++ {
				b[i] ^= 0x5a
			}
			return b
		}, "job, byte 0: zlib: invalid header"},
	} {
		s := sample(41)
		b := c.change(s)
		l, err := darshan.Open(bytes.NewReader(b), int64(len(b)))
		if err == nil {
			_, err = contents(l)
		}
		assert.ErrorContains(t, err, c.want, c.name)
		assert.ErrorIs(t, err, errclass.Arg, c.name)
	}
}

// FuzzOpen: no file makes the reader fail but by an error, nor allocate without bound.
func FuzzOpen(f *testing.F) {
	for _, minor := range []int{0, 10, 21, 41} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			s := sample(minor)
			s.Order, s.Raw = order, minor != 21
			f.Add(s.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := darshan.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			assert.ErrorIs(t, err, errclass.Arg)
			return
		}
		total := 0
		err = l.Traces(func(*darshan.Trace) error { total++; return nil }, func(*darshan.Segment) error { total++; return nil })
		if err == nil {
			_, err = contents(l)
		}
		if err != nil {
			assert.ErrorIs(t, err, errclass.Arg)
		}
		assert.LessOrEqual(t, total, 1100*len(b)/32, "segments take bytes")
	})
}

// packedJob is a job record in two streams of bzip2.
const packedJob = "QlpoOTFBWSZTWaX2NggAAB77lfyYAAIAAQ0CAACXJBEAAAgAAgBAAAggACIjRMmaI9T0jTZCmjQBoAA5jCRpJqiAA4ns91DFj8RA" +
	"19/6uSXpViLDsXckU4UJCl9jYIBCWmg5MUFZJlNZwScfjwAAAcUAwAAQACAAAAggACEQDNNLiqaHF3JFOFCQwScfjw=="
