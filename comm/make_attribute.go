package comm

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/commport"
	flt "github.com/commworld/commworld/internal/fault"
)

// A Keyval is a key under which a library keeps a value on communicators, with functions
// that run when the communicator is duplicated or freed.
//
// MPI_Comm_create_keyval
type Keyval struct {
	copy  CopyAttr
	del   DeleteAttr
	freed bool
}

// A CopyAttr is called on each rank when a communicator is duplicated that has
// an attribute. It returns the value of the duplicate, and whether it has the
// attribute at all. An error makes the duplication fail on all ranks.
//
// MPI_Comm_copy_attr_function
type CopyAttr func(old *Comm, k *Keyval, value any) (copied any, keep bool, err error)

// A DeleteAttr is called when an attribute is deleted, replaced, or its
// communicator freed. An error makes that call fail and keeps the attribute.
//
// MPI_Comm_delete_attr_function
type DeleteAttr func(c *Comm, k *Keyval, value any) error

// DupAttr is the CopyAttr that gives the duplicate the same value.
//
// MPI_COMM_DUP_FN
func DupAttr(_ *Comm, _ *Keyval, value any) (any, bool, error) { return value, true, nil }

// NewKeyval makes a key. A nil copy, like MPI_COMM_NULL_COPY_FN, gives duplicates no such
// attribute; a nil del, like MPI_COMM_NULL_DELETE_FN, does nothing. The functions run on the
// calling rank and may make calls themselves, but no collective ones, and none that would
// call them again; a panic is their error. (COMM-01)
//
// MPI_Comm_create_keyval
func NewKeyval(copy CopyAttr, del DeleteAttr) *Keyval { return &Keyval{copy: copy, del: del} }

// Free says that no communicator gets attributes of this key any more. Those
// that have one keep it and its functions. Errors: ErrKeyval. (COMM-01)
//
// MPI_Comm_free_keyval
func (k *Keyval) Free() error {
	if k == nil || k.freed {
		return flt.OfCall("comm", "Keyval.Free", "", ErrKeyval, "COMM-01", "the key is nil or has been freed")
	}
	k.freed = true
	return nil
}

// attribute is what a handle keeps under a key.
type attribute struct {
	key    *Keyval
	value  any
	ending bool // its delete function is running
}

func (x *extras) attr(k *Keyval) int {
	return slices.IndexFunc(x.attrs, func(a attribute) bool { return a.key == k })
}

// SetAttr keeps a value under a key. A value that the key already has is deleted first, as
// by [Comm.DeleteAttr]. Local. Errors: ErrComm, ErrKeyval for a nil or freed key or one
// whose delete function runs, and ErrOther if a delete function fails. (COMM-01)
//
// MPI_Comm_set_attr
func (c *Comm) SetAttr(k *Keyval, value any) error {
	const op = "SetAttr"
	if err := c.alive(op); err != nil {
		return err
	}
	if k == nil || k.freed {
		return c.fail(op, broken(ErrKeyval, "COMM-01", "the key is nil or has been freed"))
	}
	if err := c.forget(op, k); err != nil {
		return err
	}
	x := c.extras()
	if c == c.proc.self {
		c.proc.deleteAtEnd(c)
	}
	x.attrs = append(x.attrs, attribute{key: k, value: value})
	return nil
}

// Attr returns the value kept under a key; ok is false if there is none. Local.
// Errors: ErrComm, ErrKeyval for a nil key. (COMM-01)
//
// MPI_Comm_get_attr
func (c *Comm) Attr(k *Keyval) (value any, ok bool, err error) {
	const op = "Attr"
	if err := c.alive(op); err != nil {
		return nil, false, err
	}
	if k == nil {
		return nil, false, c.fail(op, broken(ErrKeyval, "COMM-01", "the key is nil"))
	}
	x := c.more()
	if at := x.attr(k); at >= 0 {
		return x.attrs[at].value, true, nil
	}
	return nil, false, nil
}

// DeleteAttr deletes the value kept under a key, after its delete function has been called.
// Local. Errors: ErrComm, ErrKeyval for a nil key or one without value, and ErrOther if the
// delete function fails, which keeps the value. (COMM-01)
//
// MPI_Comm_delete_attr
func (c *Comm) DeleteAttr(k *Keyval) error {
	const op = "DeleteAttr"
	if err := c.alive(op); err != nil {
		return err
	}
	if k == nil || c.more().attr(k) < 0 {
		return c.fail(op, broken(ErrKeyval, "COMM-01", "%s has no attribute of that key", c.label()))
	}
	return c.forget(op, k)
}

// forget deletes the attribute of k, if there is one.
func (c *Comm) forget(op string, k *Keyval) error {
	x := c.more()
	at := x.attr(k)
	if at < 0 {
		return nil
	}
	if x.attrs[at].ending {
		return c.fail(op, broken(ErrKeyval, "COMM-01", "the delete function of this attribute is running; it cannot set or delete the attribute, nor free %s", c.label()))
	}
	if k.del != nil {
		x.attrs[at].ending = true
		err := k.runDelete(c, x.attrs[at].value)
		at = x.attr(k) // the function may have changed the list
		x.attrs[at].ending = false
		if err != nil {
			return c.fail(op, broken(ErrOther, "COMM-01", "the delete function of an attribute: %w", err))
		}
	}
	x.attrs = slices.Delete(x.attrs, at, at+1)
	return nil
}

// runDelete calls the delete function and returns its error.
func (k *Keyval) runDelete(c *Comm, value any) (err error) {
	defer caught(&err)
	return k.del(c, k, value)
}

// runCopy calls the copy function and returns its results.
func (k *Keyval) runCopy(c *Comm, value any) (copied any, keep bool, err error) {
	defer caught(&err)
	return k.copy(c, k, value)
}

// caught turns a panic in a function of the program into an error. The caller of that
// function defers it.
func caught(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("it panicked: %v", v)
	}
}

// forgetAll deletes all attributes, the last one first. It ignores attributes that a delete
// function sets meanwhile, because there could always be one more.
func (c *Comm) forgetAll(op string) error {
	for _, a := range slices.Backward(slices.Clone(c.more().attrs)) {
		if err := c.forget(op, a.key); err != nil {
			return err
		}
	}
	return nil
}

// copyAttrs returns the attributes of a duplicate of c. A copy function must not duplicate
// the communicator: it would be called for that duplicate, too, and so on.
func (c *Comm) copyAttrs() (attrs []attribute, f *fault) {
	x := c.extras()
	if x.copying {
		return nil, broken(ErrOther, "COMM-01", "called by the copy function of an attribute of %s, which must not duplicate it", c.label())
	}
	x.copying = true
	defer func() { x.copying = false }()
	for _, a := range slices.Clone(c.more().attrs) {
		if a.key.copy == nil {
			continue
		}
		v, keep, err := a.key.runCopy(c, a.value)
		if err != nil {
			return nil, broken(ErrOther, "COMM-01", "the copy function of an attribute: %w", err)
		}
		if keep {
			attrs = append(attrs, attribute{key: a.key, value: v})
		}
	}
	return attrs, nil
}

// deleteAtEnd deletes the attributes of COMM_SELF when the world ends, before anything else
// is released: the standard gives libraries this hook.
func (p *process) deleteAtEnd(self *Comm) {
	if p.endHookSet {
		return
	}
	p.endHookSet = true
	p.open.AddFirst(commport.EndFunc(func() error { return self.forgetAll("End") }))
}
