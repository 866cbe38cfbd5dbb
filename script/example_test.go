package script_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

const stale = `ranks 2
file f = "old"
all:
  open h f rdwr
0:
  write_at h 0 "new"
all:
  sync h
  barrier
1:
  read_at h 0 byte*3 -> x
all:
  close h
`

// parsed is for scripts that are known to be right.
func parsed(text string) *script.Script {
	s, err := script.Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

// A script that is wrong is shown with its place.
func ExampleParse() {
	s, err := script.Parse(stale)
	fmt.Println(s.Ranks, "ranks,", len(s.Blocks), "blocks:", err)

	_, err = script.Parse("ranks 2\n0:\n  writ_at h 0 int 5\n")
	var wrong *script.SyntaxError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Show())
	}
	// Output:
	// 2 ranks, 5 blocks: <nil>
	// line 3, column 3: unknown statement "writ_at": did you mean write_at?
	//       writ_at h 0 int 5
	//       ^
}

// Explore runs a script under every schedule that makes a difference: without the
// second sync the reader may see either.
func ExampleExplore() {
	rep, err := script.Explore(context.Background(), parsed(stale), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, seen := range rep.Outcomes {
		fmt.Println(seen.Ending.Results[1]["x"].Text(), "allowed:", seen.Allowed)
	}
	for _, r := range rep.Races {
		fmt.Printf("race of lines %d and %d: missing %s\n", r.A.Place.Line, r.B.Place.Line, r.Missing)
	}
	fmt.Println("complete:", rep.Complete)
	// Output:
	// "old" allowed: true
	// "new" allowed: true
	// race of lines 6 and 11: missing reader-sync
	// complete: true
}

// Run runs a script once: the same seed, or a witness that was printed, gives the
// same run.
func ExampleRun() {
	s := parsed(stale)
	for _, witness := range []string{"choices:0.0.0.0.0.0", "choices:0.0.0.0.1.0"} {
		rep, err := script.Run(context.Background(), s, script.Options{Replay: witness})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rep.Outcomes[0].Ending.Results[1]["x"].Text())
	}
	// Output:
	// "old"
	// "new"
}

// A model says how much more than the standard a file system shows.
func ExampleOptions() {
	for _, m := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		rep, err := script.Explore(context.Background(), parsed(stale), script.Options{Model: m})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m, len(rep.Races), "race")
	}
	// Output:
	// weakest 1 race
	// POSIX 1 race
}

// Lines at the end of a script are expectations; Unmet lists those that did not come
// true.
func ExampleReport_OK() {
	rep, err := script.Explore(context.Background(), parsed(stale+"allow 1:x = \"new\"\nrace\n"), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rep.OK())
	for _, u := range rep.Unmet {
		fmt.Printf("line %d: %s\n", u.Line, u.Text)
	}
	// Output:
	// false
	// line 14: an outcome that no line allows: 1.x = "old", file f = "new"
}

// Bytes that no rank wrote have no value: "?" in values, ".." in files.
func ExampleResult_Text() {
	rep, err := script.Run(context.Background(), parsed(`ranks 1
0:
  open h f rdwr|create
  write_at h 2 "AB"
  read_at h 0 byte*4 -> x
  close h
`), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := rep.Outcomes[0].Ending
	fmt.Println(e.Results[0]["x"].Text())
	fmt.Println(e.Files["f"].Text())
	// Output:
	// ?*2 "AB"
	// .... "AB"
}

// Each fix of a race was tried before it is returned.
func ExampleFixes() {
	rep, err := script.Explore(context.Background(), parsed(stale), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, fix := range script.Fixes(context.Background(), rep, script.Options{}) {
		fmt.Println(fix.First())
	}
	// Output:
	// after line 9 add, on all ranks: sync h
}

// The repaired script has its races fixed, and says so.
func ExampleRepair() {
	rep, err := script.Explore(context.Background(), parsed(stale), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fixed, err := script.Repair(context.Background(), rep, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(fixed.Script)
	// Output:
	// ranks 2
	// file f = "old"
	//
	// all:
	//   open h f rdwr
	//
	// 0:
	//   write_at h 0 "new"
	//
	// all:
	//   sync h
	//   barrier
	//   sync h
	//
	// 1:
	//   read_at h 0 byte*3 -> x
	//
	// all:
	//   close h
	//
	// norace
}

// Body runs a script as the program of a world of the caller's.
func ExampleBody() {
	s := parsed("ranks 2\nall:\n  open h f rdwr|create\n0:\n  write_at h 0 \"AB\"\n  get_size h -> n\nall:\n  close h\n")
	body, account, files, err := script.Body(s, iofile.NewMem())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(world.Run(context.Background(), s.Ranks, body))
	all, err := files()
	fmt.Printf("%q %q %v\n", account(0), all["f"], err)
	// Output:
	// <nil>
	// "n = 2\n" "AB" <nil>
}

// The litmus tests of the standard's rules are scripts.
func Example_litmus() {
	text, err := fs.ReadFile(consistency.Litmus(), "lit-04.mpio")
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := script.Explore(context.Background(), parsed(string(text)), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rep.OK(), len(rep.Outcomes), "outcome,", len(rep.Races), "races")
	// Output:
	// true 1 outcome, 0 races
}
