package main

// What a newcomer is told must stay worth reading.
func Example() {
	main()
	// Output:
	// world: deadlock: no rank can continue
	//   rank 0: waits in Send to 1 tag 0 on COMM_WORLD at main.go:23
	//   rank 1: waits in Send to 2 tag 0 on COMM_WORLD at main.go:23
	//   rank 2: waits in Send to 0 tag 0 on COMM_WORLD at main.go:23
	//   rank 3: waits in Recv from 0 tag 7 on COMM_WORLD at main.go:18
	//   rank 0 waits for rank 1, 1 for 2, 2 for 0
	//   Send of 524288 bytes waits for its receive to be posted: up to 65536 bytes are buffered (world.Eager), and the standard never promises it
}
