package main

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// TestInstalled: a command that was installed by its version works without a clone. The
// exercises that it writes build on other machines, and the page of the lab is built.
func TestInstalled(t *testing.T) {
	thorough.Only(t)
	if testing.Short() {
		t.Skip("builds the command")
	}
	const module, version = "github.com/commworld/commworld", "v0.1.0"
	proxy := t.TempDir()
	publish(t, filepath.Join(proxy, module, "@v"), module+"@"+version, version)
	known, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	cache, bin, away := t.TempDir(), t.TempDir(), t.TempDir()
	env := append(os.Environ(), "GOPROXY=file://"+proxy+",file://"+strings.TrimSpace(string(known))+"/cache/download",
		"GOSUMDB=off", "GONOSUMDB=*", "GOFLAGS=-modcacherw", "GOMODCACHE="+cache, "GOBIN="+bin, "GOWORK=off")
	call := func(dir string, args ...string) string {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		return string(out)
	}
	call(away, "go", "install", module+"/cmd/commworld@"+version)
	command := filepath.Join(bin, "commworld")

	call(away, command, "course", "start", "17", "lesson")
	mod, err := os.ReadFile(filepath.Join(away, "lesson", "go.mod"))
	require.NoError(t, err)
	assert.Contains(t, string(mod), module+" "+version)
	assert.NotContains(t, string(mod), "replace")
	assert.NotContains(t, string(mod), "staticcheck")
	call(filepath.Join(away, "lesson"), "go", "vet", ".")

	call(away, command, "lab", "--static", "page")
	assert.FileExists(t, filepath.Join(away, "page", "lab.wasm"))
}

// publish writes the files of a module proxy for this module.
func publish(t *testing.T, dir, prefix, version string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	for name, text := range map[string]string{"list": version + "\n", version + ".mod": string(mod), version + ".info": `{"Version":"` + version + `"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	out, err := os.Create(filepath.Join(dir, version+".zip"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, out.Close()) }()
	z := zip.NewWriter(out)
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = "../.."
	names, err := list.Output()
	require.NoError(t, err)
	var others []string // folders that are modules of their own
	for name := range strings.SplitSeq(string(names), "\x00") {
		if dir, found := strings.CutSuffix(name, "/go.mod"); found {
			others = append(others, dir+"/")
		}
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // removed and not yet committed
		}
		require.NoError(t, err)
		inside := false
		for _, dir := range others {
			inside = inside || strings.HasPrefix(name, dir)
		}
		if inside {
			continue
		}
		w, err := z.Create(prefix + "/" + name)
		require.NoError(t, err)
		_, err = w.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
}
