package comm

import (
	"github.com/commworld/commworld/types"
)

// reduceByUser does a reduction by an operation that the program made.
func reduceByUser(ks, outs []*call) *fault {
	if ks[0].send.count == 0 {
		return nil
	}
	defer ks[0].comm.proc.univ.folding.Enter(nil)()
	u := newUserFold(ks, outs)
	for i := range ks {
		if f := u.add(i); f != nil {
			return f
		}
	}
	return u.store()
}

// A userFold combines whole copies of the datatype, in memory laid out as that of the
// ranks.
type userFold struct {
	ks, outs  []*call
	acc, next data
}

func newUserFold(ks, outs []*call) *userFold {
	return &userFold{ks, outs, blank(&ks[0].send), blank(&ks[0].send)}
}

// add combines the result of the ranks before i with the input of rank i.
func (u *userFold) add(i int) *fault {
	k := u.ks[i]
	if f := move(u.next.whole(), k.send.whole()); f != nil {
		return f
	}
	if k.result == resultBefore && i > 0 {
		if f := move(k.recv.whole(), u.acc.whole()); f != nil {
			return f
		}
	}
	if i > 0 {
		if f := k.op.apply(*u.acc.buf, *u.next.buf); f != nil {
			return f
		}
	}
	u.acc, u.next = u.next, u.acc
	if k.result == resultSoFar {
		return move(k.recv.whole(), u.acc.whole())
	}
	return nil
}

// store copies the result to the ranks that get it.
func (u *userFold) store() *fault {
	root := rootAmong(u.outs, u.ks[0])
	for i, k := range u.outs {
		dst, src := k.recv.whole(), u.acc.whole()
		switch {
		case k.result == resultScattered:
			src = k.sends.of(&u.acc, k.comm, i)
			dst.n = src.n
		case k.result != resultEverywhere && (k.result != resultAtRoot || i != root):
			continue
		}
		if f := move(dst, src); f != nil {
			return f
		}
	}
	return nil
}

// blank returns new memory for data like d.
func blank(d *data) data {
	l, err := d.typ.Layout(d.arch)
	if err != nil {
		return data{}
	}
	far := (d.count - 1) * l.Extent
	lo, hi := l.TrueLB+min(0, far), l.TrueUB+max(0, far)
	origin := -min(lo, 0)
	fresh := *d
	buf := types.Raw(make([]byte, origin+max(hi, 0)), d.count, d.typ).At(origin)
	fresh.laid, fresh.flat, fresh.buf = true, nil, &buf
	return fresh
}
