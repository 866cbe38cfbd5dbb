package reps

import (
	"math/bits"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// PackExternal packs in, from the memory of a rank of architecture a, into out from byte
// position on, in the form of the representation called name, and returns the position
// after it; several calls may fill one out. The items are in typemap order without header
// and padding, as in a contiguous view of that representation. The standard defines it for
// "external32" only; here every representation works. Local. Errors: ErrArg for an unknown
// name, a bad position or an out that is too small, ErrBuffer, ErrCount, ErrType,
// ErrConversion; except after ErrConversion, out does not change. (PK-X32-01..03)
//
// MPI_Pack_external
func PackExternal(name string, a *Arch, in types.Buffer, out []byte, position int64) (int64, error) {
	return registryOf(a).PackExternal(name, in, out, position)
}

// PackExternal is the function [PackExternal] for every representation that the rank knows,
// including those it registered.
func (g *Registry) PackExternal(name string, in types.Buffer, out []byte, position int64) (int64, error) {
	rep, size, err := g.external("PackExternal", name, in, int64(len(out)), position)
	if err != nil {
		return position, err
	}
	items := in.Type().Signature().Len() * in.Count()
	if err := rep.Pack(out[position:position+size], Memory{in, g.arch}, items); err != nil {
		return position, err
	}
	return position + size, nil
}

// UnpackExternal is the inverse: it fills out, in the memory of a rank of architecture a,
// from the bytes of in from position on and returns the position after them. Errors as
// [PackExternal]; out then does not change. (PK-X32-04)
//
// MPI_Unpack_external
func UnpackExternal(name string, a *Arch, in []byte, position int64, out types.Buffer) (int64, error) {
	return registryOf(a).UnpackExternal(name, in, position, out)
}

// UnpackExternal is the function [UnpackExternal] for every representation that the rank
// knows, including those it registered.
func (g *Registry) UnpackExternal(name string, in []byte, position int64, out types.Buffer) (int64, error) {
	rep, size, err := g.external("UnpackExternal", name, out, int64(len(in)), position)
	if err != nil {
		return position, err
	}
	items := out.Type().Signature().Len() * out.Count()
	if err := rep.Unpack(Memory{out, g.arch}, in[position:position+size], items); err != nil {
		return position, err
	}
	return position + size, nil
}

// PackExternalSize returns exactly how many bytes count copies of t take in the
// representation called name. a is the architecture of the calling rank. Local. Errors:
// ErrArg, ErrCount, ErrType. (PK-X32-05)
//
// MPI_Pack_external_size
func PackExternalSize(name string, a *Arch, count int64, t *types.Type) (int64, error) {
	return registryOf(a).PackExternalSize(name, count, t)
}

// PackExternalSize is the function [PackExternalSize] for every representation that the
// rank knows, including those it registered.
func (g *Registry) PackExternalSize(name string, count int64, t *types.Type) (int64, error) {
	const op = "PackExternalSize"
	rep, err := g.lookupExternal(op, name)
	if err != nil {
		return 0, err
	}
	return externalSize(op, rep, count, t)
}

// registryOf returns a registry without registered representations.
func registryOf(a *Arch) *Registry {
	if a == nil {
		return nil
	}
	return NewRegistry(a)
}

// external checks the arguments of packing and unpacking: room is the length of the bytes,
// size the number that b takes.
func (g *Registry) external(op, name string, b types.Buffer, room, position int64) (rep Rep, size int64, err error) {
	if rep, err = g.lookupExternal(op, name); err != nil {
		return nil, 0, err
	}
	if err := b.Check(g.arch); err != nil {
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

func (g *Registry) lookupExternal(op, name string) (Rep, error) {
	if g == nil || g.arch == nil {
		return nil, argument(op, ErrArg, "PK-X32-01", "the architecture is nil; give reps.LP64LE or that of the communicator")
	}
	rep, err := g.Lookup(name)
	if err != nil {
		return nil, argument(op, ErrArg, "PK-X32-01", "%w", err)
	}
	return rep, nil
}

func externalSize(op string, rep Rep, count int64, t *types.Type) (int64, error) {
	if count < 0 {
		return 0, argument(op, ErrCount, "PK-X32-05", "count %d is negative", count)
	}
	if err := t.Err(); err != nil {
		return 0, err
	}
	if err := rep.Prepare(t.Signature()); err != nil {
		return 0, err
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
	return fault.OfCall("reps", op, "", class, rule, format, args...)
}
