package consistency_test

import (
	"fmt"

	"github.com/commworld/commworld/consistency"
)

// A vector is a vector clock: of each rank, the time of its last event that was before.
type vector []uint64

func (v vector) Covers(rank int, time uint64) bool { return time <= v[rank] }

// A detector of your own judges accesses that you name, without a world: here rank 0
// writes, rank 1 hears of it by a message and reads. What is missing depends on which
// of them synced.
func ExampleDetector() {
	for _, syncs := range []struct{ writer, reader bool }{{false, false}, {true, false}, {true, true}} {
		d := consistency.NewDetector(consistency.DetectorOptions{File: "grid", Ranks: 2})
		w := d.Open("the open", 0, 1, vector{1, 0})
		r := d.Open("the open", 1, 1, vector{0, 1})
		w.Access(&consistency.Access{
			Op: "WriteAt", Write: true, Bytes: consistency.BytesFrom(0, 8), Time: 2, Clock: vector{2, 0},
		})
		if syncs.writer {
			w.Sync(3, vector{3, 0})
		}
		heard := vector{4, 2} // rank 0 sent a message at its time 4
		if syncs.reader {
			r.Sync(3, heard)
		}
		race := r.Access(&consistency.Access{
			Op: "ReadAt", Bytes: consistency.BytesFrom(4, 6), Time: 4, Clock: heard,
		})
		if race == nil {
			fmt.Println("no race")
			continue
		}
		fmt.Println(race.Rule, race.Missing, race.Extent())
	}
	// Output:
	// CONS-C2 writer-sync bytes 4 to 5
	// CONS-C2 reader-sync bytes 4 to 5
	// no race
}
