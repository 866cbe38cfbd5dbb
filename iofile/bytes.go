package iofile

import (
	"io"

	"github.com/commworld/commworld/types"
)

// Bytes is a file for packages that know nothing of etypes: the bytes that this
// rank's view shows, one behind the other, as they are in the file. It is an
// [io.ReaderAt] and an [io.WriterAt], so that [io.NewSectionReader] and its like
// work on a view. See [File.Bytes].
type Bytes struct{ f *File }

var (
	_ io.ReaderAt = (*Bytes)(nil)
	_ io.WriterAt = (*Bytes)(nil)
)

// Bytes returns the bytes that the current view shows, and later that of a view
// set later. Nothing is converted, whatever representation the view has. Its
// calls are noncollective accesses by this rank like [File.ReadAt] and
// [File.WriteAt]: the same bytes are visible, the same errors are found and
// handled, no pointer moves, and a Sequential file refuses them. Unlike most
// readers it is for one goroutine, that of the rank.
func (f *File) Bytes() *Bytes { return &Bytes{f} }

// file is nil for bytes that no file gave.
func (b *Bytes) file() *File {
	if b == nil {
		return nil
	}
	return b.f
}

// ReadAt reads into p from byte off of those that the view shows. At the end of
// the file it returns what there was and [io.EOF]. Errors: as [File.ReadAt].
func (b *Bytes) ReadAt(p []byte, off int64) (int, error) {
	const op = "Bytes.ReadAt"
	f := b.file()
	restore, err := f.asBytes(op)
	if err != nil {
		return 0, err
	}
	st, err := f.run(call{op: op, at: explicit, off: Offset(off), buf: types.Of(p)})
	if err = restore(err); err != nil {
		return 0, err
	}
	n, _ := st.Count(types.Byte)
	if int(n) < len(p) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// WriteAt writes p from byte off of those that the view shows, all of it or,
// with an error, none that would count. Errors: as [File.WriteAt].
func (b *Bytes) WriteAt(p []byte, off int64) (int, error) {
	const op = "Bytes.WriteAt"
	f := b.file()
	restore, err := f.asBytes(op)
	if err != nil {
		return 0, err
	}
	_, err = f.run(call{op: op, write: true, at: explicit, off: Offset(off), buf: types.Of(p)})
	if err = restore(err); err != nil {
		return 0, err
	}
	return len(p), nil
}

// asBytes lets the next access see the view's bytes with etype BYTE. restore
// gives the handle its view back, and has the error of the access handled only
// then: a handler may use the file.
func (f *File) asBytes(op string) (restore func(err error) error, err error) {
	if err := f.alive(op); err != nil {
		return nil, err
	}
	l, err := types.Byte.Layout(f.c.Arch())
	if err != nil {
		return nil, f.fail(op, err)
	}
	if f.far != nil && (f.view.esize() != 1 || !f.view.plain) {
		return nil, f.fail(op, broken(ErrUnsupportedOperation, "IO-DA-01", "where %s has the file, bytes are seen through a view whose etype is one byte, in native form", f.far.library))
	}
	was, handling := f.view, f.handling
	plain := *was
	plain.Etype, plain.etype, plain.etypes = types.Byte, l, was.tiles.L.Size
	plain.plain, plain.judged, plain.bytesLint, plain.tag = true, false, false, nil
	f.view, f.handling = &plain, true
	return func(err error) error {
		f.view, f.handling = was, handling
		return f.raise(err)
	}, nil
}
