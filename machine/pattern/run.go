package pattern

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Run carries the workload out in a world of its ranks, on files of fsys. The byte at
// each place of a file depends on the file and the place alone, so Run checks every byte
// that a rank reads; the exception is write_shared, whose place is not known in advance.
// A pattern that only reads needs its files: run it with -w first. The options in open
// are used for every open. Errors: those of the world and of files, and ErrIO for a byte
// with a wrong value.
func (w *Workload) Run(ctx context.Context, fsys *iofile.FS, open []iofile.OpenOption, opts ...world.Option) error {
	return world.Run(ctx, w.Ranks, w.Body(fsys, open...), opts...)
}

// Body returns the program of each rank of [Workload.Run], for worlds that are started in
// another way, such as by [world.RunReport].
func (w *Workload) Body(fsys *iofile.FS, open ...iofile.OpenOption) func(context.Context, *comm.Comm) error {
	return func(ctx context.Context, c *comm.Comm) error {
		r := &runner{w: w, c: c, fsys: fsys, open: open, files: map[string]*iofile.File{}, views: map[string]view{}, groups: map[*machine.Group]*comm.Comm{}}
		for i := range w.Steps(c.Rank()) {
			s := w.Step(c.Rank(), i)
			if err := r.do(&s); err != nil {
				return fmt.Errorf("call %d of %s: %w", i, w.Name, err)
			}
		}
		for _, group := range r.groups {
			if err := group.Free(); err != nil {
				return err
			}
		}
		return nil
	}
}

// A runner carries out the steps of one rank.
type runner struct {
	w     *Workload
	c     *comm.Comm
	fsys  *iofile.FS
	open  []iofile.OpenOption
	files map[string]*iofile.File
	views map[string]view // of each open file

	groups map[*machine.Group]*comm.Comm
}

// A view is the view that a rank has set on a file.
type view struct {
	disp     int64
	filetype *types.Type
	set      bool
}

func (r *runner) do(s *Step) error {
	f := r.files[s.File]
	switch s.Op {
	case machine.Work:
		return nil
	case machine.Barrier:
		return r.c.Barrier()
	case machine.Open:
		c, err := r.comm(s)
		if err != nil {
			return err
		}
		f, err := iofile.Open(c, r.fsys, s.File, iofile.Create|iofile.ReadWrite, r.open...)
		if err == nil {
			r.files[s.File], r.views[s.File] = f, view{}
		}
		return err
	case machine.Sync:
		return f.Sync()
	case machine.Close:
		delete(r.files, s.File)
		return f.Close()
	}
	return r.access(f, s)
}

// comm returns the communicator of a step's ranks.
func (r *runner) comm(s *Step) (*comm.Comm, error) {
	switch {
	case !s.Together:
		return r.c.Self(), nil
	case s.Group == nil:
		return r.c, nil
	}
	if c := r.groups[s.Group]; c != nil {
		return c, nil
	}
	all, err := r.c.Group()
	if err != nil {
		return nil, err
	}
	some, err := all.Incl(s.Group.Ranks)
	if err != nil {
		return nil, err
	}
	c, err := r.c.CreateGroup(some, 0)
	r.groups[s.Group] = c
	return c, err
}

// access carries out a read or write, through the step's view if all ranks set one, and
// checks the bytes that it reads.
func (r *runner) access(f *iofile.File, s *Step) error {
	at := iofile.Offset(s.Offset)
	if !s.Views {
		at = iofile.Offset(s.Disp + s.Offset*s.Elem.Size(types.Host))
	} else if v := (view{s.Disp, s.Filetype, true}); s.Renew || r.views[s.File] != v {
		filetype := s.Filetype
		if filetype == nil {
			filetype = s.Elem
		}
		if err := f.SetView(iofile.View{Disp: s.Disp, Etype: s.Elem, Filetype: filetype}); err != nil {
			return err
		}
		r.views[s.File] = v
	}
	want, err := r.w.bytes(s)
	if err != nil {
		return err
	}
	buf := buffer(s)
	if s.Op == machine.Write {
		buf.Unpack(want, 0, types.Host)
		_, err := call(f, s, buf, at)
		return err
	}
	if _, err := call(f, s, buf, at); err != nil {
		return err
	}
	got := make([]byte, len(want))
	buf.Pack(got, 0, types.Host)
	for i := range got {
		if got[i] != want[i] {
			return wrong("byte %d that rank %d reads of %q is %#x; %#x was written", i, r.c.Rank(), s.File, got[i], want[i])
		}
	}
	return nil
}

// buffer returns memory for the elements of an access.
func buffer(s *Step) types.Buffer {
	if s.Memory == nil || s.Count == 0 {
		return types.Raw(make([]byte, s.Count*s.Elem.Size(types.Host)), s.Count, s.Elem)
	}
	lb, extent := s.Memory.TrueExtent(types.Host)
	return types.Raw(make([]byte, lb+extent), 1, s.Memory)
}

// call makes the file call of a step.
func call(f *iofile.File, s *Step, buf types.Buffer, at iofile.Offset) (comm.Status, error) {
	write := s.Op == machine.Write
	switch {
	case s.Pointer == machine.Shared && write:
		return f.WriteShared(buf)
	case s.Pointer == machine.Shared:
		return f.ReadShared(buf)
	case s.Pointer == machine.Ordered && write:
		return f.WriteOrdered(buf)
	case s.Pointer == machine.Ordered:
		return f.ReadOrdered(buf)
	case s.Together && write:
		return f.WriteAtAll(buf, at)
	case s.Together:
		return f.ReadAtAll(buf, at)
	case write:
		return f.WriteAt(buf, at)
	}
	return f.ReadAt(buf, at)
}

// bytes returns the packed bytes of an access.
func (w *Workload) bytes(s *Step) ([]byte, error) {
	part, err := w.Part(s)
	if err != nil || part.N == 0 {
		return nil, err
	}
	packed, pos := make([]byte, part.N), int64(0)
	for off, n := range part.At.Runs(part.From, part.N) {
		for i := range n {
			packed[pos+i] = byteOf(s.File, off+i)
		}
		pos += n
	}
	return packed, nil
}

// byteOf returns the byte that patterns write at an offset of a file.
func byteOf(file string, off int64) byte {
	x := uint64(off)*0x9e3779b97f4a7c15 + uint64(len(file))*0x632be59bd9b4e019
	for i := range len(file) {
		x = (x ^ uint64(file[i])) * 0x100000001b3
	}
	return byte(x >> 56)
}

// Check compares the files that the workload wrote with the bytes that its ranks should
// have written. Error: ErrIO for a wrong byte, and the errors of fs.
func (w *Workload) Check(files fs.FS) error {
	have := map[string][]byte{}
	for rank := range w.Ranks {
		for i := range w.Steps(rank) {
			s := w.Step(rank, i)
			if s.Op != machine.Write || s.Pointer == machine.Shared {
				continue
			}
			if have[s.File] == nil {
				b, err := fs.ReadFile(files, s.File)
				if err != nil {
					return err
				}
				have[s.File] = b
			}
			part, err := w.Part(&s)
			if err != nil {
				return err
			}
			if part.N == 0 {
				continue
			}
			for off, n := range part.At.Runs(part.From, part.N) {
				for x := off; x < off+n; x++ {
					if b := have[s.File]; x >= int64(len(b)) || b[x] != byteOf(s.File, x) {
						return wrong("byte %d of %q is not what rank %d wrote", x, s.File, rank)
					}
				}
			}
		}
	}
	return nil
}

func wrong(format string, args ...any) error {
	return &errclass.Error{Pkg: "pattern", Rank: errclass.NoRank, Class: errclass.IO, Err: fmt.Errorf(format, args...)}
}
