package types

import (
	"iter"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Signature is the sequence of kinds of a typemap's items. Its memory is proportional to
// the recipe, not to the number of items, and it has a hash by which signatures are compared
// without visiting items. The zero Signature is empty.
type Signature struct{ nd *sigNode }

// An atom is a kind for the comparison of signatures: a parameterised Fortran type differs
// from the kind it is stored as, and from every other type (P2P-MATCH-09).
type atom uint64

func (a atom) kind() Kind { return Kind(a) }

func (a atom) String() string {
	if a>>8 != 0 {
		return f90Of(a).String()
	}
	return a.kind().String()
}

// A digest is the hash of a sequence of atoms: its value as a polynomial at two points
// modulo a prime, and the powers of the points by its length. The digest of a sequence can
// be computed from those of its parts; with 122 bits, equal digests of different sequences
// do not occur in practice.
type digest struct{ h, pow [2]uint64 }

const mersenne = 1<<61 - 1

var (
	noItems = digest{pow: [2]uint64{1, 1}}
	points  = [2]uint64{0x0f3a_5c96_8d1b_e247, 0x1b87_34d0_6e5f_92a9}
)

func mulmod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	r := lo&mersenne + (lo>>61 | hi<<3)
	if r = r&mersenne + r>>61; r >= mersenne {
		r -= mersenne
	}
	return r
}

func (d digest) then(e digest) digest {
	for i := range d.h {
		h := mulmod(d.h[i], e.pow[i]) + e.h[i]
		if h >= mersenne {
			h -= mersenne
		}
		d.h[i], d.pow[i] = h, mulmod(d.pow[i], e.pow[i])
	}
	return d
}

// times returns the digest of n repetitions of d.
func (d digest) times(n int64) digest {
	r := noItems
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = r.then(d)
		}
		d = d.then(d)
	}
	return r
}

// A sigNode is a run of one atom, a repetition of kid, or a sequence of kids.
type sigNode struct {
	len    int64
	digest digest
	atom   atom     // run, if kid and kids are nil
	only   Kind     // of all items, if they have one kind
	kid    *sigNode // repetition
	kids   []*sigNode
	starts []int64  // sequence: first item of each kid, and len
	before []digest // sequence: digest of all kids before each
	sized  atomic.Pointer[[]cachedSigSize]
}

func atomSignature(a atom) Signature {
	d := digest{h: [2]uint64{uint64(a), uint64(a)}, pow: points}
	return Signature{&sigNode{len: 1, digest: d, atom: a, only: a.kind()}}
}

func (nd *sigNode) isRun() bool { return nd.kid == nil && nd.kids == nil }

// Len returns the number of items.
func (s Signature) Len() int64 {
	if s.nd == nil {
		return 0
	}
	return s.nd.len
}

// Hash returns a number that is the same for equal signatures.
func (s Signature) Hash() uint64 {
	if s.nd == nil {
		return 0
	}
	return s.nd.digest.h[0] ^ s.nd.digest.h[1]<<3 ^ uint64(s.nd.len)
}

// Equal reports whether s and o have the same kinds in the same order.
func (s Signature) Equal(o Signature) bool {
	if s.nd == nil || o.nd == nil {
		return s.nd == o.nd
	}
	return s.nd == o.nd || (s.nd.len == o.nd.len && s.nd.digest == o.nd.digest)
}

// Repeat returns n repetitions of s. The number of items must fit an int64.
func (s Signature) Repeat(n int64) Signature {
	switch {
	case s.nd == nil || n <= 0:
		return Signature{}
	case n == 1:
		return s
	}
	nd := &sigNode{len: s.nd.len * n, digest: s.nd.digest.times(n), only: s.nd.only}
	switch {
	case s.nd.isRun():
		nd.atom = s.nd.atom
	case s.nd.kid != nil:
		nd.kid = s.nd.kid
	default:
		nd.kid = s.nd
	}
	return Signature{nd}
}

// Concat returns s followed by the others.
func (s Signature) Concat(others ...Signature) Signature {
	return concat(append([]Signature{s}, others...))
}

// concat joins parts, and merges neighbours that form one run or one repetition.
func concat(parts []Signature) Signature {
	var kids []*sigNode
	for _, p := range parts {
		if p.nd == nil {
			continue
		}
		if k := len(kids) - 1; k >= 0 {
			if m, ok := mergeSig(Signature{kids[k]}, p); ok {
				kids[k] = m.nd
				continue
			}
		}
		kids = append(kids, p.nd)
	}
	switch len(kids) {
	case 0:
		return Signature{}
	case 1:
		return Signature{kids[0]}
	}
	nd := &sigNode{digest: noItems, kids: kids, only: kids[0].only}
	for _, k := range kids {
		if k.only != nd.only {
			nd.only = KindNone
		}
		nd.starts, nd.before = append(nd.starts, nd.len), append(nd.before, nd.digest)
		nd.len, nd.digest = nd.len+k.len, nd.digest.then(k.digest)
	}
	nd.starts = append(nd.starts, nd.len)
	return Signature{nd}
}

// mergeSig returns a followed by b if that is a repetition of one unit.
func mergeSig(a, b Signature) (Signature, bool) {
	unit := func(s Signature) Signature {
		switch {
		case s.nd.isRun():
			return atomSignature(s.nd.atom)
		case s.nd.kid != nil:
			return Signature{s.nd.kid}
		}
		return s
	}
	u := unit(a)
	if !u.Equal(unit(b)) {
		return Signature{}, false
	}
	return u.Repeat((a.nd.len + b.nd.len) / u.nd.len), true
}

// Repeats reports whether s is unit repeated n times, and returns n. For an empty s, n is
// 0.
func (s Signature) Repeats(unit Signature) (n int64, ok bool) {
	switch {
	case s.nd == nil:
		return 0, true
	case unit.nd == nil || s.nd.len%unit.nd.len != 0:
		return 0, false
	}
	n = s.nd.len / unit.nd.len
	if s.nd.isRun() && unit.nd.isRun() {
		return n, s.nd.atom == unit.nd.atom
	}
	return n, unit.nd.digest.times(n) == s.nd.digest
}

// Prefix reports whether of begins with s.
func (s Signature) Prefix(of Signature) bool {
	return s.Len() <= of.Len() && of.prefix(s.Len()) == s.prefix(s.Len())
}

// Difference returns the first item in which s and o differ, counting the end
// of one of them as different; ok is false if they are equal.
func (s Signature) Difference(o Signature) (item int64, ok bool) {
	if s.Equal(o) {
		return 0, false
	}
	lo, hi := int64(0), min(s.Len(), o.Len())+1 // equal up to lo, different at hi
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; s.prefix(mid) == o.prefix(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, true
}

// prefix returns the digest of the first n items.
func (s Signature) prefix(n int64) digest {
	d := noItems
	if n == 0 {
		return d
	}
	nd := s.nd
	for n > 0 {
		switch {
		case n == nd.len:
			return d.then(nd.digest)
		case nd.kids != nil:
			i := nd.find(n)
			d = d.then(nd.before[i])
			n, nd = n-nd.starts[i], nd.kids[i]
		case nd.kid != nil:
			d = d.then(nd.kid.digest.times(n / nd.kid.len))
			n, nd = n%nd.kid.len, nd.kid
		default:
			return d.then(atomSignature(nd.atom).nd.digest.times(n))
		}
	}
	return d
}

// find returns the index of the kid of a sequence that contains item n.
func (nd *sigNode) find(n int64) int {
	return sort.Search(len(nd.kids), func(i int) bool { return nd.starts[i+1] > n })
}

// atomAt returns item i; i must be less than the length.
func (s Signature) atomAt(i int64) atom {
	nd := s.nd
	for {
		switch {
		case nd.kids != nil:
			k := nd.find(i)
			i, nd = i-nd.starts[k], nd.kids[k]
		case nd.kid != nil:
			i, nd = i%nd.kid.len, nd.kid
		default:
			return nd.atom
		}
	}
}

// At returns the kind of item i, KindNone if there is no such item.
func (s Signature) At(i int64) Kind {
	if i < 0 || i >= s.Len() {
		return KindNone
	}
	return s.atomAt(i).kind()
}

// Runs returns the kinds of s, each with the number of times it follows itself.
func (s Signature) Runs() iter.Seq2[Kind, int64] { return s.Items(0, s.Len()) }

// Items returns the runs of kinds of items [from, from+n) of s repeated without end.
func (s Signature) Items(from, n int64) iter.Seq2[Kind, int64] {
	return func(yield func(Kind, int64) bool) {
		if s.nd == nil || n <= 0 || from < 0 {
			return
		}
		m := kindRuns{yield: yield}
		if s.nd.only != KindNone {
			m.put(s.nd.only, n)
		} else {
			from %= s.nd.len
			for n > 0 && !m.stop {
				part := min(n, s.nd.len-from)
				m.walk(s.nd, from, part)
				from, n = 0, n-part
			}
		}
		m.flush()
	}
}

// kindRuns merges runs of one kind before they are yielded.
type kindRuns struct {
	yield func(Kind, int64) bool
	kind  Kind
	n     int64
	stop  bool
}

func (m *kindRuns) put(k Kind, n int64) {
	if k != m.kind {
		m.flush()
		m.kind = k
	}
	m.n += n
}

func (m *kindRuns) flush() {
	if m.n > 0 && !m.stop {
		m.stop = !m.yield(m.kind, m.n)
	}
	m.n = 0
}

func (m *kindRuns) walk(nd *sigNode, from, n int64) {
	switch {
	case m.stop:
	case nd.only != KindNone: // two Fortran types may have one kind and alternate for long
		m.put(nd.only, n)
	case nd.kids != nil:
		for i := nd.find(from); n > 0 && !m.stop; i++ {
			skip := from - nd.starts[i]
			part := min(n, nd.kids[i].len-skip)
			m.walk(nd.kids[i], skip, part)
			from, n = from+part, n-part
		}
	case nd.kid != nil:
		for from %= nd.kid.len; n > 0 && !m.stop; from = 0 {
			part := min(n, nd.kid.len-from)
			m.walk(nd.kid, from, part)
			n -= part
		}
	}
}

// String prints s as "int*3 double (char short)*2"; long ones are cut.
func (s Signature) String() string {
	var b strings.Builder
	if s.nd != nil {
		s.nd.write(&b)
	}
	return b.String()
}

func (nd *sigNode) write(b *strings.Builder) {
	const longest = 200
	n := nd.len
	switch {
	case b.Len() > longest:
		b.WriteString("...")
		return
	case nd.kids != nil:
		for i, k := range nd.kids {
			if i > 0 {
				b.WriteByte(' ')
			}
			k.write(b)
			if b.Len() > longest {
				if i+1 < len(nd.kids) {
					b.WriteString(" ...")
				}
				return
			}
		}
		return
	case nd.kid != nil:
		b.WriteByte('(')
		nd.kid.write(b)
		b.WriteByte(')')
		n /= nd.kid.len
	default:
		b.WriteString(nd.atom.String())
	}
	if n != 1 {
		b.WriteByte('*')
		b.WriteString(strconv.FormatInt(n, 10))
	}
}
