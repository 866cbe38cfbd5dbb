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
	compared atomic.Int64 // bytes that readers have compared
}

// A deal is a decomposition over a number of ranks.
type deal struct {
	decomposition int // index of decompositions
	ranks         int
	own           *ownership
	found         [2][]difference // the differences that each rank found: reading collectively, and independently
}

func (e *engine) newTrial(rep string, decomposition, i int) *trial {
	p := e.ranks[i]
	t := &trial{engine: e, rep: rep, write: e.deal(decomposition, p)}
	t.name = fmt.Sprintf("%s.%s.%s.%d", e.in.elem.name, rep, decompositions[decomposition].name, p)
	for j, q := range e.ranks {
		// The readers never use the writers' decomposition; over all counts, they use every
		// other one.
		other := decomposition + 1 + (i+j)%(len(decompositions)-1)
		t.read = append(t.read, e.deal(other%len(decompositions), q))
	}
	return t
}

func (e *engine) deal(decomposition, ranks int) deal {
	d := deal{decomposition: decomposition, ranks: ranks, own: e.ownership(decomposition, ranks)}
	for i := range d.found {
		d.found[i] = make([]difference, ranks)
	}
	return d
}

// rounds returns the number of pieces in the largest part. All ranks of a collective access
// make that many calls; those with smaller parts make empty calls at the end.
func (d *deal) rounds(piece int64) int64 {
	return (slices.Max(d.own.counts) + piece - 1) / piece
}

// memory returns rank's memory for n elements.
func (t *trial) memory(rank int, n int64) []byte {
	size := max(0, n) * t.in.elem.size
	if int64(len(t.local[rank])) < size {
		t.local[rank] = make([]byte, size)
	}
	return t.local[rank][:size]
}

// run writes, reads and compares; it stores counts in row, and a difference in t.diff.
func (t *trial) run(ctx context.Context, ref *reference, row *tableRow) error {
	if t.keep { // files of an earlier run are replaced
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

// rank is the program of each rank of the world. Readers open their handles before the
// first write, so they see it only after sync, barrier, sync.
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
	if err := c.Barrier(); err != nil {
		return err
	}
	for i, f := range in {
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

// setView sets rank's view of the array. Displacements are computed from the extent of an
// element in the file.
func (t *trial) setView(f *iofile.File, d *deal, rank int, write bool) (iofile.View, error) {
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

// viewTail sets the view of the bytes after the array and returns which of them rank of p
// writes.
func (t *trial) viewTail(f *iofile.File, rank, p int) (lo, hi int64, err error) {
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

// store writes rank's part and its share of the tail, and publishes them.
func (t *trial) store(f *iofile.File, rank int) error {
	if len(t.in.array) > 0 {
		if err := t.storeArray(f, rank); err != nil {
			return err
		}
	}
	if len(t.in.tail) > 0 {
		lo, hi, err := t.viewTail(f, rank, t.write.ranks)
		if err != nil {
			return err
		}
		if _, err := f.WriteAtAll(types.Raw(t.in.tail[lo:hi], hi-lo, types.Byte), iofile.Offset(lo)); err != nil {
			return err
		}
	}
	return f.Sync()
}

func (t *trial) storeArray(f *iofile.File, rank int) error {
	d := &t.write
	if _, err := t.setView(f, d, rank, true); err != nil {
		return err
	}
	name, total := decompositions[d.decomposition].name, d.own.counts[rank]
	if t.faults.lost != nil {
		total -= t.faults.lost(name, rank)
	}
	cur := d.own.cursor(rank, t.in.elem.size)
	for k := range d.rounds(t.piece) {
		at := k * t.piece
		mem := t.memory(rank, min(t.piece, total-at))
		cur.fill(mem, t.in.array)
		if t.faults.local != nil {
			t.faults.local(mem, name, rank)
		}
		if _, err := f.WriteAtAll(t.raw(mem), iofile.Offset(at)); err != nil {
			return err
		}
	}
	return nil
}

// A way is a way of reading; the two ways are compared separately.
type way struct {
	name   string
	poison byte // initial content of the buffers: different for each way, so that a byte that no read touches cannot be right in both
	read   func(f *iofile.File, buf types.Buffer, off iofile.Offset) (iofile.Status, error)
}

var ways = [2]way{
	{"collective read", 0xa5, (*iofile.File).ReadAtAll},
	{"independent read", 0x5a, (*iofile.File).ReadAt},
}

// fetch reads rank's part in both ways and compares.
func (t *trial) fetch(f *iofile.File, d *deal, rank int) error {
	if err := f.Sync(); err != nil {
		return err
	}
	for i, w := range ways {
		found := &d.found[i][rank]
		if len(t.in.array) > 0 {
			if err := t.fetchArray(f, d, rank, w, found); err != nil {
				return err
			}
		}
		if len(t.in.tail) > 0 {
			if err := t.fetchTail(f, d, rank, w, found); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *trial) fetchArray(f *iofile.File, d *deal, rank int, w way, found *difference) error {
	view, err := t.setView(f, d, rank, false)
	if err != nil {
		return err
	}
	cur := d.own.cursor(rank, t.in.elem.size)
	for k := range d.rounds(t.piece) {
		from := k * t.piece
		mem := t.memory(rank, min(t.piece, d.own.counts[rank]-from))
		set(mem, w.poison)
		if _, err := w.read(f, t.raw(mem), iofile.Offset(from)); err != nil {
			return err
		}
		if found.How != "" {
			continue // the other ranks still wait for this rank's calls
		}
		if at, in, same := cur.check(mem, t.in.array); !same {
			*found = t.readDifference(w, d, rank, at, mem[in], view)
		}
		t.compared.Add(int64(len(mem)))
	}
	return nil
}

func (t *trial) fetchTail(f *iofile.File, d *deal, rank int, w way, found *difference) error {
	lo, hi, err := t.viewTail(f, rank, d.ranks)
	if err != nil {
		return err
	}
	mem := make([]byte, hi-lo)
	set(mem, w.poison)
	if _, err := w.read(f, types.Raw(mem, hi-lo, types.Byte), iofile.Offset(lo)); err != nil {
		return err
	}
	if i := mismatch(mem, t.in.tail[lo:hi]); i < hi-lo && found.How == "" {
		*found = t.readDifference(w, d, rank, int64(len(t.in.array))+lo+i, mem[i], t.tailView(t.in.elem.size))
	}
	t.compared.Add(hi - lo)
	return nil
}

// set fills mem with a byte. Copying doubles the filled part, which is faster than a loop
// over bytes.
func set(mem []byte, with byte) {
	if len(mem) == 0 {
		return
	}
	mem[0] = with
	for n := 1; n < len(mem); n *= 2 {
		copy(mem[n:], mem[:n])
	}
}
