package iofile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStrategiesAgree: if it fails, the result of a program depends on the strategy that
// moves its bytes. Random programs under the default model draw a
// strategy in TestAgainstReference; here aggregators carry the bytes.
func TestStrategiesAgree(t *testing.T) {
	t.Run("IO-INFO-06 CONS-LAY-01 random programs under POSIX", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.IntRange(1, 5).Draw(rt, "ranks")
			var program []step
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				program = append(program, drawStep(rt, n))
			}
			fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
			runUnder(rt, fsys, seen{wild: true, posix: true}, n, program, rapid.Uint64().Draw(rt, "seed"), iofile.WithStrategy(drawStrategy(rt)))
		})
	})
}

// dealt runs body on 4 ranks that each own column blocks of an n x n matrix.
func dealt(t *testing.T, fsys *iofile.FS, n int64, s strategy.Strategy, body func(f *iofile.File, c *comm.Comm, mine []float64) error) {
	t.Helper()
	const p = 4
	ranks(t, p, func(c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "matrix", create, iofile.WithStrategy(s))
		if err != nil {
			return err
		}
		err = f.SetView(iofile.View{
			Disp: int64(c.Rank()) * n / p * 8, Etype: types.Double, Filetype: types.Vector(n, n/p, n, types.Double),
		})
		if err != nil {
			return err
		}
		return errors.Join(body(f, c, make([]float64, n*n/p)), f.Close())
	})
}

// A collectively is one form of the collective call by which a rank accesses all its data.
type collectively struct {
	name        string
	write, read func(f *iofile.File, buf types.Buffer) (iofile.Status, error)
}

var inAllForms = []collectively{
	{
		"waiting",
		func(f *iofile.File, buf types.Buffer) (iofile.Status, error) { return f.WriteAtAll(buf, 0) },
		func(f *iofile.File, buf types.Buffer) (iofile.Status, error) { return f.ReadAtAll(buf, 0) },
	},
	{
		"nonblocking",
		func(f *iofile.File, buf types.Buffer) (iofile.Status, error) { return completed(f.IWriteAtAll(buf, 0)) },
		func(f *iofile.File, buf types.Buffer) (iofile.Status, error) { return completed(f.IReadAtAll(buf, 0)) },
	},
	{
		"split",
		func(f *iofile.File, buf types.Buffer) (iofile.Status, error) {
			if err := f.WriteAtAllBegin(buf, 0); err != nil {
				return iofile.Status{}, err
			}
			return f.WriteAtAllEnd(buf)
		},
		func(f *iofile.File, buf types.Buffer) (iofile.Status, error) {
			if err := f.ReadAtAllBegin(buf, 0); err != nil {
				return iofile.Status{}, err
			}
			return f.ReadAtAllEnd(buf)
		},
	},
}

// TestStrategyCarried: if it fails, the requests are not those of the plan, the counts do
// not match the plan, or both depend on the form of the call.
func TestStrategyCarried(t *testing.T) {
	for _, model := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		for _, s := range []strategy.Strategy{
			strategy.Direct{},
			strategy.Sieve{ReadBuffer: 600, WriteBuffer: 500},
			strategy.List{Most: 5},
			strategy.TwoPhase{Nodes: 3, Buffer: 700},
			strategy.TwoPhase{Write: strategy.Disable, Read: strategy.Disable},
			blocks{96}, // of this test: package iofile knows their plans only
			pairs{},
			blockOwners{96},
		} {
			for _, w := range inAllForms {
				t.Run(fmt.Sprintf("IO-INFO-06 %v %v %s", model, s, w.name), func(t *testing.T) { carriesAsPlanned(t, model, s, w) })
			}
		}
	}
}

func carriesAsPlanned(t *testing.T, model consistency.Model, s strategy.Strategy, w collectively) {
	const n = 32
	fsys := iofile.NewMem(iofile.WithModel(model))
	var wrote, read [4]strategy.Counts
	dealt(t, fsys, n, s, func(f *iofile.File, c *comm.Comm, mine []float64) error {
		for i := range mine {
			mine[i] = float64(c.Rank()*1000 + i)
		}
		if _, err := w.write(f, types.Of(mine)); err != nil {
			return err
		}
		wrote[c.Rank()] = f.Counts()
		if err := syncBarrierSync(f, c); err != nil {
			return err
		}
		got := make([]float64, len(mine))
		st, err := w.read(f, types.Of(got))
		if err != nil {
			return err
		}
		read[c.Rank()] = f.Counts()
		k, ok := st.Count(types.Double)
		assert.True(t, ok)
		assert.Equal(t, int64(len(mine)), k)
		assert.Equal(t, mine, got)
		if c.Rank() == 0 {
			t.Logf("%v", f.Plan())
		}
		return nil
	})
	var sum strategy.Counts
	for _, c := range wrote {
		sum.Add(c)
	}
	p, err := strategy.NewPlan(s, true, true, columns(t, n, 4))
	require.NoError(t, err)
	sameCounts(t, p.Counts(), sum)
	sum = strategy.Counts{}
	for r := range read {
		sum.Add(minus(read[r], wrote[r]))
	}
	p, err = strategy.NewPlan(s, false, true, columns(t, n, 4))
	require.NoError(t, err)
	sameCounts(t, p.Counts(), sum)

	reference := iofile.NewMem()
	dealt(t, reference, n, nil, func(f *iofile.File, c *comm.Comm, mine []float64) error {
		for i := range mine {
			mine[i] = float64(c.Rank()*1000 + i)
		}
		_, err := f.WriteAtAll(types.Of(mine), 0)
		return err
	})
	a, err := fs.ReadFile(fsys, "matrix")
	require.NoError(t, err)
	b, err := fs.ReadFile(reference, "matrix")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(a, b), "the files differ")
}

// sameCounts compares what the shares of all ranks add up to with the whole. Each rank
// counts the rounds of all.
func sameCounts(t *testing.T, want, sum strategy.Counts) {
	t.Helper()
	sum.Rounds /= 4
	assert.Equal(t, want, sum)
}

func minus(a, b strategy.Counts) strategy.Counts {
	return strategy.Counts{
		Reads: a.Reads - b.Reads, Writes: a.Writes - b.Writes, ReadBytes: a.ReadBytes - b.ReadBytes, WriteBytes: a.WriteBytes - b.WriteBytes,
		Sent: a.Sent - b.Sent, Useful: a.Useful - b.Useful, Rounds: a.Rounds - b.Rounds, Locks: a.Locks - b.Locks,
	}
}

// TestStrategyFaults: if it fails, a fault of an aggregator, or of a rank before
// its bytes are under way, is an error on some ranks only, or others wait for
// ever.
func TestStrategyFaults(t *testing.T) {
	two := strategy.TwoPhase{Nodes: 2, Buffer: 16, Read: strategy.Enable, Write: strategy.Enable}
	write := func(f *iofile.File, r int) error { return second(f.WriteAll(chars("rankrank"[:4*(r%3)]))) }
	read := func(f *iofile.File, r int) error { return second(f.ReadAll(chars("rankrank"[:4*(r%3)]))) }
	split := func(f *iofile.File, r int) error {
		buf := chars("rankrank"[:4*(r%3)])
		if err := f.WriteAllBegin(buf); err != nil {
			return err
		}
		return second(f.WriteAllEnd(buf))
	}
	started := func(f *iofile.File, r int) error {
		return second(completed(f.IWriteAll(chars("rankrank"[:4*(r%3)]))))
	}
	reading := func(f *iofile.File, r int) error {
		return second(completed(f.IReadAll(chars("rankrank"[:4*(r%3)]))))
	}
	for _, c := range []struct {
		rule string
		call func(f *iofile.File, r int) error
	}{
		{"write error=io rank=1", started},
		{"write error=io torn=3 rank=0", started},
		{"read error=io rank=0", reading},
		{"IWriteAll error=io rank=2", started},
		{"IReadAll error=io rank=1", reading},
		{"write error=io rank=1", write},
		{"write error=io torn=3 rank=0", write},
		{"read error=io rank=0", read},
		{"WriteAll error=io rank=2", write},
		{"ReadAll error=io rank=1", read},
		{"WriteAllEnd error=io rank=1", split},
		{"write error=io rank=1", split},
	} {
		t.Run("IO-NAME-01 IO-IND-06 "+c.rule, func(t *testing.T) {
			fsys, plan := planned(t, "", iofile.WithModel(consistency.POSIX))
			put(t, fsys, "f", "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz")
			assert.NoError(t, plan.Set(faults.Must(c.rule)...))
			ranks(t, 5, func(w *comm.Comm) error {
				f, err := iofile.Open(w, fsys, "f", iofile.ReadWrite, iofile.WithStrategy(two))
				if err != nil {
					return err
				}
				err = f.SetView(iofile.View{Disp: int64(4 * w.Rank()), Etype: types.Char, Filetype: types.Resized(types.Contiguous(4, types.Char), 0, 20)})
				if err != nil {
					return err
				}
				var e *iofile.Error
				if err := c.call(f, w.Rank()); assert.ErrorAs(t, err, &e) {
					assert.ErrorIs(t, err, iofile.ErrIO)
					assert.Equal(t, w.Rank(), e.Rank)
					assert.ErrorContains(t, err, c.rule)
				}
				pos, err := f.Position()
				assert.NoError(t, err)
				assert.Zero(t, pos, "the pointer of a failed access is where it was")
				if err := w.Barrier(); err != nil {
					return err
				}
				assert.NoError(t, plan.Set())
				if err := w.Barrier(); err != nil {
					return err
				}
				assert.NoError(t, c.call(f, w.Rank()))
				return f.Close()
			}, world.Unchecked())
		})
	}
	t.Run("WORLD-01 an aggregator is killed", func(t *testing.T) {
		for _, rule := range []string{"write kill rank=1", "WriteAll kill rank=2", "IWriteAll kill rank=2", "write kill rank=1 call=3"} {
			fsys, _ := planned(t, rule, iofile.WithModel(consistency.POSIX))
			err := world.Run(t.Context(), 5, func(_ context.Context, w *comm.Comm) error {
				f, err := iofile.Open(w, fsys, "f", create, iofile.WithStrategy(two))
				if err != nil {
					return err
				}
				_, err = f.WriteAtAll(chars("01234567"), iofile.Offset(8*w.Rank()))
				if err == nil {
					err = second(f.WriteAll(chars("0123")))
				}
				if err == nil {
					err = second(completed(f.IWriteAll(chars("0123"))))
				}
				return err
			}, world.Unchecked())
			assert.ErrorIs(t, err, faults.ErrKilled)
		}
	})
}

// TestStrategyHints: if it fails, hints have no effect, or report values that are
// wrong.
func TestStrategyHints(t *testing.T) {
	t.Run("IO-HINT-04 IO-HINT-05 IO-INFO-05 what a strategy leaves open", func(t *testing.T) {
		const n = 256
		for _, c := range []struct {
			s         strategy.TwoPhase
			in        *comm.Info
			nodes     string
			buffer    string
			requests  int64
			byItself  bool
			sieveSize string
		}{
			{strategy.TwoPhase{}, nil, "1", "16777216", 1, false, "524288"},
			{strategy.TwoPhase{}, hints("cb_nodes", "4"), "4", "16777216", 4, false, "524288"},
			{strategy.TwoPhase{}, hints("cb_nodes", "4", "cb_buffer_size", "32768"), "4", "32768", 16, false, "524288"},
			{strategy.TwoPhase{Nodes: 3}, hints("cb_nodes", "4"), "3", "16777216", 3, false, "524288"},
			{strategy.TwoPhase{Nodes: 9}, nil, "4", "16777216", 4, false, "524288"},
			{strategy.TwoPhase{}, hints("cb_buffer_size", "4611686018427387904", "striping_unit", "4611686018427387904"), "1", "1073741824", 1, false, "524288"},
			{strategy.TwoPhase{}, hints("romio_cb_write", "disable", "ind_wr_buffer_size", "65536"), "1", "16777216", 32, true, "65536"},
		} {
			fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
			var counts [4]strategy.Counts
			dealt(t, fsys, n, c.s, func(f *iofile.File, w *comm.Comm, mine []float64) error {
				if err := f.SetInfo(c.in); err != nil {
					return err
				}
				if _, err := f.WriteAtAll(types.Of(mine), 0); err != nil {
					return err
				}
				counts[w.Rank()] = f.Counts()
				assert.Equal(t, c.byItself, f.Plan().Rounds == 0)
				info, err := f.Info()
				if err != nil {
					return err
				}
				for key, want := range map[string]string{"cb_nodes": c.nodes, "cb_buffer_size": c.buffer, "ind_wr_buffer_size": c.sieveSize, "collective_buffering": "true"} {
					got, _ := info.Get(key)
					assert.Equal(t, want, got, key)
				}
				return nil
			})
			sum := int64(0)
			for _, k := range counts {
				sum += k.Writes
			}
			assert.Equal(t, c.requests, sum, "%v %v", c.s, c.in)
		}
	})
	t.Run("IO-OPEN-04 GEN-05 strategies differ or mean nothing", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(w *comm.Comm) error {
			_, err := iofile.Open(w, fsys, "f", create, iofile.WithStrategy(strategy.List{Most: 1 + w.Rank()}))
			refused(t, err, iofile.ErrNotSame, "GEN-05")
			_, err = iofile.Open(w, fsys, "f", create, iofile.WithStrategy(strategy.Sieve{ReadBuffer: -1}))
			refused(t, err, iofile.ErrArg, "IO-OPEN-04")
			return nil
		})
	})
}

// If the plan came from the handle's present view, or from an access that is only under way,
// a user would optimize the wrong access.
func TestPlanOfLastAccess(t *testing.T) {
	require.NoError(t, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", create)
		if err != nil {
			return err
		}
		has := func(op string, write bool, offsets ...int64) {
			var got []int64
			for _, r := range f.Plan().Requests {
				got = append(got, r.Off)
			}
			assert.Equal(t, offsets, got, op)
			assert.Equal(t, op, f.Plan().Op)
			assert.Equal(t, write, f.Plan().Write, op)
		}
		has("", false)
		buf := types.Of(make([]byte, 8))
		for off := range int64(3) { // from the second on by the cached plan
			_, err = f.WriteAt(buf, iofile.Offset(off*8))
			has("WriteAt", true, off*8)
		}
		r, e1 := f.IReadAt(buf, 4)
		has("WriteAt", true, 16)
		_, e2 := r.Wait()
		has("IReadAt", false, 4)
		e3 := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 10)})
		has("IReadAt", false, 4)
		_, e4 := f.ReadAt(types.Of(make([]byte, 2)), 1)
		has("ReadAt", false, 10, 20)
		_, e5 := f.WriteAt(buf, -1)
		assert.ErrorIs(t, e5, iofile.ErrArg)
		has("WriteAt", true)
		return errors.Join(err, e1, e2, e3, e4, f.Close())
	}))
}
