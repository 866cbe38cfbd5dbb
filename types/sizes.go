package types

// Sizes gives the size and alignment of every kind on one machine or in one file format.
// Sizes are at least 1; an alignment below 2 means none. Implementations must be comparable
// (a pointer, for instance): a type is laid out once for equal Sizes.
type Sizes interface {
	Sizeof(Kind) int64
	Alignof(Kind) int64
}

// Host is the default architecture: LP64 with natural alignments, up to 16 for
// long double (DT-DEF-08).
var Host Sizes = new(host)

// host is not of size zero, so that its pointers are distinct from all others.
type host struct{ _ byte }

func (*host) Sizeof(k Kind) int64  { return k.info().size }
func (*host) Alignof(k Kind) int64 { return k.info().align }

// WeakMarkers returns sizes like s under which the bounds set by [Resized], [Subarray] and
// [Darray] are [Weak]: a larger type extends as far as the farthest of those bounds and of
// the data that no such bound covers, with padding after both. [LB] and [UB] still override
// them. Without WeakMarkers, bounds are [Sticky], as in the standard. (DT-RESIZE-03)
func WeakMarkers(s Sizes) Sizes {
	if s == nil || MarkersOf(s) == Weak {
		return s
	}
	if f, ok := s.(forced); ok {
		return f.UnderMarkers(Weak)
	}
	return weak{s}
}

type weak struct{ Sizes }
