package world_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
)

// A programmer who joins the errors of calls, as Go programs do, must find each cause once,
// without errors that repeat it and without the rank named twice.
func TestJoinedErrorsNameCauseOnce(t *testing.T) {
	const full = iofile.Create | iofile.ReadWrite
	fsys := iofile.NewMem()
	open := func(c *comm.Comm) *iofile.File {
		f, err := iofile.Open(c, fsys, "f", full)
		assert.NoError(t, err)
		return f
	}
	for _, x := range []struct {
		name  string
		n     int
		body  program
		want  string
		kinds int // findings
	}{
		{
			"WORLD-01 joined with what is not an error", 2, func(_ context.Context, c *comm.Comm) error {
				return errors.Join(c.Send(num(1), 9, 0), nil)
			},
			`ranks 0-1: comm: Send "COMM_WORLD": at causes_test.go:\d+: invalid rank: rank 9 is none of the 2 ranks of COMM_WORLD \(P2P-08\)`, 1,
		},
		{
			"WORLD-01 two causes on all ranks", 2, func(_ context.Context, c *comm.Comm) error {
				return errors.Join(c.Send(num(1), 9, 0), c.Send(num(1), 0, -7))
			},
			`ranks 0-1: comm: Send "COMM_WORLD": at causes_test.go:\d+: invalid rank: rank 9 .*
ranks 0-1: comm: Send "COMM_WORLD": at causes_test.go:\d+: invalid tag: tag -7 .*`, 2,
		},
		{
			"WORLD-01 in the program's words", 2, func(_ context.Context, c *comm.Comm) error {
				return fmt.Errorf("step 3: %w", errors.Join(c.Send(num(1), 9, 0), c.Send(num(1), 0, -7)))
			},
			`ranks 0-1: step 3: comm: Send "COMM_WORLD": at causes_test.go:\d+: invalid rank: .*
ranks 0-1: step 3: comm: Send "COMM_WORLD": at causes_test.go:\d+: invalid tag: .*`, 2,
		},
		{
			"WORLD-01 an echo beside another error", 2, func(_ context.Context, c *comm.Comm) error {
				f := open(c)
				if c.Rank() == 1 {
					return errors.New("enough")
				}
				err := c.Send(num(1), 9, 0)
				return errors.Join(err, c.Barrier(), f.Close())
			},
			`rank 0: comm: Send "COMM_WORLD": at causes_test.go:\d+: invalid rank: rank 9 .*
rank 1: enough`, 2,
		},
		{
			"IO-DA-03 a collective access with an error on one rank", 3, func(_ context.Context, c *comm.Comm) error {
				f := open(c)
				_, err := f.WriteAtAll(num(1), iofile.Offset(c.Rank()%2*-1))
				return errors.Join(err, f.Close())
			},
			`ranks 0-2: iofile: WriteAtAll "f": at causes_test.go:\d+: invalid argument: failed on rank 1: offset -1 is negative \(IO-DA-03\)`, 1,
		},
		{
			"P2P-08 one mistake on several lines", 3, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() == 1 {
					return c.Send(num(1), 9, 0)
				}
				return c.Send(num(1), 9, 0)
			},
			`ranks 0-2: comm: Send "COMM_WORLD": at causes_test.go:\d+ \(ranks 0, 2\), causes_test.go:\d+ \(rank 1\): invalid rank: rank 9 .*`, 1,
		},
		{
			"WORLD-01 words that differ", 2, func(_ context.Context, c *comm.Comm) error {
				return fmt.Errorf("in turn %d: %w", c.Rank(), c.Send(num(1), 9, 0))
			},
			`rank 0: in turn 0: comm: Send .*
rank 1: in turn 1: comm: Send .*`, 2,
		},
		{
			"WORLD-01 an error that hides what it wraps", 1, func(_ context.Context, c *comm.Comm) error {
				return hiding{c.Send(num(1), 9, 0)}
			},
			`rank 0: it did not work`, 1,
		},
		{
			"WORLD-01 errors of its own beside one of a call", 1, func(_ context.Context, c *comm.Comm) error {
				return errors.Join(errors.New("mine"), c.Send(num(1), 9, 0))
			},
			`rank 0: mine
rank 0: comm: Send .*`, 2,
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			err := world.Run(t.Context(), x.n, x.body, world.Replay("roundrobin"))
			if assert.Error(t, err) {
				assert.Regexp(t, "^"+x.want+"\nto see it again: .*$", err.Error())
				assert.Len(t, world.Findings(err), x.kinds)
			}
		})
	}
}

// hiding does not print the error that it wraps.
type hiding struct{ err error }

func (h hiding) Error() string { return "it did not work" }
func (h hiding) Unwrap() error { return h.err }
