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
	//   edit     call Sync on rank 0 after WriteAt (main.go:41) and before what tells rank 1 of it, and
	//            on rank 1 after that and before ReadAt (main.go:50); or turn atomic mode on for both
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	//
	// as on a laptop: rank 1 reads "fresh"
	// race on "word", bytes 0 to 4
	//   rank 0   writes  WriteAt  main.go:41
	//   rank 1   reads   ReadAt   main.go:50
	//   missing  a Sync of the writer after its write
	//   edit     call Sync on rank 0 after WriteAt (main.go:41) and before what tells rank 1 of it, and
	//            on rank 1 after that and before ReadAt (main.go:50); or turn atomic mode on for both
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	//
	// with the missing calls: rank 1 reads "fresh"
}
