package gen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/faults"
)

// Faults draws one rule that makes files fail: some moment of some rank, or of
// all. Rules with kill end the world and are drawn only if asked for.
func Faults(ranks int, kill bool) *rapid.Generator[faults.Rule] {
	return rapid.Custom(func(t *rapid.T) faults.Rule {
		ends := []string{"error=io", "error=nospace", "error=quota"}
		op := rapid.SampledFrom([]string{faults.Write, faults.Read, faults.Sync, faults.Open, faults.Close}).Draw(t, "op")
		if op == faults.Write || op == faults.Read {
			n := rapid.IntRange(1, 9).Draw(t, "bytes")
			ends = append(ends, fmt.Sprintf("torn=%d", n), fmt.Sprintf("short=%d", n))
		}
		if kill {
			ends = append(ends, "kill")
		}
		text := op + " " + rapid.SampledFrom(ends).Draw(t, "end")
		if rank := rapid.IntRange(0, ranks).Draw(t, "rank"); rank < ranks {
			text += fmt.Sprintf(" rank=%d", rank)
		}
		text += fmt.Sprintf(" call=%d", rapid.IntRange(1, 4).Draw(t, "call"))
		return faults.Must(text)[0]
	})
}
