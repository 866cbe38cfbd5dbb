package comm_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Each rank sends its number to the next one; rank 0 adds up what all received.
func Example() {
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		next, before := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		got, sum := make([]int32, 1), make([]int32, 1)
		_, err := c.SendRecv(types.Of([]int32{int32(c.Rank())}), comm.To{Rank: next, Tag: 7}, types.Of(got), comm.From{Rank: before, Tag: 7})
		err = errors.Join(err, c.Reduce(types.Of(got), types.Of(sum), comm.Sum, 0))
		if c.Rank() == 0 {
			fmt.Println("sum", sum[0])
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// sum 6
	// <nil>
}
