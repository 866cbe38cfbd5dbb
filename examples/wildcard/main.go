// Wildcard is right most of the time: a server takes a request from any rank that comes
// first and then waits for the end of rank 1. If the end comes first, the server treats it
// as the request and waits for ever. Explore runs the program under every schedule that
// makes a difference, and shows the bad one.
//
//	go run ./examples/wildcard             # 3 ranks
//	go run ./examples/wildcard -ranks 4    # one more client
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

const (
	request = 1
	end     = 2
)

func setup() (func(context.Context, *comm.Comm) error, func() any) {
	served := -1
	return func(_ context.Context, c *comm.Comm) error {
		note := types.Of(make([]int32, 1))
		switch c.Rank() {
		case 0:
			st, err := c.Recv(note, comm.AnySource, comm.AnyTag) // should ask for tag request
			if err != nil {
				return err
			}
			served = st.Source
			_, err = c.Recv(note, 1, end)
			return err
		case 1:
			return c.Send(note, 0, end)
		default:
			return c.Send(note, 0, request)
		}
	}, func() any { return fmt.Sprintf("served rank %d", served) }
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "wildcard:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("wildcard", flag.ContinueOnError)
	ranks := flags.Int("ranks", 3, "ranks: a server, and its clients")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case *ranks < 2 || *ranks > 6:
		return fmt.Errorf("-ranks %d: 2 to 6, a server and a few clients", *ranks)
	}
	all, err := world.Explore(context.Background(), *ranks, setup)
	if err != nil {
		return err
	}
	fmt.Println(all)
	for _, o := range all.Outcomes {
		if o.Err != nil { // the same again, at once
			body, _ := setup()
			fmt.Println("\nreplayed:", world.Run(context.Background(), *ranks, body, world.Replay(o.Witness)))
		}
	}
	return nil
}
