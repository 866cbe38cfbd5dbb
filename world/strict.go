package world

import "context"

// Strict runs a program twice, with the same choices and the ranks the other way
// round between them, and compares every call of each rank, what it sends
// included, and the outcomes. What ranks give each other by messages and files is
// the same then; what they give each other by variables of the program, which
// processes of their own would not share, mostly is not: a counter, a slice that
// all append to, a map behind a mutex. The error is an *[UncontrolledError], which
// names the rank, both calls and their lines, or what Run would have returned, or
// one of arguments.
//
// A program that passes may still share: where the order in which ranks run does not
// show in any call, such as a variable that one rank sets and others read after a
// barrier. Chance, time and the order of maps are found, too, and not told from
// sharing. Setup and options are as for [Explore]; setup is called twice.
func Strict(ctx context.Context, n int, setup Setup, opts ...Option) error {
	x, err := Explore(ctx, n, setup, append(opts[:len(opts):len(opts)], MaxSchedules(1))...)
	switch {
	case err != nil:
		return err
	case len(x.Outcomes) == 0: // the context has ended
		return x.Stopped
	}
	return x.Outcomes[0].Err
}
