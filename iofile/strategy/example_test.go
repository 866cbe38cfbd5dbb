package strategy_test

import (
	"fmt"

	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
)

// NewPlan computes the plan of a strategy for an access without any world or file, so that
// strategies can be compared for patterns of any size. Here 8 ranks write every eighth of a
// million doubles.
func ExampleNewPlan() {
	eighth, err := types.Resized(types.Double, 0, 64).Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	parts := make([]strategy.Part, 8)
	for r := range parts {
		parts[r] = strategy.Part{At: types.Tiling{L: eighth, Disp: 8 * int64(r)}, N: 1e6}
	}
	for _, s := range []strategy.Strategy{strategy.List{}, strategy.TwoPhase{Nodes: 2}} {
		p, err := strategy.NewPlan(s, true, true, parts)
		if err != nil {
			fmt.Println(err)
			continue
		}
		n := p.Counts()
		fmt.Println(s, "writes:", n.Writes, "bytes sent:", n.Sent)
	}
	// Output:
	// List writes: 15632 bytes sent: 0
	// TwoPhase{cb_nodes 2} writes: 2 bytes sent: 7000000
}

// The strategies differ in requests only. For three single bytes, ten bytes apart, Direct
// makes one request each, List puts them into one, and Sieve reads a stretch with the gaps
// and writes it back.
func ExampleStrategy() {
	layout, err := types.Resized(types.Byte, 0, 10).Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	parts := []strategy.Part{{At: types.Tiling{L: layout}, N: 3}}
	for _, s := range []strategy.Strategy{strategy.Direct{}, strategy.List{}, strategy.Sieve{}} {
		p, err := strategy.NewPlan(s, true, false, parts)
		if err != nil {
			fmt.Println(err)
			continue
		}
		n := p.Counts()
		fmt.Printf("%v: %d reads, %d writes of %d bytes\n", s, n.Reads, n.Writes, n.WriteBytes)
	}
	// Output:
	// Direct: 0 reads, 3 writes of 3 bytes
	// List: 0 reads, 1 writes of 3 bytes
	// Sieve: 1 reads, 1 writes of 21 bytes
}
