package world_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// The final error of a run is often the only text that a programmer reads. So the texts are
// here in full, as a terminal shows them.
func TestWording(t *testing.T) {
	exchange := func(n int) program {
		return func(_ context.Context, c *comm.Comm) error {
			other := 1 - c.Rank()
			if err := c.Send(types.Of(make([]byte, n)), other, 5); err != nil {
				return err
			}
			_, err := c.Recv(types.Of(make([]byte, n)), other, 5)
			return err
		}
	}
	const rendezvous = `world: deadlock: no rank can continue
  rank 0: waits in Send to 1 tag 5 on COMM_WORLD at wording_test.go:\d+
  rank 1: waits in Send to 0 tag 5 on COMM_WORLD at wording_test.go:\d+
  rank 0 waits for rank 1, 1 for 0
`
	const sendsFirst = `\n  each sends, and the next does not receive it yet: let one receive first, or use SendRecv`
	for _, x := range []struct {
		name string
		n    int
		body program
		opts []world.Option
		want string
	}{
		{
			"P2P-01 a send without buffering says why it waits", 2, exchange(4),
			[]world.Option{world.Eager(0)},
			rendezvous + `  Send waits for its receive to be posted: under Eager\(0\) no message is buffered, and the standard never promises it` + sendsFirst,
		},
		{
			"P2P-01 a long send says so, too", 2, exchange(100_000), nil,
			rendezvous + `  Send of 100000 bytes waits for its receive to be posted: up to 65536 bytes are buffered \(world.Eager\), and the standard never promises it` + sendsFirst,
		},
		{
			"P2P-01 all receive first", 3, func(_ context.Context, c *comm.Comm) error {
				if _, err := c.Recv(num(0), (c.Rank()+2)%3, 5); err != nil {
					return err
				}
				return c.Send(num(1), (c.Rank()+1)%3, 5)
			}, nil,
			`(?s).*\n  rank 0 waits for rank 2, 2 for 1, 1 for 0\n  each waits for a message that the next has not sent: let one send first, or use SendRecv`,
		},
		{
			"P2P-01 one receives and one sends: the cure would not help", 2, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 0 {
					return c.SSend(num(1), 1, 5)
				}
				_, err := c.Recv(num(0), 0, 6)
				return err
			}, nil,
			`(?s).*\n  rank 0 waits for rank 1, 1 for 0`,
		},
		{
			"P2P-01 all receive first, and messages with another tag have come", 2, func(_ context.Context, c *comm.Comm) error {
				if err := c.Send(num(1), 1-c.Rank(), 5); err != nil {
					return err
				}
				_, err := c.Recv(num(0), 1-c.Rank(), 6)
				return err
			}, nil,
			`(?s).*\n  rank 0 waits for rank 1, 1 for 0`,
		},
		{
			"P2P-01 SendRecv cannot be its own cure", 2, func(_ context.Context, c *comm.Comm) error {
				other := 1 - c.Rank()
				_, err := c.SendRecv(num(1), comm.To{Rank: other, Tag: c.Rank()}, num(0), comm.From{Rank: other, Tag: 7})
				return err
			},
			[]world.Option{world.Eager(0)},
			`(?s).*\n  rank 0 waits for rank 1, 1 for 0(\n  SendRecv waits for its receive.*)?`,
		},
		{
			"P2P-01 requests are not an exception", 2, func(_ context.Context, c *comm.Comm) error {
				q, err := c.ISend(num(1), 1-c.Rank(), 5)
				if err != nil {
					return err
				}
				_, err = comm.WaitAll(q)
				return err
			},
			[]world.Option{world.Eager(0)},
			`(?s).* ISend waits for its receive to be posted: under Eager\(0\).*`,
		},
		{
			"COLL-01 ranks in different collectives get the same error once", 4, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 2 {
					return c.Bcast(num(1), 0)
				}
				return c.AllReduce(num(1), num(1), comm.Sum)
			}, nil,
			`ranks 0-3: comm: AllReduce, Bcast "COMM_WORLD": ranks disagree: ranks are in different collective calls: ranks 0-1, 3 in AllReduce \(wording_test.go:\d+\), rank 2 in Bcast \(wording_test.go:\d+\), as the 1st collective on COMM_WORLD; all ranks make the same calls in the same order \(GEN-06\)`,
		},
		{
			"P2P-04 a message that no rank received", 2, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					return nil
				}
				return c.Send(num(1), 1, 5)
			},
			[]world.Option{world.Check(world.Handles)},
			`rank 0: comm: Send "COMM_WORLD": at wording_test.go:\d+: still pending: a message to rank 1 with tag 5 of 1 x .*, never received \(P2P-04\)`,
		},
		{
			"P2P-08 a rank that is another one in its communicator names both", 3, func(_ context.Context, c *comm.Comm) error {
				sub, err := c.Split(0, -c.Rank())
				if err != nil || c.Rank() != 0 {
					return err
				}
				return sub.Send(num(1), 9, -1)
			}, nil,
			`rank 0: comm: rank 2: Send "split 0 of COMM_WORLD": at wording_test.go:\d+: invalid rank: rank 9 is none of the 3 ranks of split 0 of COMM_WORLD \(P2P-08\)`,
		},
		{
			"P2P-08 a tag is not a rank", 1, func(_ context.Context, c *comm.Comm) error { return c.Send(num(1), 0, -1) }, nil,
			`rank 0: comm: Send "COMM_WORLD": at wording_test.go:\d+: invalid tag: tag -1 is not between 0 and 2147483647 \(P2P-08\)`,
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			err := world.Run(t.Context(), x.n, x.body, x.opts...)
			if assert.Error(t, err) {
				assert.Regexp(t, "^"+x.want+"$", err.Error())
			}
		})
	}
}
