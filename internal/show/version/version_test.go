package version

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

// If the line lacked the commit or its changes, a report of a mistake would not say what was used.
func TestText(t *testing.T) {
	system := ", " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}
	for want, info := range map[string]*debug.BuildInfo{
		"x v0.1.0 (unknown commit":                                {Main: debug.Module{Version: "v0.1.0"}},
		"x v0.1.0 (commit 0123456789ab":                           {Main: debug.Module{Version: "v0.1.0"}, Settings: commit},
		"x development version (unknown commit":                   {},
		"x development version (commit 0123456789ab with changes": {Main: debug.Module{Version: "(devel)"}, Settings: append(commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"})},
	} {
		assert.Equal(t, want+system, text("x", info))
	}
	assert.Contains(t, Of("commworld"), "commworld development version (")
}
