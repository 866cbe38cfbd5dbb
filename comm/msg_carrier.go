package comm

// A carrier carries out the messages and collectives of the ranks of a world. The calls of
// this package check arguments and then submit a transfer or a call to it. local is the
// carrier for ranks in one process; far passes everything to an engine, such as a real MPI
// library.
type carrier interface {
	// send starts to send t, and returns the transfer of the call: see transfer.launch. If
	// that is not complete on return, its buffer is in use until it is.
	send(t *transfer) *transfer

	// receive starts to receive t.
	receive(t *transfer)

	// await waits for t to complete. If the world is aborted meanwhile it
	// returns the cause, and t's buffer is no longer touched.
	await(t *transfer) error

	// abandon ends t in an aborted world: its buffer is no longer touched afterwards.
	abandon(t *transfer)

	// cancel completes t without effect if no rank has matched it yet, and
	// otherwise does nothing.
	cancel(t *transfer) error

	// probe finds the message that t, a receive that is not started, would match, returns
	// it and fills in t's status. With wait it returns only when there is one. With claim,
	// only receiveClaimed can then receive the message.
	probe(t *transfer, wait, claim bool) (*transfer, error)

	// receiveClaimed receives into t the message m, which probe has claimed.
	receiveClaimed(t, m *transfer)

	// pair joins one end of a partitioned message with the other, which may come later.
	pair(p *partitioned)

	// part takes p back if it has not been paired.
	part(p *partitioned)

	// wait parks until q's operation is done, which it is not yet; waitAll and waitAny until all, or
	// one, of several are. An error is the cause of an abort.
	wait(q *Request) error
	waitAll(s *several, p *process) error
	waitAny(s *several, p *process, which answers) error

	// look is one poll of q: it lets other ranks run, and reports whether the call may find q's
	// operation done if it is. lookAtPart and lookAtAny are polls of a partition and of several
	// requests.
	look(q *Request) (may bool, err error)
	lookAtPart(x *partitioned, i int) (may bool, err error)
	lookAtAny(s *several, p *process, which answers, ready bool) error

	// unreceived reports, when the world has ended, messages that no rank has
	// received.
	unreceived(report func(rank int, err error))

	// collective carries out k together with the other ranks. An error is a fault or the
	// cause of an abort.
	collective(k *call) error

	// launch starts k. advance makes progress, and reports whether k is complete, and its
	// error. expect announces that the rank is about to park, and returns false if k is
	// complete by now. abandonCall ends k in an aborted world: its buffers are no longer
	// touched afterwards.
	launch(k *call) error
	advance(k *call) bool
	expect(k *call) bool
	abandonCall(k *call)
}
