package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	root   = "../.."
	module = "github.com/commworld/commworld/"
)

// Names of sets of packages.
const (
	public   = "errclass faults types reps consistency comm iofile world"
	programs = public + " proptest script"
)

// may lists every package of the module and the packages of the module that
// its non-test files may import. A name that ends in /... stands for all
// packages below.
var may = map[string]string{
	"errclass":             "internal/seen internal/brief",
	"internal/brief":       "",
	"internal/seen":        "",
	"faults":               "errclass internal/sched",
	"internal/sched":       "errclass internal/callsite",
	"internal/trace":       "internal/sched internal/seen",
	"internal/engine":      "types errclass",
	"internal/simd":        "",
	"internal/callsite":    "",
	"types":                "errclass internal/simd internal/brief",
	"types/naive":          "types errclass",
	"reps":                 "types errclass internal/simd",
	"internal/extent":      "types errclass",
	"internal/image":       "internal/extent types errclass internal/sched",
	"consistency":          "internal/extent internal/image types errclass internal/sched",
	"comm":                 "types reps internal/sched internal/trace internal/engine internal/brief errclass faults",
	"iofile":               "comm types reps consistency internal/extent internal/image internal/sched internal/callsite internal/trace internal/engine internal/brief errclass faults",
	"iofile/storetest":     "iofile consistency internal/image errclass",
	"world":                "comm consistency reps internal/sched internal/trace internal/engine errclass faults",
	"script":               public + " internal/sched internal/brief",
	"proptest":             public + " types/naive proptest/gen",
	"proptest/gen":         public,
	"proptest/...":         programs,
	"cmd/commworld":        public + " script lab internal/views internal/plain internal/picture internal/brief",
	"lab":                  public + " script internal/picture internal/views internal/plain",
	"lab/wasm":             "lab",
	"internal/picture":     "",
	"internal/plain":       "",
	"internal/views":       public + " internal/picture internal/plain",
	"examples/...":         programs,
	"internal/spec":        "",
	"internal/mutants":     "",
	"internal/conformance": "internal/spec",
	"internal/hostile":     "",
	"internal/layers":      "",
	"internal/peers":       "types reps errclass",
}

// A source is what one Go file imports.
type source struct {
	file    string // path from the root of the module
	pkg     string // its folder
	test    bool
	imports []string
}

// sources reads the imports of every Go file of the module, whatever its build
// constraints: what is built only elsewhere has to keep the layers too.
func sources(t *testing.T) []source {
	t.Helper()
	tree := os.DirFS(root)
	var all []source
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(tree, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		s, err := parse(tree, name)
		all = append(all, s)
		return err
	})
	assert.NoError(t, err)
	return all
}

// enter skips what the go command skips: hidden folders, testdata, and modules
// of their own.
func enter(tree fs.FS, name string) error {
	base := path.Base(name)
	if name == "." {
		return nil
	}
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func parse(tree fs.FS, name string) (source, error) {
	s := source{file: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go")}
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return s, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return s, err
	}
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return s, err
		}
		s.imports = append(s.imports, imp)
	}
	return s, nil
}

// entry returns the line of may that holds for pkg.
func entry(pkg string) (string, bool) {
	if allowed, ok := may[pkg]; ok {
		return allowed, true
	}
	for dir := pkg; dir != "."; dir = path.Dir(dir) {
		if allowed, ok := may[dir+"/..."]; ok {
			return allowed, true
		}
	}
	return "", false
}

// If a lower layer imported a higher one, the pieces could no longer be
// understood, tested or replaced one at a time.
func TestLayers(t *testing.T) {
	for _, s := range sources(t) {
		allowed, listed := entry(s.pkg)
		if !assert.True(t, listed, "%s: package %s has no line in the table of layers_test.go", s.file, s.pkg) || s.test {
			continue
		}
		for _, imp := range s.imports {
			ours, ok := strings.CutPrefix(imp, module)
			if ok && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("%s: package %s must not import %s", s.file, s.pkg, ours)
			}
		}
	}
}

// If rapid were linked into a user's program it would register its flags
// there; the same holds for the testing packages. A package that is for the
// tests of others, as testing/fstest is, may import testing.
func TestTestingStaysInTests(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.pkg == "proptest" || strings.HasPrefix(s.pkg, "proptest/") {
			continue
		}
		for _, imp := range s.imports {
			switch {
			case s.pkg == "iofile/storetest" && imp == "testing":
			case strings.HasPrefix(imp, "pgregory.net/rapid"), strings.HasPrefix(imp, "github.com/stretchr/testify"),
				imp == "testing" || strings.HasPrefix(imp, "testing/"):
				t.Errorf("%s: %s belongs in tests and proptest", s.file, imp)
			}
		}
	}
}

// If world imported a type checker, every program that imports world would link one.
func TestWorldLinksNoTools(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	cmd := exec.Command("go", "list", "-deps", "./world")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	assert.Contains(t, deps, module+"comm")
	for _, tool := range []string{"go/ast", "go/build", "go/parser", "go/types", "os/exec", "testing"} {
		assert.NotContains(t, deps, tool)
	}
}

// If unsafe or C spread, memory errors could hide anywhere and the module
// would no longer build with Go alone. What cannot be done in Go is asked of
// internal/simd, the one place for vector code.
func TestUnsafeInOneFile(t *testing.T) {
	for _, s := range sources(t) {
		assert.NotContains(t, s.imports, "C", s.file)
		if s.file != "types/unsafe.go" && s.pkg != "internal/simd" {
			assert.NotContains(t, s.imports, "unsafe", s.file)
		}
	}
}

// If the test looked in the wrong place, or read nothing, it would pass for
// ever.
func TestSeesTheModule(t *testing.T) {
	var pkgs []string
	for _, s := range sources(t) {
		pkgs = append(pkgs, s.pkg)
	}
	assert.Contains(t, pkgs, "errclass")
	assert.Contains(t, pkgs, "internal/layers")
	for pkg, allowed := range may {
		for _, imp := range strings.Fields(allowed) {
			_, ok := may[imp]
			assert.True(t, ok, "the line of %s names %s, which has none", pkg, imp)
		}
	}
}
