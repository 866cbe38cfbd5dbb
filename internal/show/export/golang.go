package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// Go returns the script as a Go program on this module.
func Go(s *script.Script, o Options) (string, error) {
	base, err := prepare(s, o, goReserved)
	if err != nil {
		return "", err
	}
	for _, m := range s.Machines {
		if m.Arch != reps.LP64LE && m.Arch != reps.LP64BE {
			return "", refuse(m.Line, "the memory of the Go program has the sizes of lp64le: machines of other sizes cannot be exported")
		}
	}
	p := &goProgram{program: base, uses: map[string]bool{}}
	p.writer = &writer{language: inGo, depth: 1}
	if err := p.body(); err != nil {
		return "", err
	}
	body := p.b.String()
	p.writer = &writer{language: inGo}
	p.rest(body)
	rest := p.b.String()
	p.writer = &writer{language: inGo}
	p.head(rest)
	p.b.WriteString(rest)
	text, err := formatted([]byte(p.b.String()))
	if err != nil {
		return "", fmt.Errorf("export: %w", err) // a bug of this package
	}
	return string(text), nil
}

// goReserved are words that our variables must not be named.
const goReserved = `break case chan const continue default defer else fallthrough for func go goto if import interface map
package range return select struct switch type var append cap clear close complex copy delete imag len make max min new panic
print println real recover any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune
string uint uint8 uint16 uint32 uint64 uintptr true false iota nil init main run program ranks seed fsys c ctx err st found ok
bytes context errors flag fmt fs os slices comm errclass iofile reps types world math at refused fileSize fileHas holds`

// A goProgram is the state of writing a Go program.
type goProgram struct {
	*program
	*writer
	uses map[string]bool
}

const goModule = "github.com/commworld/commworld/"

// head writes the comment and the imports.
func (p *goProgram) head(rest string) {
	for l := range strings.Lines(p.o.Comment) {
		p.line("%s", strings.TrimRight("// "+l, " \n"))
	}
	if p.o.Comment != "" {
		p.line("//")
	}
	if p.o.Name != "" {
		p.line("// Made from the rank script %s by commworld export --go.", p.o.Name)
	}
	for _, l := range p.warnings() {
		p.line("// %s", l)
	}
	p.line("// The number after a call is its line in the script.")
	p.line("package main")
	p.line("")
	p.importList(rest)
	p.line("")
}

// rest writes all functions.
func (p *goProgram) rest(body string) {
	p.open("func main() {")
	p.line(`seed := flag.Uint64("seed", 0, "number of the schedule")`)
	p.line("flag.Parse()")
	p.open("if err := run(*seed); err != nil {")
	p.line("fmt.Fprintln(os.Stderr, err)")
	p.line("os.Exit(1)")
	p.close("}")
	p.close("}")
	p.line("")
	p.line("// run runs the program on %d ranks, over files in memory.", p.s.Ranks)
	p.open("func run(seed uint64) error {")
	p.line("fsys := iofile.NewMem()")
	for _, f := range p.s.Files {
		p.open("if err := fsys.Import(%q, bytes.NewReader(%s)); err != nil {", f.Name, goFile(f.Bytes))
		p.line("return err")
		p.close("}")
	}
	p.open("return world.Run(context.Background(), %d, func(_ context.Context, c *comm.Comm) error {", p.s.Ranks)
	p.line("return program(c, fsys)")
	machines, force := "", ""
	if p.s.Markers != types.Sticky {
		force = ".WithMarkers(types.Weak)"
		machines = "world.Arch(world.AllRanks, reps.LP64LE" + force + "), "
	}
	for _, m := range p.s.Machines {
		machines += fmt.Sprintf("world.Arch(%d, reps.%v%s), ", m.Rank, m.Arch, force)
	}
	p.close("}, %sworld.Seed(seed))", machines)
	p.close("}")
	switch len(p.derived) {
	case 0:
	case 1:
		p.line("")
		p.line("var %s = %s", p.derived[0].ident, p.derived[0].typ.GoString())
	default:
		p.line("")
		p.open("var (")
		for _, d := range p.derived {
			p.line("%s = %s", d.ident, d.typ.GoString())
		}
		p.close(")")
	}
	for _, h := range goHelpers {
		if p.uses[h.name] || h.always {
			p.line("")
			p.line("%s", h.text)
		}
	}
	p.line("")
	p.line("// program is the program of each rank.")
	p.open("func program(c *comm.Comm, fsys *iofile.FS) error {")
	p.b.WriteString(body)
	p.close("}")
}

// importList writes the import declarations of the program.
func (p *goProgram) importList(text string) {
	var std, ours []string
	for name, path := range map[string]string{
		"bytes": "bytes", "context": "context", "errors": "errors", "flag": "flag", "fmt": "fmt", "fs": "io/fs", "math": "math", "os": "os", "slices": "slices",
	} {
		if imported(text, name) {
			std = append(std, path)
		}
	}
	for _, name := range []string{"comm", "errclass", "iofile", "reps", "types", "world"} {
		if imported(text, name) {
			ours = append(ours, name)
		}
	}
	slices.Sort(std)
	p.open("import (")
	for _, path := range std {
		p.line("%q", path)
	}
	p.line("")
	for _, path := range ours {
		p.line("%q", goModule+path)
	}
	p.close(")")
}

// imported reports whether a program uses a package.
func imported(text, name string) bool {
	for rest, found := text, true; found; {
		var before string
		if before, rest, found = strings.Cut(rest, name+"."); found && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && !continues(before) {
			return true
		}
	}
	return false
}

// continues reports whether text begins with a character that would continue a name or a
// path.
func continues(text string) bool {
	if text == "" {
		return false
	}
	c := text[len(text)-1]
	return c == '_' || c == '.' || c == '"' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

var goHelpers = []helper{
	{"at", `// at adds the line of the script to the error of a call.
func at(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }`, true},
	{"refused", `// refused returns an error unless a call failed with the class that it should have.
func refused(line int, class errclass.Class, err error) error {
	if errors.Is(err, class) {
		return nil
	}
	return fmt.Errorf("line %d: should fail with %s: %v", line, class.Name(), err)
}`, false},
	{"arrived", `// arrived reports whether a call brought n items of the basic type of a datatype.
func arrived(st comm.Status, t *types.Type, n int64) bool {
	items, ok := st.Elements(t)
	return ok && items == n
}`, false},
	{"copies", `// copies returns how many whole copies of a datatype a call brought.
func copies(st comm.Status, t *types.Type) int64 {
	n, ok := st.Count(t)
	if !ok {
		return comm.Undefined
	}
	return n
}`, false},
	{"fileSize", `// fileSize returns how many bytes a file has, -1 if it does not exist.
func fileSize(fsys fs.FS, name string) int64 {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return -1
	}
	return info.Size()
}`, false},
	{"fileHas", `// fileHas reports whether a file has these bytes at an offset.
func fileHas(fsys fs.FS, name string, offset int, want []byte) bool {
	all, err := fs.ReadFile(fsys, name)
	return err == nil && len(all) >= offset+len(want) && bytes.Equal(all[offset:offset+len(want)], want)
}`, false},
}

// goFile writes the initial content of a file as a Go expression.
func goFile(all []script.Stretch) string {
	parts := make([]string, len(all))
	for i, t := range all {
		parts[i] = goStretch(t)
	}
	switch len(parts) {
	case 0:
		return "nil"
	case 1:
		return parts[0]
	}
	return "slices.Concat(" + strings.Join(parts, ", ") + ")"
}

func goStretch(t script.Stretch) string {
	one := fmt.Sprintf("[]byte(%s)", goString(string(t.Bytes)))
	switch {
	case !t.Text && strings.Trim(string(t.Bytes), "\x00") == "":
		return fmt.Sprintf("make([]byte, %d)", int64(len(t.Bytes))*t.Repeat)
	case t.Repeat == 1:
		return one
	}
	return fmt.Sprintf("bytes.Repeat(%s, %d)", one, t.Repeat)
}

func goString(s string) string {
	q := strconv.QuoteToASCII(s)
	if strings.Contains(q, `\u`) || !isASCII(s) {
		var b strings.Builder
		for i := range len(s) {
			if c := s[i]; c >= ' ' && c <= '~' && c != '"' && c != '\\' {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		}
		return `"` + b.String() + `"`
	}
	return q
}

func isASCII(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' }) }

// goKinds has the Go types of kinds; other kinds are written as bytes.
var goKinds = map[types.Kind]string{
	types.KindByte: "byte", types.KindPacked: "byte", types.KindChar: "byte", types.KindSChar: "int8", types.KindUChar: "byte",
	types.KindCharacter: "byte", types.KindWChar: "int32", types.KindShort: "int16", types.KindUShort: "uint16", types.KindInt: "int32",
	types.KindUInt: "uint32", types.KindLong: "int64", types.KindULong: "uint64", types.KindLongLong: "int64", types.KindULongLong: "uint64",
	types.KindFloat: "float32", types.KindDouble: "float64", types.KindBool: "bool", types.KindInt8: "int8", types.KindInt16: "int16",
	types.KindInt32: "int32", types.KindInt64: "int64", types.KindUInt8: "uint8", types.KindUInt16: "uint16", types.KindUInt32: "uint32",
	types.KindUInt64: "uint64", types.KindAint: "int64", types.KindOffset: "int64", types.KindCount: "int64",
	types.KindFloatComplex: "complex64", types.KindDoubleComplex: "complex128", types.KindInteger: "int32", types.KindReal: "float32",
	types.KindDoublePrecision: "float64", types.KindComplex: "complex64", types.KindDComplex: "complex128", types.KindInteger1: "int8",
	types.KindInteger2: "int16", types.KindInteger4: "int32", types.KindInteger8: "int64", types.KindReal4: "float32", types.KindReal8: "float64",
	types.KindComplex8: "complex64", types.KindComplex16: "complex128",
}

// goPlain has the kinds that [types.Of] chooses by itself for slices of a Go type.
var goPlain = map[types.Kind]string{
	types.KindByte: "byte", types.KindInt8: "int8", types.KindInt16: "int16", types.KindInt32: "int32", types.KindInt64: "int64",
	types.KindUInt16: "uint16", types.KindUInt32: "uint32", types.KindUInt64: "uint64", types.KindFloat: "float32", types.KindDouble: "float64",
	types.KindFloatComplex: "complex64", types.KindDoubleComplex: "complex128", types.KindBool: "bool",
}

// A goMemory is the form of a buffer in Go: of one Go type, or bytes.
type goMemory struct {
	elem string
	raw  bool  // bytes without a type
	size int64 // bytes of an element
}

func goMemoryOf(m *memory) goMemory {
	if elem := goKinds[m.kind]; elem != "" {
		return goMemory{elem: elem, size: m.size}
	}
	return goMemory{elem: "byte", raw: true, size: 1}
}

// goLiteral writes one element.
func goLiteral(b []byte, elem string, raw bool) string {
	switch elem {
	case "float32", "float64":
		return goFloat(b)
	case "complex64", "complex128":
		n := len(b) / 2
		return "complex(" + goFloat(b[:n]) + ", " + goFloat(b[n:]) + ")"
	case "bool":
		return strconv.FormatBool(b[0] != 0)
	}
	if strings.HasPrefix(elem, "int") && !raw {
		return strconv.FormatInt(signed(b), 10)
	}
	return strconv.FormatUint(unsigned(b), 10)
}

func goFloat(b []byte) string {
	v, bits := math.Float64frombits(unsigned(b)), 64
	if len(b) == 4 {
		v, bits = float64(math.Float32frombits(uint32(unsigned(b)))), 32
	}
	text := strconv.FormatFloat(v, 'g', -1, bits)
	switch {
	case math.IsNaN(v):
		text = "math.NaN()"
	case math.IsInf(v, 1):
		text = "math.Inf(1)"
	case math.IsInf(v, -1):
		text = "math.Inf(-1)"
	default:
		return text
	}
	if bits == 32 {
		text = "float32(" + text + ")"
	}
	return text
}

// slice writes a slice with data; text allows writing it as a string.
func (p *goProgram) slice(m *memory, data []byte, text bool) string {
	g := goMemoryOf(m)
	n := int64(len(data)) / g.size
	if text && g.elem == "byte" && n > 0 && n <= 200 {
		return fmt.Sprintf("[]byte(%s)", goString(string(data)))
	}
	if n == 0 {
		return fmt.Sprintf("[]%s{}", g.elem)
	}
	all := stretches(data, g.size)
	literal := func(b []byte) string { return goLiteral(b, g.elem, g.raw) }
	if n > fewElements {
		parts := make([]string, len(all))
		for i, s := range all {
			if strings.Trim(string(s.bytes), "\x00") == "" {
				parts[i] = fmt.Sprintf("make([]%s, %d)", g.elem, s.n)
			} else {
				parts[i] = fmt.Sprintf("slices.Repeat([]%s{%s}, %d)", g.elem, literal(s.bytes), s.n)
			}
		}
		if len(parts) == 1 {
			return parts[0]
		}
		return "slices.Concat(" + strings.Join(parts, ", ") + ")"
	}
	if len(all) == 1 && n > 4 && strings.Trim(string(all[0].bytes), "\x00") == "" {
		return fmt.Sprintf("make([]%s, %d)", g.elem, n)
	}
	var parts []string
	for _, s := range all {
		for range s.n {
			parts = append(parts, literal(s.bytes))
		}
	}
	return fmt.Sprintf("[]%s{%s}", g.elem, strings.Join(parts, ", "))
}

// buffer writes a types.Buffer for memory that is a variable or a literal.
func (p *goProgram) buffer(m *memory, memory string) string {
	g := goMemoryOf(m)
	if m.len == 0 && m.count > 0 {
		return fmt.Sprintf("types.Raw(nil, %d, %s)", m.count, p.goType(m.typ))
	}
	origin := ""
	if m.origin != 0 {
		origin = fmt.Sprintf(".At(%d)", m.origin*m.size)
	}
	if g.raw {
		return fmt.Sprintf("types.Raw(%s, %d, %s)%s", memory, m.count, p.goType(m.typ), origin)
	}
	if m.packed && goPlain[m.kind] == g.elem && m.typ.Envelope().Combiner == types.CombinerNamed {
		return fmt.Sprintf("types.Of(%s)", memory)
	}
	times := ""
	if fit := types.Raw(make([]byte, m.len*m.size), 0, types.Byte).At(m.origin * m.size).As(m.typ).Count(); fit != m.count {
		times = fmt.Sprintf(".Times(%d)", m.count)
	}
	return fmt.Sprintf("types.Of(%s)%s.As(%s)%s", memory, origin, p.goType(m.typ), times)
}

func (p *goProgram) goType(t *types.Type) string {
	if d := p.derivedOf(t); d != nil {
		return d.ident
	}
	return t.GoString()
}

// body writes the function that each rank runs.
func (p *goProgram) body() error {
	p.variables()
	if err := p.statements(p.program, p); err != nil {
		return err
	}
	if len(p.allow) == 0 {
		p.line("return nil")
		return nil
	}
	return p.outcomes()
}

// variables declares the variables that statements share.
func (p *goProgram) variables() {
	p.line("var err error")
	declare := func(names []string, kind string, used func(string) bool, unused string) {
		if len(names) > 0 {
			p.line("var %s %s", strings.Join(names, ", "), kind)
		}
		for _, name := range names {
			if !used(name) {
				p.line("_ = %s // no statement %s it", name, unused)
			}
		}
	}
	declare(p.handles, "*iofile.File", p.usedHandle, "uses")
	declare(p.requests, "*comm.Request", p.usedRequest, "waits for")
	for _, v := range p.declared {
		if p.used(v) {
			p.variable(v)
		}
	}
	p.line("")
}

func (p *goProgram) variable(v *variable) {
	switch {
	case v.num != "" && v.need.value:
		p.line("var %s %s", v.ident, goNumber(v.num))
	case v.num != "":
	case v.data != nil:
		p.line("%s := %s", v.ident, p.slice(&v.mem, v.data, v.text))
	case v.mem.len > 0:
		p.line("%s := make([]%s, %d)", v.ident, goMemoryOf(&v.mem).elem, v.mem.len*v.mem.size/goMemoryOf(&v.mem).size)
	}
	if v.num != "" || v.data != nil {
		return
	}
	if v.status() {
		p.line("var %s_status comm.Status", v.ident)
	}
	if v.need.pos {
		p.line("%s_pos := iofile.Offset(-1)", v.ident)
	}
}

// usedHandle reports whether a statement uses a handle after its open.
func (p *program) usedHandle(ident string) bool {
	for _, b := range p.s.Blocks {
		for _, c := range b.Stmts {
			if c.Handle != "" && c.Routine != "open" && !p.unopened[c] && p.idents["handle "+c.Handle] == ident {
				return true
			}
		}
	}
	return false
}

// usedRequest reports whether a statement waits for a request.
func (p *program) usedRequest(ident string) bool {
	for name := range p.waited {
		if p.idents["request "+name] == ident {
			return true
		}
	}
	return false
}

// goNumber returns the Go type of the number that a routine returns.
func goNumber(routine string) string {
	switch routine {
	case "get_position", "get_position_shared":
		return "iofile.Offset"
	case "test":
		return "bool"
	case "probe":
		return "int"
	}
	return "int64"
}

var inGo = &language{
	name: "Go", indent: "\t", rank: "c.Rank()", condition: "%s",
	anySource: "comm.AnySource", anyTag: "comm.AnyTag", noBuffer: "types.Buffer{}", inPlace: "comm.InPlace",
	ignored: "_", unused: "_", ref: "%s",
	declareStatus: "var %s comm.Status", sourceOf: "%s = %s.Source", pending: "if %s != nil {",
	modes: map[string]string{
		"rdonly": "iofile.ReadOnly", "wronly": "iofile.WriteOnly", "rdwr": "iofile.ReadWrite", "create": "iofile.Create", "excl": "iofile.Excl",
		"append": "iofile.Append", "sequential": "iofile.Sequential", "unique_open": "iofile.UniqueOpen", "delete_on_close": "iofile.DeleteOnClose",
	},
	whences: map[iofile.Whence]string{iofile.SeekSet: "iofile.SeekSet", iofile.SeekCur: "iofile.SeekCur", iofile.SeekEnd: "iofile.SeekEnd"},
	bools:   map[bool]string{false: "false", true: "true"},
	op:      func(word string) string { return "comm." + goNames[word] },
}
