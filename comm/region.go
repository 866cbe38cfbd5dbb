package comm

import (
	"fmt"
	"sync"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A region is data at one end of a movement: copies [at, at+n) of a datatype in
// a rank's memory, or the same already packed.
type region struct {
	buf      types.Buffer
	at, n    int64
	arch     *reps.Arch
	isPacked bool
	packed   []byte // all copies, from 0 on
}

// whole is all of a buffer.
func whole(buf types.Buffer, a *reps.Arch) region {
	return region{buf: buf, n: buf.Count(), arch: a}
}

// size returns the bytes of the region when packed.
func (g *region) size() int64 { return g.n * g.unit() }

func (g *region) unit() int64 {
	if g.n == 0 {
		return 0
	}
	return g.buf.Type().Size(g.arch)
}

// bytes returns the memory of packed bytes [from, from+n) if they lie there in
// one piece.
func (g *region) bytes(from, n int64) ([]byte, bool) {
	if n == 0 {
		return nil, true
	}
	from += g.at * g.unit()
	if g.isPacked {
		return g.packed[from : from+n], true
	}
	mem, ok := g.buf.Contiguous(g.arch)
	if !ok {
		return nil, false
	}
	return mem[from : from+n], true
}

// load returns packed bytes [from, from+n), in place or by way of spare.
func (g *region) load(from, n int64, spare []byte) []byte {
	if b, ok := g.bytes(from, n); ok {
		return b
	}
	g.buf.Pack(spare[:n], g.at*g.unit()+from, g.arch)
	return spare[:n]
}

// store sets packed bytes from from on.
func (g *region) store(src []byte, from int64) {
	if len(src) == 0 {
		return
	}
	if b, ok := g.bytes(from, int64(len(src))); ok {
		copyBytes(b, src)
		return
	}
	g.buf.Unpack(src, g.at*g.unit()+from, g.arch)
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
func move(dst, src *region) *fault {
	n := src.size()
	switch {
	case n == 0:
		return nil
	case !reps.SameMemory(dst.arch, src.arch):
		return convert(dst, src)
	}
	if s, ok := src.bytes(0, n); ok {
		dst.store(s, 0)
		return nil
	}
	if d, ok := dst.bytes(0, n); ok {
		src.buf.Pack(d, src.at*src.unit(), src.arch)
		return nil
	}
	spare := blocks.Get().(*[block]byte)
	defer blocks.Put(spare)
	for from := int64(0); from < n; from += block {
		dst.store(src.load(from, min(block, n-from), spare[:]), from)
	}
	return nil
}

// convert is move between unlike architectures: typed items keep their value,
// bytes their bits. (P2P-MATCH-08)
func convert(dst, src *region) *fault {
	sig := src.buf.Type().Signature()
	if isPacked(src.buf.Type()) && !isPacked(dst.buf.Type()) {
		// Packed data have the form of the sender's memory; what they are the
		// receiver's datatype says.
		sig = dst.buf.Type().Signature()
	}
	items, _ := sig.ItemsIn(src.size(), src.arch)
	a, b := blocks.Get().(*[block]byte), blocks.Get().(*[block]byte)
	defer blocks.Put(a)
	defer blocks.Put(b)
	const few = block / 32 // the largest item takes 32 bytes
	for from := int64(0); from < items; from += few {
		n := min(few, items-from)
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
func arrives(dst, src *region) int64 {
	if src.n == 0 || reps.SameMemory(dst.arch, src.arch) {
		return src.size()
	}
	sig := src.buf.Type().Signature()
	if isPacked(src.buf.Type()) && !isPacked(dst.buf.Type()) {
		sig = dst.buf.Type().Signature()
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
func match(dst, src *region, how fit) *fault {
	s, d := src.buf.Type(), dst.buf.Type()
	switch {
	case s == d && (src.n == dst.n || src.n < dst.n && how == fitsIn):
		return nil
	case src.n == 0 && how == fitsIn:
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
func matchPacked(dst, src *region, how fit) *fault {
	have, room := arrives(dst, src), dst.size()
	if have > room || have < room && how == exactly {
		return wrongLength(dst, src)
	}
	if d := dst.buf.Type(); !isPacked(d) {
		if _, whole := d.Signature().ItemsIn(src.size(), src.arch); !whole {
			return broken(ErrType, "P2P-MATCH-07", "%s end inside an item of %s", describe(src), describe(dst))
		}
	}
	return nil
}

func wrongLength(dst, src *region) *fault {
	if arrives(dst, src) > dst.size() {
		return broken(ErrTruncate, "P2P-MATCH-03", "%s do not fit in %s", describe(src), describe(dst))
	}
	return broken(ErrNotSame, "COLL-01", "%s are sent, but %s awaited", describe(src), describe(dst))
}

func signature(g *region) types.Signature { return g.buf.Type().Signature().Repeat(g.n) }

func isPacked(t *types.Type) bool {
	return t == types.Packed || t.Signature().At(0) == types.KindPacked
}

func describe(g *region) string {
	t := g.buf.Type()
	if t == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d x %v", g.n, t)
}
