//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/show/mpinames"
	"github.com/commworld/commworld/world"
)

// A failure is a failed call of a rank.
type failure struct {
	FailedCall
	last uint64 // number of the last of these calls among the rank's calls
}

// mostFailures bounds how many failed calls of a rank are kept: those of other lines or with
// other errors.
const mostFailures = 1 << 10

// failed records that a call returns an error to the program.
func (r *rank) failed(f *frame, k *call, err error) {
	if r.ended != nil || r.ctx.Err() != nil || r.handled {
		return // the program does not go on, or its error handler knows
	}
	name := k.name
	if k.large {
		name += "_c"
	}
	raises := mpinames.Of(r.lastPlace.File) == mpinames.Python // whatever mpi4py drops itself
	dropped := !raises && r.drops(f, name) && !k.harmless(err)
	one := FailedCall{Ranks: []int{r.world.Rank()}, Function: name, Place: *r.lastPlace, Count: 1, Dropped: dropped, Err: err}
	for i := range r.failures {
		x := &r.failures[i]
		if x.like(&one) {
			x.Count++
			x.last = r.tools.calls
			return
		}
	}
	if len(r.failures) < mostFailures {
		r.failures = append(r.failures, failure{one, r.tools.calls})
	}
}

// harmless reports whether a call failed whose purpose is reached all the same: it deletes a
// file that is not there. If another rank has deleted it, the ranks race for the file.
func (k *call) harmless(err error) bool {
	return k.name == "MPI_File_delete" && errors.Is(err, errclass.NoSuchFile) && !k.r.program.deletedByOther(k.deletes, k.r.world.Rank())
}

// noteDeleted records that a rank has deleted a file.
func (p *Program) noteDeleted(path string, rank int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deleted == nil {
		p.deleted = map[string]int{}
	}
	p.deleted[path] = rank
}

func (p *Program) deletedByOther(path string, rank int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	by, known := p.deleted[path]
	return known && by != rank
}

// Failed returns the calls of MPI that returned an error to the program in the runs so far,
// those of lower ranks first.
func (p *Program) Failed() []*FailedCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all()
}

// Explain adds to the races and deadlocks in an error of a run which calls of their ranks had
// failed before: they may be the effect of those. Such races have no other advice. Races name
// the functions of C.
func (p *Program) Explain(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.explain(err)
}

func (p *Program) explain(err error) {
	switch e := err.(type) {
	case nil:
		return
	case *consistency.RaceError:
		nameCalls(e)
		if failed := naming(p.before(&e.A, &e.B)); failed != "" {
			e.Blame(failed)
		}
	case *world.DeadlockError:
		if failed := naming(p.all()); failed != "" && len(e.Ranks) > 0 {
			w := &e.Ranks[0]
			w.Note = strings.TrimPrefix(w.Note+"; "+failed, "; ")
		}
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		p.explain(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, next := range x.Unwrap() {
			p.explain(next)
		}
	}
}

// nameCalls names the functions of C in a race of a program in another language than Go.
func nameCalls(e *consistency.RaceError) {
	for _, p := range []*consistency.Party{&e.A, &e.B} {
		if mpinames.Of(p.Place.File) == mpinames.Go {
			return
		}
		p.Op = mpinames.C.Call(p.Op)
	}
	e.Fix, e.Late = mpinames.C.Text(e.Fix), mpinames.C.Text(e.Late)
}

// before returns the failed calls of the sides of a race whose ranks have called the line of
// the race since.
func (p *Program) before(parties ...*consistency.Party) (all []*FailedCall) {
	for _, party := range parties {
		for _, r := range p.ranks {
			if r.world.Rank() != party.Rank {
				continue
			}
			var at uint64
			for place, n := range r.lastCalls {
				if place.File == party.Place.File && place.Chain() == party.Place.Chain() {
					at = max(at, n)
				}
			}
			all = r.addFailures(all, at)
		}
	}
	return all
}

// all returns the failed calls of all ranks.
func (p *Program) all() (all []*FailedCall) {
	for _, r := range p.ranks {
		all = r.addFailures(all, math.MaxUint64)
	}
	return all
}

// addFailures adds the rank's failed calls before one of its calls to a list.
func (r *rank) addFailures(all []*FailedCall, before uint64) []*FailedCall {
	for i := range r.failures {
		if x := &r.failures[i]; x.last <= before {
			one := x.FailedCall
			one.Ranks = slices.Clone(one.Ranks)
			all = add(all, &one)
		}
	}
	return all
}
