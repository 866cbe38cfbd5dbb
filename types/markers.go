package types

// Markers say how strong the bounds are that [Resized], [Subarray] and [Darray] set, in the
// types made from theirs. Markers set by [LB] and [UB] are strong under both. (DT-RESIZE-02,
// DT-RESIZE-03)
type Markers uint8

const (
	// Sticky bounds are those of the standard: data cannot push beyond them, only an outer
	// Resized or a marker further out changes them.
	Sticky Markers = iota

	// Weak bounds are those of the proposal before it, and of MPICH: they have the force of
	// data that end there, with the alignment of the data that they bound. In a larger type
	// the outermost of bounds and data counts, and the type is padded after it. [LB] and [UB]
	// override them, and stay strong; in MPICH they are as weak as bounds of Resized once they
	// are inside a type, so that there data push beyond them.
	Weak
)

// String returns the name of m: sticky or weak.
func (m Markers) String() string {
	switch m {
	case Sticky:
		return "sticky"
	case Weak:
		return "weak"
	}
	return "?"
}

// ParseMarkers returns the markers of a name: sticky or weak. Errors: ErrArg.
func ParseMarkers(name string) (Markers, error) {
	for m := Sticky; m <= Weak; m++ {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fault("ParseMarkers", ErrArg, "DT-RESIZE-03", "no markers %.40q; use sticky or weak", name)
}

// Under returns sizes like s under which bounds have the force m.
func (m Markers) Under(s Sizes) Sizes {
	switch {
	case s == nil || MarkersOf(s) == m:
		return s
	case m == Weak:
		return WeakMarkers(s)
	}
	if w, ok := s.(weak); ok {
		return w.Sizes
	}
	return s.(forced).UnderMarkers(m)
}

// forced is implemented by sizes that have a twin for other markers, such as those of a
// machine: then equal machines have equal sizes.
type forced interface {
	Markers() Markers
	UnderMarkers(m Markers) Sizes
}

// MarkersOf returns the force of bounds under s.
func MarkersOf(s Sizes) Markers {
	switch x := s.(type) {
	case weak:
		return Weak
	case forced:
		return x.Markers()
	}
	return Sticky
}
