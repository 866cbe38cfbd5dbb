package types

import (
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
)

// A Type is a datatype: an immutable recipe, built by the constructors of this
// package, that describes where data lie and what they are. Only together with
// [Sizes] does it become a typemap; see [Type.Layout]. Types may be used by any
// number of goroutines at once.
//
// A constructor that is given nonsense returns a Type that holds the error; so
// do all types built from that one, and every use reports it. See [Type.Err].
//
// There is no commit and no free: a type is ready when it exists, and the
// collector frees it. (DT-COMMIT-01, DT-FREE-01) What a library keeps with a type
// is no part of the recipe: see [Type.SetAttr].
type Type struct {
	recipe  recipe
	name    string
	err     *Error
	layouts atomic.Pointer[[]cached]
	sig     atomic.Pointer[Signature]
	attrs   atomic.Pointer[attributes] // nil until one is set
}

// A recipe is one constructor call: its arguments, and what follows from them.
type recipe interface {
	combiner() Combiner
	contents() Contents
	shape(l *layer) shape // l.over or a nil nest tell of failure
	signature() Signature
	write(p *printer)
	portable() bool
}

// build makes a type of r and finds overflow under [Host] at once; overflow
// that only other sizes bring is found by [Type.Layout].
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

// broken is a type that holds nothing but an error.
func broken(op string, class errclass.Class, rule, format string, args ...any) *Type {
	return &Type{recipe: basic{}, err: fault(op, class, rule, format, args...)}
}

// inherit returns the broken type to be returned by constructor op because of
// its argument t, or nil if t is sound.
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

// none reports a Type that no constructor made.
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

// Portable reports whether t's displacements scale to another representation
// (REP-DT-03): t is predefined or made of such by Contiguous, Vector, Indexed,
// IndexedBlock, Subarray, Dup and Darray alone.
func (t *Type) Portable() bool { return t.Err() == nil && t.recipe.portable() }

// Predefined reports whether t is a predefined datatype, parameterised Fortran
// and pair types among them.
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

// Kind returns the kind of a predefined datatype that is one basic item, and
// KindNone for any other.
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

// Name returns the name given by [Type.WithName]; predefined types are born
// with their name in the standard, others without.
//
// MPI_Type_get_name
func (t *Type) Name() string {
	if t == nil {
		return "MPI_DATATYPE_NULL"
	}
	return t.name
}

// WithName returns a type equal to t under another name. t itself, being
// immutable, keeps its own. Both share the attributes that t has.
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
