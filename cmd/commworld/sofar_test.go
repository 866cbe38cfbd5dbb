package main

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An impatient is a context that ends when it was asked so many times whether it has.
type impatient struct {
	context.Context
	left int
}

func (c *impatient) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestSoFar: a command that is interrupted prints what it has found so far, and fails.
func TestSoFar(t *testing.T) {
	class := classOf(t)
	file := filepath.Join(t.TempDir(), "class.csv")
	cases := map[string]struct {
		args []string
		has  string // in what is printed, at some time
		not  string // in what is printed then
	}{
		"sweep":  {[]string{"cost", "--pattern", "ior", "--ranks", "4", "--sweep", "cb_nodes=11,22,44"}, "\n11 ", "\n44 "},
		"advice": {[]string{"cost", "--pattern", "ior", "--ranks", "64", "--advise"}, "Not all was tried.", "none takes"},
		"replay": {[]string{"replay", "../../examples/header.dxt.txt"}, "as it was", "aligned"},
		"mark":   {[]string{"course", "mark", "17", class, "--all", "--csv", file}, "1 submission: 1 right", "bob"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for n := 1; n < 1000; n++ {
				var out, errs bytes.Buffer
				code := run(&impatient{context.Background(), n}, tc.args, &out, &errs)
				require.Equal(t, exitUsage, code, "asked %d times, it was not interrupted: %s", n, out.String())
				assert.Contains(t, errs.String(), "commworld: ")
				if bytes.Contains(out.Bytes(), []byte(tc.has)) {
					assert.NotContains(t, out.String(), tc.not)
					return
				}
			}
			t.Error("it never printed a part")
		})
	}
	assert.NoFileExists(t, file, "a part of the class does not replace a file")
}
