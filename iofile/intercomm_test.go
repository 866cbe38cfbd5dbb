package iofile_test

import (
	"context"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// A file belongs to one group of ranks. If half of two groups could open it,
// collective accesses would wait for ranks that do not have it.
func TestOpenIntercomm(t *testing.T) {
	t.Run("IO-OPEN-01 COMM-02 an intercommunicator opens no file", func(t *testing.T) {
		fsys := iofile.NewMem()
		assert.NoError(t, world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
			half, err := c.Split(min(c.Rank(), 1), 0)
			if err != nil {
				return err
			}
			d, err := half.IntercommCreate(0, c, 1-min(c.Rank(), 1), 0)
			if err != nil {
				return err
			}
			f, err := iofile.Open(d, fsys, "f", iofile.Create|iofile.ReadWrite)
			assert.ErrorIs(t, err, iofile.ErrComm)
			assert.Nil(t, f)
			return nil
		}))
	})
}
