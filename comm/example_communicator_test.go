package comm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Split parts the ranks by colour: here into even and odd ones.
func ExampleComm_Split() {
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		half, err := c.Split(c.Rank()%2, c.Rank())
		if err != nil {
			return err
		}
		if c.Rank() == 3 {
			fmt.Println("rank", half.Rank(), "of", half.Size())
		}
		return half.Free()
	})
	fmt.Println(err)
	// Output:
	// rank 1 of 2
	// <nil>
}

// SplitType parts the ranks by the hardware they share. Ranks of one process share memory.
func ExampleComm_SplitType() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		node, err := c.SplitType(comm.Shared, 0, nil)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println(node.Size())
		}
		return node.Free()
	})
	fmt.Println(err)
	// Output:
	// 3
	// <nil>
}

// Dup makes a communicator of the same ranks whose messages never meet those of c.
// A library does this so that its messages do not mix with the program's.
func ExampleComm_Dup() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		how, err := c.Compare(d)
		if c.Rank() == 0 {
			fmt.Println(how)
		}
		return errors.Join(err, d.Free())
	})
	fmt.Println(err)
	// Output:
	// MPI_CONGRUENT
	// <nil>
}

// IDup begins a Dup. The communicator may be used after Wait.
func ExampleComm_IDup() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		d, r, err := c.IDup()
		if err != nil {
			return err
		}
		_, err = r.Wait()
		if c.Rank() == 0 {
			fmt.Println(d.Size())
		}
		return errors.Join(err, d.Free())
	})
	fmt.Println(err)
	// Output:
	// 2
	// <nil>
}

// Create makes a communicator of a group. Every rank of c calls it; ranks outside get nil.
func ExampleComm_Create() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		all, err := c.Group()
		if err != nil {
			return err
		}
		g, err := all.Incl([]int{2, 0})
		if err != nil {
			return err
		}
		d, err := c.Create(g)
		if err != nil || d == nil {
			return err
		}
		if c.Rank() == 2 {
			fmt.Println("rank 2 is now rank", d.Rank(), "of", d.Size())
		}
		return d.Free()
	})
	fmt.Println(err)
	// Output:
	// rank 2 is now rank 0 of 2
	// <nil>
}

// CreateGroup is Create that only the ranks of the group call.
func ExampleComm_CreateGroup() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		all, err := c.Group()
		if err != nil {
			return err
		}
		g, err := all.Excl([]int{1})
		if err != nil {
			return err
		}
		d, err := c.CreateGroup(g, 0)
		if err != nil {
			return err
		}
		if c.Rank() == 2 {
			fmt.Println("rank", d.Rank(), "of", d.Size())
		}
		return d.Free()
	})
	fmt.Println(err)
	// Output:
	// rank 1 of 2
	// <nil>
}

// Groups are sets of ranks in an order. Operations on them send no messages.
func ExampleGroup_Incl() {
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		all, err := c.Group()
		if err != nil {
			return err
		}
		a, err := all.Incl([]int{0, 1})
		if err != nil {
			return err
		}
		b, err := all.RangeIncl([]comm.RankRange{{First: 1, Last: 3, Stride: 2}}) // 1 and 3
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println(a.Union(b).Size(), a.Intersection(b).Size(), a.Difference(b).Size(), a.Compare(b))
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 3 1 1 MPI_UNEQUAL
	// <nil>
}

// Translate says which ranks of another group are the same processes.
func ExampleGroup_Translate() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		all, err := c.Group()
		if err != nil {
			return err
		}
		uneven, err := all.Incl([]int{2, 1})
		if err != nil {
			return err
		}
		ranks, err := all.Translate([]int{0, 1, 2}, uneven)
		if c.Rank() == 0 {
			fmt.Println(ranks[0] == comm.Undefined, ranks[1], ranks[2])
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// true 1 0
	// <nil>
}

// DimsCreate chooses a grid for n ranks, as nearly square as it can be. Dimensions that are
// not 0 stay.
func ExampleDimsCreate() {
	free, _ := comm.DimsCreate(12, []int{0, 0})
	fixed, _ := comm.DimsCreate(12, []int{0, 2})
	_, err := comm.DimsCreate(12, []int{0, 5})
	fmt.Println(free, fixed, errors.Is(err, comm.ErrDims))
	// Output: [4 3] [6 2] true
}

// CartDims describes a grid whose sides are all periodic or all not.
func ExampleCartDims() {
	fmt.Println(comm.CartDims(false, 3, 2))
	// Output: [{3 false} {2 false}]
}

// CartCreate arranges the ranks in a grid: here 2 rows of 3.
func ExampleComm_CartCreate() {
	err := world.Run(context.Background(), 6, func(_ context.Context, c *comm.Comm) error {
		g, err := c.CartCreate(comm.CartDims(false, 2, 3), false)
		if err != nil {
			return err
		}
		at, err := g.CartCoords(4)
		if err != nil {
			return err
		}
		rank, err := g.CartRank([]int{1, 1})
		if c.Rank() == 0 {
			fmt.Println(at, rank)
		}
		return errors.Join(err, g.Free())
	})
	fmt.Println(err)
	// Output:
	// [1 1] 4
	// <nil>
}

// CartShift returns the ranks to receive from and to send to along a dimension. At an edge
// that is ProcNull, and messages to it do nothing.
func ExampleComm_CartShift() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		line, err := c.CartCreate(comm.CartDims(false, 3), false)
		if err != nil {
			return err
		}
		src, dst, err := line.CartShift(0, 1)
		if c.Rank() == 2 {
			fmt.Println(src, dst == comm.ProcNull)
		}
		return errors.Join(err, line.Free())
	})
	fmt.Println(err)
	// Output:
	// 1 true
	// <nil>
}

// CartSub cuts a grid into its rows.
func ExampleComm_CartSub() {
	err := world.Run(context.Background(), 6, func(_ context.Context, c *comm.Comm) error {
		g, err := c.CartCreate(comm.CartDims(false, 2, 3), false)
		if err != nil {
			return err
		}
		row, err := g.CartSub([]bool{false, true})
		if err != nil {
			return err
		}
		if c.Rank() == 4 {
			fmt.Println("rank", row.Rank(), "of", row.Size())
		}
		return errors.Join(row.Free(), g.Free())
	})
	fmt.Println(err)
	// Output:
	// rank 1 of 3
	// <nil>
}

// GraphCreate gives each rank a list of neighbours, known to all ranks.
func ExampleComm_GraphCreate() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		g, err := c.GraphCreate([][]int{{1, 2}, {0}, {0}}, false) // a star
		if err != nil {
			return err
		}
		near, err := g.GraphNeighbors(0)
		if c.Rank() == 2 {
			fmt.Println(near)
		}
		return errors.Join(err, g.Free())
	})
	fmt.Println(err)
	// Output:
	// [1 2]
	// <nil>
}

// DistGraphCreateAdjacent makes a graph of which each rank knows only its own neighbours.
func ExampleComm_DistGraphCreateAdjacent() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		left, right := (c.Rank()+2)%3, (c.Rank()+1)%3
		g, err := c.DistGraphCreateAdjacent(comm.Neighborhood{
			Sources:      []comm.Neighbor{{Rank: left}},
			Destinations: []comm.Neighbor{{Rank: right}},
		}, nil, false)
		if err != nil {
			return err
		}
		x, got := []int32{int32(c.Rank())}, make([]int32, 1)
		err = g.NeighborAllGather(types.Of(x), types.Of(got))
		if c.Rank() == 0 {
			fmt.Println(got)
		}
		return errors.Join(err, g.Free())
	})
	fmt.Println(err)
	// Output:
	// [2]
	// <nil>
}

// DistGraphCreate makes a graph of edges that any rank may name.
func ExampleComm_DistGraphCreate() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		var edges []comm.DistEdge
		if c.Rank() == 0 {
			edges = []comm.DistEdge{{From: 1, To: 2}, {From: 0, To: 2}}
		}
		g, err := c.DistGraphCreate(edges, false, nil, false)
		if err != nil {
			return err
		}
		in, out, _, err := g.DistGraphNeighborsCount()
		if c.Rank() == 2 {
			fmt.Println(in, out)
		}
		return errors.Join(err, g.Free())
	})
	fmt.Println(err)
	// Output:
	// 2 0
	// <nil>
}

// An intercommunicator joins two groups. A rank sends to ranks of the other group.
func ExampleComm_IntercommCreate() {
	err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
		half, err := c.Split(c.Rank()/2, 0) // ranks 0 and 1, ranks 2 and 3
		if err != nil {
			return err
		}
		leader := 2 // of the other group, as rank of c
		if c.Rank() >= 2 {
			leader = 0
		}
		inter, err := half.IntercommCreate(0, c, leader, 0)
		if err != nil {
			return err
		}
		x := []int32{int32(c.Rank())}
		_, err = inter.SendRecvReplace(types.Of(x), comm.To{Rank: half.Rank()}, comm.From{Rank: half.Rank()})
		if c.Rank() == 1 {
			fmt.Println("from rank", x[0])
		}
		return errors.Join(err, inter.Free(), half.Free())
	})
	fmt.Println(err)
	// Output:
	// from rank 3
	// <nil>
}

// IntercommMerge makes one group of two. The group that says high comes second.
func ExampleComm_IntercommMerge() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		inter, err := c.Self().IntercommCreate(0, c, 1-c.Rank(), 0)
		if err != nil {
			return err
		}
		both, err := inter.IntercommMerge(c.Rank() == 0)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println("rank", both.Rank(), "of", both.Size())
		}
		return errors.Join(both.Free(), inter.Free())
	})
	fmt.Println(err)
	// Output:
	// rank 1 of 2
	// <nil>
}

// A name makes reports about a communicator easier to read.
func ExampleComm_SetName() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		err = d.SetName("rows")
		fmt.Println(d.Name())
		return errors.Join(err, d.Free())
	})
	fmt.Println(err)
	// Output:
	// rows
	// <nil>
}

// NewInfo makes an empty set of hints. A hint that a call does not know is ignored.
func ExampleNewInfo() {
	in := comm.NewInfo()
	err := in.Set("striping_factor", "4")
	value, ok := in.Get("striping_factor")
	fmt.Println(value, ok, in.NKeys(), err)
	// Output: 4 true 1 <nil>
}

// A communicator remembers the hints that it was made with.
func ExampleComm_DupWithInfo() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		in := comm.NewInfo()
		if err := in.Set("mpi_assert_no_any_tag", "true"); err != nil {
			return err
		}
		d, err := c.DupWithInfo(in)
		if err != nil {
			return err
		}
		used, err := d.Info()
		if err != nil {
			return err
		}
		value, ok := used.Get("mpi_assert_no_any_tag")
		fmt.Println(value, ok)
		return d.Free()
	})
	fmt.Println(err)
	// Output:
	// true true
	// <nil>
}

// An attribute is a value that a library keeps with a communicator. The functions of its
// key run when the communicator is duplicated and when it is freed.
func ExampleNewKeyval() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		key := comm.NewKeyval(comm.DupAttr, func(*comm.Comm, *comm.Keyval, any) error {
			fmt.Println("freed")
			return nil
		})
		if err := c.SetAttr(key, "cache"); err != nil {
			return err
		}
		d, err := c.Dup()
		if err != nil {
			return err
		}
		value, ok, err := d.Attr(key)
		fmt.Println(value, ok)
		return errors.Join(err, d.Free(), c.DeleteAttr(key), key.Free())
	})
	fmt.Println(err)
	// Output:
	// cache true
	// freed
	// freed
	// <nil>
}

// DupAttr is a key's copy function that shares the value with the duplicate. Without it the
// duplicate has none.
func ExampleDupAttr() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		shared, alone := comm.NewKeyval(comm.DupAttr, nil), comm.NewKeyval(nil, nil)
		err := errors.Join(c.SetAttr(shared, 1), c.SetAttr(alone, 2))
		d, e := c.Dup()
		if e != nil {
			return e
		}
		_, a, e1 := d.Attr(shared)
		_, b, e2 := d.Attr(alone)
		fmt.Println(a, b)
		return errors.Join(err, e1, e2, d.Free())
	})
	fmt.Println(err)
	// Output:
	// true false
	// <nil>
}

// Calls return their errors. A handler can do something with them first.
func ExampleNewErrhandler() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		err := c.SetErrhandler(comm.NewErrhandler(func(_ *comm.Comm, err error) {
			fmt.Println("handler:", errors.Is(err, comm.ErrRank))
		}))
		if err != nil {
			return err
		}
		err = c.Send(types.Of([]int32{1}), 99, 0)
		fmt.Println("call:", errors.Is(err, comm.ErrRank))
		return c.SetErrhandler(comm.ErrorsReturn)
	})
	fmt.Println(err)
	// Output:
	// handler: true
	// call: true
	// <nil>
}

// NewErrhandlerReturning makes a handler whose result is the error of the call.
func ExampleNewErrhandlerReturning() {
	errNoPeer := errors.New("no such peer")
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		err := c.SetErrhandler(comm.NewErrhandlerReturning(func(_ *comm.Comm, err error) error {
			return errors.Join(errNoPeer, err)
		}))
		if err != nil {
			return err
		}
		err = c.Send(types.Of([]int32{1}), 99, 0)
		fmt.Println(errors.Is(err, errNoPeer), errors.Is(err, comm.ErrRank))
		return c.SetErrhandler(comm.ErrorsReturn)
	})
	fmt.Println(err)
	// Output:
	// true true
	// <nil>
}

// An error says which call failed on which rank, and of which class it is.
func ExampleError() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		var e *comm.Error
		err := c.Send(types.Of([]int32{1}), 0, -5)
		if errors.As(err, &e) {
			fmt.Println(e.Op, e.Rank, e.Class.Name())
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// Send 0 MPI_ERR_TAG
	// <nil>
}

// Abort ends the whole run. Its error has the code.
func ExampleComm_Abort() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 1 {
			return c.Abort(3)
		}
		return c.Barrier() // would wait for rank 1 for ever
	})
	var a *comm.AbortError
	fmt.Println(errors.As(err, &a) && a.Code == 3 && a.Rank == 1)
	// Output: true
}

// WTime is a clock in seconds. It never goes back.
func ExampleComm_WTime() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		begin := c.WTime()
		fmt.Println(c.WTime() >= begin, c.WTick() > 0)
		return nil
	})
	fmt.Println(err)
	// Output:
	// true true
	// <nil>
}

// LibraryVersion names this library and its version.
func ExampleLibraryVersion() {
	fmt.Println(strings.Contains(comm.LibraryVersion(), "commworld"))
	// Output: true
}

// ProcessorName names the machine that runs the calling rank.
func ExampleProcessorName() {
	fmt.Println(comm.ProcessorName() != "")
	// Output: true
}
