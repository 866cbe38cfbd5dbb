package comm

import (
	"sync"

	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// data describes a buffer in a call: what copying needs to know of it, computed once. It
// may also describe a packed copy, which has no buffer.
type data struct {
	typ   *types.Type
	count int64
	unit  int64  // bytes of one packed copy of the datatype
	flat  []byte // the data, if they are contiguous as they would be packed
	arch  *reps.Arch
	laid  bool          // they are not contiguous, or short: buf has them
	short bool          // of a receive: the memory does not hold the whole count
	plain bool          // as in types.Plan; for a packed copy, that of its original
	bytes bool          // they have the order of arch and not of the host, if packed; likewise
	buf   *types.Buffer // a pointer, because most data need no buffer and a transfer should take few cache lines
}

// describe checks a buffer and stores its description in d. All of its data are in memory,
// unless it is for a message and sends is not set: the count of a receive may exceed its
// memory. (P2P-09)
func (p *process) describe(d *data, buf *types.Buffer, sends bool) error {
	if buf.Filled() && p.univ.far == nil { // an engine needs memory, and Plan says so
		return d.withoutMemory(buf, p.arch)
	}
	err := d.take(buf, p.arch, sends)
	if err == nil && p.inOrder && d.unit > 0 && isPacked(d.typ) {
		d.bytes, d.plain = true, false
	}
	return err
}

func (d *data) take(buf *types.Buffer, a *reps.Arch, sends bool) error {
	if d.plain && d.arch == a {
		if mem, ok := buf.Again(d.typ, d.unit); ok { // same type and architecture as at the last use of d
			_, d.count = buf.Items()
			d.flat = mem
			return nil
		}
	}
	var p types.Plan
	var err error
	if sends { // no function value: buf would escape to the heap
		p, err = buf.Plan(a)
	} else {
		p, err = buf.PlanReceive(a)
	}
	if err != nil {
		return err
	}
	if d.laid {
		d.drop()
	}
	d.typ, d.count = buf.Items()
	d.unit, d.arch, d.flat, d.plain, d.bytes = p.Unit, a, p.Memory, p.Plain, p.Reordered
	if !p.InPlace {
		if d.buf == nil {
			d.buf = new(types.Buffer)
		}
		d.laid, d.short, *d.buf = true, p.Short, *buf
	}
	return nil
}

// withoutMemory is take for a buffer of types.Fill.
func (d *data) withoutMemory(buf *types.Buffer, a *reps.Arch) error {
	if err := buf.CheckFilled(a); err != nil {
		return err
	}
	if d.laid {
		d.drop()
	}
	d.typ, d.count = buf.Items()
	d.unit, d.arch, d.flat, d.plain, d.bytes = d.typ.Size(a), a, nil, false, false
	if d.buf == nil {
		d.buf = new(types.Buffer)
	}
	d.laid, d.short, *d.buf = true, false, *buf
	return nil
}

// filled reports whether d has no memory: what is stored there is discarded.
func (d *data) filled() bool { return d.laid && d.buf.Filled() }

// drop lets go of the memory of non-contiguous data.
func (d *data) drop() {
	*d.buf = types.Buffer{}
	*d = data{buf: d.buf}
}

// packedAs makes d, which never had a buffer, a packed copy of o in bytes that the caller
// fills.
func (d *data) packedAs(o *data, bytes []byte) {
	d.typ, d.count, d.unit, d.flat, d.arch, d.plain, d.bytes = o.typ, o.count, o.unit, bytes, o.arch, o.plain, o.bytes
}

func (d *data) size() int64 { return d.count * d.unit }

// pack copies all data to dst.
func (d *data) pack(dst []byte) {
	if d.laid {
		d.buf.Pack(dst, 0, d.arch)
	} else {
		copyBytes(dst, d.flat)
	}
}

func (d *data) whole() region { return region{d, 0, d.count} }

// A region is copies [at, at+n) of data: the source or the destination of a copy.
type region struct {
	*data
	at, n int64
}

// size returns the bytes of the region when packed.
func (g *region) size() int64 { return g.n * g.unit }

// load returns packed bytes [from, from+n), in place or copied to spare.
func (g *region) load(from, n int64, spare []byte) []byte {
	from += g.at * g.unit
	if !g.laid {
		return g.flat[from : from+n]
	}
	g.buf.Pack(spare[:n], from, g.arch)
	return spare[:n]
}

// store sets the packed bytes from position from on.
func (g *region) store(src []byte, from int64) {
	from += g.at * g.unit
	if !g.laid {
		copyBytes(g.flat[from:from+int64(len(src))], src)
		return
	}
	g.buf.Unpack(src, from, g.arch)
}

// copyBytes copies in pieces: from 1 MiB on the runtime bypasses the caches, which is
// slower when the receiver soon reads the data.
func copyBytes(dst, src []byte) {
	const piece, far = 256 << 10, 16 << 20
	if len(src) >= 1<<20 && len(src) <= far {
		for len(src) > piece {
			copy(dst[:piece], src[:piece])
			dst, src = dst[piece:], src[piece:]
		}
	}
	copy(dst, src)
}

// block is how many bytes pass through a spare buffer at a time.
const block = 32 << 10

var blocks = sync.Pool{New: func() any { return new([block]byte) }}

// move copies the data of src into dst; match has accepted the pair.
func move(dst, src region) *fault {
	n := src.size()
	switch {
	case n == 0 || dst.filled():
	case !reps.SameMemory(dst.arch, src.arch) || (dst.bytes || src.bytes) && isPacked(dst.typ) != isPacked(src.typ):
		return convert(dst, src)
	case !src.laid:
		dst.store(src.load(0, n, nil), 0)
	case !dst.laid:
		at := dst.at * dst.unit
		src.buf.Pack(dst.flat[at:at+n], src.at*src.unit, src.arch)
	default:
		types.Copy(*dst.buf, dst.at*dst.unit, dst.arch, *src.buf, src.at*src.unit, src.arch, n)
	}
	return nil
}

// convert is move between different architectures: typed items keep their value, bytes
// their bits. (P2P-MATCH-08)
func convert(dst, src region) *fault {
	sig := src.typ.Signature()
	if isPacked(src.typ) && !isPacked(dst.typ) {
		// Packed data have the form of the sender's memory; the receiver's datatype gives
		// their types.
		sig = dst.typ.Signature()
	}
	items, _ := sig.ItemsIn(src.size(), src.arch)
	return convertItems(dst, src, sig, 0, items)
}

// side returns the form of a region's items.
func (g *region) side() reps.Side {
	return reps.Side{Arch: g.arch, InBytes: g.bytes && isPacked(g.typ)}
}

// convertItems converts items [from, end) of sig.
func convertItems(dst, src region, sig types.Signature, from, end int64) *fault {
	a, b := blocks.Get().(*[block]byte), blocks.Get().(*[block]byte)
	defer blocks.Put(a)
	defer blocks.Put(b)
	const few = block / 32 // the largest item takes 32 bytes
	for ; from < end; from += few {
		n := min(few, end-from)
		s0, s1 := sig.BytesBefore(from, src.arch), sig.BytesBefore(from+n, src.arch)
		d0, d1 := sig.BytesBefore(from, dst.arch), sig.BytesBefore(from+n, dst.arch)
		out := b[:d1-d0]
		if err := reps.TransferPacked(out, dst.side(), src.load(s0, s1-s0, a[:]), src.side(), sig, from, n); err != nil {
			return flt.Of(err, ErrConversion, "P2P-MATCH-08")
		}
		dst.store(out, d0)
	}
	return nil
}

// arrives returns how many bytes src takes when packed in the form of dst's memory.
func arrives(dst, src region) int64 {
	if src.n == 0 || reps.SameMemory(dst.arch, src.arch) {
		return src.size()
	}
	sig := src.typ.Signature()
	if isPacked(src.typ) && !isPacked(dst.typ) {
		sig = dst.typ.Signature()
		items, _ := sig.ItemsIn(src.size(), src.arch)
		return sig.BytesBefore(items, dst.arch)
	}
	return sig.Size(dst.arch) * src.n
}
