package world

import "context"

// Strict runs a program twice and reports data that ranks pass to each other through the
// memory of their process: on a cluster, where ranks are separate processes, they share no
// memory.
//
// The two runs make the same choices, with the ranks in the opposite order between them.
// Strict compares every call of each rank, with the data that it sends, and the outcomes.
// Data passed by messages and files are the same in both runs; data passed by Go
// variables mostly are not. Strict also finds programs that depend on chance, time or the
// order of maps, and reports them in the same way.
//
// The error is an *[UncontrolledError] if the runs differ, otherwise that of [Run], or one
// about arguments. Strict does not find sharing that gives the same calls in both orders,
// such as a sum of all ranks that is read after a barrier. The analyzer tools/sharing reads
// the source for it, and names variables, locks and channels:
//
//	go install github.com/commworld/commworld/tools/sharing@latest
//	sharing ./...
//
// This module itself shares no memory between ranks: messages, packed data, info objects
// and files are copied; attributes, error handlers, operations of the program, conversion
// functions and generalized requests stay with the rank that gave them. Files of a file
// system in memory are shared, as on an engine, which keeps them in a directory while they
// are open.
//
// Setup and options are as for [Explore]; setup is called twice.
func Strict(ctx context.Context, n int, setup Setup, opts ...Option) error {
	x, err := Explore(ctx, n, setup, append(opts[:len(opts):len(opts)], Limit(Limits{Schedules: 1}))...)
	switch {
	case err != nil:
		return err
	case len(x.Outcomes) == 0: // the context has ended
		return &RunError{Cause: x.Stopped}
	}
	return x.Outcomes[0].Err
}
