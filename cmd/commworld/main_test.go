package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

func init() { thorough.Fewer() }

// TestMain lets scripts run the command: the test's own binary, under its name.
func TestMain(m *testing.M) {
	mostFixing *= 40 // for slow machines
	testscript.Main(m, map[string]func(){"commworld": main})
}
