//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include "process/mailbox.h"
*/
import "C"

import (
	"errors"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
)

// A request is a handle of an operation under way.
type request struct {
	q          *comm.Request
	persistent bool
	collective bool
	pins       []*fetched // copies of memory of a process

	made    *comm.Comm       // the communicator of MPI_Comm_idup
	handler *comm.Errhandler // which it gets when the request is complete
}

// started stores the handle of a started operation.
func (k *call) started(q *comm.Request, err error) error { return k.newRequest(&request{q: q}, err) }

// persistent stores the handle of a persistent operation.
func (k *call) persistent(q *comm.Request, err error) error {
	return k.newRequest(&request{q: q, persistent: true}, err)
}

// begun stores the handle of a started collective.
func (k *call) begun(q *comm.Request, err error) error {
	return k.newRequest(&request{q: q, collective: true}, err)
}

func (k *call) newRequest(q *request, err error) error {
	if err != nil {
		return err
	}
	q.pins = k.r.remote().pin(port.Guards(k.r.world) || q.collective && port.Watches(k.r.world))
	put(k.out(), k.r.requests.add(q))
	return nil
}

// duplicating stores the handles of a communicator that a request makes, and of the request.
func (k *call) duplicating(out int64, made *comm.Comm, q *comm.Request, err error) error {
	if err := k.newComm(out, made, err); err != nil {
		return err
	}
	w := &request{q: q, made: made}
	if k.r.unmade == nil {
		k.r.unmade = map[*comm.Comm]*request{}
	}
	k.r.unmade[made] = w
	return k.newRequest(w, nil)
}

// isMade lets the program use the communicator that a complete request has made.
func (r *rank) isMade(q *request) {
	if q.made == nil {
		return
	}
	delete(r.unmade, q.made)
	if q.handler != nil {
		_ = q.made.SetErrhandler(q.handler) // if there is none, the request has failed
	}
}

// madeLater returns the request that makes c, nil if c can be used.
func (r *rank) madeLater(c *comm.Comm) *request {
	q := r.unmade[c]
	if q == nil {
		return nil
	}
	if _, done, err := q.q.Status(); done || err != nil {
		return nil
	}
	return q
}

// request returns the request of a handle, nil for the null handle.
func (k *call) request(h int64) *request {
	if h == requestNull {
		return nil
	}
	q, err := k.r.requests.get(h)
	if err != nil {
		k.fail(errclass.Request, "%w", err)
	}
	k.r.remote().refresh(q.pins, false)
	return q
}

func (q *request) of() *comm.Request {
	if q == nil {
		return nil
	}
	return q.q
}

// completed frees the handle at an address, unless its request may be started again.
func (k *call) completed(address int64) {
	h := peek[int64](address)
	if q := k.request(h); q != nil && !q.persistent {
		k.r.remote().release(q.pins)
		k.r.requests.remove(h)
		put(address, int64(requestNull))
		k.r.isMade(q)
	}
}

// A batch is an array of requests.
type batch struct {
	k       *call
	address int64
	reqs    []*comm.Request
}

func (k *call) batch() batch {
	n := k.word()
	b := batch{k: k, address: k.word()}
	for _, h := range array[int64](k, b.address, n) {
		b.reqs = append(b.reqs, k.request(h).of())
	}
	return b
}

// await waits until one of the calls may go on for which threads of the process wait: those of the
// requests before the first null handle, which need one of them each, and of the groups behind it,
// which end with null handles and need all of theirs.
func (b batch) await() error {
	parts := [][]*comm.Request{b.k.r.probing()}
	for _, q := range b.reqs {
		if last := len(parts) - 1; q != nil {
			parts[last] = append(parts[last], q)
		} else {
			parts = append(parts, nil)
		}
	}
	return port.AwaitAny(parts[0], slices.DeleteFunc(parts[1:], func(g []*comm.Request) bool { return g == nil }))
}

// probing returns the probes for which threads of the process wait.
func (r *rank) probing() (all []*comm.Request) {
	box := r.process.box
	address := r.tagged(int64(box.probe))
	for _, p := range at[C.struct_probe](address, int64(box.probes)) {
		c, err := r.comms.get(int64(p.comm))
		if err != nil || int(p.function) >= len(functions) {
			continue // the probe itself finds the error
		}
		q, err := port.Probing(c, strings.Replace(strings.TrimPrefix(functions[p.function].name, "MPI_"), "Mprobe", "MProbe", 1), int(int32(p.source)), int(int32(p.tag)))
		if err == nil {
			all = append(all, q)
		}
	}
	return all
}

func (b batch) completed(i int) { b.k.completed(b.address + 8*int64(i)) }

// all ends a call on all requests: a request is complete if it has no error, or one of
// its own.
func (b batch) all(statuses int64, sts []comm.Status, err error) error {
	if err != nil && !errors.Is(err, errclass.InStatus) {
		return err
	}
	b.k.putStatuses(statuses, sts, err)
	for i := range sts {
		if !errors.Is(sts[i].Err, errclass.Pending) {
			b.completed(i)
		}
	}
	return err
}

// any ends a call on one of the requests.
func (b batch) any(index int64, i int, status int64, st comm.Status, err error) error {
	putInt(index, i)
	if i >= 0 && i < len(b.reqs) {
		b.completed(i)
	}
	putStatus(status, st)
	return err
}

// some ends a call on some requests: those that are complete.
func (b batch) some(count, indices int64, done []int, statuses int64, sts []comm.Status, err error) error {
	if err != nil && !errors.Is(err, errclass.InStatus) {
		return err
	}
	if done == nil {
		putInt(count, comm.Undefined)
		return err
	}
	putInt(count, len(done))
	b.k.putStatuses(statuses, sts, err)
	for j, i := range done {
		putInt(indices+4*int64(j), i)
		b.completed(i)
	}
	return err
}

var requestCalls = map[string]handler{
	"Wait": func(k *call) error {
		a := k.out()
		st, err := k.request(peek[int64](a)).of().Wait()
		k.completed(a)
		putStatus(k.word(), st)
		return err
	},
	"Test": func(k *call) error {
		a := k.out()
		flag := k.out()
		st, ok, err := k.request(peek[int64](a)).of().Test()
		putBool(flag, ok || err != nil)
		if ok || err != nil {
			k.completed(a)
			putStatus(k.word(), st)
		}
		return err
	},
	"Waitall": func(k *call) error {
		b := k.batch()
		sts, err := comm.WaitAll(b.reqs...)
		return b.all(k.word(), sts, err)
	},
	"Testall": func(k *call) error {
		b := k.batch()
		flag := k.out()
		sts, ok, err := comm.TestAll(b.reqs...)
		putBool(flag, ok)
		if !ok && err == nil {
			return nil
		}
		return b.all(k.word(), sts, err)
	},
	"Waitany": func(k *call) error {
		b := k.batch()
		index := k.out()
		i, st, err := comm.WaitAny(b.reqs...)
		return b.any(index, i, k.word(), st, err)
	},
	"Testany": func(k *call) error {
		b := k.batch()
		index, flag := k.out(), k.out()
		i, st, ok, err := comm.TestAny(b.reqs...)
		putBool(flag, ok)
		if !ok && err == nil {
			putInt(index, comm.Undefined)
			return nil
		}
		return b.any(index, i, k.word(), st, err)
	},
	"Waitsome": func(k *call) error {
		b := k.batch()
		count, indices := k.out(), k.word()
		done, sts, err := comm.WaitSome(b.reqs...)
		return b.some(count, indices, done, k.word(), sts, err)
	},
	"Testsome": func(k *call) error {
		b := k.batch()
		count, indices := k.out(), k.word()
		done, sts, err := comm.TestSome(b.reqs...)
		return b.some(count, indices, done, k.word(), sts, err)
	},
	"Request_get_status": func(k *call) error {
		q, flag := k.request(k.word()), k.out()
		st, ok, err := q.of().Status()
		putBool(flag, ok)
		if ok {
			putStatus(k.word(), st)
		}
		return err
	},
	"Request_get_status_all": func(k *call) error {
		b := k.batch()
		flag := k.out()
		sts, ok, err := comm.StatusAll(b.reqs...)
		putBool(flag, ok)
		if ok {
			k.putStatuses(k.word(), sts, err)
		}
		return err
	},
	"Request_get_status_any": func(k *call) error {
		b := k.batch()
		index, flag := k.out(), k.out()
		if k.r.process != nil && k.r.process.box.block != 0 {
			return b.await()
		}
		i, st, ok, err := comm.StatusAny(b.reqs...)
		putInt(index, i)
		putBool(flag, ok)
		if ok {
			putStatus(k.word(), st)
		}
		return err
	},
	"Request_get_status_some": func(k *call) error {
		b := k.batch()
		count, indices := k.out(), k.word()
		done, sts, err := comm.StatusSome(b.reqs...)
		if done == nil {
			putInt(count, comm.Undefined)
			return err
		}
		putInt(count, len(done))
		for j, i := range done {
			putInt(indices+4*int64(j), i)
		}
		k.putStatuses(k.word(), sts, err)
		return err
	},
	"Request_free": func(k *call) error {
		a := k.out()
		h := peek[int64](a)
		q := k.request(h)
		if q == nil {
			k.fail(errclass.Request, "the request is MPI_REQUEST_NULL")
		}
		_, done, _ := q.q.Status()
		if err := q.q.Free(); err != nil {
			return err
		}
		k.r.remote().orphan(q.pins, done)
		k.r.requests.remove(h)
		put(a, int64(requestNull))
		k.r.isMade(q)
		return nil
	},
	"Cancel": func(k *call) error {
		q := k.request(peek[int64](k.out()))
		if q == nil {
			k.fail(errclass.Request, "the request is MPI_REQUEST_NULL")
		}
		return q.q.Cancel()
	},
	"Start": func(k *call) error {
		q := k.request(peek[int64](k.out()))
		if q == nil {
			k.fail(errclass.Request, "the request is MPI_REQUEST_NULL")
		}
		k.r.remote().refresh(q.pins, true)
		return q.q.Start()
	},
	"Startall": func(k *call) error {
		b := k.batch()
		for i := range b.reqs {
			if q := k.request(peek[int64](b.address + 8*int64(i))); q != nil {
				k.r.remote().refresh(q.pins, true)
			}
		}
		return comm.StartAll(b.reqs...)
	},
	"Pready": func(k *call) error {
		i := k.int()
		return k.request(k.word()).of().PReady(i)
	},
	"Pready_range": func(k *call) error {
		low, high := k.int(), k.int()
		return k.request(k.word()).of().PReadyRange(low, high)
	},
	"Pready_list": func(k *call) error {
		list := k.ints(k.word())
		return k.request(k.word()).of().PReadyList(list)
	},
	"Parrived": func(k *call) error {
		q, i := k.request(k.word()), k.int()
		ok, err := q.of().PArrived(i)
		if err == nil {
			putBool(k.out(), ok)
		}
		return err
	},
	"Grequest_start": func(k *call) error {
		g := &generalized{r: k.r, query: k.word(), free: k.word(), cancel: k.word(), extra: k.word()}
		q, err := k.r.world.GRequestStart(comm.GRequest{Query: g.Query, Free: g.Free, Cancel: g.Cancel})
		return k.started(q, err)
	},
	"Grequest_complete": func(k *call) error {
		q := k.request(k.word())
		if q == nil {
			k.fail(errclass.Request, "the request is MPI_REQUEST_NULL")
		}
		return q.q.GRequestComplete()
	},
}

// A generalized has the functions of a generalized request.
type generalized struct {
	r                          *rank
	query, free, cancel, extra int64
}

// Query lets the program fill in a status.
func (g *generalized) Query(st *comm.Status) error {
	a, free := g.r.cells(statusBytes)
	defer free()
	putStatus(a, *st)
	if err := g.r.checked(g.query, g.extra, a); err != nil {
		return err
	}
	k := call{r: g.r}
	*st = k.getStatus(a)
	return nil
}

// Free lets the program free its data.
func (g *generalized) Free() error { return g.r.checked(g.free, g.extra) }

// Cancel lets the program cancel the operation.
func (g *generalized) Cancel(complete bool) error {
	flag := int64(0)
	if complete {
		flag = 1
	}
	return g.r.checked(g.cancel, g.extra, flag)
}

// checked calls a function of the program that returns an error code.
func (r *rank) checked(fn int64, args ...int64) error {
	if fn == 0 {
		return nil
	}
	code, err := r.callback(fn, args...)
	if err != nil {
		return err
	}
	return r.errorOfCode(int(int32(code)))
}
