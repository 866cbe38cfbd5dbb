package sharing

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
	"slices"
	"strings"
)

// library is this module, whose packages are not the program's; its examples and
// tests are programs like others.
const library = "github.com/commworld/commworld/"

// A loader reads packages of one module. What it cannot find is left unknown: an
// expression of unknown type is no error.
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

func newLoader(dir string) *loader {
	l := &loader{fset: token.NewFileSet(), loaded: map[string]*unit{}, stubs: map[string]*types.Package{}}
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

// has reports whether a file is of the module.
func (l *loader) has(file string) bool {
	inside, err := filepath.Rel(l.root, file)
	return err == nil && l.module != "" && filepath.IsLocal(inside)
}

// beside loads the package that a file is part of.
func (l *loader) beside(file string) (*unit, error) {
	f, err := parser.ParseFile(l.fset, file, nil, parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(file)
	where := dir // a name for a package that nobody imports
	if inside, err := filepath.Rel(l.root, dir); err == nil && l.module != "" {
		where = path.Join(l.module, filepath.ToSlash(inside))
	}
	if strings.HasSuffix(f.Name.Name, "_test") {
		where += "_test"
	}
	if u := l.loaded[where]; u != nil && slices.ContainsFunc(u.files, func(f *ast.File) bool { return l.fset.File(f.Pos()).Name() == file }) {
		return u, nil
	}
	return l.load(where, dir, f.Name.Name, strings.HasSuffix(file, "_test.go"))
}

// load reads the files of one package in a directory.
func (l *loader) load(where, dir, name string, tests bool) (*unit, error) {
	u := &unit{info: types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}}
	l.loaded[where] = u
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		is := e.Name()
		if !strings.HasSuffix(is, ".go") || !tests && strings.HasSuffix(is, "_test.go") {
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
		return nil, fmt.Errorf("no Go files of package %s in %s", name, dir)
	}
	conf := types.Config{Importer: l, FakeImportC: true, Error: func(error) {}}
	u.pkg, _ = conf.Check(where, l.fset, u.files, &u.info) // what is unknown is left out
	return u, nil
}

var errUnknown = errors.New("not read")

// Import gives a package of the program's module, or a stub.
func (l *loader) Import(where string) (*types.Package, error) {
	if u := l.loaded[where]; u != nil && u.pkg != nil {
		return u.pkg, nil
	}
	inside, ok := strings.CutPrefix(where+"/", l.module+"/")
	if l.module == "" || !ok || strings.HasPrefix(where, library) || l.loaded[where] != nil {
		return l.stub(where), nil
	}
	u, err := l.load(where, filepath.Join(l.root, filepath.FromSlash(inside)), "", false)
	if err != nil {
		return nil, errUnknown
	}
	return u.pkg, nil
}
