package world

import "context"

// Strict runs a program twice and reports what ranks give each other by the memory of
// their process: ranks in processes of their own, as on a cluster, share none.
//
// The two runs make the same choices, with the ranks in the opposite order between them.
// Strict compares every call of each rank, with the data that it sends, and the outcomes.
// What ranks give each other by messages and files is the same in both runs; what they give
// each other by Go variables mostly is not. This also finds chance, time and the order of
// maps, and does not distinguish them from sharing.
//
// The error is an *[UncontrolledError] if the runs differ, what [Run] would have returned,
// or one of arguments. Sharing that gives the same calls in both orders is not found, such
// as a sum of all ranks that is read after a barrier. The analyzer tools/sharing reads the
// source for it, and names variables, locks and channels:
//
//	go install github.com/commworld/commworld/tools/sharing@latest
//	go vet -vettool=$(which sharing) ./...
//
// Nothing of this module carries memory from rank to rank: messages, packed data,
// info objects and files are copied; attributes, error handlers, operations of the
// program, conversion functions and generalized requests stay with the rank that
// gave them. Files of a file system in memory are shared, as on an engine, which
// keeps them in a directory while they are open.
//
// Setup and options are as for [Explore]; setup is called twice.
func Strict(ctx context.Context, n int, setup Setup, opts ...Option) error {
	x, err := Explore(ctx, n, setup, append(opts[:len(opts):len(opts)], MaxSchedules(1))...)
	switch {
	case err != nil:
		return err
	case len(x.Outcomes) == 0: // the context has ended
		return &RunError{Cause: x.Stopped}
	}
	return x.Outcomes[0].Err
}
