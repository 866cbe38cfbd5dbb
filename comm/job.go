package comm

import (
	"sync/atomic"

	"github.com/commworld/commworld/internal/sched"
)

// A job is what is left to do of a collective when all ranks have come. It is
// cut into parts, which are taken by whichever ranks wait for the call: so a
// rank that computes in the meantime holds nobody up, and where ranks are many
// and processors few, the first to be woken do the work of the last.
//
// An abort cancels a job, unless its last part is done: so a call succeeds on
// all ranks or on none.
type job struct {
	core  *core
	ks    []*call
	parts int32

	witness bool         // the parts are ranks that say where they are
	about   *fault       // what for; see placed
	next    atomic.Int32 // the first part that nobody has taken
	left    atomic.Int32 // parts that are not done; negative if it was cancelled
	waits   []atomic.Bool
	turns   []turn // of a relay, of which next counts the turns; see userop.go

	mu   sched.Mutex
	part int // the lowest with a fault
	verdict
}

func newJob(ks []*call, parts int) *job {
	j := &job{core: ks[0].comm.hub(), ks: ks, parts: int32(parts), waits: make([]atomic.Bool, len(ks))}
	j.left.Store(int32(parts))
	return j
}

// share makes the work of a call a job.
func share(ks []*call) *verdict {
	j := newJob(ks, len(ks))
	j.job = j
	return &j.verdict
}

// advance takes parts as long as there are any, and reports whether all are
// done. If not, the rank is woken when they are.
func (j *job) advance(k *call) bool {
	switch {
	case j.witness:
		j.testify(k)
	case j.turns != nil:
		j.pass(k)
	default:
		j.work()
	}
	return !j.awaits(k)
}

// expect has k's rank woken when it can go on; it returns false if it can.
func (j *job) expect(k *call) bool { return j.awaits(k) && !j.due(k) }

// awaits has k's rank woken at the end of the job; it returns false if that has
// come.
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

// do does a part. It returns false in an aborted world.
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

// finish ends a part. After the last one nothing of the calls is touched.
func (j *job) finish() {
	for {
		n := j.left.Load()
		if n <= 0 {
			return
		}
		if n == 1 && j.witness {
			j.fault, j.rank = placed(j.ks, j.about), everybody
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
			j.core.univ.procs[j.core.sitting(i)].thread.Wake()
		}
	}
}

// cancel ends a job that will not be done, and reports whether it did.
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
