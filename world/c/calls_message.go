//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"unsafe"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// messageCalls are the handlers of point-to-point messages.
var messageCalls = merge(
	sends("Send", (*comm.Comm).Send, (*comm.Comm).ISend, (*comm.Comm).SendInit),
	sends("Ssend", (*comm.Comm).SSend, (*comm.Comm).ISSend, (*comm.Comm).SSendInit),
	sends("Bsend", (*comm.Comm).BSend, (*comm.Comm).IBSend, (*comm.Comm).BSendInit),
	sends("Rsend", (*comm.Comm).RSend, (*comm.Comm).IRSend, (*comm.Comm).RSendInit),
	map[string]handler{
		"Recv": func(k *call) error {
			var b types.Buffer
			c, src, tag := k.receive(&b)
			st, err := c.Recv(b, src, tag)
			if a := k.word(); a != 0 {
				putStatus(a, st)
			}
			return err
		},
		"Irecv": func(k *call) error {
			var b types.Buffer
			c, src, tag := k.receive(&b)
			return k.started(c.IRecv(b, src, tag))
		},
		"Recv_init": func(k *call) error {
			var b types.Buffer
			c, src, tag := k.receive(&b)
			return k.persistent(c.RecvInit(b, src, tag))
		},
		"Sendrecv": func(k *call) error {
			c, x := k.exchange()
			st, err := c.SendRecv(x.send, x.to, x.recv, x.from)
			putStatus(k.word(), st)
			return err
		},
		"Isendrecv": func(k *call) error {
			c, x := k.exchange()
			return k.started(c.ISendRecv(x.send, x.to, x.recv, x.from))
		},
		"Sendrecv_replace": func(k *call) error {
			c, x := k.replacement()
			st, err := c.SendRecvReplace(x.send, x.to, x.from)
			putStatus(k.word(), st)
			return err
		},
		"Isendrecv_replace": func(k *call) error {
			c, x := k.replacement()
			return k.started(c.ISendRecvReplace(x.send, x.to, x.from))
		},
		"Probe": func(k *call) error {
			src, tag, c := k.int(), k.int(), k.onComm()
			st, err := c.Probe(src, tag)
			putStatus(k.word(), st)
			return err
		},
		"Iprobe": func(k *call) error {
			src, tag, c := k.int(), k.int(), k.onComm()
			flag := k.out()
			st, ok, err := c.IProbe(src, tag)
			putBool(flag, ok)
			if ok {
				putStatus(k.word(), st)
			}
			return err
		},
		"Mprobe": func(k *call) error {
			src, tag, c := k.int(), k.int(), k.onComm()
			out := k.out()
			msg, st, err := c.MProbe(src, tag)
			if err != nil {
				return err
			}
			put(out, k.r.newMessage(msg))
			putStatus(k.word(), st)
			return nil
		},
		"Improbe": func(k *call) error {
			src, tag, c := k.int(), k.int(), k.onComm()
			flag, out := k.out(), k.out()
			msg, st, ok, err := c.IMProbe(src, tag)
			if err != nil {
				return err
			}
			putBool(flag, ok)
			if ok {
				put(out, k.r.newMessage(msg))
				putStatus(k.word(), st)
			}
			return nil
		},
		"Mrecv": func(k *call) error {
			b := k.received()
			msg := k.message1()
			st, err := msg.MRecv(b)
			putStatus(k.word(), st)
			return err
		},
		"Imrecv": func(k *call) error {
			b := k.received()
			return k.started(k.message1().IMRecv(b))
		},
		"Psend_init": func(k *call) error {
			c, b, parts, rank, tag := k.partitioned()
			return k.persistent(c.PSendInit(b, parts, rank, tag))
		},
		"Precv_init": func(k *call) error {
			c, b, parts, rank, tag := k.partitioned()
			return k.persistent(c.PRecvInit(b, parts, rank, tag))
		},
		"Buffer_attach":      func(k *call) error { return k.attach(k.r.world.BufferAttach) },
		"Buffer_detach":      func(k *call) error { return k.detach(k.r.world.BufferDetach) },
		"Buffer_flush":       func(k *call) error { return k.r.world.BufferFlush() },
		"Buffer_iflush":      func(k *call) error { return k.started(k.r.world.BufferIFlush()) },
		"Comm_attach_buffer": func(k *call) error { c := k.onComm(); return k.attach(c.AttachBuffer) },
		"Comm_detach_buffer": func(k *call) error { c := k.onComm(); return k.detach(c.DetachBuffer) },
		"Comm_flush_buffer":  func(k *call) error { return k.onComm().FlushBuffer() },
		"Comm_iflush_buffer": func(k *call) error { return k.started(k.onComm().IFlushBuffer()) },
	},
)

type (
	sendNow   = func(*comm.Comm, types.Buffer, int, int) error
	sendLater = func(*comm.Comm, types.Buffer, int, int) (*comm.Request, error)
)

// sends returns the handlers of the three forms of a send.
func sends(name string, wait sendNow, start, prepare sendLater) map[string]handler {
	return map[string]handler{
		name: func(k *call) error {
			var b types.Buffer
			c, dst, tag := k.message(&b)
			return wait(c, b, dst, tag)
		},
		started(name): func(k *call) error {
			var b types.Buffer
			c, dst, tag := k.message(&b)
			return k.started(start(c, b, dst, tag))
		},
		name + "_init": func(k *call) error {
			var b types.Buffer
			c, dst, tag := k.message(&b)
			return k.persistent(prepare(c, b, dst, tag))
		},
	}
}

// started returns the name of the nonblocking form.
func started(name string) string { return "I" + string(name[0]|0x20) + name[1:] }

// message reads a buffer, which it makes b, a rank, a tag and a communicator.
func (k *call) message(b *types.Buffer) (c *comm.Comm, rank, tag int) {
	c = k.lookComm(5)
	address, n := k.ownMemory(), k.word()
	k.r.setMemory(b, k, address, n, k.datatype())
	rank, tag = k.int(), k.int()
	k.skip()
	return c, rank, tag
}

// receive is message for a receive.
func (k *call) receive(b *types.Buffer) (c *comm.Comm, rank, tag int) {
	c = k.lookComm(5)
	address, n := k.ownMemory(), k.word()
	k.r.receiveMemory(b, k, address, n, k.datatype())
	rank, tag = k.int(), k.int()
	k.skip()
	return c, rank, tag
}

func (k *call) partitioned() (c *comm.Comm, b types.Buffer, parts, rank, tag int) {
	c = k.lookComm(6)
	address, parts := k.ownMemory(), k.int()
	n, t := k.word(), k.datatype()
	rank, tag = k.int(), k.int()
	k.skip()
	if parts > 0 && n > reach/int64(parts) {
		k.fail(errclass.Count, "%d partitions of %d", parts, n)
	}
	b = k.r.memory(k, address, n*int64(parts), t)
	if _, err := k.info(); err != nil {
		k.fail(errclass.Info, "%w", err)
	}
	return c, b, parts, rank, tag
}

type exchanged struct {
	send, recv types.Buffer
	to         comm.To
	from       comm.From
}

func (k *call) exchange() (c *comm.Comm, x exchanged) {
	c = k.lookComm(10)
	x.send, x.to = k.buffer(), comm.To{Rank: k.int(), Tag: k.int()}
	x.recv, x.from = k.received(), comm.From{Rank: k.int(), Tag: k.int()}
	k.skip()
	return c, x
}

func (k *call) replacement() (c *comm.Comm, x exchanged) {
	c = k.lookComm(7)
	x.send, x.to, x.from = k.buffer(), comm.To{Rank: k.int(), Tag: k.int()}, comm.From{Rank: k.int(), Tag: k.int()}
	k.skip()
	return c, x
}

func (r *rank) newMessage(msg *comm.Message) int64 {
	if msg == comm.MessageNoProc {
		return messageNoProc
	}
	return r.messages.add(msg)
}

// message1 reads the address of a message, which this call receives.
func (k *call) message1() *comm.Message {
	a := k.out()
	h := peek[int64](a)
	msg, err := k.r.messages.get(h)
	if err != nil {
		k.fail(errclass.Arg, "%w", err)
	}
	k.r.messages.remove(h)
	put(a, int64(messageNull))
	return msg
}

// attach reads memory for buffered sends.
func (k *call) attach(to func([]byte) error) error {
	address, n := k.word(), k.word()
	if address == bufferAutomatic {
		return to(comm.BufferAutomatic)
	}
	b := array[byte](k, address, n)
	err := to(b)
	if err == nil {
		k.r.remote().attach(b)
	}
	return err
}

func (k *call) detach(from func() ([]byte, error)) error {
	out, size := k.out(), k.out()
	mem, err := from()
	if err != nil {
		return err
	}
	automatic := unsafe.SliceData(mem) == unsafe.SliceData(comm.BufferAutomatic)
	if automatic {
		put(out, int64(bufferAutomatic))
		k.putCount(size, 0)
		return nil
	}
	put(out, k.r.remote().detach(mem))
	k.putCount(size, int64(len(mem)))
	return nil
}
