package explain

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed names.txt
var namesText string

//go:embed prototypes.txt
var prototypesText string

//go:embed types.txt
var typesText string

// A Name is an exported name of this module.
type Name struct {
	Package string // "iofile"
	Name    string // "File.WriteAt", "Open", "View"
	MPI     string // routine or constant of the standard; empty: none
	Go      string // its declaration on one line
	Doc     string // the first sentence of its comment
	Rules   []string
}

// String returns the name as programs write it.
func (n Name) String() string {
	if recv, method, ok := strings.Cut(n.Name, "."); ok {
		return fmt.Sprintf("(%s.%s).%s", n.Package, recv, method)
	}
	return n.Package + "." + n.Name
}

// Names returns all exported names.
func Names() []Name { return slices.Clone(names()) }

var names = sync.OnceValue(func() []Name {
	var all []Name
	for line := range strings.Lines(namesText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 {
			continue // a comment
		}
		all = append(all, Name{f[0], f[1], f[2], f[3], f[4], strings.Fields(f[5])})
	}
	return all
})

// FormatNames writes names in the format of names.txt.
func FormatNames(all []Name) string {
	var b strings.Builder
	b.WriteString("# Made by go run ./cmd/commworld/internal/explain/generate from doc comments: package, name, MPI, declaration, first sentence, rules.\n")
	for _, n := range all {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\t%s\n", n.Package, n.Name, n.MPI, n.Go, n.Doc, strings.Join(n.Rules, " "))
	}
	return b.String()
}

// FormatMPINames writes the names of functions, methods, constants and variables in the format of package mpinames.
func FormatMPINames(all []Name) string {
	var b strings.Builder
	b.WriteString("# Made by go run ./cmd/commworld/internal/explain/generate from doc comments: package, name, MPI.\n")
	for _, n := range all {
		if !strings.HasPrefix(n.Go, "type ") || n.MPI != "" {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", n.Package, n.Name, n.MPI)
		}
	}
	return b.String()
}

// prototypes returns the C bindings by routine.
var prototypes = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(prototypesText) {
		if name, _, ok := strings.Cut(line, "("); ok && line[0] != '#' {
			all[name] = strings.TrimSpace(line)
		}
	}
	return all
})

// typeForms returns the constructors of type expressions with their arguments, by
// routine.
var typeForms = sync.OnceValue(func() map[string]string {
	byName := map[string]string{}
	for line := range strings.Lines(typesText) {
		if word, _, ok := strings.Cut(line, "("); ok && line[0] != '#' {
			byName[word] = strings.TrimSpace(line)
		}
	}
	all := map[string]string{}
	for mpi := range prototypes() {
		word, _ := strings.CutPrefix(mpi, "MPI_Type_")
		word = strings.Replace(strings.TrimPrefix(word, "create_"), "f90_", "f90", 1)
		if form := byName[word]; form != "" && word != mpi {
			all[mpi] = form
		}
	}
	return all
})

// section returns the place of a routine in the standard.
func section(mpi string) string {
	io := func(s string) string { return `chapter "I/O", section "` + s + `"` }
	switch {
	case mpi == "MPI_Register_datarep" || mpi == "MPI_File_get_type_extent":
		return io("File Interoperability")
	case mpi == "MPI_Init", mpi == "MPI_Finalize", mpi == "MPI_Wtime", mpi == "MPI_Wtick":
		return `chapter "MPI Environmental Management"`
	case strings.HasPrefix(mpi, "MPI_File_"):
		return io(fileSection(strings.TrimPrefix(mpi, "MPI_File_")))
	case strings.HasPrefix(mpi, "MPI_Type_"), strings.Contains(mpi, "ack"):
		return `chapter "Datatypes"`
	case strings.HasPrefix(mpi, "MPI_Comm_"), strings.HasPrefix(mpi, "MPI_Group_"), strings.HasPrefix(mpi, "MPI_Intercomm_"):
		return `chapter "Groups, Contexts, Communicators, and Caching"`
	case strings.HasPrefix(mpi, "MPI_Info"):
		return `chapter "The Info Object"`
	case strings.HasPrefix(mpi, "MPI_Cart"), strings.HasPrefix(mpi, "MPI_Graph"), strings.HasPrefix(mpi, "MPI_Dist_graph"), strings.Contains(mpi, "eighbor"), mpi == "MPI_Dims_create":
		return `chapter "Virtual Topologies"`
	case strings.HasPrefix(mpi, "MPI_P"), strings.HasPrefix(mpi, "MPI_Psend"):
		if mpi == "MPI_Probe" {
			break
		}
		return `chapter "Partitioned Point-to-Point Communication"`
	case strings.Contains(mpi, "rr"):
		return `chapter "MPI Environmental Management", section "Error Handling"`
	}
	for _, word := range []string{"cast", "arrier", "gather", "scatter", "Scatter", "Gather", "educe", "lltoall", "can", "MPI_Op_"} {
		if strings.Contains(mpi, word) {
			return `chapter "Collective Communication"`
		}
	}
	return `chapter "Point-to-Point Communication"`
}

func fileSection(routine string) string {
	switch routine {
	case "open", "close", "delete", "get_group", "get_amode":
		return "File Manipulation"
	case "set_size", "preallocate", "get_size":
		return "File Manipulation"
	case "set_info", "get_info":
		return "File Info"
	case "set_view", "get_view":
		return "File Views"
	case "sync", "set_atomicity", "get_atomicity":
		return "Consistency and Semantics"
	}
	switch {
	case strings.Contains(routine, "errhandler"):
		return "I/O Error Handling"
	case strings.HasSuffix(routine, "_begin"), strings.HasSuffix(routine, "_end"):
		return "Split Collective Data Access Routines"
	case strings.Contains(routine, "_at"):
		return "Data Access with Explicit Offsets"
	case strings.Contains(routine, "shared"), strings.Contains(routine, "ordered"):
		return "Data Access with Shared File Pointers"
	}
	return "Data Access with Individual File Pointers"
}
