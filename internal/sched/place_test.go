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

// An interpreter prints its own lines: one of its Go code beside them would mislead.
func TestCallSite(t *testing.T) {
	assert.Contains(t, sched.CallSite().String(), "place_test.go:")
	s := sched.New(1, sched.Options{})
	require.NoError(t, run(s, func(r *sched.Rank) error {
		assert.Contains(t, r.CallSite().String(), "place_test.go:")
		assert.Contains(t, r.Note().CallSite().String(), "place_test.go:")
		r.SetPlace(&sched.Place{File: "story.mpio", Line: 7})
		assert.Zero(t, r.CallSite())
		assert.Zero(t, r.Note().CallSite())
		return nil
	}))
	assert.Zero(t, sched.OfProgram(sched.Place{File: "/src/script/run.go", Line: 3, Func: "github.com/commworld/commworld/script.(*rank).step"}))
	assert.Zero(t, sched.OfProgram(sched.Place{File: "/src/cmd/commworld/dump.go", Line: 3, Func: "github.com/commworld/commworld/cmd/commworld.run"}))
	for _, program := range []sched.Place{
		{File: "/src/examples/stale/main.go", Line: 3, Func: "github.com/commworld/commworld/examples/stale.run"},
		{File: "/src/main.go", Line: 3, Func: "main.run"},
		{File: "/src/grid.go", Line: 3, Func: "example.com/grid.Write"},
	} {
		assert.Equal(t, program, sched.OfProgram(program))
	}
}
