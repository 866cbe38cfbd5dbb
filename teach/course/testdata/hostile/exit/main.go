// Ends the process, with a good status, inside a rank.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	fmt.Println("read [100 101 104 109]")
	_ = world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		os.Exit(0)
		return nil
	})
}
