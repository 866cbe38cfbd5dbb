package comm

import (
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// fit says how long a message may be for its receive.
type fit uint8

const (
	fitsIn     fit = iota // messages: the receive may be longer
	exactly               // collectives: the lengths must be equal
	fitsBySize            // messages whose types need not match, see commport.Port.MatchSizes
)

// match compares the signatures of the data sent and expected: basic types one by one, in
// order. (P2P-MATCH-02, -03, -06, -07)
func match(dst, src region, how fit) *fault {
	s, d := src.typ, dst.typ
	switch {
	case s == d && (src.n == dst.n || src.n < dst.n && how != exactly):
		return nil
	case src.size() == 0 && (how != exactly || dst.size() == 0): // copies without data are an empty message
		return nil
	case s == d:
		return wrongLength(dst, src)
	case isPacked(s) || isPacked(d):
		return matchPacked(dst, src, how)
	}
	sent, wanted := signature(src), signature(dst)
	switch {
	case sent.Equal(wanted), how != exactly && sent.Prefix(wanted):
		return nil
	case sent.Prefix(wanted), wanted.Prefix(sent):
		return wrongLength(dst, src)
	}
	if how == fitsBySize && reps.SameMemory(dst.arch, src.arch) {
		if src.size() > dst.size() {
			return wrongLength(dst, src)
		}
		return nil
	}
	item, _ := sent.Difference(wanted)
	return broken(ErrType, "P2P-MATCH-02", "item %d is sent as %v and received as %v; sent %s, received %s",
		item, sent.At(item), wanted.At(item), describe(src), describe(dst))
}

// matchPacked matches data of which one side is MPI_PACKED. Then only the number of bytes
// is compared.
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
