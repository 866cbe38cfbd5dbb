//go:build !js

package callsite

import (
	"runtime/debug"
	"strings"
	"sync"
)

// inCommand reports whether this program is a command of this module.
var inCommand = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && strings.HasPrefix(info.Path, Module+"cmd/")
})
