package course

import (
	"github.com/commworld/commworld/world"
)

// A task is what the exercise of a lesson demands. It is judged by what a submission
// does: final files, printed results, accesses and messages, and everything that a careful
// world finds.
type task struct {
	cases []Case
	seeds int      // random orders of the ranks, besides two; 0: two
	allow []string // rules whose lints the exercise means

	files   func(Case) map[string][]byte // by name, as they must be at the end
	output  func(Case) string            // the lines that must be printed
	inspect func(r *ran, wrong func(kind, fix, text string, args ...any))

	hints  map[string]string // by rule or by kind: what a teacher would say
	script string            // what a submitted script must come to: lines of expectations
}

// hint returns what the lesson has to say about a finding.
func (t *task) hint(f *Finding) string {
	if text := t.hints[f.Rule]; f.Rule != "" && text != "" {
		return text
	}
	return t.hints[f.Kind]
}

// each returns the cases of several numbers of ranks with several sizes.
func each(ranks []int, sizes ...int) (all []Case) {
	for _, r := range ranks {
		for _, n := range sizes {
			all = append(all, Case{Ranks: r, N: n})
		}
	}
	return all
}

// Kinds of package world, as keys of hints.
const (
	kindRace     = string(world.KindRace)
	kindDeadlock = string(world.KindDeadlock)
	kindMismatch = string(world.KindMismatch)
	kindError    = string(world.KindError)
	kindLint     = string(world.KindLint)
	kindLeak     = string(world.KindLeak)
)
