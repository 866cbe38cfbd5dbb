package rerun

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/types"
)

// A large job is judged in time and memory that grow with its calls: steps of writes, a sync, a
// barrier and a ring of messages. JOB_RANKS and JOB_STEPS set its size.
func TestLargeJob(t *testing.T) {
	size := func(name string, n int) int {
		if x, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return x
		}
		return n
	}
	ranks, steps := size("JOB_RANKS", 64), size("JOB_STEPS", 20)
	dir := record(t, ranks, func(rank int, w *writer) {
		i := w.Type(types.Int)
		w.open(0, "f", -1, 0)
		for step := range steps {
			w.line = 10
			w.do("Isend", 100, i, int64((rank+1)%ranks), 7, 0, 0)
			w.do("Recv", 100, i, -1, 7, 0, int64((rank+ranks-1)%ranks), 7)
			w.do("Wait", 0, -1)
			for range 5 {
				w.line = 20
				w.do("File_write_at", 0, int64(step*ranks+rank)*4096, 1024, i)
			}
			w.line = 30
			w.do("File_sync", 0)
			w.do("Barrier", 0)
		}
		w.line = 40
		w.do("File_close", 0)
		w.do("Finalize")
	})
	began := time.Now()
	res := judge(t, dir, Options{})
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d ranks, %d calls: %v, %d MB from the system", ranks, res.Calls, time.Since(began), m.Sys>>20)
	assert.Empty(t, short(res.Findings))
	assert.EqualValues(t, ranks*(10*steps+3), res.Calls)
}
