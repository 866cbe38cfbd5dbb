package iofile

import (
	"fmt"

	"github.com/commworld/commworld/comm"
)

// A Progress tells how far a data access has come, as [WithProgress] gets it.
type Progress struct {
	Op    string // "WriteAtAll"
	File  string
	Rank  int // in the group of the file
	Write bool
	Done  int64 // bytes of the file that have moved
	Total int64 // and how many will: in the last call for an access as many as Done
}

// WithProgress has tell called while the data of long accesses move, of whatever
// kind, and once more at the end of each that moved something; that of one which
// failed may be missing. Calls come in the goroutine of the rank and under no
// lock, after every 4 MiB where data move straight between memory and file: in
// atomic mode, where an access is one whole, and with a strategy there is only
// the last. Data that are converted are so before the first call of a write and
// after the last but one of a read.
//
// All ranks give the option or none does, each with its own function, nil to
// hear nothing. tell may do what it likes but for using the handle, which is
// refused with ErrOther; if it panics the access fails with ErrOther.
func WithProgress(tell func(Progress)) OpenOption {
	return func(o *opening) { o.progress, o.followed = tell, true }
}

// piece is how many bytes move between two calls of a progress function. It is
// large enough for what a call costs not to show, and small enough for tens of
// calls a second.
const piece = 4 << 20

// inPieces reports an access whose bytes are moved piece by piece.
func (f *File) inPieces(a *access) bool {
	return f.how.progress != nil && f.how.strategy == nil && !f.atomic && a.etypes*f.view.esize() > piece
}

// follow is [File.move] for a program that wants to hear of it.
func (f *File) follow(a *access) (Status, error) {
	st, err := f.move(a)
	if err == nil && a.moved > 0 {
		err = f.tell(a, a.moved, a.moved)
	}
	return st, err
}

// tell calls the progress function.
func (f *File) tell(a *access, done, total int64) error {
	const what = "the progress function"
	f.inside = what
	defer func() { f.inside = "" }()
	return guard(what, "IO-DA-01", func() error {
		f.how.progress(Progress{a.op, f.name, f.rank, a.write, done, total})
		return nil
	})
}

// putPieces is [File.put] in pieces.
func (f *File) putPieces(a *access) (Status, error) {
	arch, size := f.c.Arch(), a.etypes*f.view.esize()
	part := f.part(a)
	f.recent = last{op: a.op, write: true, part: part}
	f.countDirect(&part, true)
	whole, room, err := f.packWhole(a, size)
	if room != nil {
		defer giveRoom(room)
	}
	if err != nil {
		return comm.NewStatus(0, arch), err
	}
	for err == nil && a.moved < size {
		n := min(piece, size-a.moved)
		var p []byte
		if whole != nil {
			p = whole[a.moved : a.moved+n : a.moved+n]
		} else {
			p = f.bytes.Space(n)
			a.buf.Pack(p, a.moved, arch)
		}
		n, err = f.give(part.At, part.From+a.moved, p)
		if a.moved += n; err == nil && a.moved < size {
			err = f.tell(a, a.moved, size)
		}
	}
	return f.hasPut(a, err)
}

// packWhole returns what a write puts into the file where that is made all at once:
// the program's memory if it is lent, or what it is converted to, in room of its
// own. nil: it is to be packed piece by piece.
func (f *File) packWhole(a *access, size int64) (packed []byte, room *[]byte, err error) {
	packed, lent := f.lent(a, size)
	if lent || f.bytesOnly() {
		return packed, nil, nil
	}
	room = takeRoom(size)
	return *room, room, f.encode(a, *room)
}

// receivePieces is [File.receive] in pieces.
func (f *File) receivePieces(a *access, part Part, mem []byte) (done int64, err error) {
	f.countDirect(&part, false)
	size := part.At.Until(f.bytes.Size(), part.From, int64(len(mem)))
	for err == nil && done < int64(len(mem)) {
		want := min(piece, int64(len(mem))-done)
		var n int64
		n, err = f.bytes.Read(part.At, part.From+done, mem[done:done+want])
		if done += n; n < want {
			break
		}
		if err == nil && done < size {
			err = f.tell(a, done, size)
		}
	}
	return done, err
}

// String is one line for a terminal: "WriteAtAll grid: rank 0: 8388608 of 25165824 bytes".
func (p Progress) String() string {
	return fmt.Sprintf("%s %s: rank %d: %d of %d bytes", p.Op, p.File, p.Rank, p.Done, p.Total)
}
