package find

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports variables that ranks share.
var Analyzer = &analysis.Analyzer{
	Name: "sharing",
	Doc: `report Go variables that the ranks of a commworld program share

Ranks of one process share its memory; on a cluster each rank is a process and has its own.
Ranks pass values by messages and files. Results that ranks leave for after the run, each in
a place of its own or read by no rank, are reported with -results only.`,
	URL: "https://pkg.go.dev/github.com/commworld/commworld/tools/sharing",
	Run: run,
}

var results bool

func init() {
	Analyzer.Flags.BoolVar(&results, "results", false, "also report what ranks leave for after the run")
}

func run(pass *analysis.Pass) (any, error) {
	for _, v := range Find(pass.Fset, pass.Files) {
		if !results && (v.Kind == Left || v.Kind == Gathered) {
			continue
		}
		pass.Report(analysis.Diagnostic{Pos: v.Pos, Category: v.Kind.String(), Message: v.String()})
	}
	return nil, nil
}

var kinds = [...]string{Shared: "shared", Gathered: "gathered", Left: "left", Ordering: "ordering", Channel: "channel"}

// String returns the kind in one word.
func (k Kind) String() string { return kinds[k] }

var instead = [...]string{
	Shared:   "each process would have its own; send it, or put it into a file",
	Gathered: "each rank fills its own part, and another process would not see it; Gather the parts",
	Left:     "no rank reads it, and each process would have only what its own rank left there; Gather or Bcast it",
	Ordering: "it orders only goroutines of one process; between ranks messages do, or Barrier",
	Channel:  "it leads only to goroutines of one process; Send and Recv",
}

// maxPlaces bounds the lines that String prints for one kind of use.
const maxPlaces = 5

// String returns the name, the uses by kind, and the remedy.
func (v Variable) String() string {
	var verbs []string
	places := map[string][]string{}
	for _, u := range v.Uses {
		verb := u.verb()
		if places[verb] == nil {
			verbs = append(verbs, verb)
		}
		places[verb] = append(places[verb], lineOf(u.At))
	}
	for i, verb := range verbs {
		at, more := places[verb], ""
		if len(at) > maxPlaces {
			at, more = at[:maxPlaces], fmt.Sprintf(" and %d more", len(at)-maxPlaces)
		}
		verbs[i] = verb + " at " + strings.Join(at, ", ") + more
	}
	name := v.Name
	if v.Type != "" {
		name += " " + v.Type
	}
	return fmt.Sprintf("ranks share %s: %s: %s", name, strings.Join(verbs, "; "), instead[v.Kind])
}

func lineOf(at token.Position) string {
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}
