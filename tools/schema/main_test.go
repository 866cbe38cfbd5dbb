package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // has the schema of SARIF
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// If a struct changed without its schema, programs would check against the wrong one.
func TestSchemasAreUpToDate(t *testing.T) {
	files, err := schemas()
	require.NoError(t, err)
	require.Len(t, files, 4)
	for name, text := range files {
		kept, err := os.ReadFile(filepath.Join(root, "docs/schema", name))
		require.NoError(t, err)
		assert.Equal(t, string(text), string(kept), "%s: go -C tools run ./schema ../docs/schema", name)
	}
}

// compiled returns a schema, which text has.
func compiled(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

// ofSARIF returns the schema of SARIF 2.1.0 from the source of a library that validates with it.
func ofSARIF(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	require.NoError(t, err)
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	require.NoError(t, err)
	text := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && len(l.Value) > len(text) {
			text = l.Value
		}
		return true
	})
	text, err = strconv.Unquote(text)
	require.NoError(t, err)
	return compiled(t, text)
}

// binary builds the command.
func binary(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "commworld")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", name, "./cmd/commworld")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return name
}

// Whatever the commands print follows its schema, says ok only with exit status 0, and names files
// that are there, relative to the working directory.
func TestOutputsFollowTheirSchemas(t *testing.T) {
	prog := binary(t)
	read := func(name string) *jsonschema.Schema {
		text, err := os.ReadFile(filepath.Join(root, "docs/schema", name+".v1.json"))
		require.NoError(t, err)
		return compiled(t, string(text))
	}
	byCommand := map[string]*jsonschema.Schema{"check": read("check"), "run": read("run"), "course": read("mark")}
	common, sarif := read("findings"), ofSARIF(t)
	bad := filepath.Join(t.TempDir(), "bad.mpio")
	require.NoError(t, os.WriteFile(bad, []byte("ranks 2\nnonsense\n"), 0o600))
	lines := []string{
		"check examples/stale.mpio", "check --ranks 1,2,3 examples/stale.mpio", "check ./examples/deadlock", "check ./examples/quickstart",
		"check nothing.mpio", "check ./internal/brief", "check ./no/such", "check " + bad,
		"run examples/stale.mpio", "run --explore examples/stale.mpio", "run --report examples/stale.mpio", "run nothing.mpio", "run " + bad,
		"course mark 17 teach/course/17-missing-sync/solution/17.mpio", "course mark 17 teach/course/17-missing-sync/skeleton/17.mpio",
		"course mark 17 teach/course/17-missing-sync/skeleton", "course mark 17 nothing",
	}
	scripts, err := filepath.Glob(filepath.Join(root, "consistency/testdata/twins/*-racy.mpio"))
	require.NoError(t, err)
	for i, name := range scripts {
		if i%8 == 0 {
			rel, err := filepath.Rel(root, name)
			require.NoError(t, err)
			lines = append(lines, "run "+filepath.ToSlash(rel), "check "+filepath.ToSlash(rel))
		}
	}
	found := 0
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			run := func(format string) (out []byte, code int) {
				cmd := exec.Command(prog, append(strings.Fields(line), "--format="+format)...)
				if words := strings.Fields(line); words[0] == "check" { // what follows its target is the program's
					cmd = exec.Command(prog, append([]string{"check", "--format=" + format}, words[1:]...)...)
				}
				cmd.Dir = root
				out, _ = cmd.Output()
				return out, cmd.ProcessState.ExitCode()
			}
			out, code := run("json")
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
			require.NoError(t, err, string(out))
			require.NoError(t, byCommand[strings.Fields(line)[0]].Validate(doc), string(out))
			require.NoError(t, common.Validate(doc), string(out))
			var r struct {
				OK       bool
				Exit     int
				Error    string
				Findings []struct{ Places []struct{ File string } }
			}
			require.NoError(t, json.Unmarshal(out, &r))
			assert.Equal(t, code, r.Exit)
			assert.Equal(t, code == 0, r.OK)
			assert.Equal(t, code != 0, len(r.Findings) > 0 || r.Error != "", "a reason: %s", out)
			for _, f := range r.Findings {
				for _, p := range f.Places {
					if p.File == "" {
						continue
					}
					found++
					assert.False(t, filepath.IsAbs(p.File), p.File)
					assert.FileExists(t, filepath.Join(root, p.File))
				}
			}
			out, again := run("sarif")
			assert.Equal(t, code, again)
			doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(out))
			require.NoError(t, err, string(out))
			require.NoError(t, sarif.Validate(doc), string(out))
		})
	}
	assert.Greater(t, found, 10, "files were looked at")
}

// The schemas refuse what no command prints.
func TestSchemasRefuse(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/schema/findings.v1.json"))
	require.NoError(t, err)
	s := compiled(t, string(text))
	const good = `{"version":1,"command":"check","target":".","ok":true,"exit":0,"findings":[]}`
	for _, row := range []struct {
		text string
		ok   bool
	}{
		{good, true},
		{strings.Replace(good, `"ok":true,`, "", 1), false},
		{strings.Replace(good, `"exit":0`, `"exit":"0"`, 1), false},
		{strings.Replace(good, `[]`, `[{"kind":"race"}]`, 1), false},
		{strings.Replace(good, `[]`, `null`, 1), false},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(row.text))
		require.NoError(t, err)
		assert.Equal(t, row.ok, s.Validate(doc) == nil, row.text)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"version":"2.1.0","runs":[{"results":[]}]}`))
	require.NoError(t, err)
	assert.Error(t, ofSARIF(t).Validate(doc), "a run without a tool")
}
