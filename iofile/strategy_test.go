package iofile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// TestStrategiesAgree: if it fails, a program reads or leaves other bytes
// because of how they travel. Random programs under the default model draw a
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
func dealt(t *testing.T, fsys *iofile.FS, n int64, s iofile.Strategy, body func(f *iofile.File, c *comm.Comm, mine []float64) error) {
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

// TestStrategyCarried: if it fails, plans are paper: what they say is not what
// happens, or what they count is not what they say.
func TestStrategyCarried(t *testing.T) {
	const n = 32
	for _, model := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		for _, s := range []iofile.Strategy{
			iofile.Direct{},
			iofile.Sieve{ReadBuffer: 600, WriteBuffer: 500},
			iofile.List{Most: 5},
			iofile.TwoPhase{Nodes: 3, Buffer: 700},
			iofile.TwoPhase{Write: iofile.Disable, Read: iofile.Disable},
		} {
			t.Run(fmt.Sprintf("IO-INFO-06 %v %v", model, s), func(t *testing.T) {
				fsys := iofile.NewMem(iofile.WithModel(model))
				var wrote, read [4]iofile.Counts
				dealt(t, fsys, n, s, func(f *iofile.File, c *comm.Comm, mine []float64) error {
					for i := range mine {
						mine[i] = float64(c.Rank()*1000 + i)
					}
					if _, err := f.WriteAtAll(types.Of(mine), 0); err != nil {
						return err
					}
					wrote[c.Rank()] = f.Counts()
					if err := syncBarrierSync(f, c); err != nil {
						return err
					}
					got := make([]float64, len(mine))
					st, err := f.ReadAtAll(types.Of(got), 0)
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
				var sum iofile.Counts
				for _, c := range wrote {
					sum.Add(c)
				}
				p, err := iofile.NewPlan(s, true, true, columns(t, n, 4))
				require.NoError(t, err)
				sameCounts(t, p.Counts(), sum)
				sum = iofile.Counts{}
				for r := range read {
					sum.Add(minus(read[r], wrote[r]))
				}
				p, err = iofile.NewPlan(s, false, true, columns(t, n, 4))
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
			})
		}
	}
}

// sameCounts compares what the shares of all ranks add up to with the whole. Each rank
// counts the rounds of all.
func sameCounts(t *testing.T, want, sum iofile.Counts) {
	t.Helper()
	sum.Rounds /= 4
	assert.Equal(t, want, sum)
}

func minus(a, b iofile.Counts) iofile.Counts {
	return iofile.Counts{
		Reads: a.Reads - b.Reads, Writes: a.Writes - b.Writes, ReadBytes: a.ReadBytes - b.ReadBytes, WriteBytes: a.WriteBytes - b.WriteBytes,
		Sent: a.Sent - b.Sent, Useful: a.Useful - b.Useful, Rounds: a.Rounds - b.Rounds, Locks: a.Locks - b.Locks,
	}
}
