package comm

import (
	"errors"

	"github.com/commworld/commworld/internal/engine"
	flt "github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// far carries out the calls of one rank when the other ranks are other processes: each
// checked call becomes a call of an engine. Ranks do not meet here, so only the library can
// find errors that concern several ranks.
type far struct {
	univ  *universe
	world engine.World
	me    int // rank in the world
}

// join makes u a world that an engine carries; one rank is in this process.
func (u *universe) join(w engine.World) {
	u.far = &far{u, w, w.Rank()}
	u.procs[0].engine, u.procs[0].plain, u.procs[0].net = u.far, false, nil
	u.world = u.newCore(consecutive(0, 1, w.Size()), "COMM_WORLD")
	u.world.native = w.All()
}

// number returns the rank's number in the world.
func (p *process) number() int {
	if p.univ.far != nil {
		return p.univ.far.me
	}
	return p.thread.ID()
}

// refused returns the fault for an error of an engine; nil for nil.
func refused(err error) *fault {
	var e *engine.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return &fault{Class: e.Class, Err: err}
	}
	return flt.Of(err, ErrOther, "")
}

// native returns the buffer as an engine takes it: a library stores a message of any length
// up to the count, so that may not exceed the memory.
func (d *data) native() types.Buffer {
	switch {
	case d.short:
		return d.buf.Held(d.arch)
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
