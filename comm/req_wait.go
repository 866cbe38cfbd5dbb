package comm

import "slices"

// WaitAll waits for all operations and returns what each did. If some failed
// the error has class ErrInStatus and holds theirs, and so does the Err of
// their statuses. Requests may be nil, inactive, of any kind, and belong to one
// rank. Errors: ErrInStatus, ErrRequest. (P2P-02, ERR-08)
//
// MPI_Waitall
func WaitAll(reqs ...*Request) ([]Status, error) {
	s, p, err := begin("WaitAll", reqs, true)
	if err != nil {
		return nil, err
	}
	sts := make([]Status, len(reqs))
	return sts, s.waitAll(p, sts)
}

// WaitAllIgnore is WaitAll without statuses; it allocates nothing. Errors: as WaitAll.
// (P2P-02, ERR-08)
//
// MPI_STATUSES_IGNORE
func WaitAllIgnore(reqs ...*Request) error {
	s, p, err := begin("WaitAllIgnore", reqs, true)
	if err != nil {
		return err
	}
	return s.waitAll(p, nil)
}

// waitAll waits for all requests and completes them. Requests of messages that are complete
// already are so in one pass.
func (s *several) waitAll(p *process, sts []Status) error {
	defer s.finish()
	if p != nil && !p.plain {
		s.stop = p.engine.waitAll(s, p)
	}
	return s.completeAll(p, sts)
}

// WaitAny waits until one of the operations is complete, and completes that
// one: reqs[i]. If none is active, i is Undefined. Errors: those of the
// operation, with its i; ErrRequest. (P2P-02)
//
// MPI_Waitany
func WaitAny(reqs ...*Request) (i int, st Status, err error) {
	s, p, err := begin("WaitAny", reqs, false)
	if err != nil || p == nil {
		return Undefined, emptyStatus(AnySource), err
	}
	defer s.finish()
	if err := p.engine.waitAny(s, p, anyOne); err != nil {
		return s.stopped(err)
	}
	i = s.pick()
	st, err = reqs[i].complete()
	return i, st, err
}

// awaitAny waits until one of the operations of some, or all of one of the groups, may be complete,
// and leaves the requests as they are. Errors: that of an abort.
func awaitAny(some []*Request, groups [][]*Request) error {
	done := func(q *Request) bool { return !q.pending() || q.op.done() }
	open := slices.DeleteFunc(slices.Clone(some), func(q *Request) bool { return !q.pending() })
	if slices.ContainsFunc(open, done) {
		return nil
	}
	for _, g := range groups {
		n := len(open)
		if open = append(open, slices.DeleteFunc(slices.Clone(g), done)...); len(open) == n {
			return nil
		}
	}
	if len(open) == 1 {
		return open[0].await()
	}
	s, p, err := begin("WaitAny", open, false)
	if err != nil || p == nil {
		return err
	}
	defer s.finish()
	return p.engine.waitAny(s, p, anyOne)
}

// WaitSome waits until at least one of the operations is complete, and
// completes all that are: done holds their places in reqs and sts what they
// did. done is nil if none is active. If some of them failed the error has
// class ErrInStatus and holds theirs, and so does the Err of their statuses.
// Errors: ErrInStatus, ErrRequest. (P2P-02, ERR-08)
//
// MPI_Waitsome
func WaitSome(reqs ...*Request) (done []int, sts []Status, err error) {
	s, p, err := begin("WaitSome", reqs, false)
	if err != nil || p == nil {
		return nil, nil, err
	}
	defer s.finish()
	if err := p.engine.waitAny(s, p, anySet); err != nil {
		_, _, err := s.stopped(err)
		return nil, nil, err
	}
	return s.completeSome()
}

// TestAll is WaitAll if all operations are complete; otherwise ok is false, and
// nothing has changed. Errors: as WaitAll. (P2P-02, ERR-08)
//
// MPI_Testall
func TestAll(reqs ...*Request) (sts []Status, ok bool, err error) {
	return testAll("TestAll", false, reqs)
}

// testAll is TestAll, or StatusAll if it keeps the requests as they are.
func testAll(call string, keeps bool, reqs []*Request) (sts []Status, ok bool, err error) {
	s, p, err := begin(call, reqs, true)
	if err != nil {
		return nil, false, err
	}
	s.keeps = keeps
	defer s.finish()
	if p != nil {
		if s.stop = p.engine.lookAtAny(s, p, everyOne, s.ready() == s.open()); s.stop == nil && (s.chosen != nil || !s.allDone(p)) {
			return nil, false, nil
		}
	}
	sts, ok = make([]Status, len(s.reqs)), s.stop == nil
	return sts, ok, s.completeAll(nil, sts)
}

// TestAny is WaitAny if an operation is complete; otherwise ok is false. If
// none is active, ok is true and i Undefined. Errors: as WaitAny. (P2P-02)
//
// MPI_Testany
func TestAny(reqs ...*Request) (i int, st Status, ok bool, err error) {
	return testAny("TestAny", false, reqs)
}

// testAny is TestAny, or StatusAny if it keeps the requests as they are.
func testAny(call string, keeps bool, reqs []*Request) (i int, st Status, ok bool, err error) {
	s, p, err := begin(call, reqs, false)
	if err != nil || p == nil {
		return Undefined, emptyStatus(AnySource), err == nil, err
	}
	s.keeps = keeps
	defer s.finish()
	if stop := p.engine.lookAtAny(s, p, anyOne, s.ready() > 0); stop != nil {
		i, st, err = s.stopped(stop)
		return i, st, false, err
	}
	s.allDone(p)
	if s.ready() == 0 {
		return Undefined, Status{}, false, nil
	}
	i = s.pick()
	st, err = s.reqs[i].take(s.keeps)
	return i, st, true, err
}

// TestSome is WaitSome without waiting: done is empty if no operation is
// complete now, and nil if none is active. Errors: as WaitSome. (P2P-02, ERR-08)
//
// MPI_Testsome
func TestSome(reqs ...*Request) (done []int, sts []Status, err error) {
	return testSome("TestSome", false, reqs)
}

// testSome is TestSome, or StatusSome if it keeps the requests as they are.
func testSome(call string, keeps bool, reqs []*Request) (done []int, sts []Status, err error) {
	s, p, err := begin(call, reqs, false)
	if err != nil || p == nil {
		return nil, nil, err
	}
	s.keeps = keeps
	defer s.finish()
	if stop := p.engine.lookAtAny(s, p, anySet, s.ready() > 0); stop != nil {
		_, _, err := s.stopped(stop)
		return nil, nil, err
	}
	s.allDone(p)
	if s.ready() == 0 {
		return []int{}, nil, nil
	}
	return s.completeSome()
}
