package wrapper

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/world/c/internal/dropped"
)

// record compiles the sources among args once more, for the lines that drop the result of a
// call of MPI, and returns arguments that have the compiler put these lines into a section of
// what it makes; and a function that removes what the arguments need. Sources that do not
// compile have no such lines: the compiler reports the errors in its turn.
func (c Compiler) record(headers string, args []string) (more []string, forget func(), err error) {
	forget = func() {}
	sources := sourcesOf(args)
	if len(sources) == 0 || slices.ContainsFunc(args, func(a string) bool { return slices.Contains([]string{"-E", "-M", "-MM", "-fsyntax-only"}, a) }) {
		return nil, forget, nil
	}
	var all []dropped.Call
	gcc := false
	for _, s := range sources {
		if assembly(s) {
			return nil, forget, nil // it cannot include what has the lines
		}
		text, err := os.ReadFile(s)
		if err != nil || !bytes.Contains(bytes.ToLower(text), []byte("mpi")) {
			continue
		}
		found, by := c.dropped(headers, args, sources, s)
		all, gcc = append(all, found...), gcc || by
	}
	if len(all) == 0 {
		return nil, forget, nil
	}
	f, err := os.CreateTemp("", "commworld-*.h")
	if err != nil {
		return nil, forget, err
	}
	forget = func() { _ = os.Remove(f.Name()) }
	_, err = f.WriteString(dropped.Assembly(all))
	if closed := f.Close(); err == nil {
		err = closed
	}
	more = []string{"-include", f.Name()}
	if gcc { // which else makes one call of several that are alike, with the line of one of them
		more = append(more, "-fno-crossjumping", "-fno-tree-tail-merge")
	}
	return more, forget, err
}

// separate lists the options whose value is an argument of its own.
var separate = []string{
	"-o", "-x", "-I", "-L", "-l", "-D", "-U", "-include", "-imacros", "-isystem", "-idirafter", "-iquote", "-isysroot", "-MF", "-MT", "-MQ",
	"-Xlinker", "-Xassembler", "-Xpreprocessor", "-T", "-u", "-z", "-e", "--param", "-aux-info", "-A", "-B", "-wrapper",
}

var extensions = []string{".c", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".CPP", ".C", ".s", ".S", ".sx"}

func assembly(source string) bool {
	return slices.Contains([]string{".s", ".S", ".sx"}, filepath.Ext(source))
}

// sourcesOf returns the sources of C and C++ among the arguments of a compiler.
func sourcesOf(args []string) (sources []string) {
	named := false // -x says what files are
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-x" && i+1 < len(args):
			i++
			named = args[i] == "c" || args[i] == "c++"
		case strings.HasPrefix(a, "-x"):
			named = a == "-xc" || a == "-xc++"
		case slices.Contains(separate, a):
			i++
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "@"):
		case named || slices.Contains(extensions, filepath.Ext(a)):
			sources = append(sources, a)
		}
	}
	return sources
}

// without lists options that would write files, hide the warnings, or cost time.
var without = regexp.MustCompile(`^-(c|S|w|pipe|save-temps.*|MD|MMD|MP|MG|M|MM|Wp,.*|Wl,.*|Werror.*|pedantic-errors|flto.*|fdiagnostics.*|fprofile.*|fanalyzer|O.*|g.*|l.*|L.*|shared|static|--coverage)$`)

// dropped returns the calls of MPI in a source whose results the source drops, and whether the
// compiler is GCC.
func (c Compiler) dropped(headers string, args, sources []string, source string) (all []dropped.Call, gcc bool) {
	line := append(c.words(), "-I"+headers, "-DCOMMWORLD_RESULTS")
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case slices.Contains([]string{"-o", "-MF", "-MT", "-MQ", "-Xlinker", "-T", "-u", "-z", "-e"}, a):
			i++
		case slices.Contains(separate, a) && i+1 < len(args):
			if a != "-l" && a != "-L" {
				line = append(line, a, args[i+1])
			}
			i++
		case without.MatchString(a) || slices.Contains(sources, a):
		case !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "@"): // an object or a library
		default:
			line = append(line, a)
		}
	}
	line = append(line, "-O0", "-Wno-error", "-Wunused-result", "-Wunused-value", "-S", "-o", os.DevNull, source)
	// Lines of macros are those where the program uses them; columns are those of line tables.
	// GCC has counted columns in bytes for longer than it has had the option; clang has none of these.
	for _, more := range [][]string{{"-ftrack-macro-expansion=0", "-fdiagnostics-column-unit=byte"}, {"-ftrack-macro-expansion=0"}, nil} {
		if said, err := warnings(slices.Concat(line, more)); err == nil {
			return parse(said), len(more) > 0
		}
	}
	return nil, false
}

// warnings runs a command and returns what it says in English.
func warnings(line []string) ([]byte, error) {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GCC_COLORS=")
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	return said.Bytes(), err
}

// A warning of GCC names the function, one of clang does not.
var ignoring = regexp.MustCompile(`(?m)^(.+?):(\d+):(\d+): warning: ignoring return value of (?:'(?:[\w ]+ )?(P?MPI_\w+)\b.*'|function) declared with `)

// GCC compares the right side of && and || with 0 and so sees no dropped result there, but warns
// of the value of the operator, at its place. The C compiler is silent about c ? MPI_...() : 0,
// with -Wall, -Wextra, -fanalyzer and -O2, too, and so is the C++ compiler about && and ||.
var unused = regexp.MustCompile(`(?m)^(.+?):(\d+):(\d+): warning: value computed is not used`)

// A call that is the right side of an operator.
var rightSide = regexp.MustCompile(`^(?:&&|\|\|)\s*(P?MPI_\w+)\s*\(`)

// conditional returns the call that is the right side of the operator && or || at a place in a
// source; false if there is another operator, or another expression.
func conditional(file string, line, column int) (call dropped.Call, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return call, false
	}
	lines := bytes.SplitAfterN(text, []byte("\n"), line)
	if line > len(lines) || column > len(lines[line-1]) {
		return call, false
	}
	rest := lines[line-1][max(column-1, 0):]
	m := rightSide.FindSubmatchIndex(rest)
	if m == nil {
		return call, false
	}
	before := rest[:m[2]]
	if end := bytes.LastIndexByte(before, '\n'); end >= 0 {
		column = 0
		before = before[end:]
	}
	line += bytes.Count(rest[:m[2]], []byte("\n"))
	return dropped.Call{File: file, Line: line, Column: column + len(before), Function: string(rest[m[2]:m[3]])}, true
}

// parse returns the calls that warnings are about, without those that the program has cast
// to void: it says that it does not want to know.
func parse(said []byte) (all []dropped.Call) {
	for _, m := range unused.FindAllSubmatch(said, -1) {
		line, _ := strconv.Atoi(string(m[2]))
		column, _ := strconv.Atoi(string(m[3]))
		call, ok := conditional(string(m[1]), line, column)
		if full, err := filepath.Abs(call.File); ok && err == nil {
			call.File = filepath.Clean(full)
			all = append(all, call)
		}
	}
	for _, m := range ignoring.FindAllSubmatch(said, -1) {
		file := string(m[1])
		line, _ := strconv.Atoi(string(m[2]))
		column, _ := strconv.Atoi(string(m[3]))
		if cast(file, line, column, string(m[4])) {
			continue
		}
		if full, err := filepath.Abs(file); err == nil {
			file = full
		}
		if len(m[4]) == 0 {
			column = 0 // clang's line tables have another one
		}
		call := dropped.Call{File: filepath.Clean(file), Line: line, Column: column, Function: string(m[4])}
		if !slices.Contains(all, call) {
			all = append(all, call)
		}
	}
	return all
}

var toVoid = regexp.MustCompile(`(\(\s*void\s*\)|static_cast\s*<\s*void\s*>\s*\()\s*$`)

// cast reports whether the program casts the result of a call to void. The column is that of
// the function's name, or in C++ of the parenthesis after it.
func cast(file string, line, column int, function string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	lines := bytes.SplitN(text, []byte("\n"), line+1)
	if line > len(lines) || column-1 > len(lines[line-1]) {
		return false
	}
	before := strings.TrimRight(string(lines[line-1][:max(column-1, 0)]), " \t")
	before = strings.TrimSuffix(before, function)
	return toVoid.MatchString(before)
}
