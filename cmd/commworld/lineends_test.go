package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/plain"
)

// TestLineEnds: scripts of Windows, with CR at each line's end, a byte order mark or in
// UTF-16, can be fixed, and the printed script runs.
func TestLineEnds(t *testing.T) {
	unix, err := os.ReadFile("../../examples/stale.mpio")
	require.NoError(t, err)
	for name, text := range windowsTexts(string(unix)) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.mpio")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			var out, errs strings.Builder
			require.Equal(t, 0, run(context.Background(), []string{"run", "--fix", file}, &out, &errs), errs.String())
			assert.NotContains(t, out.String(), "?\n")
			assert.Equal(t, strings.Count(out.String(), "\n"), strings.Count(out.String(), "\r\n"), "each line ends as in the script")
			require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o600))
			assert.Equal(t, 0, run(context.Background(), []string{"run", "--explore", file}, &out, &errs), errs.String())
		})
	}
}

// windowsTexts returns a text as programs of Windows write it, by the way.
func windowsTexts(unix string) map[string]string {
	crlf := strings.ReplaceAll(unix, "\n", "\r\n")
	wide := "\xff\xfe"
	for _, u := range utf16.Encode([]rune(crlf)) {
		wide += string([]byte{byte(u), byte(u >> 8)})
	}
	return map[string]string{"CRLF": crlf, "mark": "\xef\xbb\xbf" + crlf, "UTF-16": wide}
}

// TestLineEndsOfData: traces and claims that Windows wrote are read, too.
func TestLineEndsOfData(t *testing.T) {
	trace, err := os.ReadFile("../../examples/header.dxt.txt")
	require.NoError(t, err)
	for what, data := range map[string]struct {
		text string
		args []string
	}{
		"trace":        {string(trace), []string{"replay"}},
		"trace's cost": {string(trace), []string{"cost"}},
		"claims":       {"view-overlap/bad\trace\n", []string{"suite", "score"}},
	} {
		var first string
		for name, text := range windowsTexts(data.text) {
			t.Run(what+" "+name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "x.txt")
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
				var out, errs strings.Builder
				assert.Equal(t, 0, run(context.Background(), append(data.args, file), &out, &errs), errs.String())
				if first == "" {
					first = out.String()
				}
				assert.NotEmpty(t, first)
				assert.Equal(t, first, out.String())
			})
		}
	}
}

// full is a disk without space.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestFullOutput: a command whose output is lost does not end with 0.
func TestFullOutput(t *testing.T) {
	for _, args := range [][]string{
		{"course", "list"},
		{"course", "show", "17"},
		{"pattern", "list"},
		{"explain", "CONS-C2"},
		{"litmus", "--show", "lit-04"},
		{"suite", "list"},
		{"run", "../../teach/lab/lessons/05-message.mpio"},
		{"view", "--ranks", "2", "--etype", "char", "--filetype", "char", "--bytes", "4"},
		{"--help"},
	} {
		var errs strings.Builder
		assert.Equal(t, exitUsage, run(context.Background(), args, full{}, &errs), "%v", args)
		assert.Contains(t, errs.String(), "no space left", "%v", args)
	}
}

// TestUseful: no share is above 100 percent.
func TestUseful(t *testing.T) {
	assert.Equal(t, "50.0%", plain.Useful(0.5, "%"))
	assert.Equal(t, "100.0%", plain.Useful(1, "%"))
	assert.Equal(t, "9.49 ranks", plain.Useful(9.486, "%"))
	for _, args := range [][]string{{"cost", "--sweep", "cb_nodes=1,2"}, {"run", "--report"}} {
		file := filepath.Join(t.TempDir(), "x.mpio")
		require.NoError(t, os.WriteFile(file, []byte("ranks 8\nfile m = 00*65536\nall:\n  open f m rdonly romio_cb_read=enable\n  read_at_all f 0 byte*65536 -> x\n  close f\n"), 0o600))
		var out, errs strings.Builder
		assert.Equal(t, 0, run(context.Background(), append(args, file), &out, &errs), errs.String())
		assert.Contains(t, out.String(), "8 ranks")
		assert.NotContains(t, out.String(), "800.0")
	}
}
