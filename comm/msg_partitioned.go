package comm

import (
	"fmt"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// maxPartitions bounds the memory for a message without items: its 0 items can be cut into
// any number of partitions, and each partition takes memory.
const maxPartitions = 1 << 24

// PSendInit makes a persistent request that sends buf in partitions: after each
// Start the program calls PReady for every partition, in any order, and its
// data go when they can. buf is cut into partitions of equal counts, which need
// not be the receiver's. Sends are matched with receives by source, tag and
// communicator in the order of these calls, once and for all, and never with
// other messages. Local. Errors: as [Comm.ISend]; ErrCount if buf cannot be cut
// so; ErrArg for more than 1<<24 partitions. (P2P-07)
//
// MPI_Psend_init
func (c *Comm) PSendInit(buf types.Buffer, partitions, dst, tag int) (*Request, error) {
	return c.partition("PSendInit", buf, partitions, dst, tag, true)
}

// PRecvInit makes a persistent request that receives in partitions; see
// [Comm.PSendInit]. [Request.PArrived] reports each of its own partitions.
// Wildcards are not allowed, and the memory must hold the whole count: both ends have the
// same items (P2P-09). If sender and receiver do not agree on datatypes and the number of items,
// that is an ErrType or ErrTruncate of both requests (P2P-07). Local. Errors: as [Comm.IRecv];
// ErrCount, ErrArg.
//
// MPI_Precv_init
func (c *Comm) PRecvInit(buf types.Buffer, partitions, src, tag int) (*Request, error) {
	return c.partition(partitionedReceive, buf, partitions, src, tag, false)
}

func (c *Comm) partition(op string, buf types.Buffer, partitions, peer, tag int, sends bool) (*Request, error) {
	if err := c.alive(op); err != nil {
		return nil, err
	}
	if c.core.native != nil {
		return nil, c.fail(op, broken(ErrOther, "P2P-07", "partitioned messages are not carried by an engine; use SendInit, one for each partition"))
	}
	t, err := c.admitted(op, &buf, peer, tag, sends)
	if err != nil {
		return nil, err
	}
	switch {
	case peer == AnySource || tag == AnyTag:
		return nil, c.fail(op, broken(ErrArg, "P2P-07", "a partitioned receive has no wildcards: %s", t.route()))
	case partitions > maxPartitions:
		return nil, c.fail(op, broken(ErrArg, "P2P-07", "%d partitions: a message has at most %d here", partitions, maxPartitions))
	case partitions < 1 || t.data.count%int64(partitions) != 0:
		return nil, c.fail(op, broken(ErrCount, "P2P-07", "%d items of %v cannot be cut into %d equal partitions", t.data.count, t.data.typ, partitions))
	}
	p := &partitioned{
		comm: c, call: op, route: t.route(), env: t.env, peer: peer, sends: sends, data: t.data,
		per: t.data.count / int64(partitions), parts: make([]part, partitions),
	}
	if peer != ProcNull {
		c.proc.engine.pair(p)
	}
	return c.persistent(p, p), nil
}

// PReady marks partition i of a send as ready; its data must be left alone until the
// request is complete. Errors: ErrRequest if q is not a partitioned send or inactive, ErrArg
// if there is no such partition or it is ready already. (P2P-07)
//
// MPI_Pready
func (q *Request) PReady(i int) error { return q.ready("PReady", []int{i}) }

// PReadyRange is [Request.PReady] for partitions low to high, both included.
// After an error none is ready. (P2P-07)
//
// MPI_Pready_range
func (q *Request) PReadyRange(low, high int) error {
	const op = "PReadyRange"
	p, err := q.partitioned(op, true)
	if err != nil {
		return err
	}
	if low < 0 || high >= len(p.parts) || low > high {
		return p.comm.fail(op, broken(ErrArg, "P2P-07", "there are no partitions %d to %d, both included; the request has %s", low, high, p.count()))
	}
	list := make([]int, 0, high-low+1)
	for i := low; i <= high; i++ {
		list = append(list, i)
	}
	return q.ready(op, list)
}

// PReadyList is [Request.PReady] for some partitions. After an error none is
// ready. (P2P-07)
//
// MPI_Pready_list
func (q *Request) PReadyList(partitions []int) error { return q.ready("PReadyList", partitions) }

// PArrived reports whether partition i of a receive has come: then it may be
// read, while others are under way. On an inactive request it is true. Errors:
// ErrRequest if q is not a partitioned receive, ErrArg if there is no such
// partition. (P2P-07)
//
// MPI_Parrived
func (q *Request) PArrived(i int) (bool, error) {
	const op = "PArrived"
	p, err := q.partitioned(op, false)
	if err != nil {
		return false, err
	}
	if i < 0 || i >= len(p.parts) {
		return false, p.comm.fail(op, broken(ErrArg, "P2P-07", "there is no partition %d; the request has %s", i, p.count()))
	}
	if !q.active {
		return true, nil
	}
	may, err := p.comm.proc.engine.lookAtPart(p, i)
	if err != nil {
		return false, p.comm.fail(op, err)
	}
	return may && p.arrived(i), nil
}

// A partition is the question of PArrived: has that partition of a receive come?
type partition struct {
	*partitioned
	i int
}

func (e *local) lookAtPart(x *partitioned, i int) (may bool, err error) {
	return true, x.comm.proc.pollOnce(x.arrived(i), x)
}

func (x partition) Answers(to []sched.Answer) []sched.Answer {
	if here, _ := x.holds(x.i); here {
		to = append(to, sched.Answer{})
	}
	return to
}

// partitioned returns q's operation if it is a partitioned send (sends is true) or receive.
func (q *Request) partitioned(op string, sends bool) (*partitioned, error) {
	var p *partitioned
	if err := q.copied(op); err != nil {
		return nil, err
	}
	if q != nil && q.record != nil {
		p, _ = q.op.(*partitioned)
	}
	switch {
	case p == nil || p.sends != sends:
		return nil, noComm.fail(op, broken(ErrRequest, "P2P-07", "the request is nil or no partitioned %s", map[bool]string{true: "send", false: "receive"}[sends]))
	case q.freed:
		return nil, p.comm.fail(op, broken(ErrRequest, "P2P-07", "the request has been freed"))
	}
	return p, p.comm.alive(op)
}

func (q *Request) ready(op string, list []int) error {
	p, err := q.partitioned(op, true)
	if err != nil {
		return err
	}
	if !q.active {
		return p.comm.fail(op, broken(ErrRequest, "P2P-07", "the request is inactive; Start it first"))
	}
	if err := p.comm.proc.thread.Step(p); err != nil {
		return p.comm.fail(op, err)
	}
	if f := p.give(list); f != nil {
		return p.comm.fail(op, f)
	}
	return nil
}

// String returns the text of a deadlock report for a rank that waits for p.
func (p *partitioned) String() string {
	return fmt.Sprintf("%s %s on %s, %d partitions", p.call, p.route, p.comm.label(), len(p.parts))
}

// count returns the number of partitions, as text.
func (p *partitioned) count() string {
	if n := len(p.parts); n > 1 {
		return fmt.Sprintf("%d, which are 0 to %d", n, n-1)
	}
	return "one, which is 0"
}

func (p *partitioned) title() string { return p.call }

// Explain adds to a deadlock report which rank of the world can complete p.
func (p *partitioned) Explain(w *sched.Waiting) {
	if p.peer >= 0 {
		w.For = []int{p.comm.core.peers().world(p.peer)}
	}
}
