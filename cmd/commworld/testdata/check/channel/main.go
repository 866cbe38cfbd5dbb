// Command channel has ranks wait for each other by a channel, so they cannot take turns.
package main

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	answer := make(chan int)
	fmt.Println(world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			<-answer
		} else {
			answer <- 1
		}
		return nil
	}))
}
