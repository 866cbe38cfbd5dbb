package image

import "github.com/commworld/commworld/types"

// Remembered counts the pieces that im remembers of older versions.
func (im *Image) Remembered() int {
	n := 0
	for i := range int64(Stripes) {
		for _, list := range im.stripeAt(i).undo {
			n += len(list)
		}
	}
	return n
}

// Records counts the records in the log of h.
func (h *Handle) Records() int { return h.log.recs.n }

// SetMostPieces sets the bound on the pieces in one call to a backing, and returns the old
// bound.
func SetMostPieces(n int) int {
	was := mostPieces
	mostPieces = n
	return was
}

// PageHead is how long a page is at first.
const PageHead = pageHead

// The rules of the models of package consistency.
var (
	Weakest = Rules{}
	Session = Rules{Early: true}
	Commit  = Rules{Fresh: true}
	POSIX   = Rules{Early: true, Fresh: true}
)

func Chaos(seed uint64) Rules { return Rules{Chaos: true, Seed: seed} }

// tileOf repeats block bytes every stride bytes from lo on.
func tileOf(block, stride, lo int64) types.Tiling {
	l, err := types.Resized(types.Contiguous(block, types.Byte), 0, stride).Layout(types.Host)
	if err != nil {
		panic(err)
	}
	return types.Tiling{L: l, Disp: lo}
}
