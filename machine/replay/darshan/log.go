package darshan

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
)

// A Log is a log whose header, job and names are read.
type Log struct {
	Version string // of the format, such as "3.41"
	Job     Job
	Mounts  []Mount           // the longest path first
	Names   map[uint64]string // of records
	Skipped []string          // modules with data that this package does not read, with the reason
	Partial []string          // modules that ran out of memory in the job: their data are incomplete

	file        io.ReaderAt
	size        int64
	minor       int // of the version
	order       binary.ByteOrder
	compression byte
	modules     map[string]module
}

// A Job is what a log says of the whole job.
type Job struct {
	Exe      string // with its arguments
	Ranks    int
	Start    float64 // seconds since 1970
	Seconds  float64
	Metadata map[string]string // such as "lib_ver", the version of Darshan
}

// A Mount is a file system of the machine.
type Mount struct{ Path, Type string }

// A module is the data of one module.
type module struct {
	span
	version uint32
}

// The compressions of regions.
const (
	zlibStreams = iota
	bzip2Streams
	noCompression
)

const (
	magic = 6567223

	maxNames     = 1 << 28 // bytes of all names
	maxName      = 1 << 16
	maxRanks     = 1 << 24
	maxJobRecord = 1 << 16
)

// moduleNames lists the modules in the order of their numbers in the newest format.
var moduleNames = []string{
	"NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO",
	"DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS",
}

// modulesOf returns the names of the modules of a version: H5D and PNETCDF_VAR came later, in
// the middle.
func modulesOf(minor int) []string {
	return slices.DeleteFunc(slices.Clone(moduleNames), func(name string) bool {
		return name == "H5D" && minor < 20 || name == "PNETCDF_VAR" && minor < 41
	})
}

// Is reports whether a file begins like a binary log: 16 bytes suffice.
func Is(start []byte) bool {
	if len(start) < 16 {
		return false
	}
	return binary.LittleEndian.Uint64(start[8:]) == magic || binary.BigEndian.Uint64(start[8:]) == magic
}

// Open reads header, job, mount table and names of a log of size bytes.
//
// Error: ErrArg with region, position and reason for a file that is not a log, is damaged or
// has another version.
func Open(file io.ReaderAt, size int64) (*Log, error) {
	l := &Log{file: file, size: size, Names: map[uint64]string{}, modules: map[string]module{}}
	job, names, err := l.header()
	if err == nil {
		err = l.readJob(job)
	}
	if err == nil && names.len > 0 {
		err = l.readNames(names)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Has reports whether the log has data of a module that this package reads.
func (l *Log) Has(name string) bool { return l.modules[name].len > 0 }

// MountOf returns the file system of a file.
func (l *Log) MountOf(name string) Mount { return MountOf(l.Mounts, name) }

// MountOf returns the file system of a file: the mount with the longest path, the list being
// sorted so. Its type is "UNKNOWN" if there is none.
func MountOf(list []Mount, name string) Mount {
	for _, m := range list {
		if rest, ok := strings.CutPrefix(name, m.Path); ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(m.Path, "/")) {
			return m
		}
	}
	return Mount{"UNKNOWN", "UNKNOWN"}
}

// header reads the header; it returns where the job record and the names are.
func (l *Log) header() (job, names span, err error) {
	whole := &region{name: "header", in: nil}
	start := make([]byte, 16)
	if _, err := l.file.ReadAt(start, 0); err != nil || !Is(start) {
		return job, names, fault("not a log of Darshan: bytes 8 to 15 are not its magic number")
	}
	l.order = binary.ByteOrder(binary.LittleEndian)
	if binary.BigEndian.Uint64(start[8:]) == magic {
		l.order = binary.BigEndian
	}
	if err := l.version(start[:8]); err != nil {
		return job, names, err
	}
	slots, maps, size := 16, 24, 24+16+16*16+16*4
	if l.minor >= 41 {
		slots, maps, size = 64, 32, 32+16+64*16+64*4
	}
	h := make([]byte, size)
	if _, err := l.file.ReadAt(h, 0); err != nil {
		return job, names, fault("header: %d bytes of a file of %d: the log is cut off", size, l.size)
	}
	whole.order = l.order
	if l.compression = h[16]; l.compression > noCompression {
		return job, names, fault("header, byte 16: compression %d; there are 0, zlib, 1, bzip2, and 2, none", l.compression)
	}
	partial := uint64(l.order.Uint32(h[20:]))
	if l.minor >= 41 {
		partial = l.order.Uint64(h[24:])
	}
	at := func(i int) span { return span{whole.int(h[maps:], 2*i), whole.int(h[maps:], 2*i+1)} }
	names = at(0)
	first := int64(0)
	known := modulesOf(l.minor)
	for i := range slots {
		s := at(1 + i)
		if s.len == 0 {
			continue
		}
		if s.off != 0 && (first == 0 || s.off < first) {
			first = s.off
		}
		name := "number " + strconv.Itoa(i)
		if i < len(known) {
			name = known[i]
		}
		l.module(name, module{s, l.order.Uint32(h[maps+16*(1+slots)+4*i:])}, partial>>i&1 != 0)
	}
	job.off = int64(size)
	switch {
	case names.off > 0:
		job.len = names.off - job.off
	case first > 0:
		job.len = first - job.off
	default:
		job.len = l.size - job.off
	}
	return job, names, nil
}

// version reads the version of the format.
func (l *Log) version(b []byte) error {
	text, _, _ := bytes.Cut(b, []byte{0})
	l.Version = string(text)
	major, minor, ok := strings.Cut(l.Version, ".")
	n, err := strconv.ParseUint(minor, 10, 16)
	if !ok || major != "3" || err != nil {
		return fault("header: version %q; this package reads 3.00 to 3.41", brief.String(l.Version))
	}
	if l.minor = int(n); l.minor > 41 {
		return fault("header: version %q is newer than this package, which reads 3.00 to 3.41; print the log with Darshan's own darshan-parser and darshan-dxt-parser", brief.String(l.Version))
	}
	return nil
}

// module notes the data of a module.
func (l *Log) module(name string, m module, partial bool) {
	newest, read := newestOf[name]
	switch {
	case !read:
		l.Skipped = append(l.Skipped, name)
		return
	case m.version == 0 || m.version > newest:
		l.Skipped = append(l.Skipped, brief.Sprintf("%s (version %d; this program reads 1 to %d)", name, m.version, newest))
		return
	}
	if partial {
		l.Partial = append(l.Partial, name)
	}
	l.modules[name] = m
}

// newestOf has, for each module that is read, the newest version.
var newestOf = map[string]uint32{"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "LUSTRE": 2, "DXT_POSIX": 2, "DXT_MPIIO": 3}

// readJob reads the job record and the text behind it: a line with the command, then one for
// each mounted file system.
func (l *Log) readJob(s span) error {
	r, err := l.open("job", s)
	if err != nil {
		return err
	}
	numbers := 5
	if l.minor >= 41 {
		numbers = 7
	}
	const metadata = 1024
	b, err := r.rest(8*numbers + metadata)
	if err != nil {
		return err
	}
	var start, end float64
	ranks := r.int(b, numbers-2)
	if numbers == 7 {
		start = float64(r.int(b, 1)) + float64(r.int(b, 2))/1e9
		end = float64(r.int(b, 3)) + float64(r.int(b, 4))/1e9
	} else {
		start, end = float64(r.int(b, 1)), float64(r.int(b, 2)+1)
	}
	if ranks < 1 || ranks > maxRanks {
		return r.fail("%d processes; there are 1 to %d", ranks, maxRanks)
	}
	l.Job = Job{Ranks: int(ranks), Start: start, Seconds: max(0, end-start), Metadata: map[string]string{}}
	text, _, _ := bytes.Cut(b[8*numbers:], []byte{0})
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			l.Job.Metadata[key] = value
		}
	}
	behind, err := io.ReadAll(io.LimitReader(r.in, maxJobRecord))
	if err != nil {
		return r.fail("%w", err)
	}
	behind, _, _ = bytes.Cut(behind, []byte{0})
	exe, mounts, _ := strings.Cut(string(behind), "\n")
	l.Job.Exe = strings.TrimSpace(exe)
	for line := range strings.Lines(mounts) {
		if kind, path, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			l.Mounts = append(l.Mounts, Mount{Path: path, Type: kind})
		}
	}
	SortMounts(l.Mounts)
	return nil
}

// SortMounts sorts mounts for [MountOf].
func SortMounts(list []Mount) {
	slices.SortStableFunc(list, func(a, b Mount) int { return cmp.Compare(len(b.Path), len(a.Path)) })
}

// readNames reads the names of the records.
func (l *Log) readNames(s span) error {
	r, err := l.open("names", s)
	if err != nil {
		return err
	}
	for {
		b, err := r.next(8)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		id := r.order.Uint64(b)
		name, err := l.name(r)
		if err != nil {
			return err
		}
		if r.at > maxNames {
			return r.fail("the names have more than %d bytes", maxNames)
		}
		if l.Names[id] == "" {
			l.Names[id] = name
		}
	}
}

// name reads a name: it ends with a zero or, in version 3.00, has its length before it.
func (l *Log) name(r *region) (string, error) {
	if l.minor == 0 {
		b, err := r.rest(4)
		if err != nil {
			return "", err
		}
		n := r.order.Uint32(b)
		if n > maxName {
			return "", r.fail("a name of %d bytes; there are up to %d", n, maxName)
		}
		b, err = r.rest(int(n))
		return string(b), err
	}
	var name []byte
	for {
		piece, err := r.in.ReadSlice(0)
		r.at += int64(len(piece))
		name = append(name, piece...)
		switch {
		case err == nil && len(name) <= maxName:
			return string(name[:len(name)-1]), nil
		case len(name) > maxName:
			return "", r.fail("a name of more than %d bytes", maxName)
		case errors.Is(err, io.EOF):
			return "", r.fail("a name does not end: the log is cut off or damaged")
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", r.fail("%w", err)
		}
	}
}
