package types

// Overlaps reports whether some byte belongs to two items of one copy.
func (l *Layout) Overlaps() bool {
	sh := &l.shape
	switch {
	case sh.size == 0 || sh.apart:
		return false
	case sh.rising:
		return true // some item begins before the one ahead of it ends
	}
	return sh.size > sh.data.hi-sh.data.lo
}
