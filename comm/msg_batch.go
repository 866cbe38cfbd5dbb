package comm

// A batch holds messages that a rank has taken out of its mailbox together: messages of one
// envelope and from one pool, oldest first. Receiving one message after the other would
// take the lock of the mailbox, which senders share, for each; a batch takes it once for
// many, and returns their buffers together as well. Only its rank touches a batch.
type batch struct {
	env   envelope  // of the messages; of the last one received if there are none
	first *transfer // linked as in their queue
	from  *pool     // the pool they belong to
	used  *transfer // those that have been received, linked by next
	end   *transfer // the last of them
}

// batchSize is the number of messages that a batch holds.
const batchSize = 64

// next returns the message that a receive of envelope e gets; nil: look in the mailbox.
func (h *batch) next(e envelope) *transfer {
	m := h.first
	if m == nil || h.env != e {
		return nil
	}
	h.pop()
	return m
}

func (h *batch) pop() {
	m := h.first
	h.first, m.link = m.link.next, link{}
}

// done takes back m, which came out of the batch and has been received.
func (h *batch) done(m *transfer) {
	m.clear()
	if h.used == nil {
		h.end = m
	}
	m.next, h.used = h.used, m
	if h.first == nil {
		h.giveBack()
	}
}

func (h *batch) giveBack() {
	if h.used != nil {
		h.from.put(h.used, h.end)
		h.used, h.end = nil, nil
	}
}

// takeFollowing moves the messages behind m, which a receive gets now, from the mailbox to
// the batch, if the previous receive had the same envelope. The mailbox is locked.
func (b *mailbox) takeFollowing(m *transfer) {
	h := &b.batch
	switch {
	case h.first != nil || b.match.wild:
	case h.env != m.env:
		h.env = m.env
	default:
		if h.first = b.match.cut(m, batchSize); h.first != nil {
			h.from = h.first.comm.proc.pool
		}
	}
}

// putBack returns the messages of the batch to the mailbox, before a search that they might
// match. The mailbox is locked.
func (b *mailbox) putBack() {
	h := &b.batch
	if h.first != nil {
		b.match.paste(h.env, h.first)
		h.first = nil
		h.giveBack()
	}
	h.env = envelope{}
}

// oldest lists the first message of every sender, tag and communicator. The mailbox is
// locked, and its rank waits.
func (b *mailbox) oldest() []*transfer {
	b.putBack()
	return b.match.oldest(nil)
}
