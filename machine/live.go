package machine

import (
	"container/heap"
	"context"

	"github.com/commworld/commworld/iofile/strategy"
)

// A Live is a run of the model whose program is still being made: ranks add calls, and ask
// for their time. It carries out a call as soon as no rank can still make an earlier one.
type Live struct {
	s     *sim
	calls [][]Call
	ended []bool
	asks  []bool
	aside []bool // ranks without a call that do not ask for their time; they wait for other ranks
	err   error
}

// NewLive begins a run of the model. Errors: as [Run].
func NewLive(ctx context.Context, m Machine, ranks int, o Options) (*Live, error) {
	l := &Live{}
	p := Program{Ranks: ranks, Calls: func(rank int) int { return len(l.calls[rank]) }, Call: func(rank, i int) Call { return l.calls[rank][i] }}
	if err := check(&m, &p, &o); err != nil {
		return nil, err
	}
	l.calls, l.ended, l.asks, l.aside = make([][]Call, ranks), make([]bool, ranks), make([]bool, ranks), make([]bool, ranks)
	l.s = newSim(ctx, &m, &p, o)
	return l, nil
}

// Add adds a call of a rank.
func (l *Live) Add(rank int, c Call) {
	l.calls[rank] = append(l.calls[rank], c)
	l.back(rank)
}

// End ends the calls of a rank.
func (l *Live) End(rank int) {
	l.ended[rank] = true
	l.back(rank)
}

// Now returns the time of a rank, and whether all of its calls have been carried out.
func (l *Live) Now(rank int) (t float64, done bool) {
	s := l.s
	return s.now[rank], s.works[rank] == nil && s.blocked[rank] == nil && int(s.next[rank]) >= len(l.calls[rank])
}

// Ask makes a rank ask for its time, which Next returns later.
func (l *Live) Ask(rank int) {
	l.asks[rank] = true
	l.back(rank)
}

// Next carries out the calls that it can. It returns the earliest rank that asks for its
// time and whose calls have all been carried out; that rank no longer asks. The other
// ranks that have not ended wait for one of these, so none of them makes an earlier call.
// It returns false if there is no such rank: then a call waits for one that no rank has
// made. An error reports an invalid call.
func (l *Live) Next() (rank int, ok bool, err error) {
	q := &l.s.queue
	for l.err == nil && len(q.list) > 0 {
		rank := int(q.list[0])
		switch {
		case l.s.works[rank] != nil || int(l.s.next[rank]) < len(l.calls[rank]) || l.ended[rank]:
			l.err = l.s.turn()
		case l.asks[rank]:
			l.asks[rank] = false
			return rank, true, nil
		default:
			heap.Pop(q)
			l.aside[rank] = true
		}
	}
	return 0, false, l.err
}

// back makes ready again a rank that has waited for others.
func (l *Live) back(rank int) {
	if l.aside[rank] {
		l.aside[rank] = false
		heap.Push(&l.s.queue, int32(rank))
	}
}

// check checks the arguments of a run, and fills in the strategy.
func check(m *Machine, p *Program, o *Options) error {
	if err := m.Check(); err != nil {
		return err
	}
	if p.Ranks < 1 || p.Ranks > maxRanks {
		return fault("%d ranks; the model supports 1 to %d", p.Ranks, maxRanks)
	}
	if o.Strategy == nil {
		o.Strategy = strategy.ROMIO
	}
	if err := o.Strategy.Check(); err != nil {
		return err
	}
	for _, r := range o.Follow {
		if r < 0 || r >= p.Ranks {
			return fault("rank %d is to be followed, of %d ranks", r, p.Ranks)
		}
	}
	return nil
}
