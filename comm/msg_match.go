package comm

// An envelope is what messages and receives are matched by: context of the communicator,
// source rank in it, and tag. In a receive the last two may be AnySource and AnyTag.
type envelope struct {
	context     uint32
	source, tag int32
}

// The shapes of envelopes, by wildcards: bit 0 for the source, bit 1 for the tag.
const (
	exact   = 0
	anyFrom = 1
	anyTag  = 2
	anyBoth = 3
	shapes  = 4
)

func (e envelope) shape() int {
	s := exact
	if e.source == AnySource {
		s |= anyFrom
	}
	if e.tag == AnyTag {
		s |= anyTag
	}
	return s
}

// as returns e with the wildcards of the given shape.
func (e envelope) as(shape int) envelope {
	if shape&anyFrom != 0 {
		e.source = AnySource
	}
	if shape&anyTag != 0 {
		e.tag = AnyTag
	}
	return e
}

func (e envelope) hash() uint32 {
	h := uint64(e.context)<<32 | uint64(uint32(e.source))
	h = (h ^ uint64(uint32(e.tag))*0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

// An envelopeQueue holds the transfers with one envelope, oldest first.
type envelopeQueue struct {
	env        envelope
	head, tail *transfer
	next       *envelopeQueue // in the bucket, or among the spare ones
}

// A link is a transfer's position in one queue.
type link struct {
	queue      *envelopeQueue
	prev, next *transfer
}

// place returns the link of x for the queue of the given shape.
func (x *transfer) place(shape int) *link {
	if shape == exact {
		return &x.link
	}
	return &x.wild[shape-1]
}

// A table finds queues by envelope. Empty queues stay until the table is full, because the
// next message is often like the last; then they are removed.
type table struct {
	buckets []*envelopeQueue // their number is a power of two
	queues  int              // number of queues in the buckets
	spare   *envelopeQueue
	last    *envelopeQueue // the last queue found; nil if it has been removed
}

const fewBuckets = 8

// find returns the queue of e, nil if there is none.
func (t *table) find(e envelope) *envelopeQueue {
	if l := t.last; l != nil && l.env == e {
		return l
	}
	if len(t.buckets) == 0 {
		return nil
	}
	l := t.buckets[int(e.hash())&(len(t.buckets)-1)]
	for l != nil && l.env != e {
		l = l.next
	}
	if l != nil {
		t.last = l
	}
	return l
}

// queueOf returns the queue of e and makes it if necessary.
func (t *table) queueOf(e envelope) *envelopeQueue {
	if l := t.find(e); l != nil {
		return l
	}
	if t.queues >= len(t.buckets) {
		t.sweep()
	}
	l := t.spare
	if l == nil {
		l = new(envelopeQueue)
	} else {
		t.spare = l.next
	}
	l.env = e
	t.insert(l)
	return l
}

func (t *table) insert(l *envelopeQueue) {
	b := &t.buckets[int(l.env.hash())&(len(t.buckets)-1)]
	l.next, *b = *b, l
	t.queues++
}

// sweep removes empty queues and gives the others twice as many buckets as they need, so
// that the next sweep comes after as many new queues.
func (t *table) sweep() {
	t.last = nil
	var live *envelopeQueue
	n := 0
	for _, l := range t.buckets {
		for l != nil {
			next := l.next
			if l.head != nil {
				l.next, live = live, l
				n++
			} else {
				l.next, t.spare = t.spare, l
			}
			l = next
		}
	}
	size := fewBuckets
	for size < 2*n {
		size *= 2
	}
	if size == len(t.buckets) {
		clear(t.buckets)
	} else {
		t.buckets = make([]*envelopeQueue, size)
	}
	t.queues = 0
	for live != nil {
		next := live.next
		t.insert(live)
		live = next
	}
}

// push appends x to the queue of envelope e, by its link for that shape.
func (t *table) push(x *transfer, e envelope, shape int) {
	l := t.queueOf(e)
	if shape != exact && x.wild == nil {
		x.wild = new([shapes - 1]link)
	}
	*x.place(shape) = link{queue: l, prev: l.tail}
	if l.tail != nil {
		l.tail.place(shape).next = x
	} else {
		l.head = x
	}
	l.tail = x
}

// unlink takes x out of its queue of that shape.
func (x *transfer) unlink(shape int) {
	k := x.place(shape)
	if k.prev != nil {
		k.prev.place(shape).next = k.next
	} else {
		k.queue.head = k.next
	}
	if k.next != nil {
		k.next.place(shape).prev = k.prev
	} else {
		k.queue.tail = k.prev
	}
	*k = link{}
}

// A matcher holds the two kinds of queues of one receiving rank: receives that wait for a
// message, and messages that wait for a receive. It is pure: no locks, no waiting. Its cost
// does not depend on how many are queued.
//
// A receive is in the queue of its envelope. A message may match four shapes of envelopes.
// It is always in the queue of its exact envelope, and in the queues of a wildcard shape
// only after the first receive of that shape has found messages here; most programs never
// need that.
type matcher struct {
	posted, arrived table
	clock           uint64      // order of arrival, for receives and messages alike
	waiting         [shapes]int // number of receives by shape
	receives        int         // number of receives of all shapes
	indexed         [shapes]bool
	wild            bool // whether queues of wildcard shapes are kept
	messages        int
}

// receiver returns the receive that a message of envelope e goes to: the oldest of those
// that match. It stays posted. (P2P-04)
func (m *matcher) receiver(e envelope) (best *transfer) {
	if m.receives == 0 {
		return nil
	}
	if m.waiting[exact] == m.receives {
		if l := m.posted.find(e); l != nil {
			best = l.head
		}
		return best
	}
	for shape, n := range m.waiting {
		if n == 0 {
			continue
		}
		if l := m.posted.find(e.as(shape)); l != nil && l.head != nil && (best == nil || l.head.order < best.order) {
			best = l.head
		}
	}
	return best
}

// message returns the message that a receive of envelope e gets: the oldest of
// those that match. It stays queued. (P2P-04)
func (m *matcher) message(e envelope) *transfer {
	if m.messages == 0 {
		return nil
	}
	if shape := e.shape(); shape != exact && !m.indexed[shape] {
		m.index(shape)
	}
	if l := m.arrived.find(e); l != nil {
		return l.head
	}
	return nil
}

// index starts to keep the queues of a wildcard shape.
func (m *matcher) index(shape int) {
	m.indexed[shape], m.wild = true, true
	all := make([]*transfer, 0, m.messages)
	for _, l := range m.arrived.buckets {
		for ; l != nil; l = l.next {
			if l.env.shape() != exact {
				continue
			}
			for x := l.head; x != nil; x = x.link.next {
				all = append(all, x)
			}
		}
	}
	sortByOrder(all)
	for _, x := range all {
		m.arrived.push(x, x.env.as(shape), shape)
	}
}

// oldest lists the first message of every sender, tag and communicator, oldest first, in
// heads, which is empty.
func (m *matcher) oldest(heads []*transfer) []*transfer {
	for _, l := range m.arrived.buckets {
		for ; l != nil; l = l.next {
			if l.head != nil && l.env.shape() == exact {
				heads = append(heads, l.head)
			}
		}
	}
	sortByOrder(heads)
	return heads
}

// row returns the number of transfers from x, which is queued, to the end of its queue.
func (x *transfer) row() (n int) {
	for ; x != nil; x = x.link.next {
		n++
	}
	return n
}

// post queues a receive.
func (m *matcher) post(x *transfer) {
	shape := x.env.shape()
	m.clock++
	x.order, x.queued = m.clock, inPosted
	m.waiting[shape]++
	m.receives++
	m.posted.push(x, x.env, exact)
}

// arrive queues a message.
func (m *matcher) arrive(x *transfer) {
	m.clock++
	x.order, x.queued = m.clock, inArrived
	m.messages++
	m.arrived.push(x, x.env, exact)
	for shape := exact + 1; m.wild && shape < shapes; shape++ {
		if m.indexed[shape] {
			m.arrived.push(x, x.env.as(shape), shape)
		}
	}
}

// cut removes up to most buffered messages that follow x, and returns the first of
// them. There are no queues of wildcard shapes.
func (m *matcher) cut(x *transfer, most int) *transfer {
	first, last := x.link.next, x
	for k := 0; k < most && last.link.next != nil && last.link.next.eager; k++ {
		last = last.link.next
		last.queued = inNone
		m.messages--
	}
	if last == x {
		return nil
	}
	if rest := last.link.next; rest != nil {
		rest.link.prev = x
	} else {
		x.link.queue.tail = x
	}
	x.link.next, last.link.next = last.link.next, nil
	return first
}

// paste puts messages of envelope e that were cut back in front of the others.
func (m *matcher) paste(e envelope, first *transfer) {
	l := m.arrived.queueOf(e)
	var last *transfer
	for x := first; x != nil; x = x.link.next {
		x.link.queue, x.link.prev, x.queued = l, last, inArrived
		m.messages++
		last = x
	}
	last.link.next = l.head
	if l.head != nil {
		l.head.link.prev = last
	} else {
		l.tail = last
	}
	l.head = first
}

// withdraw takes x out of any queue it is in; false if it is in none.
func (m *matcher) withdraw(x *transfer) bool {
	switch x.queued {
	case inPosted:
		m.waiting[x.env.shape()]--
		m.receives--
		x.unlink(exact)
	case inArrived:
		m.messages--
		x.unlink(exact)
		for shape := exact + 1; m.wild && shape < shapes; shape++ {
			if m.indexed[shape] {
				x.unlink(shape)
			}
		}
	default:
		return false
	}
	x.queued = inNone
	return true
}
