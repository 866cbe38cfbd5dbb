package pack

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
)

// If a loop moved other bytes than the shape it represents, the ratio to it
// would mean nothing.
func TestLoops(t *testing.T) {
	for _, s := range append(shapes(least), shapes(usual)...) {
		if s.hand == nil {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			l, err := s.typ.Layout(types.Host)
			assert.NoError(t, err)
			size := ((s.count-1)*l.Extent + l.TrueUB) / 8
			array, slow := make([]float64, size), make([]float64, size)
			items := s.count * l.Size / 8
			packed, quick := make([]float64, items), make([]float64, items)
			for i := range array {
				array[i] = float64(i)
			}
			buf := types.Of(array).Mem()
			types.Raw(buf, s.count, s.typ).Pack(types.Of(packed).Mem(), 0, types.Host)
			s.hand.pack(quick, array)
			assert.Equal(t, packed, quick)
			clear(array)
			types.Raw(buf, s.count, s.typ).Unpack(types.Of(packed).Mem(), 0, types.Host)
			s.hand.unpack(slow, packed)
			assert.Equal(t, array, slow)
		})
	}
}

// If the program broke, no one would notice before the next measurement.
func TestRun(t *testing.T) {
	var out strings.Builder
	assert.NoError(t, measure.Run([]*measure.Command{Command()}, []string{"pack", "--payload", "64", "128^3"}, &out))
	assert.Equal(t, 4, strings.Count(out.String(), "\n3D 4x64x32 of 128^3 "), "pack and unpack, natively and in external32")
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			t.Log(err)
			assert.Contains(t, out.String(), err.Error())
		}
	}
}
