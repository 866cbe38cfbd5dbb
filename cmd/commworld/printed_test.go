package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// If what is shown changed unnoticed, it could become wrong or ugly. Each folder
// of testdata is about one command. REWRITE=1 in the environment takes what is
// printed as right.
func TestPrinted(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 "testdata/" + f.Name(),
				UpdateScripts:       os.Getenv("REWRITE") != "",
				RequireExplicitExec: true,
			})
		})
	}
}
