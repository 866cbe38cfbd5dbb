package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A converter converts elements of one form to another. Values pass through memory of the
// widest form, which loses nothing.
type converter struct {
	in, out  *fileElement
	lossy    bool
	cut      int64  // number of values that lost high bytes
	firstCut string // place of the first of them

	whole  int64 // elements of at most so many bytes are converted as a whole
	packed []byte
	mem    []byte
	result []byte
	values *valuer
}

// The number of bytes in memory at once, and the largest element whose items may be out of
// order.
const (
	pieceBytes  = 1 << 20
	wholeBytes  = 4 << 20
	jumbleBytes = 256 << 20
)

func newConverter(in, out *fileElement, lossy bool) (*converter, error) {
	for _, e := range []*fileElement{in, out} {
		switch reach := e.TrueUB - e.TrueLB; {
		case e.TrueLB < 0:
			return nil, fmt.Errorf("as %v the type begins %d bytes before its element", e.form, -e.TrueLB)
		case reach > e.Extent:
			return nil, fmt.Errorf("as %v elements overlap: their data span %d bytes, and the extent is %d", e.form, reach, e.Extent)
		case e.Overlaps():
			return nil, fmt.Errorf("as %v items of the type overlap; displacements in bytes do not scale with the items", e.form)
		}
	}
	c := &converter{in: in, out: out, lossy: lossy, whole: wholeBytes, values: newValuer(in.form)}
	if !in.Monotone() || !out.Monotone() {
		c.whole = jumbleBytes
		if most := max(in.Extent, out.Extent); most > c.whole {
			return nil, fmt.Errorf("an element of %d bytes whose items are out of order: up to %d are converted", most, c.whole)
		}
	}
	return c, nil
}

// convert reads all elements of r and writes them to w.
func (c *converter) convert(ctx context.Context, r io.Reader, w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var err error
	if max(c.in.Extent, c.out.Extent) <= c.whole {
		err = c.elements(ctx, r, out)
	} else {
		err = c.stream(ctx, bufio.NewReaderSize(r, 1<<16), out)
	}
	return errors.Join(err, out.Flush())
}

// lead returns the number of bytes before element 0: if data reach below the type's lower
// bound, the file begins with those data.
func (e *fileElement) lead() int64 {
	if e.TrueUB > e.Extent {
		return e.TrueLB
	}
	return 0
}

// elements converts whole elements, as many at once as fit into a piece.
func (c *converter) elements(ctx context.Context, r io.Reader, w *bufio.Writer) error {
	ei, eo := c.in.Extent, c.out.Extent
	li, lo := c.in.lead(), c.out.lead()
	if err := c.skipLead(r, w); err != nil {
		return ending(err)
	}
	each := max(1, pieceBytes/max(ei, eo))
	src, dst := make([]byte, each*ei), make([]byte, each*eo)
	for k := int64(0); ; k += each {
		if err := ctx.Err(); err != nil {
			return err
		}
		got, err := io.ReadFull(r, src)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		n, size := int64(got)/ei, int64(got)/ei*eo
		if rest := int64(got) % ei; rest > 0 {
			if rest < c.in.TrueUB-li {
				return c.partial(k+n, k*ei+li+int64(got))
			}
			n, size = n+1, n*eo+c.out.TrueUB-lo
		}
		if err := c.piece(dst[:n*eo], src[:n*ei], k, n); err != nil {
			return err
		}
		if _, err := w.Write(dst[:size]); err != nil {
			return err
		}
		if got < len(src) {
			return nil
		}
	}
}

// ending returns nil if err is the end of the input, else err.
func ending(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// skipLead skips the bytes before element 0; input that ends there has no element.
func (c *converter) skipLead(r io.Reader, w *bufio.Writer) error {
	li := c.in.lead()
	got, err := io.CopyN(io.Discard, r, li)
	if err != nil && err != io.EOF {
		return err
	}
	if got < li {
		if got > 0 {
			return c.partial(0, got)
		}
		return io.EOF
	}
	return zeros(w, c.out.lead())
}

func (c *converter) partial(k, size int64) error {
	return fmt.Errorf("the input ends at byte %d, inside element %d, which needs bytes %d to %d (%v): nothing is written",
		size, k, k*c.in.Extent+c.in.TrueLB, k*c.in.Extent+c.in.TrueUB-1, c.in.form)
}

// zeros writes a hole of n bytes.
func zeros(w *bufio.Writer, n int64) error {
	var none [4096]byte
	for n > 0 {
		m, err := w.Write(none[:min(n, int64(len(none)))])
		if err != nil {
			return err
		}
		n -= int64(m)
	}
	return nil
}

// piece converts n elements, beginning with element k.
func (c *converter) piece(dst, src []byte, k, n int64) error {
	c.packed = sized(c.packed, n*c.in.Size)
	(types.Tiling{L: c.in.Layout}).Gather(c.packed, src, c.in.lead(), 0)
	if err := c.items(k*c.in.Items(), n*c.in.Items()); err != nil {
		return err
	}
	clear(dst)
	(types.Tiling{L: c.out.Layout}).Scatter(dst, c.out.lead(), c.result, 0)
	return nil
}

func sized(p []byte, n int64) []byte {
	if int64(cap(p)) < n {
		return make([]byte, n)
	}
	return p[:n]
}

// items converts n items, from item first of the file on, from packed to result.
func (c *converter) items(first, n int64) error {
	per := c.in.Items()
	from := first % per
	bytes := func(s types.Sizes) int64 { return c.in.sig.BytesBefore(from+n, s) - c.in.sig.BytesBefore(from, s) }
	c.mem, c.result = sized(c.mem, bytes(wide)), sized(c.result, bytes(c.out.form.Sizes()))
	err := c.in.form.Decode(c.mem, c.packed, wide, c.in.sig, from, n)
	if err == nil {
		err = c.out.form.Encode(c.result, c.mem, wide, c.in.sig, from, n)
	}
	if err == nil {
		return nil
	}
	return c.singly(first, n, err)
}

// singly converts items one by one, to find the one that cannot be converted, or to cut
// those that do not fit. why is the error of converting them together.
func (c *converter) singly(first, n int64, why error) error {
	per, in, mem, out := c.in.Items(), c.packed, c.mem, c.result
	for kind, count := range c.in.sig.Items(first%per, n) {
		a, b, d := c.in.form.Sizes().Sizeof(kind), wide.Sizeof(kind), c.out.form.Sizes().Sizeof(kind)
		unit := c.values.units[kind]
		for ; count > 0; count-- {
			bad := c.in.form.Decode(mem[:b], in[:a], wide, unit, 0, 1)
			if bad == nil {
				bad = c.out.form.Encode(out[:d], mem[:b], wide, unit, 0, 1)
				if bad != nil && c.lossy && narrows(kind, b, d) {
					c.chop(out[:d], mem[:b])
					if c.cut++; c.cut == 1 {
						c.firstCut = c.where(first)
					}
					bad = nil
				}
			}
			if bad != nil {
				return c.unfit(first, kind, mem[:b], bad)
			}
			in, mem, out, first = in[a:], mem[b:], out[d:], first+1
		}
	}
	if c.lossy {
		return nil
	}
	return why // each item could be converted alone: return the error all the same
}

// narrows reports whether bytes of a kind can be cut off.
func narrows(k types.Kind, from, to int64) bool {
	switch k.Family() {
	case types.FamilySigned, types.FamilyUnsigned, types.FamilyCharacter:
		return to < from
	}
	return false
}

// chop keeps the least significant bytes (REP-X32-09).
func (c *converter) chop(dst, mem []byte) {
	bigEnd := c.out.form.Name() != "native" || c.out.form.Arch.Order().Uint16([]byte{0, 1}) == 1
	for i := range dst {
		low := i // index of the byte, from the least significant on
		if bigEnd {
			low = len(dst) - 1 - i
		}
		if !little {
			low = len(mem) - 1 - low
		}
		dst[i] = mem[low]
	}
}

// where returns the name of an item of the file.
func (c *converter) where(item int64) string {
	per := c.in.Items()
	k, i := item/per, item%per
	off := (types.Tiling{L: c.in.Layout}).At(c.in.sig.BytesBefore(i, c.in.form.Sizes()))
	return fmt.Sprintf("element %d, %s, byte %d", k, c.in.route.name(index(nil, k), i), k*c.in.Extent+off)
}

// unfit returns the error for a value that does not fit the other form.
func (c *converter) unfit(item int64, k types.Kind, mem []byte, why error) error {
	var e *reps.Error
	if !errors.As(why, &e) {
		return why
	}
	text := fmt.Sprintf("%s: %v %s has no form in %s as %v (%s%s)", c.where(item), k, c.values.inMemory(k, mem).text,
		plain.Count(c.out.form.Sizes().Sizeof(k), "byte"), c.out.form, e.Class.Name(), plain.Comma(e.Rule))
	if narrows(k, wide.Sizeof(k), c.out.form.Sizes().Sizeof(k)) {
		text += "; --lossy keeps its low bytes"
	}
	return errors.New(text)
}

// stream converts elements too large to be held: their items come in order.
func (c *converter) stream(ctx context.Context, r *bufio.Reader, w *bufio.Writer) error {
	const most = 1 << 14 // items at once
	if err := c.skipLead(r, w); err != nil {
		return ending(err)
	}
	for k := int64(0); ; k++ {
		if _, err := r.Peek(1); err != nil {
			return ending(err)
		}
		from := streamer{c: types.Tiling{L: c.in.Layout}.Cursor(0), at: c.in.lead()}
		to := streamer{c: types.Tiling{L: c.out.Layout}.Cursor(0), at: c.out.lead()}
		for i := int64(0); i < c.in.Items(); i += most {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(most, c.in.Items()-i)
			s := c.in.form.Sizes()
			c.packed = sized(c.packed, c.in.sig.BytesBefore(i+n, s)-c.in.sig.BytesBefore(i, s))
			if err := from.read(r, c.packed); err == io.EOF {
				return c.partial(k, k*c.in.Extent+from.at)
			} else if err != nil {
				return err
			}
			if err := c.items(k*c.in.Items()+i, n); err != nil {
				return err
			}
			if err := to.write(w, c.result); err != nil {
				return err
			}
		}
		rest := c.in.lead() + c.in.Extent - from.at
		got, err := io.CopyN(io.Discard, r, rest)
		if err != nil && err != io.EOF {
			return err
		}
		if got < rest { // the file ends with the data
			return nil
		}
		if err := zeros(w, c.out.lead()+c.out.Extent-to.at); err != nil {
			return err
		}
	}
}

// A streamer visits the runs of an element in order; at is its position.
type streamer struct {
	c  types.Cursor
	at int64
}

func (s *streamer) read(r *bufio.Reader, packed []byte) error {
	for len(packed) > 0 {
		off, n := s.c.Next(int64(len(packed)))
		got, err := io.CopyN(io.Discard, r, off-s.at)
		if s.at += got; err != nil {
			return err
		}
		m, err := io.ReadFull(r, packed[:n])
		s.at += int64(m)
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		if err != nil {
			return err
		}
		packed = packed[n:]
	}
	return nil
}

func (s *streamer) write(w *bufio.Writer, packed []byte) error {
	for len(packed) > 0 {
		off, n := s.c.Next(int64(len(packed)))
		if err := zeros(w, off-s.at); err != nil {
			return err
		}
		if _, err := w.Write(packed[:n]); err != nil {
			return err
		}
		s.at = off + n
		packed = packed[n:]
	}
	return nil
}
