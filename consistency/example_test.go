package consistency_test

import (
	"fmt"
	"io/fs"

	"github.com/commworld/commworld/consistency"
)

// twoWriters is a program of two ranks that write the same bytes, atomically or not.
func twoWriters(atomic bool) consistency.History {
	rank := func(data string) []consistency.Step {
		return []consistency.Step{
			{Do: consistency.DoOpen, ID: 1},
			{Do: consistency.DoAtomic, On: atomic},
			{Do: consistency.DoWrite, Runs: []consistency.Run{{Off: 0, Len: 2}}, Data: []byte(data)},
			{Do: consistency.DoClose},
		}
	}
	return consistency.History{Ranks: [][]consistency.Step{rank("AA"), rank("BB")}}
}

// In atomic mode one write comes first; without, the bytes that both wrote are
// undefined.
func ExampleAllowed() {
	for _, atomic := range []bool{true, false} {
		all, err := consistency.Allowed(twoWriters(atomic))
		fmt.Println("atomic:", atomic, err)
		fmt.Println(all)
	}
	// Output:
	// atomic: true <nil>
	// file=4141
	// file=4242
	// atomic: false <nil>
	// file=????
}

// A mixture of two writes is allowed exactly where they are not atomic.
func ExampleExplains() {
	mixture := consistency.Outcome{File: "4142"}
	for _, atomic := range []bool{true, false} {
		ok, err := consistency.Explains(twoWriters(atomic), mixture)
		fmt.Println("atomic:", atomic, ok, err)
	}
	// Output:
	// atomic: true false <nil>
	// atomic: false true <nil>
}

// Resolved returns the possible results of whole writes, which an exploration shows.
func ExampleResolved() {
	all, err := consistency.Resolved(twoWriters(false))
	fmt.Println(all, err)
	// Output:
	// file=4141
	// file=4242 <nil>
}

func ExampleOutcomes_Allows() {
	all := consistency.Outcomes{{Vars: map[string]string{"1.x": "??42"}, File: "4142"}}
	fmt.Println(all.Allows(consistency.Outcome{Vars: map[string]string{"1.x": "0042"}}))
	fmt.Println(all.Allows(consistency.Outcome{Vars: map[string]string{"1.x": "0041"}}))
	fmt.Println(all.Undefined())
	// Output:
	// true
	// false
	// true
}

// A model says which writes are visible without a sync: a write as soon as it returns,
// new bytes to a read that fetches them, or both.
func ExampleModel() {
	for _, m := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX} {
		fmt.Println(m, m.PublishesEarly(), m.ReadsFresh())
	}
	_, ok := consistency.POSIX.Seed()
	fmt.Println("chaos:", ok)
	// Output:
	// weakest false false
	// session true false
	// commit false true
	// POSIX true true
	// chaos: false
}

// Chaos shows what the standard allows and common file systems seldom show.
func ExampleChaos() {
	m := consistency.Chaos(7)
	fmt.Println(m, m == consistency.Chaos(7), m == consistency.Chaos(8))
	// Output:
	// chaos true false
}

func ExampleLitmus() {
	names, err := fs.Glob(consistency.Litmus(), "*.mpio")
	fmt.Println(names[0], err)
	// Output:
	// lit-01.mpio <nil>
}

func ExampleTwins() {
	names, err := fs.Glob(consistency.Twins(), "barrier-only-*.mpio")
	fmt.Println(names, err)
	// Output:
	// [barrier-only-clean.mpio barrier-only-racy.mpio] <nil>
}

// Join builds a list of origins. An origin that continues the last one becomes part of it.
func ExampleJoin() {
	write := consistency.Origin{From: consistency.FromWrite, Rank: 1, Op: "WriteAt", Type: "byte", Rep: "native"}
	var all []consistency.Origin
	all = consistency.Join(all, write, 0, 4)
	all = consistency.Join(all, write, 4, 8)
	all = consistency.Join(all, consistency.Origin{From: consistency.FromHole}, 8, 10)
	for _, o := range all {
		fmt.Println(o)
	}
	// Output:
	// bytes 0 to 7: WriteAt on rank 1, native byte, not synced
	// bytes 8 to 9: hole, never written
}
