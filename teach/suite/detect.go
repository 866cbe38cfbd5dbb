package suite

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

// A Claim is one finding of a tool about a program. Kind "none" means that the tool found
// nothing.
type Claim struct {
	Program string `json:"program"`          // NAME/bad or NAME/clean
	Source  string `json:"source,omitempty"` // file that Lines refer to: "c" or "go"; empty: the script
	Kind    Kind   `json:"kind"`
	Rule    string `json:"rule,omitempty"`    // empty: the tool names none
	Missing string `json:"missing,omitempty"` // of a race, if the tool says it
	Lines   []Site `json:"lines,omitempty"`   // empty: the tool names none
}

// None is the kind of a claim that a program has no mistake.
const None Kind = "none"

// maxSchedules bounds an exploration; the largest of the corpus needs a tenth.
const maxSchedules = 50_000

// Detect runs this module's checks on one script: every schedule, and with lints also one
// careful run for calls that are legal, but probably not what you meant. It does not use the
// script's expectations.
func Detect(ctx context.Context, program, text string, lints bool) ([]Claim, error) {
	s, err := script.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	s.Expect = nil
	rep, err := script.Explore(ctx, s, script.Options{MaxSchedules: maxSchedules})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	var all []Claim
	for _, r := range rep.Races {
		all = append(all, Claim{
			Program: program, Kind: Race, Rule: r.Rule, Missing: string(r.Missing),
			Lines: []Site{{r.A.Rank, r.A.Place.Line}, {r.B.Rank, r.B.Place.Line}},
		})
	}
	for _, f := range rep.Failures {
		all = append(all, Claim{Program: program, Kind: kindOf(f), Rule: f.Rule(), Lines: []Site{{f.Rank, f.Stmt.Line}}})
	}
	if rep.Deadlock != nil {
		c := Claim{Program: program, Kind: Deadlock}
		for _, w := range rep.Deadlock.Ranks {
			if w.Place.Line > 0 {
				c.Lines = append(c.Lines, Site{w.Rank, w.Place.Line})
			}
		}
		all = append(all, c)
	}
	if len(all) == 0 && lints {
		if all, err = linted(ctx, program, s); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		all = []Claim{{Program: program, Kind: None}}
	}
	return all, nil
}

// linted runs a script once, carefully, and returns the calls that are legal, but probably
// not what you meant.
func linted(ctx context.Context, program string, s *script.Script) ([]Claim, error) {
	o := script.Options{World: []world.Option{world.Careful("ignored"), world.Eager(comm.DefaultEager)}}
	rep, err := script.Run(ctx, s, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	var all []Claim
	for _, l := range rep.Lints {
		c := Claim{Program: program, Kind: Wrong, Rule: l.Rule}
		if l.At.Line > 0 {
			c.Lines = []Site{{l.Rank, l.At.Line}}
		}
		all = append(all, c)
	}
	return all, nil
}

// kindOf returns the kind of mistake for a statement that fails.
func kindOf(f *script.Failure) Kind {
	var e *errclass.Error
	switch {
	case f.Class() == errclass.NotSame:
		return Mismatch
	case errors.As(f.Err, &e) && e.Rule == "IO-OPEN-08":
		return Leak
	}
	return Misuse
}
