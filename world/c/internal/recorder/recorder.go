// Package recorder makes the library that records the calls of MPI programs: it writes wrappers
// in C for the functions of the library at hand, and has its compiler compile them.
//
// Start here: [Build].
//
// # Map
//
//   - functions.go: what is recorded of which function
//   - recorder.go: the wrappers
//   - fits.go: whether a program is linked with the library of a recorder
//   - source: runtime.c and calls.c: the format, and wrappers that are written by hand
//
// # Borders
//
// The wrappers carry both the names MPI_ and PMPI_, because Fortran's functions in Open MPI call
// the latter. A call that the library itself makes is not recorded.
package recorder

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/commworld/commworld/world/c/internal/table"
)

var (
	//go:embed source/runtime.c
	runtimeSource string

	//go:embed source/calls.c
	callsSource string
)

// byHand are the functions in calls.c.
var byHand = strings.Fields("Init Init_thread Finalize Type_free Wait Test Waitall Testall Waitany Testany Waitsome Testsome Startall Iprobe Improbe")

// Build compiles the recorder with the compiler of an MPI library, such as mpicc, to a shared
// library. Errors: those of the compiler, with what it printed.
func Build(mpicc, library string) error {
	dir, err := os.MkdirTemp("", "commworldrec-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	probe := filepath.Join(dir, "probe.c")
	if err := os.WriteFile(probe, []byte("#include <mpi.h>\n"), 0o666); err != nil {
		return err
	}
	header, err := run(mpicc, "-E", probe)
	if err != nil {
		return err
	}
	source, err := Source(declared(header))
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "recorder.c")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		return err
	}
	if library, err = filepath.Abs(library); err != nil {
		return err
	}
	_, err = run(mpicc, "-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-fno-omit-frame-pointer", "-Wno-deprecated-declarations", "-o", library, file, "-ldl", "-lpthread")
	return err
}

// run runs a compiler, whose name may have words of its own, and returns what it prints.
func run(mpicc string, args ...string) (string, error) {
	words := strings.Fields(mpicc)
	if len(words) == 0 {
		return "", errors.New("no compiler; give the library's mpicc")
	}
	cmd := exec.Command(words[0], append(words[1:], args...)...)
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", mpicc, err, bytes.TrimSpace(wrong.Bytes()))
	}
	return string(out), nil
}

var declaration = regexp.MustCompile(`\bPMPI_(\w+)\s*\(([^;]*?)\)[^;()]*(?:\([^;]*)?;`)

// declared returns the functions that a preprocessed header declares, without MPI_, with their
// parameters as text.
func declared(header string) map[string][]string {
	all := map[string][]string{}
	for _, m := range declaration.FindAllStringSubmatch(header, -1) {
		all[m[1]] = strings.Split(m[2], ",")
	}
	return all
}

// like returns parameters that are const, and counts that are large, where those of a library's
// header are: versions of the standard differ in this.
func like(params []table.Param, header []string) []table.Param {
	if len(params) != len(header) {
		return params // with parameters that are functions
	}
	params = slices.Clone(params)
	for i := range params {
		p, is := &params[i], strings.Contains(header[i], "const")
		switch {
		case p.Type == "int" && strings.Contains(header[i], "MPI_Count"):
			p.Type = "MPI_Count"
		case !is:
			p.Type = strings.TrimPrefix(p.Type, "const ")
		case !strings.HasPrefix(p.Type, "const ") && (p.Array != "" || strings.Contains(p.Type, "*")):
			p.Type = "const " + p.Type
		}
	}
	return params
}

// A wrapper is the code that records one function.
type wrapper struct {
	name, fields           string // as in the recording
	params                 []table.Param
	inputs, outputs, after []string // C: values of fields, and what follows them
	own                    bool     // it needs a status of its own
	before                 string
}

// Source returns the recorder in C for a library that has the given functions.
func Source(have map[string][]string) (string, error) {
	all, err := table.All()
	if err != nil {
		return "", err
	}
	known := map[string]bool{}
	var wrappers []wrapper
	for _, f := range all {
		known[f.Name] = true
		forms := map[string][]table.Param{f.Name: f.Params}
		if f.Large != nil {
			forms[f.Name+"_c"] = f.Large
		}
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			header, ok := have[name]
			if !ok || slices.Contains(byHand, f.Name) {
				continue
			}
			spec, ok := specs[f.Name]
			if !ok && !slices.Contains(noted, f.Name) {
				continue
			}
			w, err := wrap(name, like(forms[name], header), spec, ok)
			if err != nil {
				return "", err
			}
			wrappers = append(wrappers, w)
		}
	}
	for name := range specs {
		if !known[name] {
			return "", fmt.Errorf("%s is not in functions.txt", name)
		}
	}
	return write(wrappers), nil
}

// write returns the source of all wrappers.
func write(wrappers []wrapper) string {
	var b strings.Builder
	b.WriteString("/* Made by commworldrec build. */\n" + runtimeSource)
	fields := map[string]string{"Finalize": ">e"}
	maps.Copy(fields, special)
	for _, w := range wrappers {
		fields[w.name] = w.fields
	}
	names := slices.Sorted(maps.Keys(fields))
	b.WriteString("\nconst struct function rec_functions[] = {\n")
	for _, name := range names {
		in, out, _ := strings.Cut(fields[name], ">")
		fmt.Fprintf(&b, "\t{%q, %q, %d, %d},\n", name, fields[name], len(in), len(in)+len(out))
	}
	b.WriteString("};\nenum {")
	for _, name := range names {
		fmt.Fprintf(&b, " FN_%s,", name)
	}
	b.WriteString(" FN_ };\nconst int rec_function_count = FN_;\n\n")
	b.WriteString("#define TWIN(name) __typeof__(MPI_##name) PMPI_##name __attribute__((alias(\"MPI_\" #name)));\n")
	var real []string
	real = append(real, byHand...)
	for _, w := range wrappers {
		real = append(real, w.name)
	}
	for _, name := range real {
		fmt.Fprintf(&b, "static __typeof__(&PMPI_%s) R_%s;\n", name, name)
	}
	b.WriteString("\n__attribute__((constructor)) static void find_library(void)\n{\n")
	for _, name := range real {
		fmt.Fprintf(&b, "\tR_%s = (__typeof__(R_%s))dlsym(RTLD_NEXT, \"PMPI_%s\");\n", name, name, name)
	}
	b.WriteString("}\n\n" + callsSource)
	for _, w := range wrappers {
		w.write(&b)
	}
	return b.String()
}

// write writes a wrapper.
func (w *wrapper) write(b *strings.Builder) {
	var params, args []string
	for _, p := range w.params {
		params, args = append(params, p.String()), append(args, p.Name)
	}
	list := strings.Join(params, ", ")
	if list == "" {
		list = "void"
	}
	call := fmt.Sprintf("R_%s(%s)", w.name, strings.Join(args, ", "))
	fmt.Fprintf(b, "\nint MPI_%s(%s)\n{\n\tstruct rec_call k;\n%s", w.name, list, w.before)
	fmt.Fprintf(b, "\tif (!rec_begin(&k, FN_%s, HERE))\n\t\treturn %s;\n", w.name, call)
	n := 0
	for _, value := range w.inputs {
		fmt.Fprintf(b, "\tk.a[%d] = %s;\n", n, value)
		n++
	}
	b.WriteString("\trec_pending(&k);\n")
	if w.own {
		b.WriteString("\tif (status == MPI_STATUS_IGNORE)\n\t\tstatus = &own_status;\n")
	}
	fmt.Fprintf(b, "\tint rc = %s;\n\trec_after();\n", call)
	for _, value := range w.after {
		fmt.Fprintf(b, "\t%s;\n", value)
	}
	for _, value := range w.outputs {
		fmt.Fprintf(b, "\tk.a[%d] = %s;\n", n, value)
		n++
	}
	fmt.Fprintf(b, "\tk.a[%d] = rc != MPI_SUCCESS;\n\trec_end(&k);\n\trec_done();\n\treturn rc;\n}\nTWIN(%s)\n", n, w.name)
}

// wrap makes the wrapper of a function. A function without a specification is only noted.
func wrap(name string, params []table.Param, spec string, recorded bool) (w wrapper, err error) {
	w = wrapper{name: name, params: params}
	if !recorded {
		w.fields = ">e"
		return w, nil
	}
	words := strings.Fields(spec)
	if len(words) != len(params) {
		return w, fmt.Errorf("%s has %d parameters, and %d are described", name, len(params), len(words))
	}
	in, out := "", ""
	for i, word := range words {
		letter, cond, _ := strings.Cut(word, ":")
		a, b := w.field(letter, cond, params[i], params)
		in, out = in+a, out+b
	}
	if strings.HasPrefix(name, "File_open") {
		in += "n"
		w.inputs = append(w.inputs, "rec_size(filename)")
	}
	w.fields = in + ">" + out + "e"
	return w, nil
}

// plain has the values of inputs that are an expression of one parameter.
var plain = map[string]string{
	"n": "(int64_t)%s", "r": "rec_rank(%s)", "k": "rec_tag(%s)", "u": "rec_color(%s)", "m": "rec_amode(%s)", "w": "rec_whence(%s)",
	"c": "rec_comm(%s)", "f": "rec_file(%s)", "s": "rec_text(%s)", "i": "rec_info(%s)", "o": "rec_op(%s)", "g": "rec_group(%s, comm)",
	"b": "%s == MPI_IN_PLACE", "d": "rec_message(*%s)", "x": "rec_comm(*%s)", "y": "rec_file(*%s)",
}

// tables are the tables of handles that a call drops.
var tables = map[string]string{"x": "comms", "y": "files", "d": "messages"}

// field adds the values of a parameter, and returns the letters of its inputs and outputs.
func (w *wrapper) field(letter, cond string, p table.Param, params []table.Param) (in, out string) {
	input := func(value string) { w.inputs = append(w.inputs, value) }
	output := func(value string) { w.outputs = append(w.outputs, value) }
	switch letter {
	case "-":
		return "", ""
	case "t":
		value := fmt.Sprintf("rec_type(%s)", p.Name)
		if cond != "" {
			value = fmt.Sprintf("%s ? %s : -1", cond, value)
		}
		input(value)
	case "T":
		input(fmt.Sprintf("rec_types(%s, %s)", p.Name, cond))
	case "l":
		if strings.TrimPrefix(p.Type, "const ") == "int" {
			input(fmt.Sprintf("rec_ints(%s, %s)", p.Name, cond))
		} else {
			input(fmt.Sprintf("rec_longs((const int64_t *)%s, %s)", p.Name, cond))
		}
	case "q":
		address := p.Name
		if !strings.Contains(p.Type, "*") {
			address = "&" + address
		}
		input(fmt.Sprintf("rec_request(%s)", address))
		if w.name == "Request_free" {
			w.before += "\tMPI_Request was = " + p.Name + " ? *" + p.Name + " : MPI_REQUEST_NULL;\n"
			w.after = append(w.after, "rec_drop(&requests, KEY(was), rc)")
		}
	case "R":
		w.own = true
		w.before += "\tMPI_Status own_status;\n"
		output("rc == MPI_SUCCESS ? rec_rank(status->MPI_SOURCE) : -1")
		output("rc == MPI_SUCCESS ? rec_tag(status->MPI_TAG) : -1")
		return "", "RK"
	case "C":
		output(fmt.Sprintf("rec_new_comm(%s, rc)", p.Name))
		return "", "C"
	case "G":
		output(fmt.Sprintf("rec_new_comm(%s, rc)", p.Name))
		output(fmt.Sprintf("rec_members(%s, rc)", p.Name))
		return "", "Cl"
	case "F":
		output(fmt.Sprintf("rec_new_file(%s, rc)", p.Name))
		return "", "F"
	case "M":
		output(fmt.Sprintf("rec_new_message(%s, rc)", p.Name))
		return "", "M"
	case "Q", "P":
		persistent := 0
		if letter == "P" {
			persistent = 1
		}
		output(fmt.Sprintf("rec_new_request(%s, %s, %d, rc)", p.Name, wild(params), persistent))
		return "", letter
	default:
		if strings.Contains("xyd", letter) {
			kind := strings.TrimSuffix(p.Type, "*")
			w.before += fmt.Sprintf("\t%s was = *%s;\n", strings.TrimSpace(kind), p.Name)
			w.after = append(w.after, fmt.Sprintf("rec_drop(&%s, KEY(was), rc)", tables[letter]))
			letter, cond = map[string]string{"x": "c", "y": "f", "d": "d"}[letter], plain[letter]
			input(fmt.Sprintf(cond, p.Name))
			return letter, ""
		}
		input(fmt.Sprintf(plain[letter], p.Name))
	}
	return letter, ""
}

// wild returns the condition that a call is a receive whose match is open.
func wild(params []table.Param) string {
	has := func(name string) bool {
		return slices.ContainsFunc(params, func(p table.Param) bool { return p.Name == name })
	}
	switch {
	case !has("source"):
		return "0"
	case has("recvtag"):
		return "source == MPI_ANY_SOURCE || recvtag == MPI_ANY_TAG"
	}
	return "source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG"
}
