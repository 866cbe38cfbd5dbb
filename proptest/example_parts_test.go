package proptest_test

import (
	"fmt"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// OfFS makes the files of one file system a layer, so that a test can look at the files
// after the program.
func ExampleOfFS() {
	fsys := iofile.NewMem()
	program := &gen.Program{Ranks: 1, Ops: []gen.Op{{Do: gen.Write, Off: 0, N: 4}}}
	err := proptest.Reference(func() (proptest.Layer, error) { return proptest.OfFS(fsys), nil }, program)
	entries, _ := fsys.ReadDir(".")
	fmt.Println(len(entries), "file", err)
	// Output: 1 file <nil>
}

// AtMost keeps the programs of the suite small, for a layer that is slow.
func ExampleAtMost() {
	groups, err := proptest.Groups(proptest.Ours(nil), proptest.AtMost(2, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	small := true
	for _, g := range groups {
		for seed := range 10 {
			if g.Programs != nil {
				p := g.Programs.Example(seed)
				small = small && p.Ranks <= 2 && len(p.Ops) <= 3
			}
		}
	}
	fmt.Println(small)
	// Output: true
}

// Without leaves out capabilities that a layer has but does not promise. The property is
// then listed with the reason why it is skipped.
func ExampleWithout() {
	groups, err := proptest.Groups(proptest.Ours(nil), proptest.Without(proptest.Atomic))
	skipped := 0
	for _, g := range groups {
		if g.Skipped != "" {
			skipped++
		}
	}
	fmt.Println(skipped > 0, err)
	// Output: true <nil>
}

// Combinations draws ways to run a pattern, for Combine or for a property of your own.
func ExampleCombinations() {
	pattern := halves()
	pattern.Ranks = 3
	way := proptest.Combinations(pattern).Example(1)
	fmt.Println(way.Writers <= 3, way.Readers <= 3)
	// Output: true true
}
