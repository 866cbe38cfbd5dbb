package rerun

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// An envelope is a buffer, a rank and a tag on a communicator.
type envelope struct {
	c         *comm.Comm
	buf       types.Buffer
	rank, tag int
}

func (a *args) envelope() (e envelope) {
	e.buf, e.rank, e.tag, e.c = a.buffer(), a.rank(), a.tag(), a.comm()
	return e
}

// matched replaces the source and the tag of a receive by those of the message that it received,
// which the call's results have.
func (a *args) matched(rank, tag int) (int, int) {
	last := len(a.call.Args) - 1
	if !a.call.Returned || a.call.Args[last] != 0 || a.call.Fields[last-2:last] != "RK" || rank == comm.ProcNull {
		return rank, tag
	}
	if rank == comm.AnySource {
		rank = rankOf(a.call.Args[last-2])
	}
	if tag == comm.AnyTag {
		tag = tagOf(a.call.Args[last-1])
	}
	return rank, tag
}

// later is matched for a receive that ends in a later call.
func (k *rank) later(rank, tag int) (int, int) {
	if rank != comm.AnySource && tag != comm.AnyTag || len(k.matches) == 0 {
		return rank, tag
	}
	m := k.matches[0]
	k.matches = k.matches[1:]
	if m == unknown || m.source == procNull { // its end is not known, or it was cancelled
		return rank, tag
	}
	if rank == comm.AnySource {
		rank = rankOf(int64(m.source))
	}
	if tag == comm.AnyTag {
		tag = tagOf(int64(m.tag))
	}
	return rank, tag
}

// sends returns the handlers of the three forms of a send.
func sends(all map[string]handler, name, started string, wait func(*comm.Comm, types.Buffer, int, int) error, start, prepare func(*comm.Comm, types.Buffer, int, int) (*comm.Request, error)) {
	all[name] = func(a *args) error {
		e := a.envelope()
		return wait(e.c, e.buf, e.rank, e.tag)
	}
	all[started] = func(a *args) error {
		e := a.envelope()
		return a.started(start(e.c, e.buf, e.rank, e.tag))
	}
	all[name+"_init"] = func(a *args) error {
		e := a.envelope()
		return a.prepared(prepare(e.c, e.buf, e.rank, e.tag))
	}
}

var messageCalls = func() map[string]handler {
	all := map[string]handler{
		"Recv": func(a *args) error {
			e := a.envelope()
			src, tag := a.matched(e.rank, e.tag)
			_, err := e.c.Recv(e.buf, src, tag)
			return err
		},
		"Irecv": func(a *args) error {
			e := a.envelope()
			src, tag := a.k.later(e.rank, e.tag)
			return a.started(e.c.IRecv(e.buf, src, tag))
		},
		"Recv_init": func(a *args) error {
			e := a.envelope()
			if e.rank != comm.AnySource && e.tag != comm.AnyTag {
				return a.prepared(e.c.RecvInit(e.buf, e.rank, e.tag))
			}
			k := a.k
			k.requests.set(a.output("P"), &request{persistent: true, wild: true, again: func() (*comm.Request, error) {
				src, tag := k.later(e.rank, e.tag)
				return e.c.IRecv(e.buf, src, tag)
			}})
			return nil
		},
		"Sendrecv": func(a *args) error {
			x := a.exchange()
			x.from.Rank, x.from.Tag = a.matched(x.from.Rank, x.from.Tag)
			_, err := x.c.SendRecv(x.send, x.to, x.recv, x.from)
			return err
		},
		"Isendrecv": func(a *args) error {
			x := a.exchange()
			x.from.Rank, x.from.Tag = a.k.later(x.from.Rank, x.from.Tag)
			return a.started(x.c.ISendRecv(x.send, x.to, x.recv, x.from))
		},
		"Sendrecv_replace": func(a *args) error {
			x := a.replacement()
			x.from.Rank, x.from.Tag = a.matched(x.from.Rank, x.from.Tag)
			_, err := x.c.SendRecv(x.send, x.to, x.send, x.from)
			return err
		},
		"Isendrecv_replace": func(a *args) error {
			x := a.replacement()
			x.from.Rank, x.from.Tag = a.k.later(x.from.Rank, x.from.Tag)
			return a.started(x.c.ISendRecv(x.send, x.to, x.send, x.from))
		},
		"Probe":   probe,
		"Iprobe":  probe, // it found a message
		"Mprobe":  mprobe,
		"Improbe": mprobe,
		"Mrecv": func(a *args) error {
			buf, m := a.buffer(), a.message()
			_, err := m.MRecv(buf)
			return err
		},
		"Imrecv": func(a *args) error {
			buf, m := a.buffer(), a.message()
			return a.started(m.IMRecv(buf))
		},
		"Psend_init": func(a *args) error {
			c, buf, parts, rank, tag := a.partitioned()
			return a.prepared(c.PSendInit(buf, parts, rank, tag))
		},
		"Precv_init": func(a *args) error {
			c, buf, parts, rank, tag := a.partitioned()
			return a.prepared(c.PRecvInit(buf, parts, rank, tag))
		},
		"Buffer_attach": func(a *args) error {
			const most = 1 << 26
			if n := a.n(); n >= 0 && n <= most {
				return a.k.world.BufferAttach(make([]byte, n))
			}
			return a.k.world.BufferAttach(comm.BufferAutomatic)
		},
		"Buffer_detach": func(a *args) error {
			_, err := a.k.world.BufferDetach()
			return err
		},
	}
	sends(all, "Send", "Isend", (*comm.Comm).Send, (*comm.Comm).ISend, (*comm.Comm).SendInit)
	sends(all, "Ssend", "Issend", (*comm.Comm).SSend, (*comm.Comm).ISSend, (*comm.Comm).SSendInit)
	sends(all, "Bsend", "Ibsend", (*comm.Comm).BSend, (*comm.Comm).IBSend, (*comm.Comm).BSendInit)
	sends(all, "Rsend", "Irsend", (*comm.Comm).RSend, (*comm.Comm).IRSend, (*comm.Comm).RSendInit)
	return all
}()

type exchange struct {
	c          *comm.Comm
	send, recv types.Buffer
	to         comm.To
	from       comm.From
}

func (a *args) exchange() (x exchange) {
	x.send, x.to = a.buffer(), comm.To{Rank: a.rank(), Tag: a.tag()}
	x.recv, x.from = a.buffer(), comm.From{Rank: a.rank(), Tag: a.tag()}
	x.c = a.comm()
	return x
}

func (a *args) replacement() (x exchange) {
	x.send, x.to, x.from = a.buffer(), comm.To{Rank: a.rank(), Tag: a.tag()}, comm.From{Rank: a.rank(), Tag: a.tag()}
	x.c = a.comm()
	return x
}

func (a *args) partitioned() (c *comm.Comm, buf types.Buffer, parts, rank, tag int) {
	parts = a.int()
	buf = a.buffer()
	rank, tag, c = a.rank(), a.tag(), a.comm()
	a.info()
	return c, buf.Times(buf.Count() * int64(max(parts, 0))), parts, rank, tag
}

func (a *args) message() *comm.Message {
	id := a.field("d")
	if id == procNull {
		return comm.MessageNoProc
	}
	m := a.k.messages.get(id)
	if m == nil {
		panic(errMissing)
	}
	a.k.messages.set(id, nil)
	return m
}

func probe(a *args) error {
	src, tag, c := a.rank(), a.tag(), a.comm()
	src, tag = a.matched(src, tag)
	_, err := c.Probe(src, tag)
	return err
}

func mprobe(a *args) error {
	src, tag, c := a.rank(), a.tag(), a.comm()
	src, tag = a.matched(src, tag)
	m, _, err := c.MProbe(src, tag)
	if err == nil {
		a.k.messages.set(a.output("M"), m)
	}
	return err
}
