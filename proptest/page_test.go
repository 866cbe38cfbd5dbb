package proptest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPage: if it fails, TESTING.md shows another adapter than the one that is
// compiled and tested here.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("TESTING.md")
	require.NoError(t, err)
	code, err := os.ReadFile("adapter_test.go")
	require.NoError(t, err)
	want := strings.Replace(string(code), "package proptest_test", "package mylayer_test", 1)
	assert.Contains(t, string(page), "```go\n"+want+"```\n")
}
