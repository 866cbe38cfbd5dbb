package script

import (
	"cmp"

	"github.com/commworld/commworld/internal/sched"
)

// A plan is computed once from a script and used by all its runs.
type plan map[*Stmt]*prepared

// A prepared is what every run needs for one statement. Runs only read it.
type prepared struct {
	place  *sched.Place
	packed []byte // the values of its data in the form of memory
	err    error  // why packed is missing
}

func newPlan(s *Script) plan {
	p := plan{}
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			x := &prepared{place: &sched.Place{File: cmp.Or(s.Name, "script"), Line: c.Line}}
			if c.Data != nil {
				x.packed, x.err = c.Data.Encode(host)
			}
			p[c] = x
		}
	}
	return p
}
