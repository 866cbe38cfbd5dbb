package types

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// A Keyval is a key under which a library keeps a value on datatypes, with functions that
// run when the datatype is duplicated and when the value is deleted. The Keyval of
// communicators is another type, comm.Keyval. (DT-ATTR-01)
//
// MPI_Type_create_keyval
type Keyval struct {
	copy CopyAttr
	del  DeleteAttr

	mu    sync.Mutex
	freed bool
}

// A CopyAttr is called by [Dup] for each attribute of a datatype. It returns the value for
// the duplicate, and whether the duplicate has the attribute at all. If it returns an
// error, the duplicate holds that error.
//
// MPI_Type_copy_attr_function
type CopyAttr func(old *Type, k *Keyval, value any) (copied any, keep bool, err error)

// A DeleteAttr is called when an attribute is deleted or replaced. An error makes
// that call fail and keeps the attribute.
//
// MPI_Type_delete_attr_function
type DeleteAttr func(t *Type, k *Keyval, value any) error

// DupAttr is the CopyAttr that gives the duplicate the same value.
//
// MPI_TYPE_DUP_FN
func DupAttr(_ *Type, _ *Keyval, value any) (any, bool, error) { return value, true, nil }

// NewKeyval makes a key. A nil copy gives duplicates no such attribute, as
// MPI_TYPE_NULL_COPY_FN; a nil del does nothing, as MPI_TYPE_NULL_DELETE_FN. The
// functions run in the goroutine of the call; a panic is their error. (DT-ATTR-01)
//
// MPI_Type_create_keyval
func NewKeyval(copy CopyAttr, del DeleteAttr) *Keyval { return &Keyval{copy: copy, del: del} }

// Free ends the use of the key: no datatype can get an attribute of this key any more.
// Existing attributes stay, with their functions. Errors: ErrKeyval. (DT-ATTR-01)
//
// MPI_Type_free_keyval
func (k *Keyval) Free() error {
	if k != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
	}
	if k == nil || k.freed {
		return fault("Keyval.Free", ErrKeyval, "DT-ATTR-01", "the key is nil or has been freed")
	}
	k.freed = true
	return nil
}

// usable reports whether k can still be used for new attributes.
func (k *Keyval) usable() bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.freed
}

// attributes are the attributes of one datatype. Functions of the program are called
// without the lock.
type attributes struct {
	mu      sync.Mutex
	list    []attribute
	copying atomic.Int32 // calls of Dup that are running copy functions
}

type attribute struct {
	key    *Keyval
	value  any
	ending bool // its delete function is running
}

func (as *attributes) find(k *Keyval) int {
	return slices.IndexFunc(as.list, func(a attribute) bool { return a.key == k })
}

// all returns a copy of the present attributes.
func (as *attributes) all() []attribute {
	if as == nil {
		return nil
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	return slices.Clone(as.list)
}

// SetAttr stores a value under a key. A previous value is deleted first, as by
// [Type.DeleteAttr]. The value belongs to this *Type: ranks that share a datatype, because
// it was made before they started, share its attributes, and a datatype made by another
// call of the same constructor has none. [Dup] makes a datatype with its own attributes,
// from the copy functions; [Type.WithName] returns one that shares the attributes of t.
// Attributes do not matter for layouts, matching and [Type.Equal]. Predefined datatypes
// belong to all programs of the process and accept no attributes; duplicate one. Any number
// of goroutines may call this at once. Errors: ErrType for a nil, broken or predefined
// datatype, ErrKeyval for a nil or freed key or one whose delete function is running,
// ErrOther for the error of a delete function. (DT-ATTR-01)
//
// MPI_Type_set_attr
func (t *Type) SetAttr(k *Keyval, value any) error {
	const op = "SetAttr"
	if err := t.attributed(op, k); err != nil {
		return err
	}
	switch {
	case t.Predefined():
		return fault(op, ErrType, "DT-ATTR-01", "%v is predefined and belongs to all programs of the process; set attributes of types.Dup(%#v)", t, t)
	case !k.usable():
		return fault(op, ErrKeyval, "DT-ATTR-01", "the key has been freed")
	}
	as := t.attrs.Load()
	if as == nil {
		t.attrs.CompareAndSwap(nil, new(attributes))
		as = t.attrs.Load()
	}
	for {
		as.mu.Lock()
		if as.find(k) < 0 {
			as.list = append(as.list, attribute{key: k, value: value})
			as.mu.Unlock()
			return nil
		}
		as.mu.Unlock()
		if _, err := t.forget(op, k); err != nil {
			return err
		}
	}
}

// Attr returns the value kept under a key; ok is false if there is none. Errors:
// ErrType for a nil or broken datatype, ErrKeyval for a nil key. (DT-ATTR-01)
//
// MPI_Type_get_attr
func (t *Type) Attr(k *Keyval) (value any, ok bool, err error) {
	if err := t.attributed("Attr", k); err != nil {
		return nil, false, err
	}
	if as := t.attrs.Load(); as != nil {
		as.mu.Lock()
		defer as.mu.Unlock()
		if at := as.find(k); at >= 0 {
			return as.list[at].value, true, nil
		}
	}
	return nil, false, nil
}

// DeleteAttr deletes the value kept under a key, after its delete function has
// been called. Errors: ErrType for a nil or broken datatype, ErrKeyval for a nil
// key, one without value, or one whose delete function runs, ErrOther for the error
// of the delete function, which keeps the value. (DT-ATTR-01)
//
// MPI_Type_delete_attr
func (t *Type) DeleteAttr(k *Keyval) error {
	const op = "DeleteAttr"
	if err := t.attributed(op, k); err != nil {
		return err
	}
	found, err := t.forget(op, k)
	if err == nil && !found {
		err = fault(op, ErrKeyval, "DT-ATTR-01", "%v has no attribute of that key", t)
	}
	return err
}

// DeleteAttrs deletes all attributes, the last one first, and stops at the first error. It
// is the part of MPI_Type_free that datatypes need here, because they are garbage
// collected. The collector calls no delete functions: it is not known when, and on which
// rank, that would happen. Errors: as DeleteAttr. (DT-ATTR-01, DT-FREE-01)
//
// MPI_Type_free
func (t *Type) DeleteAttrs() error {
	const op = "DeleteAttrs"
	if t.none() {
		return fault(op, ErrType, "DT-ATTR-01", "the datatype is nil")
	}
	for _, a := range slices.Backward(t.attrs.Load().all()) {
		if _, err := t.forget(op, a.key); err != nil {
			return err
		}
	}
	return nil
}

// attributed checks the arguments of a call about attributes.
func (t *Type) attributed(op string, k *Keyval) error {
	switch {
	case t.none():
		return fault(op, ErrType, "DT-ATTR-01", "the datatype is nil")
	case t.Err() != nil:
		return t.Err()
	case k == nil:
		return fault(op, ErrKeyval, "DT-ATTR-01", "the key is nil")
	}
	return nil
}

// forget deletes the attribute of k; found reports whether there was one.
func (t *Type) forget(op string, k *Keyval) (found bool, err error) {
	as := t.attrs.Load()
	if as == nil {
		return false, nil
	}
	as.mu.Lock()
	at := as.find(k)
	if at < 0 {
		as.mu.Unlock()
		return false, nil
	}
	a := as.list[at]
	if a.ending {
		as.mu.Unlock()
		return true, fault(op, ErrKeyval, "DT-ATTR-01", "the delete function of this attribute is running; nothing else can set or delete the attribute meanwhile")
	}
	as.list[at].ending = true
	as.mu.Unlock()
	if k.del != nil {
		err = k.runDelete(t, a.value)
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	at = as.find(k) // the function may have changed the list
	if err != nil {
		as.list[at].ending = false
		return true, fault(op, ErrOther, "DT-ATTR-01", "the delete function of an attribute: %w", err)
	}
	as.list = slices.Delete(as.list, at, at+1)
	return true, nil
}

// runDelete calls the delete function and returns its error.
func (k *Keyval) runDelete(t *Type, value any) (err error) {
	defer caught(&err)
	return k.del(t, k, value)
}

// runCopy calls the copy function and returns its results.
func (k *Keyval) runCopy(t *Type, value any) (copied any, keep bool, err error) {
	defer caught(&err)
	return k.copy(t, k, value)
}

// caught makes a panic of a function of the program its error. It is deferred by the caller
// of that function.
func caught(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("it panicked: %v", v)
	}
}

// copyAttrs gives d the attributes of a duplicate of t, and returns d. If a copy function
// duplicates the same datatype, that is an error: it would be called for that duplicate,
// too, and so on.
func (t *Type) copyAttrs(d *Type) *Type {
	as := t.attrs.Load()
	if as == nil {
		return d
	}
	const most = 1000
	if as.copying.Add(1) > most {
		as.copying.Add(-1)
		return broken("Dup", ErrOther, "DT-ATTR-01", "%d duplications of %v are under way: the copy function of an attribute duplicates it again", most, t)
	}
	defer as.copying.Add(-1)
	for _, a := range as.all() {
		if a.key.copy == nil {
			continue
		}
		v, keep, err := a.key.runCopy(t, a.value)
		switch {
		case err != nil:
			return broken("Dup", ErrOther, "DT-ATTR-01", "the copy function of an attribute: %w", err)
		case keep:
			if d.attrs.Load() == nil {
				d.attrs.Store(new(attributes))
			}
			own := d.attrs.Load()
			own.list = append(own.list, attribute{key: a.key, value: v})
		}
	}
	return d
}
