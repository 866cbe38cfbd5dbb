package comm

// A carrier carries out the messages and collectives of the ranks of a world.
// The calls of this package check arguments, then hand over a transfer or a
// call; what happens between processes is the engine's business. Ranks in one
// process are one engine; a world under a real MPI would be another, with a
// request in place of the mailbox.
type carrier interface {
	// send starts to send t. The transfer may be complete on return; if not,
	// its buffer is in use until it is.
	send(t *transfer)

	// receive starts to receive t.
	receive(t *transfer)

	// await waits for t to complete. If the world is aborted meanwhile it
	// returns the cause, and t's buffer is no longer touched.
	await(t *transfer) error

	// abandon ends t in an aborted world: its buffer is no longer touched.
	abandon(t *transfer)

	// cancel completes t without effect if nobody has matched it yet, and
	// otherwise does nothing.
	cancel(t *transfer) error

	// probe looks for a message that t, a receive that is not started, would
	// match, returns it, and fills in t's status. With wait it returns when there
	// is one. With claim the message will be received by redeem alone.
	probe(t *transfer, wait, claim bool) (*transfer, error)

	// redeem receives message m, which probe has claimed, by t.
	redeem(t, m *transfer)

	// pair joins one end of a partitioned message with the other, which may
	// come later.
	pair(p *partitioned)

	// part takes p back if nothing has been paired with it.
	part(p *partitioned)

	// unreceived tells, when the world has ended, of messages that nobody has
	// received.
	unreceived(tell func(rank int, err error))

	// collective carries out k together with the other ranks. An error is a
	// fault or the cause of an abort.
	collective(k *call) error

	// launch starts k, which advance takes forward and reports complete, with
	// its fate. expect says that the rank is about to park, and returns false
	// if k is complete by now. forsake ends k in an aborted world: its buffers
	// are no longer touched.
	launch(k *call) error
	advance(k *call) bool
	expect(k *call) bool
	forsake(k *call)
}
