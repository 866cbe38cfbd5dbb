package proptest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/proptest"
)

// suite is Conformance with subtests that are named by the ids of their rules.
func suite(t *testing.T, mk proptest.Maker) {
	groups, err := proptest.Groups(mk)
	require.NoError(t, err)
	for _, g := range groups {
		t.Run(g.Rules, func(t *testing.T) {
			if g.Skipped != "" {
				t.Skip(g.Skipped)
			}
			if f := g.Find(t.Name()); f != nil {
				t.Fatal(f)
			}
		})
	}
}

// TestOurs: if it fails, this module's files are not MPI-IO, or the suite
// blames a layer for what the standard allows.
func TestOurs(t *testing.T) { suite(t, proptest.Ours(nil)) }

// TestFiles: if it fails, the suite rejects an ordinary layer over pwrite for guarantees
// that it need not give.
func TestFiles(t *testing.T) { suite(t, proptest.Files(t.TempDir())) }

// TestConformance: if it fails, the suite cannot be called as it is documented.
func TestConformance(t *testing.T) { proptest.Conformance(t, proptest.Files(t.TempDir())) }
