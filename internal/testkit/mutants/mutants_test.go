package main

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var runKept = flag.Bool("kept", false, "run the kept mutants against the tests that must notice them")

// If a kept mutant no longer fitted its source, no run would show that the test
// which notices it is gone.
func TestKept(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	for _, m := range kept {
		t.Run(m.String(), func(t *testing.T) {
			src, err := m.source(root)
			require.NoError(t, err)
			require.True(t, (m.tests == "") != (m.because == ""), "a mutant has a test or a reason")
			if !*runKept || m.tests == "" {
				return
			}
			v, out, err := try(context.Background(), root, m.file, src, 5*time.Minute, strings.Fields(m.tests)...)
			require.NoError(t, err)
			require.Equal(t, noticed, v, out)
		})
	}
}

// If a random mutant were not put where its line says, its verdict would be
// about another one.
func TestCandidates(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	all, err := candidates(root, "errclass")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, c := range all {
		require.NotEqual(t, string(c.unchanged), string(c.source()), c.String())
	}
}

// If the harness took every outcome for a noticed fault, the table would be
// worth nothing.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package three times")
	}
	root, err := moduleRoot()
	require.NoError(t, err)
	all, err := candidates(root, "errclass")
	require.NoError(t, err)
	file, src := all[0].file, string(all[0].unchanged)
	for want, text := range map[verdict]string{
		survived: src,
		noticed:  src + "\nfunc init() { panic(0) }\n",
		invalid:  src + "\nvar x int = \"\"\n",
	} {
		v, out, err := try(t.Context(), root, file, []byte(text), 10*time.Minute, "-run", "TestClass", "./errclass")
		require.NoError(t, err, out)
		require.Equal(t, want, v, out)
	}
}
