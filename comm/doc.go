// Package comm is message passing: groups, communicators, point-to-point
// messages and collectives between the ranks of a world.
//
//	err := world.Run(ctx, 2, func(ctx context.Context, c *comm.Comm) error {
//		if c.Rank() == 0 {
//			return c.Send(types.Of([]float64{1, 2, 3}), 1, 7)
//		}
//		xs := make([]float64, 3)
//		st, err := c.Recv(types.Of(xs), 0, 7)
//		...
//	})
//
// A handle belongs to one rank, which is one thread of control; calls on one
// rank's handles come from one goroutine at a time. Every call on a nil or
// freed communicator returns [ErrComm].
//
// # Map
//
//   - universe.go: the world that package world starts, and its ranks
//   - comm.go, create.go, group.go: communicators, how they are made, groups
//   - send.go, recv.go, probe.go, request.go: point-to-point calls
//   - status.go: what a receive tells
//   - collective.go: how the ranks of a collective call meet and agree
//   - move.go: barrier and the collectives that move data
//   - reduce.go, op.go, kernel.go, wide.go: reductions and their operations
//   - engine.go: the seam between calls and what carries them out
//   - local.go: the engine for ranks in this process; mailboxes
//   - match.go: which message meets which receive; pure, no locks, no waiting
//   - transfer.go: type matching, and moving data between two memories
//   - errors.go: error classes and how an error is built
//
// # Borders
//
// Waiting is done by package internal/sched alone, layouts and signatures come
// from package types, conversion between unlike machines from package reps.
// This package must not import world or iofile.
package comm
