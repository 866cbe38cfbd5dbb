package darshan

import (
	"bytes"
	"errors"
	"io"
	"math"
)

// A Segment is an access that DXT recorded.
type Segment struct {
	Write      bool
	Off        int64 // -1: not recorded
	Len        int64
	Begin, End float64 // seconds since the job began
}

// A Trace is the beginning of DXT's record of one file on one rank.
type Trace struct {
	Module string // DXT_POSIX or DXT_MPIIO
	File   uint64
	Rank   int
	Host   string
	Writes int64
	Reads  int64
}

// Traces calls begin for each record of DXT, and take for each of its segments, first the
// writes.
//
// Error: ErrArg with region, position and reason for damaged data; those of begin and take.
func (l *Log) Traces(begin func(*Trace) error, take func(*Segment) error) error {
	for _, name := range []string{"DXT_POSIX", "DXT_MPIIO"} {
		if !l.Has(name) {
			continue
		}
		if err := l.traces(name, l.modules[name], begin, take); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) traces(name string, m module, begin func(*Trace) error, take func(*Segment) error) error {
	r, err := l.open(name, m.span)
	if err != nil {
		return err
	}
	size := 32
	if name == "DXT_POSIX" && m.version >= 2 || m.version >= 3 {
		size += 8 // the thread
	}
	const hostname = 64
	for {
		b, err := r.next(3*8 + hostname + 2*8)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		t := &Trace{Module: name, File: r.order.Uint64(b), Writes: r.int(b[24+hostname:], 0), Reads: r.int(b[24+hostname:], 1)}
		host, _, _ := bytes.Cut(b[24:24+hostname], []byte{0})
		t.Host = string(host)
		if t.Rank, err = l.rank(r, r.int(b, 1), false); err != nil {
			return err
		}
		if t.Writes < 0 || t.Reads < 0 || t.Writes > math.MaxInt64/128 || t.Reads > math.MaxInt64/128 {
			return r.fail("%d writes and %d reads", t.Writes, t.Reads)
		}
		if err := begin(t); err != nil {
			return err
		}
		if err := r.segments(t, size, name == "DXT_MPIIO" && m.version == 1, take); err != nil {
			return err
		}
	}
}

// segments reads the segments of a record.
func (r *region) segments(t *Trace, size int, unplaced bool, take func(*Segment) error) error {
	for i := range t.Writes + t.Reads {
		b, err := r.rest(size)
		if err != nil {
			return err
		}
		s := &Segment{Write: i < t.Writes, Off: r.int(b, 0), Len: r.int(b, 1), Begin: r.float(b, 2), End: r.float(b, 3)}
		if unplaced {
			s.Off = -1
		}
		if err := take(s); err != nil {
			return r.fail("%w", err)
		}
	}
	return nil
}
