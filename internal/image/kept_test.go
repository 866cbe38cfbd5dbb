package image_test

import (
	"testing"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the memory of published writes were reused while later, unpublished writes
// of the same handle lie in it, a rank would read back bytes that it never wrote
// there.
func TestUnpublishedWritesKeepTheirMemory(t *testing.T) {
	bytes, err := types.Byte.Layout(types.Host)
	require.NoError(t, err)
	at := types.Tiling{L: bytes}
	for _, m := range []image.Rules{image.Weakest, image.Session} {
		im := image.NewImage(image.NewMemory(image.Poison))
		var h image.Handle
		h.OpenAs(m, im)
		require.NoError(t, h.Write(at, 0, []byte("AAAA")))
		require.NoError(t, h.Publish())
		require.NoError(t, h.Write(at, 4, []byte("BBBB")))
		h.Adopt()
		require.NoError(t, h.Write(at, 8, []byte("CCCCCCCC")))
		p := make([]byte, 16)
		n, err := h.Read(at, 0, p)
		require.NoError(t, err)
		assert.Equal(t, "AAAABBBBCCCCCCCC", string(p[:n]))
		require.NoError(t, h.Close())
	}
}
