package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
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
