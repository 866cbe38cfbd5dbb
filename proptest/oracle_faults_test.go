package proptest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// TestOraclesBareLayers: if it fails, an oracle accepts a layer without the bytes that it
// wrote, without storage, or with more bytes than were asked for. Oracles with layers that
// have one bug are tested in package mutants.
func TestOraclesBareLayers(t *testing.T) {
	t.Run("a long range is cut and the report says how much", func(t *testing.T) {
		forgetful := func() (proptest.Layer, error) { return board{}, nil }
		err := proptest.Reference(forgetful, &gen.Program{Ranks: 1, Ops: []gen.Op{{Do: gen.Write, N: 200}, {Do: gen.Read, N: 200}}})
		assert.ErrorContains(t, err, "and 36 bytes more")
	})
	t.Run("NothingLost needs storage", func(t *testing.T) {
		bare := func() (proptest.Layer, error) { return board{}, nil }
		assert.ErrorContains(t, proptest.NothingLost(bare, &gen.Program{Ranks: 1}), "does not implement Storage")
	})
	t.Run("more bytes than asked for", func(t *testing.T) {
		write := gen.Op{Do: gen.Write, Off: 1, N: 40}
		boasts := func() (proptest.Layer, error) {
			l, err := proptest.Ours(nil)()
			return boasting{l}, err
		}
		flat := []iofile.View{{Etype: types.Byte, Filetype: types.Byte}}
		assert.ErrorContains(t, proptest.RoundTrip(boasts, flat, 4, 1), "reads 4 bytes of memory, and counts 104")
		assert.ErrorContains(t, proptest.Reference(boasts, &gen.Program{Ranks: 1, Ops: []gen.Op{write, {Do: gen.Read, N: 4}}}), "more than the 4 asked for")
	})
}

// A boasting layer has files that count more bytes than the buffer has.
type boasting struct{ proptest.Layer }

func (l boasting) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := l.Layer.Open(c, name)
	if err != nil {
		return nil, err
	}
	return &boaster{f, f.(proptest.Viewer)}, nil
}

type boaster struct {
	proptest.File
	proptest.Viewer
}

func (b *boaster) ReadAt(p []byte, off int64) (int, error) {
	n, err := b.File.ReadAt(p, off)
	return n + 100, err
}

// TestGroups: if it fails, layers are tested for capabilities that they do not have, or
// not for those that they have.
func TestGroups(t *testing.T) {
	skipped := func(mk proptest.Maker, opts ...proptest.Option) (n int) {
		groups, err := proptest.Groups(mk, opts...)
		require.NoError(t, err)
		for _, g := range groups {
			if g.Skipped != "" {
				n++
			}
		}
		return n
	}
	t.Run("capabilities show by methods", func(t *testing.T) {
		assert.Equal(t, 2, skipped(proptest.Ours(nil)))
		assert.Equal(t, 13, skipped(proptest.Files(t.TempDir())))
		assert.Equal(t, 20, skipped(func() (proptest.Layer, error) { return board{}, nil }))
	})
	t.Run("a layer that does not open is an error", func(t *testing.T) {
		broken := errors.New("broken")
		_, err := proptest.Groups(func() (proptest.Layer, error) { return nil, broken })
		assert.ErrorIs(t, err, broken)
	})
}
