package gen

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/reps"
)

// Ranks draws a number of ranks, from 1 to most.
func Ranks(most int) *rapid.Generator[int] { return rapid.IntRange(1, max(1, most)) }

// Arch draws the architecture of a rank; the first is the default.
func Arch() *rapid.Generator[*reps.Arch] {
	all := []*reps.Arch{reps.LP64LE}
	for _, a := range reps.Archs() {
		if a != reps.LP64LE {
			all = append(all, a)
		}
	}
	return rapid.SampledFrom(all)
}

// Schedule draws a schedule as [world.Replay] reads it.
func Schedule() *rapid.Generator[string] {
	return rapid.Map(rapid.Uint64(), func(seed uint64) string { return fmt.Sprintf("random:%d", seed) })
}

// Representation draws the name of a data representation.
func Representation() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"native", "external32", "internal"})
}

// Models lists the consistency models, the strictest first. seed is for the model that
// depends on chance.
func Models(seed uint64) []consistency.Model {
	return []consistency.Model{
		consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX, consistency.Chaos(seed),
	}
}

// Model draws one of [Models].
func Model() *rapid.Generator[consistency.Model] {
	return rapid.Custom(func(t *rapid.T) consistency.Model {
		all := Models(0)
		i := rapid.IntRange(0, len(all)-1).Draw(t, "model")
		if i == len(all)-1 {
			return consistency.Chaos(rapid.Uint64().Draw(t, "chaos"))
		}
		return all[i]
	})
}

// hints are the reserved keys of the standard with values that layers accept; small
// buffers make an access take several pieces.
var hints = []struct {
	key    string
	values []string
}{
	{"cb_buffer_size", []string{"16", "1", "4096"}},
	{"cb_nodes", []string{"1", "2"}},
	{"collective_buffering", []string{"false", "true"}},
	{"access_style", []string{"read_once", "write_once", "random", "reverse_sequential"}},
	{"cb_block_size", []string{"8", "64"}},
	{"striping_factor", []string{"1", "3"}},
	{"striping_unit", []string{"16", "4096"}},
	{"io_node_list", []string{"*"}},
	{"num_io_nodes", []string{"1"}},
}

// Hints draws keys and values of file hints, most often none.
func Hints() *rapid.Generator[map[string]string] { return fileHints }

var (
	someHint  = rapid.SampledFrom(hints)
	fileHints = hintsWith(nil)
)

// hintsWith is Hints with further keys and their values, of a layer's own.
func hintsWith(own map[string][]string) *rapid.Generator[map[string]string] {
	keys := slices.Sorted(maps.Keys(own))
	return rapid.Custom(func(t *rapid.T) map[string]string {
		drawn := map[string]string{}
		set := func(key string, values []string) {
			drawn[key] = values[rapid.IntRange(0, len(values)-1).Draw(t, "value")]
		}
		for range max(0, rapid.IntRange(-3, 3).Draw(t, "hints")) {
			h := someHint.Draw(t, "hint")
			set(h.key, h.values)
		}
		if len(keys) > 0 {
			for range rapid.IntRange(0, 2).Draw(t, "own hints") {
				key := rapid.SampledFrom(keys).Draw(t, "own hint")
				set(key, own[key])
			}
		}
		if len(drawn) == 0 {
			return nil
		}
		return drawn
	})
}
