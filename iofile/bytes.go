package iofile

import (
	"io"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
)

// Bytes is a file for packages that do not know etypes: the bytes that this rank's view
// shows, in order, as they are in the file. It is an [io.ReaderAt] and an [io.WriterAt], so
// that [io.NewSectionReader] and similar functions work on a view. See [File.Bytes].
type Bytes struct{ f *File }

var (
	_ io.ReaderAt = (*Bytes)(nil)
	_ io.WriterAt = (*Bytes)(nil)
)

// Bytes returns the bytes that the view of the file shows; they follow later changes of the
// view. Nothing is converted, whatever representation the view has. Its calls are
// noncollective accesses by this rank like [File.ReadAt] and [File.WriteAt]: the same bytes
// are visible, the same errors are found and handled, no pointer moves, and a Sequential
// file refuses them. Unlike most readers it is for one goroutine, that of the rank.
func (f *File) Bytes() *Bytes { return &Bytes{f} }

// file returns the file; it is nil for the zero Bytes.
func (b *Bytes) file() *File {
	if b == nil {
		return nil
	}
	return b.f
}

// ReadAt reads into p from byte off of those that the view shows. At the end of the file it
// returns the bytes before it, and [io.EOF]. Errors: as [File.ReadAt].
func (b *Bytes) ReadAt(p []byte, off int64) (int, error) {
	const op = "Bytes.ReadAt"
	f := b.file()
	restore, err := f.asBytes(op)
	if err != nil {
		return 0, err
	}
	st, err := f.to().run(call{op: op, at: explicit, off: Offset(off), buf: types.Of(p)})
	if err = restore(err); err != nil {
		return 0, err
	}
	n, _ := st.Count(types.Byte)
	if int(n) < len(p) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// WriteAt writes p from byte off of those that the view shows. It writes all of p or
// returns an error with a count of 0. Errors: as [File.WriteAt].
func (b *Bytes) WriteAt(p []byte, off int64) (int, error) {
	const op = "Bytes.WriteAt"
	f := b.file()
	restore, err := f.asBytes(op)
	if err != nil {
		return 0, err
	}
	_, err = f.to().run(call{op: op, write: true, at: explicit, off: Offset(off), buf: types.Of(p)})
	if err = restore(err); err != nil {
		return 0, err
	}
	return len(p), nil
}

// asBytes changes the view for the next access to the same bytes with etype BYTE. restore
// sets the handle's own view again and then handles the error of the access, because a
// handler may use the file.
func (f *File) asBytes(op string) (restore func(err error) error, err error) {
	if err := f.to().alive(op); err != nil {
		return nil, err
	}
	if err := f.to().showsBytes(); err != nil {
		return nil, f.fail(op, err)
	}
	was, handling := f.view, f.handling
	plain := *was
	plain.Etype, plain.Unit, plain.Each = types.Byte, extent.BytesLayout, was.Tiles.L.Size
	plain.memory = f.c.Arch().InBytes()
	plain.plain, plain.judged, plain.bytesLint, plain.tag = true, false, false, nil
	f.view, f.handling = &plain, true
	return func(err error) error {
		f.view, f.handling = was, handling
		return f.raise(err)
	}, nil
}

// showsBytes returns nil: the bytes of a file in this process can be shown.
func (f *File) showsBytes() error { return nil }
