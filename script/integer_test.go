package script

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/types"
)

// Integers have the values of exact arithmetic, at every edge of every size.
func TestIntegersAreExact(t *testing.T) {
	for k := types.Kind(1); k.Valid(); k++ {
		switch k.Family() {
		case types.FamilySigned, types.FamilyUnsigned:
		default:
			if k != types.KindChar {
				continue
			}
		}
		for _, size := range []int64{1, 2, 4, 8, 16} {
			for _, shift := range []uint{0, 1, 6, 7, 8, 15, 16, 31, 32, 63, 64, 65, 127, 128, 129, 400} {
				for d := int64(-2); d <= 2; d++ {
					n := new(big.Int).Lsh(big.NewInt(1), shift)
					n.Add(n, big.NewInt(d))
					for range 2 {
						n.Neg(n)
						want := integerByBig(n, k.Family(), size)
						got, err := integer(nil, n.String(), k, size)
						if assert.Equal(t, want == nil, err != nil, "%v as %v of %d bytes: %v", n, k, size, err) {
							assert.Equal(t, want, got, "%v as %v of %d bytes", n, k, size)
						}
					}
				}
			}
		}
	}
	for _, text := range []string{"", "-", "+", "--1", "1_0", "0x1", " 1", "1e3", "9223372036854775808x"} {
		_, err := integer(nil, text, types.KindInt32, 4)
		assert.ErrorContains(t, err, "is not a value of type", "%q", text)
	}
}

// integerByBig returns the bytes of n in the order of the host, or nil if it does not fit.
func integerByBig(n *big.Int, family types.Family, size int64) []byte {
	lo, hi := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(8*size))
	if family != types.FamilyUnsigned {
		lo.Rsh(new(big.Int).Neg(hi), 1)
		if family == types.FamilySigned {
			hi.Rsh(hi, 1)
		}
	}
	if n.Cmp(lo) < 0 || n.Cmp(hi) >= 0 {
		return nil
	}
	var all []byte
	for _, b := range new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*size)), big.NewInt(1))).FillBytes(make([]byte, size)) {
		all = append([]byte{b}, all...)
	}
	return all
}

// A buffer has the span of exact arithmetic, for any bounds and extent.
func TestSpansAreExact(t *testing.T) {
	edges := []int64{-1 << 62, -MaxBuffer - 1, -MaxBuffer, -9, -1, 0, 1, 9, MaxBuffer, MaxBuffer + 1, 1 << 62}
	for _, lb := range edges {
		for _, ub := range edges {
			if ub <= lb {
				continue
			}
			for _, extent := range edges {
				for _, count := range []int64{1, 2, 3, 1 << 20, 1 << 62} {
					l := &types.Layout{Size: 1, TrueLB: lb, TrueUB: ub, Extent: extent}
					size, origin, err := span(l, count)
					wantSize, wantOrigin, fits := spanByBig(l, count)
					if assert.Equal(t, fits && count <= MaxBuffer, err == nil, "%+v * %d: %v", l, count, err) && err == nil {
						assert.Equal(t, []int64{wantSize, wantOrigin}, []int64{size, origin}, "%+v * %d", l, count)
					}
				}
			}
		}
	}
}

func spanByBig(l *types.Layout, count int64) (size, origin int64, fits bool) {
	last := new(big.Int).Mul(big.NewInt(l.Extent), big.NewInt(count-1))
	lo, hi := big.NewInt(min(l.TrueLB, 0)), big.NewInt(l.TrueUB)
	if last.Sign() < 0 {
		lo.Add(last, big.NewInt(l.TrueLB))
	} else {
		hi.Add(hi, last)
	}
	total := new(big.Int).Sub(hi, lo)
	return total.Int64(), -min(lo.Int64(), 0), total.Cmp(big.NewInt(MaxBuffer)) <= 0
}
