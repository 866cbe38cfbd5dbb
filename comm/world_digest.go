package comm

import "github.com/commworld/commworld/internal/sched"

// An exploring world compares digests of the calls of a rank: see [sched.Digester]. Digests
// identify communicators by name, because contexts are assigned in the order in which ranks
// come.

// Digest returns the digest of the call that made t, with the data of a send.
func (t *transfer) Digest() sched.Digest {
	d := sched.Digest(0).String(t.call).String(t.comm.core.name).Int(int64(t.peer)).Int(int64(t.tag)).Int(t.data.size())
	if t.sends {
		d = t.data.digest(d)
	}
	return d
}

// digest adds the data to a digest, if there are any.
func (d *data) digest(to sched.Digest) sched.Digest {
	if d.typ == nil || d.size() == 0 {
		return to
	}
	return to.Int(int64(d.Sum()))
}

// Digest returns the digest of a collective call of one rank, with the data it brings.
func (k *call) Digest() sched.Digest {
	d := sched.Digest(0).String(k.title()).String(k.comm.core.name).Int(int64(k.round)).Int(int64(k.root)).Int(k.recv.size())
	if k.op != nil {
		d = d.String(k.op.name)
	}
	if k.err != nil {
		return d.String(k.err.Error())
	}
	for _, n := range k.sends.counts {
		d = d.Int(n)
	}
	for i := range k.sends.each {
		d = k.sends.each[i].digest(d)
	}
	if m := k.made; m != nil {
		d = d.Int(int64(m.color)).Int(int64(m.key)).Int(int64(m.group.Size()))
	}
	if k.inPlace || k.send.typ == nil {
		return d.Int(k.send.size())
	}
	return k.send.digest(d)
}

func (q whether) Digest() sched.Digest { return digestOf(q.operation).Int(1) }

// Digest returns the digest of a receive or probe from any source.
func (w *wildcard) Digest() sched.Digest {
	if w.over {
		return sched.Digest(0).String(w.text)
	}
	return w.t.Digest()
}

func digestOf(op operation) sched.Digest {
	if x, ok := op.(sched.Digester); ok {
		return x.Digest()
	}
	return sched.Digest(0).String(op.String())
}

// Digest returns the digest of a wait for the request.
func (q *asked) Digest() sched.Digest {
	if !(*Request)(q).pending() {
		return 0
	}
	return digestOf(q.op).Int(2)
}

// Digest returns the digest of a call on several requests.
func (s *several) Digest() sched.Digest {
	d := sched.Digest(0).String(s.call)
	for _, q := range s.reqs {
		if q.pending() {
			d = d.Int(int64(digestOf(q.op)))
		} else {
			d = d.Int(0)
		}
	}
	return d
}

// Digest covers only the number of operations: which of them are still open depends on
// timing.
func (q *among) Digest() sched.Digest { return sched.Digest(0).Int(int64(len(q.ops))) }
