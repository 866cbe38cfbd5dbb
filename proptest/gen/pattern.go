package gen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// A Cut is a distribution of a one-dimensional array of elements over ranks.
type Cut struct {
	Kind  CutKind
	Block int64 // of cyclic cuts
}

// A CutKind is a kind of distribution.
type CutKind uint8

// The kinds of distribution.
const (
	Blocks CutKind = iota // one block for each rank, the first ones larger
	Cyclic                // blocks assigned in turn
	Skewed                // one block for each rank, the first rank the smallest
)

// String returns the name of the distribution.
func (c Cut) String() string {
	switch c.Kind {
	case Cyclic:
		return fmt.Sprintf("cyclic(%d)", c.Block)
	case Skewed:
		return "skewed"
	}
	return "blocks"
}

// Cuts draws a distribution.
func Cuts() *rapid.Generator[Cut] {
	return rapid.Custom(func(t *rapid.T) Cut {
		c := Cut{Kind: CutKind(rapid.IntRange(0, int(Skewed)).Draw(t, "cut")), Block: 1}
		if c.Kind == Cyclic {
			c.Block = rapid.Int64Range(1, 4).Draw(t, "block")
		}
		return c
	})
}

// Part returns the elements of a rank, in ascending order, if n elements are distributed
// over ranks.
func (c Cut) Part(n int64, rank, ranks int) []types.Block {
	r, all := int64(rank), int64(ranks)
	switch c.Kind {
	case Cyclic:
		var blocks []types.Block
		for at := r * c.Block; at < n; at += all * c.Block {
			blocks = append(blocks, types.Block{Disp: at, Len: min(c.Block, n-at)})
		}
		return blocks
	case Skewed:
		whole := all * (all + 1) / 2
		return one(n*(r*(r+1)/2)/whole, n*((r+1)*(r+2)/2)/whole)
	}
	return one((n*r+all-1)/all, (n*(r+1)+all-1)/all)
}

func one(lo, hi int64) []types.Block {
	if lo == hi {
		return nil
	}
	return []types.Block{{Disp: lo, Len: hi - lo}}
}
