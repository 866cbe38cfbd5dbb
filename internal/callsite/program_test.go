package callsite

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStandardPackagesAreKnown: a package that a later Go adds must be added to
// the list, or a panic inside it names its line instead of the program's.
func TestStandardPackagesAreKnown(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	require.NoError(t, err)
	for pkg := range strings.FieldsSeq(string(out)) {
		first, _, _ := strings.Cut(pkg, "/")
		assert.Contains(t, standard, first)
	}
	assert.NotContains(t, standard, "main")
	assert.IsNonDecreasing(t, standard)
}

// TestOfProgram: an interpreter prints lines of its own program, so a line of its Go code
// would mislead.
func TestOfProgram(t *testing.T) {
	for _, f := range []runtime.Frame{
		{File: "/src/script/run.go", Line: 3, Function: "github.com/commworld/commworld/script.(*rank).step"},
		{File: "/src/cmd/commworld/dump.go", Line: 3, Function: "github.com/commworld/commworld/cmd/commworld.run"},
	} {
		assert.Empty(t, OfProgram([]runtime.Frame{f}))
	}
	for _, f := range []runtime.Frame{
		{File: "/src/examples/stale/main.go", Line: 3, Function: "github.com/commworld/commworld/examples/stale.run"},
		{File: "/src/main.go", Line: 3, Function: "main.run"},
		{File: "/src/grid.go", Line: 3, Function: "example.com/grid.Write"},
	} {
		assert.Equal(t, []runtime.Frame{f}, OfProgram([]runtime.Frame{f}))
	}
}
