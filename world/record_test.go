package world_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// everyCall makes calls of all sorts that a model knows.
func everyCall(fsys *iofile.FS) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		n, me := c.Size(), c.Rank()
		one, all := []int32{int32(me)}, make([]int32, n)
		r := &runner{}
		r.do(c.Barrier())
		r.do(c.Bcast(types.Of(one), n-1))
		r.do(c.AllGather(types.Of(one), types.Of(all)))
		r.do(c.AllReduce(types.Of(one), types.Of(make([]int32, 1)), comm.Sum))
		send, err := c.SendInit(types.Of(one), (me+1)%n, 3)
		r.do(err)
		recv, err := c.RecvInit(types.Of(make([]int32, 1)), (me+n-1)%n, 3)
		r.do(err)
		for range 2 {
			r.do(comm.StartAll(recv, send))
			_, err = comm.WaitAll(recv, send)
			r.do(err)
		}
		r.do(send.Free())
		r.do(recv.Free())
		_, err = c.SendRecv(types.Of(one), comm.To{Rank: (me + 1) % n, Tag: 4}, types.Of(make([]int32, 1)), comm.From{Rank: comm.AnySource, Tag: 4})
		r.do(err)
		q, err := c.IAllReduce(types.Of(one), types.Of(make([]int32, 1)), comm.Max)
		r.do(err)
		_, err = q.Wait()
		r.do(err)
		b, err := c.BarrierInit()
		r.do(err)
		for range 2 {
			r.do(b.Start())
			_, err = b.Wait()
			r.do(err)
		}
		r.do(b.Free())
		half, err := c.Split(me%2, me)
		r.do(err)
		r.do(half.Reduce(types.Of(one), types.Of(make([]int32, 1)), comm.Sum, 0))
		f, err := iofile.Open(half, fsys, []string{"even", "odd"}[me%2], iofile.Create|iofile.ReadWrite)
		r.do(err)
		r.do(f.SetView(iofile.View{Disp: int64(4 * half.Rank()), Etype: types.Int32, Filetype: types.Resized(types.Int32, 0, int64(4*half.Size()))}))
		_, err = f.WriteAtAll(types.Of(make([]int32, 10)), 0)
		r.do(err)
		r.do(f.Sync())
		w, err := f.IWriteAt(types.Of(make([]int32, 10)), 20)
		r.do(err)
		_, err = w.Wait()
		r.do(err)
		_, err = f.ReadAtAll(types.Of(make([]int32, 10)), 0)
		r.do(err)
		r.do(f.Close())
		r.do(half.Free())
		return r.err
	}
}

// A runner keeps the first error.
type runner struct{ err error }

func (r *runner) do(err error) {
	if r.err == nil {
		r.err = err
	}
}

// TestRecord: in the model a recorded run makes the same requests as the run itself, under
// each strategy, and two recordings of a program are equal.
func TestRecord(t *testing.T) {
	for _, s := range []strategy.Strategy{strategy.Direct{}, strategy.List{}, strategy.Sieve{}, strategy.TwoPhase{Nodes: 2, Write: strategy.Enable}} {
		for _, ranks := range []int{1, 2, 5} {
			var p machine.Program
			run := func() *machine.Report {
				rep, err := world.RunReport(t.Context(), ranks, everyCall(iofile.NewMem()), world.Record(&p), world.Strategy(s))
				require.NoError(t, err)
				r, err := machine.Run(t.Context(), machine.Lustre(4, 1<<20), p, machine.Options{})
				require.NoError(t, err)
				var asked world.Requests
				for i := range rep.Files {
					asked.Add(rep.Files[i].Requests)
				}
				for i := range p.Calls(0) {
					assert.Regexp(t, ` record_test\.go:\d+$`, p.Call(0, i).Label)
				}
				counts := world.Requests(r.Counts)
				counts.Sent, asked.Sent = 0, 0 // the model's are those of messages, too
				assert.Equal(t, asked, counts, "%v, %d ranks", s, ranks)
				return r
			}
			a, b := run(), run()
			assert.Equal(t, a.String(), b.String())
		}
	}
}

func TestRecordRefuses(t *testing.T) {
	err := world.Run(t.Context(), 1, func(context.Context, *comm.Comm) error { return nil }, world.Record(nil))
	assert.ErrorContains(t, err, "the program is nil")
}
