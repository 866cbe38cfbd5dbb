package c

import (
	"errors"

	"github.com/commworld/commworld/errclass"
)

// Codes of errors. The code of an error that a call returns is its class in the lowest
// classBits, and above them the number of a slot, where the rank keeps the error for
// MPI_Error_string. The slots leave out the codes below firstSlot<<classBits, among which are
// the classes and the errors of tools, and end below MPI_ERR_LASTCODE, above which programs
// add codes of their own.
const (
	classBits = 6
	firstSlot = 17
	lastSlot  = 16383>>classBits - 1
)

// codes has the errors of a rank that had a code last; it takes the slots in turn.
type codes struct {
	errs []error // by slot
	used map[string]int
	next int
}

// of returns the code of an error: the program's own, or one with the text of the error.
func (c *codes) of(err error) int {
	code := errclass.CodeOf(err)
	var e *errclass.Error
	if code <= 0 || code >= 1<<classBits || !errors.As(err, &e) || e.Err == nil {
		return code
	}
	if class := errclass.Class(code); class == errclass.InStatus || class == errclass.Pending {
		return code // the standard names these codes, not only their classes
	}
	text := sentence(err)
	slot, known := c.used[text]
	if !known {
		if c.used == nil {
			c.used = map[string]int{}
		}
		if slot = c.next; slot == len(c.errs) {
			c.errs = append(c.errs, nil)
		} else {
			delete(c.used, sentence(c.errs[slot]))
		}
		c.used[text] = slot
		c.next = (slot + 1) % (lastSlot - firstSlot + 1)
	}
	c.errs[slot] = err
	return (slot+firstSlot)<<classBits | code
}

// err returns the error that has a code, nil if none has.
func (c *codes) err(code int) error {
	slot := code>>classBits - firstSlot
	if !dynamic(code) || slot >= len(c.errs) || errclass.CodeOf(c.errs[slot]) != classOf(code) {
		return nil
	}
	return c.errs[slot]
}

// text returns the text of a code, empty if it is not one of a rank's errors.
func (c *codes) text(code int) string {
	err := c.err(code)
	if err == nil {
		return ""
	}
	return errclass.Class(classOf(code)).Name() + ": " + sentence(err)
}

// dynamic reports whether a code is one that [codes.of] makes.
func dynamic(code int) bool { return code >= firstSlot<<classBits && code>>classBits <= lastSlot }

// classOf returns the class of a code that [codes.of] has made, and other codes unchanged.
func classOf(code int) int {
	if dynamic(code) {
		return code & (1<<classBits - 1)
	}
	return code
}
