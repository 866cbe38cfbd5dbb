package iofile

import (
	"io/fs"
	"strconv"

	"github.com/commworld/commworld/comm"
)

// WithInfo opens the file with hints, of which nil has none. Those that the
// standard reserves and those of ROMIO are known; others, and malformed values,
// are ignored (IO-INFO-04, IO-INFO-08). Hints may make a program faster and
// never change what it does (IO-INFO-06). Ranks may give different ones, except
// where the standard asks for the same: then all get ErrNotSame (IO-OPEN-04,
// IO-INFO-07). file_perm is the permissions, in octal, of a file that Open makes.
// They are copied: changing info later changes nothing.
func WithInfo(info *comm.Info) OpenOption {
	in, given := hintsIn(info), info.Dup()
	return func(o *opening) { o.hints, o.given = in, given }
}

// SetInfo gives the handle hints; see [WithInfo]. Those that info names and that
// can still be followed are set, others stay as they are (IO-INFO-02). Collective.
// Errors: ErrFile, ErrNotSame. (IO-INFO-03)
//
// MPI_File_set_info
func (f *File) SetInfo(info *comm.Info) error {
	const op = "SetInfo"
	if err := f.alive(op); err != nil {
		return err
	}
	if f.far != nil {
		return f.farDoes(op, nil, func() error { return f.far.native.SetInfo(hintsOf(info)) })
	}
	in := hintsIn(info)
	_, err := f.agree(op, in, nil, func(args []any) (any, error) {
		return nil, sameHints(func(r int) *comm.Info { return args[r].(*comm.Info) }, len(args))
	})
	if err == nil {
		f.hint(in)
		f.lintHints(op, info)
	}
	return err
}

// hint takes over hints of a file that is open.
func (f *File) hint(in *comm.Info) {
	if in == nil {
		return
	}
	all := f.hints.Dup()
	for _, rule := range hintRules {
		if value, ok := in.Get(rule.key); ok && !rule.fresh {
			_ = all.Set(rule.key, value) // it fitted into in
		}
	}
	f.hints = all
}

// Info returns the hints in use, those that nobody gave included: changing what
// it returns changes nothing. A hint that was given but cannot be followed has
// the value that is in use instead: cb_nodes is not more than the ranks of the
// file, striping_factor and num_io_nodes are 1, file_perm is what the file has,
// io_node_list is not there. Local. Errors: ErrFile. (IO-INFO-05)
//
// MPI_File_get_info
func (f *File) Info() (*comm.Info, error) {
	if err := f.alive("Info"); err != nil {
		return nil, err
	}
	if f.far != nil {
		return f.infoFar("Info")
	}
	info, t := comm.NewInfo(), f.tuning()
	for _, rule := range hintRules {
		value, ok := f.hints.Get(rule.key)
		if rule.inUse != nil {
			value = rule.inUse(f, &t)
			ok = value != ""
		}
		if ok {
			_ = info.Set(rule.key, value) // a file name that is too long to be a value is left out
		}
	}
	return info, nil
}

// permissions are those of the file, "" if it has lost its name.
func (f *File) permissions() string {
	info, err := fs.Stat(f.fsys, f.name)
	if err != nil {
		return ""
	}
	return octal(uint32(info.Mode().Perm()))
}

// permOf is the permissions that hints ask for, 0 if they do not.
func permOf(hints *comm.Info) fs.FileMode {
	value, ok := hints.Get("file_perm")
	if !ok {
		return 0
	}
	n, _ := strconv.ParseUint(value, 8, 32)
	return fs.FileMode(n)
}
