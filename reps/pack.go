package reps

import (
	"fmt"
	"math/bits"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// PackExternal packs in, from the memory of a rank of architecture a, into out
// from byte position on, in the form of the representation called name, and
// returns the position after it; calls follow each other in one out. The items
// stand in typemap order without header and padding, as a contiguous view of
// that representation holds them. Local. Errors: ErrArg for an unknown name, a
// bad position or an out that is too small, ErrBuffer, ErrCount, ErrType,
// ErrConversion; out then is as it was, but for ErrConversion. (PK-X32-01..03)
//
// MPI_Pack_external
func PackExternal(name string, a *Arch, in types.Buffer, out []byte, position int64) (int64, error) {
	const op = "PackExternal"
	rep, size, err := external(op, name, a, in, int64(len(out)), position)
	if err != nil {
		return position, err
	}
	packed, direct := in.Contiguous(a)
	if !direct {
		packed = make([]byte, in.Packed(a))
		in.Pack(packed, 0, a)
	}
	sig := in.Type().Signature()
	items := sig.Len() * in.Count()
	if err := rep.Encode(out[position:position+size], packed[:in.Packed(a)], a, sig, 0, items); err != nil {
		return position, err
	}
	return position + size, nil
}

// UnpackExternal is the way back: it fills out, in the memory of a rank of
// architecture a, from the bytes of in from position on and returns the
// position after them. Errors as [PackExternal]; out then is as it was. (PK-X32-04)
//
// MPI_Unpack_external
func UnpackExternal(name string, a *Arch, in []byte, position int64, out types.Buffer) (int64, error) {
	const op = "UnpackExternal"
	rep, size, err := external(op, name, a, out, int64(len(in)), position)
	if err != nil {
		return position, err
	}
	packed := make([]byte, out.Packed(a))
	sig := out.Type().Signature()
	if err := rep.Decode(packed, in[position:position+size], a, sig, 0, sig.Len()*out.Count()); err != nil {
		return position, err
	}
	out.Unpack(packed, 0, a)
	return position + size, nil
}

// PackExternalSize returns how many bytes count copies of t take in the
// representation called name, exactly. a is the architecture of the calling
// rank. Local. Errors: ErrArg, ErrCount, ErrType. (PK-X32-05)
//
// MPI_Pack_external_size
func PackExternalSize(name string, a *Arch, count int64, t *types.Type) (int64, error) {
	const op = "PackExternalSize"
	rep, err := lookupExternal(op, name, a)
	if err != nil {
		return 0, err
	}
	return externalSize(op, rep, count, t)
}

// external checks the arguments of packing and unpacking: room is the length
// of the bytes, size what b takes of them.
func external(op, name string, a *Arch, b types.Buffer, room, position int64) (rep Rep, size int64, err error) {
	if rep, err = lookupExternal(op, name, a); err != nil {
		return nil, 0, err
	}
	if err := b.Check(a); err != nil {
		return nil, 0, err
	}
	if size, err = externalSize(op, rep, b.Count(), b.Type()); err != nil {
		return nil, 0, err
	}
	if position < 0 || position > room || size > room-position {
		return nil, 0, argument(op, ErrArg, "PK-X32-03", "%d bytes from position %d do not fit in %d", size, position, room)
	}
	return rep, size, nil
}

func lookupExternal(op, name string, a *Arch) (Rep, error) {
	if a == nil {
		return nil, argument(op, ErrArg, "PK-X32-01", "the architecture is nil; give reps.LP64LE or that of the communicator")
	}
	rep, err := Lookup(name, a)
	if err != nil {
		return nil, argument(op, ErrArg, "PK-X32-01", "%w", err)
	}
	return rep, nil
}

func externalSize(op string, rep Rep, count int64, t *types.Type) (int64, error) {
	if count < 0 {
		return 0, argument(op, ErrCount, "PK-X32-05", "count %d is negative", count)
	}
	l, err := t.Layout(rep.Sizes())
	if err != nil {
		return 0, err
	}
	hi, size := bits.Mul64(uint64(count), uint64(l.Size))
	if hi != 0 || int64(size) < 0 {
		return 0, argument(op, ErrArg, "PK-X32-05", "%d copies of %v take more bytes than can be counted", count, t)
	}
	return int64(size), nil
}

func argument(op string, class errclass.Class, rule, format string, args ...any) error {
	return &Error{Pkg: "reps", Op: op, Rank: errclass.NoRank, Class: class, Rule: rule, Err: fmt.Errorf(format, args...)}
}
