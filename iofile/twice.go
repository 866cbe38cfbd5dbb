package iofile

import (
	"sort"

	"github.com/commworld/commworld/types"
)

// A filetype whose data extend farther than its extent has copies that interleave or
// overlap. The standard forbids overlap inside a filetype on a file that is open for
// writing, and calls the rule equivalent to that of receives: no single receive may store a
// byte twice. So the view is accepted, and a write that would put two of its own bytes into
// one byte of the file is refused. (IO-VIEW-08)

// A distance records which copies of a filetype share bytes. Copies k and k+d
// of a tiling share bytes if and only if copies 0 and d do.
type distance struct {
	apart int64 // copies at distances up to this one share no byte
	least int64 // the least distance at which copies share a byte; 0 until it is found
}

// upTo returns the least distance at which copies of w share a byte if it is at most last,
// and 0 otherwise. It checks each distance once in the life of a view.
func (d *distance) upTo(w types.Tiling, last int64) int64 {
	l, most := w.L, last
	if l.Extent > 0 { // beyond the extent of the data nothing can be shared
		most = min(last, (l.TrueUB-l.TrueLB-1)/l.Extent)
	}
	for d.least == 0 && d.apart < most {
		k := d.apart + 1
		if _, ok := meeting(w, 0, l.Size, k*l.Size, l.Size); ok {
			d.least = k
		} else {
			d.apart = k
		}
	}
	if d.least > last {
		return 0
	}
	return d.least
}

// meeting returns the first byte that packed bytes [a, a+n) and [b, b+m) of w both show.
// Each range is within one copy, whose offsets increase.
func meeting(w types.Tiling, a, n, b, m int64) (int64, bool) {
	for aEnd, bEnd := a+n, b+m; a < aEnd && b < bEnd; {
		switch x, y := w.At(a), w.At(b); {
		case x == y:
			return x, true
		case x < y:
			a += w.Until(y, a, aEnd-a)
		default:
			b += w.Until(x, b, bEnd-b)
		}
	}
	return 0, false
}

// A doubled is a byte that two copies of a filetype show in one access.
type doubled struct {
	at          int64 // byte of the file
	first, next int64 // copies
}

// twice returns a byte that packed bytes [from, from+n) of the view show twice, if there is
// one.
func (v *fileView) twice(from, n int64) (d doubled, found bool) {
	l := v.Tiles.L
	if n <= 0 || l.Size == 0 {
		return d, false
	}
	copies := from / l.Size
	from -= copies * l.Size
	last := (from + n - 1) / l.Size
	w := types.Tiling{L: l}
	least := v.distance.upTo(w, last)
	if least == 0 {
		return d, false
	}
	try := func(i, j int64) bool {
		lo := func(k int64) int64 { return max(from, k*l.Size) }
		room := func(k int64) int64 { return min(from+n-k*l.Size, l.Size) - (lo(k) - k*l.Size) }
		at, ok := meeting(w, lo(i), room(i), lo(j), room(j))
		if ok {
			d = doubled{v.Tiles.Disp + copies*l.Extent + at, copies + i, copies + j}
		}
		return ok
	}
	// The first and the last copy may be incomplete. With two more copies than the least
	// distance, two whole ones share bytes; with one more, only three pairs are so far
	// apart.
	found = try(0, least) || least < last && try(1, 1+least) || least+1 == last && try(0, last)
	return d, found
}

// once returns an error if a write of n etypes from off would write a byte twice.
func (f *File) once(off Offset, n int64) error {
	v := f.view
	if !v.wide {
		return nil
	}
	from, esize := v.packed(off), v.Unit.Size
	d, found := v.twice(from, n*esize)
	if !found {
		return nil
	}
	fewer := sort.Search(int(min(n, 1<<31-1)), func(k int) bool {
		_, found := v.twice(from, int64(k+1)*esize)
		return found
	})
	l, unit := v.Tiles.L, v.Unit.Extent
	wide := (l.TrueUB - l.TrueLB + unit - 1) / unit * unit
	return broken(ErrArg, "IO-VIEW-08", "copies %d and %d of filetype %v both show byte %d, so this call would write it twice; "+
		"write at most %d etypes from offset %d in one call, or keep the copies apart: types.Resized(filetype, %d, %d)",
		d.first, d.next, v.Filetype, d.at, fewer, off, l.LB, wide)
}

// onceEach is once for every rank's part of an ordered write.
func onceEach(files []any) error {
	for _, a := range files {
		f := a.(*File)
		if !f.order.write {
			continue
		}
		if far := f.reach(f.order.start, f.order.etypes); far != nil {
			continue // the ranks find that themselves
		}
		if err := f.once(f.order.start, f.order.etypes); err != nil {
			return err
		}
	}
	return nil
}
