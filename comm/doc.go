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
// rank's handles come from one goroutine at a time, as with MPI_THREAD_SERIALIZED.
// While a rank waits, is in a collective or makes a communicator, calls of another
// of its goroutines are refused; two in messages that do not wait are noticed only
// in a world that looks for them, see [LaunchOptions.CheckThreads]. Every call on a
// nil or freed communicator returns [ErrComm].
//
// # Map
//
//   - universe.go: the world that package world starts, and its ranks
//   - comm.go, create.go, group.go: communicators, how they are made, groups
//   - topology.go, cart.go, graph.go, distgraph.go, dims.go: process topologies
//   - idup.go, creategroup.go, splittype.go, attribute.go: more ways to make communicators, and what hangs on them; track.go: those never freed
//   - intercomm.go, intercreate.go: communicators of two groups, and how they are made
//   - inside.go: no second goroutine in a rank's calls
//   - abort.go, clock.go, environment.go: ending the world, its clock, its surroundings
//   - info.go, hints.go: hints, alone and of a communicator; extras.go: what few handles have
//   - send.go, recv.go, sendrecv.go, probe.go, message.go, status.go: point-to-point calls
//   - short.go: what most of them do instead
//   - modes.go: synchronous, buffered and ready sends; buffered.go, attachment.go: their buffers: calls, and what is kept
//   - request.go, wait.go: requests and completing them, one or several; getstatus.go: asking only; polls.go: loops of looks that cannot end
//   - persistent.go: requests that are started again and again
//   - partitioned.go, channel.go: messages in partitions: calls, and how the ends meet
//   - external.go, greq.go: requests of packages above this one, and of programs
//   - pack.go: packing units; guard.go: buffers that are touched while in use
//   - transfer.go: one end of a message, from the call to completion; settled.go: what is left of it in a request
//   - hand.go: messages that a rank takes out of its mailbox together
//   - match.go: which message meets which receive; pure, no locks, no waiting
//   - collective.go: one collective call, in any of its three forms
//   - meeting.go, agree.go, job.go: how its ranks meet, agree and share the work
//   - early.go: how they do not wait for all to come, in a world that explores
//   - rooted.go, unrooted.go, neighbors.go, reductions.go: the collectives; args.go: their arguments; overlap.go: buffers that share memory
//   - move.go, nearby.go, across.go, reduce.go: who moves what to whom
//   - op.go, kernel.go, wide.go, pair.go: operations of reductions; userop.go: those of programs
//   - region.go: type matching, and moving data between two memories
//   - engine.go: the seam between calls and what carries them out
//   - local.go, stock.go: the engine for ranks in this process; its buffers
//   - far.go, farcall.go, farmake.go, fargather.go: the engine of another library, one rank here
//   - wild.go: receives from any source in a world that explores
//   - edge.go: what a collective puts in order
//   - leftover.go: what ranks leave open, given up and told when the world ends
//   - keep.go, reps.go, faults.go: what packages above find at a rank; log.go: what it tells its log
//   - errors.go: error classes and how an error is built; errhandler.go: who handles it
//
// # A message
//
// Send checks its arguments and hands a transfer to the engine, which looks
// into the receiver's mailbox under its lock. If a receive is posted there that
// matches, the sender copies the data straight from its memory to the
// receiver's and wakes it. Otherwise a short message is put into a buffer of
// the sender's stock and queued, and a long one queued as it is: then the
// receiver copies, and wakes the sender. A short message like the one before needs
// no transfer, and a rank that receives one after the other takes several out of
// its mailbox together.
//
// # A collective
//
// Every rank lays down its call at a meeting. The last rank to come compares
// all calls, so that a mistake of one is an error on all, and nothing has been
// touched yet. If little data is to be moved it moves it for everybody, and
// the others wake up with the result in place. Otherwise the work is cut into
// parts, which are taken by the ranks that wait, and the call is complete on all
// of them when the last part is done. In a world that explores, a rank leaves a
// rooted collective or a scan when its own part is done, with a copy of what it
// sends left behind, and hears of a mistake when its program ends.
//
// IBcast and its like lay down their call and go on; what was said happens all
// the same, only that the rank need not be there. A rank's k-th collective call
// meets the k-th of the others, in whatever form, so that mixed forms are found.
// BcastInit and its like meet once to agree, and get a meeting of their own.
//
// # Not here, and why
//
//   - MPI_Init, MPI_Init_thread, MPI_Finalize: package world starts the ranks and ends the world
//   - MPI_Initialized, MPI_Finalized: a rank has no communicator before, and after the end each call on one returns [ErrComm]
//   - MPI_Query_thread, MPI_Is_thread_main: what goroutines may do never changes, see above; none of them is special
//   - MPI_Op_free, MPI_Group_free, MPI_Info_free, MPI_Errhandler_free: values, which are garbage collected
//   - MPI_Type_commit, MPI_Type_free: values, too; see package types
//   - MPI_Get_address, MPI_Aint_add, MPI_Aint_diff: displacements count from the beginning of a buffer's memory
//   - MPI_Alloc_mem, MPI_Free_mem: any memory of the program will do
//   - MPI_Status_get_source, MPI_Status_set_source, and their like for tag and error: fields of [Status]
//   - MPI_Get_elements_x, and whatever ends in _c: all counts have 64 bits
//   - MPI_Comm_spawn, MPI_Comm_connect, MPI_Comm_disconnect, MPI_Win_create, MPI_Session_init: out of scope, with all that belong to them
//
// # Borders
//
// Waiting is done by package internal/sched alone, layouts and signatures come
// from package types, conversion between unlike machines from package reps.
// This package must not import world or iofile.
package comm
