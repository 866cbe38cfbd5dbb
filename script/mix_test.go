package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
)

const twoWrites = `ranks 2
all:
  open h f rdwr|create
  %s
0:
  write_at h 0 "AAAAAAAA"
1:
  write_at h 0 "BBBBBBBB"
all:
  close h
  barrier
  self open k f rdonly
  read_at k 0 byte*8 -> x
  close k
`

// mixtures runs a script under many chaotic models and returns the contents of the file that
// are neither write.
func mixtures(t *testing.T, text string) (seen []string) {
	s, err := Parse(text)
	require.NoError(t, err)
	for seed := range uint64(60) {
		rep, err := Run(t.Context(), s, Options{Seed: seed % 5, Model: consistency.Chaos(seed)})
		require.NoError(t, err)
		require.Len(t, rep.Outcomes, 1)
		o := rep.Outcomes[0]
		assert.True(t, o.Judged && o.Allowed, "%v", &o)
		c := o.Ending.Files["f"]
		for i, from := range c.Origins { // the writer of each byte is known, too
			if strings.Trim(string(c.Bytes[from.Lo:from.Hi]), "AB"[from.Rank:from.Rank+1]) != "" {
				assert.Fail(t, "wrong origin", "%s: %v", c.Bytes, c.Origins[i])
			}
		}
		assert.Equal(t, string(c.Bytes), string(o.Ending.Results[0]["x"].Data))
		assert.Equal(t, string(c.Bytes), string(o.Ending.Results[1]["x"].Data))
		if text := string(c.Bytes); text != "AAAAAAAA" && text != "BBBBBBBB" {
			seen = append(seen, text)
		}
	}
	return seen
}

// TestMixedWrites: if it fails, bytes of racing writes never mix although the standard
// allows it, or mix although it does not.
func TestMixedWrites(t *testing.T) {
	t.Run("CONS-C4 chaos mixes two nonatomic writes that race", func(t *testing.T) {
		seen := mixtures(t, fmt.Sprintf(twoWrites, "atomic h off"))
		assert.Greater(t, len(seen), 5)
		t.Log(seen)
	})
	t.Run("CONS-C5 it never mixes atomic ones", func(t *testing.T) {
		assert.Empty(t, mixtures(t, fmt.Sprintf(twoWrites, "atomic h on")))
	})
	t.Run("CONS-C2 it never mixes writes that sync, barrier, sync order", func(t *testing.T) {
		text := strings.Replace(fmt.Sprintf(twoWrites, "atomic h off"), "1:\n", "all: sync h\n barrier\n sync h\n1:\n", 1)
		assert.Empty(t, mixtures(t, text))
	})
	t.Run("CONS-C5 a mixture of atomic writes is not allowed", func(t *testing.T) {
		h := func(atomic bool) consistency.History {
			rank := func(letter string) []consistency.Step {
				return []consistency.Step{
					{Do: consistency.DoOpen, ID: 1},
					{Do: consistency.DoAtomic, On: atomic},
					{Do: consistency.DoWrite, Runs: []consistency.Run{{Off: 0, Len: 4}}, Data: []byte(strings.Repeat(letter, 4))},
					{Do: consistency.DoClose},
				}
			}
			return consistency.History{Ranks: [][]consistency.Step{rank("A"), rank("B")}}
		}
		for file, whole := range map[string]bool{"41414141": true, "42424242": true, "41414242": false, "42414141": false} {
			for _, atomic := range []bool{false, true} {
				want := whole || !atomic
				ok, err := consistency.Explains(h(atomic), consistency.Outcome{File: file})
				require.NoError(t, err)
				assert.Equal(t, want, ok, "%s, atomic %v", file, atomic)
				all, err := consistency.Allowed(h(atomic))
				require.NoError(t, err)
				assert.Equal(t, want, all.Allows(consistency.Outcome{File: file}), "%s, atomic %v", file, atomic)
			}
		}
	})
}

// TestMixing: if it fails, a list of outcomes passes for all of them where writes mix.
func TestMixing(t *testing.T) {
	for text, want := range map[string][]int{
		fmt.Sprintf(twoWrites, "atomic h off"): {0},
		fmt.Sprintf(twoWrites, "atomic h on"):  nil,
		"ranks 2\nall: open h f rdwr|create\n0: write_at h 0 byte 1\n1: write_at h 0 byte 2\nall: close h":       nil, // one byte
		"ranks 2\nall: open h f rdwr|create\n0: write_at h 0 byte 1*2\n1: read_at h 0 byte*2 -> x\nall: close h": nil,
	} {
		assert.Equal(t, want, carried(t, text, Options{}).Mixing(), text)
	}
}

// TestChaosIsAllowed: if it fails, chaos shows what the standard does not allow.
func TestChaosIsAllowed(t *testing.T) {
	t.Run("CONS-C4 random programs under chaotic models", func(t *testing.T) {
		rapid.Check(t, func(q *rapid.T) {
			text := racyProgram(q)
			s, err := Parse(text)
			require.NoError(q, err, text)
			seed := rapid.Uint64Range(0, 1000).Draw(q, "seed")
			for i := range uint64(4) {
				rep, err := Run(t.Context(), s, Options{Seed: seed + i, Model: consistency.Chaos(seed + i)})
				require.NoError(q, err, text)
				for _, o := range rep.Outcomes {
					if o.Judged && len(rep.Failures) == 0 {
						assert.True(q, o.Allowed, "%s\n%v", text, &o)
					}
				}
			}
		})
	})
}
