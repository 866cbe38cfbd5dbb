// Command generate writes the prototypes of MPI's functions, and stubs of them for the
// linker, from internal/table/functions.txt. It is run by go generate in the directory above.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/commworld/commworld/world/c/internal/table"
)

const made = "/* Made by go generate from functions.txt: edit that. */\n\n"

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate() error {
	all, err := table.All()
	if err != nil {
		return err
	}
	var header, stubs strings.Builder
	header.WriteString(made)
	stubs.WriteString("//go:build linux && cgo && (amd64 || arm64)\n\n" + made + "#include \"stubs.h\"\n\n")
	for i, f := range all {
		declare(&header, f.Name, f, f.Params)
		define(&stubs, i, f.Name, f, f.Params, 0)
		if f.Large != nil {
			declare(&header, f.Name+"_c", f, f.Large)
			define(&stubs, i, f.Name+"_c", f, f.Large, 1)
		}
	}
	if err := os.WriteFile("include/mpi_functions.h", []byte(header.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile("stubs.c", []byte(stubs.String()), 0o644)
}

func list(f table.Function, params []table.Param) string {
	if len(params) == 0 {
		return "void"
	}
	var all []string
	for _, p := range params {
		all = append(all, p.String())
	}
	if f.Varies {
		all = append(all, "...")
	}
	return strings.Join(all, ", ")
}

func declare(b *strings.Builder, name string, f table.Function, params []table.Param) {
	for _, prefix := range []string{"MPI_", "PMPI_"} {
		checked := ""
		if f.Result == "int" {
			checked = "MPI_ABI_CHECKED "
		}
		fmt.Fprintf(b, "%s%s %s%s(%s);\n", checked, f.Result, prefix, name, list(f, params))
	}
}

func define(b *strings.Builder, number int, name string, f table.Function, params []table.Param, large int) {
	fmt.Fprintf(b, "%s PMPI_%s(%s)\n{\n", f.Result, name, list(f, params))
	args, n := "0", len(params)
	if n > 0 {
		var all []string
		for _, p := range params {
			all = append(all, "WORD("+p.Name+")")
		}
		args = strings.Join(all, ", ")
	}
	fmt.Fprintf(b, "\tint64_t a[] = {%s};\n\treturn %scommworld_call(%d, %d, a, %d, __builtin_frame_address(0)));\n}\n", args, result(f.Result), number, large, n)
	fmt.Fprintf(b, "TWIN(%s)\n\n", name)
}

// result returns the C code that converts a word to a function's result.
func result(of string) string {
	if of == "double" {
		return "commworld_double("
	}
	return "(" + of + ")("
}
