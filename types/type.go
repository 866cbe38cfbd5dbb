package types

import (
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
)

// A Type is a datatype: an immutable recipe, built by the constructors of this package,
// that describes where data are and what they are. Together with [Sizes] it becomes a
// typemap; see [Type.Layout]. Any number of goroutines may use a type at once.
//
// A constructor with wrong arguments returns a Type that holds the error; so do all types
// built from that one, and every use reports it. See [Type.Err].
//
// There is no commit and no free: a type is ready when it exists, and the garbage collector
// frees it. (DT-COMMIT-01, DT-FREE-01) Attributes that a library keeps on a type are not
// part of the recipe: see [Type.SetAttr].
type Type struct {
	recipe  recipe
	name    string
	err     *Error
	layouts atomic.Pointer[[]cached]
	sig     atomic.Pointer[Signature]
	attrs   atomic.Pointer[attributes] // nil until one is set
}

// A recipe is one constructor call: its arguments, and the properties that follow from
// them.
type recipe interface {
	combiner() Combiner
	contents() Contents
	shape(l *layer) shape // l.over or a nil nest reports failure
	signature() Signature
	write(p *printer)
	portable() bool
}

// build returns a type of r. It finds overflow under [Host] at once; overflow under other
// sizes is found by [Type.Layout].
func build(r recipe) *Type {
	t := &Type{recipe: r}
	switch l, err := t.Layout(Host); {
	case err != nil:
		t.err = err.(*Error)
	case l.depth > deepest:
		t.err = fault(r.combiner().goName(), ErrArg, "", "datatypes are nested more than %d deep", deepest)
	}
	return t
}

// broken returns a type that holds an error.
func broken(op string, class errclass.Class, rule, format string, args ...any) *Type {
	return &Type{recipe: basic{}, err: fault(op, class, rule, format, args...)}
}

// inherit returns the broken type that constructor op returns because of its argument t, or
// nil if t is not broken.
func inherit(op string, t *Type) *Type {
	switch {
	case t.none():
		return broken(op, ErrType, "DT-ARG-01", "the old datatype is nil")
	case t.err != nil:
		return &Type{recipe: basic{}, err: t.err}
	case t.isMarker():
		return broken(op, ErrType, "DT-RESIZE-04", "%s may stand inside struct only", t)
	}
	return nil
}

func (t *Type) isMarker() bool {
	_, ok := t.recipe.(marker)
	return ok
}

// none reports whether no constructor made t.
func (t *Type) none() bool { return t == nil || t.recipe == nil }

// Err returns the first error made in building t, or nil. A nil or zero Type is
// an error of class [ErrType].
func (t *Type) Err() error {
	switch {
	case t.none():
		return fault("Type", ErrType, "DT-ARG-01", "the datatype is nil")
	case t.err != nil:
		return t.err
	case t.isMarker():
		return fault("Type", ErrType, "DT-RESIZE-04", "%s may stand inside struct only", t)
	}
	return nil
}

// Portable reports whether t's displacements scale to another representation (REP-DT-03): t
// is predefined, or made from such types by Contiguous, Vector, Indexed, IndexedBlock,
// Subarray, Dup and Darray only.
func (t *Type) Portable() bool { return t.Err() == nil && t.recipe.portable() }

// Predefined reports whether t is a predefined datatype, including parameterised Fortran
// types and pair types.
func (t *Type) Predefined() bool {
	if t.Err() != nil {
		return false
	}
	switch t.recipe.(type) {
	case basic, pair, f90:
		return true
	}
	return false
}

// Kind returns the kind of a predefined datatype that is one basic item, and KindNone for
// any other.
func (t *Type) Kind() Kind {
	if t == nil {
		return KindNone
	}
	switch r := t.recipe.(type) {
	case basic:
		return r.kind
	case f90:
		return r.kind
	}
	return KindNone
}

// Name returns the name given by [Type.WithName]. A predefined type begins with its name in
// the standard, other types without one.
//
// MPI_Type_get_name
func (t *Type) Name() string {
	if t == nil {
		return "MPI_DATATYPE_NULL"
	}
	return t.name
}

// WithName returns a type equal to t with another name. t itself is immutable and keeps its
// own. Both share the attributes of t.
//
// MPI_Type_set_name
func (t *Type) WithName(name string) *Type {
	if t.none() {
		return broken("WithName", ErrType, "DT-NAME-01", "the datatype is nil")
	}
	n := &Type{recipe: t.recipe, name: name, err: t.err}
	n.layouts.Store(t.layouts.Load())
	n.sig.Store(t.sig.Load())
	n.attrs.Store(t.attrs.Load())
	return n
}

// Signature returns the kinds of t's items in typemap order. A type that holds
// an error has an empty signature.
func (t *Type) Signature() Signature {
	if t.none() || t.err != nil {
		return Signature{}
	}
	if s := t.sig.Load(); s != nil {
		return *s
	}
	s := t.recipe.signature()
	t.sig.Store(&s)
	return s
}
