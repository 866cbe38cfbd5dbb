package comm

import (
	"slices"
	"sort"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// openBuffers are the messages under way of a rank whose buffers are checked, in the order of the
// addresses at which the memory of their buffers begins.
type openBuffers struct {
	all    []span
	widest int64         // no memory of them is larger
	shared map[pair]bool // which pairs of buffers in the same memory share bytes
}

// A span is a message with the memory [lo, hi) that contains its data.
type span struct {
	lo, hi int64
	t      *transfer
	line   *sched.Line // of t
}

// A pair is two buffers whose memory overlaps.
type pair struct{ a, b layout }

type layout struct {
	lo, hi int64
	typ    *types.Type
	count  int64
}

// mostPairs bounds the pairs that are remembered: loops use the same buffers again.
const mostPairs = 1 << 10

// origin is where addresses of memory count from.
var origin = make([]byte, 1)

func (t *transfer) span() span {
	m := t.data.memory()
	lo := types.Distance(origin, m)
	return span{lo, lo + int64(len(m)), t, t.line}
}

func (b *span) layout() layout { return layout{b.lo, b.hi, b.t.data.typ, b.t.data.count} }

// conflict returns a fault if t receives into memory of another message under way, or sends
// from memory that another one receives into.
func (p *openBuffers) conflict(t *transfer) *fault {
	if len(p.all) == 0 {
		return nil
	}
	b := t.span()
	for i := p.first(b.lo - p.widest); i < len(p.all) && p.all[i].lo < b.hi; i++ {
		o := &p.all[i]
		if o.hi <= b.lo || t.sends && o.t.sends || o.lo == o.hi || !p.share(&b, o) {
			continue
		}
		return broken(ErrBuffer, "P2P-02", "the buffer of %v shares memory with that of %v at %v, which is under way; wait for that first, or use other memory", t, o.t, o.line.Place())
	}
	return nil
}

// first returns the index of the first message whose memory begins at lo or later.
func (p *openBuffers) first(lo int64) int {
	return sort.Search(len(p.all), func(i int) bool { return p.all[i].lo >= lo })
}

// share reports whether two buffers have a byte in common.
func (p *openBuffers) share(a, b *span) bool {
	x, y := &a.t.data, &b.t.data
	if !x.laid && !y.laid {
		return true
	}
	key := pair{a.layout(), b.layout()}
	known, ok := p.shared[key]
	if !ok {
		if p.shared == nil || len(p.shared) >= mostPairs {
			p.shared = map[pair]bool{}
		}
		known = x.shares(&parts{}, y, &parts{})
		p.shared[key] = known
	}
	return known
}

func (p *openBuffers) add(t *transfer) {
	b := t.span()
	p.widest = max(p.widest, b.hi-b.lo)
	p.all = slices.Insert(p.all, p.first(b.lo), b)
}

func (p *openBuffers) remove(t *transfer) {
	i := p.first(t.span().lo)
	for i < len(p.all) && p.all[i].t != t {
		i++
	}
	if i < len(p.all) {
		p.all = slices.Delete(p.all, i, i+1)
	}
	if len(p.all) == 0 {
		p.widest = 0
	}
}
