package iofile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// asked returns the requests to the file system for the file "matrix" in the report of a
// run.
func asked(t require.TestingT, ranks int, body func(c *comm.Comm) error) (world.Requests, *world.Report) {
	rep, err := world.RunReport(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error { return body(c) })
	if rep == nil || len(rep.Files) != 1 {
		require.NoError(t, err)
		require.Len(t, rep.Files, 1)
	}
	return rep.Files[0].Requests, rep
}

// If the report counted other requests than the plans, users would optimize the wrong
// numbers.
func TestReportRequests(t *testing.T) {
	const n = 32
	for _, model := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		for _, s := range []strategy.Strategy{
			nil,
			strategy.Direct{},
			strategy.Sieve{ReadBuffer: 600, WriteBuffer: 500},
			strategy.List{Most: 5},
			strategy.TwoPhase{Nodes: 3, Buffer: 700},
			strategy.TwoPhase{Write: strategy.Disable, Read: strategy.Disable},
		} {
			for _, w := range inAllForms {
				t.Run(fmt.Sprintf("IO-INFO-06 %v %v %s", model, s, w.name), func(t *testing.T) {
					fsys := iofile.NewMem(iofile.WithModel(model))
					got, rep := asked(t, 4, func(c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "matrix", create, iofile.WithStrategy(s))
						if err != nil {
							return err
						}
						err = f.SetView(iofile.View{
							Disp: int64(c.Rank()) * n / 4 * 8, Etype: types.Double, Filetype: types.Vector(n, n/4, n, types.Double),
						})
						if err == nil {
							_, err = w.write(f, types.Of(make([]float64, n*n/4)))
						}
						if err == nil {
							_, err = w.read(f, types.Of(make([]float64, n*n/4)))
						}
						return err // never closed: the report has its accesses even so
					})
					require.Len(t, rep.Leaks, 4)
					require.ErrorIs(t, rep.Err, iofile.ErrOther)
					var want strategy.Counts
					for _, write := range []bool{true, false} {
						p, err := strategy.NewPlan(s, write, true, columns(t, n, 4))
						require.NoError(t, err)
						want.Add(p.Counts())
					}
					assert.Equal(t, want, strategy.Counts(got))
				})
			}
		}
	}
	t.Run("IO-INFO-06 text and JSON", func(t *testing.T) {
		fsys := iofile.NewMem()
		n, rep := asked(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "matrix", create, iofile.WithStrategy(strategy.Sieve{}))
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Disp: int64(c.Rank()) * 8, Etype: types.Double, Filetype: types.Vector(4, 1, 2, types.Double)}); err != nil {
				return err
			}
			if _, err := f.WriteAt(types.Of(make([]float64, 4)), 0); err != nil {
				return err
			}
			return f.Close()
		})
		require.NoError(t, rep.Err)
		assert.Equal(t, world.Requests{Reads: 2, ReadBytes: 112, Writes: 2, WriteBytes: 112, Useful: 64, Locks: 2}, n)
		assert.Contains(t, rep.String(), `
  requests  reads  bytes  writes  bytes  sent  rounds  locks  useful  of moved
  "matrix"      2    112       2    112     0       0      2      64    28.6 %
`)
		text, err := json.Marshal(rep.Files[0])
		require.NoError(t, err)
		var file map[string]any
		require.NoError(t, json.Unmarshal(text, &file))
		assert.Contains(t, file, "counters")
		delete(file, "counters") // they have tests of their own
		text, err = json.Marshal(file)
		require.NoError(t, err)
		assert.JSONEq(t, `{"name":"matrix", "opens":2, "syncs":0, "reads":{"count":0,"bytes":0}, "writes":{"count":2,"bytes":64}, "requests":
			{"reads":2,"writes":2,"read_bytes":112,"write_bytes":112,"sent":0,"useful":64,"rounds":0,"locks":2}, "strategy":"Sieve"}`, string(text))
	})
}

// If this fails, the requests of long accesses, which are not visited one by one, are
// counted wrong.
func TestReportManyCopies(t *testing.T) {
	t.Run("IO-INFO-06 random views", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			v := drawView(rt, rapid.SampledFrom([]*types.Type{types.Byte, types.Short}).Draw(rt, "etype"), "native")
			off, n := iofile.Offset(rapid.Int64Range(0, 9).Draw(rt, "from")), rapid.IntRange(0, 60).Draw(rt, "n")
			var p *strategy.Plan
			got, _ := asked(rt, 1, func(c *comm.Comm) error {
				f, err := iofile.Open(c, iofile.NewMem(), "matrix", create)
				if err != nil {
					return err
				}
				size := v.Etype.Size(types.Host)
				err = f.SetView(v)
				if err == nil {
					_, err = f.WriteAt(types.Of(make([]byte, int64(n)*size)), off)
				}
				if err == nil {
					_, err = f.ReadAt(types.Of(make([]byte, int64(n)*size)), off)
				}
				p = f.Plan()
				return errors.Join(err, f.Close())
			})
			want := p.Counts()
			assert.Equal(rt, world.Requests{
				Reads: want.Reads, Writes: want.Reads, ReadBytes: want.ReadBytes, WriteBytes: want.ReadBytes, Useful: 2 * want.Useful,
			}, got)
		})
	})
}
