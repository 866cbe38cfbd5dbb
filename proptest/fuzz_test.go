package proptest_test

import (
	"testing"

	"github.com/commworld/commworld/proptest"
)

// Every property of the suite as a fuzz target, over this module's own files.

func FuzzExplicit(f *testing.F)    { fuzz(f, "IO-AT-01") }
func FuzzSync(f *testing.F)        { fuzz(f, "CONS-SYNC-05") }
func FuzzCollective(f *testing.F)  { fuzz(f, "IO-AT-03") }
func FuzzViews(f *testing.F)       { fuzz(f, "IO-VIEW-01") }
func FuzzConversion(f *testing.F)  { fuzz(f, "REP-X32-03") }
func FuzzIndividual(f *testing.F)  { fuzz(f, "IO-IND-01") }
func FuzzShared(f *testing.F)      { fuzz(f, "IO-SHP-01") }
func FuzzOrdered(f *testing.F)     { fuzz(f, "IO-SHP-06") }
func FuzzNonblocking(f *testing.F) { fuzz(f, "IO-NBC-04") }
func FuzzSplit(f *testing.F)       { fuzz(f, "IO-SPLIT-09") }
func FuzzSizes(f *testing.F)       { fuzz(f, "IO-SIZE-01") }
func FuzzAtomic(f *testing.F)      { fuzz(f, "CONS-ATOM-01") }
func FuzzNothingLost(f *testing.F) { fuzz(f, "nothing that was synced is lost") }
func FuzzNoHang(f *testing.F)      { fuzz(f, "every call ends") }
func FuzzHints(f *testing.F)       { fuzz(f, "hints change nothing") }
func FuzzPromises(f *testing.F)    { fuzz(f, "promises when files fail") }
func FuzzComeBack(f *testing.F)    { fuzz(f, "come back") }
func FuzzEverything(f *testing.F)  { fuzz(f, "everything together") }

func fuzz(f *testing.F, name string) { proptest.Fuzz(f, proptest.Ours(nil), name) }
