package iofile

import (
	"fmt"

	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/iofile/strategy"
)

// A Progress says how many bytes a data access has moved, as passed to the function of
// [Callbacks].
type Progress struct {
	Op    string // "WriteAtAll"
	File  string
	Rank  int // in the group of the file
	Write bool
	Done  int64 // bytes of the file that have moved
	Total int64 // bytes that will move in all; in the last call for an access equal to Done
}

// piece is how many bytes move between two calls of a progress function: enough to make the
// cost of a call negligible, and few enough for tens of calls a second.
const piece = 4 << 20

// inPieces reports whether the bytes of an access are moved piece by piece.
func (f *File) inPieces(a *access) bool {
	return f.wanted(journal.Part) && f.how.moves == nil && !f.atomic && a.etypes*f.view.Unit.Size > piece
}

// came notifies the listeners that done of total bytes have moved.
func (f *File) came(a *access, done, total int64) error {
	e := f.event(journal.Part, a.op)
	e.Write, e.Moved, e.Asked = a.write, done, total
	return f.notify(e).Err
}

// allCame notifies the listeners that the access has moved all its bytes; after an error it
// does nothing.
func (f *File) allCame(a *access, err error) error {
	if err != nil || a.moved == 0 {
		return err
	}
	return f.came(a, a.moved, a.moved)
}

// progress is the listener that calls the program's function for progress.
type progress struct{}

func (progress) Wants(handle any) journal.Kind {
	if handle.(*File).how.calls.Progress == nil {
		return 0
	}
	return journal.Part
}

func (progress) Record(e *journal.Event) {
	const what = "the function Callbacks.Progress"
	f := e.Handle.(*File)
	f.inside = what
	defer func() { f.inside = "" }()
	e.Err = guard(what, "IO-DA-01", func() error {
		f.how.calls.Progress(Progress{e.Op, f.name, f.rank, e.Write, e.Moved, e.Asked})
		return nil
	})
}

// putPieces is [File.put] in pieces.
func (f *File) putPieces(a *access) (int64, error) {
	arch, size := f.view.memory, a.etypes*f.view.Unit.Size
	part := f.view.part(a)
	f.countDirect(&part, true)
	whole, room, err := f.packWhole(a, size)
	if room != nil {
		defer giveRoom(room)
	}
	if err != nil {
		return 0, err
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
			err = f.came(a, a.moved, size)
		}
	}
	return f.hasPut(a, err)
}

// packWhole returns the bytes that a write puts into the file if they are made all at once:
// the program's memory if it is lent, or the converted bytes in a buffer. It returns nil if
// the bytes are to be packed piece by piece.
func (f *File) packWhole(a *access, size int64) (packed []byte, room *[]byte, err error) {
	if f.lends(a, size) {
		return a.mem[:size], nil, nil
	}
	if f.view.plain {
		return nil, nil, nil
	}
	room = takeRoom(size)
	return *room, room, f.encode(a, *room)
}

// receivePieces is [File.receive] in pieces.
func (f *File) receivePieces(a *access, part strategy.Part, mem []byte) (done int64, err error) {
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
			err = f.came(a, done, size)
		}
	}
	return done, err
}

// String returns one line for a terminal: "WriteAtAll grid: rank 0: 8388608 of 25165824
// bytes".
func (p Progress) String() string {
	return fmt.Sprintf("%s %s: rank %d: %d of %d bytes", p.Op, p.File, p.Rank, p.Done, p.Total)
}
