package faults_test

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile/faults"
)

// Rules are text, one a line: the device is full after 8 bytes of rank 1, and every
// sync of the file fails.
func ExampleParse() {
	rules, err := faults.Parse("write error=nospace after=8 rank=1\nsync error=io file=grid")
	fmt.Println(rules[0].Ranks, rules[1].File, err)
	_, err = faults.Parse("write error=full")
	fmt.Println(said(err))
	// Output:
	// [1] grid <nil>
	// faults: Parse: invalid argument: line 1, at "write error=full": "error=full": no such error class; there are io, nospace, quota, access and so on
}

// Must is for rules in the source of a program.
func ExampleMust() {
	for _, r := range faults.Must("read short=10 call=3") {
		fmt.Println(r.Op, r.Short, r.First)
	}
	// Output: read 10 3
}

// A plan counts events and decides which of them fail. A store of your own asks the plan
// before it moves bytes; files ask theirs, see iofile and world.Faults.
func ExampleNewPlan() {
	plan, err := faults.NewPlan(faults.Must("write error=nospace after=8")...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		out := plan.Meet(faults.Event{Op: faults.Write, File: "grid", N: 5})
		fmt.Println(out.Move, out.Err)
	}
	fmt.Println("struck", plan.Struck())
	// Output:
	// 5 <nil>
	// 3 rule "write error=nospace after=8": no space left
	// 0 rule "write error=nospace after=8": no space left
	// struck [2]
}

// Set replaces the rules of a plan and resets its counts.
func ExamplePlan_Set() {
	plan := new(faults.Plan)
	fmt.Println(plan.Meet(faults.Event{Op: faults.Sync}).Err)
	if err := plan.Set(faults.Rule{Op: faults.Sync, Error: errclass.IO}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(plan.Meet(faults.Event{Op: faults.Sync}).Err)
	fmt.Println(plan)
	// Output:
	// <nil>
	// rule "sync error=io": input/output error
	// sync error=io
}

// A rule may be made by hand; Check returns its errors.
func ExampleRule_Check() {
	r := faults.Rule{Op: faults.Sync, Torn: 4}
	fmt.Println(said(r.Check()))
	r = faults.Rule{Op: faults.Write, Torn: 4}
	fmt.Println(r, r.Check())
	// Output:
	// faults: Parse: invalid argument: torn, short, bytes and after are for read and write
	// write torn=4 <nil>
}

// said returns the text of an error without the line of the call, which is in this file.
func said(err error) string {
	if e, ok := errors.AsType[*errclass.Error](err); ok {
		return e.TextAt("")
	}
	return fmt.Sprint(err)
}
