package iofile

import "github.com/commworld/commworld/types"

// ReadAt reads into buf from etype off of the view. Fewer items than asked for
// are no error: at the end of the file the Status counts what arrived and the
// rest of buf is untouched. Errors: ErrBuffer, ErrType, ErrArg, ErrAccess,
// ErrUnsupportedOperation on a Sequential file, ErrConversion, ErrIO.
//
// MPI_File_read_at
func (f *File) ReadAt(buf types.Buffer, off Offset) (Status, error) {
	return f.run(access{op: "ReadAt", at: explicit, off: off, buf: buf})
}

// WriteAt writes buf from etype off of the view. A write past the end makes
// the file longer. Errors as [File.ReadAt], ErrReadOnly, ErrNoSpace.
//
// MPI_File_write_at
func (f *File) WriteAt(buf types.Buffer, off Offset) (Status, error) {
	return f.run(access{op: "WriteAt", write: true, at: explicit, off: off, buf: buf})
}

// ReadAtAll is [File.ReadAt] by all ranks, each with its own arguments.
// Collective.
//
// MPI_File_read_at_all
func (f *File) ReadAtAll(buf types.Buffer, off Offset) (Status, error) {
	return f.run(access{op: "ReadAtAll", at: explicit, with: all, off: off, buf: buf})
}

// WriteAtAll is [File.WriteAt] by all ranks, each with its own arguments.
// Collective.
//
// MPI_File_write_at_all
func (f *File) WriteAtAll(buf types.Buffer, off Offset) (Status, error) {
	return f.run(access{op: "WriteAtAll", write: true, at: explicit, with: all, off: off, buf: buf})
}
