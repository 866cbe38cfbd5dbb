package find

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// text writes variables as lines, with the lines of their uses relative to the body.
func text(found []Variable, body int) string {
	var b strings.Builder
	for _, v := range found {
		fmt.Fprintf(&b, "%s %s %s:", v.Name, v.Type, v.Kind)
		for _, u := range v.Uses {
			fmt.Fprintf(&b, " %s %+d", u.verb(), u.At.Line-body)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// find analyses the package of some files.
func find(t *testing.T, names ...string) []Variable {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NotNil(t, f, err)
		files = append(files, f)
	}
	return Find(fset, files)
}

// module writes files into a new module, and returns their names.
func module(t *testing.T, files map[string]string) func(string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example.org/prog // a program\n")
	for name, text := range files {
		write(name, text)
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

// program returns the variables that the ranks of a program share, in a module with other
// packages. Lines count from the one with BODY.
func program(t *testing.T, code string, more map[string]string) string {
	t.Helper()
	files := maps.Clone(more)
	files["cmd/main.go"] = code
	before, _, ok := strings.Cut(code, "// BODY")
	require.True(t, ok)
	return text(find(t, module(t, files)("cmd/main.go")), 1+strings.Count(before, "\n"))
}

const head = `package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/prog"
	"example.org/prog/inner"
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

`

// around returns a program with declarations, and statements before and in the body.
func around(outside, before, body string) string {
	return head + outside + "\n\nfunc main() {\n" + before +
		"\n_ = world.Run(context.Background(), 4, func(ctx context.Context, c *comm.Comm) error { // BODY\n" + body +
		"\nreturn nil\n})\n}\n\nfunc send(c *comm.Comm, n int) error { return c.Send(types.Of([]int64{int64(n)}), 0, 0) }\n\nfunc run(f func()) { f() }\n"
}

// packages are others of the program, one where its module begins. Their lines are
// counted from the body's line, too.
var packages = map[string]string{
	"inner/inner.go": "package inner\n\nvar N int\nfunc Count() { N++ }\n",
	"prog.go":        "package prog\n\nvar N int\nfunc Count() { N++ }\n",
}

// A program that relies on shared memory works here and gives other results on a cluster,
// without an error. A report must be exact, or no user believes it.
func TestFind(t *testing.T) {
	for _, row := range []struct {
		name, outside, before, body, want string
	}{
		{"a counter", "", "count := 0", "count++\nreturn send(c, count)", "count int shared: read +1 written +1 read +2\n"},
		{"a slice by rank", "", "out := make([]int, 4)", "out[c.Rank()] = 1", "out []int gathered: written +1\n"},
		{"an array by rank, of structs", "", "var out [4]struct{ n int }", "rank := c.Rank()\nout[rank].n++", "out [4]struct{n int} gathered: read +2 written +2\n"},
		{"blocks of a slice", "", "out := make([]int, 8)", "rank := c.Rank()\ncopy(out[2*rank:], []int{1, 2})", "out []int gathered: written +2\n"},
		{"a slice by rank, and the neighbour's", "", "out := make([]int, 4)", "out[c.Rank()] = 1\n_ = out[(c.Rank()+1)%4]", "out []int shared: written +1 read +2\n"},
		{"a slice received into", "", "out := make([]int64, 4)", "c.AllGather(types.Of([]int64{1}), types.Of(out))", "out []int64 left: received into +1\n"},
		{"a slice sent", "", "in := []int64{1}", "c.Send(types.Of(in), 0, 0)\nc.AllGather(types.Of(in), types.Of(make([]int64, 4)))", ""},
		{"a map", "", "place := map[int]int{}", "place[c.Rank()] = len(place)", "place map[int]int shared: read +1 written +1\n"},
		{"a package variable", "var total int", "", "total += c.Rank()", "total int shared: read +1 written +1\n"},
		{
			"a package variable, by functions",
			"var total int\n\nfunc add(n int) { more(n) }\n\nfunc more(n int) { total += n }",
			"", "add(1)", "total int shared: read -4 written -4\n",
		},
		{"a flag, a barrier between", "", "ready := false", "if c.Rank() == 0 {\nready = true\n}\nc.Barrier()\nif ready {\nreturn nil\n}", "ready bool shared: written +2 read +5\n"},
		{"what rank 0 leaves", "", "sum := 0", "if c.Rank() == 0 {\nsum = 1\n}", "sum int left: written +2\n"},
		{"a channel", "", "ch := make(chan int, 1)", "if c.Rank() == 0 {\nch <- 1\n} else {\n<-ch\n}", "ch chan int channel: sent to +2 received from +4\n"},
		{
			"a lock, and what it guards", "", "var mu sync.Mutex\nn := 0", "mu.Lock()\ndefer mu.Unlock()\nn++",
			"mu sync.Mutex ordering: Lock +1 Unlock +2\nn int shared: read +3 written +3\n",
		},
		{"a group to wait for", "", "wg := new(sync.WaitGroup)", "wg.Done()\nwg.Wait()", "wg *sync.WaitGroup ordering: Done +1 Wait +2\n"},
		{"an atomic counter", "", "var n atomic.Int64", "n.Add(1)\n_ = n.Load()", "n atomic.Int64 shared: Add +1 read +2\n"},
		{"an atomic counter by its address", "", "var n int64", "atomic.AddInt64(&n, 1)", "n int64 shared: address taken +1\n"},
		{"a buffer", "", "var b bytes.Buffer", "b.WriteString(\"x\")", "b bytes.Buffer shared: WriteString +1\n"},
		{"chance from one source", "", "rng := rand.New(rand.NewPCG(1, 2))", "_ = rng.IntN(3)", "rng *rand.Rand shared: IntN +1\n"},
		{"a pointer to it", "", "n := 0\np := &n", "*p = 1", "n int left: written +1\np *int left: written +1\n"},
		{"another name for it", "", "out := make([]int, 4)", "mine := out[c.Rank():]\nmine[0] = 1", "out []int gathered: written +2\n"},
		{"an argument", "func fill(to []int, rank int) { to[rank] = 1 }", "out := make([]int, 4)", "fill(out, c.Rank())", "out []int gathered: written -4\n"},
		{"a receiver", "type sums struct{ n int }\n\nfunc (s *sums) add() { s.n++ }", "var s sums", "s.add()", "s main.sums shared: read -4 written -4\n"},
		{"a function of its own", "", "n := 0\nadd := func() { n++ }", "add()", "n int shared: read -1 written -1\n"},
		{"a function in a table", "var n int\n\nvar table = []struct{ do func() }{{func() { n++ }}}", "", "for _, row := range table {\nrow.do()\n}", "n int shared: read -4 written -4\n"},
		{"a function handed on", "var n int\n\nfunc add() { n++ }", "", "run(add)", "n int shared: read -4 written -4\n"},
		{"a generic function", "var n int\n\nfunc add[T any](x T) { n++ }", "", "add[int](1)\nadd(\"\")", "n int shared: read -4 written -4\n"},
		{"another package of the program", "", "", "inner.Count()", "N int shared: read -22 written -22\n"},
		{"the package where the module begins", "", "", "prog.Count()", "N int shared: read -22 written -22\n"},
		{"another package's variable", "", "", "inner.N = 1", "N int left: written +1\n"},
		{"an error of the function around", "", "var err error", "_, err = iofile.Open(c, nil, \"\", 0)\nreturn err", "err error shared: written +1 read +2\n"},

		{"variables that are only read", "const k = 2\n\nvar table = map[string]int{\"a\": 1}", "n, names := 3, []string{\"x\"}", "_ = k + table[\"a\"] + n\n_ = names[0]\nfor range names {\n}", ""},
		{"what each rank makes", "", "", "n := 0\nn++\nlist := make([]int, 3)\nlist[0] = 1\np := &n\n*p = 2\nvar mu sync.Mutex\nmu.Lock()\nfunc() { n++ }()", ""},
		{"copies", "type point struct{ x int }", "at := point{1}\ngrid := [2]int{}", "mine := at\nmine.x = 2\nown := grid\nown[0] = 1\n_ = own", ""},
		{"functions on what each rank makes", "func fill(to []int) { to[0] = 1 }\n\ntype sums struct{ n int }\n\nfunc (s *sums) add() { s.n++ }", "", "fill(make([]int, 1))\nvar s sums\ns.add()", ""},
		{"a value made once in each process", "var (\n\tonce sync.Once\n\tcfg int\n)", "", "once.Do(func() { cfg = 1 })\n_ = cfg", ""},
		{"files", "", "fsys := iofile.NewMem()", "f, err := iofile.Open(c, fsys, \"f\", iofile.Create)\nif err != nil {\nreturn err\n}\nreturn f.Close()", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			code := around(row.outside, row.before, row.body)
			assert.Equal(t, row.want, program(t, code, packages), code)
		})
	}
}

// The examples of commworld must have no findings, except for an example that prints
// results which its ranks have left in the process.
func TestExamples(t *testing.T) {
	want := map[string]string{ // the others share nothing
		"atomic":          "got []byte left",
		"levels":          "counts  gathered",
		"source-texts":    "refused []error gathered, arrived []int64 gathered, asked *[]string shared, asked []string shared", // by one rank
		"stale":           "got []byte left",
		"syncbarriersync": "got []byte left",
		"unlike":          "read [][]int32 gathered, lints  left",
		"wildcard":        "served int left",
	}
	dirs, err := filepath.Glob("../../../examples/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for i := range files {
			files[i], err = filepath.Abs(files[i])
			require.NoError(t, err)
		}
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		if len(files) == 0 {
			continue
		}
		var all []string
		for _, v := range find(t, files...) {
			all = append(all, fmt.Sprint(v.Name, " ", v.Type, " ", v.Kind))
		}
		assert.Equal(t, want[filepath.Base(dir)], strings.Join(all, ", "), dir)
	}
}

const imports = "import (\n\t\"context\"\n\t\"github.com/commworld/commworld/comm\"\n)\n"

// A body that another function makes from a body is analysed.
func TestFindMade(t *testing.T) {
	at := module(t, map[string]string{"main.go": `package main

` + imports + `
func main() {
	n := 0
	world.Run(ctx, 4, timed(func(c *comm.Comm) error {
		n++
		return nil
	}))
}

func timed(f func(c *comm.Comm) error) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error { return f(c) }
}
`})
	assert.Equal(t, "n int shared: read +11 written +11\n", text(find(t, at("main.go")), 0))
}

// A body that another package makes is analysed, with its captured variables.
func TestFindMadeElsewhere(t *testing.T) {
	at := module(t, map[string]string{
		"timed/timed.go": `package timed

` + imports + `
func Timed(f func(c *comm.Comm) error) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error { return f(c) }
}
`,
		"main_test.go": `package prog

import "example.org/prog/timed"

func setup() any {
	n := 0
	return timed.Timed(func(c *comm.Comm) error {
		n++
		return nil
	})
}
`,
	})
	assert.Equal(t, "n int shared: read +8 written +8\n", text(find(t, at("main_test.go")), 0))
}

// A body that is a method shares its receiver among all ranks.
func TestFindMethod(t *testing.T) {
	at := module(t, map[string]string{"main.go": `package main

` + imports + `
type prog[T any] struct{ n int }

func (p *prog[T]) rank(ctx context.Context, c *comm.Comm) error {
	p.n++
	return nil
}

func (p *prog[T]) other() { p.n++ }

func setup() any { return new(prog[int]).rank }

type copied struct {
	n   int
	all []int
}

func (p copied) rank(ctx context.Context, c *comm.Comm) error { // of a copy for each rank
	p.n++
	p.all[0] = 1
	return nil
}

func other() any { return copied{}.rank }
`})
	assert.Equal(t, "p *main.prog[T] shared: read +11 written +11\np main.copied left: written +26\n", text(find(t, at("main.go")), 0))
}

// A function that ranks call is not taken for a rank's program: its variables belong to
// one rank. So do those of a method that a rank calls.
func TestFindWithin(t *testing.T) {
	at := module(t, map[string]string{"main.go": `package main

` + imports + `
type state struct{ n int }

func (s *state) run(ctx context.Context, c *comm.Comm) error {
	s.n++
	return nil
}

func retry(ctx context.Context, c *comm.Comm, f func(context.Context, *comm.Comm) error) error { return f(ctx, c) }

func phase(ctx context.Context, c *comm.Comm, n int) error {
	return retry(ctx, c, func(ctx context.Context, c *comm.Comm) error {
		n++
		return nil
	})
}

func work(ctx context.Context, c *comm.Comm) error {
	var s state
	if err := s.run(ctx, c); err != nil {
		return err
	}
	return phase(ctx, c, 1)
}

func main() { world.Run(context.Background(), 2, work) }
`})
	assert.Empty(t, text(find(t, at("main.go")), 0))
}

// A program that does not compile is analysed as far as possible.
func TestFindBroken(t *testing.T) {
	at := module(t, map[string]string{"main.go": "package main\n" + imports + "var x int\nfunc f(ctx context.Context, c *comm.Comm) error {\n\tx = \n"})
	assert.NotPanics(t, func() { find(t, at("main.go")) })
	assert.Empty(t, Find(token.NewFileSet(), nil))
}
