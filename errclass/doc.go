// Package errclass has the error classes of the MPI standard and the one
// error type that every package of this module returns.
//
// Start here: what a program asks of an error.
//
//	var e *errclass.Error
//	if errors.As(err, &e) { fmt.Println(e.Rank, e.Rule) }
//	errors.Is(err, errclass.NoSuchFile) // also errors.Is(err, fs.ErrNotExist)
//
// # Borders
//
// A leaf: it imports nothing of this module. The packages above re-export the
// classes that they raise (iofile.ErrAmode is errclass.Amode) and alias the
// error type, so that a program rarely has to name this package.
package errclass
