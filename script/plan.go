package script

import "github.com/commworld/commworld/internal/sched"

// A plan is what is worked out of a script once for all its runs.
type plan map[*Stmt]*prepared

// prepared is what every run needs of one statement. Runs only read it.
type prepared struct {
	place  *sched.Place
	packed []byte // the values of its data, as in memory
	err    error  // why there are none
}

func newPlan(s *Script) plan {
	p := plan{}
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			x := &prepared{place: &sched.Place{File: s.Name, Line: c.Line}}
			if c.Data != nil {
				x.packed, x.err = c.Data.Encode(host)
			}
			p[c] = x
		}
	}
	return p
}
