package errclass_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/errclass"
)

// TestRemovedCodesCostNothing: a program may add and remove classes and codes for as long as
// it likes. Once it took time and memory for all classes and codes that were ever added.
func TestRemovedCodesCostNothing(t *testing.T) {
	const rounds, classes, codes = 10_000, 32, 5
	var cs errclass.Codes
	var before, after runtime.MemStats
	for round := range rounds {
		if round == 1 { // the first makes room
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		var class [classes]errclass.Class
		var code [classes][codes]int
		for i := range class {
			class[i], _ = cs.AddErrorClass()
			for j := range codes {
				code[i][j], _ = cs.AddErrorCode(class[i])
			}
		}
		for i := range class {
			for j := range codes {
				require.NoError(t, cs.RemoveErrorCode(code[i][j]))
			}
			require.NoError(t, cs.RemoveErrorClass(class[i]))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20), "kept of %d codes", rounds*classes*(codes+1))
	assert.Equal(t, int(errclass.LastCode)+rounds*classes*(codes+1), cs.LastUsedCode(), "no number is given twice")
	require.NoError(t, cs.Error(int(errclass.Success))) // cs is alive until here
}

// TestClassWithCodesStays names the lowest code that a class still has, for any order in
// which others were removed.
func TestClassWithCodesStays(t *testing.T) {
	var cs errclass.Codes
	class, err := cs.AddErrorClass()
	require.NoError(t, err)
	var codes [4]int
	for i := range codes {
		codes[i], err = cs.AddErrorCode(class)
		require.NoError(t, err)
	}
	require.NoError(t, cs.RemoveErrorCode(codes[0]))
	require.NoError(t, cs.RemoveErrorCode(codes[2]))
	require.Error(t, cs.RemoveErrorCode(codes[2]), "counts once")
	assert.ErrorContains(t, cs.RemoveErrorClass(class), "code "+strconv.Itoa(codes[1])+" still belongs to the class")
	require.NoError(t, cs.RemoveErrorCode(codes[1]))
	assert.ErrorContains(t, cs.RemoveErrorClass(class), "code "+strconv.Itoa(codes[3])+" still belongs to the class")
	require.NoError(t, cs.RemoveErrorCode(codes[3]))
	require.NoError(t, cs.RemoveErrorClass(class))
	_, err = cs.AddErrorCode(class)
	require.ErrorIs(t, err, errclass.Arg)
}
