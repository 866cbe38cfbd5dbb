package main

import "fmt"

func Example() {
	fmt.Println(run())
	// Output:
	// table.txt:
	//                                       1
	//                                    -2.5
	//                                     0.1
	//                      0.3333333333333333
	//                                  1e+300
	//                                 -1e-300
	// ints:
	// 00 00 00 00 00 01 00 00 02 00 00 03 20 00 00 1f ff ff
	// <nil>
}
