package main

// The README prints what this prints.
func Example() {
	main()
	// Output:
	// 1 the quick brown fox jump <nil>
	// 2 the quick brown fox jump <nil>
	// 3 the quick brown fox jump <nil>
	// 4 the quick brown fox jump <nil>
	// 6 the quick brown fox jump <nil>
}
