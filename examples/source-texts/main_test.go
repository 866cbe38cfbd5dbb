package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the statements print is compared with the page by a test of cmd/commworld. If this
// fails, a program fails, or one shows a statement for which the page has another command.
func TestStatements(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(nil, &out))
	page, err := os.ReadFile("../../docs/source-texts.md")
	require.NoError(t, err)
	for _, s := range statements {
		assert.Contains(t, out.String(), s.number+": "+s.says+"\n")
		assert.Contains(t, string(page), "`go run ./examples/source-texts "+s.number+"`")
	}
	assert.EqualError(t, run([]string{"000-1"}, &out), `no program for statement "000-1"; see docs/source-texts.md`)
}
