package fortran

import (
	"fmt"
	"strings"
)

// Calls returns the sources of programs, by name, that call each procedure of each interface,
// for a test that links them.
func Calls(prototypes string) (map[string]string, error) {
	all, err := parse(prototypes)
	if err != nil {
		return nil, err
	}
	var old, module, module08 strings.Builder
	for _, p := range all {
		fmt.Fprintf(&old, "      EXTERNAL %[1]s_%[2]s, P%[1]s_%[2]s\n      CALL TAKE(%[1]s_%[2]s)\n      CALL TAKE(P%[1]s_%[2]s)\n", "MPI", p.name)
		p.call(&module, "mpi", "MPI_"+p.name)
		p.call(&module, "mpi", "PMPI_"+p.name)
		if p.old {
			continue
		}
		p.call(&module08, "mpi_f08", "MPI_"+p.name)
		p.call(&module08, "mpi_f08", "PMPI_"+p.name)
		if l := p.large; l != nil {
			name := p.name
			if !p.distinct() {
				name = l.name
			}
			l.call(&module08, "mpi_f08", "MPI_"+name)
			l.call(&module08, "mpi_f08", "PMPI_"+name)
		}
	}
	// Declarations come before calls.
	var declared, called strings.Builder
	for line := range strings.Lines(old.String()) {
		if strings.Contains(line, "EXTERNAL") {
			declared.WriteString(line)
		} else {
			called.WriteString(line)
		}
	}
	return map[string]string{
		"calls.f":     "      PROGRAM CALLS\n" + declared.String() + called.String() + "      END\n      SUBROUTINE TAKE(P)\n      EXTERNAL P\n      END\n",
		"module.f90":  inModule("mpi", module.String()),
		"calls08.f90": inModule("mpi_f08", module08.String()),
	}, nil
}

// inModule returns a program with a module that has subroutines.
func inModule(module, subroutines string) string {
	return "module subroutines\n  use, intrinsic :: iso_c_binding, only: c_ptr\n  use " + module + "\n  implicit none\ncontains\n" + subroutines +
		"end module\nprogram calls\nend program\n"
}

// call writes a subroutine that passes its arguments on to a procedure.
func (p *procedure) call(b *strings.Builder, module, name string) {
	f08 := module == "mpi_f08"
	var names, dummies, declarations []string
	for _, a := range p.args {
		n := a.fortranName()
		names, dummies = append(names, n), append(dummies, n)
		d := a.declaration(f08)
		if a.kind == choice && !p.described() || a.kind == address && !f08 && a.name == "buffer_addr" {
			d = "integer :: " + n + "(*)"
		}
		declarations = append(declarations, strings.Replace(d, ", intent(in)", "", 1))
	}
	switch {
	case p.result != "":
		fmt.Fprintf(b, "subroutine call_%s(%s)\n", name+p.suffix(), strings.Join(dummies, ", "))
		fmt.Fprintf(b, "  %s\n  print *, %s(%s)\nend subroutine\n", strings.Join(declarations, "\n  "), name, strings.Join(names, ", "))
		return
	case p.name != "Pcontrol":
		names, dummies = append(names, "ierror"), append(dummies, "ierror")
		declarations = append(declarations, "integer :: ierror")
	}
	fmt.Fprintf(b, "subroutine call_%s(%s)\n  %s\n  call %s(%s)\nend subroutine\n", name+p.suffix(), strings.Join(dummies, ", "),
		strings.Join(declarations, "\n  "), name, strings.Join(names, ", "))
}

// suffix makes the subroutine of a variant with large counts another one.
func (p *procedure) suffix() string {
	if strings.HasSuffix(p.name, "_c") {
		return "_large"
	}
	return ""
}
