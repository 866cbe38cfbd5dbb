package comm

import (
	"fmt"
	"testing"

	"github.com/commworld/commworld/internal/sched"
)

// The two twins below are bare carriers of messages: one by Go channels, one by mailboxes as
// this package has them. Neither checks, logs or explores anything, so that the difference is
// that of the design. Records come from one kind of pool and are matched by the same matcher.

// A twin is one rank of a bare carrier.
type twin interface {
	send(to twin, e envelope, data []byte)
	recv(e envelope, data []byte)
}

const twinEager = 8 << 10 // longer messages are copied once, from memory to memory, and wait

// A twinPool has the records of a rank's messages.
type twinPool struct {
	pool
	idle *transfer
}

// record returns a record of a message that has a copy of short data.
func (p *twinPool) record(e envelope, data []byte) *transfer {
	if p.idle == nil {
		p.idle = p.returned.Swap(nil)
	}
	t := p.idle
	if t == nil {
		t = new(transfer)
	} else {
		p.idle, t.next = t.next, nil
	}
	t.env, t.eager, t.data.flat = e, len(data) <= twinEager, data
	if t.eager {
		t.data.flat = append(t.tiny[:0], data...)
	}
	return t
}

// A channelTwin gets its messages by a channel, and matches them alone. A rank makes progress
// only while it receives, and a sender waits while the channel is full.
type channelTwin struct {
	twinPool
	inbox  chan *transfer
	copied chan struct{} // the receiver of a long message has copied the data
	match  matcher       // messages that came before their receives
}

func (r *channelTwin) send(to twin, e envelope, data []byte) {
	t := r.record(e, data)
	t.native = r
	long := !t.eager
	to.(*channelTwin).inbox <- t
	if long {
		<-r.copied
	}
}

func (r *channelTwin) recv(e envelope, data []byte) {
	m := r.match.message(e)
	if m != nil {
		r.match.withdraw(m)
	}
	for m == nil {
		if x := <-r.inbox; x.env == e {
			m = x
		} else {
			r.match.arrive(x)
		}
	}
	copy(data, m.data.flat)
	from := m.native.(*channelTwin)
	if !m.eager {
		from.copied <- struct{}{}
	}
	from.put(m, m)
}

// A mailboxTwin has a mailbox with a lock, in which the end that comes last finds the other. A
// rank that waits waits on a channel of its own.
type mailboxTwin struct {
	twinPool
	mu    sched.Mutex
	match matcher
	wake  chan struct{}
	want  transfer // the receive of the rank, of which it has one at a time
}

func (r *mailboxTwin) send(to twin, e envelope, data []byte) {
	b := to.(*mailboxTwin)
	b.mu.Lock()
	if w := b.match.receiver(e); w != nil {
		b.match.withdraw(w)
		b.mu.Unlock()
		copy(w.data.flat, data)
		b.wake <- struct{}{}
		return
	}
	t := r.record(e, data)
	t.native = r
	long := !t.eager
	b.match.arrive(t)
	b.mu.Unlock()
	if long {
		<-r.wake
	}
}

func (r *mailboxTwin) recv(e envelope, data []byte) {
	r.mu.Lock()
	m := r.match.message(e)
	if m == nil {
		r.want.env, r.want.data.flat = e, data
		r.match.post(&r.want)
		r.mu.Unlock()
		<-r.wake
		return
	}
	r.match.withdraw(m)
	r.mu.Unlock()
	copy(data, m.data.flat)
	from := m.native.(*mailboxTwin)
	if !m.eager {
		from.wake <- struct{}{}
	}
	from.put(m, m)
}

// BenchmarkCarriers measures the twins in the rows of PingPong, Stream and Unexpected; see
// tools/bench/RESULTS.md.
func BenchmarkCarriers(b *testing.B) {
	for _, v := range []struct {
		name string
		rank func(room int) twin
	}{
		{"channels", func(room int) twin {
			return &channelTwin{inbox: make(chan *transfer, room), copied: make(chan struct{}, 1)}
		}},
		{"mailboxes", func(int) twin { return &mailboxTwin{wake: make(chan struct{}, 1)} }},
	} {
		for _, size := range []int{8, 64 << 10} {
			b.Run(fmt.Sprintf("%s/PingPong/%dB", v.name, size), func(b *testing.B) { pingPongTwins(b, v.rank(128), v.rank(128), size) })
			b.Run(fmt.Sprintf("%s/Stream/%dB", v.name, size), func(b *testing.B) { streamTwins(b, v.rank(128), v.rank(128), size) })
		}
		b.Run(v.name+"/Unexpected/n=1000", func(b *testing.B) {
			const n = 1000
			me, buf := v.rank(n), make([]byte, 8) // with less room a rank that sends so many to itself waits for ever
			for b.Loop() {
				for tag := range n {
					me.send(me, envelope{1, 0, int32(tag)}, buf)
				}
				for tag := n - 1; tag >= 0; tag-- {
					me.recv(envelope{1, 0, int32(tag)}, buf)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/message")
		})
	}
}

// pumpTwins runs the steps of two ranks until the benchmark has enough.
func pumpTwins(b *testing.B, zero, one func()) {
	b.Helper()
	b.ReportAllocs()
	more, ended := make(chan bool), make(chan bool)
	go func() {
		for <-more {
			for range 64 {
				one()
			}
		}
		close(ended)
	}()
	for b.Loop() {
		more <- true
		for range 64 {
			zero()
		}
	}
	close(more)
	<-ended
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/step")
}

var there, back = envelope{1, 0, 1}, envelope{1, 1, 1} // messages of rank 0 and of rank 1

func pingPongTwins(b *testing.B, zero, one twin, size int) {
	x, y := make([]byte, size), make([]byte, size)
	pumpTwins(b, func() {
		zero.send(one, there, x)
		zero.recv(back, x)
	}, func() {
		one.recv(there, y)
		one.send(zero, back, y)
	})
}

func streamTwins(b *testing.B, zero, one twin, size int) {
	x, y := make([]byte, size), make([]byte, size)
	pumpTwins(b, func() {
		for range 64 {
			zero.send(one, there, x)
		}
		zero.recv(back, x[:1])
	}, func() {
		for range 64 {
			one.recv(there, y)
		}
		one.send(zero, back, y[:1])
	})
}

// If the twins lost or mixed up messages, their figures would mean nothing.
func TestCarrierTwins(t *testing.T) {
	for name, ranks := range map[string][2]twin{
		"channels":  {&channelTwin{inbox: make(chan *transfer, 4), copied: make(chan struct{}, 1)}, &channelTwin{inbox: make(chan *transfer, 4), copied: make(chan struct{}, 1)}},
		"mailboxes": {&mailboxTwin{wake: make(chan struct{}, 1)}, &mailboxTwin{wake: make(chan struct{}, 1)}},
	} {
		t.Run("P2P-04 "+name, func(t *testing.T) {
			done := make(chan bool)
			go func() {
				for i := range 200 {
					ranks[0].send(ranks[1], envelope{1, 0, int32(i % 3)}, []byte{byte(i)})
					if i%3 == 2 {
						ranks[0].send(ranks[1], envelope{1, 0, 7}, make([]byte, twinEager+i))
					}
				}
				close(done)
			}()
			buf := make([]byte, 1)
			for i := 0; i+2 < 200; i += 3 {
				for _, tag := range []int{2, 0, 1} {
					if ranks[1].recv(envelope{1, 0, int32(tag)}, buf); int(buf[0]) != i+tag {
						t.Fatalf("message %d of tag %d has %d", i, tag, buf[0])
					}
				}
				ranks[1].recv(envelope{1, 0, 7}, make([]byte, twinEager+i+2))
			}
			<-done
		})
	}
}
