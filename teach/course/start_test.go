package course

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// If a folder of the module cache counted as a clone, an exercise would build on the machine
// of its author alone.
func TestReleased(t *testing.T) {
	for dir, want := range map[string]string{
		"/home/s/go/pkg/mod/github.com/commworld/commworld@v0.1.0":             "v0.1.0",
		"/m/github.com/commworld/commworld@v0.0.0-20261127111111-0123456789ab": "v0.0.0-20261127111111-0123456789ab",
		"/home/s/commworld":  "",
		"/home/s/other@work": "",
		"":                   "",
	} {
		assert.Equal(t, want, released(dir), dir)
	}
}

// If this fails, the printed command of an exercise is split at a blank, or expanded.
func TestShellWord(t *testing.T) {
	for name, want := range map[string]string{
		"/home/ada/commworld": "/home/ada/commworld", "/a b/c": "'/a b/c'", "/it's": `'/it'\''s'`, "/$HOME": "'/$HOME'", "~x": "'~x'",
	} {
		assert.Equal(t, want, shellWord(name))
	}
}
