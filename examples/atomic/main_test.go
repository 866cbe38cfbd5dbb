package main

// What a newcomer is told must stay worth reading.
func Example() {
	main()
	// Output:
	// atomic mode false, a hundred runs: all old 84, all new 9, mixed 7
	// race on "letters", bytes 0 to 1 and 3 more ranges
	//   rank 0   writes  WriteAt  main.go:56  view disp 0, etype char, filetype resized(contiguous(2, char), 0, 4)
	//   rank 1   reads   ReadAt   main.go:59  view disp 0, etype char, filetype resized(contiguous(2, char), 0, 4)
	//   missing  order: nothing makes one of the two wait for the other
	//   fix      add Sync, Barrier, Sync after WriteAt (main.go:56) on rank 0, before ReadAt (main.go:59)
	//            on rank 1; or add SetAtomicity(true) after Open (main.go:50), on all ranks of the file,
	//            and take either order
	//   rule     CONS-C2
	// to see it again: world.Replay("random:1")
	// atomic mode true, a hundred runs: all old 54, all new 46, mixed 0
	// <nil>
}
