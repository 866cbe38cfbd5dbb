package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var runKept = flag.Bool("kept", false, "run the kept mutants against the tests that must notice them")

// If a kept mutant no longer fitted its source, no run would show that the test
// which notices it is gone.
func TestKept(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	for _, m := range kept {
		t.Run(m.String(), func(t *testing.T) {
			src, err := m.source(root)
			require.NoError(t, err)
			require.True(t, (m.tests == "") != (m.because == ""), "a mutant has a test or a reason")
			if !*runKept || m.tests == "" {
				return
			}
			v, out, err := try(context.Background(), root, m.file, src, 5*time.Minute, strings.Fields(m.tests)...)
			require.NoError(t, err)
			require.Equal(t, noticed, v, out)
		})
	}
}

// If a random mutant were not put where its line says, its verdict would be
// about another one.
func TestCandidates(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	p, err := candidates(root, "errclass")
	require.NoError(t, err)
	all := p.all
	require.NotEmpty(t, all)
	for _, c := range all {
		require.NotEqual(t, string(c.unchanged), string(c.source()), c.String())
	}
}

// If the harness took every outcome for a noticed fault, the table would be
// worth nothing.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package three times")
	}
	root, err := moduleRoot()
	require.NoError(t, err)
	p, err := candidates(root, "errclass")
	require.NoError(t, err)
	all := p.all
	file, src := all[0].file, string(all[0].unchanged)
	for want, text := range map[verdict]string{
		survived: src,
		noticed:  src + "\nfunc init() { panic(0) }\n",
		invalid:  src + "\nvar x int = \"\"\n",
	} {
		v, out, err := try(t.Context(), root, file, []byte(text), 10*time.Minute, "-run", "TestClass", "./errclass")
		require.NoError(t, err, out)
		require.Equal(t, want, v, out)
	}
}

// sample has something of each kind that is changed, in places where expressions nest.
const sample = `package sample

import (
	"fmt"
	"time"
)

type grade int8

type flag bool

func say(list *[]string, what ...any) { *list = append(*list, fmt.Sprint(what...)) }

func compare[T int | float64](a, b T) string {
	if a < b && !(a+1 >= b) || a == b {
		return "far"
	}
	return "near"
}

// Run returns a text that depends on all that is done here.
func Run() (list []string) {
	defer func() {
		if r := recover(); r != nil {
			say(&list, "panic ", r)
		}
	}()
	for i := range 5 {
		if i%2 == 1 {
			say(&list, "odd")
			continue
		}
		switch {
		case i > 2:
			say(&list, "big ", i<<1, 7>>i, i&3|4)
		case i <= 0 || i >= 9:
			say(&list, "none")
		}
		say(&list, compare(i, 2), compare(float64(i), 1.5))
	}
	n := 0
	for k := 0; k < 4 && n < 100; k++ {
		n += (k + 3) * 5
		n--
	}
	var g grade = 3
	g++
	wait := 2 * time.Second
	bits := [4]bool{1: true}
	ok := flag(n > 3) && !flag(bits[2] != bits[1])
	_, _, _ = g, wait, ok
	say(&list, n/2)
	say(&list, n, g, wait*3, ok, -1-n, "x"+"y", uint8(n)<<1, 1<<uint(g))
	func() { say(&list, 10-3*2, 8/3, 8%3, 0x10) }()
	return list
}
`

// A mutant that is switched on must do what the changed text does.
func TestSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	root := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	run := func(command string, args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, command, args...)
		cmd.Dir, cmd.WaitDelay = root, time.Second
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	put("go.mod", "module sample\n\ngo 1.26\n")
	put("sample/sample.go", sample)
	put("main.go", "package main\n\nimport (\n\t\"fmt\"\n\n\t\"sample/sample\"\n)\n\nfunc main() { fmt.Printf(\"%q\", sample.Run()) }\n")
	p, err := candidates(root, "sample")
	require.NoError(t, err)
	s, err := newSchema(t.Context(), root, p)
	require.NoError(t, err)
	require.NoError(t, s.build(t.Context(), p.all))
	defer os.RemoveAll(s.work)
	program := filepath.Join(root, "program")
	run("go", "build", "-overlay", s.overlay(), "-o", program, ".")

	imports, calls := "", ""
	for id, c := range s.chosen {
		if !s.left[id] {
			put(fmt.Sprintf("m%d/sample.go", id), string(c.source()))
			imports += fmt.Sprintf("\tm%d \"sample/m%d\"\n", id, id)
			calls += fmt.Sprintf("\tfmt.Printf(\"%%q\\n\", m%d.Run())\n", id)
		}
	}
	put("texts/main.go", "package main\n\nimport (\n\t\"fmt\"\n"+imports+")\n\nfunc main() {\n"+calls+"}\n")
	run("go", "build", "-o", "changed", "./texts")
	want := lines([]byte(run("./changed")))
	for id, c := range s.chosen {
		if s.left[id] {
			t.Log("not switched on in a running program:", c)
			continue
		}
		require.Equal(t, want[0], run("env", fmt.Sprintf("MUTANTS_NOW=%d", id), program), c.String())
		want = want[1:]
	}
	require.Less(t, len(s.left), 5, "a constraint and a constant index")
}
