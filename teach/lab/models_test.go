package lab_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// TestMatrixClaims compares matrices with single runs: if it fails, a table that teaches
// calls a result impossible that a run shows. (CONS-C2)
func TestMatrixClaims(t *testing.T) {
	texts := map[string]string{
		"two lines": "ranks 2\nfile f = 00*8\nall: open h f rdwr\n0: write_at h 0 int 5\n1: read_at h 0 int -> x\nall: close h\n",
		"reads of one rank": "ranks 2\nfile f = 00*4\nall: open h f rdwr\n1: read_at h 0 byte*1 -> v1\n0: write_at h 0 byte 2\n" +
			"1: read_at h 0 byte*1 -> v3\nall: sync h\nall: close h\nrace\n",
		"no race": "ranks 2\nfile f = 00*4\nall: open h f rdwr\n0: write_at h 0 int 5\nall:\n sync h\n barrier\n sync h\n1: read_at h 0 int -> x\nall: close h\n",
	}
	for _, between := range []string{" barrier\n", " sync h\n barrier\n", " barrier\n sync h\n"} {
		texts["with"+strings.ReplaceAll(between, "\n", "")] = "ranks 2\nfile f = 00*4\nall: open h f rdwr\n0: write_at h 0 int 5\nall:\n" + between +
			"1: read_at h 0 int -> x\nall: close h\n"
	}
	for _, name := range []string{"lit-06", "lit-07"} {
		text, err := fs.ReadFile(consistency.Litmus(), name+".mpio")
		require.NoError(t, err)
		texts[name] = string(text)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			s, err := script.Parse(text)
			require.NoError(t, err)
			m, err := lab.NewMatrix(t.Context(), s, script.Options{})
			require.NoError(t, err)
			impossible := map[string]bool{}
			for i, row := range m.Rows {
				for k, model := range m.Models {
					impossible[model+row.Text] = m.Verdict(i, k) == lab.Impossible
				}
			}
			if name == "no race" {
				assert.Equal(t, []bool{true, true, true, true}, m.Complete)
				assert.Empty(t, m.Note())
			}
			for _, model := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX} {
				for range 150 {
					seed := rand.Uint64() //nolint:gosec // other runs than those of the matrix
					rep, err := script.Run(t.Context(), s, script.Options{Model: model, Replay: fmt.Sprint("random:", seed)})
					require.NoError(t, err)
					for _, o := range rep.Outcomes {
						text := strings.Join(o.Ending.Texts(), ", ")
						gone, known := impossible[model.String()+text]
						assert.True(t, known && !gone, "seed %d, model %v: %s is said to be impossible", seed, model, text)
					}
				}
			}
		})
	}
}

// TestMatrixVerdicts: if it fails, the matrix says that a model cannot give a result where
// the exploration was not complete, or does not take a result from a single run.
func TestMatrixVerdicts(t *testing.T) {
	s, err := script.Parse("ranks 2\nfile f = 00*8\nall: open h f rdwr\n0: write_at h 0 byte 5\n" +
		"1: read_shared h byte*1 -> x\nall: write_ordered h byte 6\nall: close h\n")
	require.NoError(t, err)
	m, err := lab.NewMatrix(t.Context(), s, script.Options{})
	require.NoError(t, err)
	verdicts := map[string][]string{}
	for i, row := range m.Rows {
		for k := range m.Models {
			verdicts[row.Text[:7]] = append(verdicts[row.Text[:7]], m.Verdict(i, k))
		}
	}
	assert.Equal(t, map[string][]string{"1.x = 0": {"yes", "yes", "yes", "yes"}, "1.x = 5": {"yes", "yes", lab.NotShown, "yes"}}, verdicts)
	assert.Equal(t, []bool{false, false, false, false}, m.Complete, "a library need not wait for all ranks")
	assert.Contains(t, m.Why[2], "WriteOrdered")
	assert.Equal(t, "? under weakest and session and commit and POSIX: not shown by the exploration, which does not try everything there, nor by 300 further runs; it may be possible.", m.Note())
}
