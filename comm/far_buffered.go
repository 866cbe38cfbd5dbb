package comm

import (
	"time"

	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
)

// attachNative attaches a buffer for buffered sends in the library of the engine.
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

// waitNative makes a call of the library that waits.
func (c *Comm) waitNative(op string, call func() error) error {
	if l := c.proc.log; l != nil {
		defer l.Await(time.Now())
	}
	if f := refused(call()); f != nil {
		return c.fail(op, f)
	}
	return nil
}

// A flushing is a flush that the library carries out.
type flushing struct {
	call  string
	comm  *Comm
	under engine.Request // nil: it has ended
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

func (x *flushing) title() string { return x.call }

func (x *flushing) expect() bool { return false }

func (x *flushing) abandon() {}

func (x *flushing) done() bool {
	if x.under != nil {
		if _, done, err := x.under.Test(); done || err != nil {
			x.under, x.fault = nil, refused(err)
		}
	}
	return x.under == nil
}

func (x *flushing) waitInEngine() {
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
