package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/world"
)

// checkPasses checks the hostile program with one word as its argument and several numbers of
// ranks, in both orders.
func checkPasses(t *testing.T, word string, sameFiles bool, ranks ...int) *checked {
	t.Helper()
	c := checkCommand{Target: "hostile", Args: []string{word}, Timeout: 10 * time.Minute, Memory: "256MB"}
	prog, all := hostileProgram(t), &checked{both: map[int]bool{}}
	for i, n := range ranks {
		require.NoError(t, c.passes(t.Context(), all, i, n, prog, t.TempDir(), orders, 256<<20, io.Discard))
	}
	all.compare()
	all.compareFiles(sameFiles)
	all.OK = len(all.Findings) == 0
	return all
}

// If this fails, a program whose file depends on the number of ranks passes, or a program
// whose file does not is suspected.
func TestCheckComparesFiles(t *testing.T) {
	t.Run("IO-DA-01 a rest that no rank writes", func(t *testing.T) {
		all := checkPasses(t, "rest", false, 1, 2, 3)
		assert.True(t, all.OK, all.Findings)
		require.Len(t, all.Notes, 1)
		assert.Contains(t, all.Notes[0], `file "f" is not the same with each number of ranks: with 1, 2 ranks it has 40 bytes; with 3 ranks it has 36 bytes and differs from byte 36 on`)
		assert.Contains(t, all.Notes[0], "not divisible")
		all = checkPasses(t, "rest", true, 1, 3)
		require.Len(t, all.Findings, 1)
		assert.Equal(t, kindFiles, all.Findings[0].Kind)
		assert.Contains(t, all.Findings[0].Fix, "r*n/ranks")
		assert.Equal(t, []int{1, 3}, all.Findings[0].With)
		assert.Equal(t, 1, all.exit())
	})
	t.Run("IO-DA-01 each number of ranks writes all", func(t *testing.T) {
		all := checkPasses(t, "even", true, 1, 2, 3, 4)
		assert.True(t, all.OK, all.Findings)
		assert.Empty(t, all.Notes)
	})
}

// If this fails, a program that uses the buffer of a read before the read is complete passes,
// or another one is accused of it.
func TestCheckUseBeforeWait(t *testing.T) {
	t.Run("IO-DA-12 used too early", func(t *testing.T) {
		all := checkPasses(t, "early", false, 2)
		require.Len(t, all.Findings, 1)
		f := all.Findings[0]
		assert.Equal(t, world.KindError, f.Kind)
		assert.Equal(t, "IO-DA-12", f.Rule)
		assert.Contains(t, f.Text, "uses the buffer of IReadAt (testdata/check/hostile/main.go:")
		assert.Contains(t, f.Text, `it prints "it is 1515870810", not "it is -1515870811"`)
		assert.Empty(t, f.Order)
		assert.Empty(t, all.Runs[0].Notes)
	})
	t.Run("IO-DA-12 used after the wait", func(t *testing.T) {
		all := checkPasses(t, "waits", false, 2)
		assert.True(t, all.OK, all.Findings)
		assert.Empty(t, all.Runs[0].Notes)
		assert.Contains(t, all.Runs[0].Output, "it was 42")
	})
	t.Run("IO-DA-12 a program that prints the time", func(t *testing.T) {
		assert.True(t, checkPasses(t, "chance", false, 2).OK)
	})
}
