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
	root   = "../../.."
	module = "github.com/commworld/commworld/"
)

// Names of sets of packages.
const (
	public   = "errclass iofile/faults types reps consistency comm iofile iofile/store iofile/strategy world"
	programs = public + " proptest script"
)

// may lists every package of the module and the packages of the module that
// its non-test files may import. A name that ends in /... represents all
// packages below.
var may = map[string]string{
	"errclass":                           "internal/brief internal/callsite internal/careenv",
	"internal/brief":                     "",
	"internal/careenv":                   "",
	"internal/dropped":                   "errclass",
	"iofile/faults":                      "errclass internal/sched internal/callsite internal/fault",
	"internal/sched":                     "errclass internal/callsite internal/compact",
	"internal/trace":                     "internal/sched types",
	"internal/engine":                    "types errclass",
	"internal/simd":                      "",
	"internal/callsite":                  "",
	"internal/compact":                   "",
	"internal/elflines":                  "",
	"internal/recording":                 "types errclass internal/elflines",
	"internal/rerun":                     public + " internal/commport internal/recording internal/sched internal/show/plain",
	"types":                              "errclass internal/simd internal/brief internal/callsite internal/fault",
	"types/naive":                        "types errclass",
	"reps":                               "types errclass internal/simd internal/fault",
	"internal/fault":                     "errclass internal/brief internal/callsite",
	"comm/internal/reduce":               "types reps",
	"internal/commport":                  "types reps iofile/faults internal/sched internal/trace internal/engine",
	"internal/extent":                    "types errclass",
	"internal/image":                     "internal/extent types errclass internal/sched",
	"internal/overlay":                   "internal/extent",
	"consistency":                        "internal/extent internal/image internal/overlay internal/show/plain internal/sched",
	"internal/readable":                  "consistency internal/extent internal/image reps types",
	"internal/race":                      "consistency internal/compact internal/overlay internal/extent internal/image types errclass internal/sched",
	"internal/journal":                   "consistency internal/race internal/readable reps types",
	"comm":                               "types reps internal/commport internal/fault comm/internal/reduce internal/sched internal/trace internal/engine internal/brief errclass iofile/faults",
	"internal/view":                      "types internal/brief internal/show/plain",
	"iofile/strategy":                    "types errclass internal/extent internal/brief internal/trace internal/fault",
	"iofile/store":                       "errclass internal/brief internal/engine internal/fault internal/image internal/sched",
	"iofile":                             "iofile/store iofile/strategy comm internal/commport internal/fault types reps consistency internal/race internal/overlay internal/extent internal/image internal/journal internal/view internal/sched internal/callsite internal/trace internal/engine internal/brief internal/careenv errclass iofile/faults",
	"iofile/storetest":                   "iofile iofile/store consistency internal/image errclass",
	"world":                              "comm machine iofile/strategy types internal/careenv internal/commport internal/dropped internal/journal internal/show/picture internal/show/plain internal/readable consistency reps internal/sched internal/trace internal/engine errclass iofile/faults",
	"machine":                            "comm internal/commport internal/trace iofile/strategy errclass internal/brief internal/show/plain internal/show/picture",
	"machine/pattern":                    public + " machine internal/extent internal/brief internal/show/plain",
	"machine/calibrate":                  "machine machine/pattern errclass internal/brief",
	"machine/replay":                     public + " machine machine/pattern machine/replay/darshan internal/brief internal/show/plain",
	"machine/replay/darshan":             "errclass internal/brief",
	"script":                             public + " internal/readable internal/commport internal/journal internal/sched internal/brief",
	"proptest":                           public + " types/naive proptest/gen internal/commport internal/sched",
	"proptest/gen":                       public,
	"proptest/mutants":                   programs + " proptest/gen",
	"proptest/...":                       programs,
	"cmd/commworld":                      public + " machine machine/pattern machine/calibrate machine/replay script teach/lab teach/course internal/careenv internal/recording internal/rerun internal/show/child internal/show/export internal/show/findings internal/show/outputs internal/show/version internal/show/views internal/show/plain internal/show/picture internal/show/raster internal/show/shell internal/brief teach/suite teach/site cmd/commworld/internal/explain",
	"teach/lab":                          public + " script teach/exercise internal/show/export internal/show/picture internal/show/views internal/show/plain",
	"teach/lab/wasm":                     "teach/lab",
	"teach/site":                         "consistency script teach/course teach/exercise teach/lab",
	"internal/show/mpinames":             "",
	"internal/show/child":                "world internal/brief internal/careenv internal/show/plain",
	"internal/show/findings":             "world internal/careenv internal/show/plain",
	"internal/show/outputs":              "world internal/show/findings teach/course teach/lab",
	"internal/show/picture":              "",
	"internal/show/plain":                "",
	"internal/show/raster":               "",
	"internal/show/shell":                "",
	"internal/show/version":              "",
	"internal/show/views":                public + " internal/view internal/show/picture internal/show/plain",
	"examples/...":                       programs,
	"teach/exercise":                     public + " script internal/show/plain internal/brief",
	"teach/course":                       programs + " teach/exercise internal/show/child internal/show/plain internal/brief",
	"teach/course/...":                   programs + " internal/show/plain",
	"internal/testkit/bugtable":          "proptest world",
	"internal/testkit/spec":              "",
	"internal/testkit/mutants":           "",
	"internal/testkit/thorough":          "",
	"internal/testkit/conformance":       "internal/testkit/thorough internal/testkit/spec",
	"internal/testkit/hostile":           "",
	"internal/testkit/darshanlog":        "",
	"internal/testkit/layers":            "",
	"internal/testkit/peers":             "types reps errclass",
	"internal/show/export":               public + " script",
	"internal/show/export/...":           "",
	"docs":                               "",
	"cmd/commworld/internal/explain":     public + " script teach/suite docs internal/testkit/spec internal/brief internal/show/plain",
	"cmd/commworld/internal/explain/...": "cmd/commworld/internal/explain",
	"teach/suite":                        public + " script internal/show/export",
	"teach/suite/measure":                "teach/suite internal/testkit/peers",
}

// A source is what one Go file imports.
type source struct {
	file    string // path from the root of the module
	pkg     string // its folder
	test    bool
	imports []string
}

// sources reads the imports of every Go file of the module, under any build constraints:
// files built only on other systems have to keep the layers, too.
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

// enter skips what the go command always skips: hidden folders, testdata, and modules
// of their own. It enters what go.mod ignores.
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

// If a package outside of the course had a name that go.mod ignores for its exercises, ./...
// would leave it out: no run of all tests would try it.
func TestIgnoresExercisesOnly(t *testing.T) {
	mod, err := os.ReadFile(root + "/go.mod")
	require.NoError(t, err)
	_, list, ok := strings.Cut(string(mod), "\nignore (\n")
	require.True(t, ok)
	list, _, _ = strings.Cut(list, ")")
	ignored := strings.Fields(list)
	assert.Equal(t, []string{"./class", "skeleton", "solution"}, ignored, "the folder of docs/teaching.md, and exercises")
	for _, s := range sources(t) {
		for part := range strings.SplitSeq(s.pkg, "/") {
			assert.False(t, slices.Contains(ignored, part) && !strings.HasPrefix(s.pkg, "teach/course/"), "./... leaves out %s", s.pkg)
		}
	}
}

// If rapid were linked into a user's program it would register its flags
// there; the same holds for the testing packages. A package that is for the
// tests of others, as testing/fstest is, may import testing.
func TestNoTestingOutsideTests(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.pkg == "proptest" || strings.HasPrefix(s.pkg, "proptest/") {
			continue
		}
		for _, imp := range s.imports {
			switch {
			case (s.pkg == "iofile/storetest" || s.pkg == "internal/testkit/bugtable") && imp == "testing":
			case strings.HasPrefix(imp, "pgregory.net/rapid"), strings.HasPrefix(imp, "github.com/stretchr/testify"),
				imp == "testing" || strings.HasPrefix(imp, "testing/"):
				t.Errorf("%s: %s belongs in tests and proptest", s.file, imp)
			}
		}
	}
}

// If world imported a type checker, every program that imports world would link one. The
// parser, by which careful worlds find dropped errors, takes 0.3 MB.
func TestWorldLinksNoTools(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	cmd := exec.Command("go", "list", "-deps", "./world")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	assert.Contains(t, deps, module+"comm")
	for _, tool := range []string{"go/build", "go/types", "os/exec", "testing"} {
		assert.NotContains(t, deps, tool)
	}
}

// The page without a server is a download: each of these packages would add some percent.
func TestPageLinksFewPackages(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	cmd := exec.Command("go", "list", "-deps", "./teach/lab/wasm")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	assert.Contains(t, deps, module+"teach/lab")
	for _, large := range []string{"regexp", "text/template", "html/template", "go/parser", "encoding/xml", "net/http", "os/exec", "testing"} {
		assert.NotContains(t, deps, large)
	}
}

// If unsafe or C spread, memory errors could hide anywhere and the module would no longer
// build with Go alone. Only internal/simd has vector code; one example shows what a string is in memory.
func TestUnsafeInOneFile(t *testing.T) {
	for _, s := range sources(t) {
		assert.NotContains(t, s.imports, "C", s.file)
		if s.file != "types/unsafe.go" && s.pkg != "internal/simd" && s.pkg != "examples/source-texts" {
			assert.NotContains(t, s.imports, "unsafe", s.file)
		}
	}
}

// If the test read the wrong folder, or nothing, it would always pass.
func TestSeesTheModule(t *testing.T) {
	var pkgs []string
	for _, s := range sources(t) {
		pkgs = append(pkgs, s.pkg)
	}
	assert.Contains(t, pkgs, "errclass")
	assert.Contains(t, pkgs, "internal/testkit/layers")
	for pkg, allowed := range may {
		for _, imp := range strings.Fields(allowed) {
			_, ok := may[imp]
			assert.True(t, ok, "the line of %s names %s, which has none", pkg, imp)
		}
	}
}
