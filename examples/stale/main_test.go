package main

// What a newcomer is told must stay worth reading.
func Example() {
	main()
	// Output:
	// as it is: rank 1 reads "stale"
	// race on "word", bytes 0 to 4
	//   rank 0   writes  WriteAt  main.go:41
	//   rank 1   reads   ReadAt   main.go:50
	//   missing  a Sync of the writer after its write
	//   fix      add Sync before Barrier (main.go:47) on all ranks of the file, and add Sync after
	//            Barrier (main.go:47) on all ranks of the file (you have Barrier (main.go:47)); or add
	//            SetAtomicity(true) after Open (main.go:36), on all ranks of the file
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	//
	// as on a laptop: rank 1 reads "fresh"
	// race on "word", bytes 0 to 4
	//   rank 0   writes  WriteAt  main.go:41
	//   rank 1   reads   ReadAt   main.go:50
	//   missing  a Sync of the writer after its write
	//   fix      add Sync before Barrier (main.go:47) on all ranks of the file, and add Sync after
	//            Barrier (main.go:47) on all ranks of the file (you have Barrier (main.go:47)); or add
	//            SetAtomicity(true) after Open (main.go:36), on all ranks of the file
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	//
	// with the missing calls: rank 1 reads "fresh"
}
