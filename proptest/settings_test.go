package proptest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// TestSettings: if it fails, results of this module's files depend on the strategy, or a setting that
// changes results is not noticed.
func TestSettings(t *testing.T) {
	with := func(s strategy.Strategy) proptest.Maker { return proptest.Ours(nil, iofile.WithStrategy(s)) }
	plain := proptest.Setting{Name: "direct", Make: with(strategy.Direct{})}
	proptest.SameUnderSettings(t, rapid.SampledFrom([]proptest.Setting{
		plain, {Name: "sieving", Make: with(strategy.Sieve{})}, {Name: "two phases", Make: with(strategy.TwoPhase{Buffer: 16, Write: strategy.Enable})},
	}))
	p := gen.MustParse(`ranks 2, schedule random:0, no conflicts
		0: write_at at 0 n 6
		all: sync
		1: read_at at 0 n 6`)
	assert.NoError(t, proptest.Same(p, plain, plain))
	err := proptest.Same(p, plain, proptest.Setting{Name: "lossy", Make: losing(with(strategy.Direct{}))})
	assert.ErrorContains(t, err, "under the setting lossy")
}

// TestCorpus: if it fails, files of an older version are not read by a newer one, or one that reads
// them wrongly passes.
func TestCorpus(t *testing.T) {
	dir := t.TempDir()
	mk := func(dir string) (proptest.Layer, error) { return keeping{layer{dir}}, nil }
	require.NoError(t, proptest.WriteCorpus(dir, mk, 12))
	proptest.Corpus(t, dir, mk)
	damaged := 0
	files, err := filepath.Glob(filepath.Join(dir, "*", "files", "f"))
	require.NoError(t, err)
	for _, name := range files {
		p, err := os.ReadFile(name)
		require.NoError(t, err)
		if len(p) > 0 {
			damaged++
			require.NoError(t, os.WriteFile(name, p[:len(p)-1], 0o666))
			err := proptest.ReadCorpus(filepath.Dir(filepath.Dir(name)), t.TempDir(), mk)
			assert.ErrorContains(t, err, "the file")
		}
	}
	assert.Greater(t, damaged, 3)
}

// A keeping layer leaves its files where they are.
type keeping struct{ layer }

func (keeping) Close() error { return nil }
