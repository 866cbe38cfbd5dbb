package mutants_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/mutants"
)

// findInStore runs the suite for key-value stores up to the first failure.
func findInStore(t *testing.T, m mutants.StoreMutant) *proptest.Failure {
	groups, err := proptest.KeyValueGroups(m.Maker())
	require.NoError(t, err)
	for _, g := range groups {
		require.Empty(t, g.Skipped)
		if f := g.Find(t.Name()); f != nil {
			return f
		}
	}
	return nil
}

// findInArrays runs the suite for libraries of arrays up to the first failure.
func findInArrays(t *testing.T, m mutants.ArrayMutant) *proptest.Failure {
	groups, err := proptest.ArrayGroups(m.Maker(t.TempDir()))
	require.NoError(t, err)
	for _, g := range groups {
		if g.Skipped == "" {
			if f := g.Find(t.Name()); f != nil {
				return f
			}
		}
	}
	return nil
}

// TestArrays: if it fails, the suite for libraries of arrays lets a broken one pass, or blames a
// correct one.
func TestArrays(t *testing.T) {
	set(t, "rapid.nofailfile", "true")
	set(t, "rapid.seed", "1")
	if *seeds == 0 {
		set(t, "rapid.checks", "10") // more in .ci/long
		set(t, "rapid.shrinktime", "0")
	}
	for _, m := range mutants.CorrectArrays() {
		if f := findInArrays(t, m); f != nil {
			t.Fatal(m, f)
		}
	}
	set(t, "rapid.checks", "100")
	for i, m := range mutants.Arrays() {
		if *seeds == 0 && (i%7 != 0 || m.Over == "os.File") {
			continue // a sample; all in .ci/long
		}
		t.Run(m.Bug, func(t *testing.T) {
			for s := range max(1, *seeds) {
				if *seeds > 0 {
					set(t, "rapid.seed", fmt.Sprint(s+1))
				}
				f := findInArrays(t, m)
				if assert.NotNil(t, f, "passes the suite with seed %d", s+1) {
					t.Log(f.Group, f)
				}
			}
		})
	}
}

// TestStores: if it fails, the suite for key-value stores lets a broken store pass, or blames a
// correct one.
func TestStores(t *testing.T) {
	set(t, "rapid.nofailfile", "true")
	set(t, "rapid.shrinktime", "0")
	if !thorough.All() {
		set(t, "rapid.seed", "1")
	}
	assert.Nil(t, findInStore(t, mutants.StoreMutant{}))
	for i, m := range mutants.Stores() {
		if i%6 != 0 && *seeds == 0 {
			continue // a sample; all in .ci/long
		}
		t.Run(m.Bug, func(t *testing.T) {
			for s := range max(1, *seeds) {
				if *seeds > 0 {
					set(t, "rapid.seed", fmt.Sprint(s+1))
				}
				f := findInStore(t, m)
				if assert.NotNil(t, f, "passes the suite with seed %d", s+1) {
					t.Log(f.Group, f)
				}
			}
		})
	}
}
