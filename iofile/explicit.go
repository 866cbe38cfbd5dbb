package iofile

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// ReadAt reads into buf from etype off of the view. Fewer items than requested are not
// an error: at the end of the file the Status counts the items that arrived, and the
// rest of buf is unchanged. Unlike for a receive, buf must have memory for the whole
// count (IO-DA-18). Errors: ErrBuffer, ErrType, ErrArg, ErrAccess,
// ErrUnsupportedOperation on a Sequential file, ErrConversion, ErrIO.
//
// MPI_File_read_at
func (f *File) ReadAt(buf types.Buffer, off Offset) (Status, error) {
	return f.to().run(call{op: "ReadAt", at: explicit, off: off, buf: buf})
}

// WriteAt writes buf from etype off of the view. A write past the end makes the file
// longer. Errors as [File.ReadAt], ErrReadOnly, ErrNoSpace.
//
// MPI_File_write_at
func (f *File) WriteAt(buf types.Buffer, off Offset) (Status, error) {
	return f.to().run(call{op: "WriteAt", write: true, at: explicit, off: off, buf: buf})
}

// ReadAtAll is [File.ReadAt] by all ranks, each with its own arguments.
// Collective.
//
// MPI_File_read_at_all
func (f *File) ReadAtAll(buf types.Buffer, off Offset) (Status, error) {
	return f.to().run(call{op: "ReadAtAll", at: explicit, with: all, off: off, buf: buf})
}

// WriteAtAll is [File.WriteAt] by all ranks, each with its own arguments.
// Collective.
//
// MPI_File_write_at_all
func (f *File) WriteAtAll(buf types.Buffer, off Offset) (Status, error) {
	return f.to().run(call{op: "WriteAtAll", write: true, at: explicit, with: all, off: off, buf: buf})
}

// IReadAt starts [File.ReadAt] and returns a request for it; Wait returns the Status. buf
// must be left alone until then, and the access may take place at any time until then.
// Errors: those of the arguments at once, those of the access with the request. Requests of
// files and of messages may be waited for together.
//
// MPI_File_iread_at
func (f *File) IReadAt(buf types.Buffer, off Offset) (*comm.Request, error) {
	return f.to().initiate(call{op: "IReadAt", at: explicit, off: off, buf: buf})
}

// IWriteAt starts [File.WriteAt]; see [File.IReadAt].
//
// MPI_File_iwrite_at
func (f *File) IWriteAt(buf types.Buffer, off Offset) (*comm.Request, error) {
	return f.to().initiate(call{op: "IWriteAt", write: true, at: explicit, off: off, buf: buf})
}

// IReadAtAll starts [File.ReadAtAll] and returns at once; see [File.IReadAt]. All ranks
// start it, in the same order among their collective calls on the file, but each may start
// several before it completes one. It does not match ReadAtAll on another rank, and its
// request cannot be freed or cancelled. Collective. An error of another rank comes with the
// request.
//
// MPI_File_iread_at_all
func (f *File) IReadAtAll(buf types.Buffer, off Offset) (*comm.Request, error) {
	return f.to().initiate(call{op: "IReadAtAll", at: explicit, with: all, off: off, buf: buf})
}

// IWriteAtAll starts [File.WriteAtAll]; see [File.IReadAtAll]. Collective.
//
// MPI_File_iwrite_at_all
func (f *File) IWriteAtAll(buf types.Buffer, off Offset) (*comm.Request, error) {
	return f.to().initiate(call{op: "IWriteAtAll", write: true, at: explicit, with: all, off: off, buf: buf})
}
