package comm

// enlist and delist maintain the list of a rank's open requests.
func (p *process) enlist(q *record) {
	q.next = p.reqs
	if q.next != nil {
		q.next.prev = q
	}
	p.reqs = q
}

func (p *process) delist(q *record) {
	if q.prev != nil {
		q.prev.next = q.next
	} else if p.reqs == q {
		p.reqs = q.next
	}
	if q.next != nil {
		q.next.prev = q.prev
	}
	q.prev, q.next = nil, nil
}

// endRequests reports and ends the requests that were never completed, the oldest first.
func (p *process) endRequests(report func(error)) {
	p.finishFreed()
	for _, x := range p.alone {
		x.abandon()
	}
	p.alone = nil
	oldest := p.reqs
	for oldest != nil && oldest.next != nil {
		oldest = oldest.next
	}
	for q := oldest; q != nil; q = q.prev {
		if err := q.leftOver(); err != nil {
			report(err)
		}
	}
	p.reqs = nil
}

// leftOver returns the error of q, which was never completed or never freed, and takes its
// operation out of the queues. The request itself does not change: a rank that waits for it
// later learns that the world has ended.
func (q *record) leftOver() error {
	if !q.active {
		return q.comm.leftOpen(callOf(q.op), ErrRequest, "P2P-06", q.line, "%v: the persistent request was never freed: Free does that", q.op)
	}
	state := "it is under way still"
	if _, ok := q.op.(*external); ok || q.op.done() {
		state = "it is done"
	}
	if x, ok := q.op.(*external); ok {
		x.abandon()
	}
	return q.comm.leftOpen(callOf(q.op), ErrPending, "P2P-02", q.line,
		"%v: the request was never completed; %s: Wait or Test completes it, Free gives it up", q.op, state)
}

// unreceived reports the messages that are left in mailboxes, those of one sender, tag and
// communicator together.
func (e *local) unreceived(report func(rank int, err error)) {
	for i := range e.boxes {
		b := e.boxes[i].Load()
		if b == nil {
			continue
		}
		for _, m := range b.oldest() {
			c, n := m.comm, m.row()
			what := "a message to rank %d with tag %d of %s, never received"
			args := []any{i, m.env.tag, describe(m.data.whole())}
			if n > 1 {
				what, args = "%d messages to rank %d with tag %d, the first of %s, never received", append([]any{n}, args...)
			}
			report(c.proc.number(), c.leftOpen("Send", ErrPending, "P2P-04", m.line, what, args...))
		}
	}
}
