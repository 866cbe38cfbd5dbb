// Package comm provides message passing: groups, communicators, point-to-point messages and
// collectives between the ranks of a world.
//
// Start here: the five calls of a typical program.
//
//	err := world.Run(ctx, 4, func(ctx context.Context, c *comm.Comm) error {
//		x := []float64{float64(c.Rank())} // c.Rank and c.Size: which rank this is, of how many
//		next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
//		q, err := c.ISend(types.Of(x), next, 7) // a message starts, and Wait completes it
//		if err != nil {
//			return err
//		}
//		y := make([]float64, 1)
//		if _, err := c.Recv(types.Of(y), last, 7); err != nil { // a message is received
//			return err
//		}
//		if _, err := q.Wait(); err != nil {
//			return err
//		}
//		sum := make([]float64, 1)
//		return c.AllReduce(types.Of(y), types.Of(sum), comm.Sum) // a collective, which all ranks call
//	})
//
// Names are those of MPI: MPI_Iallgatherv is [Comm.IAllGatherV]. Every call on a nil
// or freed communicator returns [ErrComm].
//
// # Handles and goroutines
//
// A handle belongs to one rank, which is one thread of control; calls on one
// rank's handles come from one goroutine at a time, as with MPI_THREAD_SERIALIZED.
// While a rank waits, is in a collective or makes a communicator, calls of another
// of its goroutines are refused; two in messages that do not wait are noticed only
// with world.Threads.
//
// # Goroutines, channels, mailboxes
//
// A rank is a goroutine, which package world starts, by an errgroup in a free world. Every
// rank has two things that others use:
//
//   - a channel of its own, on which it waits; what comes is a wake-up, without data
//     (internal/sched). Ranks that take turns, as under world.Seed, are coroutines
//     and need none.
//   - a mailbox with the messages and the receives that have not found each other.
//
// COMM_WORLD is the group of all ranks over these, and a context, a number that its messages
// carry; every other communicator is another group and another context over the same
// mailboxes. Channels alone cannot match messages: a channel returns what was sent first,
// while a receive wants the oldest message of a source and a tag, or of any, and leaves the
// others; a probe looks and takes nothing; a cancel takes a posted receive back. A receiver
// would have to move messages from channels to such a mailbox, and would do so only while it
// is in a call. In a mailbox the end that comes last finds the other, so a sender stores the
// data in the memory of a posted receive without a copy between, and a short message never
// waits for room. tools/bench/RESULTS.md has what messages over channels would cost.
//
// # A message
//
// Send checks its arguments and passes a transfer to the engine, which looks into the
// receiver's mailbox under its lock. If a matching receive is posted there, the sender
// copies the data directly from its memory to the receiver's and wakes the receiver.
// Otherwise a short message is copied into a buffer of the sender's pool and queued, and a
// long one is queued without a copy: then the receiver copies, and wakes the sender. A short
// message like the previous one needs no transfer, and a rank that receives one message
// after the other takes several out of its mailbox together.
//
// The count of a receive is the most that may come. It may exceed the memory of the buffer, but
// a message may not: what does not fit is an error when it comes, and stores nothing (P2P-09).
// A send, a collective, whose signatures are equal on both sides (COLL-01), and a
// partitioned message move their whole count, so their memory must hold it.
//
// # A collective
//
// Every rank brings its call to a meeting. The last rank to come compares all calls before
// any buffer is touched, so that a mistake of one rank is an error on all. If there is
// little data to move, that rank moves it for all, and the others wake up with the result in
// place. Otherwise the work is cut into parts, which the waiting ranks take, and the call is
// complete on all ranks when the last part is done. In a world that explores, a rank returns
// from a rooted collective or a scan when its own part is done. A copy of its data stays
// behind, and the rank gets the error of a mistake when its program ends.
//
// IBcast and its like bring their call and return; all of this happens in the same way,
// without the rank. A rank's k-th collective call meets the k-th of the others, in any form,
// so that mixed forms are found. BcastInit and its like meet once to agree, and get a
// meeting of their own.
//
// # Not here, and why
//
//   - MPI_Init, MPI_Init_thread, MPI_Finalize: package world starts the ranks and ends the world
//   - MPI_Initialized, MPI_Finalized: a rank has no communicator before, and after the end each
//     call on one returns [ErrComm]
//   - MPI_Query_thread, MPI_Is_thread_main: the rules for goroutines never change, see
//     above; no goroutine is special
//   - MPI_Op_free, MPI_Group_free, MPI_Info_free, MPI_Errhandler_free: values, which are garbage collected
//   - MPI_Type_commit, MPI_Type_free: values, too; see package types
//   - MPI_Get_address, MPI_Aint_add, MPI_Aint_diff: displacements count from the beginning of a buffer's memory
//   - MPI_Alloc_mem, MPI_Free_mem: any memory of the program will do
//   - MPI_Status_get_source, MPI_Status_set_source, and their like for tag and error: fields of [Status]
//   - MPI_Get_elements_x, and all names that end in _c: counts have 64 bits
//   - MPI_Comm_spawn, MPI_Comm_connect, MPI_Comm_disconnect, MPI_Win_create, MPI_Session_init: out of
//     scope, with all that belong to them
//
// # Borders
//
// Waiting is done by package internal/sched alone, layouts and signatures come
// from package types, conversion between unlike machines from package reps.
// This package must not import world or iofile.
package comm
