package fortran

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	//go:embed text/runtime.c
	runtime string

	//go:embed text/library.c
	library string

	//go:embed text/mpi_f08.f90
	abstract string
)

// Make returns the files of the Fortran interfaces, by name, from the text of mpi.h and of
// mpi_functions.h: mpif.h, the sources of the modules, and that of the C code behind them.
func Make(header, prototypes string) (map[string]string, error) {
	all, err := parse(prototypes)
	if err != nil {
		return nil, err
	}
	constants, err := constants(header)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"mpif.h":      fixed(constants),
		"mpi.f90":     types() + module(all, constants),
		"mpi_f08.f90": module08(all, constants),
		"glue.c":      runtime + "\n" + library + "\n" + glue(all),
	}, nil
}

// A constant is a constant of mpi.h.
type constant struct {
	name, value string
	handle      string // the kind of a handle, such as Comm; empty for a number
	long        bool   // it needs 64 bits
}

var (
	handleConstant = regexp.MustCompile(`(?m)^#define (MPI_\w+) \(\(MPI_([A-Z][a-z]+)\)(0x[0-9a-f]+)\)`)
	plainConstant  = regexp.MustCompile(`(?m)^(?:#define (MPI_\w+) (\d+)$|\t(MPI_\w+) = (-?\w+),?)`)
)

// constants reads mpi.h.
func constants(header string) (all []constant, err error) {
	for _, m := range handleConstant.FindAllStringSubmatch(header, -1) {
		n, err := strconv.ParseInt(m[3], 0, 32)
		if err != nil {
			return nil, err
		}
		all = append(all, constant{name: m[1], value: fmt.Sprint(n), handle: m[2]})
	}
	all = append(all, constant{name: "MPI_LONG_LONG_INT", value: valueOf(all, "MPI_LONG_LONG"), handle: "Datatype"},
		constant{name: "MPI_C_COMPLEX", value: valueOf(all, "MPI_C_FLOAT_COMPLEX"), handle: "Datatype"})
	for _, m := range plainConstant.FindAllStringSubmatch(header, -1) {
		name, value := m[1]+m[3], m[2]+m[4]
		if strings.HasPrefix(name, "MPI_T_") || strings.HasPrefix(name, "MPI_F_") {
			continue
		}
		n, err := strconv.ParseInt(value, 0, 32)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, "MPI_MAX_") {
			n-- // the 0 that ends a text in C
		}
		all = append(all, constant{name: name, value: fmt.Sprint(n)})
	}
	return append(all, constant{name: "MPI_DISPLACEMENT_CURRENT", value: "-1", long: true}), nil
}

func valueOf(all []constant, name string) string {
	for _, c := range all {
		if c.name == name {
			return c.value
		}
	}
	return ""
}

// kinds has the constants that only Fortran has.
const kinds = `
      INTEGER MPI_STATUS_SIZE, MPI_SOURCE, MPI_TAG, MPI_ERROR
      PARAMETER (MPI_STATUS_SIZE=8)
      PARAMETER (MPI_SOURCE=1, MPI_TAG=2, MPI_ERROR=3)
      INTEGER MPI_ADDRESS_KIND, MPI_COUNT_KIND
      INTEGER MPI_OFFSET_KIND, MPI_INTEGER_KIND
      PARAMETER (MPI_ADDRESS_KIND=8, MPI_COUNT_KIND=8)
      PARAMETER (MPI_OFFSET_KIND=8, MPI_INTEGER_KIND=4)
      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
      LOGICAL MPI_SUBARRAYS_SUPPORTED
      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.%s.)
`

// sentinels has the variables that Fortran passes for special buffers, or to leave arguments
// out.
const sentinels = `
      INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
      COMMON /MPI_FORTRAN_BOTTOM/ MPI_BOTTOM
      COMMON /MPI_FORTRAN_IN_PLACE/ MPI_IN_PLACE
      COMMON /MPI_FORTRAN_BUFFER_AUTOMATIC/ MPI_BUFFER_AUTOMATIC
      INTEGER MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
      COMMON /MPI_FORTRAN_UNWEIGHTED/ MPI_UNWEIGHTED
      COMMON /MPI_FORTRAN_WEIGHTS_EMPTY/ MPI_WEIGHTS_EMPTY
      INTEGER MPI_ERRCODES_IGNORE(1)
      COMMON /MPI_FORTRAN_ERRCODES_IGNORE/ MPI_ERRCODES_IGNORE
      CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
      COMMON /MPI_FORTRAN_ARGV_NULL/ MPI_ARGV_NULL
      COMMON /MPI_FORTRAN_ARGVS_NULL/ MPI_ARGVS_NULL
      INTEGER MPI_STATUS_IGNORE(8), MPI_STATUSES_IGNORE(8,1)
      COMMON /MPI_FORTRAN_STATUS_IGNORE/ MPI_STATUS_IGNORE
      COMMON /MPI_FORTRAN_STATUSES_IGNORE/ MPI_STATUSES_IGNORE
`

// predefinedFunctions lists the procedures for attributes and conversions that the standard
// predefines.
var predefinedFunctions = []string{
	"MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN", "MPI_COMM_NULL_COPY_FN", "MPI_COMM_DUP_FN", "MPI_COMM_NULL_DELETE_FN",
	"MPI_TYPE_NULL_COPY_FN", "MPI_TYPE_DUP_FN", "MPI_TYPE_NULL_DELETE_FN", "MPI_WIN_NULL_COPY_FN", "MPI_WIN_DUP_FN", "MPI_WIN_NULL_DELETE_FN",
	"MPI_CONVERSION_FN_NULL",
}

// parameters writes the constants as integers, in lines that are right in fixed and in free
// form.
func parameters(b *strings.Builder, all []constant) {
	for _, c := range all {
		declared := "INTEGER"
		if c.long {
			declared = "INTEGER*8"
		}
		fmt.Fprintf(b, "      %s %s\n      PARAMETER (%s=%s)\n", declared, c.name, c.name, c.value)
	}
}

// fixed returns mpif.h.
func fixed(all []constant) string {
	var b strings.Builder
	fmt.Fprintf(&b, kinds[1:], "FALSE")
	parameters(&b, all)
	b.WriteString(sentinels[1:])
	for _, f := range predefinedFunctions {
		fmt.Fprintf(&b, "      EXTERNAL %s\n", f)
	}
	for _, prefix := range []string{"MPI_", "PMPI_"} {
		fmt.Fprintf(&b, "      DOUBLE PRECISION %[1]sWTIME, %[1]sWTICK\n      EXTERNAL %[1]sWTIME, %[1]sWTICK\n", prefix)
		fmt.Fprintf(&b, "      INTEGER*8 %[1]sAINT_ADD, %[1]sAINT_DIFF\n      EXTERNAL %[1]sAINT_ADD, %[1]sAINT_DIFF\n", prefix)
	}
	return b.String()
}

// declaration returns how an interface declares an argument.
func (a argument) declaration(f08 bool) string {
	kind, dims, attributes := "", "", ""
	if a.array {
		dims = "(" + a.dims + ")"
	}
	switch a.kind {
	case choice:
		return "type(*), dimension(..) :: " + a.fortranName()
	case function:
		if f08 {
			return "procedure(" + a.ctype + ") :: " + a.fortranName()
		}
		return "external :: " + a.fortranName()
	case text:
		kind = "character(len=*)"
	case status:
		switch {
		case f08 && a.ctype != "MPI_Fint" || a.ctype == "MPI_F08_status":
			kind = "type(MPI_Status)"
		case a.array:
			kind, dims = "integer", "(MPI_STATUS_SIZE,*)"
		default:
			kind, dims = "integer", "(MPI_STATUS_SIZE)"
		}
	case handle:
		kind = "integer"
		if f08 {
			kind = "type(" + a.ctype + ")"
		}
	case logical:
		kind = "logical"
	case cell:
		kind = "integer(MPI_ADDRESS_KIND)"
		if a.ctype == "int" {
			kind = "integer"
		}
	case address:
		if a.name == "buffer_addr" && !f08 { // nothing is stored there
			return "type(*), dimension(*) :: buffer_addr\n    !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr"
		}
		kind = "integer(MPI_ADDRESS_KIND)"
		if f08 {
			kind = "type(c_ptr)"
		}
	default:
		kind = map[string]string{
			"int": "integer", "MPI_Aint": "integer(MPI_ADDRESS_KIND)", "MPI_Count": "integer(MPI_COUNT_KIND)",
			"MPI_Offset": "integer(MPI_OFFSET_KIND)",
		}[a.ctype]
	}
	if !a.out {
		attributes = ", intent(in)"
	}
	return kind + attributes + " :: " + a.fortranName() + dims
}

// declare writes the interface of a procedure.
func (p *procedure) declare(b *strings.Builder, name string, f08 bool) {
	args := p.args
	var names []string
	for _, a := range args {
		names = append(names, a.fortranName())
	}
	if p.result != "" {
		result := "double precision"
		if p.result == "MPI_Aint" {
			result = "integer(MPI_ADDRESS_KIND)"
		}
		fmt.Fprintf(b, "  function %s(%s)\n    import\n    %s :: %s\n", name, strings.Join(names, ", "), result, name)
		for _, a := range args {
			fmt.Fprintf(b, "    %s\n", a.declaration(f08))
		}
		b.WriteString("  end function\n")
		return
	}
	if !strings.HasPrefix(p.name, "Pcontrol") {
		names = append(names, "ierror")
	}
	bind := ""
	if p.described() {
		bind = " bind(C, name='" + p.descriptors() + "')"
	}
	fmt.Fprintf(b, "  subroutine %s(%s)%s\n    import\n", name, strings.Join(names, ", "), bind)
	for _, a := range args {
		if a.kind == choice && !p.described() {
			fmt.Fprintf(b, "    type(*), dimension(*) :: %s\n    !GCC$ ATTRIBUTES NO_ARG_CHECK :: %s\n", a.name, a.name)
			continue
		}
		d := a.declaration(f08)
		if f08 && a.kind == choice && started.MatchString(p.name) {
			d = strings.Replace(d, " ::", ", asynchronous ::", 1)
		}
		fmt.Fprintf(b, "    %s\n", d)
	}
	switch {
	case strings.HasPrefix(p.name, "Pcontrol"):
	case f08:
		b.WriteString("    integer, optional, intent(out) :: ierror\n")
	default:
		b.WriteString("    integer, intent(out) :: ierror\n")
	}
	b.WriteString("  end subroutine\n")
}

// module returns the source of module mpi.
func module(all []*procedure, constants []constant) string {
	var b strings.Builder
	b.WriteString("module mpi\n  use, intrinsic :: iso_c_binding, only: c_ptr\n  use mpi_f08_types, only: MPI_Status")
	for _, h := range handleTypes {
		b.WriteString(", MPI_" + h)
	}
	b.WriteString("\n  implicit none\n  private :: c_ptr\n")
	fmt.Fprintf(&b, kinds, "TRUE")
	parameters(&b, constants)
	b.WriteString(sentinels)
	for _, f := range predefinedFunctions {
		fmt.Fprintf(&b, "      EXTERNAL %s\n", f)
	}
	b.WriteString("interface\n")
	for _, p := range all {
		if !p.returnsMemory() {
			p.declare(&b, "MPI_"+p.name, false)
		}
	}
	b.WriteString(onlyFortran + "end interface\n")
	for _, p := range all {
		fmt.Fprintf(&b, "interface PMPI_%s\n  procedure MPI_%s\nend interface\n", p.name, p.name)
	}
	for _, p := range all {
		if p.returnsMemory() {
			p.pointer(&b)
		}
	}
	b.WriteString("end module\n")
	return b.String()
}

// returnsMemory reports whether a procedure returns the address of memory.
func (p *procedure) returnsMemory() bool {
	return slices.ContainsFunc(p.args, func(a argument) bool { return a.name == "baseptr" })
}

// pointer writes a procedure of module mpi with its variant that returns a TYPE(C_PTR).
func (p *procedure) pointer(b *strings.Builder) {
	fmt.Fprintf(b, "interface MPI_%s\n", p.name)
	p.declare(b, "MPI_"+p.name, false)
	var text strings.Builder
	p.declare(&text, "MPI_"+p.name+"_cptr", false)
	b.WriteString(strings.Replace(text.String(), "integer(MPI_ADDRESS_KIND) :: baseptr", "type(c_ptr) :: baseptr", 1))
	fmt.Fprintf(b, "end interface\ninterface PMPI_%s\n  procedure MPI_%s_cptr\nend interface\n", p.name, p.name)
}

// onlyFortran has the interfaces of procedures that C does not have.
const onlyFortran = `  subroutine MPI_Sizeof(x, size, ierror) bind(C, name='commworld_sizeof_ts')
    type(*), dimension(..) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
  end subroutine
  subroutine MPI_F_sync_reg(buf) bind(C, name='commworld_f_sync_reg_ts')
    type(*), dimension(..) :: buf
  end subroutine
`

// handleTypes lists the kinds of handles.
var handleTypes = []string{"Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"}

// types returns the source of the module with the types of handles and statuses.
func types() string {
	var b strings.Builder
	b.WriteString(`module mpi_f08_types
  implicit none
  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
    integer, private :: internal(5)
  end type
`)
	for _, h := range handleTypes {
		fmt.Fprintf(&b, "  type, bind(C) :: MPI_%s\n    integer :: MPI_VAL\n  end type\n", h)
	}
	for _, op := range [][2]string{{"==", "equal"}, {"/=", "differ"}} {
		fmt.Fprintf(&b, "  interface operator(%s)\n", op[0])
		for _, h := range handleTypes {
			fmt.Fprintf(&b, "    module procedure %s_%s\n", op[1], h)
		}
		for _, h := range handleTypes {
			fmt.Fprintf(&b, "    module procedure %s_%s_integer, %s_integer_%s\n", op[1], h, op[1], h)
		}
		b.WriteString("  end interface\n")
	}
	b.WriteString("contains\n")
	for _, op := range [][2]string{{"==", "equal"}, {"/=", "differ"}} {
		for _, h := range handleTypes {
			for _, form := range [][3]string{
				{"_" + h, "type(MPI_" + h + ")", "type(MPI_" + h + ")"},
				{"_" + h + "_integer", "type(MPI_" + h + ")", "integer"},
				{"_integer_" + h, "integer", "type(MPI_" + h + ")"},
			} {
				value := func(t, x string) string {
					if t == "integer" {
						return x
					}
					return x + "%MPI_VAL"
				}
				fmt.Fprintf(&b, "  elemental logical function %s%s(a, b) result(r)\n    %s, intent(in) :: a\n    %s, intent(in) :: b\n    r = %s %s %s\n  end function\n",
					op[1], form[0], form[1], form[2], value(form[1], "a"), op[0], value(form[2], "b"))
			}
		}
	}
	b.WriteString("end module\n")
	return b.String()
}

// module08 returns the source of module mpi_f08.
func module08(all []*procedure, constants []constant) string {
	var b strings.Builder
	b.WriteString("module mpi_f08\n  use, intrinsic :: iso_c_binding, only: c_ptr\n  use mpi_f08_types\n  implicit none\n  private :: c_ptr\n")
	fmt.Fprintf(&b, kinds, "TRUE")
	for _, c := range constants {
		switch {
		case c.handle != "":
			fmt.Fprintf(&b, "  type(MPI_%s), parameter :: %s = MPI_%s(%s)\n", c.handle, c.name, c.handle, c.value)
		case c.long:
			fmt.Fprintf(&b, "  integer(MPI_OFFSET_KIND), parameter :: %s = %s\n", c.name, c.value)
		default:
			fmt.Fprintf(&b, "  integer, parameter :: %s = %s\n", c.name, c.value)
		}
	}
	b.WriteString(abstract)
	for _, p := range all {
		if p.old {
			continue
		}
		specific := func(q *procedure) string {
			if q.described() {
				return "MPI_" + q.name + "_f08ts"
			}
			return "MPI_" + q.name + "_f08"
		}
		names := []string{specific(p)}
		fmt.Fprintf(&b, "interface MPI_%s\n", p.name)
		p.declare(&b, names[0], true)
		if p.large != nil && p.distinct() {
			names = append(names, specific(p.large))
			p.large.declare(&b, names[1], true)
		}
		b.WriteString("end interface\n")
		fmt.Fprintf(&b, "interface PMPI_%s\n  procedure %s\nend interface\n", p.name, strings.Join(names, ", "))
		if p.large != nil && !p.distinct() {
			fmt.Fprintf(&b, "interface MPI_%s\n", p.large.name)
			p.large.declare(&b, specific(p.large), true)
			b.WriteString("end interface\n")
			fmt.Fprintf(&b, "interface PMPI_%s\n  procedure %s\nend interface\n", p.large.name, specific(p.large))
		}
	}
	b.WriteString("interface\n" + onlyFortran + "end interface\nend module\n")
	return b.String()
}
