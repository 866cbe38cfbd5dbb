package comm

import (
	"errors"
	"runtime"
	"time"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// far carries out what one rank does when the others are other processes: each
// call, checked, becomes one of an engine. Nothing meets here, so what only all
// ranks together could find wrong is found by the library, or by nobody.
type far struct {
	univ  *Universe
	world engine.World
	me    int // in the world
}

// join makes u the world of an engine, of which one rank is here.
func (u *Universe) join(w engine.World) {
	u.far = &far{u, w, w.Rank()}
	u.procs[0].engine, u.procs[0].plain, u.procs[0].net = u.far, false, nil
	u.world = u.newCore(consecutive(0, 1, w.Size()), "COMM_WORLD")
	u.world.native = w.All()
}

// number is the rank's in the world.
func (p *process) number() int {
	if p.univ.far != nil {
		return p.univ.far.me
	}
	return p.thread.ID()
}

// Engine returns the communicator of an engine that carries out what c does, and
// nil where ranks share a process. For packages above this one.
func (c *Comm) Engine() engine.Comm {
	if c.null() {
		return nil
	}
	return c.core.native
}

// EngineWorld returns the engine of c's world, nil if there is none. For packages
// above this one.
func (c *Comm) EngineWorld() engine.World {
	if c.null() || c.proc.univ.far == nil {
		return nil
	}
	return c.proc.univ.far.world
}

// Bare reports a world without checks that cost, see LaunchOptions.Unchecked.
func (c *Comm) Bare() bool { return !c.null() && c.proc.univ.bare }

// refused makes a fault of what an engine gave back; nil of nil.
func refused(err error) *fault {
	var e *engine.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return &fault{class: e.Class, err: err}
	}
	return faultOf(err, ErrOther, "")
}

// native is the buffer as an engine takes it.
func (d *data) native() types.Buffer {
	switch {
	case d.laid:
		return *d.buf
	case d.typ == nil:
		return types.Buffer{}
	}
	b := types.Raw(d.flat, d.count, d.typ)
	if l, err := d.typ.Layout(d.arch); err == nil && len(d.flat) > 0 {
		b = b.At(-l.TrueLB)
	}
	return b
}

// take notes what a library tells of t.
func (t *transfer) take(e engine.Status) {
	t.got = receipt{}
	if e.Cancelled || !t.sends {
		t.got = receipt{int32(e.Source), int32(e.Tag), e.Bytes}
	}
	if e.Cancelled {
		t.got.bytes |= cancelled
	}
}

// sendNative is a send that waits.
func (c *Comm) sendNative(t *transfer, m mode) error {
	if c.proc.log != nil {
		t.tell()
		defer c.proc.log.Await(time.Now())
	}
	if err := c.core.native.Send(engine.Mode(m), t.data.native(), int(t.peer), int(t.tag)); err != nil {
		return c.fail(t.call, refused(err))
	}
	return nil
}

// recvNative is a receive that waits.
func (c *Comm) recvNative(t *transfer) error {
	if c.proc.log != nil {
		t.tell()
		defer c.proc.log.Await(time.Now())
	}
	st, err := c.core.native.Recv(t.data.native(), int(t.peer), int(t.tag))
	t.take(st)
	t.mend()
	if err != nil {
		return c.fail(t.call, refused(err))
	}
	if c.proc.log != nil {
		t.arrived()
	}
	return nil
}

// tell tells the log of a transfer that the library is about to have.
func (t *transfer) tell() {
	if t.sends {
		t.departs(t.comm.core.peers().world(int(t.peer)))
	} else {
		t.number = t.comm.proc.log.Number()
	}
}

func (e *far) send(t *transfer) {
	if t.comm.proc.log != nil {
		t.tell()
	}
	e.under(t)(t.comm.core.native.StartSend(engine.Mode(t.mode), t.data.native(), int(t.peer), int(t.tag)))
}

func (e *far) receive(t *transfer) {
	if t.comm.proc.log != nil {
		t.tell()
	}
	e.under(t)(t.comm.core.native.StartRecv(t.data.native(), int(t.peer), int(t.tag)))
}

func (e *far) redeem(t, m *transfer) {
	t.number = m.number // a probe has taken its place
	e.under(t)(m.native.(engine.Message).Receive(t.data.native()))
}

// under takes the request of t, which has been started.
func (e *far) under(t *transfer) func(engine.Request, error) {
	return func(r engine.Request, err error) {
		if t.fault = refused(err); t.fault == nil {
			t.native = r
			t.open()
		}
	}
}

// done makes progress where an engine has the message.
func (t *transfer) done() bool {
	if t.completion.done() {
		return true
	}
	r, ok := t.native.(engine.Request)
	if !ok {
		return false
	}
	st, done, err := r.Test()
	if done || err != nil {
		t.ended(st, err)
	}
	return t.completion.done()
}

// expect is as in operation; an engine wakes nobody.
func (t *transfer) expect() bool { return t.native == nil && t.completion.expect() }

func (t *transfer) ended(st engine.Status, err error) {
	t.native = nil
	t.take(st)
	t.mend()
	t.fault = refused(err)
	t.completion.end()
}

// mend makes what a library stored values of Go, where that makes a difference.
func (t *transfer) mend() {
	if !t.sends {
		t.data.mend()
	}
}

func (d *data) mend() {
	if d.laid {
		d.buf.Mend(d.arch)
	}
}

// mend is that of a collective.
func (k *call) mend() {
	k.recv.mend()
	for i := range k.recvs.each {
		k.recvs.each[i].mend()
	}
}

// A lingerer is an operation that waits for its own end.
type lingerer interface{ linger() }

func (t *transfer) linger() {
	if r, ok := t.native.(engine.Request); ok {
		t.ended(r.Wait())
	}
}

func (x *exchange) linger() {
	x.in.linger()
	x.out.linger()
}

func (k *call) linger() {
	if k.native != nil {
		_, err := k.native.Wait()
		k.settled(err)
	}
}

// settled ends a call that an engine has carried out.
func (k *call) settled(err error) {
	k.native, k.over = nil, true
	k.mend()
	if f := refused(err); f != nil {
		k.fate = &verdict{fault: f, rank: everybody}
	}
}

func (x *external) linger() {
	if w, ok := x.work.(interface{ Linger() }); ok {
		w.Linger()
	}
}

// linger waits for an operation where an engine waits. An error is the cause of
// an abort.
func (p *process) linger(op operation) error {
	if p.log != nil {
		defer p.log.Await(time.Now())
	}
	if w, ok := op.(lingerer); ok {
		w.linger()
	}
	for !op.done() {
		if err := p.pause(); err != nil {
			return err
		}
	}
	return nil
}

// pause lets others go on between two looks: nobody would wake this rank.
func (p *process) pause() error {
	runtime.Gosched()
	return p.univ.sched.Cause()
}

func (e *far) await(t *transfer) error { return t.comm.proc.linger(t) }

// abandon leaves t to the library, whose job ends with this process.
func (e *far) abandon(*transfer) {}

func (e *far) cancel(t *transfer) error {
	r, ok := t.native.(engine.Request)
	if !ok {
		return nil
	}
	if f := refused(r.Cancel()); f != nil {
		return f
	}
	return nil
}

func (e *far) probe(t *transfer, wait, claim bool) (*transfer, error) {
	l := t.comm.proc.log
	if l != nil && wait {
		defer l.Await(time.Now())
	}
	st, m, found, err := t.comm.core.native.Probe(int(t.peer), int(t.tag), wait, claim)
	switch f := refused(err); {
	case f != nil:
		return nil, f
	case !found:
		return nil, nil
	}
	t.take(st)
	made := &transfer{native: m}
	if l != nil && claim {
		made.number = l.Number()
	}
	return made, nil
}

// pair and part are of partitioned messages, which are refused before.
func (e *far) pair(*partitioned) {}
func (e *far) part(*partitioned) {}

// unreceived can tell nothing: the messages are the library's.
func (e *far) unreceived(func(int, error)) {}

// attachNative gives the library room for buffered sends.
func (a *attachment) attachNative(c *Comm) error {
	bytes := int64(len(a.mem))
	if a.automatic {
		bytes = engine.Automatic
	}
	room := c.proc.univ.far.world.Room()
	if a.own != nil {
		room = c.core.native.Room()
	}
	if f := refused(room.Attach(bytes)); f != nil {
		return f
	}
	a.native = room
	return nil
}

// waitNative is a call of the library that waits.
func (c *Comm) waitNative(op string, call func() error) error {
	if l := c.proc.log; l != nil {
		defer l.Await(time.Now())
	}
	if f := refused(call()); f != nil {
		return c.fail(op, f)
	}
	return nil
}

// A flushing is a flush that the library has under way.
type flushing struct {
	call  string
	comm  *Comm
	under engine.Request // nil: over
	fault *fault
}

func (c *Comm) flushNative(op string, a *attachment) (operation, error) {
	r, err := a.native.StartFlush()
	if f := refused(err); f != nil {
		return nil, f
	}
	return &flushing{call: op, comm: c, under: r}, nil
}

func (x *flushing) String() string { return x.call + " on " + x.comm.label() }
func (x *flushing) title() string  { return x.call }
func (x *flushing) expect() bool   { return false }
func (x *flushing) abandon()       {}

func (x *flushing) done() bool {
	if x.under != nil {
		if _, done, err := x.under.Test(); done || err != nil {
			x.under, x.fault = nil, refused(err)
		}
	}
	return x.under == nil
}

func (x *flushing) linger() {
	if x.under != nil {
		_, err := x.under.Wait()
		x.under, x.fault = nil, refused(err)
	}
}

func (x *flushing) outcome(line *sched.Line) (Status, error) {
	if x.fault != nil {
		return Status{}, x.comm.failOf(line, x.call, x.fault)
	}
	return emptyStatus(AnySource), nil
}
