package darshan

import (
	"bufio"
	"compress/bzip2"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
)

// A span is where a region is in the file; no bytes: the log does not have it.
type span struct{ off, len int64 }

// A region reads the inflated bytes of a part of a log.
type region struct {
	name  string
	order binary.ByteOrder
	in    *bufio.Reader
	at    int64 // bytes read so far
	buf   []byte
}

// open returns the bytes of a region.
func (l *Log) open(name string, s span) (*region, error) {
	if s.off < 0 || s.len < 0 || s.off > l.size || s.len > l.size-s.off {
		return nil, fault("%s: bytes %d to %d of a file of %d: the log is cut off or damaged", name, s.off, uint64(s.off)+uint64(s.len), l.size)
	}
	r := &region{name: name, order: l.order}
	raw := bufio.NewReaderSize(io.NewSectionReader(l.file, s.off, s.len), 64<<10)
	switch l.compression {
	case zlibStreams:
		r.in = bufio.NewReaderSize(&inflater{raw: raw}, 64<<10)
	case bzip2Streams:
		r.in = bufio.NewReaderSize(bzip2.NewReader(raw), 64<<10)
	default:
		r.in = raw
	}
	return r, nil
}

// An inflater reads zlib streams that follow each other: each process of a job writes one.
type inflater struct {
	raw *bufio.Reader
	now io.ReadCloser // kept for the next stream
	in  bool          // in the middle of a stream
}

func (z *inflater) Read(p []byte) (int, error) {
	for {
		if !z.in {
			if _, err := z.raw.Peek(1); err != nil {
				return 0, err // io.EOF between streams is the end
			}
			if err := z.begin(); err != nil {
				return 0, damaged(err)
			}
		}
		n, err := z.now.Read(p)
		if errors.Is(err, io.EOF) {
			z.in, err = false, nil
		}
		if n > 0 || err != nil {
			return n, damaged(err)
		}
	}
}

// begin begins a stream.
func (z *inflater) begin() (err error) {
	z.in = true
	if z.now != nil {
		return z.now.(zlib.Resetter).Reset(z.raw, nil)
	}
	z.now, err = zlib.NewReader(z.raw)
	return err
}

// damaged returns err for the middle of a stream, where the end of the file is an error.
func damaged(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// fail returns an error at the position of the region.
func (r *region) fail(format string, args ...any) error {
	return fault("%s, byte %d: %w", r.name, r.at, brief.Errorf(format, args...))
}

// next returns the next n bytes, valid until the following call; io.EOF if there are none.
func (r *region) next(n int) ([]byte, error) {
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	got, err := io.ReadFull(r.in, b)
	switch {
	case err == nil:
		r.at += int64(n)
		return b, nil
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.fail("a record of %d bytes ends after %d: the log is cut off or damaged", n, got)
	}
	return nil, r.fail("%w", err)
}

// rest returns the next n bytes, which the record before them announced.
func (r *region) rest(n int) ([]byte, error) {
	b, err := r.next(n)
	if errors.Is(err, io.EOF) {
		return nil, r.fail("the record ends before its %d bytes: the log is cut off or damaged", n)
	}
	return b, err
}

// skip reads n bytes that nothing needs.
func (r *region) skip(n int64) error {
	const most = 1 << 16
	for n > 0 {
		k := min(n, most)
		if _, err := r.rest(int(k)); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func (r *region) int(b []byte, i int) int64 { return int64(r.order.Uint64(b[8*i:])) }

func (r *region) float(b []byte, i int) float64 { return math.Float64frombits(r.order.Uint64(b[8*i:])) }

func fault(format string, args ...any) error {
	return &errclass.Error{Pkg: "darshan", Rank: errclass.NoRank, Class: errclass.Arg, Err: fmt.Errorf(format, args...)}
}
