package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/brief"
)

// nasty is text that a stranger may put into an argument, a script or a file.
const nasty = "\x1b[2J\x1b]0;title\a\r\x7f\u009b31m\u202egnp\u2066\ufeff\u2028\xff\xc3"

// assertClean asserts that a terminal shows text and obeys none of it.
func assertClean(t *testing.T, name, text string) {
	t.Helper()
	assert.True(t, utf8.ValidString(text), name)
	assert.Equal(t, brief.Show(text), text, name)
}

// If this fails, a script or a name that a stranger sent takes over the terminal.
func TestNoControlCharacters(t *testing.T) {
	dir := t.TempDir()
	path := func(name, text string) string {
		name = filepath.Join(dir, strings.ReplaceAll(name, "\x00", ""))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	script := path("a"+nasty+".mpio", "ranks 1\n# "+nasty+"\n0:\n open h f rdwr|create\n write_at h 0 char \""+nasty+"\"\n close h\n")
	broken := path("b.mpio", "ranks 1\n0:\n open h "+nasty+" rdwr|create\n")
	unknown := path("c.mpio", nasty)
	data := path("d"+nasty, nasty+strings.Repeat("\x01", 40))
	who := path("e.who", nasty)
	json := path("f.who", `{"file":"\u001b[31m\u202e","bytes":[{"rank":0,"op":"\u001b[2J","place":"\u009b1m"}]}`)
	for _, args := range [][]string{
		{nasty},
		{"--" + nasty},
		{"help", nasty},
		{"type", "int" + nasty},
		{"type", nasty},
		{"type", "--as", nasty, "int"},
		{"type", "--json", "int" + nasty},
		{"type", "vector(" + nasty + ",1,1,int)"},
		{"view", "--etype", "int" + nasty},
		{"view", "--filetype", nasty},
		{"view", "--disp", nasty},
		{"view", "--rep", nasty},
		{"view", "--ranks", nasty},
		{"convert", data, filepath.Join(dir, nasty, "out"), "--type", "int" + nasty},
		{"convert", nasty, nasty},
		{"convert", data, filepath.Join(dir, "o"), "--from", nasty},
		{"dump", data},
		{"dump", data, "--type", nasty},
		{"dump", data, "--type", "char"},
		{"dump", filepath.Join(dir, nasty)},
		{"dump", data, "--who", who},
		{"dump", data, "--who", json},
		{"dump", who},
		{"run", script},
		{"run", "--json", script},
		{"run", "--explore", script},
		{"run", "--fix", script},
		{"run", broken},
		{"run", unknown},
		{"run", dir + nasty},
		{"run", "--replay", nasty, script},
		{"run", "--model", nasty, script},
		{"check", broken},
		{"check", nasty},
		{"check", script, "--ranks", nasty},
		{"litmus", nasty},
		{"verify", dir + nasty},
		{"verify", data, "--type", nasty, "--ranks", "1"},
	} {
		var out, errs bytes.Buffer
		_ = run(t.Context(), args, &out, &errs)
		name := strings.Join(args, " ")
		assert.NotEmpty(t, out.String()+errs.String(), "%q", name)
		assertClean(t, "output of "+name, out.String())
		assertClean(t, "errors of "+name, errs.String())
	}
}

// If this fails, text is lost or torn where one write ends and the next begins.
func TestCleanWriter(t *testing.T) {
	const text = "a\x1b[1;31mred\x1b[0m \x1b[7;1m#\x1b[38;5;16;48;5;45m0\x1b[0m é 世界\t\x1b[2J\xff\x1b[5m\n\x1b[3"
	for _, c := range []struct {
		colours bool
		want    string
	}{
		{false, "a?[1;31mred?[0m ?[7;1m#?[38;5;16;48;5;45m0?[0m é 世界\t?[2J??[5m\n?[3"},
		{true, "a\x1b[1;31mred\x1b[0m \x1b[7;1m#\x1b[38;5;16;48;5;45m0\x1b[0m é 世界\t?[2J??[5m\n?[3"},
	} {
		for size := 1; size <= len(text); size++ {
			var got bytes.Buffer
			w := &cleanWriter{w: &got, colours: c.colours}
			for at := 0; at < len(text); at += size {
				n, err := w.Write([]byte(text[at:min(at+size, len(text))]))
				require.NoError(t, err)
				require.Equal(t, min(size, len(text)-at), n)
			}
			w.end()
			require.Equal(t, c.want, got.String(), "writes of %d bytes", size)
		}
	}
}

// If an error repeated a name of a hundred thousand letters, its reader would not find the rest.
func TestLongNames(t *testing.T) {
	for _, args := range [][]string{{"verify"}, {"run"}, {"explain"}, {"replay"}, {"course", "show"}, {"view", "--ranks"}, {}} {
		var out, errs strings.Builder
		assert.Equal(t, exitUsage, run(context.Background(), append(args, strings.Repeat("ä", 100_000)), &out, &errs))
		assert.Less(t, errs.Len(), 20_000, args)
		assert.True(t, utf8.ValidString(errs.String()))
	}
}
