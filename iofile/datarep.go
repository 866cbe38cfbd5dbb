package iofile

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// RegisterDatarep adds a data representation of the user's own to those that the calling
// rank can name in a [View]. Local; all ranks that share a file register it. It cannot be
// removed. Errors: ErrDupDatarep for a name that exists, ErrArg for a name that is empty or
// longer than [reps.MaxName] and for a nil extent function, ErrComm. On an engine the
// library registers it, too, and its error is returned: no known library accepts conversion
// functions. (REP-USR-01, REP-USR-02)
//
// MPI_Register_datarep
func RegisterDatarep(c *comm.Comm, name string, conv reps.Conversion) error {
	const op = "RegisterDatarep"
	if c == nil || port.Thread(c) == nil {
		return report(op, errclass.NoRank, brief.Name(name), broken(ErrComm, "REP-USR-01", "the communicator is nil"))
	}
	register := port.Reps(c).Register
	if port.EngineWorld(c) != nil {
		register = registerFar(c)
	}
	if err := register(name, conv); err != nil {
		return raiseDefault(c, report(op, c.Rank(), brief.Name(name), err))
	}
	return nil
}

// WithConversionBuffer sets how many bytes of the file one call of a
// user-defined conversion function gets at most; one item always fits. A
// program must work with any number (REP-USR-08). The default is
// [reps.DefaultChunk].
func WithConversionBuffer(bytes int64) OpenOption {
	return openOption(func(o *opening) { o.chunk, o.chunked = bytes, true })
}

// represent returns the representation that a view names.
func (f *File) represent(name string) (reps.Rep, error) {
	rep, err := port.Reps(f.c).Lookup(name)
	if err != nil {
		return nil, classified(err, ErrUnsupportedDatarep, "IO-VIEW-14")
	}
	if f.how.chunked {
		rep = reps.Chunked(rep, f.how.chunk)
	}
	return rep, nil
}

// prepare makes sure that t can be laid out under rep: it may call functions of the user
// for the sizes of items. Those functions cannot use the file.
func (f *File) prepare(what string, t *types.Type, rep reps.Rep) error {
	if err := usable(what, t); err != nil {
		return err
	}
	f.inside = conversions
	err := rep.Prepare(t.Signature())
	f.inside = ""
	return err
}

// conversions is the text for a handle whose conversion functions are running.
const conversions = "a conversion or extent function"
