package course

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A refusal says why a submission is not built: its source can reach what the marker relies
// on.
type refusal struct {
	line string // such as main.go:7; may be empty
	text string
}

func (r *refusal) Error() string { return r.text }

// refusedPackages are packages by which a program could start others, or reach memory past
// Go's rules.
var refusedPackages = map[string]string{
	"C": "reaches memory past Go's rules", "unsafe": "reaches memory past Go's rules", "syscall": "reaches memory past Go's rules",
	"plugin": "loads other code", "os/exec": "starts other processes", "net/http/cgi": "starts other processes",
	"go/build": "starts other processes", "go/importer": "starts other processes", "runtime/cgo": "reaches memory past Go's rules",
}

// refusedNames are functions like that in packages that are allowed.
var refusedNames = map[string]string{
	"reflect.NewAt": "reaches memory past Go's rules", "runtime/debug.WriteHeapDump": "writes the memory of the process", "os.StartProcess": "starts other processes",
}

// refusedFolders are the folders of this module whose packages a submission must not import.
var refusedFolders = []string{"internal", "cmd", "teach"}

// A submission is the source of a program: the packages of its module that it is made of.
type submission struct {
	root, module string
	clone        bool // root is a clone of this module
	packages     map[string]string
}

// sourceOf reads the packages of a submission in dir, which belongs to the module at root. It
// returns a [refusal] for source that a submission must not have.
func sourceOf(dir, root, module string, clone bool) (*submission, error) {
	s := &submission{root: root, module: module, clone: clone, packages: map[string]string{}}
	if err := s.visit(dir); err != nil {
		return nil, err
	}
	return s, nil
}

// visit reads the package in dir and those of the submission that it imports.
func (s *submission) visit(dir string) error {
	if _, known := s.packages[dir]; known {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // the go command says so
	}
	s.packages[dir] = ""
	var next []string
	for _, e := range entries {
		name := e.Name()
		switch path.Ext(name) {
		case ".s", ".S", ".sx", ".syso":
			return &refusal{name, fmt.Sprintf("%s is machine code, which reaches memory past Go's rules; an exercise needs Go alone", name)}
		case ".go":
			if strings.HasSuffix(name, "_test.go") || e.IsDir() {
				continue
			}
			full := filepath.Join(dir, name)
			if err := readable(full); err != nil {
				return err
			}
			imported, err := s.file(full, dir)
			if err != nil {
				return err
			}
			next = append(next, imported...)
		}
	}
	for _, d := range next {
		if err := s.visit(d); err != nil {
			return err
		}
	}
	return nil
}

// file checks one file, and returns the folders of the submission's packages that it imports.
func (s *submission) file(name, dir string) (folders []string, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil || err != nil {
		return nil, nil // the go command says so
	}
	s.packages[dir] = f.Name.Name
	refuse := func(at token.Pos, format string, args ...any) error {
		return &refusal{fmt.Sprintf("%s:%d", filepath.Base(name), set.PositionFor(at, false).Line), fmt.Sprintf(format, args...)}
	}
	imported := map[string]bool{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		imported[p] = true
		folder, why := s.allows(p)
		if why != "" {
			return nil, refuse(i.Pos(), "package %q is not for submissions: %s", p, why)
		}
		if folder != "" {
			folders = append(folders, folder)
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname") || strings.HasPrefix(c.Text, "//go:cgo_") {
				return nil, refuse(c.Pos(), "%s reaches what a package hides", strings.Fields(c.Text)[0])
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			for full, why := range refusedNames {
				if pkg, fn := path.Split(strings.ReplaceAll(full, ".", "/")); n.Name == fn && imported[strings.TrimSuffix(pkg, "/")] {
					err = refuse(n.Pos(), "%s is not for submissions: it %s", full, why)
				}
			}
		case *ast.BasicLit:
			if text, _ := strconv.Unquote(n.Value); n.Kind == token.STRING && strings.Contains(text+"/", "/proc/") {
				err = refuse(n.Pos(), "the files below /proc are not for submissions: they show the memory of processes")
			}
		}
		return err == nil
	})
	return folders, err
}

// allows returns the folder of an imported package if it belongs to the submission, or why a
// submission must not import it.
func (s *submission) allows(p string) (folder, why string) {
	if why := refusedPackages[p]; why != "" {
		return "", "it " + why
	}
	if rest, ours := strings.CutPrefix(p, modulePath+"/"); ours || p == modulePath {
		if folder := filepath.Join(s.root, filepath.FromSlash(rest)); s.clone && s.within(folder) {
			return folder, ""
		}
		if slices.ContainsFunc(strings.Split(rest, "/"), func(part string) bool { return slices.Contains(refusedFolders, part) }) {
			return "", "it belongs to the marker"
		}
		return "", ""
	}
	if rest, own := strings.CutPrefix(p, s.module+"/"); own && !s.clone {
		return filepath.Join(s.root, filepath.FromSlash(rest)), ""
	}
	first, _, _ := strings.Cut(p, "/")
	switch {
	case p == s.module:
		return "", ""
	case strings.Contains(first, "."):
		return "", "an exercise needs Go's standard library and " + modulePath
	case slices.Contains(strings.Split(p, "/"), "internal"):
		return "", "it is internal to Go"
	}
	return "", ""
}

// within reports whether a folder of the clone is one of the submission's packages.
func (s *submission) within(folder string) bool {
	for dir := range s.packages {
		if strings.HasPrefix(folder, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// worldFirst returns, for the overlay of a build, a file for each package of the submission
// that imports package world. So world is initialised before any package of the submission,
// and reads the marker's key before the submission can.
func (s *submission) worldFirst(tmp string) (replace map[string]string, err error) {
	const name = "commworld_mark_first.go"
	replace = map[string]string{}
	for i, dir := range slices.Sorted(maps.Keys(s.packages)) {
		if s.packages[dir] == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nil, &refusal{name, fmt.Sprintf("the name %s is taken", name)}
		}
		ours := filepath.Join(tmp, fmt.Sprintf("first%d.go", i))
		text := fmt.Sprintf("package %s\n\nimport _ %q\n", s.packages[dir], modulePath+"/world")
		if err := os.WriteFile(ours, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(dir, name)] = ours
	}
	return replace, nil
}

// refused returns the marking for a submission that is not built.
func (l *Lesson) refused(err error) (*Marking, bool) {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return nil, false
	}
	m := l.unmarked("The submission contains what marking does not allow.", r.text)
	if m.Findings[0].Kind = KindSource; r.line != "" {
		m.Findings[0].Lines = []string{r.line}
	}
	return m, true
}

// writeOverlay writes the overlay for a build, and returns the flag for it.
func writeOverlay(tmp string, replace map[string]string) (flag string, err error) {
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(tmp, "overlay.json")
	return "-overlay=" + file, os.WriteFile(file, text, 0o600)
}
