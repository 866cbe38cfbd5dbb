package machine

// A message is one that a rank has sent or waits for.
type message struct {
	sent    bool
	left    float64 // when its sender sent it
	arrives float64
	path    *stride // of the sender
	reader  int     // the rank that waits for it, plus one; 0: none
}

// send lets rank send a message. The rank continues when the bytes have left its node:
// the model has buffers for all of them at the other end.
func (s *sim) send(rank int, c *Call) error {
	m := s.messages[c.Number]
	switch {
	case m == nil:
		m = new(message)
		s.messages[c.Number] = m
	case m.sent:
		return fault("rank %d sends message %d, which was sent before", rank, c.Number)
	}
	from, to := s.node(rank), s.node(c.To)
	m.sent, m.left, m.path = true, s.now[rank], s.stride(rank, c.label())
	s.tracer.arrow("s", rank, c.Number, m.left)
	var free float64
	free, m.arrives = s.transmit(from, to, m.left, c.Bytes)
	s.counts.Sent += c.Bytes
	s.until(rank, c, free, InNetwork)
	if m.reader > 0 {
		reader := m.reader - 1
		s.take(reader, s.blocked[reader], m)
		s.resume(reader, s.now[reader])
	}
	return nil
}

// receive lets rank receive a message, and reports whether it can continue.
func (s *sim) receive(rank int, c *Call) (goes bool, err error) {
	m := s.messages[c.Number]
	switch {
	case m == nil:
		m = new(message)
		s.messages[c.Number] = m
		fallthrough
	case !m.sent:
		if m.reader > 0 {
			return false, fault("ranks %d and %d both receive message %d", m.reader-1, rank, c.Number)
		}
		m.reader = rank + 1
		own := *c
		s.blocked[rank] = &own
		return false, nil
	}
	s.take(rank, c, m)
	return true, nil
}

// take lets rank take a message that was sent.
func (s *sim) take(rank int, c *Call, m *message) {
	delete(s.messages, c.Number)
	defer func() { s.tracer.arrow("f", rank, c.Number, s.now[rank]) }()
	if m.arrives <= s.now[rank] {
		s.pay(rank, c, s.m.Node.Overhead)
		return
	}
	s.wakeAt(rank, c, m.left, m.arrives, m.path)
}

// transmit sends bytes between nodes from time t on. It returns when they have left, and
// when they have arrived.
func (s *sim) transmit(from, to int, t float64, bytes int64) (leaves, arrives float64) {
	l := s.m.link(from, to)
	time := float64(bytes) / l.Bandwidth
	if from == to {
		leaves, arrives = t+l.Overhead+time, t+2*l.Overhead+l.Latency+time
	} else {
		leaves = max(t+l.Overhead, s.out[from]) + time
		s.out[from] = leaves
		arrives = max(leaves+l.Latency, s.in[to]+time)
		s.in[to] = arrives
		arrives += l.Overhead
	}
	s.tracer.addFlight(t, arrives, 0, bytes)
	return leaves, arrives
}
