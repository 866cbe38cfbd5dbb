package types

import (
	"math"
	"reflect"
	"sort"
)

// A sigSize is a signature's tree with the bytes that each part takes under some sizes.
type sigSize struct {
	nd     *sigNode
	bytes  int64
	kid    *sigSize
	kids   []*sigSize
	starts []int64 // first byte of each kid, and bytes
}

type cachedSigSize struct {
	sizes Sizes
	size  *sigSize
}

// under returns the sizes of nd, computed once.
func (nd *sigNode) under(z Sizes) *sigSize {
	list := nd.sized.Load()
	if list != nil {
		for i := range *list {
			if (*list)[i].sizes == z {
				return (*list)[i].size
			}
		}
	}
	size := nd.measure(z, map[*sigNode]*sigSize{})
	if reflect.ValueOf(z).Comparable() {
		next := []cachedSigSize{{z, size}}
		if list != nil {
			next = append(next, (*list)[:min(len(*list), keep-1)]...)
		}
		nd.sized.CompareAndSwap(list, &next)
	}
	return size
}

// measure adds up bytes; sums that do not fit 64 bits become the greatest number.
func (nd *sigNode) measure(z Sizes, seen map[*sigNode]*sigSize) *sigSize {
	if s := seen[nd]; s != nil {
		return s
	}
	var c calc
	s := &sigSize{nd: nd}
	switch {
	case nd.kids != nil:
		for _, k := range nd.kids {
			kid := k.measure(z, seen)
			s.kids, s.starts = append(s.kids, kid), append(s.starts, s.bytes)
			s.bytes = c.add(s.bytes, kid.bytes)
		}
		s.starts = append(s.starts, s.bytes)
	case nd.kid != nil:
		s.kid = nd.kid.measure(z, seen)
		s.bytes = c.mul(s.kid.bytes, nd.len/nd.kid.len)
	default:
		s.bytes = c.mul(z.Sizeof(nd.atom.kind()), nd.len)
	}
	if c.over {
		s.bytes = math.MaxInt64
	}
	seen[nd] = s
	return s
}

// Size returns the bytes that the items take under z.
func (s Signature) Size(z Sizes) int64 {
	switch {
	case s.nd == nil:
		return 0
	case s.nd.isRun():
		return s.nd.len * z.Sizeof(s.nd.atom.kind())
	}
	return s.nd.under(z).bytes
}

// BytesBefore returns how many bytes the first item items of s, repeated without end, take
// under z.
func (s Signature) BytesBefore(item int64, z Sizes) int64 {
	switch {
	case s.nd == nil || item <= 0:
		return 0
	case s.nd.isRun():
		return item * z.Sizeof(s.nd.atom.kind())
	}
	t := s.nd.under(z)
	sum := item / s.nd.len * t.bytes
	for item %= s.nd.len; item > 0; {
		switch {
		case t.kids != nil:
			i := t.nd.find(item)
			sum, item, t = sum+t.starts[i], item-t.nd.starts[i], t.kids[i]
		case t.kid != nil:
			sum += item / t.kid.nd.len * t.kid.bytes
			item, t = item%t.kid.nd.len, t.kid
		default:
			return sum + item*(t.bytes/t.nd.len)
		}
	}
	return sum
}

// ItemsIn returns how many items of s, repeated without end, are complete in that many
// bytes under z, and whether no byte is left over.
func (s Signature) ItemsIn(bytes int64, z Sizes) (items int64, whole bool) {
	switch {
	case bytes <= 0:
		return 0, bytes == 0
	case s.nd == nil:
		return 0, false
	case s.nd.isRun():
		size := z.Sizeof(s.nd.atom.kind())
		return bytes / size, bytes%size == 0
	}
	t := s.nd.under(z)
	items = bytes / t.bytes * s.nd.len
	for bytes %= t.bytes; bytes > 0; {
		switch {
		case t.kids != nil:
			i := sort.Search(len(t.kids), func(i int) bool { return t.starts[i+1] > bytes })
			items, bytes, t = items+t.nd.starts[i], bytes-t.starts[i], t.kids[i]
		case t.kid != nil:
			items += bytes / t.kid.bytes * t.kid.nd.len
			bytes, t = bytes%t.kid.bytes, t.kid
		default:
			size := t.bytes / t.nd.len
			return items + bytes/size, bytes%size == 0
		}
	}
	return items, true
}
