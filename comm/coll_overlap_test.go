package comm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// If a program got the error for buffers that do not share memory, it would have no remedy;
// if it got none for buffers that do, it would receive data that it has not sent yet. The
// reference writes into both buffers and finds the common bytes.
func TestBufferOverlapIsExact(t *testing.T) {
	layout := rapid.Custom(func(t *rapid.T) *types.Type {
		n := rapid.Int64Range(1, 4)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return types.Byte
		case 1:
			block := n.Draw(t, "block")
			return types.Vector(n.Draw(t, "count"), block, block+n.Draw(t, "gap"), types.Byte)
		case 2:
			return types.Resized(types.Byte, 0, n.Draw(t, "extent"))
		}
		return types.Indexed([]types.Block{{Len: n.Draw(t, "len"), Disp: 5}, {Len: n.Draw(t, "len"), Disp: 0}}, types.Byte)
	})
	const room = 40 + 5*28 // the largest place, and so many of the longest of these layouts
	rapid.Check(t, func(t *rapid.T) {
		mem := make([]byte, room)
		draw := func(name string) types.Buffer {
			typ, at := layout.Draw(t, name), rapid.IntRange(0, 40).Draw(t, name+" at")
			return types.Raw(mem[at:], rapid.Int64Range(0, 5).Draw(t, name+" count"), typ)
		}
		send, recv := draw("send"), draw("recv")
		errs := start(1, setting{}, func(c *comm.Comm) error {
			touched := func(b types.Buffer) (set [room]bool) {
				clear(mem)
				ones := make([]byte, b.Packed(c.Arch()))
				for i := range ones {
					ones[i] = 1
				}
				b.Unpack(ones, 0, c.Arch())
				for i, x := range mem {
					set[i] = x != 0
				}
				return set
			}
			both, a, b := false, touched(send), touched(recv)
			for i := range a {
				both = both || a[i] && b[i]
			}
			_, err := c.SendRecv(send, comm.To{Rank: 0}, recv, comm.From{Rank: 0})
			refused := errors.Is(err, comm.ErrBuffer)
			assert.Equal(t, both, refused, "%v and %v: %v", send.Type(), recv.Type(), err)
			return nil
		})
		assert.NoError(t, errors.Join(errs...))
	})
}
