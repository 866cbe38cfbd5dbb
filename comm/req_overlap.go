package comm

import (
	"fmt"
	"slices"
	"sort"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// openBuffers are the buffers of operations under way of a rank whose buffers are checked, in the
// order of the addresses at which their memory begins.
type openBuffers struct {
	all    []span
	widest int64         // no memory of them is larger
	shared map[pair]bool // which pairs of buffers in the same memory share bytes
}

// A used is a buffer of an operation.
type used struct {
	by    fmt.Stringer // the operation
	data  *data
	parts *parts
	sends bool
	line  *sched.Line // of the operation
}

// A span is such a buffer with the memory [lo, hi) that contains its data.
type span struct {
	lo, hi int64
	used
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

// onePart is how the data of a message are cut.
var onePart parts

func (t *transfer) used() used { return used{t, &t.data, &onePart, t.sends, t.line} }

func (p *partitioned) used() used { return used{p, &p.data, &onePart, p.sends, p.line} }

// uses returns the buffers of a collective: those that the program gave, without such as have a
// datatype for each block.
func (k *call) uses() (all []used) {
	if !k.givesInPlace && k.sends.how != apart && k.send.size() > 0 {
		all = append(all, used{k, &k.send, &k.sends, true, k.line})
	}
	if k.recvs.how != apart && k.recv.size() > 0 {
		all = append(all, used{k, &k.recv, &k.recvs, false, k.line})
	}
	return all
}

func spanOf(u used) span {
	m := u.data.memory()
	lo := types.Distance(origin, m)
	return span{lo, lo + int64(len(m)), u}
}

func (b *span) layout() layout { return layout{b.lo, b.hi, b.data.typ, b.data.count} }

// conflict returns a fault if t receives into memory of another operation under way, or sends
// from memory that another one receives into.
func (p *openBuffers) conflict(t *transfer) *fault {
	if len(p.all) == 0 {
		return nil
	}
	return p.conflictOf(t.used(), "P2P-02")
}

func (p *openBuffers) conflictOf(u used, rule string) *fault {
	b := spanOf(u)
	for i := p.first(b.lo - p.widest); i < len(p.all) && p.all[i].lo < b.hi; i++ {
		o := &p.all[i]
		if o.hi <= b.lo || b.sends && o.sends || o.lo == o.hi || o.by == b.by || !p.share(&b, o) {
			continue
		}
		return broken(ErrBuffer, rule, "the buffer of %v shares memory with that of %v at %v, which is under way; wait for that first, or use other memory", b.by, o.by, o.line.Place())
	}
	return nil
}

// first returns the index of the first buffer whose memory begins at lo or later.
func (p *openBuffers) first(lo int64) int {
	return sort.Search(len(p.all), func(i int) bool { return p.all[i].lo >= lo })
}

// share reports whether two buffers have a byte in common.
func (p *openBuffers) share(a, b *span) bool {
	x, y := a.data, b.data
	whole := a.parts.how <= evenly && b.parts.how <= evenly
	if whole && !x.laid && !y.laid {
		return true
	}
	key := pair{a.layout(), b.layout()}
	known, ok := p.shared[key]
	if !ok || !whole {
		known = x.shares(a.parts, y, b.parts)
	}
	if !ok && whole {
		if p.shared == nil || len(p.shared) >= mostPairs {
			p.shared = map[pair]bool{}
		}
		p.shared[key] = known
	}
	return known
}

func (p *openBuffers) add(u used) {
	b := spanOf(u)
	p.widest = max(p.widest, b.hi-b.lo)
	p.all = slices.Insert(p.all, p.first(b.lo), b)
}

func (p *openBuffers) remove(u used) {
	i := p.first(spanOf(u).lo)
	for i < len(p.all) && (p.all[i].by != u.by || p.all[i].data != u.data) {
		i++
	}
	if i < len(p.all) {
		p.all = slices.Delete(p.all, i, i+1)
	}
	if len(p.all) == 0 {
		p.widest = 0
	}
}
