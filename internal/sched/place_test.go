package sched_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/sched"
)

// TestStandardPackagesAreKnown: a package that a later Go adds must be added to
// the list, or a panic inside it names its line instead of the program's.
func TestStandardPackagesAreKnown(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	require.NoError(t, err)
	for pkg := range strings.FieldsSeq(string(out)) {
		first, _, _ := strings.Cut(pkg, "/")
		assert.Contains(t, sched.Standard, first)
	}
	assert.NotContains(t, sched.Standard, "main")
	assert.IsNonDecreasing(t, sched.Standard)
}
