package find

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// library is this module. Its packages are not part of the analysed program; its examples
// and tests are programs like others.
const library = "github.com/commworld/commworld/"

// A loader reads packages of one module. Expressions whose types it cannot find have an
// unknown type, which is not an error.
type loader struct {
	fset   *token.FileSet
	module string // its path; empty if there is none
	root   string // its directory
	loaded map[string]*unit
	stubs  map[string]*types.Package
}

// A unit is a package that was read.
type unit struct {
	files []*ast.File
	pkg   *types.Package
	info  types.Info
}

func newLoader(fset *token.FileSet, dir string) *loader {
	l := &loader{fset: fset, loaded: map[string]*unit{}, stubs: map[string]*types.Package{}}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			l.root, l.module = dir, moduleOf(string(text))
			return l
		}
		up := filepath.Dir(dir)
		if up == dir {
			return l
		}
		dir = up
	}
}

func moduleOf(mod string) string {
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(name), "\"`")
		}
	}
	return ""
}

// given type-checks the package of parsed files.
func (l *loader) given(files []*ast.File) *unit {
	dir := filepath.Dir(l.fset.Position(files[0].Package).Filename)
	where := dir // a path that no package imports
	if inside, err := filepath.Rel(l.root, dir); err == nil && l.module != "" {
		where = path.Join(l.module, filepath.ToSlash(inside))
	}
	if strings.HasSuffix(files[0].Name.Name, "_test") {
		where += "_test"
	}
	u := newUnit(files...)
	l.loaded[where] = u
	l.check(where, u)
	return u
}

func newUnit(files ...*ast.File) *unit {
	return &unit{files: files, info: types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}}
}

// check finds the types of a package. Unknown ones are left out.
func (l *loader) check(where string, u *unit) {
	conf := types.Config{Importer: l, FakeImportC: true, Error: func(error) {}}
	u.pkg, _ = conf.Check(where, l.fset, u.files, &u.info)
}

// load reads the package in a directory, without its tests.
func (l *loader) load(where, dir string) (*unit, error) {
	u, name := newUnit(), ""
	l.loaded[where] = u
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		is := e.Name()
		if !strings.HasSuffix(is, ".go") || strings.HasSuffix(is, "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, is); !ok || err != nil {
			continue
		}
		f, err := parser.ParseFile(l.fset, filepath.Join(dir, is), nil, parser.SkipObjectResolution)
		if f == nil {
			return nil, err
		}
		if name == "" {
			name = f.Name.Name
		}
		if f.Name.Name == name {
			u.files = append(u.files, f)
		}
	}
	if len(u.files) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	l.check(where, u)
	return u, nil
}

var errUnknown = errors.New("not read")

// Import returns a package of the program's module, or a stub.
func (l *loader) Import(where string) (*types.Package, error) {
	if u := l.loaded[where]; u != nil && u.pkg != nil {
		return u.pkg, nil
	}
	inside, ok := strings.CutPrefix(where+"/", l.module+"/")
	if l.module == "" || !ok || strings.HasPrefix(where, library) || l.loaded[where] != nil {
		return l.stub(where), nil
	}
	u, err := l.load(where, filepath.Join(l.root, filepath.FromSlash(inside)))
	if err != nil {
		return nil, errUnknown
	}
	return u.pkg, nil
}
