// Takes memory without end.
package main

import (
	"context"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	_ = world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		var all [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = byte(i)
			}
			all = append(all, b)
		}
	})
}
