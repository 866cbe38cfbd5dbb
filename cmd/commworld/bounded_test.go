package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// If explaining what a run has found could take as long as it likes, --timeout would promise
// what it does not keep.
func TestBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			takes, ends time.Duration
			text        string
		}{
			{9 * time.Second, 9 * time.Second, ""},
			{12 * time.Second, 12 * time.Second, ""},
			{time.Hour, 12500 * time.Millisecond, "give fewer ranks or statements, or a longer --timeout"},
		} {
			var out, errs strings.Builder
			began, written := time.Now(), make(chan bool)
			code, err := printed(10*time.Second, &out, &errs, func(out, errs io.Writer) (int, error) {
				defer close(written)
				fmt.Fprint(out, "before")
				time.Sleep(c.takes)
				fmt.Fprint(errs, "after")
				return 3, nil
			})
			assert.Equal(t, c.ends, time.Since(began))
			if c.text != "" {
				require.ErrorContains(t, err, c.text)
				assert.Empty(t, out.String()+errs.String())
				<-written
				assert.Empty(t, out.String()+errs.String(), "work that was given up prints nothing")
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, 3, code)
			assert.Equal(t, "before after", out.String()+" "+errs.String())
		}
	})
}

// If --fix that has run out of time names no limit, a user does not know what to change.
func TestFixTimeout(t *testing.T) {
	s, err := readScript(t.Context(), "../../examples/stale.mpio", io.Discard)
	require.NoError(t, err)
	_, err = (&runCommand{Timeout: 4}).fix(t.Context(), s, script.Options{}, io.Discard, io.Discard)
	require.ErrorContains(t, err, "longer than 1ns, a quarter of --timeout; give a longer one")
}
