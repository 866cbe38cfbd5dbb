package comm_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Barrier returns when every rank has called it.
func ExampleComm_Barrier() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		err := c.Barrier()
		if c.Rank() == 0 {
			fmt.Println("all are here")
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// all are here
	// <nil>
}

// Bcast copies the root's buffer to every rank.
func ExampleComm_Bcast() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() == 0 {
			x[0], x[1] = 4, 2
		}
		err := c.Bcast(types.Of(x), 0)
		if c.Rank() == 2 {
			fmt.Println(x)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [4 2]
	// <nil>
}

// Gather collects equal parts at the root, in the order of the ranks.
func ExampleComm_Gather() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		var all []int32
		if c.Rank() == 0 {
			all = make([]int32, 3)
		}
		x := []int32{int32(c.Rank())}
		err := c.Gather(types.Of(x), types.Of(all), 0)
		if c.Rank() == 0 {
			fmt.Println(all)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [0 1 2]
	// <nil>
}

// GatherV collects parts of different lengths. Counts and places count items of the
// root's receive buffer.
func ExampleComm_GatherV() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		part := make([]int32, c.Rank()+1) // rank r has r+1 items
		for i := range part {
			part[i] = int32(c.Rank())
		}
		all := make([]int32, 6)
		err := c.GatherV(types.Of(part), types.Of(all), []int64{1, 2, 3}, []int64{0, 1, 3}, 0)
		if c.Rank() == 0 {
			fmt.Println(all)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [0 1 1 2 2 2]
	// <nil>
}

// Scatter deals out the root's buffer in equal parts.
func ExampleComm_Scatter() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		var all []int32
		if c.Rank() == 0 {
			all = []int32{10, 11, 20, 21, 30, 31}
		}
		x := make([]int32, 2)
		err := c.Scatter(types.Of(all), types.Of(x), 0)
		if c.Rank() == 1 {
			fmt.Println(x)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [20 21]
	// <nil>
}

// ScatterV deals out parts of different lengths.
func ExampleComm_ScatterV() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		all := []int32{1, 2, 3}
		x := make([]int32, c.Rank()+1)
		err := c.ScatterV(types.Of(all), []int64{1, 2}, []int64{0, 1}, types.Of(x), 0)
		if c.Rank() == 1 {
			fmt.Println(x)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [2 3]
	// <nil>
}

// AllGather gives every rank the parts of all.
func ExampleComm_AllGather() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := []int32{int32(c.Rank())}
		all := make([]int32, 3)
		err := c.AllGather(types.Of(x), types.Of(all))
		if c.Rank() == 2 {
			fmt.Println(all)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [0 1 2]
	// <nil>
}

// AllGatherV is AllGather with parts of different lengths.
func ExampleComm_AllGatherV() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		part := make([]int32, c.Rank()+1)
		part[c.Rank()] = 9
		all := make([]int32, 3)
		err := c.AllGatherV(types.Of(part), types.Of(all), []int64{1, 2}, []int64{0, 1})
		if c.Rank() == 0 {
			fmt.Println(all)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [9 0 9]
	// <nil>
}

// AllToAll sends a part of each rank's buffer to every rank: part i goes to rank i.
func ExampleComm_AllToAll() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		r := int32(c.Rank())
		x, y := []int32{10 * r, 10*r + 1}, make([]int32, 2)
		err := c.AllToAll(types.Of(x), types.Of(y))
		if c.Rank() == 1 {
			fmt.Println(y)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 11]
	// <nil>
}

// AllToAllV is AllToAll with parts of different lengths: rank r gets r+1 items of each.
func ExampleComm_AllToAllV() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		r := int32(c.Rank())
		x := []int32{100 * r, 100*r + 1, 100*r + 2}
		n := int64(c.Rank() + 1)
		y := make([]int32, 2*n)
		err := c.AllToAllV(types.Of(x), []int64{1, 2}, []int64{0, 1}, types.Of(y), []int64{n, n}, []int64{0, n})
		if c.Rank() == 1 {
			fmt.Println(y)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2 101 102]
	// <nil>
}

// AllToAllW has a buffer for each rank, each with a type of its own.
func ExampleComm_AllToAllW() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		a, b := []int32{int32(c.Rank())}, []float64{float64(c.Rank())}
		x, y := make([]int32, 2), make([]float64, 2)
		send := []types.Buffer{types.Of(a), types.Of(b)} // int32 to rank 0, float64 to rank 1
		recv := []types.Buffer{types.Of(x[:1]), types.Of(x[1:])}
		if c.Rank() == 1 {
			recv = []types.Buffer{types.Of(y[:1]), types.Of(y[1:])}
		}
		err := c.AllToAllW(send, recv)
		if c.Rank() == 1 {
			fmt.Println(y)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [0 1]
	// <nil>
}

// Reduce combines the buffers of all ranks, item by item, at the root.
func ExampleComm_Reduce() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x, sum := []int32{int32(c.Rank()), 10}, make([]int32, 2)
		err := c.Reduce(types.Of(x), types.Of(sum), comm.Sum, 0)
		if c.Rank() == 0 {
			fmt.Println(sum)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [3 30]
	// <nil>
}

// AllReduce gives the result to every rank. InPlace says that it replaces the argument.
func ExampleComm_AllReduce() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := []int32{int32(c.Rank())}
		err := c.AllReduce(comm.InPlace, types.Of(x), comm.Max)
		if c.Rank() == 1 {
			fmt.Println(x)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [2]
	// <nil>
}

// ReduceLocal combines two buffers of one rank.
func ExampleComm_ReduceLocal() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		x, y := []int32{1, 2}, []int32{10, 20}
		err := c.ReduceLocal(types.Of(x), types.Of(y), comm.Sum)
		fmt.Println(y)
		return err
	})
	fmt.Println(err)
	// Output:
	// [11 22]
	// <nil>
}

// Scan gives rank r the result of ranks 0 to r.
func ExampleComm_Scan() {
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		x, sum := []int32{int32(c.Rank() + 1)}, make([]int32, 1)
		err := c.Scan(types.Of(x), types.Of(sum), comm.Sum)
		if c.Rank() == 3 {
			fmt.Println(sum)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [10]
	// <nil>
}

// ExScan gives rank r the result of the ranks before it: where its part of a common file
// or array begins. Rank 0 gets nothing.
func ExampleComm_ExScan() {
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		x, begin := []int64{int64(100 * (c.Rank() + 1))}, make([]int64, 1)
		err := c.ExScan(types.Of(x), types.Of(begin), comm.Sum)
		if c.Rank() == 3 {
			fmt.Println(begin)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [600]
	// <nil>
}

// ReduceScatterBlock combines and deals out the result in equal parts.
func ExampleComm_ReduceScatterBlock() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x, part := []int32{1, 2}, make([]int32, 1)
		err := c.ReduceScatterBlock(types.Of(x), types.Of(part), comm.Sum)
		if c.Rank() == 1 {
			fmt.Println(part)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [4]
	// <nil>
}

// ReduceScatter deals out the result in parts of the given lengths.
func ExampleComm_ReduceScatter() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x, part := []int32{1, 2, 3}, make([]int32, c.Rank()+1)
		err := c.ReduceScatter(types.Of(x), types.Of(part), []int64{1, 2}, comm.Sum)
		if c.Rank() == 1 {
			fmt.Println(part)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [4 6]
	// <nil>
}

// IBarrier begins a barrier. The rank may work until Wait.
func ExampleComm_IBarrier() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		r, err := c.IBarrier()
		if err != nil {
			return err
		}
		_, err = r.Wait()
		if c.Rank() == 0 {
			fmt.Println("all have come")
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// all have come
	// <nil>
}

// IBcast begins a broadcast. The buffer belongs to the call until Wait.
func ExampleComm_IBcast() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 1)
		if c.Rank() == 0 {
			x[0] = 6
		}
		r, err := c.IBcast(types.Of(x), 0)
		if err != nil {
			return err
		}
		_, err = r.Wait()
		if c.Rank() == 1 {
			fmt.Println(x)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [6]
	// <nil>
}

// IAllReduce begins a reduction, so that the rank can work while the others come.
func ExampleComm_IAllReduce() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := []int32{int32(c.Rank())}
		sum := make([]int32, 1)
		r, err := c.IAllReduce(types.Of(x), types.Of(sum), comm.Sum)
		if err != nil {
			return err
		}
		_, err = r.Wait()
		if c.Rank() == 2 {
			fmt.Println(sum)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [3]
	// <nil>
}

// IAllGather begins an AllGather.
func ExampleComm_IAllGather() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := []int32{int32(c.Rank())}
		all := make([]int32, 2)
		r, err := c.IAllGather(types.Of(x), types.Of(all))
		if err != nil {
			return err
		}
		_, err = r.Wait()
		if c.Rank() == 0 {
			fmt.Println(all)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [0 1]
	// <nil>
}

// A persistent collective call is made once and started by all ranks for each use.
func ExampleComm_AllReduceInit() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x, sum := []int32{0}, []int32{0}
		r, err := c.AllReduceInit(types.Of(x), types.Of(sum), comm.Sum)
		if err != nil {
			return err
		}
		for i := range int32(2) {
			x[0] = i + int32(c.Rank())
			err = errors.Join(err, r.Start())
			_, e := r.Wait()
			err = errors.Join(err, e)
			if c.Rank() == 0 {
				fmt.Println(sum)
			}
		}
		return errors.Join(err, r.Free())
	})
	fmt.Println(err)
	// Output:
	// [1]
	// [3]
	// <nil>
}

// NewOp makes an operation of a function on bytes in memory. It is combined in the order
// of the ranks: here each rank's digit is put after those of the ranks before it.
func ExampleNewOp() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		digits := comm.NewOp("digits", func(in, inout types.Buffer) error {
			a, b := in.Mem(), inout.Mem() // two bytes per item: a number and its power of ten
			for i := 0; i < len(b); i += 2 {
				b[i], b[i+1] = a[i]*b[i+1]+b[i], a[i+1]*b[i+1]
			}
			return nil
		})
		x, y := []byte{byte(c.Rank()), 10}, make([]byte, 2)
		if c.Rank() == 2 {
			x[1] = 10
		}
		err := c.AllReduce(types.Of(x), types.Of(y), digits)
		if c.Rank() == 0 {
			fmt.Println(y[0], digits.Commutative())
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 12 false
	// <nil>
}

// NewCommutativeOp makes an operation that may be combined in any order.
func ExampleNewCommutativeOp() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		bits := comm.NewCommutativeOp("bits", func(in, inout types.Buffer) error {
			for i, b := range in.Mem() {
				inout.Mem()[i] |= b
			}
			return nil
		})
		x, y := []byte{1 << c.Rank()}, make([]byte, 1)
		err := c.AllReduce(types.Of(x), types.Of(y), bits)
		if c.Rank() == 0 {
			fmt.Println(y, bits.Commutative())
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [7] true
	// <nil>
}

// NeighborAllGather collects the buffers of the neighbours: in a ring left, then right.
func ExampleComm_NeighborAllGather() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		g, err := c.CartCreate(comm.CartDims(true, 3), false) // a ring
		if err != nil {
			return err
		}
		x := []int32{int32(c.Rank())}
		got := make([]int32, 2)
		err = g.NeighborAllGather(types.Of(x), types.Of(got))
		if c.Rank() == 0 {
			fmt.Println(got)
		}
		return errors.Join(err, g.Free())
	})
	fmt.Println(err)
	// Output:
	// [2 1]
	// <nil>
}

// NeighborAllToAll sends another part to each neighbour: the exchange of a stencil's edges.
func ExampleComm_NeighborAllToAll() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		g, err := c.CartCreate(comm.CartDims(true, 3), false) // a ring
		if err != nil {
			return err
		}
		r := int32(c.Rank())
		x, got := []int32{10 * r, 10*r + 1}, make([]int32, 2) // to the left, to the right
		err = g.NeighborAllToAll(types.Of(x), types.Of(got))
		if c.Rank() == 0 {
			fmt.Println(got)
		}
		return errors.Join(err, g.Free())
	})
	fmt.Println(err)
	// Output:
	// [21 10]
	// <nil>
}
