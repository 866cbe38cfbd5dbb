// Ignores the number of ranks.
package main

import (
	"context"
	"flag"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

func main() {
	flag.Int("n", 1, "")
	flag.Int("ranks", 1, "")
	flag.Parse()
	_ = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error { return nil })
}
