package world_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// column has each of the ranks write its column of a matrix, as the options of the file say.
func column(fsys *iofile.FS, open ...iofile.OpenOption) func(context.Context, *comm.Comm) error {
	const rows = 1000
	return func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "matrix", iofile.Create|iofile.WriteOnly, open...)
		if err != nil {
			return err
		}
		if err = machine.Compute(c, 0.01); err == nil { // 10 ms of work for each rank
			err = f.SetView(iofile.View{
				Disp: int64(8 * c.Rank()), Etype: types.Double, Filetype: types.Resized(types.Double, 0, int64(8*c.Size())),
			})
		}
		if err == nil {
			_, err = f.WriteAtAll(types.Of(make([]float64, rows)), 0)
		}
		return errors.Join(err, f.Close())
	}
}

// Two ways to write the columns of a matrix, on the model of a cluster: the bytes move and
// are checked, and the report says which way takes how long there.
func ExampleOn() {
	cluster := machine.Lustre(16, 1<<20)
	for _, open := range [][]iofile.OpenOption{nil, {iofile.WithStrategy(strategy.Direct{})}} {
		rep, err := world.RunReport(context.Background(), 8, column(iofile.NewMem(), open...), world.On(cluster))
		if err != nil {
			fmt.Println(err)
			return
		}
		m, path := rep.Model, rep.Model.Critical()
		fmt.Printf("%s: %d requests, %d lock transfers, most time in %s\n", m.Strategy, m.Requests(), m.LockTransfers, path.Largest())
	}
	// Output:
	// TwoPhase{driver lustre, striping_factor 1, ranks a node 8, striping_unit 1048576}: 1 requests, 0 lock transfers, most time in compute
	// Direct: 8000 requests, 14000 lock transfers, most time in lock
}

// The recorded calls of a program are a value: run them on another machine, or with other
// stripes.
func ExampleRecord() {
	var p machine.Program
	err := world.Run(context.Background(), 8, column(iofile.NewMem()), world.Record(&p))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range []machine.Machine{machine.NFS(), machine.BurstBuffer(16)} {
		r, err := machine.Run(context.Background(), m, p, machine.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d requests of %d bytes by %s\n", m.Name, r.Requests(), r.Bytes(), r.Strategy)
	}
	// Output:
	// nfs: 1 requests of 64000 bytes by TwoPhase{ranks a node 8, striping_unit 1048576}
	// burstbuffer: 1 requests of 64000 bytes by TwoPhase{ranks a node 8, striping_unit 1048576}
}
