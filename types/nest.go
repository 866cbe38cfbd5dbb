package types

import "slices"

// An op is the form of a node.
type op uint8

const (
	opRun  op = iota // size adjacent bytes
	opRep            // n copies of kid, one every stride bytes
	opList           // entries at offs[i]; four kinds, see node
)

// A node is a piece of a compiled layout. Its first packed byte is at offset 0, so equal
// pieces at different places are one node. Nodes hold at least one byte, never change, and
// are shared.
//
// The fields that are set determine the entries of a list:
//
//	kid == nil,          starts: runs of the length between two starts
//	kid,        no starts      : one kid each
//	kid,                 starts: copies of kid, one every stride bytes
//	kids,                starts: kids[i]
//
// Memory is proportional to the recipe: a repetition is one node however often it repeats,
// and a list has no more entries than its constructor had.
type node struct {
	op        op
	mono      bool  // list: ends of entries never decrease
	asc       bool  // list: beginnings of entries never decrease
	small     bool  // list of few short runs, which is moved column by column
	size      int64 // packed bytes
	lo, hi    int64 // span of the data
	n         int64
	stride    int64
	kid       *node
	kids      []*node
	offs      []int64
	near      []int32   // offs, if entries are equal runs and the offsets fit
	starts    []int64   // packed position of each entry, and size
	peaks     [][]int64 // if not mono: greatest end of each 64 entries, each 4096, ...
	widest    int64     // list of runs: length of the longest run, and of the shortest
	narrowest int64
	table     []int64 // offsets of all runs, if they are few and all have piece bytes
	piece     int64
	// mask says which of the 64 bytes from the first on are data, if all of them are in
	// that window, in packed order and without repetition; else it is 0.
	mask uint64
}

// A nest is a node with the offset of its first byte. nd is nil if the nest has no data.
type nest struct {
	off int64
	nd  *node
}

func runNode(size int64) *node {
	nd := &node{op: opRun, size: size, hi: size}
	if size <= windowSize {
		nd.mask = ^uint64(0) >> (windowSize - size)
	}
	return nd
}

func repNode(n, stride int64, kid *node) *node {
	switch {
	case n == 1:
		return kid
	case kid.op == opRun && stride == kid.size:
		return runNode(n * kid.size)
	case kid.op == opRep && stride == kid.n*kid.stride:
		return repNode(n*kid.n, kid.stride, kid.kid)
	}
	d := (n - 1) * stride
	nd := &node{
		op: opRep, size: n * kid.size, n: n, stride: stride, kid: kid,
		lo: kid.lo + min(0, d), hi: kid.hi + max(0, d),
	}
	nd.tabulate()
	nd.setMask()
	return nd
}

// fewRuns is the greatest number of runs that get a table of their offsets, wideRun their
// greatest length: longer runs gain nothing from it.
const (
	fewRuns = 64
	wideRun = 64
)

// tabulate gives a node of few equal runs its table.
func (nd *node) tabulate() {
	inner, n := []int64{0}, nd.n
	kid := nd.kid
	switch {
	case kid == nil:
		return
	case nd.op == opList:
		if nd.starts == nil && kid.op == opRun && kid.size <= wideRun && len(nd.offs) <= fewRuns {
			nd.table, nd.piece = nd.offs, kid.size
		}
		return
	case kid.op == opRun && kid.size <= wideRun:
		nd.piece = kid.size
	case kid.table != nil:
		inner, nd.piece = kid.table, kid.piece
	default:
		return
	}
	if n > fewRuns/int64(len(inner)) {
		return
	}
	for i := range n {
		for _, o := range inner {
			nd.table = append(nd.table, i*nd.stride+o)
		}
	}
}

func (b nest) repeat(n, stride int64) nest {
	if b.nd == nil || n == 0 {
		return nest{}
	}
	return nest{b.off, repNode(n, stride, b.nd)}
}

// same reports whether two nodes are known to be equal. It compares the inside of
// repetitions only: two lists are equal if they are the same list.
func same(a, b *node) bool {
	for a != b {
		if a.op != b.op || a.size != b.size || a.op == opList {
			return false
		}
		if a.op == opRun {
			return true
		}
		if a.n != b.n || a.stride != b.stride {
			return false
		}
		a, b = a.kid, b.kid
	}
	return true
}

// A lister builds the node of an irregular sequence, and merges what it can. All entries
// are copies of one kid (put), or each is a nest (add).
type lister struct {
	kid    *node // common kid, nil when entries are nests
	stride int64 // between copies of kid
	offs   []int64
	counts []int64 // copies of kid
	kids   []*node
	even   int64 // copies in every block so far, 0 if they differ
	blocks int64 // number of blocks
}

// newLister returns a lister for entries that are copies of kid, one every stride bytes.
func newLister(kid *node, stride int64, room int) *lister {
	if kid.op == opRep && kid.n*kid.stride == stride {
		kid, stride = kid.kid, kid.stride
	}
	return &lister{kid: kid, stride: stride, offs: make([]int64, 0, room), counts: make([]int64, 0, room)}
}

// put appends n copies of the common kid at off. unit is the kid given to newLister; this
// lister may have taken only a part of it.
func (l *lister) put(off, n int64, unit *node) {
	n *= unit.size / l.kid.size
	if l.blocks++; l.blocks == 1 {
		l.even = n
	} else if n != l.even {
		l.even = 0
	}
	if k := len(l.offs) - 1; k >= 0 && off == l.offs[k]+l.counts[k]*l.stride {
		l.counts[k] += n
		return
	}
	l.offs, l.counts = append(l.offs, off), append(l.counts, n)
}

// nest returns the nest of a lister filled by put.
func (l *lister) nest() nest {
	if len(l.offs) == 0 {
		return nest{}
	}
	n := l.counts[0]
	if allEqual(l.counts) {
		return evenList(l.offs, repNode(n, l.stride, l.kid))
	}
	if l.even > 0 && int64(len(l.offs)) > l.blocks/2 {
		return l.split()
	}
	starts := make([]int64, len(l.offs)+1)
	for i, c := range l.counts {
		starts[i+1] = starts[i] + c*l.kid.size
	}
	nd := &node{op: opList, offs: l.offs, starts: starts}
	if l.kid.op != opRun || l.stride != l.kid.size {
		nd.kid, nd.stride = l.kid, l.stride
	}
	return nd.finish()
}

// split undoes the merging of blocks if few have merged and all have one length: a list of
// equal entries is smaller and faster.
func (l *lister) split() nest {
	offs, pitch := make([]int64, 0, l.blocks), l.even*l.stride
	for i, off := range l.offs {
		for k := range l.counts[i] / l.even {
			offs = append(offs, off+k*pitch)
		}
	}
	return evenList(offs, repNode(l.even, l.stride, l.kid))
}

// add appends a nest; adjacent runs become one run, and short lists of runs are inlined, so
// that nested structs become one list.
func (l *lister) add(b nest) {
	const splice = 16
	if b.nd == nil {
		return
	}
	if b.nd.op == opList && len(b.nd.offs) <= splice {
		for i := range b.nd.offs {
			l.add(nest{b.off + b.nd.offs[i], b.nd.entry(i)})
		}
		return
	}
	k := len(l.offs) - 1
	if k >= 0 && b.nd.op == opRun && l.kids[k].op == opRun && b.off == l.offs[k]+l.kids[k].size {
		l.kids[k] = runNode(l.kids[k].size + b.nd.size)
		return
	}
	l.offs, l.kids = append(l.offs, b.off), append(l.kids, b.nd)
}

// nests returns the nest of a lister filled by add.
func (l *lister) nests() nest {
	if len(l.offs) == 0 {
		return nest{}
	}
	alike, runs := true, true
	starts := make([]int64, len(l.offs)+1)
	for i, kid := range l.kids {
		alike = alike && same(kid, l.kids[0])
		runs = runs && kid.op == opRun
		starts[i+1] = starts[i] + kid.size
	}
	if alike {
		return evenList(l.offs, l.kids[0])
	}
	nd := &node{op: opList, offs: l.offs, starts: starts}
	if !runs {
		nd.kids = l.kids
	}
	return nd.finish()
}

// evenList returns one kid at each offset: a repetition if the offsets are regular.
func evenList(offs []int64, kid *node) nest {
	if len(offs) == 1 {
		return nest{offs[0], kid}
	}
	stride, regular := offs[1]-offs[0], true
	for i := 2; regular && i < len(offs); i++ {
		regular = offs[i]-offs[i-1] == stride
	}
	if regular {
		return nest{offs[0], repNode(int64(len(offs)), stride, kid)}
	}
	nd := &node{op: opList, offs: offs, kid: kid}
	return nd.finish()
}

func allEqual(v []int64) bool {
	for _, x := range v {
		if x != v[0] {
			return false
		}
	}
	return true
}

// finish moves a list's first byte to offset 0 and fills in the fields that follow from its
// entries.
func (nd *node) finish() nest {
	base := nd.offs[0]
	nd.offs = slices.Clip(nd.offs)
	nd.mono, nd.asc, nd.small = true, true, nd.runs() && len(nd.offs) <= 16
	var low, high int64
	for i := range nd.offs {
		nd.offs[i] -= base
		lo, hi := nd.entrySpan(i)
		if i == 0 {
			nd.lo, nd.hi, low, high = lo, hi, lo, hi
		}
		nd.mono, nd.asc = nd.mono && hi >= high, nd.asc && lo >= low
		nd.lo, nd.hi, low, high = min(nd.lo, lo), max(nd.hi, hi), lo, hi
		if nd.runs() {
			nd.widest = max(nd.widest, hi-lo)
			if nd.narrowest == 0 || hi-lo < nd.narrowest {
				nd.narrowest = hi - lo
			}
		}
	}
	nd.small = nd.small && nd.widest <= 64
	if nd.starts == nil {
		nd.size = nd.kid.size * int64(len(nd.offs))
	} else {
		nd.size = nd.starts[len(nd.offs)]
	}
	if !nd.mono {
		nd.peaks = nd.buildPeaks()
	}
	if nd.starts == nil && nd.runs() && int64(int32(nd.lo)) == nd.lo && int64(int32(nd.hi)) == nd.hi {
		nd.near = make([]int32, len(nd.offs))
		for i, o := range nd.offs {
			nd.near[i] = int32(o)
		}
	}
	nd.tabulate()
	nd.setMask()
	return nest{base, nd}
}

// runs reports whether every entry of the list is a plain run.
func (nd *node) runs() bool {
	return nd.kids == nil && (nd.kid == nil || (nd.kid.op == opRun && nd.starts == nil))
}

// start returns the packed position at which entry i of a list begins; i may be the number
// of entries.
func (nd *node) start(i int) int64 {
	if nd.starts == nil {
		return int64(i) * nd.kid.size
	}
	return nd.starts[i]
}

// entry returns entry i of a list as a node. It may allocate; code that moves data reads
// the fields instead.
func (nd *node) entry(i int) *node {
	switch {
	case nd.kids != nil:
		return nd.kids[i]
	case nd.kid == nil:
		return runNode(nd.starts[i+1] - nd.starts[i])
	case nd.starts == nil:
		return nd.kid
	}
	return repNode((nd.starts[i+1]-nd.starts[i])/nd.kid.size, nd.stride, nd.kid)
}

// entrySpan returns the interval that entry i covers, relative to the node's first byte.
func (nd *node) entrySpan(i int) (lo, hi int64) {
	off := nd.offs[i]
	switch {
	case nd.kids != nil:
		return off + nd.kids[i].lo, off + nd.kids[i].hi
	case nd.kid == nil:
		return off, off + nd.starts[i+1] - nd.starts[i]
	case nd.starts == nil:
		return off + nd.kid.lo, off + nd.kid.hi
	}
	d := ((nd.starts[i+1]-nd.starts[i])/nd.kid.size - 1) * nd.stride
	return off + nd.kid.lo + min(0, d), off + nd.kid.hi + max(0, d)
}

// find returns the entry that holds packed position pos.
func (nd *node) find(pos int64) int {
	if nd.starts == nil {
		return int(pos / nd.kid.size)
	}
	lo, hi := 0, len(nd.offs)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		if nd.starts[mid] <= pos {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

const peakFan = 64

// buildPeaks returns the tree of greatest ends that reach searches.
func (nd *node) buildPeaks() [][]int64 {
	var levels [][]int64
	level := make([]int64, len(nd.offs))
	for i := range level {
		_, level[i] = nd.entrySpan(i)
	}
	for len(level) > 1 {
		up := make([]int64, 0, (len(level)+peakFan-1)/peakFan)
		for chunk := range slices.Chunk(level, peakFan) {
			up = append(up, slices.Max(chunk))
		}
		levels = append(levels, up)
		level = up
	}
	return levels
}

// reach returns the first entry from i on that ends beyond limit, or the number of entries.
func (nd *node) reach(i int, limit int64) int {
	n := len(nd.offs)
	end := func(k int) int64 { _, hi := nd.entrySpan(k); return hi }
	if nd.mono {
		for lo, hi := i, n; ; {
			if lo >= hi {
				return lo
			}
			if mid := int(uint(lo+hi) >> 1); end(mid) > limit {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
	}
	level, size := 0, 1 // level of the tree, and number of entries that one of its values covers
	for i < n {
		top := end(i)
		if level > 0 {
			top = nd.peaks[level-1][i/size]
		}
		switch {
		case top <= limit:
			i += size
			if i%(size*peakFan) == 0 && level < len(nd.peaks) {
				level, size = level+1, size*peakFan
			}
		case level == 0:
			return i
		default:
			level, size = level-1, size/peakFan
		}
	}
	return n
}
