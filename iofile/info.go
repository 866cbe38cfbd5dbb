package iofile

import (
	"io/fs"
	"strconv"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
)

// WithInfo opens the file with hints; a nil info has none. The hints that the standard
// reserves and those of ROMIO are known; others, and malformed values, are ignored
// (IO-INFO-04, IO-INFO-08). Hints may make a program faster and never change its results
// (IO-INFO-06). Ranks may give different hints, except where the standard requires the
// same: then all get ErrNotSame (IO-OPEN-04, IO-INFO-07). file_perm is the permissions, in
// octal, of a file that Open makes. The hints are copied: changing info later has no
// effect.
func WithInfo(info *comm.Info) OpenOption {
	in, given := hintsIn(info), info.Dup()
	return openOption(func(o *opening) { o.hints, o.given = in, given })
}

// SetInfo gives the handle hints; see [WithInfo]. It sets those hints of info that can
// still take effect; others stay as they are (IO-INFO-02). Collective. Errors: ErrFile,
// ErrNotSame. (IO-INFO-03)
//
// MPI_File_set_info
func (f *File) SetInfo(info *comm.Info) error { return f.to().setInfo(info) }

func (f *File) setInfo(info *comm.Info) error {
	const op = "SetInfo"
	if err := f.alive(op); err != nil {
		return err
	}
	in := hintsIn(info)
	_, err := f.chooser.depart(op, in, classified(f.inject(faults.Info), ErrIO, "IO-INFO-03"), func(args []any) (any, error) {
		return nil, sameHints(func(r int) *comm.Info { return args[r].(*comm.Info) }, len(args))
	}, nil, nil)
	if err = f.raise(err); err == nil {
		f.hint(in)
		if f.traffic != nil {
			f.cached = cachedPlan{} // hints may choose another strategy
		}
		f.lintHints(op, info)
	}
	return err
}

// hint adds hints to a file that is open.
func (f *File) hint(in *comm.Info) {
	if in == nil {
		return
	}
	all := f.hints.Dup()
	for _, rule := range hintRules {
		if value, ok := in.Get(rule.key); ok && !rule.fresh {
			_ = all.Set(rule.key, value) // it fits: in accepted it
		}
	}
	f.hints = all
	f.chooseStrategy()
}

// Info returns a copy of the hints in use, including defaults. A hint that was given but
// cannot be followed has the value that is in use instead: cb_nodes is at most the number
// of ranks, striping_factor is at most the servers of the world's machine, 1 without one,
// num_io_nodes is 1, file_perm is that of the file, and
// io_node_list is missing. Local. Errors: ErrFile. (IO-INFO-05)
//
// MPI_File_get_info
func (f *File) Info() (*comm.Info, error) { return f.to().info() }

func (f *File) info() (*comm.Info, error) {
	if err := f.alive("Info"); err != nil {
		return nil, err
	}
	if err := f.failLocal("Info", faults.Info, "IO-INFO-05"); err != nil {
		return nil, err
	}
	info, t := comm.NewInfo(), f.tuning()
	for _, rule := range hintRules {
		value, ok := f.hints.Get(rule.key)
		if rule.inUse != nil {
			value = rule.inUse(f, &t)
			ok = value != ""
		}
		if ok {
			_ = info.Set(rule.key, value) // a file name that is too long for a value is left out
		}
	}
	return info, nil
}

// permissions returns those of the file, "" if its name is gone.
func (f *File) permissions() string {
	info, err := fs.Stat(f.fsys, f.name)
	if err != nil {
		return ""
	}
	return octal(uint32(info.Mode().Perm()))
}

// permOf returns the permissions that hints ask for, 0 if there are none.
func permOf(hints *comm.Info) fs.FileMode {
	value, ok := hints.Get("file_perm")
	if !ok {
		return 0
	}
	n, _ := strconv.ParseUint(value, 8, 32)
	return fs.FileMode(n)
}
