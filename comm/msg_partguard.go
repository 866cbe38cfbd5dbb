package comm

import (
	"hash/maphash"
	"slices"

	"github.com/commworld/commworld/internal/commport"
)

// Checks of the buffer of a partitioned message: a partition of a send is left alone from PReady
// to the end of the round, one of a receive from Start until it has come.

// A partBuffer is the memory of a partition.
type partBuffer struct{ region }

func (b *partBuffer) Load() []byte {
	packed := make([]byte, b.size())
	return append(packed[:0], b.load(0, b.size(), packed)...)
}

func (b *partBuffer) Store(packed []byte) { b.store(packed, 0) }

func (b *partBuffer) Sum() uint64 { return maphash.Bytes(guardSeed, b.Load()) }

// watch begins the checks of a round, if the world checks buffers. It returns a fault if the buffer
// shares memory with that of another operation under way.
func (p *partitioned) watch() *fault {
	owner := p.comm.proc
	if !owner.univ.watches() || p.channel == nil {
		return nil
	}
	p.line = owner.line(2)
	if f := owner.pending.conflictOf(p.used(), "P2P-07"); f != nil {
		return f
	}
	owner.pending.add(p.used())
	p.watched = true
	if owner.univ.guards {
		p.guards = make([]*commport.Guard, len(p.parts))
		for i := range p.parts {
			if !p.sends {
				p.guard(i)
			}
		}
	}
	return nil
}

// guard begins to check partition i, if the world checks buffers.
func (p *partitioned) guard(i int) {
	if p.guards != nil {
		b := &partBuffer{region{&p.data, int64(i) * p.per, p.per}}
		p.guards[i] = p.comm.proc.guardMemory(b, p.call, !p.sends && b.size() > 0)
	}
}

// unwatch ends the checks of a round.
func (p *partitioned) unwatch() {
	for i := range p.guards {
		p.release(i)
	}
	if p.watched {
		p.watched = false
		p.comm.proc.pending.remove(p.used())
	}
}

// release ends the check of partition i.
func (p *partitioned) release(i int) {
	if i >= len(p.guards) || p.guards[i] == nil {
		return
	}
	g := p.guards[i]
	g.Lock()
	intact := g.Intact()
	g.Unlock()
	g.Release()
	p.guards[i] = nil
	if !intact {
		p.touch(i)
	}
}

// touch records that the program has written into partition i.
func (p *partitioned) touch(i int) {
	p.channel.mu.Lock()
	defer p.channel.mu.Unlock()
	if p.touched == nil {
		p.touched = broken(ErrBuffer, "P2P-07", "the program wrote into partition %d of the buffer of %v while it was under way", i, p)
	}
}

// receiving lets data into items [low, high) of a receive until end is called.
func (p *partitioned) receiving(low, high int64) (end func()) {
	own := p.items() / int64(len(p.parts))
	if p.guards == nil || low == high || own == 0 {
		return func() {}
	}
	first, last := int(low/own), int((high-1)/own)
	guards := slices.Clone(p.guards[first : last+1])
	for k, g := range guards {
		if g == nil { // the request was freed
			continue
		}
		g.Lock()
		if !g.Intact() {
			p.touch(first + k)
		}
		g.Reveal()
	}
	return func() {
		for _, g := range guards {
			if g != nil {
				g.Conceal()
				g.Unlock()
			}
		}
	}
}
