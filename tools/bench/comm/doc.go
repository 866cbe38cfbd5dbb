// Package comm measures messages and collectives: those of this module, and those of the
// MPI libraries installed here.
//
//	go run ./bench comm                # all rows; some minutes, most of them starts of 128 processes
//	go run ./bench comm barrier        # those with barrier in their name
//	go run ./bench comm -rounds 9 8 B  # more turns for those with "8 B" in their name
//
// A row shows microseconds an operation (median of all rounds), and the median over the
// rounds of the better library's time over ours. Ranks of this module are goroutines,
// those of a library processes, built for a processor each: with more ranks than
// processors, which is what laptops and tests have, Open MPI is set to yield, and MPICH,
// which cannot, is measured up to -crowd ranks only, because one barrier of 64
// ranks takes it a second. A dash is a row that a library was not asked for.
//
// A second table compares ours with ours: free and seeded on one core, with and without the
// checks of [world.Unchecked]. A third shows the part of our time that goes into switching
// between ranks, copying, or passing a message on at all. tools/bench/RESULTS.md has figures and
// what limits them.
//
// # Map
//
//   - rows.go: the measurements, and the ratios wanted
//   - ours.go, c/peer.c: the same steps twice
//   - contest.go: the sides of each table
//   - floor.go, bare.go: the time of the switches and copies of a row alone, and of
//     it takes without all that makes messages useful
package comm
