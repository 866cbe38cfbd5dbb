package comm

import (
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
)

// A job is the work that is left in a collective when all ranks have come. It is cut into
// parts, which the ranks that wait for the call take. So a rank that is busy computing
// delays no other rank, and with many ranks on few processors the ranks that wake first do
// most of the work.
//
// An abort cancels a job unless its last part is done, so a call succeeds on all ranks or on
// none.
type job struct {
	core  *core
	ks    []*call
	parts int32

	recordsSites bool         // the parts are ranks that record their lines
	about        *fault       // the fault to report with those lines; see placed
	next         atomic.Int32 // the first part that no rank has taken
	left         atomic.Int32 // parts that are not done; negative if the job was cancelled
	waits        []atomic.Bool
	turns        []turn // of a relay; next counts them, see coll_userop.go

	mu   sched.Mutex
	part int // the lowest part with a fault
	verdict
}

func newJob(ks []*call, parts int) *job {
	j := &job{core: ks[0].comm.hub(), ks: ks, parts: int32(parts), waits: make([]atomic.Bool, len(ks))}
	j.left.Store(int32(parts))
	return j
}

// share makes a job of the work of a call.
func share(ks []*call) *verdict {
	j := newJob(ks, len(ks))
	j.job = j
	return &j.verdict
}

// advance does parts until none is left to take, and reports whether all are done. If some
// are not, the rank is woken when they are.
func (j *job) advance(k *call) bool {
	switch {
	case j.recordsSites:
		j.recordSite(k)
	case j.turns != nil:
		j.pass(k)
	default:
		j.work()
	}
	return !j.awaits(k)
}

// expect requests that k's rank be woken when it can continue; it returns false if it can
// continue now.
func (j *job) expect(k *call) bool { return j.awaits(k) && !j.due(k) }

// awaits requests that k's rank be woken at the end of the job; it returns false if the job
// has ended.
func (j *job) awaits(k *call) bool {
	if j.left.Load() != 0 {
		j.waits[k.comm.seat()].Store(true)
	}
	return j.left.Load() != 0
}

func (j *job) work() {
	for j.next.Load() < j.parts {
		i := j.next.Add(1) - 1
		if i >= j.parts || !j.do(int(i)) {
			return
		}
	}
}

// do does part i. It returns false in an aborted world.
func (j *job) do(i int) bool {
	if j.core.enter() != nil {
		return false
	}
	defer j.core.leave()
	if f := j.ks[0].share(j.ks, i, int(j.parts)); f != nil {
		j.mu.Lock()
		if j.fault == nil || i < j.part {
			j.fault, j.part = f, i
			j.rank = i
		}
		j.mu.Unlock()
	}
	j.finish()
	return true
}

// finish ends a part. After the last part no rank may touch the calls, because their ranks
// continue.
func (j *job) finish() {
	for {
		n := j.left.Load()
		if n <= 0 {
			return
		}
		if n == 1 && j.recordsSites {
			j.fault, j.rank = placed(j.ks, j.about), allRanks
		}
		if n == 1 {
			afterMove(j.ks)
		}
		if !j.left.CompareAndSwap(n, n-1) {
			continue
		}
		if n == 1 {
			j.release()
		}
		return
	}
}

func (j *job) release() {
	for i := range j.waits {
		if j.waits[i].Load() {
			j.core.univ.procs[j.core.rankAt(i)].thread.Wake()
		}
	}
}

// cancel cancels a job that is not done, and reports whether it did.
func (j *job) cancel() bool {
	for {
		n := j.left.Load()
		if n <= 0 {
			return n < 0
		}
		if j.left.CompareAndSwap(n, -1) {
			return true
		}
	}
}
