package comm

import (
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/types"
)

// The count of a receive may exceed its memory, as long as the message does not: a receive
// of 15 REAL into an array of 10 is correct if 10 arrive. So the memory is checked when a
// message has come. (P2P-09)

// held returns how many of the packed bytes of d, from the first on, are in memory.
func (d *data) held() int64 {
	if d.short {
		return d.buf.Room(d.size(), d.arch)
	}
	return d.size()
}

// tooShort returns a fault if the memory of a receive, which is smaller than its count, does
// not hold the message that src has.
func (g *region) tooShort(src region) *fault {
	n := arrives(*g, src)
	room := g.buf.Room(n, g.arch)
	if room == n {
		return nil
	}
	sig := g.typ.Signature()
	held, _ := sig.ItemsIn(room, g.arch)
	sent, _ := sig.ItemsIn(n, g.arch)
	return broken(ErrBuffer, "P2P-09", "%s are within the count of the receive, %s, but its memory has %d bytes, for %d of the %d items%s",
		describe(src), describe(*g), len(g.buf.Mem()), held, sent, g.capacityAdvice(n))
}

// capacityAdvice returns advice, as the end of an error's text, if the memory is a slice
// whose capacity holds n packed bytes; else it is empty.
func (g *region) capacityAdvice(n int64) string {
	l, err := g.typ.Layout(g.arch)
	if err != nil {
		return ""
	}
	lo, hi := types.Tiling{L: l, Disp: g.buf.Origin()}.Span(0, n)
	if lo < 0 || hi > int64(cap(g.buf.Mem())) {
		return ""
	}
	return "; the slice has the capacity, so receive into all of it: x[:cap(x)]"
}

const partitionedReceive = "PRecvInit"

// admitShort refuses a partitioned receive whose count exceeds its memory. Of other receives
// it records, once for each line of a careful program, that they are right only as long as
// no longer message comes.
func (c *Comm) admitShort(op string, d *data) *fault {
	l := c.proc.log
	switch {
	case !d.short:
		return nil
	case op == partitionedReceive:
		return broken(ErrBuffer, "P2P-09", "%s are more than the memory, %d bytes, holds; only the count of other receives may exceed the memory: both ends of a partitioned message have the same items, so all of them arrive",
			describe(d.whole()), len(d.buf.Mem()))
	case !l.Careful():
		return nil
	}
	at := c.proc.thread.Place()
	for i := range l.Lints {
		if x := &l.Lints[i]; x.Rule == "P2P-09" && x.Op == op && x.At == at {
			return nil
		}
	}
	held, _ := d.typ.Signature().ItemsIn(d.held(), d.arch)
	l.Lint(trace.Lint{Op: op, File: c.label(), Place: at.Base(), At: at, Rule: "P2P-09", Text: brief.Sprintf(
		"the count, %s, is more than the memory holds, %d bytes for %d items; a longer message is an error when it arrives",
		describe(d.whole()), len(d.buf.Mem()), held)})
	return nil
}
