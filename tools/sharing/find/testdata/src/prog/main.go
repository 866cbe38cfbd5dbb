package main

import (
	"context"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

var total int // want `ranks share total int: read at main.go:23; written at main.go:23: each process would have its own; send it, or put it into a file`

func main() {
	var mu sync.Mutex      // want `ranks share mu sync.Mutex: Lock at main.go:20; Unlock at main.go:21: it orders only goroutines of one process; between ranks messages do, or Barrier`
	out := make([]int, 4)  // want `ranks share out \[\]int: written at main.go:24: each rank fills its own part, and another process would not see it; Gather the parts`
	done := make(chan int) // want `ranks share done chan int: closed at main.go:25: it leads only to goroutines of one process; Send and Recv`
	base := 1
	_ = world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		mine := base + c.Rank()
		mu.Lock()
		defer mu.Unlock()
		mine++
		total += mine
		out[c.Rank()] = mine
		close(done)
		return nil
	})
}
