package comm

// requestsPerBlock is how many requests are allocated at a time, enough for a window of
// messages. A complete request has no record, so a block that one request keeps alive is
// small.
const requestsPerBlock = 64

// newMessageRequest returns the request of a message where messages are plain; it loses its
// record when it is complete. A transfer that is complete is given back at once.
func (p *process) newMessageRequest(t *transfer) *Request {
	q := p.unused()
	if t.completion.done() && t.fault == nil && t.guard == nil { // in this order: until the transfer is done others may touch it
		q.setCompleted(t)
		q.setOperation(t.comm, q.op)
		p.give(t)
	} else {
		q.setOperation(t.comm, t)
	}
	return q
}

// unused returns a new request, with a record.
func (p *process) unused() *Request {
	if len(p.blank) == 0 {
		p.blanks = min(2*p.blanks+1, requestsPerBlock)
		p.blank = make([]Request, p.blanks)
	}
	q := &p.blank[0]
	p.blank = p.blank[1:]
	q.record = p.record()
	return q
}

// record returns a spare record, or a new one; reclaim takes back the record of q, which is
// complete and delisted.
func (p *process) record() *record {
	r := p.records
	if r == nil {
		return new(record)
	}
	p.records, r.next = r.next, nil
	p.recorded--
	return r
}

func (p *process) reclaim(q *Request) {
	r := q.record
	q.record = nil
	r.active, r.op, r.line = false, nil, nil
	if p.recorded < mostSpare {
		r.next, p.records = p.records, r
		p.recorded++
	}
}
