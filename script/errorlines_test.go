package script_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/script"
)

// Errors name lines of the script: lines of the runner, which is in Go, would mean nothing
// to the script's reader.
func TestErrorsOfScriptsNameNoGoLine(t *testing.T) {
	s, err := script.Parse(`ranks 2
all:
  open none nothing rdonly
  open h f rdwr|create
  view h 0 double int native
  iwrite_at h -1 int 5 as r
  wait r
0:
  recv 1 3 int -> x
1:
  send 0 3 int 1 2
all:
  close h
`)
	require.NoError(t, err)
	rep, err := script.Run(t.Context(), s, script.Options{})
	require.NoError(t, err)
	explored, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	for _, r := range []*script.Report{rep, explored} {
		require.NotEmpty(t, r.Failures)
		for _, f := range r.Failures {
			assert.NotContains(t, f.Err.Error(), ".go:")
			assert.NotContains(t, f.Err.Error(), ": at ")
			var e *errclass.Error
			if errors.As(f.Err, &e) {
				assert.True(t, e.Place.IsZero(), "%v", f.Err)
			}
		}
	}
}
