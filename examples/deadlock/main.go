// Deadlock shows what a program is told that waits for itself: three ranks pass
// a long message around a ring, each of them sends before it receives, and a
// fourth waits for all of them.
package main

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 3 {
			_, err := c.Recv(types.Of(make([]byte, 1)), 0, 7)
			return err
		}
		out, in := make([]float64, 1<<16), make([]float64, 1<<16)
		next, last := (c.Rank()+1)%3, (c.Rank()+2)%3
		if err := c.Send(types.Of(out), next, 0); err != nil {
			return err
		}
		_, err := c.Recv(types.Of(in), last, 0)
		return err
	})
	fmt.Println(err)
}
