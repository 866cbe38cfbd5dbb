package script_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// BenchmarkExplore runs small programs of files under all their schedules. One operation
// is one exploration; the executions include the repetition of the first one.
func BenchmarkExplore(b *testing.B) {
	for _, name := range []string{"lit-01", "lit-04", "lit-05", "lit-28", "lit-34", "lit-36"} {
		b.Run(name, func(b *testing.B) {
			text, err := fs.ReadFile(consistency.Litmus(), name+".mpio")
			require.NoError(b, err)
			s, err := script.Parse(string(text))
			require.NoError(b, err)
			n := 0
			for b.Loop() {
				rep, err := script.Explore(b.Context(), s, script.Options{})
				if err != nil {
					b.Fatal(err)
				}
				n += rep.Schedules + 1
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "executions/s")
		})
	}
}
