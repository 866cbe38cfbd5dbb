package iofile_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/world"
)

// TestSizeFault: the target "size" of a fault is also the call that asks for the size, on the
// ranks that it names.
func TestSizeFault(t *testing.T) {
	t.Run("ERR-09 IO-SIZE-07 a size that cannot be asked", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			n, err := f.Size()
			if c.Rank() == 0 {
				assert.ErrorIs(t, err, iofile.ErrIO)
				assert.ErrorContains(t, err, "IO-SIZE-07")
				assert.Zero(t, n)
			} else {
				assert.NoError(t, err)
			}
			_, err = f.Size() // the rule's one call is over
			assert.NoError(t, err)
			return f.Close()
		}, world.Faults(faults.Must("size error=io rank=0 call=1")...))
		require.NoError(t, err)
	})
}
