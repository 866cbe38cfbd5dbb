package types_test

import (
	"math"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// If this fails, a buffer without memory has wrong bytes, or a call that needs memory
// accepts such a buffer.
func TestFill(t *testing.T) {
	b := types.Fill(1000, types.Double)
	p := make([]byte, 50)
	b.Pack(p, 7001, types.Host)
	for i := range p {
		assert.Equal(t, types.FillByte(7001+int64(i)), p[i])
	}
	b.Unpack(p, 0, types.Host)
	assert.NoError(t, b.CheckFilled(types.Host))
	assert.True(t, b.Filled())
	assert.EqualValues(t, 8000, b.Packed(types.Host))
	assert.ErrorIs(t, b.Check(types.Host), errclass.Buffer, "DT-ARG-01")
	_, err := b.Plan(types.Host)
	assert.ErrorIs(t, err, errclass.Buffer)
	_, ok := b.Contiguous(types.Host)
	assert.False(t, ok)
	ints := b.As(types.Int32)
	assert.True(t, ints.Filled())
	assert.EqualValues(t, 2000, ints.Count())
	for _, bad := range []struct {
		buf  types.Buffer
		want errclass.Class
	}{
		{types.Fill(-1, types.Double), errclass.Count},
		{types.Fill(1, nil), errclass.Type},
		{types.Fill(math.MaxInt64, types.Double), errclass.Buffer},
	} {
		assert.ErrorIs(t, bad.buf.CheckFilled(types.Host), bad.want)
	}
	none := types.Fill(0, types.Double)
	assert.NoError(t, none.CheckFilled(types.Host))
}
