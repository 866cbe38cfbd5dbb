//go:build !race

package image

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// IO-SIZE-06: bytes that were never written cost a read no more than written ones. A read
// of one byte built the page up to that byte: 220 times the time of a read of a full page.
func TestSparseReadsBuildNoPage(t *testing.T) {
	const reads = 200
	for _, m := range []Rules{POSIX, Weakest} {
		for _, written := range []int{0, 1} {
			t.Run(fmt.Sprintf("%+v, %d bytes of the page written", m, written), func(t *testing.T) {
				im := NewImage(NewMemory(Poison))
				w := im.OpenAs(m)
				require.NoError(t, w.Write(extent.Flat(), 0, make([]byte, written)))
				require.NoError(t, w.Write(extent.Flat(), 2*PageSize, []byte{1}))
				require.NoError(t, w.Publish())
				h := im.OpenAs(m)
				h.Adopt()
				p := make([]byte, 1)
				read := func(lo int64) {
					n, err := h.Read(extent.Flat(), lo, p)
					assert.NoError(t, err)
					assert.Equal(t, int64(1), n)
					assert.Equal(t, byte(Poison), p[0])
				}
				take := func(lo int64) {
					_, err := h.ReadParts(every64(t, lo), 0, 2, func(types.Place, int64, int64) {})
					assert.NoError(t, err)
				}
				for name, call := range map[string]func(int64){"Read": read, "ReadParts": take} {
					call(PageSize - 1000)
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					for i := range int64(reads) {
						call(PageSize - 1000 + i)
					}
					runtime.ReadMemStats(&after)
					assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/reads, uint64(4096), "%s: bytes for a read of one byte", name)
				}
			})
		}
	}
}

// every64 returns the tiling of one byte in 64, from lo on.
func every64(t *testing.T, lo int64) types.Tiling {
	l, err := types.Resized(types.Byte, 0, 64).Layout(types.Host)
	require.NoError(t, err)
	return types.Tiling{L: l, Disp: lo}
}
