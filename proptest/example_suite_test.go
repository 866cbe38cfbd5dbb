package proptest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Conformance is a test of your layer in one line. AtMost keeps programs small, and
// Without leaves out what the layer does not promise.
func ExampleConformance() {
	// In a file of your own this is func TestMyLayer(t *testing.T).
	_ = func(t *testing.T) {
		mine := func() (proptest.Layer, error) { return proptest.OfFS(iofile.NewMem()), nil }
		proptest.Conformance(t, mine, proptest.AtMost(3, 10), proptest.Without(proptest.SharedPointers))
	}
}

// Fuzz makes a property of the suite a fuzz target, for long searches by go test -fuzz.
func ExampleFuzz() {
	// In a file of your own this is func FuzzMyLayer(f *testing.F).
	_ = func(f *testing.F) {
		proptest.Fuzz(f, proptest.Ours(nil), "everything together")
	}
}

// halves is a pattern: what each rank does to write and to read its part of an array.
func halves() proptest.Pattern {
	open := func(p *proptest.Part) (*iofile.File, error) {
		f, err := p.Open(iofile.Create | iofile.ReadWrite)
		if err != nil {
			return nil, err
		}
		return f, f.SetView(p.View(0))
	}
	return proptest.Pattern{
		Write: func(p *proptest.Part) error {
			f, err := open(p)
			if err != nil {
				return err
			}
			_, err = f.WriteAtAll(p.Buffer(), 0)
			return errors.Join(err, f.Close())
		},
		Read: func(p *proptest.Part) error {
			f, err := open(p)
			if err != nil {
				return err
			}
			_, err = f.ReadAtAll(p.Buffer(), 0)
			return errors.Join(err, f.Close())
		},
	}
}

// AnyProcessCount checks that the file of your output code does not depend on how many
// ranks wrote it, and that any number of ranks can read it.
func ExampleAnyProcessCount() {
	pattern := proptest.Pattern{
		Write: func(p *proptest.Part) error {
			f, err := p.Open(iofile.Create | iofile.WriteOnly)
			if err != nil {
				return err
			}
			if err := f.SetView(p.View(0)); err != nil {
				return err
			}
			_, err = f.WriteAtAll(p.Buffer(), 0)
			return errors.Join(err, f.Close())
		},
		Read: func(p *proptest.Part) error {
			f, err := p.Open(iofile.ReadOnly)
			if err != nil {
				return err
			}
			if err := f.SetView(p.View(0)); err != nil {
				return err
			}
			_, err = f.ReadAtAll(p.Buffer(), 0)
			return errors.Join(err, f.Close())
		},
	}
	// In a file of your own this is func TestMyOutput(t *testing.T).
	_ = func(t *testing.T) { proptest.AnyProcessCount(t, pattern) }
}

// FuzzAnyProcessCount is AnyProcessCount for go test -fuzz.
func ExampleFuzzAnyProcessCount() {
	pattern := halves()
	// In a file of your own this is func FuzzMyOutput(f *testing.F).
	_ = func(f *testing.F) { proptest.FuzzAnyProcessCount(f, pattern) }
}

// Combine runs a pattern in one of the ways that AnyProcessCount tries: with a number of
// writers, a number of readers and a cut of the array.
func ExampleCombine() {
	pattern := halves()
	way := proptest.Combinations(pattern).Example(1)
	fmt.Println(proptest.Combine(pattern, way))

	pattern.Read = func(p *proptest.Part) error { return nil } // reads nothing
	broken := 0
	for seed := range 20 {
		if proptest.Combine(pattern, proptest.Combinations(pattern).Example(seed)) != nil {
			broken++
		}
	}
	fmt.Println("found:", broken > 0)
	// Output:
	// <nil>
	// found: true
}

// RoundTrip writes marks through a view of each rank, closes the file and reads them
// back, on any layer that has views.
func ExampleRoundTrip() {
	other := types.Resized(types.Int32, 0, 8)
	views := []iofile.View{
		{Disp: 0, Etype: types.Int32, Filetype: other},
		{Disp: 4, Etype: types.Int32, Filetype: other},
	}
	fmt.Println(proptest.RoundTrip(proptest.Ours(nil), views, 10, 1))
	// Output: <nil>
}

// ViewInverse also checks where the bytes are in the file, which RoundTrip does not see:
// a layer that ignores all views may still read back what it wrote.
func ExampleViewInverse() {
	other := types.Resized(types.Int32, 0, 8)
	views := []iofile.View{
		{Disp: 0, Etype: types.Int32, Filetype: other},
		{Disp: 4, Etype: types.Int32, Filetype: other},
	}
	fmt.Println(proptest.ViewInverse(proptest.Ours(nil), views, 10, 1))
	// Output: <nil>
}

// AtomicSerialisable asks whether some order of the accesses explains what atomic
// accesses read. Here two ranks write the same bytes and both read them.
func ExampleAtomicSerialisable() {
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{
		{Do: gen.Atomic, All: true, On: true},
		{Do: gen.Write, Rank: 0, Off: 0, N: 4},
		{Do: gen.Write, Rank: 1, Off: 0, N: 4},
		{Do: gen.Read, Rank: 0, Off: 0, N: 4},
		{Do: gen.Read, Rank: 1, Off: 0, N: 4},
	}}
	fmt.Println(proptest.AtomicSerialisable(proptest.Ours(nil), program))
	// Output: <nil>
}

// NothingLost checks the bytes stored before the files are closed, and those that crashes
// leave: bytes that all ranks synced must be there.
func ExampleNothingLost() {
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{
		{Do: gen.Write, Rank: 0, Off: 0, N: 4},
		{Do: gen.Sync, All: true},
		{Do: gen.Write, Rank: 1, Off: 4, N: 4}, // may be lost
	}}
	fmt.Println(proptest.NothingLost(proptest.Ours(nil), program))
	// Output: <nil>
}

// Promises runs a program while calls on its file fail, and checks the promises that hold
// even then. The program here is one that gen draws.
func ExamplePromises() {
	programs := gen.FaultPrograms(gen.Limits{Ranks: 2, Ops: 6})
	fmt.Println(proptest.Promises(proptest.Ours(nil), programs.Example(1)))
	// Output: <nil>
}

// ModelIndependent runs a program that does not race under each model of visibility. All
// must read the same bytes.
func ExampleModelIndependent() {
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{
		{Do: gen.Write, Rank: 0, Off: 0, N: 4},
		{Do: gen.Sync, All: true},
		{Do: gen.Read, Rank: 1, Off: 0, N: 4},
	}}
	fmt.Println(proptest.ModelIndependent(program))
	// Output: <nil>
}

// StrategyIndependent runs a program under each strategy of moving bytes. The bytes that
// ranks read and the contents of the file must be the same.
func ExampleStrategyIndependent() {
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{
		{Do: gen.Write, Rank: 0, Off: 0, N: 4},
		{Do: gen.Sync, All: true},
		{Do: gen.Read, Rank: 1, Off: 0, N: 4},
	}}
	fmt.Println(proptest.StrategyIndependent(program))
	// Output: <nil>
}

// Ours makes layers of this module's files, with options. All programs that the suite draws
// must pass on them.
func ExampleOurs() {
	program := &gen.Program{Ranks: 1, Ops: []gen.Op{
		{Do: gen.Write, Off: 0, N: 4},
		{Do: gen.Read, Off: 0, N: 4},
	}}
	mk := proptest.Ours([]iofile.Option{iofile.WithModel(consistency.Weakest.WithPoison('?'))}, iofile.WithStrategy(strategy.Sieve{}))
	fmt.Println(proptest.Reference(mk, program))
	// Output: <nil>
}

// Files makes layers of plain files of the operating system, the simplest layer there
// is. A program that syncs where the standard asks for it reads the right bytes there.
func ExampleFiles() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{
		{Do: gen.Write, Rank: 1, Off: 2, N: 4},
		{Do: gen.Sync, All: true},
		{Do: gen.Read, Rank: 0, Off: 0, N: 8},
	}}
	fmt.Println(proptest.Reference(proptest.Files(dir), program))
	// Output: <nil>
}

// Rank runs a program as one rank of a world that you started yourself, and Judge compares
// the results of all ranks with the definition. So a layer can be tested whose ranks are
// processes.
func ExampleRank() {
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{
		{Do: gen.Write, Rank: 1, Off: 0, N: 4},
		{Do: gen.Sync, All: true},
		{Do: gen.Read, Rank: 0, Off: 0, N: 4},
	}}
	layer := proptest.OfFS(iofile.NewMem())
	saw := make([]*proptest.Account, program.Ranks) // each rank sets its own
	err := world.Run(context.Background(), program.Ranks, func(_ context.Context, c *comm.Comm) (err error) {
		saw[c.Rank()], err = proptest.Rank(layer, c, program)
		return err
	})
	var stored []byte
	for i := range int64(4) {
		stored = append(stored, gen.Mark(1, 0, i))
	}
	fmt.Println(err, proptest.Judge(program, saw, stored))
	stored[2] = 0
	var wrong *proptest.Disagreement
	fmt.Println(errors.As(proptest.Judge(program, saw, stored), &wrong))
	// Output:
	// <nil> <nil>
	// true
}

// Groups lists the properties that Conformance checks, for a suite of your own. Each
// name begins with the rules of the standard that the property is about.
func ExampleGroups() {
	groups, err := proptest.Groups(proptest.Ours(nil), proptest.Without(proptest.Views))
	skipped := 0
	for _, g := range groups {
		if strings.Contains(g.Skipped, string(proptest.Views)) {
			skipped++
		}
	}
	fmt.Println(len(groups) > 10, skipped > 0, err)
	// Output: true true <nil>
}

// With adds capabilities that no method shows. If the ranks of a layer may open only one
// file at a time, the suite does not test two handles, unless With adds that capability.
func ExampleWith() {
	oneAtATime := func() (proptest.Layer, error) { return &exclusive{Layer: proptest.OfFS(iofile.NewMem())}, nil }
	for _, opts := range [][]proptest.Option{nil, {proptest.With(proptest.TwoHandles)}} {
		groups, err := proptest.Groups(oneAtATime, opts...)
		if err != nil {
			fmt.Println(err)
			return
		}
		i := slices.IndexFunc(groups, func(g proptest.Group) bool { return g.Name == "handles" })
		fmt.Println(groups[i].Skipped == "")
	}
	// Output:
	// false
	// true
}

// AtMost and Exactly set the size of the programs that the suite draws. Here every
// program has three ranks.
func ExampleExactly() {
	groups, err := proptest.Groups(proptest.Ours(nil), proptest.Exactly(3, 5))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range groups {
		if g.Programs != nil {
			p := g.Programs.Example(1)
			fmt.Println(p.Ranks, len(p.Ops))
			break
		}
	}
	// Output: 3 5
}
