package explain

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/testkit/spec"
)

// Packages lists the packages whose names are explained.
var Packages = []string{"world", "comm", "iofile", "types", "reps", "consistency", "errclass", "iofile/faults", "script"}

// FromSource reads the exported names from the sources of this module.
func FromSource(root fs.FS) ([]Name, error) {
	var all []Name
	for _, pkg := range Packages {
		found, err := packageNames(root, pkg)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b Name) int {
		return strings.Compare(a.Package+"."+a.Name, b.Package+"."+b.Name)
	})
	return all, nil
}

func packageNames(root fs.FS, pkg string) ([]Name, error) {
	paths, err := fs.Glob(root, path.Join(pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(root, p)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, p, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, pkg)
	if err != nil {
		return nil, err
	}
	s := &source{fset: fset, doc: d, seen: map[string]bool{}}
	s.funcs("", d.Funcs)
	s.values(d.Consts)
	s.values(d.Vars)
	for _, t := range d.Types {
		s.add(t.Name, "type "+t.Name, t.Doc)
		s.funcs("", t.Funcs)
		s.funcs(t.Name+".", t.Methods)
		s.values(t.Consts)
		s.values(t.Vars)
	}
	return s.all, nil
}

// A source collects the names of a package.
type source struct {
	fset *token.FileSet
	doc  *doc.Package
	all  []Name
	seen map[string]bool // files with build constraints declare names twice
}

var (
	prefix  = regexp.MustCompile(`^(MPI_[A-Z_]+): `) // of the comment of a constant
	mpiName = regexp.MustCompile(`^MPI_[A-Za-z0-9_]+(, MPI_[A-Za-z0-9_]+)*$`)
	ruleID  = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(-[A-Z0-9]+)+[a-z]?\b`)
)

func (s *source) add(name, decl, comment string) {
	if s.seen[name] || !ast.IsExported(strings.TrimPrefix(name[strings.LastIndex(name, ".")+1:], "*")) {
		return
	}
	s.seen[name] = true
	n := Name{Package: s.doc.Name, Name: name, Go: decl, Doc: s.doc.Synopsis(comment)}
	lines := strings.Split(strings.TrimSpace(comment), "\n")
	routines := []string{""}
	if last := lines[len(lines)-1]; mpiName.MatchString(last) {
		routines = strings.Split(last, ", ")
		if n.Doc == last {
			n.Doc = ""
		}
	}
	if m := prefix.FindStringSubmatch(comment); m != nil {
		routines, n.Doc = m[1:], strings.TrimPrefix(n.Doc, m[0])
	}
	for _, id := range ruleID.FindAllString(comment, -1) {
		if spec.Known(id) && !slices.Contains(n.Rules, id) {
			n.Rules = append(n.Rules, id)
		}
	}
	for _, n.MPI = range routines {
		s.all = append(s.all, n)
	}
}

func (s *source) funcs(recv string, all []*doc.Func) {
	for _, f := range all {
		if recv != "" && !ast.IsExported(strings.TrimSuffix(recv, ".")) {
			continue
		}
		decl := *f.Decl
		decl.Doc, decl.Body = nil, nil
		s.add(recv+f.Name, s.text(&decl), f.Doc)
	}
}

func (s *source) values(all []*doc.Value) {
	for _, v := range all {
		for _, sp := range v.Decl.Specs {
			sp, ok := sp.(*ast.ValueSpec)
			if !ok {
				continue
			}
			comment := sp.Doc.Text()
			if comment == "" {
				comment = sp.Comment.Text()
			}
			if comment == "" {
				comment = v.Doc
			}
			for _, id := range sp.Names {
				s.add(id.Name, v.Decl.Tok.String()+" "+id.Name, comment)
			}
		}
	}
}

// text returns a declaration on one line.
func (s *source) text(decl ast.Node) string {
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, s.fset, decl); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// typeForm is a constructor of type expressions, with its arguments.
var typeForm = regexp.MustCompile(`\b(\w+)\([^()]+\)`)

// TypeForms reads the constructors of type expressions from the comment of types.Parse.
func TypeForms(root fs.FS) (forms []string, err error) {
	text, err := fs.ReadFile(root, "types/parse.go")
	if err != nil {
		return nil, err
	}
	_, comment, _ := strings.Cut(string(text), "\n// Parse reads")
	comment, _, _ = strings.Cut(comment, "\nfunc ")
	for line := range strings.Lines(comment) {
		if rest, ok := strings.CutPrefix(line, "//\t"); ok {
			forms = append(forms, typeForm.FindAllString(rest, -1)...)
		}
	}
	return forms, nil
}
