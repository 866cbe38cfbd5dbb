package compact_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/compact"
)

// A record that lost or repeated an event would make fixes for another run.
func TestListAndTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.IntRange(0, rapid.IntRange(0, 30).Draw(t, "kinds")), 0, 300).Draw(t, "values")
		var list compact.List[int32]
		var table compact.Table[int]
		distinct := 0
		for _, v := range want {
			k := table.Number(v)
			assert.LessOrEqual(t, int(k), distinct)
			distinct = max(distinct, int(k)+1)
			list.Add(k)
		}
		assert.Equal(t, len(want), list.Len())
		n := 0
		for i, k := range list.All {
			assert.Equal(t, n, i)
			assert.Equal(t, want[i], table.At(k))
			n++
		}
		assert.Equal(t, len(want), n)
		for range list.All {
			break
		}
	})
	var few compact.Table[string]
	for range 100 {
		few.Number("a")
		few.Number("b")
	}
	assert.Equal(t, int32(2), few.Number("c"), "repeated values take no memory")
}
