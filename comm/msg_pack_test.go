package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A packing unit is the oldest way to send a header and data in one message.
func TestPack(t *testing.T) {
	t.Run("PACK-01 PK-01 PK-02 P2P-MATCH-07 units are unpacked or received by their types", func(t *testing.T) {
		for _, s := range []setting{{}, unlike(reps.LP64LE, reps.ILP32BE)} {
			pair(t, s, func(c *comm.Comm) error {
				size, err := c.PackSize(3, types.Int32)
				unit := make([]byte, 2*size)
				at, err2 := c.Pack(field32(3), unit, 0)
				at, err3 := c.Pack(field32(4, 5), unit, at)
				packed := types.Raw(unit[:at], at, types.Packed)
				err = errors.Join(err, err2, err3, equal(int64(12), at), c.Send(packed, 1, 0))
				return errors.Join(err, c.Send(field32(6, 7), 1, 1))
			}, func(c *comm.Comm) error {
				typed := field32(0, 0, 0)
				_, err := c.Recv(typed, 0, 0)
				err = errors.Join(err, equal(field32(3, 4, 5).Mem(), typed.Mem()))
				unit := make([]byte, 8)
				_, err2 := c.Recv(types.Raw(unit, 8, types.Packed), 0, 1)
				one := field32(0)
				at, err3 := c.Unpack(unit, 4, one)
				return errors.Join(err, err2, err3, equal(int64(8), at), equal(field32(7).Mem(), one.Mem()))
			})
		}
	})
	t.Run("PK-02 P2P-MATCH-08 a unit is converted for an unlike machine that receives it by its types", func(t *testing.T) {
		pair(t, unlike(reps.LP64LE, reps.ILP32BE), func(c *comm.Comm) error {
			long := make([]byte, 8)
			native.PutUint64(long, 77)
			unit := make([]byte, 12)
			at, err := c.Pack(types.Raw(long, 1, types.Long), unit, 0)
			at, err2 := c.Pack(field32(3), unit, at)
			return errors.Join(err, err2, equal(int64(12), at), c.Send(types.Raw(unit, 12, types.Packed), 1, 0))
		}, func(c *comm.Comm) error {
			mem := make([]byte, 8)
			pairType := types.Struct(types.Field{Count: 1, Type: types.Long}, types.Field{Count: 1, Disp: 4, Type: types.Int32})
			_, err := c.Recv(types.Raw(mem, 1, pairType), 0, 0)
			return errors.Join(err, equal(uint32(77), native.Uint32(mem)), equal(uint32(3), native.Uint32(mem[4:])))
		})
	})
	t.Run("PK-01 positions are checked and nothing is changed", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			out := []byte{9, 9, 9, 9, 9}
			_, err := c.Pack(ints(1), out, 2)
			refused(t, err, comm.ErrTruncate, "PK-01")
			_, err = c.Pack(ints(1), out, -1)
			refused(t, err, comm.ErrArg, "PK-01")
			at, err := c.Unpack(out, 6, ints(1))
			refused(t, err, comm.ErrArg, "PK-01")
			_, err2 := c.PackSize(-1, types.Int32)
			refused(t, err2, comm.ErrCount, "PK-01")
			_, err2 = c.PackSize(1<<62, types.Int32)
			refused(t, err2, comm.ErrCount, "PK-01")
			assert.Equal(t, []byte{9, 9, 9, 9, 9}, out)
			return equal(int64(6), at)
		})
	})
}

// field32 is a buffer of INT32_T.
func field32(xs ...uint32) types.Buffer {
	mem := make([]byte, 4*len(xs))
	for i, x := range xs {
		native.PutUint32(mem[4*i:], x)
	}
	return types.Raw(mem, int64(len(xs)), types.Int32)
}
