// Wildcard is right most of the time: a server takes a request from whoever
// comes first and then waits for the end of rank 1. If the end comes first, it
// is taken for the request, and the server waits for ever. Explore runs the
// program under every schedule that makes a difference, and shows the bad one.
package main

import (
	"context"
	"fmt"

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
	all, err := world.Explore(context.Background(), 3, setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all)
	for _, o := range all.Outcomes {
		if o.Err != nil { // the same again, at once
			body, _ := setup()
			fmt.Println("\nreplayed:", world.Run(context.Background(), 3, body, world.Replay(o.Witness)))
		}
	}
}
