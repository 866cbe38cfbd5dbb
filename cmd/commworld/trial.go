package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A trial is one file: some ranks write it, then every number of ranks reads it.
type trial struct {
	*engine
	name     string
	rep      string
	write    deal
	read     []deal
	diff     *difference
	compared atomic.Int64 // bytes that readers compared
}

// A deal is a decomposition over a number of ranks, with the places of their
// parts in the engine's memory.
type deal struct {
	decomposition int // index of decompositions
	ranks         int
	own           *ownership
	starts        []int64         // elements before each rank's part
	found         [2][]difference // what each rank saw wrong: reading collectively, alone
}

func (e *engine) newTrial(rep string, decomposition, i int) *trial {
	p := e.ranks[i]
	t := &trial{engine: e, rep: rep, write: e.deal(decomposition, p)}
	t.name = fmt.Sprintf("%s.%s.%s.%d", e.in.elem.name, rep, decompositions[decomposition].name, p)
	for j, q := range e.ranks {
		// Never the writers' own decomposition; over all counts, every other.
		other := decomposition + 1 + (i+j)%(len(decompositions)-1)
		t.read = append(t.read, e.deal(other%len(decompositions), q))
	}
	return t
}

func (e *engine) deal(decomposition, ranks int) deal {
	d := deal{decomposition: decomposition, ranks: ranks, own: e.ownership(decomposition, ranks)}
	at := int64(0)
	for r := range ranks {
		d.starts = append(d.starts, at)
		at += d.own.counts[r]
	}
	for i := range d.found {
		d.found[i] = make([]difference, ranks)
	}
	return d
}

// part is the memory of rank's part, and how many elements it holds.
func (t *trial) part(d *deal, rank int) ([]byte, int64) {
	n, size := d.own.counts[rank], t.in.elem.size
	return t.local[d.starts[rank]*size : (d.starts[rank]+n)*size], n
}

// run writes, reads and compares; counts go to row, a difference to t.diff.
func (t *trial) run(ctx context.Context, ref *reference, row *tableRow) error {
	if t.keep { // files of an earlier run make way
		if err := iofile.Delete(t.fsys, t.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := world.Run(ctx, slices.Max(t.ranks), t.rank); err != nil {
		return err
	}
	if err := t.inspect(ref, row); err != nil || t.diff != nil {
		return err
	}
	for i := range t.read {
		for mode := range t.read[i].found {
			row.Reads++
			if t.diff = earliest(t.read[i].found[mode]); t.diff != nil {
				return nil
			}
		}
	}
	row.Bytes += t.compared.Load()
	return t.clean(ref)
}

// rank is what each rank of the world does. Handles of readers are open from
// before the first write, so that it takes sync, barrier, sync to see it.
func (t *trial) rank(_ context.Context, c *comm.Comm) error {
	out, err := t.open(c, t.write.ranks, iofile.Create|iofile.Excl|iofile.ReadWrite)
	if err != nil {
		return err
	}
	if err := c.Barrier(); err != nil { // the file exists
		return err
	}
	in := make([]*iofile.File, len(t.read))
	for i := range t.read {
		if in[i], err = t.open(c, t.read[i].ranks, iofile.ReadOnly); err != nil {
			return err
		}
	}
	if out != nil {
		if err := t.store(out, c.Rank()); err != nil {
			return err
		}
	}
	for i, f := range in {
		// All parts share one memory: no deal begins before the last is done.
		if err := c.Barrier(); err != nil {
			return err
		}
		if f == nil {
			continue
		}
		if err := t.fetch(f, &t.read[i], c.Rank()); err != nil {
			return err
		}
	}
	return closeAll(append(in, out))
}

// open opens the file for the first n ranks; the others get nil.
func (t *trial) open(c *comm.Comm, n int, mode iofile.Mode) (*iofile.File, error) {
	colour := 0
	if c.Rank() >= n {
		colour = comm.Undefined
	}
	few, err := c.Split(colour, c.Rank())
	if err != nil || few == nil {
		return nil, err
	}
	return iofile.Open(few, t.fsys, t.name, mode)
}

func closeAll(files []*iofile.File) error {
	for _, f := range files {
		if f == nil {
			continue
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// store writes rank's part and its share of the tail, and publishes them.
func (t *trial) store(f *iofile.File, rank int) error {
	mem, n := t.part(&t.write, rank)
	t.write.own.fill(mem, t.in.array, rank, t.in.elem.size)
	mem, n = t.breakPart(mem, n, rank)
	if len(t.in.array) > 0 {
		if _, err := t.look(f, &t.write, rank, true); err != nil {
			return err
		}
		if _, err := f.WriteAtAll(t.raw(mem, n), 0); err != nil {
			return err
		}
	}
	if len(t.in.tail) > 0 {
		lo, hi, err := t.lookAtTail(f, rank, t.write.ranks)
		if err != nil {
			return err
		}
		if _, err := f.WriteAtAll(types.Raw(t.in.tail[lo:hi], hi-lo, types.Byte), iofile.Offset(lo)); err != nil {
			return err
		}
	}
	return f.Sync()
}

// breakPart lets a test spoil what a writer is about to write.
func (t *trial) breakPart(mem []byte, n int64, rank int) ([]byte, int64) {
	name := decompositions[t.write.decomposition].name
	if t.faults.local != nil {
		t.faults.local(mem, name, rank, t.write.ranks)
	}
	if t.faults.lost != nil {
		n = max(0, n-t.faults.lost(name, rank, t.write.ranks))
	}
	return mem[:n*t.in.elem.size], n
}

// look sets rank's view of the array. Displacements are found from the extent
// that an element has in the file.
func (t *trial) look(f *iofile.File, d *deal, rank int, write bool) (iofile.View, error) {
	elem := t.in.elem.typ
	if err := f.SetView(iofile.View{Etype: elem, Filetype: elem, Rep: t.rep}); err != nil {
		return iofile.View{}, err
	}
	extent, err := f.TypeExtent(elem)
	if err != nil {
		return iofile.View{}, err
	}
	v := t.view(d.decomposition, rank, d.ranks, write)
	view := iofile.View{Disp: v.first * extent, Etype: elem, Filetype: v.filetype, Rep: t.rep}
	return view, f.SetView(view)
}

// lookAtTail sets the view of the bytes behind the array and returns which of
// them rank of p carries.
func (t *trial) lookAtTail(f *iofile.File, rank, p int) (lo, hi int64, err error) {
	extent, err := f.TypeExtent(t.in.elem.typ)
	if err != nil {
		return 0, 0, err
	}
	lo, hi = t.in.tailOf(rank, p)
	return lo, hi, f.SetView(t.tailView(extent))
}

func (t *trial) tailView(extent int64) iofile.View {
	return iofile.View{Disp: t.in.shape.elements() * extent, Etype: types.Byte, Filetype: types.Byte, Rep: t.rep}
}

// poison fills read buffers, another value for each way of reading: a byte that
// no read has touched cannot be right both times.
var poison = [2]byte{0xa5, 0x5a}

// fetch reads rank's part collectively, then alone in pieces, and compares.
func (t *trial) fetch(f *iofile.File, d *deal, rank int) error {
	if err := f.Sync(); err != nil {
		return err
	}
	for mode, read := range []reader{readTogether, readAlone} {
		array, view, err := t.fetchArray(f, d, rank, read, poison[mode])
		if err != nil {
			return err
		}
		tail, err := t.fetchTail(f, d, rank, read, poison[mode])
		if err != nil {
			return err
		}
		d.found[mode][rank] = t.judge(view, d, rank, mode, array, tail)
	}
	return nil
}

func (t *trial) fetchArray(f *iofile.File, d *deal, rank int, read reader, blank byte) ([]byte, iofile.View, error) {
	mem, n := t.part(d, rank)
	if len(t.in.array) == 0 {
		return nil, iofile.View{}, nil
	}
	view, err := t.look(f, d, rank, false)
	if err != nil {
		return nil, view, err
	}
	set(mem, blank)
	return mem, view, read(f, t.raw(mem, n), 0)
}

func (t *trial) fetchTail(f *iofile.File, d *deal, rank int, read reader, blank byte) ([]byte, error) {
	if len(t.in.tail) == 0 {
		return nil, nil
	}
	lo, hi, err := t.lookAtTail(f, rank, d.ranks)
	if err != nil {
		return nil, err
	}
	mem := make([]byte, hi-lo)
	set(mem, blank)
	return mem, read(f, types.Raw(mem, hi-lo, types.Byte), iofile.Offset(lo))
}

// A reader reads buf at off of the view.
type reader func(f *iofile.File, buf types.Buffer, off iofile.Offset) error

func readTogether(f *iofile.File, buf types.Buffer, off iofile.Offset) error {
	_, err := f.ReadAtAll(buf, off)
	return err
}

// readAlone reads in a few pieces, so that accesses begin inside tiles.
func readAlone(f *iofile.File, buf types.Buffer, off iofile.Offset) error {
	n := buf.Count()
	if n == 0 {
		return nil
	}
	size := int64(len(buf.Mem())) / n
	piece := n/3 + 1
	for at := int64(0); at < n; at += piece {
		m := min(piece, n-at)
		part := types.Raw(buf.Mem()[at*size:(at+m)*size], m, buf.Type())
		if _, err := f.ReadAt(part, off+iofile.Offset(at)); err != nil {
			return err
		}
	}
	return nil
}

func set(mem []byte, with byte) {
	for i := range mem {
		mem[i] = with
	}
}

// judge compares what rank read with FILE, in place.
func (t *trial) judge(view iofile.View, d *deal, rank, mode int, mem, tail []byte) difference {
	if at, in, same := d.own.check(mem, t.in.array, rank, t.in.elem.size); !same {
		return t.readDifference(mode, d, rank, at, mem[in], view)
	}
	lo, hi := t.in.tailOf(rank, d.ranks)
	if i := mismatch(tail, t.in.tail[lo:hi]); i < hi-lo {
		return t.readDifference(mode, d, rank, int64(len(t.in.array))+lo+i, tail[i], t.tailView(t.in.elem.size))
	}
	t.compared.Add(int64(len(mem)) + hi - lo)
	return difference{}
}
