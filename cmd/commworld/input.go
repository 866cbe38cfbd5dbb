package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/commworld/commworld/types"
)

// An element is the datatype of FILE's bytes.
type element struct {
	name string
	typ  *types.Type
	size int64 // bytes, in memory and in every representation
}

var elements = []element{
	{"double", types.Double, 8},
	{"byte", types.Byte, 1},
	{"int", types.Int, 4},
	{"short", types.Short, 2},
	{"longlong", types.LongLong, 8},
	{"float", types.Float, 4},
}

// An input is FILE as a 2-D array of elements and a tail of bytes that do not fill a row.
type input struct {
	name  string
	elem  element
	shape shape
	array []byte
	tail  []byte
	of    int64 // bytes of FILE, if only a part is used; else 0
}

// load reads FILE, or its first most bytes if most is more than 0, and cuts it into rows. If
// width is nil, the array is nearly square.
func load(name, elem string, width *int64, most int) (*input, error) {
	if width != nil && *width <= 0 {
		return nil, fmt.Errorf("--width %d: the number of columns must be positive", *width)
	}
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	for _, e := range elements {
		if e.name == elem {
			all := int64(len(data))
			if most > 0 && len(data) > most {
				data = data[:most:most]
			}
			in := newInput(name, data, e, width)
			if in.size() < all {
				in.of = all
			}
			return in, nil
		}
	}
	return nil, fmt.Errorf("--type %s: unknown type", elem)
}

func read(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return nil, fmt.Errorf("%s: is a directory", name)
		case info.Mode()&fs.ModeDevice != 0: // reading a device may never end
			return nil, fmt.Errorf("%s: is a device", name)
		}
	}
	data, err := os.ReadFile(name)
	var cause *fs.PathError
	switch {
	case errors.As(err, &cause):
		return nil, fmt.Errorf("%s: %w", name, cause.Err)
	case err != nil:
		return nil, err
	case len(data) == 0:
		return nil, fmt.Errorf("%s: the file is empty, there is nothing to verify", name)
	}
	return data, nil
}

func newInput(name string, data []byte, e element, width *int64) *input {
	n := int64(len(data)) / e.size
	s := shape{width: max(1, int64(math.Sqrt(float64(n))))}
	if width != nil {
		s.width = *width
	}
	s.rows = n / s.width
	cut := s.elements() * e.size
	return &input{name: name, elem: e, shape: s, array: data[:cut], tail: data[cut:]}
}

func (in *input) size() int64 { return int64(len(in.array) + len(in.tail)) }

// tailOf returns the bytes of the tail that one rank of p writes.
func (in *input) tailOf(rank, p int) (lo, hi int64) {
	return bounds(int64(len(in.tail)), int64(p), int64(rank))
}

// native returns FILE's bytes: the content of a file in the native representation.
func (in *input) native() io.Reader { return &reversed{in: in, size: 1} }

// bigEndian returns the content of a file in external32, by the definition of that
// representation: all elements keep their size and are stored most significant byte first.
// Memory has this machine's byte order.
func (in *input) bigEndian() io.Reader {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return &reversed{in: in, size: int(in.elem.size)}
	}
	return in.native()
}

// reversed reads the input with the bytes of each element, of size bytes, in
// reverse order. It is read in pieces of whole elements.
type reversed struct {
	in   *input
	size int
	pos  int
}

func (r *reversed) Read(p []byte) (int, error) {
	if r.pos >= len(r.in.array) {
		n := copy(p, r.in.tail[r.pos-len(r.in.array):])
		r.pos += n
		if n == 0 && len(p) > 0 {
			return 0, io.EOF
		}
		return n, nil
	}
	n := copy(p[:len(p)/r.size*r.size], r.in.array[r.pos:])
	for e := 0; r.size > 1 && e < n; e += r.size {
		for a, b := e, e+r.size-1; a < b; a, b = a+1, b-1 {
			p[a], p[b] = p[b], p[a]
		}
	}
	r.pos += n
	return n, nil
}
