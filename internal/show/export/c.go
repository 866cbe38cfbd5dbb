package export

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// C returns the script as a C program for MPI libraries.
func C(s *script.Script, o Options) (string, error) {
	base, err := prepare(s, o, cReserved)
	if err != nil {
		return "", err
	}
	if s.Markers != types.Sticky {
		return "", refuse(1, "a C program cannot choose the force of bounds: leave the line \"markers %v\" out, and run the program with commworldrun --markers %[1]v", s.Markers)
	}
	for _, m := range s.Machines {
		return "", refuse(m.Line, "a C program runs on the machine that it is compiled for: leave the line %q out", m)
	}
	p := &cProgram{program: base, made: map[*derived]bool{}, uses: map[string]bool{}}
	p.writer = &writer{language: inC, depth: 1}
	if err := p.body(); err != nil {
		return "", err
	}
	body := p.b.String()
	p.writer = &writer{language: inC}
	p.head(body)
	return p.b.String() + body + "}\n", nil
}

// cReserved are words that our variables must not be named.
const cReserved = `auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
asm bool true false complex imaginary errno stdin stdout stderr assert main argc argv rank ranks check refused
arrived copies expect make_file file_size file_has ok status i n memcmp memset strlen fopen fread fwrite fclose fprintf printf remove
chdir NULL EOF NAN INFINITY unix linux wanted expected`

// A cProgram is the state of writing a C program.
type cProgram struct {
	*program
	*writer
	made   map[*derived]bool
	frees  []string        // datatypes to free
	uses   map[string]bool // helper functions that it uses
	wanted int
}

// head writes the text before the body of main.
func (p *cProgram) head(body string) {
	p.line("/*")
	for l := range strings.Lines(p.o.Comment) {
		p.line("%s", strings.TrimRight(" * "+comment(l), " \n"))
	}
	if p.o.Comment != "" {
		p.line(" *")
	}
	if p.o.Name != "" {
		p.line(" * Made from the rank script %s by commworld export --c.", comment(p.o.Name))
	}
	for _, l := range p.warnings() {
		p.line(" * %s", l)
	}
	p.line(" *")
	p.line(" *     mpicc -Wall -o program FILE.c")
	p.line(" *     mpiexec -n %d ./program [DIRECTORY]", p.s.Ranks)
	p.line(" *")
	p.line(" * Its files are made in DIRECTORY, or where it is started. Exit status: 0 if all is as")
	p.line(" * the script says, 1 if a value or a file differs, 2 if a call failed, 3 if a call that")
	p.line(" * had to fail did not. The number before each call is its line in the script.")
	p.line(" */")
	for _, h := range []struct{ name, for_ string }{
		{"complex.h", "_Complex_I"},
		{"math.h", "NAN INFINITY"},
		{"stdint.h", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"},
		{"stdio.h", ""},
		{"string.h", "memcmp strlen"},
		{"sys/stat.h", "mkdir("},
		{"unistd.h", ""},
		{"wchar.h", "wchar_t"},
	} {
		if h.for_ == "" || slices.ContainsFunc(strings.Fields(h.for_), func(w string) bool { return strings.Contains(body, w) }) ||
			h.name == "string.h" && p.uses["file_has"] {
			p.line("#include <%s>", h.name)
		}
	}
	p.line("")
	p.line("#include <mpi.h>")
	p.line("")
	p.line("static int rank;")
	for _, h := range cHelpers() {
		if h.always || p.uses[h.name] {
			p.line("")
			p.line("%s", h.text)
		}
	}
	p.line("")
	p.line("int main(int argc, char **argv)")
	p.line("{")
}

// comment makes text safe inside a C comment.
func comment(text string) string { return strings.ReplaceAll(text, "*/", "* /") }

// warnings returns lines for the head about a race or a deadlock that the script expects.
func (p *program) warnings() []string {
	var all []string
	if p.says(script.Race) {
		all = append(all, "Two of its accesses race: the standard defines neither the bytes read nor the contents of the file.")
	}
	if p.says(script.Deadlock) {
		all = append(all, "It may end in a deadlock: give mpiexec a time limit.")
	}
	return all
}

// A helper is a function that programs may need.
type helper struct {
	name, text string
	always     bool
}

// cHelperText has the helper functions of C programs, each behind a line with its name.
//
//go:embed helpers/helpers.c
var cHelperText string

// cHelpers returns the helper functions of C programs.
func cHelpers() (all []helper) {
	for part := range strings.SplitSeq(strings.TrimPrefix(cHelperText, "/* helper "), "\n/* helper ") {
		name, text, _ := strings.Cut(part, " */\n")
		all = append(all, helper{name, strings.TrimSpace(text), name == "check"})
	}
	return all
}

// body writes main.
func (p *cProgram) body() error {
	p.line("int ranks;")
	p.line("")
	p.line("MPI_Init(&argc, &argv);")
	p.line("MPI_Comm_rank(MPI_COMM_WORLD, &rank);")
	p.line("MPI_Comm_size(MPI_COMM_WORLD, &ranks);")
	p.line("MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);")
	p.open("if (ranks != %d || (argc > 1 && chdir(argv[1]) != 0)) {", p.s.Ranks)
	p.line(`fprintf(stderr, "usage: mpiexec -n %d %%s [DIRECTORY]\n", argv[0]);`, p.s.Ranks)
	p.line("MPI_Abort(MPI_COMM_WORLD, 2);")
	p.close("}")
	p.line("")
	p.files()
	if err := p.makeTypes(); err != nil {
		return err
	}
	if err := p.variables(); err != nil {
		return err
	}
	if err := p.statements(p.program, p); err != nil {
		return err
	}
	p.line("")
	return p.checks()
}

// files writes the code that creates the script's files before the ranks start.
func (p *cProgram) files() {
	names, starts := p.fileNames()
	if len(names) > 0 {
		p.line("/* remove files of an earlier run, and create the initial files of the script */")
		p.open("if (rank == 0) {")
		for _, dir := range folders(names) {
			p.line("mkdir(%s, 0777);", cPath(dir))
		}
		for _, name := range names {
			p.line("remove(%s);", cPath(name))
		}
		for _, f := range starts {
			p.uses["make_file"] = true
			if len(f.Bytes) == 0 {
				p.line("make_file(%s, \"\", 0, 0);", cPath(f.Name))
			}
			for _, t := range f.Bytes {
				p.line("make_file(%s, %s, %d, %d);", cPath(f.Name), cString(string(t.Bytes)), len(t.Bytes), t.Repeat)
			}
		}
		p.close("}")
		p.line("check(0, MPI_Barrier(MPI_COMM_WORLD));")
		p.line("")
	}
}

// fileNames returns the names of a script's files, and the files with initial content.
func (p *program) fileNames() (names []string, starts []script.File) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, f := range p.s.Files {
		add(f.Name)
	}
	for _, b := range p.s.Blocks {
		for _, c := range b.Stmts {
			add(c.File)
		}
	}
	return names, p.s.Files
}

// folders returns the directories of files, outer ones first.
func folders(names []string) []string {
	var all []string
	for _, name := range names {
		for i, c := range name {
			if c == '/' && i > 0 && !slices.Contains(all, name[:i]) {
				all = append(all, name[:i])
			}
		}
	}
	return all
}

// cPath writes the name of a file. Open MPI 4.1 cannot open "f" but can open "./f".
func cPath(name string) string { return cString("./" + strings.TrimPrefix(name, "/")) }

// cString writes a C string literal.
func cString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '?': // avoids a trigraph
			b.WriteString(`\?`)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// variables declares the variables that live as long as main.
func (p *cProgram) variables() error {
	for _, name := range p.handles {
		p.line("MPI_File %s = MPI_FILE_NULL;", name)
	}
	for _, name := range p.requests {
		p.line("MPI_Request %s = MPI_REQUEST_NULL;", name)
	}
	for _, v := range p.declared {
		if !p.used(v) {
			continue
		}
		if v.num != "" {
			if v.num != "probe" || v.need.value {
				p.line("%s %s = -1;", cNumber(v.num), v.ident)
			}
			continue
		}
		if v.mem.kind != types.KindNone && cKinds[v.mem.kind] == "" {
			return refuse(p.lineOf(v), "%s has no C type that all MPI libraries share; use another datatype", v.mem.kind.MPI())
		}
		if v.mem.len > 0 {
			p.array(v.ident, &v.mem, v.data)
		}
		if v.status() {
			p.line("MPI_Status %s_status;", v.ident)
		}
		if v.need.pos {
			p.line("MPI_Offset %s_pos = -1;", v.ident)
		}
	}
	if len(p.handles)+len(p.requests)+len(p.declared) > 0 {
		p.line("")
	}
	return nil
}

// lineOf returns a line that uses a variable.
func (p *program) lineOf(v *variable) int {
	for _, m := range []map[*script.Stmt]*variable{p.results, p.kept} {
		for c, o := range m {
			if o == v {
				return c.Line
			}
		}
	}
	return 0
}

// cNumber returns the C type of the number that a routine returns.
func cNumber(routine string) string {
	switch routine {
	case "test", "probe":
		return "int"
	case "type_extent":
		return "MPI_Aint"
	}
	return "MPI_Offset"
}

// fewElements is the number of elements up to which they are written one by one.
const fewElements = 64

// array declares a buffer; without data its elements are zero.
func (p *cProgram) array(ident string, m *memory, data []byte) {
	kind := m.element()
	n := max(m.len, 1) // C has no arrays of length 0
	switch {
	case data == nil && n > 1024:
		p.line("static %s %s[%d];", kind, ident, n)
	case data == nil:
		p.line("%s %s[%d] = {0};", kind, ident, n)
	case m.len == 0:
		p.line("%s %s[1] = {0};", kind, ident)
	case m.len <= fewElements:
		parts := make([]string, m.len)
		for i := range parts {
			parts[i] = cLiteral(data[int64(i)*m.size:int64(i+1)*m.size], m.kind)
		}
		lines := wrap(parts, ", ", 90)
		if len(lines) == 1 {
			p.line("%s %s[] = {%s};", kind, ident, lines[0])
			return
		}
		p.open("%s %s[] = {", kind, ident)
		for _, l := range lines {
			p.line("%s", l)
		}
		p.close("};")
	default:
		p.line("static %s %s[%d];", kind, ident, m.len)
		at := int64(0)
		for _, s := range stretches(data, m.size) {
			value := cLiteral(s.bytes, m.kind)
			if s.n == 1 {
				p.line("%s[%d] = %s;", ident, at, value)
			} else {
				p.open("for (long i = %d; i < %d; i++) {", at, at+s.n)
				p.line("%s[i] = %s;", ident, value)
				p.close("}")
			}
			at += s.n
		}
	}
}

var inC = &language{
	name: "C", indent: "    ", rank: "rank", condition: "(%s)", apart: true,
	anySource: "MPI_ANY_SOURCE", anyTag: "MPI_ANY_TAG", noBuffer: "NULL, 0, MPI_BYTE", inPlace: "MPI_IN_PLACE, 0, MPI_BYTE",
	ignored: "MPI_STATUS_IGNORE", ref: "&%s",
	declareStatus: "MPI_Status %s;", sourceOf: "%s = %s.MPI_SOURCE;", pending: "if (%s != MPI_REQUEST_NULL) {", waitsNone: true,
	modes: map[string]string{
		"rdonly": "MPI_MODE_RDONLY", "wronly": "MPI_MODE_WRONLY", "rdwr": "MPI_MODE_RDWR", "create": "MPI_MODE_CREATE", "excl": "MPI_MODE_EXCL",
		"append": "MPI_MODE_APPEND", "sequential": "MPI_MODE_SEQUENTIAL", "unique_open": "MPI_MODE_UNIQUE_OPEN", "delete_on_close": "MPI_MODE_DELETE_ON_CLOSE",
	},
	whences: map[iofile.Whence]string{iofile.SeekSet: "MPI_SEEK_SET", iofile.SeekCur: "MPI_SEEK_CUR", iofile.SeekEnd: "MPI_SEEK_END"},
	bools:   map[bool]string{false: "0", true: "1"},
	op:      func(word string) string { return "MPI_" + strings.ToUpper(word) },
}

// call writes a call whose failure ends the program; it breaks long lines.
func (p *cProgram) call(line int, call string) {
	p.wrapped(fmt.Sprintf("check(%d, ", line), call, ");")
}

func (p *cProgram) wrapped(before, call, after string) {
	const width = 100
	text := before + call + after
	if len(text)+4*p.depth <= width {
		p.line("%s", text)
		return
	}
	parts := splitArgs(text)
	for i, l := range wrap(parts, " ", width-4*p.depth-8) {
		if i == 0 {
			p.line("%s", l)
		} else {
			p.line("%s%s", strings.Repeat(" ", 8), l)
		}
	}
}

// splitArgs splits a call after the commas that are outside of strings.
func splitArgs(text string) []string {
	var parts []string
	from, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted && i > 0 && text[i-1] == ',':
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
