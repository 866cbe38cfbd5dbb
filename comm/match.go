package comm

// An envelope is what messages and receives match by: context of the
// communicator, source rank in it, and tag. A receive may have AnySource and
// AnyTag in place of the latter two.
type envelope struct {
	context     uint32
	source, tag int32
}

// The kinds of envelopes, by wildcards: bit 0 for the source, bit 1 for the tag.
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

// as returns e with wildcards of that shape.
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

// A lane is the queue of transfers with one envelope, oldest first.
type lane struct {
	env        envelope
	head, tail *transfer
	next       *lane // in the bucket, or among the spare ones
}

// A link is a transfer's place in one lane.
type link struct {
	lane       *lane
	prev, next *transfer
}

// place is where x is in the lane of that shape.
func (x *transfer) place(shape int) *link {
	if shape == exact {
		return &x.link
	}
	return &x.wild[shape-1]
}

// A table finds lanes by envelope. Empty lanes stay, since the next message is
// often like the last, until the table is full; then they are swept out.
type table struct {
	buckets []*lane // a power of two of them
	lanes   int     // in the buckets
	spare   *lane
	last    *lane // that was looked for, in a bucket; nil if it has been swept out
}

const fewBuckets = 8

// find returns the lane of e, nil if there is none.
func (t *table) find(e envelope) *lane {
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

// lane returns the lane of e and makes it if need be.
func (t *table) lane(e envelope) *lane {
	if l := t.find(e); l != nil {
		return l
	}
	if t.lanes >= len(t.buckets) {
		t.sweep()
	}
	l := t.spare
	if l == nil {
		l = new(lane)
	} else {
		t.spare = l.next
	}
	l.env = e
	t.insert(l)
	return l
}

func (t *table) insert(l *lane) {
	b := &t.buckets[int(l.env.hash())&(len(t.buckets)-1)]
	l.next, *b = *b, l
	t.lanes++
}

// sweep drops empty lanes and gives the others twice as many buckets as they
// need, so that the next sweep is as many new lanes away.
func (t *table) sweep() {
	t.last = nil
	var live *lane
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
		t.buckets = make([]*lane, size)
	}
	t.lanes = 0
	for live != nil {
		next := live.next
		t.insert(live)
		live = next
	}
}

// push puts x behind the others of envelope e, by its link of that shape.
func (t *table) push(x *transfer, e envelope, shape int) {
	l := t.lane(e)
	if shape != exact && x.wild == nil {
		x.wild = new([shapes - 1]link)
	}
	*x.place(shape) = link{lane: l, prev: l.tail}
	if l.tail != nil {
		l.tail.place(shape).next = x
	} else {
		l.head = x
	}
	l.tail = x
}

// unlink takes x out of its lane of that shape.
func (x *transfer) unlink(shape int) {
	k := x.place(shape)
	if k.prev != nil {
		k.prev.place(shape).next = k.next
	} else {
		k.lane.head = k.next
	}
	if k.next != nil {
		k.next.place(shape).prev = k.prev
	} else {
		k.lane.tail = k.prev
	}
	*k = link{}
}

// A matcher is the two queues of one receiving rank: receives that wait for a
// message, and messages that wait for a receive. It is pure: no locks, no
// waiting. What it costs does not depend on how many are queued.
//
// A receive is queued in the lane of its envelope. A message may be wanted by
// four shapes of envelope. It is always in its exact lane, and in the lanes of
// a wildcard shape from the first receive of that shape on that found messages
// here; most programs never pay for that.
type matcher struct {
	posted, arrived table
	clock           uint64      // order of arrival, for receives and messages alike
	waiting         [shapes]int // receives
	receives        int         // of all shapes
	indexed         [shapes]bool
	wild            bool // one of them is
	messages        int
}

// receiver takes out the receive that message envelope e goes to: the oldest
// of those that match. (P2P-04)
func (m *matcher) receiver(e envelope) *transfer {
	if m.receives == 0 {
		return nil
	}
	var best *transfer
	if m.waiting[exact] == m.receives {
		if l := m.posted.find(e); l != nil && l.head != nil {
			best = l.head
			m.withdraw(best)
		}
		return best
	}
	for shape, n := range m.waiting {
		if n == 0 {
			continue
		}
		if l := m.posted.find(e.as(shape)); l != nil && l.head != nil {
			if best == nil || l.head.order < best.order {
				best = l.head
			}
		}
	}
	if best != nil {
		m.withdraw(best)
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

// index starts to keep the lanes of a wildcard shape.
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

// oldest lists the first message of every sender, tag and communicator.
func (m *matcher) oldest() (heads []*transfer) {
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

// row counts x, which is queued, and those behind it of the same envelope.
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

// cut takes up to most messages of a stock out that lie behind x, and returns the
// first of them. There are no lanes of wildcard shapes.
func (m *matcher) cut(x *transfer, most int) *transfer {
	first, last := x.link.next, x
	for k := 0; k < most && last.link.next.stocked(); k++ {
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
		x.link.lane.tail = x
	}
	x.link.next, last.link.next = last.link.next, nil
	return first
}

// paste puts messages of envelope e that were cut out in front of the others.
func (m *matcher) paste(e envelope, first *transfer) {
	l := m.arrived.lane(e)
	var last *transfer
	for x := first; x != nil; x = x.link.next {
		x.link.lane, x.link.prev, x.queued = l, last, inArrived
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

// withdraw takes x out of whichever queue it is in; false if it is in none.
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
