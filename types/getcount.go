package types

// CountIn returns how many copies of t have arrived with the given number of packed bytes
// laid out under s; ok is false, and the count [Undefined], if that is not a whole number
// of copies (DT-GETC-01).
//
// MPI_Get_count
func CountIn(bytes int64, t *Type, s Sizes) (n int64, ok bool) {
	size := t.Size(s)
	switch {
	case t.Err() != nil || bytes < 0:
		return Undefined, false
	case bytes == 0:
		return 0, true
	case size == 0 || bytes%size != 0:
		return Undefined, false
	}
	return bytes / size, true
}

// ElementsIn returns how many basic items of copies of t have arrived with the given number
// of packed bytes laid out under s; ok is false, and the number [Undefined], if an item is
// incomplete (DT-GETC-02).
//
// MPI_Get_elements
func ElementsIn(bytes int64, t *Type, s Sizes) (n int64, ok bool) {
	if t.Err() != nil || s == nil {
		return Undefined, false
	}
	n, whole := t.Signature().ItemsIn(bytes, s)
	if !whole {
		return Undefined, false
	}
	return n, true
}

// ElementBytes is the inverse of ElementsIn: it returns the packed bytes of the first n
// basic items of copies of t under s (DT-GETC-03).
//
// MPI_Status_set_elements
func ElementBytes(n int64, t *Type, s Sizes) int64 {
	return t.Signature().BytesBefore(n, s)
}
