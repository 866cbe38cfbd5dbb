package sharing

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A call that receives and is not known by name would receive into shared memory
// without a word.
func TestReceivers(t *testing.T) {
	known := 0
	for _, typ := range []reflect.Type{reflect.TypeFor[*comm.Comm](), reflect.TypeFor[*comm.Message](), reflect.TypeFor[*iofile.File]()} {
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			var buffers []int
			for k := 1; k < m.Type.NumIn(); k++ {
				if in := m.Type.In(k); in == reflect.TypeFor[types.Buffer]() || in == reflect.TypeFor[[]types.Buffer]() {
					buffers = append(buffers, k-1)
				}
			}
			at := receives("", m.Name)
			switch {
			case at >= 0:
				known++
				assert.Equal(t, at, buffers[len(buffers)-1], "%v.%s", typ, m.Name)
			case len(buffers) > 0:
				sends := slices.ContainsFunc([]string{"Send", "Write", "Pack", "Guard"}, func(s string) bool { return strings.Contains(m.Name, s) })
				assert.True(t, sends, "%v.%s receives into nothing", typ, m.Name)
			}
		}
	}
	assert.Greater(t, known, 60)
}
