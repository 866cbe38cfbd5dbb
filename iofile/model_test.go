package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// barrierOnly writes a byte on rank 0 and reads it, and a hole, on rank 1, with only a
// barrier between.
func barrierOnly(t *testing.T, fsys *iofile.FS, opts ...iofile.OpenOption) string {
	var got string
	assert.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", create, opts...)
		if err != nil {
			return err
		}
		if err := f.SetSize(2); err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte{5}), 0)
		}
		if err = errors.Join(err, c.Barrier()); c.Rank() == 1 {
			p := make([]byte, 2)
			_, err = f.ReadAt(types.Of(p), 0)
			got = fmt.Sprintf("%x", p)
		}
		return errors.Join(err, f.Close())
	}, world.Unchecked()))
	return got
}

// If this fails, a program cannot be run both as on a laptop and as on systems with weaker
// consistency.
func TestModelsOfFiles(t *testing.T) {
	t.Run("CONS-ATOM-05 by file system and by open", func(t *testing.T) {
		assert.Equal(t, "a5a5", barrierOnly(t, iofile.NewMem()))
		assert.Equal(t, "0500", barrierOnly(t, iofile.NewMem(iofile.WithModel(consistency.POSIX))))
		assert.Equal(t, "05a5", barrierOnly(t, iofile.NewMem(), iofile.WithModel(consistency.POSIX)))
		assert.Equal(t, "0000", barrierOnly(t, iofile.NewMem(iofile.WithModel(consistency.POSIX)), iofile.WithModel(consistency.Weakest)))
		assert.Equal(t, "057e", barrierOnly(t, iofile.NewMem(iofile.WithModel(consistency.POSIX.WithPoison(0x7e)))))
	})
}
