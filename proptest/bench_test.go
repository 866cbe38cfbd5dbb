package proptest_test

import (
	"testing"

	"github.com/commworld/commworld/proptest"
)

// BenchmarkStandard is the standard property: draw a program of 4 ranks and 20
// operations that may do everything, run it, judge it.
func BenchmarkStandard(b *testing.B) {
	mk := proptest.Ours(nil)
	b.ReportAllocs()
	seed := 0
	for b.Loop() {
		if err := proptest.Reference(mk, standard.Example(seed)); err != nil {
			b.Fatal(err)
		}
		seed++
	}
}
