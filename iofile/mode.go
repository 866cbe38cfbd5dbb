package iofile

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Mode says how a file is opened. Modes are joined with |; their values are
// those of the standard's ABI.
type Mode uint32

// Access modes. Exactly one of ReadOnly, WriteOnly and ReadWrite is needed.
const (
	Append        Mode = 1   // MPI_MODE_APPEND: pointers start at the end of the file
	Create        Mode = 2   // MPI_MODE_CREATE: make the file if it does not exist
	DeleteOnClose Mode = 4   // MPI_MODE_DELETE_ON_CLOSE: delete the file when it is closed
	Excl          Mode = 8   // MPI_MODE_EXCL: with Create: the file must not exist
	ReadOnly      Mode = 16  // MPI_MODE_RDONLY: reading only
	ReadWrite     Mode = 32  // MPI_MODE_RDWR: reading and writing
	Sequential    Mode = 64  // MPI_MODE_SEQUENTIAL: a stream: shared file pointer only
	UniqueOpen    Mode = 128 // MPI_MODE_UNIQUE_OPEN: no other rank has the file open
	WriteOnly     Mode = 256 // MPI_MODE_WRONLY: writing only
)

var modeNames = []struct {
	bit  Mode
	name string
}{
	{Append, "append"},
	{Create, "create"},
	{DeleteOnClose, "delete_on_close"},
	{Excl, "excl"},
	{ReadOnly, "rdonly"},
	{ReadWrite, "rdwr"},
	{Sequential, "sequential"},
	{UniqueOpen, "unique_open"},
	{WriteOnly, "wronly"},
}

// String returns the names of the mode's bits: "create|rdwr".
func (m Mode) String() string {
	var names []string
	for _, n := range modeNames {
		if m&n.bit != 0 {
			names = append(names, n.name)
			m &^= n.bit
		}
	}
	if m != 0 || len(names) == 0 {
		names = append(names, fmt.Sprintf("%#x", uint32(m)))
	}
	return strings.Join(names, "|")
}

func (m Mode) has(b Mode) bool { return m&b != 0 }

// writes reports whether a handle of this mode may change the file.
func (m Mode) writes() bool { return m.has(WriteOnly | ReadWrite) }

// check returns an error for the first rule of access modes that m breaks.
func (m Mode) check() error {
	const known = Append | Create | DeleteOnClose | Excl | ReadOnly | ReadWrite | Sequential | UniqueOpen | WriteOnly
	switch {
	case m&^known != 0:
		return broken(ErrAmode, "IO-AMODE-11", "mode %v has unknown bits", m)
	case bits.OnesCount32(uint32(m&(ReadOnly|WriteOnly|ReadWrite))) != 1:
		return broken(ErrAmode, "IO-AMODE-01", "mode %v: give exactly one of ReadOnly, WriteOnly, ReadWrite", m)
	case m.has(ReadOnly) && m.has(Create|Excl):
		return broken(ErrAmode, "IO-AMODE-02", "mode %v: Create and Excl need WriteOnly or ReadWrite", m)
	case m.has(ReadWrite) && m.has(Sequential):
		return broken(ErrAmode, "IO-AMODE-03", "mode %v: a Sequential file is ReadOnly or WriteOnly", m)
	}
	return nil
}
