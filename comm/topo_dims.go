package comm

import (
	"math"
	"slices"

	"github.com/commworld/commworld/errclass"
	flt "github.com/commworld/commworld/internal/fault"
)

// DimsCreate cuts n ranks into a grid that is as even as possible. Each 0 of dims is
// replaced; other values stay. The result has the smallest possible difference between the
// largest and the smallest of the new values and, among equally good results, the smallest
// values in front. The new values do not increase. dims itself is not changed. Local; it
// needs no communicator. Errors: ErrArg for n below 1 or beyond 2^31-1, ErrDims for negative
// values, and when n ranks cannot be cut around the values given. (TOPO-01)
//
// MPI_Dims_create
func DimsCreate(n int, dims []int) ([]int, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, dimsError(errclass.Arg, "%d ranks; 1 to %d are allowed", n, math.MaxInt32)
	}
	free, rest := 0, n
	for i, d := range dims {
		switch {
		case d < 0:
			return nil, dimsError(errclass.Dims, "dimension %d is %d; 0 lets it be chosen", i, d)
		case d == 0:
			free++
		case rest%d != 0:
			return nil, dimsError(errclass.Dims, "%d ranks cannot be cut by the given dimensions %v", n, dims)
		default:
			rest /= d
		}
	}
	if free == 0 && rest != 1 {
		return nil, dimsError(errclass.Dims, "%d ranks do not make a grid of %v, and no dimension is 0", n, dims)
	}
	chosen := balance(rest, free)
	out := slices.Clone(dims)
	for i, d := range out {
		if d == 0 {
			out[i], chosen = chosen[0], chosen[1:]
		}
	}
	return out, nil
}

// balance writes n as a product of k factors that do not increase.
func balance(n, k int) []int {
	if k == 0 {
		return nil
	}
	b := balancing{divisors: divisors(n), spread: n, now: make([]int, 0, k)}
	b.dead = map[deadEnd]bool{}
	b.extend(n, k, n)
	return b.best
}

// balancing searches for the best factors. It tries them in increasing order, so that of
// equally good solutions the one with the smallest values in front comes first, and skips
// all that cannot beat the best one so far.
type balancing struct {
	divisors []int
	now      []int // chosen so far, not increasing
	best     []int
	spread   int // largest difference in best; n is worse than any
	dead     map[deadEnd]bool
}

// A deadEnd is a product that cannot be written with that many factors between two bounds.
type deadEnd struct{ product, slots, least, most int }

// extend writes product as slots more factors, none greater than most, and reports whether
// that is possible.
func (b *balancing) extend(product, slots, most int) (could bool) {
	if slots == 0 {
		if product != 1 {
			return false
		}
		b.best = slices.Clone(b.now)
		b.spread = b.now[0] - b.now[len(b.now)-1]
		return true
	}
	least := 1
	if len(b.now) > 0 {
		least = max(least, b.now[0]-b.spread+1)
	}
	end := deadEnd{product, slots, least, most}
	if b.dead[end] {
		return false
	}
	from, _ := slices.BinarySearch(b.divisors, least)
	for _, d := range b.divisors[from:] {
		if d > most {
			break
		}
		// Factors of d and less may be too small to make the product.
		if product%d != 0 || !exceeds(d, slots, product-1) {
			continue
		}
		if len(b.now) == 0 && d-root(product, slots) >= b.spread {
			break // the smallest factor is at most the root
		}
		b.now = append(b.now, d)
		if b.extend(product/d, slots-1, d) {
			could = true
		}
		b.now = b.now[:len(b.now)-1]
	}
	if !could {
		b.dead[end] = true
	}
	return could
}

// exceeds reports whether d to the power of k is more than limit.
func exceeds(d, k, limit int) bool {
	p := 1
	for range k {
		if p > limit/d {
			return true
		}
		p *= d
	}
	return p > limit
}

// root returns the greatest number whose k-th power is at most n.
func root(n, k int) int {
	r := int(math.Pow(float64(n), 1/float64(k))) + 1 // not too small
	for r > 1 && exceeds(r, k, n) {
		r--
	}
	return r
}

// divisors lists the divisors of n in increasing order.
func divisors(n int) (ds []int) {
	for d := 1; d <= n/d; d++ {
		if n%d == 0 {
			ds = append(ds, d)
			if d != n/d {
				ds = append(ds, n/d)
			}
		}
	}
	slices.Sort(ds)
	return ds
}

func dimsError(class errclass.Class, format string, args ...any) error {
	return flt.OfCall("comm", "DimsCreate", "", class, "TOPO-01", format, args...)
}
