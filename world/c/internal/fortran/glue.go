package fortran

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// sizes has the sizes of C of the texts that a function returns, by argument; for others the
// size is that of names of objects.
var sizes = map[string]string{
	"version": "MPI_MAX_LIBRARY_VERSION_STRING", "name": "MPI_MAX_PROCESSOR_NAME", "string": "MPI_MAX_ERROR_STRING",
	"datarep": "MPI_MAX_DATAREP_STRING", "key": "MPI_MAX_INFO_KEY", "port_name": "MPI_MAX_PORT_NAME", "pset_name": "MPI_MAX_PSET_NAME_LEN",
}

// glue returns the C code of the procedures, without what is written by hand.
func glue(all []*procedure) string {
	var b strings.Builder
	for _, p := range all {
		if p.hand {
			p.aliases(&b)
		} else {
			p.define(&b)
		}
		switch l := p.large; {
		case l == nil:
		case l.hand:
			l.aliases(&b)
		default:
			l.define(&b)
		}
	}
	return b.String()
}

// symbol returns the linkage name of a procedure that mpif.h and module mpi call.
func (p *procedure) symbol() string { return "mpi_" + strings.ToLower(p.name) + "_" }

// descriptors returns the linkage name of a procedure that gets descriptors of its buffers,
// which modules call.
func (p *procedure) descriptors() string { return "commworld_" + strings.ToLower(p.name) + "_ts" }

// described reports whether modules pass descriptors of the buffers. A procedure with texts
// has the Fortran compiler copy a section.
func (p *procedure) described() bool { return p.has(choice) && !p.has(text) }

// aliases gives a procedure the names by which the interfaces call it.
func (p *procedure) aliases(b *strings.Builder) {
	s := p.symbol()
	fmt.Fprintf(b, "ALIAS(%s, p%s)\n", s, s)
	if !p.described() && !p.old {
		fmt.Fprintf(b, "ALIAS(%s, %s)\n", s, strings.TrimSuffix(s, "_")+"_f08_")
	}
	b.WriteString("\n")
}

func (a argument) declare() string {
	switch {
	case a.kind == choice:
		return "void *" + a.name
	case a.kind == status, a.kind == handle, a.kind == logical, a.ctype == "int":
		return "int *" + a.name
	case a.kind == text:
		return "char *" + a.name
	case a.kind == cell:
		return "MPI_Aint *" + a.name
	case a.kind == address:
		return "void **" + a.name
	case a.kind == function:
		return "void (*" + a.name + ")(void)"
	}
	return a.ctype + " *" + a.name
}

// define writes the functions of C that Fortran calls.
func (p *procedure) define(b *strings.Builder) {
	var params, texts []string
	for _, a := range p.args {
		params = append(params, a.declare())
		if a.kind == text {
			texts = append(texts, "size_t n_"+a.name)
		}
	}
	if p.result == "" {
		params = append(params, "int *ierror")
	}
	list := strings.Join(append(slices.Clone(params), texts...), ", ")
	if len(list) == 0 {
		list = "void"
	}
	p.body(b, p.symbol(), list, false)
	p.aliases(b)
	if p.described() {
		for i, a := range p.args {
			if a.kind == choice {
				params[i] = "CFI_cdesc_t *" + a.name
			}
		}
		p.body(b, p.descriptors(), strings.Join(params, ", "), true)
	}
}

// Kinds of procedures, by name.
var (
	// The buffers of these are in use after they return.
	started = regexp.MustCompile(`^(I[a-z]|File_i|Psend_|Precv_|R(get|put|accumulate)|Accumulate|Get|Put|Fetch_and_op|Compare_and_swap)|_init(_c)?$|_begin(_c)?$`)
	// For these a buffer is only an address.
	atAddress = regexp.MustCompile(`^(Get_address|Address|Free_mem|Win_attach|Win_detach|File_\w+_end)$`)
	// The buffers of these have to be whole arrays.
	attached = regexp.MustCompile(`^(Buffer_attach|Comm_attach_buffer|Session_attach_buffer|Win_create)(_c)?$`)
	// A buffer of these that has one block for each process.
	blocks = regexp.MustCompile(`(?i)^(i?(neighbor_)?(all)?(gather|toall)|i?reduce|i?allreduce|i?scan|i?exscan|i?scatter|psend|precv|r?(get|put|accumulate)|fetch|compare)`)
	// The side of a collective with one block.
	oneBlock    = regexp.MustCompile(`(?i)^(i?(neighbor_)?(all)?gatherv?(_init)?(_c)? sendbuf|i?scatterv?(_init)?(_c)? recvbuf)$`)
	ofNeighbors = regexp.MustCompile(`(?i)neighbor`)
	ofTypes     = regexp.MustCompile(`(?i)alltoallw`)
)

func flag(b bool) int { return map[bool]int{true: 1}[b] }

// A body is a function of C that is being written.
type body struct {
	*procedure
	before, after strings.Builder // the call
	passed        []string        // arguments of the call
	descriptors   bool            // buffers may be sections of arrays
}

// body writes one function of C.
func (p *procedure) body(b *strings.Builder, name, list string, descriptors bool) {
	y := body{procedure: p, passed: make([]string, len(p.args)), descriptors: descriptors}
	result, declared, weak := "int result_ = ", "void", "WEAK "
	if p.result != "" {
		result, declared = "return ", p.result
	}
	if descriptors {
		weak = ""
	}
	for i := range p.args {
		if y.passed[i] == "" {
			y.passed[i] = y.pass(i)
		}
	}
	fmt.Fprintf(b, "%s%s %s(%s)\n{\n%s", weak, declared, name, list, y.before.String())
	fmt.Fprintf(b, "\t%sMPI_%s(%s);\n%s", result, p.name, strings.Join(y.passed, ", "), y.after.String())
	if p.result == "" {
		b.WriteString("\tif (ierror)\n\t\t*ierror = result_;\n")
	}
	b.WriteString("}\n")
}

// pass returns the expression that C passes for an argument, and writes what comes before and
// after the call.
func (y *body) pass(i int) string {
	a := y.args[i]
	n := a.name
	switch a.kind {
	case choice:
		return y.passBuffer(i)
	case text:
		return y.passText(a)
	case status:
		return "STATUS(" + n + ")"
	case handle:
		return y.passHandle(a)
	case function, cell, address:
		return n
	}
	switch {
	case a.index && !a.array:
		fmt.Fprintf(&y.before, "\tint c_%s = MPI_UNDEFINED;\n", n)
		fmt.Fprintf(&y.after, "\t*%s = c_%s >= 0 ? c_%s + 1 : c_%s;\n", n, n, n, n)
		return "&c_" + n
	case a.index:
		y.before.WriteString("\t*outcount = MPI_UNDEFINED;\n")
		fmt.Fprintf(&y.after, "\tfor (int i = 0; i < *outcount; i++)\n\t\t%s[i]++;\n", n)
		return n
	case strings.HasSuffix(n, "weights"):
		return "WEIGHTS(" + n + ")"
	case a.array || a.out:
		return n
	}
	return "*" + n
}

func (y *body) passText(a argument) string {
	n := a.name
	if !a.out {
		fmt.Fprintf(&y.before, "\tchar *c_%s = commworld_text(%s, n_%s, %d);\n", n, n, n, flag(strings.HasPrefix(y.name, "Info_")))
		fmt.Fprintf(&y.after, "\tfree(c_%s);\n", n)
		return "c_" + n
	}
	size := sizes[n]
	if size == "" {
		size = "MPI_MAX_OBJECT_NAME"
	}
	fmt.Fprintf(&y.before, "\tchar c_%s[%s] = \"\";\n", n, size)
	fmt.Fprintf(&y.after, "\tif (result_ == MPI_SUCCESS)\n\t\tcommworld_put_text(%s, n_%s, c_%s);\n", n, n, n)
	return "c_" + n
}

func (y *body) passBuffer(i int) string {
	n := y.args[i].name
	switch {
	case !y.descriptors:
		return "commworld_buffer(" + n + ")"
	case atAddress.MatchString(y.name):
		return "commworld_buffer(" + n + "->base_addr)"
	case attached.MatchString(y.name) || started.MatchString(y.name) && !y.single(i):
		return "commworld_whole(" + n + ")"
	case started.MatchString(y.name):
		count, datatype := y.args[i+1].name, y.args[i+2].name
		fmt.Fprintf(&y.before, "\tMPI_Count c_%s = *%s;\n\tMPI_Datatype c_%s = (MPI_Datatype)HANDLE(Type, *%s), d_%s = MPI_DATATYPE_NULL;\n", count, count, datatype, datatype, n)
		fmt.Fprintf(&y.before, "\tvoid *b_%s = commworld_typed(%s, &c_%s, &c_%s, &d_%s);\n", n, n, count, datatype, n)
		fmt.Fprintf(&y.after, "\tif (d_%s != MPI_DATATYPE_NULL)\n\t\tPMPI_Type_free(&d_%s);\n", n, n)
		y.passed[i+1], y.passed[i+2] = "c_"+count, "c_"+datatype
		return "b_" + n
	}
	fmt.Fprintf(&y.before, "\tstruct copy s_%s;\n\tvoid *b_%s = commworld_gather(&s_%s, %s);\n", n, n, n, n)
	fmt.Fprintf(&y.after, "\tcommworld_scatter(&s_%s, %d);\n", n, flag(y.args[i].out))
	return "b_" + n
}

// single reports whether buffer i is what its count and its datatype say, and not one such
// block for each process, or an operand.
func (p *procedure) single(i int) bool {
	if i+2 >= len(p.args) {
		return false
	}
	count, datatype := p.args[i+1], p.args[i+2]
	if count.array || count.kind != number || datatype.ctype != "MPI_Datatype" || datatype.array {
		return false
	}
	return !blocks.MatchString(p.name) || oneBlock.MatchString(p.name+" "+p.args[i].name)
}

// short returns the name of a kind of handles in the functions that convert them.
func (a argument) short() string {
	if a.ctype == "MPI_Datatype" {
		return "Type"
	}
	return strings.TrimPrefix(a.ctype, "MPI_")
}

func (y *body) passHandle(a argument) string {
	n := a.name
	switch {
	case !a.array && !a.out:
		return fmt.Sprintf("(%s)HANDLE(%s, *%s)", a.ctype, a.short(), n)
	case !a.array:
		fmt.Fprintf(&y.before, "\t%s c_%s = (%s)HANDLE(%s, *%s);\n", a.ctype, n, a.ctype, a.short(), n)
		fmt.Fprintf(&y.after, "\t*%s = INTEGER(%s, c_%s);\n", n, a.short(), n)
		return "&c_" + n
	}
	fmt.Fprintf(&y.before, "\tARRAY(%s, %s, %s);\n", a.ctype, n, y.length(a))
	fmt.Fprintf(&y.before, "\tfor (MPI_Count i = 0; i < n_%s; i++)\n\t\tc_%s[i] = (%s)HANDLE(%s, %s[i]);\n", n, n, a.ctype, a.short(), n)
	if a.out {
		fmt.Fprintf(&y.after, "\tfor (MPI_Count i = 0; i < n_%s; i++)\n\t\t%s[i] = INTEGER(%s, c_%s[i]);\n", n, n, a.short(), n)
	}
	fmt.Fprintf(&y.after, "\tEND_ARRAY(%s);\n", n)
	return "c_" + n
}

// length returns the length of an array of handles.
func (y *body) length(a argument) string {
	if !ofTypes.MatchString(y.name) {
		i := slices.IndexFunc(y.args, func(x argument) bool { return slices.Contains([]string{"count", "incount", "max_datatypes"}, x.name) })
		return "*" + y.args[i].name
	}
	if ofNeighbors.MatchString(y.name) {
		return fmt.Sprintf("commworld_neighbors((MPI_Comm)HANDLE(Comm, *comm), %d)", flag(a.name == "sendtypes"))
	}
	n := "commworld_peers((MPI_Comm)HANDLE(Comm, *comm))"
	if a.name != "sendtypes" {
		return n
	}
	send := "sendbuf"
	if y.descriptors {
		send += "->base_addr"
	}
	return fmt.Sprintf("commworld_buffer(%s) == MPI_IN_PLACE ? 0 : %s", send, n)
}
