package explain

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// FormatTypeForms writes the constructors of type expressions in the format of types.txt.
func FormatTypeForms(forms []string) string {
	return "# Made by go run ./cmd/commworld/internal/explain/generate from the comment of types.Parse.\n" + strings.Join(forms, "\n") + "\n"
}

// printedRows lists the tables of the printed sheet: titles, and the routines in them.
var printedRows = []struct {
	title string
	has   func(mpi string) bool
}{
	{"Files: opening, views, sizes, consistency", func(mpi string) bool { return isFile(mpi) && !isAccess(mpi) }},
	{"Files: reading and writing", func(mpi string) bool { return isFile(mpi) && isAccess(mpi) }},
	{"Datatypes", func(mpi string) bool { return typeForms()[mpi] != "" && !strings.Contains(mpi, "f90") }},
	{"Ranks, messages, collectives", func(mpi string) bool { return !isFile(mpi) && typeForms()[mpi] == "" }},
}

func isFile(mpi string) bool {
	return strings.HasPrefix(mpi, "MPI_File_") || mpi == "MPI_Register_datarep"
}

func isAccess(mpi string) bool {
	return strings.Contains(mpi, "read") || strings.Contains(mpi, "write")
}

// courseHas lists routines that programs of the course call and scripts have no
// statement for.
var courseHas = []string{"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_split", "MPI_Exscan", "MPI_Sendrecv", "MPI_Info_create", "MPI_Info_set"}

// operations is the list of operations of a reduction.
var operations = regexp.MustCompile(`sum\|[a-z|]+`)

// PrintedSheet returns the cheat sheet as HTML, one page to print: the routines of the
// I/O chapter and the routines that scripts have, as calls.
func PrintedSheet(names []Name) string {
	var b strings.Builder
	b.WriteString(printedHead)
	for _, part := range printedRows {
		fmt.Fprintf(&b, "<tbody>\n<tr><th>%s</th><th>Go</th><th>script</th></tr>\n", html.EscapeString(part.title))
		for _, mpi := range slices.Sorted(maps.Keys(prototypes())) {
			if !part.has(mpi) {
				continue
			}
			call, statement := "", ""
			for _, n := range names {
				method := strings.HasPrefix(n.Name, "File.")
				if n.MPI == mpi && (call == "" || method) && strings.HasPrefix(n.Go, "func ") {
					call, statement = goCall(n), scriptOf(n)
				}
			}
			if call != "" && (isFile(mpi) || statement != "" || slices.Contains(courseHas, mpi)) {
				fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n",
					html.EscapeString(cCall(prototypes()[mpi])), html.EscapeString(call), html.EscapeString(operations.ReplaceAllString(statement, "OP")))
			}
		}
		b.WriteString("</tbody>\n")
	}
	b.WriteString(printedFoot)
	return b.String()
}

// cCall returns a prototype in the form of a call: names of the arguments, with & before
// results.
func cCall(prototype string) string {
	name, list, _ := strings.Cut(strings.TrimSuffix(prototype, ")"), "(")
	var args []string
	for arg := range strings.SplitSeq(list, ",") {
		words := strings.Fields(strings.ReplaceAll(arg, "*", " * "))
		if len(words) < 2 {
			continue // void
		}
		last := strings.TrimSuffix(words[len(words)-1], "[]")
		pointer := slices.Contains(words, "*")
		switch {
		case strings.Count(arg, "*") > 2:
			last = "&" + last
		case pointer && words[0] != "const" && words[0] != "void" && words[0] != "char" && !strings.HasSuffix(words[0], "_function"):
			last = "&" + last
		case strings.HasPrefix(last, "array_of_"):
			last = strings.TrimPrefix(last, "array_of_")
		}
		args = append(args, strings.Replace(last, "datatype", "type", 1))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// goCall returns a declaration in the form of a call: f.WriteAt(buf, off).
func goCall(n Name) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+n.Go+" {}", 0)
	if err != nil || len(file.Decls) != 1 {
		return ""
	}
	f, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok {
		return ""
	}
	var args []string
	for _, field := range f.Type.Params.List {
		for _, id := range field.Names {
			name := id.Name
			if _, many := field.Type.(*ast.Ellipsis); many {
				name += "..."
			}
			args = append(args, name)
		}
	}
	front := n.Package
	if f.Recv != nil && len(f.Recv.List[0].Names) > 0 {
		front = f.Recv.List[0].Names[0].Name
	}
	return front + "." + f.Name.Name + "(" + strings.Join(args, ", ") + ")"
}

const printedHead = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>MPI in C, Go and rank scripts</title>
<style>
@page { size: A4 landscape; margin: 7mm }
body { font: 12px/1.35 "Liberation Sans", Arial, Helvetica, sans-serif; color: #000; background: #fff; margin: 1em }
h1 { font-size: 1.3em; margin: 0 0 .3em }
p { margin: .3em 0 }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: 0 .9em 0 0 }
th { border-bottom: 1px solid #000; padding-top: .5em }
tr:nth-child(odd) td { background: #f0f0f0 }
@media print {
  body { font-size: 5.6pt; line-height: 1.2; margin: 0; columns: 2; column-gap: 5mm }
  table { width: 100% }
  th, td { padding-right: .5em }
  tr { break-inside: avoid }
  tr:nth-child(odd) td { background: none }
  td { border-bottom: .2pt solid #bbb }
}
</style>
<h1>MPI in C, Go and rank scripts</h1>
<p>C routines return an error code; Go calls return an error, and their results before it. In scripts, DATA is a list of values
such as <code>int 1 2</code> or "text", WANT is TYPE*N, NAME gets the result, OP is sum, max and the like.</p>
<table>
`

const printedFoot = `</table>
<p>A write is visible to another rank after: <b>sync</b> of the writer, then <b>barrier</b> or message, then <b>sync</b> of the reader
(in atomic mode without the two syncs). Displacements and sizes count bytes, offsets count etypes. Every rank that opened a file
makes the same collective calls in the same order. A type in C needs MPI_Type_commit; in Go it is a value.</p>
</html>
`
