package comm_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// bytesOn returns the memory of values on a machine.
func bytesOn(a *reps.Arch, xs any) []byte {
	p, err := binary.Append(nil, a.Order(), xs)
	if err != nil {
		panic(err)
	}
	return p
}

// TestBytesOfUnlikeRanks: bytes are not converted, so between machines of another byte
// order values that are sent as bytes arrive as others.
func TestBytesOfUnlikeRanks(t *testing.T) {
	t.Run("P2P-MATCH-05 P2P-MATCH-08 int32 100 as bytes to a big-endian machine", func(t *testing.T) {
		for _, as := range []*types.Type{types.Byte, types.Packed} {
			pair(t, unlike(reps.LP64LE, reps.LP64BE),
				func(c *comm.Comm) error { return c.Send(ints(100).As(as), 1, 0) },
				func(c *comm.Comm) error {
					x := []int32{0}
					_, err := c.Recv(types.Of(x).As(as), 0, 0)
					return errors.Join(err, equal([]int32{1677721600}, x))
				})
		}
	})
	t.Run("P2P-MATCH-05 P2P-MATCH-07 messages and collectives against package binary", rapid.MakeCheck(func(t *rapid.T) {
		machines := []*reps.Arch{reps.LP64LE, reps.LP64BE, reps.ILP32LE, reps.ILP32BE}
		a, b := rapid.SampledFrom(machines).Draw(t, "a"), rapid.SampledFrom(machines).Draw(t, "b")
		values := rapid.SliceOfN(rapid.Uint64(), 1, 20).Draw(t, "values")
		if rapid.IntRange(0, 20).Draw(t, "long") == 20 {
			values = make([]uint64, 9000)
			for i := range values {
				values[i] = uint64(i) * 0x9e3779b97f4a7c15
			}
		}
		raw := rapid.Bool().Draw(t, "received in []byte")
		unit := rapid.SampledFrom([]*types.Type{types.Byte, types.Packed}).Draw(t, "as")
		described := unit
		gap := rapid.Int64Range(0, 8).Draw(t, "gap")
		part := rapid.IntRange(1, 8*len(values)).Draw(t, "bytes")
		if gap > 0 && part > 1 {
			part = part / 2 * 2
			described = types.HVector(2, int64(part)/2, int64(part)/2, unit) // the same bytes in two blocks
		}
		form := rapid.IntRange(0, 5).Draw(t, "form")
		want := bytesOn(a, values)[:part]
		err := errors.Join(start(2, unlike(a, b), func(c *comm.Comm) error {
			mine := make([]uint64, len(values))
			if c.Rank() == 0 {
				copy(mine, values)
			}
			buf := types.Of(mine).As(described).Times(int64(part))
			if gap > 0 && part > 1 {
				buf = buf.Times(1)
			}
			got := func() []byte { return bytesOn(c.Arch(), mine)[:part] }
			if bytes := make([]byte, part); raw && c.Rank() == 1 {
				buf, got = types.Raw(bytes, buf.Count(), buf.Type()), func() []byte { return bytes }
			}
			var err error
			switch {
			case form == 0:
				err = c.Bcast(buf, 0)
			case c.Rank() == 0 && form == 1:
				err = c.SSend(buf, 1, 0)
			case c.Rank() == 0 && form == 2:
				var r *comm.Request
				if r, err = c.ISend(buf, 1, 0); err == nil {
					_, err = r.Wait()
				}
			case c.Rank() == 0:
				err = c.Send(buf, 1, 0)
			case form == 4:
				var r *comm.Request
				if r, err = c.IRecv(buf, 0, 0); err == nil {
					_, err = r.Wait()
				}
			default:
				_, err = c.Recv(buf, 0, 0)
			}
			if p := got(); string(p) != string(want) {
				err = errors.Join(err, fmt.Errorf("rank %d has % x, not % x", c.Rank(), p, want))
			}
			return err
		})...)
		assert.NoError(t, err, "%v to %v", a, b)
	}))
	t.Run("COLL-03 P2P-MATCH-08 pairs of a long of 4 or 8 bytes and an int, scattered", func(t *testing.T) {
		err := errors.Join(start(2, unlike(reps.LP64LE, reps.ILP32LE), func(c *comm.Comm) error {
			size := 16 - 8*c.Rank()
			memory := func(pairs ...[2]int32) []byte {
				mem := make([]byte, size*len(pairs))
				for i, p := range pairs {
					at := mem[i*size:]
					if native.PutUint32(at[size/2:], uint32(p[1])); size == 8 {
						native.PutUint32(at, uint32(p[0]))
					} else {
						native.PutUint64(at, uint64(p[0]))
					}
				}
				return mem
			}
			r, got := int32(c.Rank()), make([]byte, size)
			err := c.ReduceScatterBlock(types.Raw(memory([2]int32{7 - r, r}, [2]int32{5 + r, r}), 2, types.LongInt), types.Raw(got, 1, types.LongInt), comm.MaxLoc)
			return errors.Join(err, equal(memory([][2]int32{{7, 0}, {6, 1}}[r]), got))
		})...)
		assert.NoError(t, err)
	})
	t.Run("P2P-MATCH-07 REP-NAT-01 values as packed data on one machine", func(t *testing.T) {
		for _, a := range reps.Archs() {
			for _, n := range []int{1, 50000} { // buffered, and not
				xs := make([]int32, n)
				for i := range xs {
					xs[i] = int32(i + 100)
				}
				pair(t, unlike(a, a), func(c *comm.Comm) error {
					return errors.Join(c.Send(types.Of(xs).As(types.Packed), 1, 0), c.Send(types.Of(xs), 1, 0))
				}, func(c *comm.Comm) error {
					x, y := make([]int32, n), make([]int32, n)
					_, err := c.Recv(types.Of(x), 0, 0)
					_, err2 := c.Recv(types.Of(y).As(types.Packed), 0, 0)
					return errors.Join(err, err2, equal(xs, x), equal(xs, y))
				})
			}
		}
	})
	t.Run("PK-01 P2P-MATCH-05 packing bytes of values", func(t *testing.T) {
		err := errors.Join(start(1, unlike(reps.LP64BE, reps.LP64BE), func(c *comm.Comm) error {
			unit, x := make([]byte, 4), []int32{0}
			_, err := c.Pack(ints(100).As(types.Byte), unit, 0)
			_, err2 := c.Unpack(unit, 0, types.Of(x).As(types.Byte))
			return errors.Join(err, err2, equal([]byte{0, 0, 0, 100}, unit), equal([]int32{100}, x))
		})...)
		assert.NoError(t, err)
	})
	t.Run("PK-01 REP-NAT-01 units are bytes of memory where all ranks have one byte order", func(t *testing.T) {
		err := errors.Join(start(2, unlike(reps.LP64BE, reps.ILP32BE), func(c *comm.Comm) error {
			unit, x, y := make([]byte, 4), []int32{0}, []int32{0}
			_, err := c.Pack(ints(100), unit, 0)
			_, err2 := c.Unpack([]byte{0, 0, 0, 100}, 0, types.Of(x))
			_, err3 := c.Unpack(unit, 0, types.Of(y).As(types.Byte))
			return errors.Join(err, err2, err3, equal([]byte{0, 0, 0, 100}, unit), equal([]int32{100}, x), equal([]int32{100}, y))
		})...)
		assert.NoError(t, err)
	})
	t.Run("PK-01 PK-02 P2P-MATCH-07 packed data keep their values on every way", rapid.MakeCheck(func(t *rapid.T) {
		machines := []*reps.Arch{reps.LP64LE, reps.LP64BE, reps.ILP32LE, reps.ILP32BE, reps.LLP64LE}
		a, b := rapid.SampledFrom(machines).Draw(t, "a"), rapid.SampledFrom(machines).Draw(t, "b")
		values := rapid.SliceOfN(rapid.Uint64(), 1, 12).Draw(t, "values")
		if rapid.IntRange(0, 20).Draw(t, "long") == 20 {
			values = append(make([]uint64, 9000), values...)
		}
		width := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "width")
		buffer := func(xs []uint64) (buf types.Buffer, back func() []uint64) { // values cut to the width
			short, mid := make([]int16, len(xs)), make([]int32, len(xs))
			for i, x := range xs {
				short[i], mid[i] = int16(x), int32(x)
			}
			switch width {
			case 2:
				return types.Of(short), func() (all []uint64) {
					for _, x := range short {
						all = append(all, uint64(x))
					}
					return all
				}
			case 4:
				return types.Of(mid), func() (all []uint64) {
					for _, x := range mid {
						all = append(all, uint64(x))
					}
					return all
				}
			}
			return types.Of(xs), func() []uint64 { return xs }
		}
		ways := []string{"typed", "unit"}
		if a.Order() == b.Order() {
			ways = append(ways, "memory") // packed by no call: bytes of the machine
		}
		size := int64(width * len(values))
		put := func(c *comm.Comm, xs []uint64, way string) error {
			buf, _ := buffer(xs)
			switch way {
			case "unit":
				unit := make([]byte, size)
				if _, err := c.Pack(buf, unit, 0); err != nil {
					return err
				}
				buf = types.Raw(unit, size, types.Packed)
			case "memory":
				buf = buf.As(types.Packed)
			}
			return c.Send(buf, 1, 0)
		}
		get := func(c *comm.Comm, from int, way string) ([]uint64, error) {
			buf, back := buffer(make([]uint64, len(values)))
			switch way {
			case "unit":
				unit := make([]byte, size)
				if _, err := c.Recv(types.Raw(unit, size, types.Packed), from, 0); err != nil {
					return nil, err
				}
				_, err := c.Unpack(unit, 0, buf)
				return back(), err
			case "memory":
				buf = buf.As(types.Packed)
			}
			_, err := c.Recv(buf, from, 0)
			return back(), err
		}
		out, in := rapid.SampledFrom(ways).Draw(t, "sent"), rapid.SampledFrom(ways).Draw(t, "received")
		relays := rapid.IntRange(0, 2).Draw(t, "relays")
		_, want := buffer(slices.Clone(values))
		err := errors.Join(start(relays+2, unlike(a, b), func(c *comm.Comm) error {
			next := (c.Rank() + 1) % c.Size()
			switch c.Rank() {
			case 0:
				return put(c, slices.Clone(values), out)
			case c.Size() - 1:
				got, err := get(c, c.Rank()-1, in)
				return errors.Join(err, equal(want(), got))
			}
			unit := make([]byte, size)
			if _, err := c.Recv(types.Raw(unit, size, types.Packed), c.Rank()-1, 0); err != nil {
				return err
			}
			return c.Send(types.Raw(unit, size, types.Packed), next, 0)
		})...)
		assert.NoError(t, err, "%s on %v to %s, %v, over %d", out, a, in, b, relays)
	}))
	t.Run("COLL-03 P2P-MATCH-05 bitwise reductions of bytes of values", func(t *testing.T) {
		err := errors.Join(start(2, unlike(reps.LP64LE, reps.LP64BE), func(c *comm.Comm) error {
			x, y := []int32{1 << c.Rank()}, []int32{0}
			err := c.AllReduce(types.Of(x).As(types.Byte), types.Of(y).As(types.Byte), comm.BOr)
			return errors.Join(err, equal([]int32{[]int32{1 | 2<<24, 1<<24 | 2}[c.Rank()]}, y))
		})...)
		assert.NoError(t, err)
	})
}
