package sharing

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// text writes variables as lines, with the lines of their uses counted from that
// of the body.
func text(found []Variable, body int) string {
	kinds := []string{"shared", "gathered", "left", "ordering", "channel"}
	var b strings.Builder
	for _, v := range found {
		fmt.Fprintf(&b, "%s %s %s:", v.Name, v.Type, kinds[v.Kind])
		for _, u := range v.Uses {
			verb := u.Verb
			if verb == "" {
				verb = "read"
			}
			fmt.Fprintf(&b, " %s %+d", verb, u.At.Line-body)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// program writes a program into a module of its own, and finds what ranks share
// that run the function on the line which says BODY.
func program(t *testing.T, code string, more map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range more {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/prog // a program\n"), 0o644))
	file := filepath.Join(dir, "cmd", "main.go")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(code), 0o644))
	before, _, ok := strings.Cut(code, "// BODY")
	require.True(t, ok)
	line := 1 + strings.Count(before, "\n")
	found, err := Find(Func{Name: "main.main.func1", File: file, Line: line}, Func{})
	require.NoError(t, err)
	return text(found, line)
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

// around is a program with declarations, and statements before and in the body.
func around(outside, before, body string) string {
	return head + outside + "\n\nfunc main() {\n" + before +
		"\n_ = world.Run(context.Background(), 4, func(ctx context.Context, c *comm.Comm) error { // BODY\n" + body +
		"\nreturn nil\n})\n}\n\nfunc tell(c *comm.Comm, n int) error { return c.Send(types.Of([]int64{int64(n)}), 0, 0) }\n\nfunc run(f func()) { f() }\n"
}

// packages are others of the program, one where its module begins. Their lines are
// counted from the body's line, too.
var packages = map[string]string{
	"inner/inner.go": "package inner\n\nvar N int\nfunc Count() { N++ }\n",
	"prog.go":        "package prog\n\nvar N int\nfunc Count() { N++ }\n",
}

// A program that leans on shared memory runs here and gives other results on a
// cluster, without a word. What is told has to be exact, or nobody believes it.
func TestFind(t *testing.T) {
	for _, row := range []struct {
		name, outside, before, body, want string
	}{
		{"a counter", "", "count := 0", "count++\nreturn tell(c, count)", "count int shared: read +1 written +1 read +2\n"},
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

		{"what is only read", "const k = 2\n\nvar table = map[string]int{\"a\": 1}", "n, names := 3, []string{\"x\"}", "_ = k + table[\"a\"] + n\n_ = names[0]\nfor range names {\n}", ""},
		{"what each rank makes", "", "", "n := 0\nn++\nlist := make([]int, 3)\nlist[0] = 1\np := &n\n*p = 2\nvar mu sync.Mutex\nmu.Lock()\nfunc() { n++ }()", ""},
		{"copies", "type point struct{ x int }", "at := point{1}\ngrid := [2]int{}", "mine := at\nmine.x = 2\nown := grid\nown[0] = 1\n_ = own", ""},
		{"functions on what each rank makes", "func fill(to []int) { to[0] = 1 }\n\ntype sums struct{ n int }\n\nfunc (s *sums) add() { s.n++ }", "", "fill(make([]int, 1))\nvar s sums\ns.add()", ""},
		{"what is made once in each process", "var (\n\tonce sync.Once\n\tcfg int\n)", "", "once.Do(func() { cfg = 1 })\n_ = cfg", ""},
		{"files", "", "fsys := iofile.NewMem()", "f, err := iofile.Open(c, fsys, \"f\", iofile.Create)\nif err != nil {\nreturn err\n}\nreturn f.Close()", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			code := around(row.outside, row.before, row.body)
			assert.Equal(t, row.want, program(t, code, packages), code)
		})
	}
}

// What this module shows others how to do must come out clean, or as what it is: an
// example that prints what its ranks have left in one process.
func TestExamples(t *testing.T) {
	want := map[string]string{ // the others share nothing
		"atomic":          "got []byte left: received into +10\n",
		"levels":          "counts  gathered: written +10\n",
		"stale":           "got []byte left: received into +15\n",
		"syncbarriersync": "got []byte left: received into +39\n",
		"unlike":          "read [][]int32 gathered: written +2\nlints  left: written +46\n",
		"wildcard":        "served int left: written +8\n",
	}
	files, err := filepath.Glob("../../examples/*/main.go")
	require.NoError(t, err)
	bodies := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		file, err := filepath.Abs(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(content), "\n") {
			if !strings.Contains(line, "ontext.Context, c *comm.Comm) error {") || strings.HasPrefix(line, "func ") {
				continue
			}
			found, err := Find(Func{Name: "main.f", File: file, Line: i + 1}, Func{})
			require.NoError(t, err)
			assert.Equal(t, want[filepath.Base(filepath.Dir(file))], text(found, i+1), "%s:%d", file, i+1)
			bodies++
		}
	}
	assert.GreaterOrEqual(t, bodies, len(files))
}

// A body that another function makes of one still is looked at.
func TestFindMade(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(file, []byte(`package main

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
`), 0o644))
	found, err := Find(Func{Name: "main.main.timed.func2", File: file, Line: 12}, Func{})
	require.NoError(t, err)
	assert.Equal(t, "n int shared: read +6 written +6\n", text(found, 0))
}

// So is one that is made in another package: where it is made says of what.
func TestFindMadeElsewhere(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
		return file
	}
	write("go.mod", "module example.org/prog\n")
	made := write("timed/timed.go", `package timed

func Timed(f func(c *comm.Comm) error) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error { return f(c) }
}
`)
	test := write("main_test.go", `package prog

import "example.org/prog/timed"

func setup() any {
	n := 0
	return timed.Timed(func(c *comm.Comm) error {
		n++
		return nil
	})
}
`)
	found, err := Find(Func{Name: "timed.Timed.func1", File: made, Line: 4}, Func{Name: "prog.setup", File: test, Line: 5})
	require.NoError(t, err)
	assert.Equal(t, "n int shared: read +8 written +8\n", text(found, 0))
}

// A body that is a method has its receiver for all ranks; the runtime knows its
// name, and only that.
func TestFindMethod(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(file, []byte(`package main

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
`), 0o644))
	near := Func{Name: "main.setup", File: file, Line: 12}
	found, err := Find(Func{Name: "main.(*prog[...]).rank-fm", File: "<autogenerated>", Line: 1}, near)
	require.NoError(t, err)
	assert.Equal(t, "p *main.prog[T] shared: read +6 written +6\n", text(found, 0))

	found, err = Find(Func{Name: "main.copied.rank-fm", File: "<autogenerated>", Line: 1}, near)
	require.NoError(t, err)
	assert.Equal(t, "p main.copied left: written +21\n", text(found, 0))

	_, err = Find(Func{Name: "main.(*prog[...]).none-fm", File: "<autogenerated>", Line: 1}, near)
	assert.ErrorContains(t, err, "main.(*prog[...]).none-fm")
	_, err = Find(Func{Name: "main.f", File: filepath.Join(dir, "gone.go"), Line: 1}, Func{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Find(Func{Name: "main.f", File: file, Line: 2}, Func{})
	assert.ErrorContains(t, err, "main.f")
	require.NoError(t, os.WriteFile(file, []byte("package main\n\nfunc f(ctx context.Context, c *comm.Comm) {\n\tx = \n"), 0o644))
	_, err = Find(Func{Name: "main.f", File: file, Line: 3}, Func{})
	assert.NoError(t, err) // what can be read is
}
