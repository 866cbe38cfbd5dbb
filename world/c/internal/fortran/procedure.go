// Package fortran writes the Fortran interfaces of MPI, mpif.h, module mpi and module
// mpi_f08, and the C code between them and the functions of mpi.h.
//
// Start here: [Make] returns the text of all files. They are made from the prototypes of
// mpi_functions.h and the constants of mpi.h, so a function that C programs may call has its
// procedures in Fortran, too. runtime.c has the code that is written by hand.
package fortran

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A kind says how an argument is passed in Fortran.
type kind int

const (
	number   kind = iota // an integer
	logical              // a truth value
	handle               // an INTEGER, or a type such as MPI_Comm
	status               // INTEGER(MPI_STATUS_SIZE), or TYPE(MPI_Status)
	choice               // a buffer of any type
	text                 // characters
	function             // a procedure of the program
	cell                 // an address of C that Fortran takes for an integer: an attribute or a state
	address              // TYPE(C_PTR), or an integer in mpif.h and module mpi
)

// An argument is one argument of a procedure.
type argument struct {
	name  string // in C
	ctype string // in C, without const, * and []
	kind  kind
	out   bool   // the procedure may set it
	array bool   // it has more than one item
	dims  string // how Fortran declares the array
	index bool   // it counts from 1, and from 0 in C
}

// A procedure is a procedure of Fortran.
type procedure struct {
	name   string // without MPI_
	result string // the C type of a function, "" for a subroutine
	args   []argument
	large  *procedure // the variant with large counts
	hand   bool       // runtime.c has its C code
	old    bool       // it is not in module mpi_f08
}

var prototype = regexp.MustCompile(`(?m)^(?:MPI_ABI_CHECKED )?(\w+) MPI_(\w+)\((.*)\);$`)

// absent lists functions that have no procedure in Fortran.
var absent = regexp.MustCompile(`^(T_|\w+_(c2f|f2c|toint|fromint)$|Status_(c2f08|f082c)$|Abi_[gs]et_fortran_|Commworld_)`)

// byHand lists procedures whose C code is in runtime.c.
var byHand = []string{
	"Init", "Init_thread", "Pcontrol", "Info_get", "Info_get_string", "Info_create_env",
	"Comm_create_keyval", "Type_create_keyval", "Win_create_keyval", "Keyval_create",
	"Comm_get_attr", "Type_get_attr", "Win_get_attr", "Attr_get", "Comm_set_attr", "Type_set_attr", "Win_set_attr", "Attr_put",
	"Op_create", "Op_create_c", "Comm_create_errhandler", "File_create_errhandler", "Win_create_errhandler", "Session_create_errhandler",
	"Errhandler_create", "Grequest_start", "Register_datarep", "Register_datarep_c",
	"Comm_spawn", "Comm_spawn_multiple", "Address", "Type_extent", "Type_lb", "Type_ub", "Type_hvector", "Type_hindexed", "Type_struct",
	"Status_f2f08", "Status_f082f",
}

// removed lists procedures that MPI has deprecated or removed: module mpi_f08 never had them.
var removed = []string{
	"Attr_delete", "Attr_get", "Attr_put", "Keyval_create", "Keyval_free", "Address", "Errhandler_create", "Errhandler_get", "Errhandler_set",
	"Type_extent", "Type_hindexed", "Type_hvector", "Type_lb", "Type_struct", "Type_ub",
}

// parse returns the procedures for the prototypes of mpi_functions.h.
func parse(prototypes string) ([]*procedure, error) {
	var all []*procedure
	byName := map[string]*procedure{}
	for _, m := range prototype.FindAllStringSubmatch(prototypes, -1) {
		if absent.MatchString(m[2]) {
			continue
		}
		p := &procedure{name: m[2], hand: slices.Contains(byHand, m[2]), old: slices.Contains(removed, m[2])}
		if m[1] != "int" {
			p.result = m[1]
		}
		for _, a := range strings.Split(m[3], ", ") {
			if a == "void" || a == "..." {
				continue
			}
			arg, err := p.argument(a)
			if err != nil {
				return nil, fmt.Errorf("MPI_%s: %w", p.name, err)
			}
			p.args = append(p.args, arg)
		}
		p.adapt()
		byName[p.name] = p
		if base := byName[strings.TrimSuffix(p.name, "_c")]; base != p && base != nil {
			base.large = p
			continue
		}
		all = append(all, p)
	}
	return all, nil
}

var declarator = regexp.MustCompile(`^(const )?(unsigned )?(\w+) (\**)(\w+)((?:\[\d*\])*)$`)

// logicals names the arguments that are truth values.
var logicals = []string{"flag", "reorder", "high", "commute", "periods", "remain_dims", "weighted"}

// buffers names the arguments of type void * that are buffers.
var buffers = []string{"buf", "sendbuf", "recvbuf", "buffer", "inbuf", "outbuf", "inoutbuf", "origin_addr", "result_addr", "compare_addr", "base", "location"}

func (p *procedure) argument(declaration string) (argument, error) {
	m := declarator.FindStringSubmatch(declaration)
	if m == nil {
		return argument{}, fmt.Errorf("%q is not a parameter", declaration)
	}
	constant, base, stars, name, brackets := m[1] != "", m[3], m[4], m[5], m[6]
	a := argument{name: name, ctype: base, array: brackets != "", out: !constant && stars+brackets != ""}
	if brackets == "[][3]" {
		a.dims = "3,*"
	}
	switch {
	case base == "void" && slices.Contains(buffers, name):
		a.kind = choice
	case name == "baseptr" || name == "buffer_addr":
		a.kind = address
	case base == "void":
		a.kind = cell
	case base == "char":
		a.kind, a.array = text, stars == "**" || stars+brackets == "*[]"
	case strings.HasSuffix(base, "_function") || strings.HasSuffix(base, "_function_c"):
		a.kind = function
	case base == "MPI_Status":
		a.kind, a.array = status, a.array || strings.HasPrefix(name, "array_of_")
	case base == "MPI_Fint" || base == "MPI_F08_status":
		a.kind = status
	case base == "MPI_Aint" || base == "MPI_Count" || base == "MPI_Offset" || base == "double":
	case strings.HasPrefix(base, "MPI_"):
		a.kind = handle
	case base == "int" && slices.Contains(logicals, name):
		a.kind = logical
	case base == "int":
		a.index = name == "indx" && stars != "" || name == "array_of_indices"
	default:
		return a, fmt.Errorf("%q has an unknown type", declaration)
	}
	if a.array && a.dims == "" {
		a.dims = "*"
	}
	return a, nil
}

// adapt makes the arguments those of Fortran where the standard has others than in C.
func (p *procedure) adapt() {
	switch p.name {
	case "Init":
		p.args = nil
	case "Init_thread":
		p.args = p.args[2:]
	case "Info_create_env":
		p.args = p.args[2:]
	case "Address", "Type_extent", "Type_lb", "Type_ub", "Type_hvector", "Type_hindexed", "Type_struct":
		for i := range p.args {
			if p.args[i].ctype == "MPI_Aint" {
				p.args[i].ctype = "int"
			}
		}
	case "Attr_get", "Attr_put", "Keyval_create":
		for i := range p.args {
			if p.args[i].kind == cell {
				p.args[i].ctype = "int"
			}
		}
	case "Comm_spawn":
		p.args[1].array, p.args[1].dims = true, "*"
	case "Comm_spawn_multiple":
		p.args[1].array, p.args[1].dims = true, "*"
		p.args[2].array, p.args[2].dims = true, "count,*"
	}
	for i := range p.args {
		switch {
		case p.args[i].kind == cell && strings.HasSuffix(p.name, "_get_attr") || p.name == "Attr_get" && p.args[i].kind == cell:
			p.args[i].out = true
		case p.args[i].kind == cell:
			p.args[i].out = false
		}
	}
}

// fortranName returns the name of an argument in Fortran.
func (a argument) fortranName() string {
	if a.name == "indx" {
		return "index"
	}
	return a.name
}

// has reports whether the procedure has an argument of some kind.
func (p *procedure) has(k kind) bool {
	return slices.ContainsFunc(p.args, func(a argument) bool { return a.kind == k })
}

// distinct reports whether Fortran can tell the call of a procedure from that of its variant
// with large counts: an INTEGER is a longer one there.
func (p *procedure) distinct() bool {
	for i, a := range p.args {
		if i < len(p.large.args) && (a.ctype == "int") != (p.large.args[i].ctype == "int") {
			return true
		}
	}
	return len(p.args) != len(p.large.args)
}
