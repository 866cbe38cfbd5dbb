package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/replay"
)

// A jobTrace is a trace with its name.
type jobTrace struct{ *replay.Trace }

// mostLog bounds the bytes of a binary log that is not a plain file.
const mostLog = 1 << 30

// traceOf reads a trace if name is the name of a directory, of a log of Darshan or of text made
// of one; else it returns nil.
func traceOf(name string) (*jobTrace, error) {
	if name == "" || name == "-" {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil // reading it as a script reports the error
	}
	if !info.IsDir() {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, err := unzipped(f)
		if err != nil {
			return nil, nil // reading it as a script reports the error
		}
		if start, _ := in.Peek(16); !replay.IsDarshan(start) {
			text, err := utf8Of(in)
			if err != nil {
				return nil, nil // reading it as a script reports the error
			}
			start := make([]byte, 4096)
			n, _ := io.ReadFull(text, start)
			if !replay.IsDXT(start[:n]) {
				return nil, nil
			}
		}
	}
	return readTrace(name)
}

// readTrace reads a trace from a file, a directory or standard input.
func readTrace(name string) (*jobTrace, error) {
	var t *replay.Trace
	info, err := os.Stat(name)
	switch {
	case name == "-":
		t, err = readLog("standard input", os.Stdin)
	case err != nil:
		return nil, err
	case info.IsDir():
		t, err = replay.ReadRecorder(name, os.DirFS(name))
	default:
		f, wrong := os.Open(name)
		if wrong != nil {
			return nil, wrong
		}
		defer f.Close()
		start := make([]byte, 16)
		if n, _ := f.ReadAt(start, 0); replay.IsDarshan(start[:n]) {
			t, err = replay.ReadDarshan(name, f, info.Size())
		} else {
			t, err = readLog(name, f)
		}
	}
	if err != nil {
		return nil, err
	}
	if t.Name == "" || t.Name == name {
		t.Name = filepath.Base(name)
	}
	return &jobTrace{t}, nil
}

// unzipped returns the bytes of in, inflated if they are those of gzip.
func unzipped(in io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReader(in)
	if start, _ := b.Peek(2); !bytes.Equal(start, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(z), nil
}

// readLog reads a binary log or text, which may be compressed by gzip.
func readLog(name string, file io.Reader) (*replay.Trace, error) {
	in, err := unzipped(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if start, _ := in.Peek(16); replay.IsDarshan(start) {
		all, err := io.ReadAll(io.LimitReader(in, mostLog+1))
		if err == nil && len(all) > mostLog {
			err = errors.New("a log of more than 1 GiB; unpack it and give the file")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return replay.ReadDarshan(name, bytes.NewReader(all), int64(len(all)))
	}
	text, err := utf8Of(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return replay.ReadDXT(name, text)
}

// machineOf has the machine for a type of file system.
var machineOf = map[string]string{
	"lustre": "lustre", "gpfs": "gpfs", "nfs": "nfs", "nfs4": "nfs",
	"ext2": "laptop", "ext3": "laptop", "ext4": "laptop", "xfs": "laptop", "btrfs": "laptop", "zfs": "laptop",
	"apfs": "laptop", "tmpfs": "laptop", "overlay": "laptop",
}

// machine returns the machine that the command line asks for or else that of the trace's file
// system, with the stripes and nodes of the trace unless the command line sets them.
func (t *jobTrace) machine(f *machineFlags) (machine.Machine, error) {
	flags := *f
	if flags.Machine == "" {
		fs := t.FileSystem()
		flags.Machine = machineOf[fs]
		if flags.Machine == "" && fs != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("no machine of the model has file systems of type %s; it is lustre unless you give --machine", fs))
		}
	}
	m, err := flags.machine()
	if err == nil {
		t.fit(&flags, &m)
	}
	return m, err
}

// fit gives a machine the nodes of the trace and a Lustre machine its stripes, unless the
// command line sets them.
func (t *jobTrace) fit(f *machineFlags, m *machine.Machine) {
	if t.RanksPerNode > 0 && f.RanksPerNode == 0 && m.Name != "laptop" {
		m.RanksPerNode = t.RanksPerNode
	}
	size, count := t.Striping()
	if m.Name != "lustre" || size == 0 {
		return
	}
	was := *m
	if f.StripeCount == 0 {
		m.StripeCount = count
		if f.Servers == 0 {
			m.Servers = max(m.Servers, count)
		}
		m.StripeCount = min(m.StripeCount, m.Servers)
	}
	if f.StripeSize == "" {
		if m.Lock.Unit == m.StripeSize {
			m.Lock.Unit = size
		}
		m.StripeSize = size
	}
	if m.Check() != nil {
		*m = was
	}
}

// program returns the workload of the trace in a way, and the strategy that moves its bytes.
func (t *jobTrace) program(way replay.Way, o replay.Options) (machine.Program, machine.Options, error) {
	if len(t.Files) == 0 {
		return machine.Program{}, machine.Options{}, fmt.Errorf("%s has counters, but no accesses: the job ran without DXT (DXT_ENABLE_IO_TRACE=1); commworld replay reports what the counters show", cmp.Or(t.Name, "the trace"))
	}
	w, err := t.Workload(way, o)
	if err != nil {
		return machine.Program{}, machine.Options{}, err
	}
	return w.Program(), t.Options(way), nil
}
