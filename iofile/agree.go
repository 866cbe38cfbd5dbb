package iofile

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// A turn is what one rank brings to a collective call: which call it thinks
// it is, the arguments that matter to others, and what it found wrong.
type turn struct {
	f      *File
	op     string
	args   any
	err    error
	settle settle

	line *sched.Line // of the program; nil if the rank waits and has not been asked for it
}

// unknownLine is the line of a rank that cannot be asked for it.
var unknownLine = sched.LineAt(sched.Place{})

// A settle works out what a collective call comes to, from the arguments of
// all ranks: a value for all of them, or a broken rule. One rank runs it, once.
type settle func(args []any) (any, error)

// String is the reason with which a rank waits for the others.
func (t *turn) String() string {
	var room [96]byte // an exploration keeps many
	text := append(append(room[:0], t.op...), " on file "...)
	return string(strconv.AppendQuote(text, t.f.name))
}

// Explain tells a deadlock report which ranks are missing.
func (t *turn) Explain(w *sched.Waiting) {
	w.Needs, w.For = needsAll, t.f.meet.Absent(t.f.rank, t.f.c.InWorld)
}

// needsAll is whom a collective call on a file needs.
const needsAll = "all ranks of the file"

// Digest tells as much as String; an exploration asks for it at every meeting.
func (t *turn) Digest() sched.Digest { return sched.Digest(0).String(t.op).String(t.f.name) }

// An outcome is what all ranks take from a meeting.
type outcome struct {
	val  any
	err  error
	rank int // whose error it is, or -1: everybody's

	differ bool // the ranks are in different calls and all wait: they meet again to give their lines
}

// agree is the meeting of a collective call. If a rank is in another call, or
// found a broken rule, or settle does, every rank gets an error of the same
// class; so callers change nothing before it. Otherwise all get settle's value.
// The error is what the call returns: the error handler of f handles it.
func (f *File) agree(op string, args any, err error, by settle) (any, error) {
	v, err := f.consult(op, args, err, by)
	return v, f.raise(err)
}

// consult is agree for calls that have more to do after an error.
func (f *File) consult(op string, args any, err error, by settle) (any, error) {
	if dead := f.dies(op, err); dead != nil {
		return nil, dead
	}
	// Others may still read the record of the last meeting, but none before it.
	f.met++
	t := &f.turns[f.met%2]
	*t = turn{f: f, op: op, args: args, err: err, settle: by}
	v, stop := f.meet.MeetWith(f.thread, f.rank, t, t, verdict)
	if o, ok := v.(*outcome); stop == nil && ok && o.differ {
		f.met++
		t = &f.turns[f.met%2]
		*t = turn{f: f, op: op, line: sched.LineAt(f.thread.Place())}
		v, stop = f.meet.MeetWith(f.thread, f.rank, t, t, differentCalls)
	}
	if stop != nil {
		return nil, f.stopped(op, stop)
	}
	return f.learn(op, v)
}

// learn takes what this rank has to know from the outcome of a meeting.
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
	class, rule := classOf(o.err)
	return nil, f.errorOf(op, &fault{class, rule, fmt.Errorf("failed on rank %d: %w", o.rank, o.err)})
}

// verdict makes the outcome of a meeting, nil if there is nothing to tell. The
// lowest rank that found something wrong decides.
func verdict(all []any) any {
	first := all[0].(*turn)
	differ, waiting := false, true
	for _, v := range all {
		t := v.(*turn)
		differ = differ || t.op != first.op
		waiting = waiting && t.line == nil
	}
	switch {
	case differ && waiting:
		return &outcome{rank: -1, differ: true}
	case differ:
		return differentCalls(all)
	}
	for r, v := range all {
		if err := v.(*turn).err; err != nil {
			return &outcome{rank: r, err: err}
		}
	}
	if first.settle == nil {
		return nil
	}
	args := make([]any, len(all))
	for r, v := range all {
		args[r] = v.(*turn).args
	}
	val, err := first.settle(args)
	if val == nil && err == nil {
		return nil
	}
	return &outcome{val: val, err: err, rank: -1}
}

// differentCalls makes the outcome of ranks that are in different calls.
func differentCalls(all []any) any {
	calls := make([]sched.RankCall, len(all))
	for r, v := range all {
		t := v.(*turn)
		calls[r] = sched.RankCall{Rank: r, Name: t.op, At: t.line.Place()}
	}
	return &outcome{rank: -1, err: broken(ErrNotSame, "GEN-06", "%s; all ranks make the same calls in the same order", sched.DifferentCalls(calls))}
}

// settleTurns is verdict for turns that are part of another meeting. It leaves the
// outcome in the place of the arguments.
func settleTurns(all []any) {
	v := verdict(all)
	for _, t := range all {
		t.(*turn).args = v
	}
}

// classOf digs out the class and the rule of an error. What a call has returned
// says it itself, whatever lies below: the sync of a rank that was killed may
// wrap an error of the store.
func classOf(err error) (errclass.Class, string) {
	if said, ok := err.(*Error); ok {
		return said.Class, said.Rule
	}
	var f *fault
	var e *Error
	var c errclass.Class
	switch {
	case errors.As(err, &f):
		return f.class, f.rule
	case errors.As(err, &e):
		return e.Class, e.Rule
	case errors.As(err, &c):
		return c, ""
	}
	return ErrIO, ""
}

// same settles on the one value that all ranks must pass.
func same(rule, what string) settle {
	return func(args []any) (any, error) {
		for r, a := range args {
			if a != args[0] {
				return nil, broken(ErrNotSame, rule, "%s differ: rank 0 gave %v, rank %d gave %v", what, args[0], r, a)
			}
		}
		return args[0], nil
	}
}

// ofRankZero settles on what rank 0 brought.
func ofRankZero(args []any) (any, error) { return args[0], nil }

// fail makes err the error of call op on this file, which returns it, and has it
// handled. This, agree and the methods over the door are where errors leave.
func (f *File) fail(op string, err error) error { return f.raise(f.errorOf(op, err)) }

// errorOf is fail without the error handler.
func (f *File) errorOf(op string, err error) error {
	return report(op, f.rank, f.name, err)
}

// stopped is the error of a call that the end of the world cut short, that two
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
