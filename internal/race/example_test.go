package race_test

import (
	"fmt"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/race"
)

// A vector is a vector clock: of each rank, the time of its last event that was before.
type vector []uint64

func (v vector) Covers(rank int, time uint64) bool { return time <= v[rank] }

// A detector of your own judges accesses that you name, without a world: here rank 0
// writes, rank 1 learns it by a message and reads. The missing call depends on which
// of them synced.
func ExampleDetector() {
	for _, syncs := range []struct{ writer, reader bool }{{false, false}, {true, false}, {true, true}} {
		d := race.NewDetector(race.DetectorOptions{File: "grid", Ranks: 2})
		w := d.Open("the open", 0, 1, vector{1, 0})
		r := d.Open("the open", 1, 1, vector{0, 1})
		w.Access(&race.Access{
			Op: "WriteAt", Write: true, Bytes: extent.Between(0, 8), Time: 2, Clock: vector{2, 0},
		})
		if syncs.writer {
			w.Sync(3, vector{3, 0})
		}
		received := vector{4, 2} // rank 0 sent a message at its time 4
		if syncs.reader {
			r.Sync(3, received)
		}
		race := r.Access(&race.Access{
			Op: "ReadAt", Bytes: extent.Between(4, 6), Time: 4, Clock: received,
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

// A profile selects the guarantees that the detector assumes. Strict is the standard; under
// ROMIO and OMPIO on one machine no sync is needed, but order still is.
func ExampleProfile() {
	for _, p := range []consistency.Profile{consistency.Strict, consistency.ROMIO, consistency.OMPIO} {
		d := race.NewDetector(race.DetectorOptions{File: "grid", Profile: p, Ranks: 2})
		w := d.Open("the open", 0, 1, nil)
		r := d.Open("the open", 1, 1, nil)
		bytes := extent.Between(0, 8)
		w.Access(&race.Access{Op: "WriteAt", Write: true, Bytes: bytes, Time: 2})
		r.Access(&race.Access{Op: "ReadAt", Bytes: bytes, Time: 2, Clock: vector{3, 2}}) // after a message
		fmt.Println(p, "races:", len(d.Races()), "forgiven:", len(d.Forgiven()))
	}
	// Output:
	// strict races: 1 forgiven: 0
	// ROMIO races: 0 forgiven: 1
	// OMPIO races: 0 forgiven: 1
}

// A Tracker is a handle as the detector knows it. An access that is under way from Begin
// to End races with another one of the same handle that begins meanwhile.
func ExampleTracker() {
	for _, wait := range []bool{true, false} {
		d := race.NewDetector(race.DetectorOptions{File: "grid", Ranks: 1})
		h := d.Open("the open", 0, 1, nil)
		write := race.Access{Op: "IWriteAt", Write: true, Bytes: extent.Between(0, 8), Time: 2}
		pending, _ := h.Begin(&write)
		if wait {
			pending.End(3)
		}
		race := h.Access(&race.Access{Op: "ReadAt", Bytes: extent.Between(0, 8), Time: 4})
		fmt.Println("waited:", wait, "race:", race != nil)
		if !wait {
			fmt.Println(race.Rule)
			pending.End(5)
		}
		h.Close(6, nil)
	}
	// Output:
	// waited: true race: false
	// waited: false race: true
	// CONS-C1
}

// A ledger records the writer of each byte.
func ExampleLedger() {
	l := race.NewLedger(2)
	l.Write("handle", 1, &race.Access{Op: "WriteAt", Write: true, Bytes: extent.Between(4, 6)}, "byte", "native", false)
	l.Sync("handle")
	origins, err := l.Origins(0, 6)
	for _, o := range origins {
		fmt.Println(o)
	}
	fmt.Println(err)
	// Output:
	// bytes 0 to 1: left over from before the file was opened
	// bytes 2 to 3: hole, never written
	// bytes 4 to 5: WriteAt on rank 1, native byte
	// <nil>
}
