package comm_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Send sends a buffer to one rank. It returns when the buffer may be used again, which
// need not be when the receiver has it.
func ExampleComm_Send() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(types.Of([]int32{1, 2, 3}), 1, 7)
		}
		x := make([]int32, 3)
		_, err := c.Recv(types.Of(x), 0, 7)
		fmt.Println(x)
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2 3]
	// <nil>
}

// Recv waits for a message. The buffer may be longer than the message: the status says
// who sent it, with which tag, and how long it is.
func ExampleComm_Recv() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(types.Of([]int32{1, 2, 3}), 1, 7)
		}
		x := make([]int32, 10)
		st, err := c.Recv(types.Of(x), comm.AnySource, comm.AnyTag)
		n, _ := st.Count(types.Int32)
		fmt.Println(x[:n], "from", st.Source, "tag", st.Tag)
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2 3] from 0 tag 7
	// <nil>
}

// SSend returns only after the receiver has begun to receive, regardless of the library's buffers. A
// program that works with SSend needs no buffers of the library.
func ExampleComm_SSend() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.SSend(types.Of([]int32{5}), 1, 0)
		}
		x := make([]int32, 1)
		_, err := c.Recv(types.Of(x), 0, 0)
		fmt.Println(x)
		return err
	})
	fmt.Println(err)
	// Output:
	// [5]
	// <nil>
}

// RSend promises that the receiver already waits. Here rank 1 says so with a message.
func ExampleComm_RSend() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 1)
		if c.Rank() == 0 {
			if _, err := c.Recv(types.Of(x), 1, 1); err != nil {
				return err
			}
			return c.RSend(types.Of([]int32{5}), 1, 0)
		}
		r, err := c.IRecv(types.Of(x), 0, 0)
		if err != nil {
			return err
		}
		err = c.Send(types.Of([]int32{0}), 0, 1) // "I wait"
		_, e := r.Wait()
		fmt.Println(x)
		return errors.Join(err, e)
	})
	fmt.Println(err)
	// Output:
	// [5]
	// <nil>
}

// BSend copies the message to a buffer that the program attached, and never waits for the
// receiver. Each message needs BSendOverhead bytes more than its data.
func ExampleComm_BSend() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if err := c.BufferAttach(make([]byte, 8+comm.BSendOverhead)); err != nil {
			return err
		}
		peer := 1 - c.Rank()
		err := c.BSend(types.Of([]int32{int32(c.Rank()), 9}), peer, 0)
		x := make([]int32, 2)
		_, e := c.Recv(types.Of(x), peer, 0)
		if c.Rank() == 0 {
			fmt.Println(x)
		}
		_, free := c.BufferDetach() // waits until the messages have left
		return errors.Join(err, e, free)
	})
	fmt.Println(err)
	// Output:
	// [1 9]
	// <nil>
}

// ISend begins a send and returns at once. The buffer must stay as it is until Wait.
func ExampleComm_ISend() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := []int32{int32(c.Rank())}
		y := make([]int32, 1)
		r, err := c.ISend(types.Of(x), 1-c.Rank(), 0)
		if err != nil {
			return err
		}
		_, err = c.Recv(types.Of(y), 1-c.Rank(), 0)
		_, e := r.Wait()
		if c.Rank() == 0 {
			fmt.Println(y)
		}
		return errors.Join(err, e)
	})
	fmt.Println(err)
	// Output:
	// [1]
	// <nil>
}

// IRecv begins a receive, so that the rank can work while the message is on its way.
func ExampleComm_IRecv() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(types.Of([]int32{4}), 1, 0)
		}
		x := make([]int32, 1)
		r, err := c.IRecv(types.Of(x), 0, 0)
		if err != nil {
			return err
		}
		// Work that does not need x goes here.
		st, err := r.Wait()
		fmt.Println(x, "from", st.Source)
		return err
	})
	fmt.Println(err)
	// Output:
	// [4] from 0
	// <nil>
}

// SendRecv sends and receives in one call, so that ranks in a ring never wait in a circle.
func ExampleComm_SendRecv() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		left, right := (c.Rank()+2)%3, (c.Rank()+1)%3
		x := make([]int32, 1)
		_, err := c.SendRecv(types.Of([]int32{int32(c.Rank())}), comm.To{Rank: right}, types.Of(x), comm.From{Rank: left})
		if c.Rank() == 0 {
			fmt.Println("rank 0 has what rank", x[0], "sent")
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// rank 0 has what rank 2 sent
	// <nil>
}

// SendRecvReplace sends a buffer and receives another message into it.
func ExampleComm_SendRecvReplace() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := []int32{int32(10 * c.Rank())}
		_, err := c.SendRecvReplace(types.Of(x), comm.To{Rank: 1 - c.Rank()}, comm.From{Rank: 1 - c.Rank()})
		if c.Rank() == 0 {
			fmt.Println(x)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [10]
	// <nil>
}

// ISendRecv is SendRecv with a request to wait for.
func ExampleComm_ISendRecv() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 1)
		r, err := c.ISendRecv(types.Of([]int32{int32(c.Rank())}), comm.To{Rank: 1 - c.Rank()}, types.Of(x), comm.From{Rank: 1 - c.Rank()})
		if err != nil {
			return err
		}
		_, err = r.Wait()
		if c.Rank() == 0 {
			fmt.Println(x)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [1]
	// <nil>
}

// Probe waits for a message without receiving it. Its status says how long a buffer must be.
func ExampleComm_Probe() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(types.Of([]int32{1, 2, 3, 4}), 1, 0)
		}
		st, err := c.Probe(0, comm.AnyTag)
		if err != nil {
			return err
		}
		n, _ := st.Count(types.Int32)
		x := make([]int32, n)
		_, err = c.Recv(types.Of(x), st.Source, st.Tag)
		fmt.Println(x)
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2 3 4]
	// <nil>
}

// IProbe looks whether a message is there, and does not wait. Before the barrier no rank
// has sent one; after it there is one.
func ExampleComm_IProbe() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return errors.Join(c.Barrier(), c.Send(types.Of([]int32{1}), 1, 0), c.Barrier())
		}
		_, before, err := c.IProbe(0, 0)
		err = errors.Join(err, c.Barrier(), c.Barrier())
		_, after, e := c.IProbe(0, 0)
		fmt.Println(before, after)
		_, r := c.Recv(types.Of(make([]int32, 1)), 0, 0)
		return errors.Join(err, e, r)
	})
	fmt.Println(err)
	// Output:
	// false true
	// <nil>
}

// MProbe takes a message that only MRecv can then receive. No other goroutine of the rank
// can receive it between the two calls.
func ExampleComm_MProbe() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send(types.Of([]int32{8, 9}), 1, 0)
		}
		msg, st, err := c.MProbe(comm.AnySource, 0)
		if err != nil {
			return err
		}
		n, _ := st.Count(types.Int32)
		x := make([]int32, n)
		_, err = msg.MRecv(types.Of(x))
		fmt.Println(x)
		return err
	})
	fmt.Println(err)
	// Output:
	// [8 9]
	// <nil>
}

// A persistent request is made once and started for each message.
func ExampleComm_SendInit() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 1)
		begin := c.SendInit
		if c.Rank() == 1 {
			begin = c.RecvInit
		}
		r, err := begin(types.Of(x), 1-c.Rank(), 0)
		if err != nil {
			return err
		}
		for i := range int32(3) {
			if c.Rank() == 0 {
				x[0] = i * i
			}
			if err = r.Start(); err != nil {
				return err
			}
			if _, err = r.Wait(); err != nil {
				return err
			}
			if c.Rank() == 1 {
				fmt.Println(x)
			}
		}
		return r.Free()
	})
	fmt.Println(err)
	// Output:
	// [0]
	// [1]
	// [4]
	// <nil>
}

// StartAll starts several persistent requests.
func ExampleStartAll() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := []int32{int32(c.Rank()), -1}
		send, err := c.SendInit(types.Of(x[:1]), 1-c.Rank(), 0)
		if err != nil {
			return err
		}
		recv, err := c.RecvInit(types.Of(x[1:]), 1-c.Rank(), 0)
		if err != nil {
			return err
		}
		err = comm.StartAll(send, recv)
		_, e := comm.WaitAll(send, recv)
		if c.Rank() == 0 {
			fmt.Println(x)
		}
		return errors.Join(err, e, send.Free(), recv.Free())
	})
	fmt.Println(err)
	// Output:
	// [0 1]
	// <nil>
}

// A partitioned send lets each part of a message go as soon as it is ready, in any order.
func ExampleComm_PSendInit() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 4)
		if c.Rank() == 1 {
			r, err := c.PRecvInit(types.Of(x), 1, 0, 0)
			if err != nil {
				return err
			}
			err = r.Start()
			_, e := r.Wait()
			fmt.Println(x)
			return errors.Join(err, e, r.Free())
		}
		r, err := c.PSendInit(types.Of(x), 2, 1, 0) // two parts of two items
		if err != nil {
			return err
		}
		err = r.Start()
		x[2], x[3] = 3, 4
		err = errors.Join(err, r.PReady(1))
		x[0], x[1] = 1, 2
		err = errors.Join(err, r.PReady(0))
		_, e := r.Wait()
		return errors.Join(err, e, r.Free())
	})
	fmt.Println(err)
	// Output:
	// [1 2 3 4]
	// <nil>
}

// PArrived reports whether a part of a partitioned message can be used before the rest.
func ExampleRequest_PArrived() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		begin, n := c.PSendInit, 2
		if c.Rank() == 1 {
			begin = c.PRecvInit
		}
		r, err := begin(types.Of(x), n, 1-c.Rank(), 0)
		if err != nil {
			return err
		}
		err = r.Start()
		if c.Rank() == 0 {
			x[1] = 7
			err = errors.Join(err, r.PReady(1), c.Barrier(), r.PReady(0))
		} else {
			for arrived := false; !arrived && err == nil; {
				arrived, err = r.PArrived(1)
			}
			fmt.Println(x[1])
			err = errors.Join(err, c.Barrier())
		}
		_, e := r.Wait()
		return errors.Join(err, e, r.Free())
	})
	fmt.Println(err)
	// Output:
	// 7
	// <nil>
}

// WaitAll waits for every request. The statuses are in the order of the requests.
func ExampleWaitAll() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		sts, err := comm.WaitAll(a, b)
		fmt.Println(x, sts[0].Source, sts[1].Source)
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2] 1 2
	// <nil>
}

// WaitAny waits for the request that completes first. Its index is Undefined if none
// is left.
func ExampleWaitAny() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		sum := int32(0)
		for {
			i, _, err := comm.WaitAny(a, b)
			if err != nil || i == comm.Undefined {
				fmt.Println(sum)
				return err
			}
			sum += x[i]
		}
	})
	fmt.Println(err)
	// Output:
	// 3
	// <nil>
}

// WaitSome waits until at least one request is complete, and returns all that are.
func ExampleWaitSome() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		for left := 2; left > 0; {
			done, _, err := comm.WaitSome(a, b)
			if err != nil {
				return err
			}
			left -= len(done)
		}
		fmt.Println(x)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [1 2]
	// <nil>
}

// TestAll does not wait. It completes the requests only if all of them can be.
func ExampleTestAll() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		for done := false; !done; {
			if _, done, err = comm.TestAll(a, b); err != nil {
				return err
			}
		}
		fmt.Println(x)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [1 2]
	// <nil>
}

// TestAny completes one request if one can be, and does not wait.
func ExampleTestAny() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		for left := 2; left > 0; {
			_, _, ok, err := comm.TestAny(a, b)
			if err != nil {
				return err
			}
			if ok {
				left--
			}
		}
		fmt.Println(x)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [1 2]
	// <nil>
}

// TestSome completes those requests that can be, which may be none.
func ExampleTestSome() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		for left := 2; left > 0; {
			done, _, err := comm.TestSome(a, b)
			if err != nil {
				return err
			}
			left -= len(done)
		}
		fmt.Println(x)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [1 2]
	// <nil>
}

// StatusAll is TestAll that leaves the requests as they are: they are still to be completed.
func ExampleStatusAll() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		done := false
		for !done {
			if _, done, err = comm.StatusAll(a, b); err != nil {
				return err
			}
		}
		_, err = comm.WaitAll(a, b)
		fmt.Println(x, done)
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2] true
	// <nil>
}

// StatusAny finds a complete request and leaves it as it is.
func ExampleStatusAny() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		found := false
		for !found {
			if _, _, found, err = comm.StatusAny(a, b); err != nil {
				return err
			}
		}
		_, err = comm.WaitAll(a, b)
		fmt.Println(x, found)
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2] true
	// <nil>
}

// StatusSome lists the complete requests and leaves them as they are.
func ExampleStatusSome() {
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		x := make([]int32, 2)
		if c.Rank() > 0 {
			return c.Send(types.Of([]int32{int32(c.Rank())}), 0, 0)
		}
		a, err := c.IRecv(types.Of(x[:1]), 1, 0)
		if err != nil {
			return err
		}
		b, err := c.IRecv(types.Of(x[1:]), 2, 0)
		if err != nil {
			return err
		}
		for n := 0; n < 2; {
			done, _, err := comm.StatusSome(a, b)
			if err != nil {
				return err
			}
			n = len(done)
		}
		_, err = comm.WaitAll(a, b)
		fmt.Println(x)
		return err
	})
	fmt.Println(err)
	// Output:
	// [1 2]
	// <nil>
}

// Cancel ends a receive that no message has matched. Wait still completes it.
func ExampleRequest_Cancel() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		r, err := c.IRecv(types.Of(make([]int32, 1)), 0, 0)
		if err != nil {
			return err
		}
		err = r.Cancel()
		st, e := r.Wait()
		fmt.Println(st.Cancelled())
		return errors.Join(err, e)
	})
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// A generalized request lets a program's own operation be waited for like any other.
func ExampleComm_GRequestStart() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		r, err := c.GRequestStart(comm.GRequest{
			Query: func(st *comm.Status) error {
				st.Source, st.Tag = comm.Undefined, comm.Undefined
				return st.SetElements(types.Int32, 3)
			},
		})
		if err != nil {
			return err
		}
		err = r.GRequestComplete() // when the operation is done
		st, e := r.Wait()
		n, _ := st.Elements(types.Int32)
		fmt.Println(n)
		return errors.Join(err, e)
	})
	fmt.Println(err)
	// Output:
	// 3
	// <nil>
}

// NewStatus makes the status of an operation that moved so many bytes.
func ExampleNewStatus() {
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		st := comm.NewStatus(12, c.Arch())
		n, whole := st.Count(types.Int32)
		fmt.Println(n, whole)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 3 true
	// <nil>
}

// Pack writes values of several types one after the other, to be sent as one message.
func ExampleComm_Pack() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		if c.Rank() == 0 {
			mem := make([]byte, 64)
			at, err := c.Pack(types.Of([]int32{3}), mem, 0)
			if err != nil {
				return err
			}
			if at, err = c.Pack(types.Of([]float64{2.5}), mem, at); err != nil {
				return err
			}
			return c.Send(types.Raw(mem, at, types.Packed), 1, 0)
		}
		mem, n, x := make([]byte, 64), make([]int32, 1), make([]float64, 1)
		if _, err := c.Recv(types.Raw(mem, 64, types.Packed), 0, 0); err != nil {
			return err
		}
		at, err := c.Unpack(mem, 0, types.Of(n))
		if err != nil {
			return err
		}
		_, err = c.Unpack(mem, at, types.Of(x))
		fmt.Println(n, x)
		return err
	})
	fmt.Println(err)
	// Output:
	// [3] [2.5]
	// <nil>
}

// Yield lets another rank run between two steps of code that this module does not know.
// Here both ranks read the counter before either writes it, so one increment is lost.
func ExampleComm_Yield() {
	counter := 0
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		old := counter
		if err := c.Yield(); err != nil {
			return err
		}
		counter = old + 1
		return nil
	}, world.Replay("roundrobin"))
	fmt.Println(counter, err)
	// Output: 1 <nil>
}

// The count of a receive is the most that may come. It may exceed the memory, as 15 of an array
// of 10, if the message does not: this is Example 3.1 of the standard.
func ExampleComm_Recv_count() {
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		a, b := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, make([]float32, 10)
		if c.Rank() == 0 {
			return errors.Join(c.Send(types.Of(a[:10]), 1, 7), c.Send(types.Of(a), 1, 7))
		}
		st, err := c.Recv(types.Of(b).Times(15), 0, 7)
		n, _ := st.Count(types.Float)
		fmt.Println(n, b, err)
		_, err = c.Recv(types.Of(b).Times(15), 0, 7)
		fmt.Println(errors.Is(err, comm.ErrBuffer))
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 10 [1 2 3 4 5 6 7 8 9 10] <nil>
	// true
}
