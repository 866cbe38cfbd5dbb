package comm

import (
	"time"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/types"
)

// collective passes a call to the engine. A persistent call is only prepared here; each
// start is a call that does not wait.
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
	_, f := k.callNative(false)
	k.fixBools()
	if f != nil {
		return f
	}
	return nil
}

func (e *far) launch(k *call) error {
	if k.err != nil {
		return k.err
	}
	if k.native != nil { // Comm.dupNative has already started it
		return nil
	}
	r, f := k.callNative(true)
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
		k.finishNative(err)
	}
	return k.native == nil
}

func (e *far) expect(*call) bool { return false }
func (e *far) abandonCall(*call) {}

// callNative passes k to the engine as its part of the collective.
func (k *call) callNative(starts bool) (engine.Request, *fault) {
	out := engine.Call{Routine: k.routine.name, Starts: starts, Root: k.root, InPlace: k.givesInPlace, Op: k.op.native()}
	out.Send, out.SendCounts, out.SendDispls, out.Sends = k.sends.native(&k.send)
	out.Recv, out.RecvCounts, out.RecvDispls, out.Recvs = k.recvs.native(&k.recv)
	r, err := k.comm.core.native.Collective(&out)
	return r, refused(err)
}

// native returns a buffer as an engine takes it. Equal blocks are described by one of them.
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

// fixBools converts the stored bool values of a collective, as for a transfer.
func (k *call) fixBools() {
	k.recv.fixBools()
	for i := range k.recvs.each {
		k.recvs.each[i].fixBools()
	}
}

func (k *call) waitInEngine() {
	if k.native != nil {
		_, err := k.native.Wait()
		k.finishNative(err)
	}
}

// finishNative completes a call that an engine has carried out.
func (k *call) finishNative(err error) {
	k.native, k.over = nil, true
	k.fixBools()
	if f := refused(err); f != nil {
		k.fate = &verdict{fault: f, rank: allRanks}
	}
}
