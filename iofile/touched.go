package iofile

import "strings"

// The memory of an access under way belongs to the access. A world that checks buffers
// finds a program that writes into it at two times: before the bytes move, in which case
// they do not move, and when the access is completed.

// touched returns an error if the program wrote into the memory of an access under way.
// (IO-DA-12)
func (a *access) touched() error {
	if a.guard == nil || a.guard.Intact() {
		return nil
	}
	where := "" // without the line of the call
	if strings.HasSuffix(a.op, "End") {
		where = " at " + a.guard.Place().String()
	}
	return broken(ErrBuffer, "IO-DA-12", "the program wrote into the buffer that it gave away%s, while the access was under way; it is the program's again when the access is complete",
		where)
}

// rewatch makes the present content of the memory, after the bytes have moved, the expected
// one. The program may read it when it has completed the access.
func (a *access) rewatch() {
	if a.guard != nil {
		a.guard.Conceal()
	}
}
