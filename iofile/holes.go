package iofile

import (
	"slices"

	"github.com/commworld/commworld/types"
)

// holesFit checks that a filetype consists of copies of its etype, with holes between them
// that are whole etypes wide (IO-VIEW-05, IO-VIEW-07).
func holesFit(v *view) error {
	unit, l := v.etype, v.tiles.L
	if l.Size == 0 {
		return nil
	}
	ext := unit.Extent
	if ext <= 0 {
		return broken(ErrArg, "IO-VIEW-07", "etype %v has extent %d; holes of a filetype are measured in it", v.Etype, ext)
	}
	first := types.Tiling{L: l}.At(0) - types.Tiling{L: unit}.At(0)
	if !l.CopiesOf(unit) { // it may be legal nevertheless; or the error must name the place
		copies := copiesOf
		if isDense(unit) {
			copies = copiesOfDense
		}
		if err := copies(v, first); err != nil {
			return err
		}
	}
	if hole := first + unit.LB - l.LB; hole%ext != 0 {
		return oddHole(v, "first hole", hole)
	}
	if l.Extent%ext != 0 {
		return oddHole(v, "extent", l.Extent)
	}
	return nil
}

// isDense reports whether a layout is one run of bytes without holes.
func isDense(l *types.Layout) bool {
	return l.Dense() && l.Size == l.Extent
}

// copiesOfDense is holesFit for an etype that is one run of bytes.
func copiesOfDense(v *view, first int64) error {
	ext := v.etype.Extent
	for off, n := range (types.Tiling{L: v.tiles.L}).Runs(0, v.tiles.L.Size) {
		if n%ext != 0 {
			return torn(v, off)
		}
		if (off-first)%ext != 0 {
			return oddHole(v, "displacement", off-first)
		}
	}
	return nil
}

// copiesOf is holesFit for an etype that has holes itself.
func copiesOf(v *view, first int64) error {
	unit, size, ext := types.Tiling{L: v.etype}, v.esize(), v.etype.Extent
	whole := types.Tiling{L: v.tiles.L}
	for k := range v.etypes {
		at := whole.At(k*size) - unit.At(0)
		if (at-first)%ext != 0 {
			return oddHole(v, "displacement", at-first)
		}
		there := types.Tiling{L: v.etype, Disp: at}
		if !slices.Equal(pairs(whole, k*size, size), pairs(there, 0, size)) {
			return torn(v, at)
		}
	}
	return nil
}

func pairs(w types.Tiling, from, n int64) (out [][2]int64) {
	for off, n := range w.Runs(from, n) {
		out = append(out, [2]int64{off, n})
	}
	return out
}

func oddHole(v *view, what string, n int64) error {
	return broken(ErrArg, "IO-VIEW-07", "filetype %v: %s %d is no multiple of the extent %d of etype %v",
		v.Filetype, what, n, v.etype.Extent, v.Etype)
}

func torn(v *view, off int64) error {
	return broken(ErrArg, "IO-VIEW-05", "filetype %v is not made of copies of etype %v: the one at byte %d is torn apart",
		v.Filetype, v.Etype, off)
}
