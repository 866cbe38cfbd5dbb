// Package view lays out views of files and checks them: the bytes that a view shows, and the
// rule that it breaks, with the place.
//
// Start here: a [Layout] is a view laid out in a file. [Layout.Check] returns the first rule
// that it breaks, a [Violation], whose Place a drawing marks. Package iofile checks the
// views of handles by it, and `commworld view` draws by it.
//
//	view.go   a view in a file: sizes, its end
//	rules.go  the rules of etype and filetype, in their order
//	place.go  the bytes that break a rule
package view

import (
	"math"
	"math/bits"

	"github.com/commworld/commworld/types"
)

// A Layout is a view laid out in a file.
type Layout struct {
	Sizes types.Sizes   // of items in the file
	Unit  *types.Layout // of the etype
	Tiles types.Tiling  // of the filetype, tiled without end from the displacement
	Each  int64         // etypes in one filetype; set by Check
}

// End returns the end of the view for a file of size bytes: the first etype that starts
// after the last byte (IO-SEEK-03).
func (v *Layout) End(size int64) int64 {
	l, unit, pos := v.Tiles.L, v.Unit.Size, int64(0)
	if l.Size == 0 {
		return 0
	}
	// Within a copy etypes begin in order, so the result is in the first copy whose last
	// etype begins at or after the end. Earlier copies may extend beyond it.
	last := types.Tiling{L: l}.At(l.Size - unit)
	if below := size - v.Tiles.Disp; last < below && l.Extent > 0 {
		hi, lo := bits.Mul64(uint64((below-last-1)/l.Extent+1), uint64(l.Size))
		if hi != 0 || lo > math.MaxInt64 {
			return math.MaxInt64 / unit
		}
		pos = int64(lo)
	}
	pos += v.Tiles.Until(size, pos, math.MaxInt64-pos)
	end := pos / unit
	if pos%unit > 0 && pos < math.MaxInt64 { // if all copies are at one place, no etype of them may start after the end
		end++ // an etype that the end of the file cuts is skipped
	}
	return end
}
