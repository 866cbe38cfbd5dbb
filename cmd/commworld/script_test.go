package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// If what is shown of scripts changed unnoticed, it could become wrong or ugly.
// REWRITE=1 in the environment takes what is printed as right.
func TestRunScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/run",
		UpdateScripts:       os.Getenv("REWRITE") != "",
		RequireExplicitExec: true,
	})
}
