package types

// contiguous is n copies that follow each other.
type contiguous struct {
	n    int64
	elem *Type
}

// Contiguous returns n copies of t; each begins one extent after the previous one
// (DT-CONTIG-01).
//
// MPI_Type_contiguous
func Contiguous(n int64, t *Type) *Type {
	if bad := inherit("Contiguous", t); bad != nil {
		return bad
	}
	if n < 0 {
		return broken("Contiguous", ErrCount, "DT-ARG-01", "count %d is negative", n)
	}
	return build(contiguous{n, t})
}

func (contiguous) combiner() Combiner { return CombinerContiguous }
func (c contiguous) contents() Contents {
	return Contents{Integers: []int64{c.n}, Types: []*Type{c.elem}}
}
func (c contiguous) portable() bool       { return c.elem.Portable() }
func (c contiguous) signature() Signature { return c.elem.Signature().Repeat(c.n) }
func (c contiguous) shape(l *layer) shape {
	s := l.of(c.elem)
	return l.repeat(s, c.n, l.extent(&s))
}

// A vector is count blocks of blocklen copies; stride is in extents, or in bytes if
// inBytes.
type vector struct {
	count, blocklen, stride int64
	inBytes                 bool
	elem                    *Type
}

// Vector returns count blocks of blocklen copies of t; block i begins i*stride
// extents of t from the first. The stride may be zero or negative (DT-VEC-01).
//
// MPI_Type_vector
func Vector(count, blocklen, stride int64, t *Type) *Type {
	return newVector("Vector", vector{count, blocklen, stride, false, t})
}

// HVector is Vector with the stride in bytes (DT-HVEC-01).
//
// MPI_Type_create_hvector
func HVector(count, blocklen, strideBytes int64, t *Type) *Type {
	return newVector("HVector", vector{count, blocklen, strideBytes, true, t})
}

func newVector(op string, v vector) *Type {
	if bad := inherit(op, v.elem); bad != nil {
		return bad
	}
	switch {
	case v.count < 0:
		return broken(op, ErrCount, "DT-ARG-01", "count %d is negative", v.count)
	case v.blocklen < 0:
		return broken(op, ErrArg, "DT-ARG-01", "block length %d is negative", v.blocklen)
	}
	return build(v)
}

func (v vector) combiner() Combiner {
	if v.inBytes {
		return CombinerHVector
	}
	return CombinerVector
}

func (v vector) contents() Contents {
	c := Contents{Integers: []int64{v.count, v.blocklen}, Types: []*Type{v.elem}}
	if v.inBytes {
		c.Addresses = []int64{v.stride}
	} else {
		c.Integers = append(c.Integers, v.stride)
	}
	return c
}

func (v vector) portable() bool { return !v.inBytes && v.elem.Portable() }

func (v vector) signature() Signature {
	return v.elem.Signature().Repeat(v.blocklen).Repeat(v.count)
}

func (v vector) shape(l *layer) shape {
	s := l.of(v.elem)
	ex := l.extent(&s)
	stride := v.stride
	if !v.inBytes && v.count > 1 {
		stride = l.mul(stride, ex)
	}
	return l.repeat(l.repeat(s, v.blocklen, ex), v.count, stride)
}

// A dup is the old type again.
type dup struct{ elem *Type }

// Dup returns a type with t's typemap, and the attributes that copy functions return, see
// [Type.SetAttr]; if one of those fails, the type holds the error (DT-DUP-01, DT-ATTR-01).
//
// MPI_Type_dup
func Dup(t *Type) *Type {
	if bad := inherit("Dup", t); bad != nil {
		return bad
	}
	return t.copyAttrs(build(dup{t}))
}

func (dup) combiner() Combiner     { return CombinerDup }
func (d dup) contents() Contents   { return Contents{Types: []*Type{d.elem}} }
func (d dup) portable() bool       { return d.elem.Portable() }
func (d dup) signature() Signature { return d.elem.Signature() }
func (d dup) shape(l *layer) shape { return l.of(d.elem) }

// A resized is the old type with other bounds.
type resized struct {
	lb, extent int64
	elem       *Type
}

// Resized returns t without its markers and with new ones, in bytes, at lb and lb+extent.
// The extent may be zero or negative. The new bounds are markers like any other: they also
// bound every type made from this one, unless laid out under [WeakMarkers]. (DT-RESIZE-01,
// DT-RESIZE-02, DT-ARG-03)
//
// MPI_Type_create_resized
func Resized(t *Type, lb, extent int64) *Type {
	if bad := inherit("Resized", t); bad != nil {
		return bad
	}
	return build(resized{lb, extent, t})
}

func (resized) combiner() Combiner { return CombinerResized }
func (r resized) contents() Contents {
	return Contents{Addresses: []int64{r.lb, r.extent}, Types: []*Type{r.elem}}
}
func (resized) portable() bool         { return false }
func (r resized) signature() Signature { return r.elem.Signature() }
func (r resized) shape(l *layer) shape {
	return l.bound(l.of(r.elem), r.lb, l.add(r.lb, r.extent))
}
