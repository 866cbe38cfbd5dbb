package comm

import (
	"time"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// collective hands a call to the engine. A lasting one is only prepared: it is
// started each time as one that does not wait.
func (e *far) collective(k *call) error {
	m := k.enter()
	return k.exit(m, e.carry(k))
}

func (e *far) carry(k *call) error {
	if k.err != nil {
		return k.err
	}
	if k.form == lasting || k.routine == setInfo {
		return nil
	}
	if l := k.comm.proc.log; l != nil {
		defer l.Await(time.Now())
	}
	_, f := k.hand(false)
	k.mend()
	if f != nil {
		return f
	}
	return nil
}

func (e *far) launch(k *call) error {
	if k.err != nil {
		return k.err
	}
	if k.native != nil { // Comm.dupNative has done it
		return nil
	}
	r, f := k.hand(true)
	if f != nil {
		return f
	}
	k.native = r
	return nil
}

func (e *far) advance(k *call) bool {
	if k.native == nil {
		return true
	}
	_, done, err := k.native.Test()
	if done || err != nil {
		k.settled(err)
	}
	return k.native == nil
}

func (e *far) expect(*call) bool { return false }
func (e *far) forsake(*call)     {}

// hand gives the engine k's part of its collective.
func (k *call) hand(starts bool) (engine.Request, *fault) {
	out := engine.Call{Routine: k.routine.name, Starts: starts, Root: k.root, InPlace: k.standing, Op: k.op.native()}
	out.Send, out.SendCounts, out.SendDispls, out.Sends = k.sends.native(&k.send)
	out.Recv, out.RecvCounts, out.RecvDispls, out.Recvs = k.recvs.native(&k.recv)
	r, err := k.comm.core.native.Collective(&out)
	return r, refused(err)
}

// native cuts a buffer as an engine takes it: equal blocks are as one of them.
func (p *parts) native(d *data) (b types.Buffer, counts, displs []int64, each []types.Buffer) {
	b = d.native()
	switch p.how {
	case evenly:
		if p.n > 0 {
			b = b.Times(b.Count() / int64(p.n))
		}
	case byCounts:
		counts, displs = p.counts, p.displs
	case apart:
		each = make([]types.Buffer, len(p.each))
		for i := range each {
			each[i] = p.each[i].native()
		}
	}
	return b, counts, displs, each
}

func (o *Op) native() *engine.Op {
	if o == nil {
		return nil
	}
	return &engine.Op{Name: o.name, User: o.user, Commutes: o.commutes}
}
