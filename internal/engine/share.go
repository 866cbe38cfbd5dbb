package engine

import (
	"github.com/commworld/commworld/types"
)

// Everywhere is the root of a Share whose result all ranks get.
const Everywhere = -1

// Share returns the data of all ranks of c, in order, on the root; the other ranks
// get nil. Package world shares counters by it.
func Share(c Comm, data []byte, root int) ([][]byte, error) {
	n := len(c.Members())
	lengths := make([]int64, n)
	mine := types.Of([]int64{int64(len(data))})
	if _, err := c.Collective(&Call{Routine: "AllGather", Send: mine, Recv: types.Of(lengths).Times(1)}); err != nil {
		return nil, err
	}
	displs, sum := make([]int64, n), int64(0)
	for i, l := range lengths {
		displs[i] = sum
		sum += l
	}
	if root != Everywhere && root != c.Rank() {
		sum = 0
	}
	room := make([]byte, sum)
	call := Call{Routine: "AllGatherV", Send: types.Of(data), Recv: types.Of(room), RecvCounts: lengths, RecvDispls: displs}
	if root != Everywhere {
		call.Routine, call.Root = "GatherV", root
	}
	if _, err := c.Collective(&call); err != nil || root != Everywhere && root != c.Rank() {
		return nil, err
	}
	list := make([][]byte, n)
	for i := range list {
		list[i] = room[displs[i]:][:lengths[i]]
	}
	return list, nil
}
