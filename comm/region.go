package comm

import (
	"sync"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// data is a buffer as a call uses it: what moving needs to know of it, worked
// out once. It may also stand for a packed copy, which has no buffer.
type data struct {
	typ   *types.Type
	count int64
	unit  int64  // bytes of one copy of the datatype, packed
	flat  []byte // the data, if they lie in one piece as they would be packed
	arch  *reps.Arch
	laid  bool          // they do not: buf has them
	plain bool          // as in types.Plan; of a packed copy, what it was made of
	buf   *types.Buffer // apart, since most need none and a message is short of cache lines
}

// take checks a buffer and makes it d.
func (d *data) take(buf *types.Buffer, a *reps.Arch) error {
	if d.plain && d.arch == a {
		if mem, ok := buf.Again(d.typ, d.unit); ok { // the call is like the last one that used d
			d.count, d.flat = buf.Count(), mem
			return nil
		}
	}
	p, err := buf.Plan(a)
	if err != nil {
		return err
	}
	if d.laid {
		d.drop()
	}
	d.typ, d.count, d.unit, d.arch, d.flat, d.plain = buf.Type(), buf.Count(), p.Unit, a, p.Memory, p.Plain
	if !p.InPlace {
		if d.buf == nil {
			d.buf = new(types.Buffer)
		}
		d.laid, *d.buf = true, *buf
	}
	return nil
}

// drop lets go of the memory of data that are laid.
func (d *data) drop() {
	*d.buf = types.Buffer{}
	*d = data{buf: d.buf}
}

// packedAs makes d, which never had a buffer, a packed copy of o in bytes that
// the caller fills.
func (d *data) packedAs(o *data, bytes []byte) {
	d.typ, d.count, d.unit, d.flat, d.arch, d.plain = o.typ, o.count, o.unit, bytes, o.arch, o.plain
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

// A region is copies [at, at+n) of data: one end of a movement.
type region struct {
	*data
	at, n int64
}

// size returns the bytes of the region when packed.
func (g *region) size() int64 { return g.n * g.unit }

// load returns packed bytes [from, from+n), in place or by way of spare.
func (g *region) load(from, n int64, spare []byte) []byte {
	from += g.at * g.unit
	if !g.laid {
		return g.flat[from : from+n]
	}
	g.buf.Pack(spare[:n], from, g.arch)
	return spare[:n]
}

// store sets packed bytes from from on.
func (g *region) store(src []byte, from int64) {
	from += g.at * g.unit
	if !g.laid {
		copyBytes(g.flat[from:from+int64(len(src))], src)
		return
	}
	g.buf.Unpack(src, from, g.arch)
}

// copyBytes copies in pieces: from 1 MiB on the runtime writes around the
// caches, which is slower when the receiver soon reads what came.
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

// block is how much data goes through a spare buffer at a time.
const block = 32 << 10

var blocks = sync.Pool{New: func() any { return new([block]byte) }}

// move copies the data of src into dst, which match has accepted.
func move(dst, src region) *fault {
	n := src.size()
	switch {
	case n == 0:
	case !reps.SameMemory(dst.arch, src.arch):
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

// convert is move between unlike architectures: typed items keep their value,
// bytes their bits. (P2P-MATCH-08)
func convert(dst, src region) *fault {
	sig := src.typ.Signature()
	if isPacked(src.typ) && !isPacked(dst.typ) {
		// Packed data have the form of the sender's memory; what they are the
		// receiver's datatype says.
		sig = dst.typ.Signature()
	}
	items, _ := sig.ItemsIn(src.size(), src.arch)
	return convertItems(dst, src, sig, 0, items)
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
		if err := reps.Transfer(out, dst.arch, src.load(s0, s1-s0, a[:]), src.arch, sig, from, n); err != nil {
			return faultOf(err, ErrConversion, "P2P-MATCH-08")
		}
		dst.store(out, d0)
	}
	return nil
}

// arrives returns how many bytes src takes when packed in dst's memory.
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

// How long a message may be for its receive.
type fit uint8

const (
	fitsIn  fit = iota // messages: the receive may be longer
	exactly            // collectives: what is sent is what is received
)

// match compares the signatures of what is sent and what is received: kinds
// name by name, in order. (P2P-MATCH-02, -03, -06, -07)
func match(dst, src region, how fit) *fault {
	s, d := src.typ, dst.typ
	switch {
	case s == d && (src.n == dst.n || src.n < dst.n && how == fitsIn):
		return nil
	case src.size() == 0 && (how == fitsIn || dst.size() == 0): // copies without data are an empty message
		return nil
	case s == d:
		return wrongLength(dst, src)
	case src.n > 0 && isPacked(s) || dst.n > 0 && isPacked(d):
		return matchPacked(dst, src, how)
	}
	sent, wanted := signature(src), signature(dst)
	switch {
	case sent.Equal(wanted), how == fitsIn && sent.Prefix(wanted):
		return nil
	case sent.Prefix(wanted), wanted.Prefix(sent):
		return wrongLength(dst, src)
	}
	item, _ := sent.Difference(wanted)
	return broken(ErrType, "P2P-MATCH-02", "item %d is sent as %v and received as %v; sent %s, received %s",
		item, sent.At(item), wanted.At(item), describe(src), describe(dst))
}

// matchPacked matches data of which one side is MPI_PACKED. Bytes are then all
// there is to compare.
func matchPacked(dst, src region, how fit) *fault {
	have, room := arrives(dst, src), dst.size()
	if have > room || have < room && how == exactly {
		return wrongLength(dst, src)
	}
	if d := dst.typ; !isPacked(d) {
		if _, whole := d.Signature().ItemsIn(src.size(), src.arch); !whole {
			return broken(ErrType, "P2P-MATCH-07", "%s end inside an item of %s", describe(src), describe(dst))
		}
	}
	return nil
}

func wrongLength(dst, src region) *fault {
	if arrives(dst, src) > dst.size() {
		return broken(ErrTruncate, "P2P-MATCH-03", "%s do not fit in %s", describe(src), describe(dst))
	}
	return broken(ErrNotSame, "COLL-01", "%s are sent, but %s awaited", describe(src), describe(dst))
}

func signature(g region) types.Signature { return g.typ.Signature().Repeat(g.n) }

func isPacked(t *types.Type) bool {
	return t == types.Packed || t.Signature().At(0) == types.KindPacked
}

func describe(g region) string {
	return brief.Sprintf("%d x %v", g.n, g.typ)
}
