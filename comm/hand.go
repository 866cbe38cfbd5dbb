package comm

// A hand holds messages that a rank has taken out of its mailbox together: those
// of a stock and of one envelope, oldest first. A rank that receives one such
// message after the other shares the lock of the mailbox with those who send; so
// it takes it once for many, and as often gives back what they lay in. Only its
// rank touches a hand.
type hand struct {
	env   envelope  // of the messages; if there are none, what was received last
	first *transfer // linked as in their lane
	from  *stock    // whose they are
	used  *transfer // those that have been received, linked by next
	end   *transfer // the last of them
}

// handful is how many messages a hand holds.
const handful = 16

// next takes the message that a receive of envelope e gets; nil: the mailbox has
// to be asked.
func (h *hand) next(e envelope) *transfer {
	m := h.first
	if m == nil || h.env != e {
		return nil
	}
	h.pop()
	return m
}

func (h *hand) pop() {
	m := h.first
	h.first, m.link = m.link.next, link{}
}

// done takes back m, which came out of the hand and has been received.
func (h *hand) done(m *transfer) {
	m.clear()
	if h.used == nil {
		h.end = m
	}
	m.next, h.used = h.used, m
	if h.first == nil {
		h.giveBack()
	}
}

func (h *hand) giveBack() {
	if h.used != nil {
		h.from.put(h.used, h.end)
		h.used, h.end = nil, nil
	}
}

// grab takes what lies behind message m, which a receive of that envelope gets,
// into the hand, if the receive before was like that. The mailbox is locked.
func (b *mailbox) grab(m *transfer) {
	h := &b.hand
	switch {
	case h.first != nil || b.match.wild:
	case h.env != m.env:
		h.env = m.env
	default:
		if h.first = b.match.cut(m, handful); h.first != nil {
			h.from = h.first.comm.proc.stock
		}
	}
}

// putBack empties the hand, for a look at the mailbox that its messages might
// match. The mailbox is locked.
func (b *mailbox) putBack() {
	h := &b.hand
	if h.first != nil {
		b.match.paste(h.env, h.first)
		h.first = nil
		h.giveBack()
	}
	h.env = envelope{}
}
