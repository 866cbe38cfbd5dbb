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
)

// TestLineEnds: scripts of Windows, with CR at each line's end, a byte order mark or in
// UTF-16, can be fixed, and the printed script runs.
func TestLineEnds(t *testing.T) {
	unix, err := os.ReadFile("../../examples/stale.mpio")
	require.NoError(t, err)
	crlf := strings.ReplaceAll(string(unix), "\n", "\r\n")
	wide := "\xff\xfe"
	for _, u := range utf16.Encode([]rune(crlf)) {
		wide += string([]byte{byte(u), byte(u >> 8)})
	}
	for name, text := range map[string]string{"CRLF": crlf, "mark": "\xef\xbb\xbf" + crlf, "UTF-16": wide} {
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

// TestUsefulText: no share is above 100 percent.
func TestUsefulText(t *testing.T) {
	assert.Equal(t, "50.0%", usefulText(0.5))
	assert.Equal(t, "100.0%", usefulText(1))
	assert.Equal(t, "9.49 ranks", usefulText(9.486))
}
