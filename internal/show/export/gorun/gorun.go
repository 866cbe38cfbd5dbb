// Package gorun builds many exported Go programs into one and runs them, for tests.
//
//	runs, err := gorun.Run(ctx, dir, root, programs, seeds)
//
// Start here: the programs become one program in a module made in dir, whose
// requirements are those of the module at root, which takes the place of this module.
package gorun

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Found is one finding of a program's run.
type Found struct {
	Kind, Rule, Class, Missing, Text string
	Ranks                            []int
	Lines                            []int  // of the script
	Fix                              string // of a race
	GoLines                          []int  // of a race: of the program
}

// A Ran is one run of a program.
type Ran struct {
	Program int
	Seed    uint64
	Found   []Found
}

// Run builds the programs, and runs each under seeds 0 to seeds-1.
func Run(ctx context.Context, dir, root string, programs []string, seeds int) ([]Ran, error) {
	if err := module(dir, root); err != nil {
		return nil, err
	}
	lines := make([]map[int]int, len(programs))
	var table strings.Builder
	for i, text := range programs {
		lines[i] = scriptLines(text)
		text, err := renamed(text, fmt.Sprintf("_%03d", i))
		if err != nil {
			return nil, err
		}
		if err := write(filepath.Join(dir, fmt.Sprintf("p%03d.go", i)), text); err != nil {
			return nil, err
		}
		fmt.Fprintf(&table, "\trun_%03d,\n", i)
	}
	if err := write(filepath.Join(dir, "main.go"), strings.Replace(driver, "TABLE", table.String(), 1)); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-trimpath", "-mod=mod", ".", strconv.Itoa(seeds))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, complaints.Bytes())
	}
	var all []Ran
	in := bufio.NewScanner(&out)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var r Ran
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			return nil, err
		}
		for i := range r.Found {
			for j, l := range r.Found[i].Lines {
				r.Found[i].Lines[j] = lines[r.Program][l]
			}
		}
		all = append(all, r)
	}
	return all, in.Err()
}

// renamed gives all functions and variables of a program's package a name that ends in
// suffix, so that many programs can form one package. It keeps line numbers.
func renamed(text, suffix string) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, 0)
	if err != nil {
		return "", err
	}
	own := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			own[d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					own[v.Names[0].Name] = true
				}
			}
		}
	}
	var ends []int
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(x ast.Node) bool {
				if id, ok := x.(*ast.Ident); ok && own[id.Name] {
					ends = append(ends, fset.Position(id.End()).Offset)
				}
				return true
			})
			return false
		case *ast.Ident:
			if own[n.Name] && n != f.Name {
				ends = append(ends, fset.Position(n.End()).Offset)
			}
		}
		return true
	})
	slices.Sort(ends)
	var b strings.Builder
	from := 0
	for _, at := range ends {
		b.WriteString(text[from:at] + suffix)
		from = at
	}
	return b.String() + text[from:], nil
}

// module creates a module that uses the one at root.
func module(dir, root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	text := string(mod)
	for _, block := range []string{"tool", "ignore"} {
		text = regexp.MustCompile(`(?ms)^`+block+` \(.*?^\)\n`).ReplaceAllString(text, "")
		text = regexp.MustCompile(`(?m)^`+block+` .*\n`).ReplaceAllString(text, "")
	}
	text = regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(text, "module programs")
	text += "\nrequire github.com/commworld/commworld v0.0.0\n\nreplace github.com/commworld/commworld => " + root + "\n"
	if err := write(filepath.Join(dir, "go.mod"), text); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "go.sum"), string(sum))
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

var marked = regexp.MustCompile(`// line (\d+)$`)

// scriptLines returns the script's line for each line of the program.
func scriptLines(text string) map[int]int {
	of, n := map[int]int{}, 0
	for l := range strings.Lines(text) {
		n++
		if m := marked.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			of[n], _ = strconv.Atoi(m[1])
		}
	}
	return of
}

const driver = `package main

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/world"

)

var programs = []func(uint64) error{
TABLE}

type found struct {
	Kind, Rule, Class, Missing, Text string
	Ranks, Lines                     []int
	Fix                              string
	GoLines                          []int
}

type ran struct {
	Program int
	Seed    uint64
	Found   []found
}

func main() {
	seeds, _ := strconv.Atoi(os.Args[1])
	enc := json.NewEncoder(os.Stdout)
	for i, run := range programs {
		for seed := range uint64(seeds) {
			r := ran{Program: i, Seed: seed}
			for _, f := range world.Findings(run(seed)) {
				x := found{Kind: string(f.Kind), Rule: f.Rule, Class: f.Class, Ranks: f.Ranks, Text: f.Text}
				var race *consistency.RaceError
				if errors.As(f.Err, &race) {
					x.Missing = string(race.Missing)
					x.Ranks = []int{race.A.Rank, race.B.Rank}
					x.Lines = []int{race.A.Place.Line, race.B.Place.Line}
					x.Fix, x.GoLines = race.Fix, x.Lines
				} else {
					for _, p := range f.Places {
						x.Lines = append(x.Lines, p.Line)
					}
				}
				r.Found = append(r.Found, x)
			}
			enc.Encode(r)
		}
	}
}
`
