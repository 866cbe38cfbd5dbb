package world

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// Error is the one error type of this module's packages.
type Error = errclass.Error

// ErrArg is the class of a wrong argument of [Run].
//
// MPI_ERR_ARG
const ErrArg = errclass.Arg

// A RunError says why a world failed. errors.Is and errors.As look into all of
// it.
type RunError struct {
	// Cause is the error that ended the world if no single rank did: a *DeadlockError, or the
	// end of the context. It may be nil.
	Cause error

	// Ranks has the errors of the ranks that failed by themselves, in order. Ranks that only
	// returned the error with which they were released are not included.
	Ranks []*RankError

	// Schedule is the token with which [Replay] shows the failure again; empty if the ranks
	// ran freely, in an unknown order.
	Schedule string

	// Left says that the errors in Ranks report objects left open at the end.
	Left bool
}

// maxLines bounds how many ranks Error prints; the value holds all of them.
const maxLines = 32

// Error returns the cause, then a line for each error of a rank. Ranks with the same error
// share a line, even if the program wrapped the error in different ways. Errors that only
// repeat why the world ended are left out.
func (e *RunError) Error() string {
	var lines []string
	if e.Cause != nil {
		lines = append(lines, "world: "+e.Cause.Error())
	}
	groups := alike(e.Ranks, e.causes())
	if len(groups) == 0 && e.Cause == nil {
		groups = alike(e.Ranks, nil)
	}
	for i, g := range groups {
		if i == maxLines {
			lines = append(lines, fmt.Sprintf("and %d more", len(groups)-i))
			break
		}
		lines = append(lines, g.ranksText()+": "+g.text())
	}
	if e.Schedule != "" {
		return fmt.Sprintf("%s%sworld.Replay(%q)", strings.Join(lines, "\n"), again, e.Schedule)
	}
	return strings.Join(lines, "\n")
}

// causes returns the errors that may have ended the world.
func (e *RunError) causes() []error {
	all := []error{raised(e.Cause)}
	for _, r := range e.Ranks {
		all = append(all, raised(r))
	}
	return all
}

// A group is the ranks with the same error. Their calls and lines may differ: ranks that met
// in different collectives get the same error.
type group struct {
	ranks []int // each once
	count int   // number of errors; more than ranks if one rank has several, for instance of requests
	ops   []string
	at    []site
	first part
}

// A site is a line of the program, and the ranks whose call failed there.
type site struct {
	place Place
	ranks []int
}

// alike groups the errors of ranks by cause, in order, and leaves out errors that only
// repeat one of causes.
func alike(ranks []*RankError, causes []error) (all []*group) {
	by := map[string]*group{}
	for _, r := range ranks {
		for _, p := range parts(r.Err) {
			if causes != nil && sched.Echoes(p.err, causes...) {
				continue
			}
			key := p.cause()
			g := by[key]
			if g == nil {
				g = &group{first: p}
				by[key] = g
				all = append(all, g)
			}
			g.add(r.Rank, p)
		}
	}
	return all
}

func (g *group) add(rank int, p part) {
	if g.count++; !slices.Contains(g.ranks, rank) {
		g.ranks = append(g.ranks, rank)
	}
	e, ok := p.err.(*Error)
	if !ok {
		return
	}
	if !slices.Contains(g.ops, e.Op) {
		g.ops = append(g.ops, e.Op)
	}
	if elsewhere(e) != e.Err { // the text names the rank whose error it is
		g.first = p
	}
	if e.Place.IsZero() {
		return
	}
	i := slices.IndexFunc(g.at, func(s site) bool { return s.place.Chain() == e.Place.Chain() })
	if i < 0 {
		i, g.at = len(g.at), append(g.at, site{place: e.Place})
	}
	if s := &g.at[i]; !slices.Contains(s.ranks, rank) {
		s.ranks = append(s.ranks, rank)
	}
}

// ranksText returns the names of the ranks, and how often they failed if that is more than once
// each.
func (g *group) ranksText() string {
	if g.count == len(g.ranks) {
		return sched.RankList(g.ranks)
	}
	return fmt.Sprintf("%s, %d times", sched.RankList(g.ranks), g.count)
}

// text returns the error, once. If it names a single rank, and that is the rank in the
// world printed before it, the name is left out.
func (g *group) text() string {
	e, ok := g.first.err.(*Error)
	if !ok {
		return g.first.text(g.first.err.Error())
	}
	said := general(e)
	said.Op = strings.Join(g.ops, ", ")
	if len(g.ranks) == 1 && e.Rank != g.ranks[0] {
		said.Rank = e.Rank
	}
	return g.first.text(said.TextAt(g.lines(said)))
}

// lines returns the lines of the calls that failed: one for all ranks, or each with its
// ranks. They are left out if the cause names them, as for different collective calls.
func (g *group) lines(said *Error) string {
	if said.Err != nil {
		cause := said.Err.Error()
		if !slices.ContainsFunc(g.at, func(s site) bool { return !names(cause, s.place.String()) && !names(cause, s.place.Base()) }) {
			return ""
		}
	}
	if len(g.at) == 1 {
		return g.at[0].place.Chain()
	}
	const most = 4
	var texts []string
	for i, s := range g.at {
		if i == most {
			texts = append(texts, fmt.Sprintf("and %d more lines", len(g.at)-most))
			break
		}
		texts = append(texts, fmt.Sprintf("%v (%s)", s.place, sched.RankList(s.ranks)))
	}
	return strings.Join(texts, ", ")
}

// names reports whether text contains the line at, and not only a longer text that begins
// with it.
func names(text, at string) bool {
	for {
		i := strings.Index(text, at)
		if i < 0 {
			return false
		}
		if text = text[i+len(at):]; text == "" || text[0] < '0' || text[0] > '9' {
			return true
		}
	}
}

// again is the text before the schedule of a failure.
const again = "\nto see it again: "

// Unwrap returns the cause and the errors of ranks.
func (e *RunError) Unwrap() []error {
	errs := make([]error, 0, 1+len(e.Ranks))
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	for _, r := range e.Ranks {
		errs = append(errs, r)
	}
	return errs
}

// cancelled returns an error for the end of ctx, in which errors.Is finds both ctx.Err and
// the cause given to context.WithCancelCause.
func cancelled(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// over returns the error for the end of ctx, nil while it has not ended.
func over(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return cancelled(ctx)
}

// token returns the schedule of s, empty if it is free.
func token(s *sched.Sched) string {
	if t := s.Token(); t != "free" {
		return t
	}
	return ""
}

// verdict returns the error of a world whose ranks have ended. outer is the caller's
// context, inner the one that the ranks had.
func verdict(s *sched.Sched, outer, inner context.Context) error {
	cause := s.Cause()
	if cause == nil {
		return nil
	}
	e := &RunError{Schedule: token(s)}
	first, ok := cause.(*sched.RankError)
	if !ok {
		e.Cause = public(cause)
	} else if outer.Err() != nil && sched.Echoes(first.Err, inner.Err(), context.Cause(outer)) {
		// The rank saw the end of the context before the world did.
		e.Cause, first = cancelled(outer), nil
	}
	// The context of the ranks ends with the world: its error only repeats the cause, too.
	for _, r := range s.Failures() {
		if r == first || !sched.Echoes(r.Err, cause, inner.Err(), context.Cause(inner)) {
			e.Ranks = append(e.Ranks, publicRank(r))
		}
	}
	return e
}
