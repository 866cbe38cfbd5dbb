package find

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const shapes = `type point struct{ x int }

func (p *point) move() { p.x++ }

func (p point) moved() point { p.x++; return p }

func (p *point) get() int { return p.x }

type grid struct {
	cells []int
	at    *point
	w     int
}

func newGrid(cells []int) *grid { return &grid{cells: cells, w: 1} }

func (g *grid) row(i int) []int { r := g.cells[i*g.w:]; return r[:g.w] }

func (g *grid) set(i int) { g.cells[i] = 1 }

func (g grid) clone() grid { h := g; h.cells = slices.Clone(g.cells); return h }

func norm(in []int) []int { in = slices.Clone(in); in[0] = 2; return in }

func counter() func() int { n := 0; return func() int { n++; return n } }

func both(x []int) (a, b []int) { a = make([]int, 1); b = x; return }

type job struct{ do func() }

func (j job) run() { j.do() }

func another() { m := 0; job{do: func() { m++ }}.run() }

var conf point

func get() *point { return &conf }

var level int

func newLogger() *slog.Logger { level = 2; return slog.Default() }
`

// If sharing were reported for a correct program, no user would believe a report about a
// wrong one. The ranks of these programs change copies, or memory that they have made.
func TestCopies(t *testing.T) {
	for _, row := range []struct{ name, before, body string }{
		{"of a string", "text := \"abc\"", "b := []byte(text)\nb[0] = 1"},
		{"of a struct, by a pointer method", "at := point{1}", "mine := at\nmine.move()"},
		{"of a struct, by its address", "at := point{1}", "mine := at\np := &mine\np.x = 2"},
		{"of a struct, by a function", "at := point{1}", "mine := at\nfunc(p *point) { p.x = 1 }(&mine)"},
		{"of a receiver", "at := point{1}", "mine := at.moved()\nmine.x = 3"},
		{"of elements", "all := []point{{1}}", "for _, p := range all {\np.move()\n}"},
		{"of arrays", "var buf [4]byte", "mine := buf\nc.Recv(types.Of(mine[:]), 0, 0)"},
		{"of an embedded field", "at := point{1}", "mine := struct{ point }{at}\nmine.move()"},
		{"of a type of another module", "at := image.Point{}", "mine := at\nmine.X = 1"},
		{"by append", "base := []int{1}", "mine := append(base[:0:0], base...)\nmine[0] = 1"},
		{"by append to another", "base := []int{1}", "var mine []int\nmine = append(mine, base...)\nmine[0] = 1"},
		{"of an argument", "base := []int{1}", "_ = norm(base)"},
		{"by a method", "init := grid{cells: []int{1}}", "own := init.clone()\nown.cells[0] = 1"},
		{"with a field of its own", "init := grid{cells: []int{1}}", "own := init\nown.cells = make([]int, 3)\nown.cells[0] = 1"},
		{"of what a variable held before", "base := []int{1}", "mine := base\nmine = append([]int{}, mine...)\nmine[0] = 2"},
		{"from one to the other", "base := []int{1}", "mine := make([]int, 1)\nmine[0] = base[0]\nmine[0]++"},
		{"of two results, the other", "base := []int{1}", "a, b := both(base)\na[0] = b[0]"},
		{"in two things of one type, the other", "base := []int{1}", "in, out := newGrid(base), newGrid(make([]int, 1))\nout.row(0)[0] = in.row(0)[0]"},
		{"beside a field that is only read", "at := point{1}", "s := &grid{at: &at, cells: make([]int, 3)}\ns.cells[0] = s.at.x"},
		{"beside a field that is only read, set later", "at := point{1}", "var s grid\ns.at = &at\ns.w = s.at.get()"},
		{"beside addresses that are only read", "at := point{1}", "var all []*point\nall = append(all, &at)\n_ = all[0].get()"},
		{"beside a returned field", "", "_ = get().x"},
		{"beside a printed value", "at := point{1}", "fmt.Println(&at)"},
		{"beside a method that reads", "at := point{1}", "f := at.get\n_ = f()"},
		{"beside what was done before", "log := newLogger()", "log.Info(\"\")"},
		{"beside what another program does", "", "job{do: func() {}}.run()"},
		{"of state that each rank makes", "", "next := counter()\nnext()"},
		{"of a map that is only looked at", "var m sync.Map", "m.Range(func(k, v any) bool { return true })"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code := around(shapes, row.before, row.body)
			assert.Empty(t, program(t, code, packages), code)
		})
	}
}

// Ranks may reach a shared variable in many ways.
func TestWays(t *testing.T) {
	for _, row := range []struct{ name, before, body, want string }{
		{"an entry, if there is one", "all := map[int]*point{}", "if p, ok := all[0]; ok {\np.x = 1\n}", "all map[int]*main.point shared: read +1 written +2\n"},
		{"by its type", "var at any = &point{}", "switch p := at.(type) {\ncase *point:\np.x = 1\n}", "at any shared: read +1 written +3\n"},
		{"by a field of a literal", "out := make([]int, 4)", "s := &grid{cells: out}\ns.cells[c.Rank()] = 1", "out []int gathered: written +2\n"},
		{"by a literal in a literal", "out := make([]int, 4)", "s := []*grid{{cells: out}}\ns[0].cells[0] = 1", "out []int left: written +2\n"},
		{"by a field that is set", "out := make([]int, 4)", "var s grid\ns.cells = out\ns.cells[0] = 1", "out []int shared: read +2 written +3\n"},
		{"by what makes it", "out := make([]int, 4)", "s := newGrid(out)\ns.set(c.Rank())", "out []int gathered: written -27\n"},
		{"by a part that is returned", "out := make([]int, 4)", "s := newGrid(out)\ns.row(0)[0] = 1", "out []int shared: read -29 written +2\n"},
		{"by a function's result", "", "get().x = 1", "conf main.point left: written +1\n"},
		{"by the second of two", "out := []int{1}", "a, b := both(out)\nb[0] = a[0]", "out []int left: written +2\n"},
		{"by a copy's slice", "init := grid{cells: []int{1}}", "own := init\nown.cells[0] = 1", "init main.grid shared: read +1 written +2\n"},
		{"by a clone that is not deep", "init := grid{at: &point{}}", "own := init.clone()\nown.at.x = 1", "init main.grid shared: read -25 written +2\n"},
		{"by the rows of a copy", "rows := [][]int{{1}}", "mine := append([][]int{}, rows...)\nmine[0][0] = 2", "rows [][]int shared: read +1 written +2\n"},
		{"by an element's address", "all := []point{{1}}", "p := &all[0]\np.move()", "all []main.point shared: read -43 written -43\n"},
		{"by swapping", "base := []int{1}", "a, b := base, make([]int, 1)\nfor range 2 {\nb[0] = a[0]\na, b = b, a\n}", "base []int shared: read +3 written +3\n"},
		{"unless it is a copy", "base := []int{1}", "mine := base\nif c.Rank() > 0 {\nmine = slices.Clone(mine)\n}\nmine[0] = 1", "base []int shared: read +3 written +5\n"},
		{"by an embedded pointer", "at := point{1}", "mine := struct{ *point }{&at}\nmine.move()", "at main.point shared: read -43 written -43\n"},
		{"by a method's value", "at := point{1}", "f := at.move\nf()", "at main.point shared: read -43 written -43 read +1\n"},
		{"by a method of its type", "at := point{1}", "(*point).move(&at)", "at main.point shared: read -43 written -43\n"},
		{"by one of several arguments", "at := point{1}", "func(all ...*point) { all[0].move() }(&at)", "at main.point shared: read -43 written -43\n"},
		{"by a part of a buffer", "out := make([]int, 4)", "c.Recv(types.Of(out).At(8), 0, 0)", "out []int left: received into +1\n"},
		{"by a function made before", "next := counter()", "next()", "n int shared: read -21 written -21\n"},
		{"by a function given to others", "n := 0\nless := func(a, b int) int { n++; return a - b }", "slices.SortFunc([]int{1, 2}, less)", "n int shared: read -1 written -1\n"},
		{"by an iterator", "n := 0\nseq := func(yield func(int) bool) { n++ }", "for range seq {\n}", "n int shared: read -1 written -1\n"},
		{"once for each rank", "n := 0", "var once sync.Once\nonce.Do(func() { n++ })", "n int shared: read +2 written +2\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code := around(shapes, row.before, row.body)
			assert.Equal(t, row.want, program(t, code, packages), code)
		})
	}
}
