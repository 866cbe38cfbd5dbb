package comm

import "hash/maphash"

// A watch checks that the program does not write into the buffers of a collective that does
// not wait before it is complete. (COLL-02)
type watch struct {
	send, recv watched
	moved      bool // recv has what the collective has stored
	early      bool // the program wrote into recv before that
	open       bool // the buffers are among those of operations under way
}

// watched is a buffer with its checksum.
type watched struct {
	one  [1]region
	all  []region // its blocks
	size int64    // bytes of them; 0: there is nothing to check
	sum  uint64
}

// What samples of a buffer that is larger than all of them are.
const (
	samples    = 32
	sampleSize = 64
)

// watchBuffers begins to check the buffers of k, if the world checks buffers. In explorations
// data move to one rank after another; there it does not.
func (k *call) watchBuffers() {
	p := k.comm.proc
	k.watch = nil
	if k.bare || k.err != nil || !p.univ.watches() || p.thread.Exploring() {
		return
	}
	k.watch = new(watch)
	if !k.givesInPlace { // else what it sends is in the other buffer
		k.watch.send.begin(&k.sends, &k.send, p.univ.samples)
	}
	k.watch.recv.begin(&k.recvs, &k.recv, p.univ.samples)
	k.watch.open = true
	for _, u := range k.uses() {
		p.pending.add(u)
	}
}

// unwatch ends the check.
func (k *call) unwatch() {
	if w := k.watch; w != nil && w.open {
		w.open = false
		for _, u := range k.uses() {
			k.comm.proc.pending.remove(u)
		}
	}
}

// separate reports an error if a buffer shares memory with that of an operation under way, and one
// of them is received into.
func (k *call) separate() {
	p := k.comm.proc
	if len(p.pending.all) == 0 || k.err != nil {
		return
	}
	for _, u := range k.uses() {
		if f := p.pending.conflictOf(u, "COLL-02"); f != nil {
			k.err = f
			return
		}
	}
}

func (w *watched) begin(p *parts, d *data, sample bool) {
	if p.how == byCounts || p.how == apart {
		w.all = p.blocks(d)
	} else {
		w.one[0] = d.whole()
		w.all = w.one[:]
	}
	for i := range w.all {
		w.size += w.all[i].size()
	}
	if w.size > 0 {
		w.sum = w.checksum(sample)
	}
}

// intact reports whether the buffer has not changed since its checksum was computed.
func (w *watched) intact(sample bool) bool { return w.size == 0 || w.checksum(sample) == w.sum }

// beforeMove records which programs have written into buffers that data will arrive in; a
// rank calls it when all have come to the call, and afterMove when the data have moved.
func beforeMove(ks []*call) {
	u := ks[0].comm.proc.univ
	if !u.watches() {
		return
	}
	for _, k := range ks {
		if w := k.watch; w != nil {
			w.early = !w.recv.intact(u.samples)
		}
	}
}

func afterMove(ks []*call) {
	u := ks[0].comm.proc.univ
	if !u.watches() {
		return
	}
	for _, k := range ks {
		if w := k.watch; w != nil && w.recv.size > 0 {
			w.recv.sum = w.recv.checksum(u.samples)
			w.moved = true
		}
	}
}

// broken returns a fault if the program has written into a buffer of k, which is complete.
func (w *watch) broken(k *call) *fault {
	if w == nil {
		return nil
	}
	sample := k.comm.proc.univ.samples
	if !w.early && w.send.intact(sample) && (!w.moved || w.recv.intact(sample)) {
		return nil
	}
	return broken(ErrBuffer, "COLL-02", "the program wrote into a buffer of %v, called at %v, while it was under way", k, k.line.Place())
}

// checksum returns a checksum of the blocks, or of samples of them.
func (w *watched) checksum(sample bool) uint64 {
	sample = sample && w.size > samples*sampleSize
	if g := &w.all[0]; len(w.all) == 1 && !g.laid && !sample {
		return maphash.Bytes(guardSeed, g.load(0, w.size, nil))
	}
	var h maphash.Hash
	h.SetSeed(guardSeed)
	spare := blocks.Get().(*[block]byte)
	defer blocks.Put(spare)
	if !sample {
		w.add(&h, 0, w.size, spare[:])
		return h.Sum64()
	}
	for i := range int64(samples) {
		w.add(&h, (w.size-sampleSize)*i/(samples-1), sampleSize, spare[:])
	}
	return h.Sum64()
}

// add adds n bytes to a checksum, from byte from of the packed blocks on.
func (w *watched) add(h *maphash.Hash, from, n int64, spare []byte) {
	for i := range w.all {
		g := &w.all[i]
		size := g.size()
		for from < size && n > 0 {
			part := min(n, size-from, int64(len(spare)))
			_, _ = h.Write(g.load(from, part, spare))
			from, n = from+part, n-part
		}
		from -= min(from, size)
	}
}
