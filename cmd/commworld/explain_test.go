package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/cmd/commworld/internal/explain"
)

// If explain ended with 0 for a name that nothing has, scripts would not notice.
func TestExplain(t *testing.T) {
	for name, want := range map[string]struct {
		code int
		text string
	}{
		"io-view-05":    {0, "view-that-jumps-back"},
		"MPI_File_sync": {0, "func (f *File) Sync() error"},
		"MPI_File_sink": {exitUsage, "MPI_File_sync, "},
	} {
		var out, errs bytes.Buffer
		assert.Equal(t, want.code, run(t.Context(), []string{"explain", name}, &out, &errs))
		assert.Contains(t, out.String()+errs.String(), want.text)
	}
}

// If this fails, a command that an answer gives to the reader does not run.
func TestExplainedCommands(t *testing.T) {
	t.Chdir("../..")
	for _, name := range []string{
		"MPI_BYTE", "MPI_PACKED", "MPI_LB", "MPI_UB", "MPI_INT", "MPI_DOUBLE", "native", "internal", "external32", "etype", "filetype", "portable",
	} {
		a, _ := explain.Find(name)
		require.NotNil(t, a, name)
		for _, f := range a.Facts {
			line, found := strings.CutPrefix(f.Is, "commworld ")
			if !found {
				continue
			}
			var out, errs bytes.Buffer
			assert.Zero(t, run(t.Context(), argumentsOf(line), &out, &errs), "%s: %s%s", line, &out, &errs)
		}
	}
}
