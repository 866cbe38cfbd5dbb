package proptest_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

func init() { thorough.Fewer() }

// programs returns the number of programs that TestNoFalseAlarms runs; the suite is
// measured with 10,000, which takes too long for every day.
var programs = flag.Int("programs", 300, "programs of 4 ranks and 20 operations in TestNoFalseAlarms")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// standard has the programs with which the suite is measured.
var standard = gen.Programs(gen.Limits{Ranks: 4, Ops: 20, Exact: true, Use: gen.Everything})

// TestNoFalseAlarms: if it fails, this module's files are wrong, or the
// reference is.
func TestNoFalseAlarms(t *testing.T) {
	mk := proptest.Ours(nil)
	for seed := range *programs {
		if err := proptest.Reference(mk, standard.Example(seed)); err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
	}
}

// TestIndependent: if it fails, the result of a program depends on something on which the
// standard says it must not depend.
func TestIndependent(t *testing.T) {
	small := gen.Programs(gen.Limits{Ranks: 3, Ops: 12, Use: gen.Everything})
	t.Run("CONS-ATOM-05 the same under every model", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			if err := proptest.ModelIndependent(small.Draw(rt, "program")); err != nil {
				rt.Fatal(err)
			}
		})
	})
	t.Run("CONS-LAY-01 the same under every strategy", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			if err := proptest.StrategyIndependent(small.Draw(rt, "program")); err != nil {
				rt.Fatal(err)
			}
		})
	})
	t.Run("CONS-LAY-01 the same under every strategy, others carrying the bytes", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			if err := proptest.StrategyIndependent(small.Draw(rt, "program"), iofile.WithModel(consistency.POSIX)); err != nil {
				rt.Fatal(err)
			}
		})
	})
	t.Run("CONS-SYNC-01 ERR-09 promises hold under every model and strategy", func(t *testing.T) {
		failing := gen.FaultPrograms(gen.Limits{Ranks: 4, Ops: 12, Use: gen.Everything})
		ways := rapid.SampledFrom([]strategy.Strategy{nil, strategy.TwoPhase{Buffer: 16, Write: strategy.Enable, Read: strategy.Enable}, strategy.Sieve{}, strategy.List{Most: 2}})
		rapid.Check(t, func(rt *rapid.T) {
			m := gen.Model().Draw(rt, "model")
			var open []iofile.OpenOption
			if s := ways.Draw(rt, "strategy"); s != nil {
				open = append(open, iofile.WithStrategy(s))
			}
			if err := proptest.Promises(proptest.Ours([]iofile.Option{iofile.WithModel(m)}, open...), failing.Draw(rt, "program")); err != nil {
				rt.Fatal(err)
			}
		})
	})
	t.Run("CONS-SYNC-01 real files lose nothing", func(t *testing.T) {
		dir := t.TempDir()
		rapid.Check(t, func(rt *rapid.T) {
			p := gen.Programs(gen.Limits{Ranks: 3, Ops: 8, Use: gen.Everything &^ gen.AtomicMode}).Draw(rt, "program")
			if err := proptest.NothingLost(realFiles(dir), p); err != nil {
				rt.Fatal(err)
			}
		})
	})
}

// TestPastFalseAlarms runs programs for which the suite once reported a correct layer.
func TestPastFalseAlarms(t *testing.T) {
	t.Run("CONS-PTR-01 the size changes between a read and its pointer", func(t *testing.T) {
		for seed := range uint64(50) {
			err := proptest.ModelIndependent(&gen.Program{Ranks: 2, Seed: seed, Ops: []gen.Op{
				{Do: gen.Read, All: true, At: gen.Individual, More: 1},
				{Do: gen.Write, N: 1},
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("IO-SEEK-01 one rank seeks", func(t *testing.T) {
		require.NoError(t, proptest.Reference(proptest.Ours(nil), gen.MustParse("ranks 2, schedule random:0\n0  1: seek 3 set\n1  all: write_all n 1")))
	})
}

// TestReadStored: if it fails, an offset that is wrong makes the suite run out of memory.
func TestReadStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	require.NoError(t, os.WriteFile(path, []byte("abc"), 0o666))
	got, err := proptest.ReadStored(path)
	require.NoError(t, err)
	assert.Equal(t, "abc", string(got))
	require.NoError(t, os.Truncate(path, 1<<40))
	_, err = proptest.ReadStored(path)
	require.ErrorContains(t, err, "has 1099511627776 bytes")
	_, err = proptest.ReadStored(path + "not")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestSeekByOneRank: the pointers of the other ranks stay where they are.
func TestSeekByOneRank(t *testing.T) {
	p := gen.MustParse(`ranks 2, schedule random:0
		1: seek 3 set
		1: write n 2
		0: write n 1`)
	if err := proptest.Reference(proptest.Ours(nil), p); err != nil {
		t.Fatal(err)
	}
}

// realFiles makes layers of this module's files in directories.
func realFiles(dir string) proptest.Maker {
	return func() (proptest.Layer, error) {
		path, err := os.MkdirTemp(dir, "")
		if err != nil {
			return nil, err
		}
		fsys, err := iofile.NewDir(path)
		if err != nil {
			return nil, err
		}
		return closing{proptest.OfFS(fsys), fsys}, nil
	}
}

// closing is a layer that closes its file system.
type closing struct {
	proptest.Layer
	fsys *iofile.FS
}

func (c closing) Stored(name string) ([]byte, error) {
	return c.Layer.(proptest.Storage).Stored(name)
}
func (c closing) Close() error { return c.fsys.Close() }
