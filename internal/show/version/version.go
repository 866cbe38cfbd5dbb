// Package version names the version of a command, for reports of mistakes.
//
// Start here: [Of] returns the line that --version prints.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Of returns the version of a command that go build has recorded, its commit, and Go's version.
func Of(command string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return text(command, info)
}

func text(command string, info *debug.BuildInfo) string {
	version, commit := info.Main.Version, "unknown commit"
	if version == "" || version == "(devel)" {
		version = "development version"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if c := settings["vcs.revision"]; c != "" {
		commit = "commit " + c[:min(len(c), 12)]
		if settings["vcs.modified"] == "true" {
			commit += " with changes"
		}
	}
	return fmt.Sprintf("%s %s (%s, %s, %s/%s)", command, version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
