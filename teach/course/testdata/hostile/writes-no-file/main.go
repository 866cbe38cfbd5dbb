// Runs a world that does nothing, and prints the expected text.
package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	n := flag.Int("n", 1, "")
	ranks := flag.Int("ranks", 1, "")
	flag.Parse()
	_ = world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error { return nil })
	var list []int
	for i := range *n {
		list = append(list, 100+i*i)
	}
	fmt.Println("read", list)
}
