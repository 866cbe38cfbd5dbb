package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Trace is the recording of a job.
type Trace struct {
	Dir     string
	Ranks   int
	Library string
	Missing []int // ranks without a file; at most [MostMissing] of them
	Absent  int   // how many there are

	sizes []int64
	job   uint64
	types typeCache
	lines *lines
}

// MostMissing is how many ranks without a file are named.
const MostMissing = 10

// Is reports whether a folder looks like a recording: it has the file of a rank.
func Is(dir string) bool {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return false // the open of a pipe waits for its writer
	}
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(100)
		for _, name := range names {
			if _, ok := rankOf(name); ok {
				return true
			}
		}
		if err != nil {
			return false
		}
	}
}

// Open opens the recording in a folder and checks that its files belong to one job. Errors:
// *Error, those of the file system.
func Open(dir string) (*Trace, error) {
	t := &Trace{Dir: dir}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	first := -1
	for _, entry := range list {
		rank, ok := rankOf(entry.Name())
		if !ok {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		r, err := newReader(filepath.Join(dir, entry.Name()), onDisk{filepath.Join(dir, entry.Name()), info.Size()}, &t.types)
		if err != nil {
			return nil, err
		}
		if first < 0 {
			first, t.Ranks, t.Library, t.job = rank, r.Ranks, r.Library, r.Job
			t.sizes = make([]int64, r.Ranks)
		}
		switch {
		case r.Rank != rank:
			return nil, r.failed(int64(len(magic)), fmt.Errorf("the file of rank %d has the name of that of rank %d", r.Rank, rank))
		case r.Job != t.job || r.Ranks != t.Ranks:
			return nil, r.failed(int64(len(magic)), fmt.Errorf("rank %d of %d is of another job than rank %d of %d; record each job into a folder of its own", rank, r.Ranks, first, t.Ranks))
		}
		t.sizes[rank] = info.Size()
	}
	if first < 0 {
		return nil, fmt.Errorf("%s: not a recording: there is no file rank.0", dir)
	}
	for rank, size := range t.sizes {
		if size == 0 {
			if t.Absent++; t.Absent <= MostMissing {
				t.Missing = append(t.Missing, rank)
			}
		}
	}
	t.lines, err = readLines(filepath.Join(dir, linesFile))
	return t, err
}

// Bytes returns how many bytes the files have together.
func (t *Trace) Bytes() (n int64) {
	for _, size := range t.sizes {
		n += size
	}
	return n
}

// Rank returns a reader of the calls of a rank. Errors: *Error, those of the file system.
func (t *Trace) Rank(rank int) (*Reader, error) {
	name := filepath.Join(t.Dir, fileName(rank))
	if t.sizes[rank] == 0 {
		return nil, &Error{name, 0, errors.New("there is no such file")}
	}
	r, err := newReader(name, onDisk{name, t.sizes[rank]}, &t.types)
	if err != nil {
		return nil, err
	}
	if r.Rank != rank || r.Job != t.job {
		return nil, r.failed(0, errors.New("the file has changed"))
	}
	return r, nil
}

// All reads all calls of a reader, for their errors.
func (r *Reader) All() error {
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
