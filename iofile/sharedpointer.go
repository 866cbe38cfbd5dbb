package iofile

import (
	"math"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
)

// A sharedPointer is the file pointer that the handles of one open share.
type sharedPointer struct {
	mu    sched.Mutex
	pos   Offset
	moves int64 // number of moves so far
	asked bool  // a rank used it alone
	round int   // number of collective moves among them
	mine  int64 // moves at the last collective one

	unheld bool // a view has moved it without the explorer's choice
}

// take gives a its place at the pointer and moves the pointer past it; ready gets the
// place, reports whether a may have it, and sets how many etypes a covers there.
func (p *sharedPointer) take(a *access, ready func(a *access) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	a.off = p.pos
	if err := ready(a); err != nil {
		return err
	}
	p.pos += Offset(a.etypes)
	p.moves++
	p.asked = true
	a.moves = p.moves
	return nil
}

// giveBack moves the pointer back to pos after the access a, which failed, unless it has
// been moved since: other accesses keep their places.
func (p *sharedPointer) giveBack(a *access, pos Offset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.moves == a.moves {
		p.pos = pos
		p.moves++
	}
}

// giveBackAll is each rank's part of giveBack after collective move number round.
func (p *sharedPointer) giveBackAll(round int, pos Offset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.round == round {
		p.round++
		if p.moves == p.mine {
			p.pos = pos
			p.moves++
		}
	}
}

// ask returns the position for a call of one rank alone.
func (p *sharedPointer) ask() Offset {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
	return p.pos
}

// wasAsked reports whether a rank has used the pointer alone.
func (p *sharedPointer) wasAsked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *sharedPointer) at() Offset {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pos
}

// move is each rank's part of collective move number round, to pos. The first rank makes
// it: when a slow rank comes, a fast one may already have moved the pointer on by its own
// accesses.
func (p *sharedPointer) move(round int, pos Offset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.round < round {
		p.round, p.pos = round, pos
		p.moves++
		p.mine = p.moves
	}
}

// movedIn reports whether a rank has made collective move number round.
func (p *sharedPointer) movedIn(round int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.round >= round
}

// moveShared is this rank's part of a collective move of the shared pointer.
func (f *File) moveShared(pos Offset) {
	f.round++
	f.set.pointer.move(f.round, pos)
}

// giveBackShared moves the shared pointer back after a failed access, unless it has been
// moved since: to the end of what the access moved, or, for an ordered access, to its
// beginning, because ranks after the failed one may have moved their parts.
//
//go:noinline
func (f *File) giveBackShared(a *access) {
	switch {
	case a.at != shared:
	case a.with == alone:
		f.set.pointer.giveBack(a, a.off+Offset(a.moved/f.view.Unit.Size))
	default:
		f.set.pointer.giveBackAll(f.round, a.first)
		f.round++
	}
}

// latest returns the value of the last rank to arrive at a meeting. Until then single ranks
// may move the pointer, and they only move it forward.
func latest(args []any, of func(args any) int64) int64 {
	var last int64
	for _, a := range args {
		last = max(last, of(a))
	}
	return last
}

// An order holds this rank's part in an ordered access, and its result.
type order struct {
	write  bool
	etypes int64  // etypes that it asks for, and gets
	end    Offset // end of the data as this rank sees it; only reads of a stream stop there

	first, last Offset // where the part of rank 0 begins, and where the pointer ends up
	start       Offset // where the part of this rank begins
	begins      bool   // it is the first one with bytes
	round       int    // number of the collective move
}

// resolveOrdered gives every rank its start, after the parts of the lower ranks. All ranks
// have come, so none of them moves the pointer.
func resolveOrdered(args []any) (any, error) {
	if err := args[0].(*File).likeViews(); err != nil {
		return nil, err
	}
	first := args[0].(*File).set.pointer.at()
	end := Offset(math.MaxInt64) // an end that all ranks see, so that no rank gets a part that it does not see
	for _, a := range args {
		end = min(end, a.(*File).order.end)
	}
	last := first
	for _, a := range args {
		o := &a.(*File).order
		if end < math.MaxInt64 {
			o.etypes = min(o.etypes, int64(max(0, end-last)))
		}
		o.begins = last == first && o.etypes > 0
		o.first, o.start = first, last
		if last += Offset(o.etypes); last < 0 {
			return nil, broken(ErrArg, "IO-DA-16", "the ranks' parts end beyond the largest file offset")
		}
	}
	for _, a := range args {
		a.(*File).order.last = last
	}
	return nil, onceEach(args)
}

// placeShared gives a noncollective access its place at the shared pointer.
func (f *File) placeShared(a *access) error {
	err := f.set.pointer.take(a, func(a *access) error {
		err := f.reach(a.off, a.etypes)
		if err == nil && a.write {
			err = f.once(a.off, a.etypes)
		}
		switch {
		case err != nil:
		case f.streamRead(a):
			a.clip(f.accessibleBytes(a) / f.view.Unit.Size) // a stream gives whole etypes
		case f.cutting(a):
			if err = f.cut(a, a.off); err == nil {
				f.forgetCut(a.off)
			}
		}
		return err
	})
	if a.cut.hi > 0 {
		f.noteRemoved(a)
	}
	return err
}

// placeOrdered takes this rank's place from the result of the meeting. The ranks have one
// view, so all of them find the same end out of reach.
func (f *File) placeOrdered(a *access) error {
	o := &f.order
	if err := f.reach(o.first, int64(o.last-o.first)); err != nil {
		return err
	}
	a.off, a.first = o.start, o.first
	a.clip(o.etypes)
	if f.cutting(a) {
		f.forgetCut(o.first)
	}
	if o.last > o.first { // on all ranks, or on none
		f.moveShared(o.last)
	}
	o.round = f.round
	return nil
}

// oneView returns an error if ranks use the shared pointer through different views, as far as
// this rank knows.
func (f *File) oneView() error {
	if f.view.blind {
		f.view.relied = true
	}
	return f.likeViews()
}

// likeViews is oneView where all ranks have come.
func (f *File) likeViews() error {
	if f.unlike >= 0 {
		return broken(ErrNotSame, "IO-SHP-02", "ranks 0 and %d have different views; the shared pointer needs the same on all", f.unlike)
	}
	return nil
}

// ReadShared reads into buf at the shared pointer, which moves past the
// request at once, so that no two calls get the same etypes. All ranks need
// the same view. Errors as [File.ReadAt], ErrNotSame.
//
// MPI_File_read_shared
func (f *File) ReadShared(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "ReadShared", at: shared, buf: buf})
}

// WriteShared writes buf at the shared pointer, which moves past the request
// at once. All ranks need the same view. Errors as [File.WriteAt], ErrNotSame.
//
// MPI_File_write_shared
func (f *File) WriteShared(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "WriteShared", write: true, at: shared, buf: buf})
}

// IReadShared starts [File.ReadShared], and moves the shared pointer at once;
// see [File.IReadAt].
//
// MPI_File_iread_shared
func (f *File) IReadShared(buf types.Buffer) (*comm.Request, error) {
	return f.to().initiate(call{op: "IReadShared", at: shared, buf: buf})
}

// IWriteShared starts [File.WriteShared], and moves the shared pointer at once;
// see [File.IReadAt].
//
// MPI_File_iwrite_shared
func (f *File) IWriteShared(buf types.Buffer) (*comm.Request, error) {
	return f.to().initiate(call{op: "IWriteShared", write: true, at: shared, buf: buf})
}

// ReadOrdered is [File.ReadShared] by all ranks, as if one after the other in
// the order of their ranks. Collective.
//
// MPI_File_read_ordered
func (f *File) ReadOrdered(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "ReadOrdered", at: shared, with: all, buf: buf})
}

// WriteOrdered is [File.WriteShared] by all ranks, as if one after the other
// in the order of their ranks. Collective.
//
// MPI_File_write_ordered
func (f *File) WriteOrdered(buf types.Buffer) (Status, error) {
	return f.to().run(call{op: "WriteOrdered", write: true, at: shared, with: all, buf: buf})
}

// A sharedSeek holds the arguments of SeekShared that must be equal on all ranks.
type sharedSeek struct {
	off    Offset
	whence Whence
}

// SeekShared moves the shared pointer to off etypes from whence. Collective,
// the same arguments and the same view on all ranks. Errors: ErrArg,
// ErrNotSame, ErrUnsupportedOperation on a Sequential file.
//
// MPI_File_seek_shared
func (f *File) SeekShared(off Offset, whence Whence) error { return f.to().seekShared(off, whence) }

func (f *File) seekShared(off Offset, whence Whence) error {
	const op = "SeekShared"
	if err := f.alive(op); err != nil {
		return err
	}
	defer f.returns(op, f.log.Begin())
	err := f.notSequential("IO-SHP-08")
	if err == nil {
		err = f.unsplit(&access{call: call{op: op, with: all}})
	}
	if err == nil {
		err = classified(f.inject(faults.Seek), ErrIO, "IO-SHP-08")
	}
	if _, err = f.chooser.depart(op, sharedSeek{off, whence}, err, f.resolveSeek, nil, nil); err != nil {
		return f.raise(err)
	}
	f.rewound = nil
	if _, early := f.chooser.leaves(); early {
		return f.seekSharedEarly(op, off, whence)
	}
	pos, err := f.target(op, off, whence, f.set.pointer.at())
	// The ranks may see different sizes; the last rank's result counts.
	v, err := f.agree(op, int64(pos), err, func(args []any) (any, error) {
		return Offset(latest(args, func(a any) int64 { return a.(int64) })), nil
	})
	if err != nil {
		return err
	}
	f.moveShared(v.(Offset))
	f.notePointer(op, true, true)
	return nil
}

// resolveSeek checks what must be the same on all ranks.
func (f *File) resolveSeek(args []any) (any, error) {
	if err := f.likeViews(); err != nil {
		return nil, err
	}
	return same("IO-SHP-08", "offset and whence")(args)
}

// seekSharedEarly is seekShared for a rank that does not wait for the others.
func (f *File) seekSharedEarly(op string, off Offset, whence Whence) error {
	err := f.passPointer(op, func() (pos Offset, err error) {
		if pos, err = f.target(op, off, whence, f.set.pointer.at()); err != nil {
			_, err = f.consult(op, nil, err, nil) // no rank may have left early
		}
		return pos, err
	})
	if err == nil {
		f.notePointer(op, true, true)
	}
	return f.raise(err)
}

// PositionShared returns the shared pointer in etypes. Not collective. Errors:
// ErrNotSame, ErrUnsupportedOperation on a Sequential file.
//
// MPI_File_get_position_shared
func (f *File) PositionShared() (Offset, error) { return f.to().positionShared() }

func (f *File) positionShared() (Offset, error) {
	const op = "PositionShared"
	if err := f.alive(op); err != nil {
		return 0, err
	}
	if err := f.notSequential("IO-SHP-09"); err != nil {
		return 0, f.fail(op, err)
	}
	if err := f.oneView(); err != nil {
		return 0, f.fail(op, err)
	}
	if err := f.chooser.sharedPointer(op, false); err != nil {
		return 0, f.stopped(op, err)
	}
	at := f.set.pointer.ask()
	f.notePointer(op, false, false)
	return at, nil
}
