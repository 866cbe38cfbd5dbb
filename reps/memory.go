package reps

import (
	"iter"

	"github.com/commworld/commworld/types"
)

// A Memory is a buffer of a rank of some architecture: the source or the destination of a
// conversion.
type Memory struct {
	types.Buffer
	Arch *Arch
}

// Items returns items [position, position+count) of the buffer's typemap, tiled as often as
// needed, in order: the kind of each item and its bytes in place, in the byte order of the
// host and the size of the architecture. Where bytes of Go values are accessed on a machine
// of another byte order, the memory is a packed copy that has them in the order of that
// machine. The buffer must be large enough, as it is in a
// conversion function.
func (m Memory) Items(position, count int64) iter.Seq2[types.Kind, []byte] {
	return func(yield func(types.Kind, []byte) bool) {
		sig := m.Type().Signature()
		if position < 0 || count <= 0 || sig.Len() == 0 {
			return
		}
		p := m.Place(sig.BytesBefore(position, m.Arch), m.Arch)
		c := p.At.Cursor(p.From)
		for k, n := range sig.Items(position, count) {
			for range n {
				off, size := c.Next(m.Arch.Sizeof(k))
				if !yield(k, p.Mem[off-p.Base:][:size:size]) {
					return
				}
			}
		}
	}
}

// packedMemory returns the memory of a rank that contains packed items of sig.
func packedMemory(p []byte, a *Arch, sig types.Signature, n int64) Memory {
	var fields []types.Field
	var at int64
	unit := sig.Unit()
	for k, count := range unit.Runs() {
		fields = append(fields, types.Field{Count: count, Disp: at, Type: types.Resized(types.OfKind(k), 0, a.Sizeof(k))})
		at += count * a.Sizeof(k)
	}
	t := types.Resized(types.Struct(fields...), 0, at)
	return Memory{types.Raw(p, (n+unit.Len()-1)/max(unit.Len(), 1), t), a}
}
