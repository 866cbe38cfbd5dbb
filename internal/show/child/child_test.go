package child

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tail of the output is bounded, and has no control characters.
func TestTail(t *testing.T) {
	shown := &strings.Builder{}
	tl := &tail{keep: 8 << 10, shown: shown, left: 10}
	for range 100 {
		n, err := tl.Write(bytes.Repeat([]byte("a\x1b\n"), 1000))
		require.NoError(t, err)
		require.Equal(t, 3000, n)
	}
	assert.Len(t, tl.String(), 8<<10+3)
	assert.NotContains(t, tl.String(), "\x1b")
	assert.True(t, strings.HasPrefix(shown.String(), "a\x1b\na\x1b\na\x1b\na\ncommworld: the program prints more"), shown.String())
}
