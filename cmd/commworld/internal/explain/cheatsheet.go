package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// chapters lists the tables of the cheat sheet: a title and the packages of its Go names.
var chapters = []struct {
	title    string
	packages []string
}{
	{"Files", []string{"iofile", "reps"}},
	{"Datatypes", []string{"types"}},
	{"Communicators, messages and collectives", []string{"comm", "world", "errclass"}},
}

// inConstants has the constants that have, in Go, what routines return: the routine of each.
var inConstants = map[string]string{"MPI_VERSION": "MPI_Get_version", "MPI_SUBVERSION": "MPI_Get_version"}

// CheatSheet returns the cheat sheet as Markdown: for each routine its C binding, its Go
// declarations and its statement of scripts.
func CheatSheet(names []Name) string {
	var b strings.Builder
	b.WriteString("# Cheat sheet\n\nThe routines of MPI in C, Go and rank scripts. C routines return an int. `commworld explain NAME` says more about\n" +
		"each; `commworld explain --sheet html` writes one page to print.\n")
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n## %s\n\n| C | Go | script |\n| --- | --- | --- |\n", c.title)
		for _, mpi := range slices.Sorted(maps.Keys(prototypes())) {
			in, statement := []string{}, ""
			for _, n := range names {
				if (n.MPI == mpi || inConstants[n.MPI] == mpi) && slices.Contains(c.packages, n.Package) {
					in = append(in, code(n.Go))
					if form := scriptOf(n); form != "" {
						statement = code(form)
					}
				}
			}
			if len(in) > 0 {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", code(prototypes()[mpi]), strings.Join(in, "<br>"), statement)
			}
		}
	}
	return b.String()
}

// code returns text in the form of code in a table cell.
func code(text string) string {
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}
