package rerun

import (
	"github.com/commworld/commworld/comm"
)

// request returns the request of a number, nil for MPI_REQUEST_NULL.
func (k *rank) request(id int64) *request {
	if id == undefined {
		return nil
	}
	q := k.requests.get(id)
	if q == nil {
		panic(errMissing)
	}
	return q
}

func (q *request) of() *comm.Request {
	if q == nil {
		return nil
	}
	return q.q
}

// completed drops a request that cannot be started again.
func (k *rank) completed(ids ...int64) {
	for _, id := range ids {
		if q := k.requests.get(id); q != nil && !q.persistent {
			k.requests.set(id, nil)
		}
	}
}

// wait completes requests.
func (k *rank) wait(ids ...int64) error {
	reqs := make([]*comm.Request, len(ids))
	for i, id := range ids {
		reqs[i] = k.request(id).of()
	}
	var err error
	if len(reqs) == 1 {
		_, err = reqs[0].Wait()
	} else {
		_, err = comm.WaitAll(reqs...)
	}
	k.completed(ids...)
	return err
}

// waitOpen waits for some of several requests: which is not known, because the call did not
// return.
func (k *rank) waitOpen(ids []int64) error {
	reqs := make([]*comm.Request, len(ids))
	for i, id := range ids {
		reqs[i] = k.request(id).of()
	}
	_, _, err := comm.WaitAny(reqs...)
	return err
}

// start starts a request again.
func (k *rank) start(id int64) error {
	q := k.request(id)
	switch {
	case q == nil:
		panic(errMissing)
	case q.wild:
		var err error
		q.q, err = q.again()
		return err
	}
	return q.q.Start()
}

var requestCalls = map[string]handler{
	"Wait":    func(a *args) error { return a.k.wait(a.field("q")) },
	"Waitall": func(a *args) error { return a.k.wait(a.list()...) },
	"Waitany": func(a *args) error {
		ids := a.list()
		if !a.call.Returned {
			return a.k.waitOpen(ids)
		}
		if i := a.n(); i >= 0 && i < int64(len(ids)) {
			return a.k.wait(ids[i])
		}
		return nil
	},
	"Waitsome": func(a *args) error {
		ids := a.list()
		if !a.call.Returned {
			return a.k.waitOpen(ids)
		}
		var done []int64
		for _, i := range a.list() {
			if i >= 0 && i < int64(len(ids)) {
				done = append(done, ids[i])
			}
		}
		return a.k.wait(done...)
	},
	"Start": func(a *args) error { return a.k.start(a.field("q")) },
	"Startall": func(a *args) error {
		var first error
		for _, id := range a.list() {
			if err := a.k.start(id); first == nil {
				first = err
			}
		}
		return first
	},
	"Request_free": func(a *args) error {
		id := a.field("q")
		q := a.k.request(id)
		if q == nil {
			panic(errMissing)
		}
		a.k.requests.set(id, nil)
		if q.q == nil {
			return nil // a receive that was never started
		}
		return q.q.Free()
	},
	"Cancel": func(a *args) error {
		q := a.k.request(a.field("q"))
		if q.of() == nil {
			panic(errMissing)
		}
		return q.q.Cancel()
	},
	"Pready": func(a *args) error {
		i := a.int()
		return a.k.request(a.field("q")).of().PReady(i)
	},
	"Pready_range": func(a *args) error {
		low, high := a.int(), a.int()
		return a.k.request(a.field("q")).of().PReadyRange(low, high)
	},
	"Pready_list": func(a *args) error {
		a.n()
		list := a.ints()
		return a.k.request(a.field("q")).of().PReadyList(list)
	},
}
