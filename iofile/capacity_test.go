package iofile_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// If the room of a store were not shared by its files, or not given back, a
// bound would hold too much or, after a while, nothing.
func TestWithCapacity(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithCapacity(2 * consistency.PageSize))
	err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		a, err := iofile.Open(c, fsys, "a", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		b, err := iofile.Open(c, fsys, "b", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		put := func(f *iofile.File, page int64) error {
			_, err := f.WriteAt(types.Of([]byte{1}), iofile.Offset(page*consistency.PageSize))
			return err
		}
		for _, f := range []*iofile.File{a, b} {
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
		}
		assert.NoError(t, put(a, 0))
		assert.NoError(t, put(b, 1000))
		assert.NoError(t, put(b, 1000), "its page is there")
		assert.ErrorIs(t, put(a, 7), iofile.ErrNoSpace)
		assert.NoError(t, b.SetSize(0))
		assert.NoError(t, put(a, 7), "b has given its page back")
		if err := a.Close(); err != nil {
			return err
		}
		return b.Close()
	})
	assert.NoError(t, err)
}
