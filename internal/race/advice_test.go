package race

import (
	"testing"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
	"github.com/stretchr/testify/assert"
)

// single is the open of one rank alone.
type single struct{ _ byte }

func (*single) Ranks() int        { return 1 }
func (*single) Has(rank int) bool { return rank == 0 }
func (*single) Appends() bool     { return false }

// If this fails, a report advises a sync that is there already, or leaves out one that is not.
func TestAdviceNamesEachMissingSync(t *testing.T) {
	a := &consistency.Party{Rank: 0, Op: "WriteAt", Write: true, Place: sched.Place{File: "f.go", Line: 1}}
	b := &consistency.Party{Rank: 1, Op: "ReadAt", Place: sched.Place{File: "f.go", Line: 2}}
	mine := &consistency.Party{Rank: 0, Op: "ReadAt", Place: b.Place}
	open := &sequence{h: &Tracker{open: &single{}}}
	const (
		publish = "all ranks of that open: Sync on the handle of WriteAt (f.go:1), after it"
		fetch   = "all ranks of that open: Sync on the handle of ReadAt (f.go:2), before it"
	)
	for _, x := range []struct {
		lack            lack
		together, apart string
		sameRank        string
	}{
		{
			lack{need: need{order: true}},
			"let all ranks of the file call Sync, Barrier and Sync, one after the other, where rank 0 has made WriteAt (f.go:1) and rank 1 not yet ReadAt (f.go:2)",
			"in this order: " + publish + "; a barrier, or a message from rank 0 to rank 1; " + fetch, "in this order: " + publish + "; " + fetch,
		},
		{
			lack{need: need{first: true, second: true}},
			"let all ranks of the file call Sync after WriteAt (f.go:1) and before the barrier or message that orders the two, and Sync again after that and before ReadAt (f.go:2)",
			publish + " and before what orders the two; and " + fetch + " and after what orders the two", "in this order: " + publish + "; " + fetch,
		},
		{
			lack{need: need{first: true}},
			"let all ranks of the file call Sync after WriteAt (f.go:1) and before the barrier or message by which rank 1 learns of it",
			publish + " and before what orders the two", "in this order: " + publish + "; " + fetch,
		},
		{
			lack{need: need{second: true}},
			"let all ranks of the file call Sync after the barrier or message by which rank 1 learns of WriteAt (f.go:1), and before ReadAt (f.go:2)",
			fetch + " and after what orders the two", "in this order: " + publish + "; " + fetch,
		},
		{
			lack{need: need{first: true}, a: open},
			"let all ranks of the file call Sync after WriteAt (f.go:1) and before the barrier or message by which rank 1 learns of it",
			"rank 0: Sync on the handle of WriteAt (f.go:1), after it and before what orders the two", "in this order: rank 0: Sync on the handle of WriteAt (f.go:1), after it; " + fetch,
		},
	} {
		assert.Equal(t, x.together, x.lack.together(a, b))
		assert.Equal(t, x.apart, x.lack.apart(a, b))
		assert.Equal(t, x.sameRank, x.lack.apart(a, mine))
	}
}

// If this fails, a report asks for a sync that the program has, and not for its right place.
func TestAdviceNamesTheMisplacedSync(t *testing.T) {
	where := Where{Line: sched.Place{File: "f.go", Line: 9}}
	access := func(h *Tracker, write bool, time uint64, clock vector) {
		h.Access(&Access{Op: "access", Write: write, Bytes: extent.Between(0, 4), Time: time, Clock: clock, Line: sched.Place{File: "f.go", Line: 1}})
	}
	for _, x := range []struct {
		writer, reader bool   // which of them syncs
		known          uint64 // time of the writer that the reader knows at its read
		late           string
	}{
		{false, false, 2, ""},
		{false, true, 2, ""},
		{true, false, 2, "rank 0's Sync (f.go:9) comes too late: after the barrier or message by which rank 1 learns of the access"},
		{true, true, 3, "rank 1's Sync (f.go:9) comes too early: before the barrier or message by which it learns of rank 0's access"},
	} {
		d := NewDetector(DetectorOptions{Ranks: 2})
		a, b := d.Open(1, 0, 1, vector{1, 0}), d.Open(1, 1, 1, vector{0, 1})
		access(a, true, 2, vector{2, 0})
		if x.writer {
			a.Sync(3, vector{3, 0}, where)
		}
		if x.reader {
			b.Sync(2, vector{0, 2}, where)
		}
		access(b, false, 3, vector{x.known, 3})
		if races := d.Races(); assert.Len(t, races, 1) {
			assert.Equal(t, x.late, races[0].Late)
		}
	}
}

// If this fails, calls of a line that is reached in several ways count as several lines, or
// hide those of other lines.
func TestSyncsByLine(t *testing.T) {
	one, two := sched.Place{File: "f.go", Line: 1}, sched.Place{File: "f.go", Line: 2}
	d := NewDetector(DetectorOptions{Ranks: 1})
	h := d.Open(1, 0, 1, vector{1})
	for i, at := range []Where{{PCs{1}, one}, {PCs{2}, one}, {PCs{3}, two}, {PCs{3}, two}} {
		h.Sync(uint64(2+i), vector{uint64(2 + i)}, at)
	}
	uses, all := d.Syncs()
	assert.Equal(t, []consistency.SyncUse{{Place: one, Calls: 2, Idle: 2}, {Place: two, Calls: 2, Idle: 2}}, uses)
	assert.True(t, all)
}
