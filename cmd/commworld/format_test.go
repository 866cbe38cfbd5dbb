package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Commands that print data for machines, an example of each. A command that is in neither list
// fails the test.
var (
	jsonLines = map[string]string{
		"verify": "FILE --type byte --ranks 1,2", "type": "int", "view": "--ranks 2 --etype int --filetype int", "dump": "--type byte FILE",
		"run": "SCRIPT", "check": "SCRIPT", "export": "--c SCRIPT", "course list": "", "course show": "17", "course mark": "17 SCRIPT",
		"cost": "--pattern ior --ranks 2", "replay": "../../examples/header.dxt.txt", "plan": "--ranks 2 --etype int --filetype int",
		"pattern list": "", "pattern show": "ior", "explain": "IO-VIEW-05", "suite list": "", "suite show": "barrier-only/bad",
		"suite detect": "barrier-only", "suite score": "FILE", "suite libraries": "", "litmus": "lit-04",
	}
	noData = []string{"calibrate", "convert", "lab", "site", "course start", "suite export", "completion", "man"} // they write files, serve a page, or print a file
)

// If a command that prints data had no --json, or printed something else with it, a script would
// have to read text that is for people.
func TestJSONEverywhere(t *testing.T) {
	dir := t.TempDir()
	file, claims, text := filepath.Join(dir, "file"), filepath.Join(dir, "claims"), filepath.Join(dir, "a.mpio")
	require.NoError(t, os.WriteFile(file, []byte("abc"), 0o600))
	require.NoError(t, os.WriteFile(claims, []byte("barrier-only/clean\tnone\n"), 0o600))
	require.NoError(t, os.WriteFile(text, []byte("ranks 2\nall:\n  open h f rdwr|create\n  close h\n"), 0o600))
	for _, name := range commandNames(t) {
		t.Run(name, func(t *testing.T) {
			line, ok := jsonLines[name]
			if !ok {
				assert.Contains(t, noData, name, "it has no example")
				return
			}
			if name == "suite score" {
				line = strings.Replace(line, "FILE", claims, 1)
			}
			words := append(strings.Fields(name), "--json")
			for _, w := range strings.Fields(line) {
				words = append(words, map[string]string{"FILE": file, "SCRIPT": text}[w])
				if words[len(words)-1] == "" {
					words[len(words)-1] = w
				}
			}
			_, out, errs := cli(words...)
			require.NotEmpty(t, out, errs)
			for d := json.NewDecoder(strings.NewReader(out)); ; {
				var v any
				err := d.Decode(&v)
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err, "%.200s", out)
				assert.Contains(t, []byte("{["), strings.TrimSpace(out)[0], "objects, or a list of them")
			}
		})
	}
}

// commandNames returns the names of all commands.
func commandNames(t *testing.T) (names []string) {
	t.Helper()
	parser, err := kong.New(&commands{}, kong.NamedMapper("output", kong.MapperFunc(outputName)), kong.Vars{"version": ""})
	require.NoError(t, err)
	for _, leaf := range parser.Model.Leaves(true) {
		names = append(names, strings.TrimPrefix(leaf.Path(), "commworld "))
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	require.Greater(t, len(names), 20)
	return names
}

// If a format had another exit status, or said ok of a failure, a workflow would pass.
func TestFormatsOfCommands(t *testing.T) {
	dir := t.TempDir()
	racy, broken := filepath.Join(dir, "racy.mpio"), filepath.Join(dir, "broken.mpio")
	require.NoError(t, os.WriteFile(racy, []byte("ranks 2\nall:\n  open h f rdwr|create\n  write_at h 0 byte 1\n  close h\n"), 0o600))
	require.NoError(t, os.WriteFile(broken, []byte("ranks 2\nnothing\n"), 0o600))
	for _, row := range []struct {
		line string
		exit int
	}{
		{"check racy.mpio", 3},
		{"run racy.mpio", 3},
		{"run --explore racy.mpio", 3},
		{"check broken.mpio", 2},
		{"run broken.mpio", 2},
		{"check none.mpio", 2},
		{"check --ranks 0 racy.mpio", 2},
		{"run --model no racy.mpio", 2},
		{"course mark 17 racy.mpio", 1},
		{"course mark 17 none.mpio", 2},
	} {
		t.Run(row.line, func(t *testing.T) {
			t.Chdir(dir)
			words := strings.Fields(row.line)
			for _, format := range []string{"text", "json", "sarif", "junit", "github"} {
				code, out, errs := cli(append(words, "--format="+format)...)
				if words[0] == "check" { // what follows its target is the program's
					code, out, errs = cli(append([]string{"check", "--format=" + format}, words[1:]...)...)
				}
				assert.Equal(t, row.exit, code, "%s: %s", format, errs)
				assert.NotContains(t, out, dir, "%s: files are relative to the working directory", format)
				switch format {
				case "json":
					var all struct {
						OK       bool
						Exit     int
						Error    string
						Findings []json.RawMessage
					}
					require.NoError(t, json.Unmarshal([]byte(out), &all), out)
					assert.False(t, all.OK)
					assert.Equal(t, row.exit, all.Exit)
					assert.True(t, len(all.Findings) > 0 || all.Error != "", out)
				case "github":
					assert.True(t, strings.HasPrefix(out, "::error "), out)
				case "junit":
					assert.Regexp(t, `<(failure|error) message="`, out)
				}
			}
		})
	}
	code, _, errs := cli("run", "--json", "--format=sarif", racy)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "--json contradicts --format=sarif")
	code, _, errs = cli("run", "--fix", "--format=sarif", racy)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "--fix prints a script")
	code, out, _ := cli("--version")
	assert.Zero(t, code)
	assert.Regexp(t, `^commworld .*commit.*, go1\.`, out)
}
