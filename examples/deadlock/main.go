// Deadlock shows the report of a program that waits for itself: three ranks pass
// a long message around a ring, each of them sends before it receives, and a
// fourth waits for all of them.
//
//	go run ./examples/deadlock                  # 4 ranks, 65,536 numbers in a message
//	go run ./examples/deadlock -ranks 6 -n 10   # short messages: the ring gets through
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "deadlock:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("deadlock", flag.ContinueOnError)
	ranks := flags.Int("ranks", 4, "ranks: a ring, and the last one")
	n := flags.Int("n", 1<<16, "numbers in a message")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case *ranks < 3 || *ranks > 1000:
		return fmt.Errorf("-ranks %d: 3 to 1000, two for a ring and one that waits", *ranks)
	case *n < 0 || *n > 1<<20:
		return fmt.Errorf("-n %d: 0 to %d", *n, 1<<20)
	}
	ring := *ranks - 1
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == ring {
			_, err := c.Recv(types.Of(make([]byte, 1)), 0, 7)
			return err
		}
		out, in := make([]float64, *n), make([]float64, *n)
		next, last := (c.Rank()+1)%ring, (c.Rank()+ring-1)%ring
		if err := c.Send(types.Of(out), next, 0); err != nil {
			return err
		}
		_, err := c.Recv(types.Of(in), last, 0)
		return err
	})
	fmt.Println(err)
	return nil
}
