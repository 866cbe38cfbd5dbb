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
		if i%4 != 0 && *seeds == 0 {
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
