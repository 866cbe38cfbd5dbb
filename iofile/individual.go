package iofile

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
)

// Whence is the start from which a seek counts; its values are those of the ABI.
type Whence int

// The values of Whence.
const (
	SeekCur Whence = 401 // from the pointer
	SeekEnd Whence = 402 // from the end of the view
	SeekSet Whence = 403 // from the start of the view
)

// Read reads into buf at this rank's pointer and moves the pointer to the end of the
// data read. Errors as [File.ReadAt].
//
// MPI_File_read
func (f *File) Read(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "Read", at: individual, buf: buf})
}

// Write writes buf at this rank's pointer and moves the pointer to the end of the data
// written. Errors as [File.WriteAt].
//
// MPI_File_write
func (f *File) Write(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "Write", write: true, at: individual, buf: buf})
}

// ReadAll is [File.Read] by all ranks, each at its own pointer. Collective.
//
// MPI_File_read_all
func (f *File) ReadAll(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "ReadAll", at: individual, with: all, buf: buf})
}

// WriteAll is [File.Write] by all ranks, each at its own pointer. Collective.
//
// MPI_File_write_all
func (f *File) WriteAll(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "WriteAll", write: true, at: individual, with: all, buf: buf})
}

// IRead starts [File.Read], and moves the pointer at once by the number of etypes to read;
// see [File.IReadAt].
//
// MPI_File_iread
func (f *File) IRead(buf types.Buffer) (*comm.Request, error) {
	return f.to().initiate(call{op: "IRead", at: individual, buf: buf})
}

// IWrite starts [File.Write], and moves the pointer at once; see [File.IReadAt].
//
// MPI_File_iwrite
func (f *File) IWrite(buf types.Buffer) (*comm.Request, error) {
	return f.to().initiate(call{op: "IWrite", write: true, at: individual, buf: buf})
}

// IReadAll starts [File.ReadAll], and moves the pointer at once; see
// [File.IReadAtAll]. Collective.
//
// MPI_File_iread_all
func (f *File) IReadAll(buf types.Buffer) (*comm.Request, error) {
	return f.to().initiate(call{op: "IReadAll", at: individual, with: all, buf: buf})
}

// IWriteAll starts [File.WriteAll], and moves the pointer at once; see
// [File.IReadAtAll]. Collective.
//
// MPI_File_iwrite_all
func (f *File) IWriteAll(buf types.Buffer) (*comm.Request, error) {
	return f.to().initiate(call{op: "IWriteAll", write: true, at: individual, with: all, buf: buf})
}

// Seek moves this rank's pointer to off etypes from whence; the position may be beyond the
// end of the file. Local. Errors: ErrArg for a bad whence or a position before the view,
// and then the pointer stays; ErrUnsupportedOperation on a Sequential file.
//
// MPI_File_seek
func (f *File) Seek(off Offset, whence Whence) error {
	return f.to().seek(off, whence)
}

func (f *File) seek(off Offset, whence Whence) error {
	const op = "Seek"
	if err := f.alive(op); err != nil {
		return err
	}
	if err := f.notSequential("IO-SEQ-03"); err != nil {
		return f.fail(op, err)
	}
	if err := f.failLocal(op, faults.Seek, "IO-SEEK-01"); err != nil {
		return err
	}
	pos, err := f.target(op, off, whence, f.pos)
	if err != nil {
		return f.fail(op, err)
	}
	f.moveTo(pos)
	f.rewound = nil
	f.leavesEnd()
	return nil
}

// target returns the position after a seek from the pointer at cur.
func (f *File) target(op string, off Offset, whence Whence, cur Offset) (Offset, error) {
	var base Offset
	switch whence {
	case SeekSet:
	case SeekCur:
		base = cur
	case SeekEnd:
		size, err := f.length(op, op != "Seek", 3)
		if err != nil {
			return 0, err
		}
		base = Offset(f.view.End(size))
	default:
		return 0, broken(ErrArg, "IO-SEEK-02", "whence %d is none of SeekSet, SeekCur, SeekEnd", whence)
	}
	pos := base + off
	if off > 0 && pos < base {
		return 0, broken(ErrArg, "IO-DA-16", "position %d + %d overflows", base, off)
	}
	if pos < 0 {
		return 0, broken(ErrArg, "IO-SEEK-02", "position %d is before the view", pos)
	}
	return pos, nil
}

// Position returns this rank's pointer in etypes. Local. Errors:
// ErrUnsupportedOperation on a Sequential file.
//
// MPI_File_get_position
func (f *File) Position() (Offset, error) { return f.to().position() }

func (f *File) position() (Offset, error) {
	const op = "Position"
	if err := f.alive(op); err != nil {
		return 0, err
	}
	if err := f.notSequential("IO-SEQ-03"); err != nil {
		return 0, f.fail(op, err)
	}
	return f.pos, nil
}
