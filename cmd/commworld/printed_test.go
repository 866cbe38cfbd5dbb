package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
)

// If printed text changed unnoticed, it could become wrong or ugly. Each folder
// of testdata is about one command. REWRITE=1 in the environment accepts the present
// output as right.
func TestPrintedOutput(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 "testdata/" + f.Name(),
				UpdateScripts:       os.Getenv("REWRITE") != "",
				RequireExplicitExec: true,
			})
		})
	}
}

// If this fails, an answer that a full disk cut short passes for the whole.
func TestWriteErrors(t *testing.T) {
	lit, err := fs.ReadFile(consistency.Litmus(), "lit-04.mpio")
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "lit-04.mpio")
	require.NoError(t, os.WriteFile(name, lit, 0o666))
	for _, args := range []string{
		"verify --ranks 1 FILE", "verify --ranks 1 --json FILE", "type int", "type --json int",
		"view --ranks 1 --etype int", "view --ranks 1 --etype int --json", "view --ranks 1 --etype int --svg -",
		"convert FILE - --type char --from native --to external32", "dump FILE --type char", "dump --who FILE",
		"run FILE", "run --json FILE", "run --svg - FILE", "litmus lit-04", "litmus --json lit-04", "litmus --show lit-04",
	} {
		t.Run(args, func(t *testing.T) {
			var said strings.Builder
			code := run(t.Context(), strings.Fields(strings.ReplaceAll(args, "FILE", name)), fullDisk{}, &said)
			assert.Equal(t, exitUsage, code)
			assert.Contains(t, said.String(), "commworld: no room")
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no room") }

// The first commands that people try get an answer that lists the available ones.
func TestHelp(t *testing.T) {
	for args, want := range map[string]int{"": exitUsage, "help": 0, "--help": 0, "help view": 0, "help nosuch": exitUsage} {
		var out, errs strings.Builder
		assert.Equal(t, want, run(t.Context(), strings.Fields(args), &out, &errs), args)
		switch all := out.String() + errs.String(); args {
		case "help nosuch":
			assert.Contains(t, all, "unexpected argument nosuch")
		case "": // the five that people start with
			assert.Contains(t, all, "commworld run FILE.mpio")
			assert.Contains(t, all, "commworld --help lists all commands")
		case "help view":
			assert.Contains(t, all, "Usage: commworld view")
		default:
			assert.Contains(t, all, "litmus ")
		}
	}
}

// Printed command lines also work in cmd.exe and PowerShell: they use double quotes, and no
// backslash continues a line.
func TestShownCommandLines(t *testing.T) {
	shown := 0
	look := func(where, text string) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			at := strings.Index(line, "commworld ")
			if at < 0 || strings.TrimLeft(line[:at], "$ gorun./cmd\t") != "" {
				continue // no command line
			}
			shown++
			assert.NotContains(t, line, "'", where)
			assert.False(t, strings.HasSuffix(line, "\\"), "%s: %s", where, line)
		}
	}
	for _, command := range []string{"verify", "type", "view", "convert", "dump", "run", "litmus"} {
		var out strings.Builder
		require.Zero(t, run(t.Context(), []string{command, "--help"}, &out, &out))
		look(command+" --help", out.String())
	}
	for _, name := range []string{"doc.go", "../../README.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		look(name, strings.ReplaceAll(string(text), "//\t", ""))
	}
	assert.Greater(t, shown, 30)
}
