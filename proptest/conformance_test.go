package proptest_test

import (
	"testing"

	"github.com/commworld/commworld/proptest"
)

// TestOurs: if it fails, this module's files are not MPI-IO, or the suite
// blames a layer for what the standard allows.
func TestOurs(t *testing.T) {
	proptest.Conformance(t, proptest.Ours(nil))
}

// TestFiles: if it fails, an ordinary layer over pwrite is refused for what it
// need not promise.
func TestFiles(t *testing.T) {
	proptest.Conformance(t, proptest.Files(t.TempDir()))
}
