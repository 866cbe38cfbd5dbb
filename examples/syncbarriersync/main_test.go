package main

// What a newcomer is told must stay worth reading.
func Example() {
	main()
	// Output:
	// write, sync, barrier, sync, read: 0 of 100 read what was there before
	// write, barrier, sync, read: 56 of 100 read what was there before
	//   100 lack a Sync of the writer after its write
	// write, sync, barrier, read: 61 of 100 read what was there before
	//   100 lack a Sync of the reader before its read
	// write, sync, sync, read: 0 of 100 read what was there before
	//   100 lack order: nothing makes one of the two wait for the other
	// write, sync, read: 61 of 100 read what was there before
	//   100 lack order: nothing makes one of the two wait for the other
}
