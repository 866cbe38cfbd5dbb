//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
)

// unfreed has the end of the world report the groups, datatypes, operations, infos and error
// handlers that the program made and never freed, in a world that checks handles; the world
// reports communicators, requests and files itself. A rank that has not finalized MPI reports
// nothing, because it may have left out the calls that free.
func (r *rank) unfreed() {
	if r.phase != finalized {
		for i := range r.comms.slots {
			if s := &r.comms.slots[i]; s.taken {
				port.Overlook(s.object)
			}
		}
		return
	}
	if !port.Handles(r.world) {
		return
	}
	for _, l := range [][]left{r.groups.left(), r.datatypes.left(), r.ops.left(), r.infos.left(), r.errs.left()} {
		for _, x := range l {
			port.AtEnd(r.world, new(commport.Leftover), commport.EndFunc(func() error {
				if r.ctx.Err() != nil {
					return nil
				}
				return r.leftOpen(x)
			}))
		}
	}
}

// A left is a line of the program that made handles which were never freed.
type left struct {
	kind kind
	made *sched.Place
	n    int
}

// left returns the lines that made handles which are still in use, in the order of the first
// handle of each.
func (h *handles[T]) left() (all []left) {
	at := map[*sched.Place]int{}
	for i := range h.slots {
		s := &h.slots[i]
		if !s.taken || s.made == nil {
			continue
		}
		if _, known := at[s.made]; !known {
			at[s.made] = len(all)
			all = append(all, left{kind: h.kind, made: s.made})
		}
		all[at[s.made]].n++
	}
	return all
}

// disown has the end of the world not report that a handle was never freed.
func (h *handles[T]) disown(handle int64) {
	if s := h.slot(handle); s != nil {
		s.made = nil
	}
}

// unfreedKinds says how errors about handles that were never freed name them.
var unfreedKinds = map[kind]struct {
	one, many, free, rule string
	class                 errclass.Class
}{
	kindGroup:      {"group", "groups", "MPI_Group_free", "GRP-01", errclass.Group},
	kindDatatype:   {"datatype", "datatypes", "MPI_Type_free", "DT-FREE-01", errclass.Type},
	kindOp:         {"operation", "operations", "MPI_Op_free", "COLL-03", errclass.Op},
	kindInfo:       {"info", "infos", "MPI_Info_free", "INFO-01", errclass.Info},
	kindErrhandler: {"error handler", "error handlers", "MPI_Errhandler_free", "ERR-05", errclass.Errhandler},
}

func (r *rank) leftOpen(x left) error {
	k := unfreedKinds[x.kind]
	text := fmt.Errorf("the %s made here was never freed: call %s before MPI_Finalize", k.one, k.free)
	if x.n > 1 {
		text = fmt.Errorf("%d %s made here were never freed: call %s for each before MPI_Finalize", x.n, k.many, k.free)
	}
	if n := len(r.failures); n > 0 { // the program may have left out the call
		f := &r.failures[n-1]
		text = fmt.Errorf("%w; %s had failed at %s", text, f.Function, f.Place.Chain())
	}
	return &errclass.Error{Pkg: "c", Op: k.free, Rank: r.world.Rank(), Class: k.class, Rule: k.rule, Err: text, Place: *x.made}
}
