package comm

// GetStatusAll is TestAll that leaves the requests as they are, as
// [Request.GetStatus] does. Errors: as WaitAll. (P2P-02, ERR-08)
//
// MPI_Request_get_status_all
func GetStatusAll(reqs ...*Request) (sts []Status, ok bool, err error) {
	s, p, err := begin("GetStatusAll", reqs, true)
	if err != nil {
		return nil, false, err
	}
	s.keeps = true
	return s.testAll(p)
}

// GetStatusAny is TestAny that leaves the requests as they are: reqs[i] is one
// whose operation is complete, and may be the same when asked again. Errors: as
// WaitAny. (P2P-02)
//
// MPI_Request_get_status_any
func GetStatusAny(reqs ...*Request) (i int, st Status, ok bool, err error) {
	s, p, err := begin("GetStatusAny", reqs, false)
	if err != nil || p == nil {
		return Undefined, emptyStatus(AnySource), err == nil, err
	}
	s.keeps = true
	return s.testAny(p)
}

// GetStatusSome is TestSome that leaves the requests as they are. Errors: as
// WaitSome. (P2P-02, ERR-08)
//
// MPI_Request_get_status_some
func GetStatusSome(reqs ...*Request) (done []int, sts []Status, err error) {
	s, p, err := begin("GetStatusSome", reqs, false)
	if err != nil || p == nil {
		return nil, nil, err
	}
	s.keeps = true
	return s.testSome(p)
}
