package iofile

// A Version says which state of its file a handle sees. Each publication is a version:
// what a Sync or a Close makes visible, a write in atomic mode, a change of size. A file
// begins with version 0.
type Version struct {
	Seen   int64 // the version that the handle has adopted
	Newest int64 // the version of the file
	Live   bool  // the handle sees each new version at once, as in atomic mode
}

// Version returns which version of the file the handle sees, besides its own writes. It
// orders nothing and is not an access: two ranks that compare versions have not
// synchronized. If no handle needs an older state, publications may not be counted. Errors:
// ErrUnsupportedOperation on an engine, which has no versions.
func (f *File) Version() (Version, error) {
	const op = "Version"
	if err := f.to().alive(op); err != nil {
		return Version{}, err
	}
	l, ok := f.to().(*File)
	if !ok {
		return Version{}, f.fail(op, broken(ErrUnsupportedOperation, "CONS-C1", "an MPI library does not report which version of a file a rank sees"))
	}
	seen, newest, live := l.bytes.Version()
	return Version{seen, newest, live}, nil
}
