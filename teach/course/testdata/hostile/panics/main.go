// Panics in a rank.
package main

import (
	"context"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		var list []int
		list[c.Rank()] = 1
		return nil
	})
	if err != nil {
		os.Exit(1)
	}
}
