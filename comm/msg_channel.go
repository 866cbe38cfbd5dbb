package comm

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/reps"
)

// partitioned is one end of a partitioned message, for all its rounds.
type partitioned struct {
	completion
	comm  *Comm
	call  string
	route string
	env   envelope
	peer  int
	sends bool
	data  data
	per   int64 // copies of the datatype in a partition

	line    *sched.Line       // of the start of the round, if buffers are checked
	watched bool              // it is in the list of buffers under way
	guards  []*commport.Guard // of the partitions; nil unless buffers are checked

	*channel // nil to and from ProcNull

	// The lock of the channel protects the following fields.
	round   int
	started bool // the present round has been started
	parts   []part
	moved   int         // of the sender: partitions moved in this round
	seen    sched.Clock // of the receiver: clock that came with the data
	clock   sched.Clock // of the sender, at the last PReady
	touched *fault      // the program wrote into the buffer in this round
}

// A part is the state of one partition at one end, in this round.
type part struct {
	state partState // of the sender
	items int64     // of the receiver: basic items that have come
}

type partState uint8

const (
	partEmpty partState = iota
	partReady
	partGoing
	partGone
)

// A channel joins the two ends of a partitioned message: the first end to come makes it,
// the other finds it in the receiver's mailbox.
type channel struct {
	mu        sched.Mutex
	send, get *partitioned
	going     int // number of partitions being copied
	fault     *fault
}

// An opening is the key under which an unpaired end waits.
type opening struct {
	env   envelope
	sends bool
}

// meeting returns the mailbox in which the ends of p find each other.
func (e *local) meeting(p *partitioned) *mailbox {
	to := p.comm.proc.thread.ID()
	if p.sends {
		to = p.comm.core.peers().world(p.peer)
	}
	return e.box(to)
}

func (e *local) part(p *partitioned) {
	if p.channel == nil {
		return
	}
	b, mine := e.meeting(p), opening{p.env, p.sends}
	b.mu.Lock()
	if b.openings != nil {
		b.openings[mine] = slices.DeleteFunc(b.openings[mine], func(x *partitioned) bool { return x == p })
	}
	b.mu.Unlock()
}

// pair finds the other end of p, or leaves p for it.
func (e *local) pair(p *partitioned) {
	b := e.meeting(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	mine, other := opening{p.env, p.sends}, opening{p.env, !p.sends}
	if waiting := b.openings[other]; len(waiting) > 0 {
		p.channel, b.openings[other] = waiting[0].channel, waiting[1:]
		p.channel.join(p)
		return
	}
	p.channel = new(channel)
	p.channel.join(p)
	if b.openings == nil {
		b.openings = map[opening][]*partitioned{}
	}
	b.openings[mine] = append(b.openings[mine], p)
}

// join adds an end. When the second end comes, join compares both.
func (ch *channel) join(p *partitioned) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if p.sends {
		ch.send = p
	} else {
		ch.get = p
	}
	s, r := ch.send, ch.get
	if s == nil || r == nil {
		return
	}
	ch.fault = match(r.data.whole(), s.data.whole(), exactly)
	if ch.fault == nil && s.items() != r.items() || ch.fault != nil && ch.fault.Class == ErrNotSame {
		ch.fault = broken(ErrType, "P2P-07", "%s are sent, but %s awaited: partitions need the same items at both ends", describe(s.data.whole()), describe(r.data.whole()))
	}
	if ch.fault != nil {
		for _, end := range []*partitioned{s, r} {
			if end.started && !end.done() {
				end.finish(end.comm.proc.thread)
			}
		}
	}
}

// items returns how many basic items a partition has.
func (p *partitioned) items() int64 { return p.data.typ.Signature().Len() * p.data.count }

// start begins a round. A receiver gets the partitions that are ready already.
func (p *partitioned) start() (operation, error) {
	if err := p.comm.proc.thread.Step(p); err != nil {
		return nil, err
	}
	if p.channel == nil {
		return p, nil
	}
	if f := p.watch(); f != nil {
		return nil, f
	}
	ch := p.channel
	if l := p.comm.proc.log; l != nil && p.sends {
		to := p.comm.core.peers().world(p.peer)
		l.CountSend(to, p.data.size())
		if r := l.Recorder(); r != nil {
			r.Send(l.Rank(), to, p.data.size(), partMessage{ch, p.round + 1}, l.Place())
		}
	}
	ch.mu.Lock()
	p.round++
	p.started, p.moved, p.touched = true, 0, nil
	clear(p.parts)
	if ch.fault != nil {
		ch.mu.Unlock()
		return p, nil
	}
	p.open()
	var due []int
	if s := ch.send; !p.sends && s != nil {
		for i := range s.parts {
			if ch.goes(i) {
				due = append(due, i)
			}
		}
	}
	ch.mu.Unlock()
	ch.move(due)
	return p, nil
}

// goes reports whether partition i can be copied now, because both ends are ready, and
// marks it as being copied. The lock is held.
func (ch *channel) goes(i int) bool {
	s, r := ch.send, ch.get
	if r == nil || !r.started || r.round != s.round || s.parts[i].state != partReady {
		return false
	}
	s.parts[i].state = partGoing
	ch.going++
	return true
}

// give makes the listed partitions of a send ready.
func (p *partitioned) give(list []int) *fault {
	ch := p.channel
	if ch == nil {
		ch = new(channel) // to ProcNull: checked only
	}
	ch.mu.Lock()
	for k, i := range list {
		var f *fault
		switch {
		case i < 0 || i >= len(p.parts):
			f = broken(ErrArg, "P2P-07", "there is no partition %d; the request has %s", i, p.count())
		case p.parts[i].state != partEmpty:
			f = broken(ErrArg, "P2P-07", "partition %d is ready already since the last Start", i)
		}
		if f != nil {
			for _, i := range list[:k] {
				p.parts[i].state = partEmpty
			}
			ch.mu.Unlock()
			return f
		}
		p.parts[i].state = partReady
	}
	for _, i := range list {
		p.guard(i)
	}
	p.clock = p.comm.proc.thread.Publish(false)
	var due []int
	for _, i := range list {
		if p.channel != nil && ch.fault == nil && ch.goes(i) {
			due = append(due, i)
		}
	}
	ch.mu.Unlock()
	ch.move(due)
	return nil
}

// move copies partitions, which no other rank touches meanwhile.
func (ch *channel) move(due []int) {
	for _, i := range due {
		s, r := ch.send, ch.get
		n := s.items() / int64(len(s.parts))
		moved := r.receiving(int64(i)*n, int64(i+1)*n)
		f := movePart(&r.data, &s.data, int64(i)*s.per, s.per)
		moved()
		ch.mu.Lock()
		s.parts[i].state = partGone
		ch.going--
		s.moved++
		if f != nil && ch.fault == nil {
			ch.fault = f
		}
		r.seen = r.seen.Join(s.clock)
		r.credit(int64(i), n)
		all := s.moved == len(s.parts)
		ch.mu.Unlock()
		if all {
			s.finish(s.comm.proc.thread)
			r.finish(r.comm.proc.thread)
		}
	}
}

// credit records that items [i*n, (i+1)*n) have come.
func (p *partitioned) credit(i, n int64) {
	own := p.items() / int64(len(p.parts))
	if n == 0 || own == 0 {
		return
	}
	for at, end := i*n, (i+1)*n; at < end; {
		k := at / own
		m := min(end, (k+1)*own) - at
		p.parts[k].items += m
		at += m
	}
}

// arrived reports whether partition i of a receive has come, and if so joins its clock into
// that of the rank.
func (p *partitioned) arrived(i int) bool {
	here, seen := p.holds(i)
	if here {
		p.release(i)
		p.comm.proc.thread.Join(seen)
	}
	return here
}

// holds reports whether partition i of a receive has come, and returns the clock that came
// with it.
func (p *partitioned) holds(i int) (here bool, seen sched.Clock) {
	if p.channel == nil {
		return true, seen
	}
	p.channel.mu.Lock()
	defer p.channel.mu.Unlock()
	return p.parts[i].items == p.items()/int64(len(p.parts)) && (p.items() > 0 || p.done()), p.seen
}

// movePart moves n copies of src's datatype, from copy number at on, to their place in dst,
// whose datatype may be another one with the same items.
func movePart(dst, src *data, at, n int64) *fault {
	if sig := src.typ.Signature(); !reps.SameMemory(dst.arch, src.arch) {
		return convertItems(dst.whole(), src.whole(), sig, at*sig.Len(), (at+n)*sig.Len())
	}
	spare := blocks.Get().(*[block]byte)
	defer blocks.Put(spare)
	to, from := dst.whole(), src.whole()
	for lo, hi := at*src.unit, (at+n)*src.unit; lo < hi; lo += block {
		m := min(block, hi-lo)
		to.store(from.load(lo, m, spare[:]), lo)
	}
	return nil
}

// outcome returns the status of the round.
func (p *partitioned) outcome(line *sched.Line) (Status, error) {
	if p.channel == nil {
		return emptyStatus(ProcNull), nil
	}
	p.unwatch()
	p.channel.mu.Lock()
	f, seen := cmp.Or(p.channel.fault, p.touched), p.seen
	p.channel.mu.Unlock()
	st := Status{}
	if !p.sends {
		st = Status{Source: int(p.env.source), Tag: int(p.env.tag), arch: p.data.arch}
		p.comm.proc.thread.Join(seen)
	}
	if f != nil {
		return st, p.comm.failOf(line, p.call, f)
	}
	if !p.sends {
		st.bytes = p.data.size()
	}
	return st, nil
}

// abandon ends p in an aborted world. It waits for partitions that are being copied, which
// takes a bounded time.
func (p *partitioned) abandon() {
	ch := p.channel
	if ch == nil {
		return
	}
	for {
		ch.mu.Lock()
		p.started = false // no further partition can be copied
		going := ch.going
		if ch.get != nil {
			ch.get.started = false
		}
		ch.mu.Unlock()
		if going == 0 {
			p.unwatch()
			return
		}
		runtime.Gosched()
	}
}
