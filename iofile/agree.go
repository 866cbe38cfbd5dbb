package iofile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/internal/sched"
)

// A turn is the part of one rank in a collective call: the name of its call, the arguments
// that the other ranks need, and its error if it found one.
type turn struct {
	f       *File
	op      string
	args    any
	err     error
	resolve resolve

	line *sched.Line // line of the program; nil if the rank waits and has not been asked for it
}

// A departure is the args of a rank that has left a call before others have come to it.
type departure struct {
	args any
	call sched.Call
	fits func(val any) bool // reports whether the result is what the rank has left with; nil: any is
}

// unknownLine is the line of a rank that cannot be asked.
var unknownLine = sched.LineAt(sched.Place{})

// A resolve function computes the result of a collective call from the arguments of all
// ranks: a value for all of them, or an error. One rank calls it, once.
type resolve func(args []any) (any, error)

// String returns the reason for which the rank waits.
func (t *turn) String() string {
	var room [96]byte // an exploration formats many
	text := append(append(room[:0], t.op...), " on file "...)
	return string(strconv.AppendQuote(text, t.f.name))
}

// Explain adds to a deadlock report which ranks are missing.
func (t *turn) Explain(w *sched.Waiting) {
	w.Needs, w.For = needsAll, t.f.meet.Absent(t.f.rank, t.f.inWorld)
}

// needsAll names the ranks that a collective call on a file needs.
const needsAll = "all ranks of the file"

// Digest distinguishes the same calls as String, but faster: an exploration uses it at
// every meeting.
func (t *turn) Digest() sched.Digest { return sched.Digest(0).String(t.op).String(t.f.name) }

// An outcome is the result of a meeting, for all ranks.
type outcome struct {
	val  any
	err  error
	rank int // the rank with the error, or -1: all ranks

	differ bool // the ranks are in different calls and all wait: they meet again to give their lines
}

// agree is the meeting of a collective call. If ranks are in different calls, or one has
// found an error, or resolve returns one, every rank gets an error of the same class; so
// callers must change nothing before it. Otherwise all get resolve's value. The call
// returns the error; the error handler of f has handled it.
func (f *File) agree(op string, args any, err error, by resolve) (any, error) {
	v, err := f.consult(op, args, err, by)
	return v, f.raise(err)
}

// consult is agree without the error handler, for calls that have more to do after an
// error.
func (f *File) consult(op string, args any, err error, by resolve) (any, error) {
	if f.faults != nil {
		if dead := f.endIfKilled(op, err); dead != nil {
			return nil, dead
		}
	}
	// Other ranks may still read the turn of the last meeting, but not of earlier ones.
	f.met++
	t := &f.turns[f.met%2]
	*t = turn{f: f, op: op, args: args, err: err, resolve: by}
	v, stop := f.chooser.join(op, t)
	if o, ok := v.(*outcome); stop == nil && ok && o.differ {
		f.met++
		t = &f.turns[f.met%2]
		*t = turn{f: f, op: op, line: sched.LineAt(f.thread.Place())}
		v, stop = f.meet.MeetWith(f.thread, f.rank, t, t, differentCalls)
	}
	if stop != nil {
		return nil, f.stopped(op, stop)
	}
	if v == nil {
		return nil, nil
	}
	return f.learn(op, v)
}

// join records with the explorer that a rank has stayed in a call in which it need not have
// stayed in this run: the call has failed, or was not made by all, in another run or another time.
func (f exploring) join(op string, t *turn) (any, error) {
	f.stays(op)
	f.thread.Sched().NoteArrival(f.thread, f.meet, f.met)
	v, stop := f.meet.MeetWith(f.thread, f.rank, t, t, verdict)
	if stop == nil {
		stop = f.thread.Sched().Cause() // a promise was broken
	}
	if stop != nil {
		return nil, stop
	}
	at := f.thread.NoteLine(sched.AnyDepth)
	if o, ok := v.(*outcome); ok && (o.err != nil || o.differ) || !f.thread.Sched().Stays(sched.Call{At: at}) {
		return v, nil
	}
	f.thread.Sched().NoteUntried(fmt.Sprintf("file %s: what may happen when %s (%v) returns on one rank before others have come to it, because it failed in another run or on another call", f.name, op, at.Place()))
	return v, nil
}

// depart lets the rank leave with the result own; see [sched.Sched.Promise].
func (f exploring) depart(op string, args any, err error, by resolve, own any, fits func(val any) bool) (any, error) {
	call, early := sched.Call{}, false
	if err == nil {
		call, early = f.leaves()
	}
	if !early {
		return f.consult(op, args, err, by)
	}
	t := &turn{f: f.File, op: op, args: &departure{args, call, fits}, resolve: by, line: call.At}
	if stop := f.thread.Step(t); stop != nil {
		return nil, f.stopped(op, stop)
	}
	f.met++
	f.thread.Sched().NoteArrival(f.thread, f.meet, f.met)
	m, stop := f.meet.Arrive(f.thread, f.rank, t, verdict)
	if stop != nil {
		return nil, f.stopped(op, stop)
	}
	if cause := f.thread.Sched().Cause(); cause != nil { // the promise of a rank that had come before is broken
		return nil, f.stopped(op, cause)
	}
	if m.Complete() {
		return f.learn(op, m.Leave())
	}
	f.thread.Sched().Promise(call, m.Complete)
	return own, nil
}

func (f exploring) leaves() (call sched.Call, early bool) {
	if f.c.Size() == 1 {
		return call, false
	}
	call.At = f.thread.NoteLine(sched.AnyDepth)
	return call, f.thread.Sched().LeavesEarly(call)
}

// learn returns what this rank gets from the outcome of a meeting.
func (f *File) learn(op string, v any) (any, error) {
	o, ok := v.(*outcome)
	switch {
	case !ok:
		return nil, nil
	case o.err == nil:
		return o.val, nil
	case o.rank < 0 || o.rank == f.rank:
		return nil, f.errorOf(op, o.err)
	}
	class, rule := fault.ClassOf(o.err)
	return nil, f.errorOf(op, &fault.Fault{Class: class, Rule: rule, Err: fmt.Errorf("failed on rank %d: %w", o.rank, o.err)})
}

// verdict returns the outcome of a meeting, nil if there is no error. The error of the
// lowest rank counts. If ranks have left the call early with another result than it has, it ends the run.
func verdict(all []any) any {
	first, differ, waiting := all[0].(*turn), false, true
	var left []*departure
	for _, v := range all {
		t := v.(*turn)
		if d, ok := t.args.(*departure); ok {
			t.args, left = d.args, append(left, d)
		}
		differ = differ || t.op != first.op
		waiting = waiting && t.line == nil
	}
	var o *outcome
	switch {
	case differ && waiting:
		o = &outcome{rank: -1, differ: true}
	case differ:
		o = differentCalls(all).(*outcome)
	default:
		for r, v := range slices.Backward(all) {
			if err := v.(*turn).err; err != nil {
				o = &outcome{rank: r, err: err}
			}
		}
		if o == nil && first.resolve != nil {
			args := make([]any, len(all))
			for r, v := range all {
				args[r] = v.(*turn).args
			}
			if val, err := first.resolve(args); val != nil || err != nil {
				o = &outcome{val: val, err: err, rank: -1}
			}
		}
	}
	if left != nil {
		first.f.breakPromises(left, o)
	}
	if o == nil {
		return nil
	}
	return o
}

// breakPromises ends the run if ranks have left a call early with another result than it has.
func (f *File) breakPromises(left []*departure, o *outcome) {
	if o == nil {
		o = &outcome{}
	}
	var broken []sched.Call
	for _, d := range left {
		if o.err != nil || d.fits != nil && !d.fits(o.val) {
			broken = append(broken, d.call)
		}
	}
	if len(broken) > 0 {
		f.thread.Sched().Break(broken...)
	}
}

// differentCalls returns the outcome for ranks that are in different calls.
func differentCalls(all []any) any {
	calls := make([]sched.RankCall, len(all))
	access, accesses, closes := "", 0, 0
	for r, v := range all {
		t := v.(*turn)
		calls[r] = sched.RankCall{Rank: r, Name: t.op, At: t.line.Place()}
		switch {
		case t.op == "Close":
			closes++
		case (strings.Contains(t.op, "All") || strings.Contains(t.op, "Ordered")) && !strings.HasSuffix(t.op, "End"):
			access, accesses = t.op, accesses+1
		}
	}
	advice := ""
	if accesses > 0 && closes > 0 && accesses+closes == len(all) {
		advice = ", and a rank without data calls " + access + " with no items"
	}
	return &outcome{rank: -1, err: broken(ErrNotSame, "GEN-06", "%s; all ranks make the same calls in the same order%s", sched.DifferentCalls(calls), advice)}
}

// resolveTurns is verdict for turns that are part of another meeting. It stores the outcome
// in place of the arguments.
func resolveTurns(all []any) {
	v := verdict(all)
	for _, t := range all {
		t.(*turn).args = v
	}
}

// same returns a resolve function that requires the same value from all ranks.
func same(rule, what string) resolve {
	return func(args []any) (any, error) {
		for r, a := range args {
			if a != args[0] {
				return nil, broken(ErrNotSame, rule, "%s differ: rank 0 gave %v, rank %d gave %v", what, args[0], r, a)
			}
		}
		return args[0], nil
	}
}

// ofRankZero is the resolve function that returns the value of rank 0.
func ofRankZero(args []any) (any, error) { return args[0], nil }

// fail returns err as the error of call op on this file, after the error handler. Errors
// leave the package here, in agree, and in the methods of data access.
func (f *File) fail(op string, err error) error { return f.raise(f.errorOf(op, err)) }

// errorOf is fail without the error handler.
func (f *File) errorOf(op string, err error) error {
	return report(op, f.rank, f.name, err)
}

// stopped returns the error of a call that the end of the world stopped, that two
// goroutines of one rank made at the same time, or that another rank made.
func (f *File) stopped(op string, cause error) error {
	var slot *sched.SlotError
	var foreign *sched.ForeignError
	switch {
	case errors.As(cause, &foreign):
		return f.errorOf(op, broken(ErrFile, "WORLD-01", "%w", cause))
	case errors.Is(cause, sched.ErrTwoWaits):
		return f.errorOf(op, broken(ErrOther, "WORLD-01", "%w", cause))
	case errors.As(cause, &slot):
		return f.errorOf(op, broken(ErrOther, "WORLD-01", "%w; a rank makes one call at a time", sched.ErrTwoWaits))
	}
	return &Error{Pkg: "iofile", Op: op, Rank: f.rank, Object: f.name, Class: errclass.ProcAborted, Err: cause, Place: sched.CallSite()}
}

// inWorld returns the rank in the world of a rank of f.
func (f *File) inWorld(rank int) int { return port.InWorld(f.c, rank) }
