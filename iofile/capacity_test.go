package iofile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// If the files of a store did not share its capacity, or did not give it back, the store
// would hold too much or, after a while, nothing.
func TestWithCapacity(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithCapacity(2 * image.PageSize))
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
			_, err := f.WriteAt(types.Of([]byte{1}), iofile.Offset(page*image.PageSize))
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

// If this fails, a program that preallocated space for its results learns after hours that
// there is none, or keeps space that it gave up.
func TestPreallocateWithCapacity(t *testing.T) {
	t.Run("IO-SIZE-04 what is preallocated has its place in bounded memory", func(t *testing.T) {
		for _, opts := range [][]iofile.Option{nil, {iofile.WithTracking(iofile.Crashes)}} {
			fsys := iofile.NewMem(append(opts, iofile.WithCapacity(3*image.PageSize))...)
			ranks(t, 2, func(c *comm.Comm) error {
				put := func(f *iofile.File) error { // both halves of two pages
					half := make([]byte, image.PageSize)
					_, err := f.WriteAtAll(types.Of(half), iofile.Offset(len(half)*c.Rank()))
					return errors.Join(err, f.Sync())
				}
				a, err := iofile.Open(c, fsys, "a", create)
				if err != nil {
					return err
				}
				b, err := iofile.Open(c, fsys, "b", create)
				if err != nil {
					return err
				}
				err = a.Preallocate(4 * image.PageSize)
				refused(t, err, iofile.ErrNoSpace, "IO-SIZE-04")
				assert.ErrorContains(t, err, "no room for the 4 pages")
				size, err := a.Size()
				assert.EqualValues(t, 0, size, "what was refused changed nothing")
				if err := errors.Join(err, syncBarrierSync(a, c), a.Preallocate(2*image.PageSize)); err != nil {
					return err
				}
				assert.ErrorIs(t, put(b), iofile.ErrNoSpace)
				assert.NoError(t, put(a))
				if err := a.SetSize(0); err != nil {
					return err
				}
				assert.NoError(t, put(b), "a has given up its place")
				return errors.Join(a.Close(), b.Close())
			})
		}
	})
}
