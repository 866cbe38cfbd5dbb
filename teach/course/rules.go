package course

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/commworld/commworld/world"
)

// A task has the requirements of a lesson's exercise. A submission is judged by its results:
// final files, printed lines, accesses and messages, and the findings of a careful world.
type task struct {
	cases []Case
	seeds int      // random orders of the ranks, in addition to the two fixed ones; 0: two
	allow []string // rules whose lints the exercise causes on purpose

	worlds int // that the program runs one after the other; 0: one

	files  func(Case) map[string][]byte // by name: the required contents at the end
	output func(Case) string            // the required lines of output

	// owner returns the rank that has to write byte at of a file; anyRank: whichever, or
	// noRank: the byte was there before, and no rank may write it. If it is nil, each byte is
	// written by some rank.
	owner    func(c Case, file string, at int) int
	everyone bool // every rank writes to each file, if there is something for each

	// gathered returns how many bytes a rank has to write, at least, by calls whose memory type
	// has gaps: the data lie apart in memory, and the task is to write them from there.
	gathered func(c Case, rank int) int

	// rep returns the data representation of the view by which byte at has to be written, with
	// an etype that is not made of bytes; empty if any view will do.
	rep func(at int64) string

	// reads returns how many bytes of a file a rank has to read itself, at least.
	reads func(c Case, rank int, file string) int

	// collective says that collective calls write the bytes of the files; nonblocking, that
	// the calls return before the access is complete.
	collective, nonblocking bool

	// unordered is the rule of a lint that each run has to cause: it says that nothing
	// orders accesses of different ranks.
	unordered string

	// outcome returns what has to depend on the order of the ranks: in the runs of a case
	// with several ranks it has to differ.
	outcome func(r *ran) string

	// altered returns a case whose reads of some files are altered, so that its output and
	// files, which files and output return for the case, show whether they come from there.
	altered func() Case

	inspect func(r *ran, wrong func(kind, fix, text string, args ...any))

	// explain returns what a wrong line of output, or a file with wrong bytes, shows.
	explain func(r *ran, got, want string) string

	// reason says what the constant reason of a submission has to say in words: the program of
	// the exercise has a mistake, and its fix is marked.
	reason string

	// source inspects a file of a submission whose results are right, for what they cannot show.
	source func(f *ast.File, wrong func(at token.Pos, fix, text string, args ...any))

	// whole says that accesses are to race in atomic mode: the detector's fixes of races, which
	// keep them apart, do not apply.
	whole bool

	hints map[string]string // by rule or by kind: advice for the student
}

// hint returns the lesson's advice about a finding.
func (t *task) hint(f *Finding) string {
	if text := t.hints[f.Rule]; f.Rule != "" && text != "" {
		return text
	}
	if f.Kind == kindRace && strings.Contains(f.Text, " reads ") {
		return t.hints[kindReadRace]
	}
	return t.hints[f.Kind]
}

// kindReadRace is the key of a hint about a race of a write and a read; that for races is
// about two writes.
const kindReadRace = "race with a read"

// Results of owner besides ranks.
const (
	anyRank = -1
	noRank  = -2
)

// read returns what a program reads where the file has x. In an altered case the lowest bit of
// each byte is changed.
func (c Case) read(x int32) int32 {
	if c.altered == "" {
		return x
	}
	return x ^ 0x01010101
}

// each returns the cases of all pairs of a number of ranks and a size.
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
