package comm

// StatusAll is TestAll that leaves the requests as they are, as
// [Request.Status] does. Errors: as WaitAll. (P2P-02, ERR-08)
//
// MPI_Request_get_status_all
func StatusAll(reqs ...*Request) (sts []Status, ok bool, err error) {
	return testAll("StatusAll", true, reqs)
}

// StatusAny is TestAny that leaves the requests as they are: reqs[i] is one
// whose operation is complete, and may be the same when asked again. Errors: as
// WaitAny. (P2P-02)
//
// MPI_Request_get_status_any
func StatusAny(reqs ...*Request) (i int, st Status, ok bool, err error) {
	return testAny("StatusAny", true, reqs)
}

// StatusSome is TestSome that leaves the requests as they are. Errors: as
// WaitSome. (P2P-02, ERR-08)
//
// MPI_Request_get_status_some
func StatusSome(reqs ...*Request) (done []int, sts []Status, err error) {
	return testSome("StatusSome", true, reqs)
}
