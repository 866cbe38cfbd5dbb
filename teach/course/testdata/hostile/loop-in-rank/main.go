// Loops inside a rank.
package main

import (
	"context"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	_ = world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		for c.Rank() == 0 {
		}
		return nil
	})
}
