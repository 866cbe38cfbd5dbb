package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// Decode reads what editors and shells of Windows write.
func TestDecode(t *testing.T) {
	for name, file := range map[string]string{
		"UTF-8":                 "a\u00e9",
		"UTF-8 with a mark":     "\xef\xbb\xbfa\u00e9",
		"UTF-16, little-endian": "\xff\xfea\x00\xe9\x00",
		"UTF-16, big-endian":    "\xfe\xff\x00a\x00\xe9",
	} {
		text, err := script.Decode([]byte(file))
		require.NoError(t, err, name)
		assert.Equal(t, "a\u00e9", text, name)
	}
	_, err := script.Decode([]byte("\xff\xfea"))
	assert.ErrorContains(t, err, "save it as UTF-8")
	text, err := script.Decode(nil)
	require.NoError(t, err)
	assert.Empty(t, text)
}
