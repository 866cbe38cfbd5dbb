// Prints without end.
package main

import (
	"fmt"
)

func main() {
	for {
		fmt.Println("read [100 101 104 109]")
	}
}
