package comm

import (
	"math/bits"

	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// Pack packs in into out from byte position on and returns the position after
// it. The output of several calls, one after the other, is one packing unit: to be
// sent as datatype PACKED, and received as such and unpacked, or received with
// the datatypes of its items. Its bytes are those of the ranks' memory; in a world whose
// ranks have both byte orders they are in the host's order, so that all can unpack it.
// Local. Errors: ErrComm, ErrBuffer, ErrCount, ErrType, ErrArg for a position outside of
// out, ErrTruncate if out is too small; out then is as it was. (PK-01, P2P-MATCH-07)
//
// MPI_Pack
func (c *Comm) Pack(in types.Buffer, out []byte, position int64) (int64, error) {
	const op = "Pack"
	size, err := c.admitPacking(op, in, int64(len(out)), position)
	if err != nil {
		return position, err
	}
	in.Pack(out[position:position+size], 0, c.proc.packing())
	return position + size, nil
}

// Unpack fills out from a packing unit, from byte position on, and returns the
// position after that. Local. Errors: as [Comm.Pack], ErrTruncate if in has too
// few bytes, ErrType if the datatype stores a byte twice; out then is as it was.
// (PK-01)
//
// MPI_Unpack
func (c *Comm) Unpack(in []byte, position int64, out types.Buffer) (int64, error) {
	const op = "Unpack"
	size, err := c.admitPacking(op, out, int64(len(in)), position)
	if err != nil {
		return position, err
	}
	if l, err := out.Type().Layout(c.proc.arch); err == nil && l.OverlapsIn(out.Count()) {
		return position, c.fail(op, broken(ErrType, "PK-01", "%d x %v store a byte twice; unpacking needs one place for each item", out.Count(), out.Type()))
	}
	out.Unpack(in[position:position+size], 0, c.proc.packing())
	return position + size, nil
}

// PackSize returns how many bytes [Comm.Pack] needs for count copies of t at
// the most. Local. Errors: ErrComm, ErrCount, ErrType. (PK-01)
//
// MPI_Pack_size
func (c *Comm) PackSize(count int64, t *types.Type) (int64, error) {
	const op = "PackSize"
	if err := c.alive(op); err != nil {
		return 0, err
	}
	if count < 0 {
		return 0, c.fail(op, broken(ErrCount, "PK-01", "count %d is negative", count))
	}
	l, err := t.Layout(c.proc.arch)
	if err != nil {
		return 0, c.fail(op, flt.Of(err, ErrType, "PK-01"))
	}
	hi, size := bits.Mul64(uint64(count), uint64(l.Size))
	if hi != 0 || int64(size) < 0 {
		return 0, c.fail(op, broken(ErrCount, "PK-01", "%d copies of %v take more bytes than can be counted", count, t))
	}
	return int64(size), nil
}

// packing returns the sizes and the byte order of packing units.
func (p *process) packing() types.Sizes {
	if p.inOrder {
		return p.arch.InBytes()
	}
	return p.arch
}

// admitPacking checks the arguments of packing and unpacking b, which takes size of the room
// bytes.
func (c *Comm) admitPacking(op string, b types.Buffer, room, position int64) (size int64, err error) {
	if err := c.alive(op); err != nil {
		return 0, err
	}
	if err := b.Check(c.proc.arch); err != nil {
		return 0, c.fail(op, flt.Of(err, ErrBuffer, "PK-01"))
	}
	size = b.Packed(c.proc.arch)
	switch {
	case position < 0 || position > room:
		return 0, c.fail(op, broken(ErrArg, "PK-01", "position %d is outside of the %d bytes", position, room))
	case size > room-position:
		return 0, c.fail(op, broken(ErrTruncate, "PK-01", "%d x %v take %d bytes from position %d on, and there are %d in all",
			b.Count(), b.Type(), size, position, room))
	}
	return size, nil
}
