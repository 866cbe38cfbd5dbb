package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// Errors of scripts speak of statements and types of scripts, not of Go.
func TestFailureText(t *testing.T) {
	for text, want := range map[string]string{
		"ranks 1\nall:\n  open h f rdwr|create\n  view h 0 float float native\n  write_at h 0 int 1\n  close h": "write_at of f: invalid datatype: you write int through a view whose etype is float; write float, or give the view the etype int",
		"ranks 1\nall:\n  open h f rdwr|create\n  view h 0 contiguous(2,int) contiguous(2,int) native\n  write_at h 0 int 1\n  close h": "write_at of f: invalid datatype: you write int through a view whose etype is contiguous(2, int): " +
			"the datatype has to be a whole number of etypes, however many copies of it there are, and one int is less than one; give the data the type of the etype",
	} {
		s, err := script.Parse(text)
		require.NoError(t, err)
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err)
		require.Len(t, rep.Failures, 1)
		assert.Equal(t, want, rep.Failures[0].Text())
		assert.Equal(t, "IO-TM-03", rep.Failures[0].Rule())
	}
	assert.Equal(t, "rank 0 in close (x), rank 1 in write_at_all; iwrite_at, set_size, view, ssend", script.InWords("rank 0 in Close (x), rank 1 in WriteAtAll; IWriteAt, SetSize, SetView, SSend"))
}
