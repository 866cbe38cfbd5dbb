package main

import "fmt"

// The counts are those that MPICH was seen to make; the reads of level 2 depend
// there on who comes first.
func Example() {
	fmt.Println(run())
	// Output:
	// level                              reads      bytes   writes      bytes     sent  useful
	// 0 one call a row                       0          0     1024     524288        0  100.0 %
	// 1 one collective call a row            0          0     1024     524288        0  100.0 %
	// 2 a view, one call                     4    2091008        4    2091008        0   12.5 %
	// 3 a view, one collective call          0          0        1     524288   393216  100.0 %
	// The four files are equal.
	// <nil>
}
