package world_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A report counts what an exchange received, in all of its forms.
func TestReportCountsExchanges(t *testing.T) {
	wait := func(q *comm.Request, err error) error {
		if err == nil {
			_, err = q.Wait()
		}
		return err
	}
	for name, exchange := range map[string]func(c *comm.Comm, out, in types.Buffer, to comm.To, from comm.From) error{
		"SendRecv": func(c *comm.Comm, out, in types.Buffer, to comm.To, from comm.From) error {
			_, err := c.SendRecv(out, to, in, from)
			return err
		},
		"SendRecvReplace": func(c *comm.Comm, out, _ types.Buffer, to comm.To, from comm.From) error {
			_, err := c.SendRecvReplace(out, to, from)
			return err
		},
		"ISendRecv": func(c *comm.Comm, out, in types.Buffer, to comm.To, from comm.From) error {
			return wait(c.ISendRecv(out, to, in, from))
		},
		"ISendRecvReplace": func(c *comm.Comm, out, _ types.Buffer, to comm.To, from comm.From) error {
			return wait(c.ISendRecvReplace(out, to, from))
		},
	} {
		t.Run(name, func(t *testing.T) {
			rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				other := 1 - c.Rank()
				return exchange(c, types.Of([]int64{1}), types.Of([]int64{2}), comm.To{Rank: other}, comm.From{Rank: other})
			})
			assert.NoError(t, err)
			for _, r := range rep.PerRank {
				assert.EqualValues(t, 1, r.Received.Count)
				assert.EqualValues(t, 8, r.Received.Bytes)
			}
		})
	}
}
