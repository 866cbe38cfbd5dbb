package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// plays are the programs of all tests, by name.
var plays = map[string]play{
	"messages":   {ranks: 3, body: messages},
	"datatypes":  {ranks: 2, body: datatypes},
	"reductions": {ranks: 4, body: reductions},
	"wrong rank": {ranks: 2, body: wrongRank, alone: true},
	"panic":      {ranks: 2, body: panics, alone: true},
	"abort":      {ranks: 2, body: aborts, alone: true},
	"truncated":  {ranks: 2, body: truncated},
	"short":      {ranks: 2, body: shortMemory},
	"pending":    {ranks: 2, body: leavesPending, alone: true},

	"scripts":  {ranks: 4, body: scripts, later: true, opts: []world.Option{world.Unchecked()}},
	"programs": {ranks: drawnRanks, body: programs, later: true},

	"reported": {ranks: 3, body: talks, later: true, reported: true},

	"killed":  {ranks: 3, body: killed, alone: true},
	"astray":  {ranks: 1, body: nothing, alone: true},
	"signals": {ranks: 2, body: signals},
	"stray":   {ranks: 2, body: stray, alone: true},
	"left":    {ranks: 1, body: leaves, alone: true},
	"halfway": {ranks: 2, body: halfway, alone: true},

	"collectives":   {ranks: 4, body: collectives},
	"modes":         {ranks: 3, body: modes},
	"requests":      {ranks: 3, body: requests},
	"probes":        {ranks: 2, body: probes},
	"communicators": {ranks: 4, body: communicators},
	"topologies":    {ranks: 4, body: topologies},
	"neighbours":    {ranks: 4, body: neighbours},
	"intercomms":    {ranks: 4, body: intercomms},
	"operations":    {ranks: 3, body: operations},
	"bools":         {ranks: 2, body: bools},

	"accesses":    {ranks: 3, body: accesses},
	"pointers":    {ranks: 2, body: pointers},
	"file errors": {ranks: 2, body: fileErrors},
	"in memory":   {ranks: 3, body: inMemory},
}

// same returns an error unless two values are equal.
func same[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: %v, expected %v", what, got, want)
	}
	return nil
}

func sameList[T comparable](what string, got, want []T) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: %v, expected %v", what, got, want)
	}
	return nil
}

// messages sends around a ring, to no rank, and to itself.
func messages(_ context.Context, c *comm.Comm) error {
	n, me := c.Size(), c.Rank()
	got := make([]int64, 3)
	if me == 0 {
		if err := c.Send(types.Of([]int64{1, 2, 3}), 1, 7); err != nil {
			return err
		}
	}
	st, err := c.Recv(types.Of(got), (me+n-1)%n, comm.AnyTag)
	if err != nil {
		return err
	}
	count, _ := st.Count(types.Int64)
	errs := []error{
		same("source", st.Source, (me+n-1)%n), same("tag", st.Tag, 7), same("count", count, 3),
		sameList("data", got, []int64{1, 2, 3}),
	}
	if me != 0 {
		errs = append(errs, c.Send(types.Of(got), (me+1)%n, 7))
	}
	none, err := c.Recv(types.Of(got), comm.ProcNull, 3)
	errs = append(errs, err, same("source of nothing", none.Source, comm.ProcNull), same("tag of nothing", none.Tag, comm.AnyTag))
	in, err := c.IRecv(types.Of(got[:1]), me, 1)
	if err != nil {
		return err
	}
	errs = append(errs, c.Send(types.Of([]int64{int64(me)}), me, 1))
	_, err = in.Wait()
	errs = append(errs, err, same("from oneself", got[0], int64(me)))
	x, err := c.SendRecv(types.Of([]int32{int32(me)}), comm.To{Rank: (me + 1) % n, Tag: 2}, types.Of(make([]int32, 4)), comm.From{Rank: (me + n - 1) % n, Tag: 2})
	count, _ = x.Count(types.Int32)
	return errors.Join(append(errs, err, same("count of SendRecv", count, 1))...)
}

// datatypes sends memory with holes, of every constructor, and compares.
func datatypes(_ context.Context, c *comm.Comm) error {
	var errs []error
	for _, text := range []string{
		"dup(int)", "contiguous(3, double)", "vector(3, 2, 4, short)", "hvector(2, 1, 12, float)",
		"indexed([2, 1], [3, 0], int)", "hindexed([1, 2], [16, 0], int)", "indexed_block(2, [4, 0], char)",
		"hindexed_block(1, [9, 2], byte)", "struct([1, 2], [0, 8], [int, double])",
		"subarray([4, 4], [2, 3], [1, 1], c, int)", "subarray([4, 4], [2, 3], [1, 1], fortran, int)",
		"darray(2, 1, [8], [cyclic], [2], [2], c, int)", "resized(hindexed([1], [4], int), -4, 24)",
		"contiguous(2, resized(struct([1, 1], [0, 4], [int, char]), 0, 16))",
		"doubleint", "hvector(2, 1, 5, struct([1], [0], [int]))",
	} {
		t, err := types.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		errs = append(errs, exchange(c, text, t))
	}
	return errors.Join(errs...)
}

// exchange sends two items of t from rank 0 to rank 1, which compares every
// byte of its memory.
func exchange(c *comm.Comm, text string, t *types.Type) error {
	const room, middle = 1024, 256
	mem := make([]byte, room)
	for i := range mem {
		mem[i] = byte(i*7 + 1)
	}
	if c.Rank() == 0 {
		return c.Send(types.Raw(mem, 2, t).At(middle), 1, 0)
	}
	got, want := make([]byte, room), make([]byte, room)
	st, err := c.Recv(types.Raw(got, 2, t).At(middle), 0, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	b := types.Raw(mem, 2, t).At(middle)
	packed := make([]byte, b.Packed(c.Arch()))
	b.Pack(packed, 0, c.Arch())
	types.Raw(want, 2, t).At(middle).Unpack(packed, 0, c.Arch())
	n, _ := st.Count(t)
	return errors.Join(same(text+": count", n, 2), sameList(text, got, want))
}

// left returns the operand of the lowest rank; it does not commute.
var left = comm.NewOp("left", func(in, inout types.Buffer) error {
	copy(inout.Mem(), in.Mem())
	return nil
})

// reductions reduces by predefined operations and by one of the program.
func reductions(_ context.Context, c *comm.Comm) error {
	me, n := c.Rank(), c.Size()
	sum, most := make([]int64, 2), make([]float64, 1)
	errs := []error{
		c.AllReduce(types.Of([]int64{int64(me), 1}), types.Of(sum), comm.Sum), sameList("Sum", sum, []int64{int64(n * (n - 1) / 2), int64(n)}),
		c.AllReduce(types.Of([]float64{float64(me)}), types.Of(most), comm.Max), sameList("Max", most, []float64{float64(n - 1)}),
	}
	x := []int64{int64(me + 1)}
	errs = append(errs, c.AllReduce(comm.InPlace, types.Of(x), comm.Prod), same("Prod in place", x[0], 24))
	y := make([]int64, 3)
	errs = append(errs, c.AllReduce(types.Of([]int64{int64(me), int64(me), 5}), types.Of(y), left), sameList("left", y, []int64{0, 0, 5}))
	b := []int32{0, 0}
	if me == 2 {
		b = []int32{8, 9}
	}
	errs = append(errs, c.Bcast(types.Of(b), 2), sameList("Bcast", b, []int32{8, 9}), c.Barrier())
	return errors.Join(errs...)
}

func truncated(_ context.Context, c *comm.Comm) error {
	if c.Rank() == 0 {
		return c.Send(types.Of([]int64{1, 2, 3}), 1, 0)
	}
	_, err := c.Recv(types.Of(make([]int64, 1)), 0, 0)
	if !errors.Is(err, comm.ErrTruncate) {
		return fmt.Errorf("not truncated: %w", err)
	}
	return nil
}

// shortMemory receives into memory that is smaller than the count, which is correct as long as
// the message fits. A library does not know where the memory ends. (P2P-09)
func shortMemory(_ context.Context, c *comm.Comm) error {
	numbers := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	record := types.Struct(types.Field{Count: 2, Type: types.Float}, types.Field{Count: 3, Disp: 12, Type: types.Float})
	lengths := []int{10, 0, 12, 4, 10, 3, 11, 10, 12, 7, 8, 9}
	if c.Rank() == 0 {
		for _, n := range lengths {
			if err := c.Send(types.Of(numbers[:n]), 1, 0); err != nil {
				return err
			}
		}
		return nil
	}
	wait := func(q *comm.Request, err error) (comm.Status, error) {
		if err != nil {
			return comm.Status{}, err
		}
		return q.Wait()
	}
	for i, n := range lengths {
		all := make([]float32, 20)
		mem := all[5:15:15]
		buf := types.Of(mem).Times(15)
		if i >= 8 {
			buf = types.Of(mem).As(record).Times(4) // of the second copy, the first 3 numbers have place
		}
		var st comm.Status
		var err error
		switch i % 4 {
		case 0:
			st, err = c.Recv(buf, 0, 0)
		case 1:
			st, err = wait(c.IRecv(buf, 0, 0))
		case 2:
			st, err = c.SendRecv(types.Of([]int32{}), comm.To{Rank: comm.ProcNull}, buf, comm.From{Rank: 0})
		case 3:
			m, _, err2 := c.MProbe(0, 0)
			if err2 != nil {
				return err2
			}
			st, err = m.MRecv(buf)
		}
		long := n > 10 || i >= 8 && n > 8
		if refused := errors.Is(err, comm.ErrTruncate) || errors.Is(err, comm.ErrBuffer); refused != long || err != nil && !long {
			return fmt.Errorf("receive %d of %d numbers: %w", i, n, err)
		}
		if long && !strings.Contains(err.Error(), "the memory of the receive") && !strings.Contains(err.Error(), "its memory") {
			return fmt.Errorf("the memory is not blamed: %w", err)
		}
		if err := errors.Join(sameList("before", all[:5], make([]float32, 5)), sameList("behind", all[15:], make([]float32, 5))); err != nil {
			return err
		}
		if got, ok := st.Count(types.Float); !long && (!ok || int(got) != n) {
			return fmt.Errorf("receive %d: %d numbers, not %d", i, got, n)
		}
		if i < 8 && !long {
			if err := sameList("numbers", mem[:n], numbers[:n]); err != nil {
				return err
			}
		} else if n == 7 {
			if err := sameList("records", mem, []float32{1, 2, 0, 3, 4, 5, 6, 7, 0, 0}); err != nil {
				return err
			}
		}
	}
	return nil
}

func wrongRank(_ context.Context, c *comm.Comm) error {
	if c.Rank() == 1 {
		return c.Send(types.Of([]int64{1}), 99, 0)
	}
	_, err := c.Recv(types.Of([]int64{1}), 1, 0) // which never comes
	return err
}

func panics(_ context.Context, c *comm.Comm) error {
	if c.Rank() == 1 {
		panic("no more")
	}
	return c.Barrier()
}

func aborts(_ context.Context, c *comm.Comm) error {
	if c.Rank() == 1 {
		return c.Abort(42)
	}
	return c.Barrier()
}

func leavesPending(_ context.Context, c *comm.Comm) error {
	if c.Rank() == 1 {
		_, err := c.IRecv(types.Of([]int64{1}), 0, 9)
		return err
	}
	return nil
}

// TestEnds checks how a job ends in which one rank fails.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		play, text string
		code       int // 0: any but 0
	}{
		{"wrong rank", "rank 99 is none of the 2 ranks", 0},
		{"panic", "rank 1: panic: no more at messages_test.go", 0},
		{"abort", "the world ends with code 42", 42},
		{"pending", "IRecv from 0 tag 9", 0},
	} {
		t.Run(c.play, func(t *testing.T) {
			e := perform(t, c.play)
			if e.code == 0 || c.code != 0 && e.code != c.code {
				t.Errorf("code %d", e.code)
			}
			if !strings.Contains(e.err, c.text) || !strings.Contains(e.err, "rank 1") {
				t.Errorf("not said: %q\n%s", c.text, e.err)
			}
		})
	}
}
