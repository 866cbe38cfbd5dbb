package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
)

// A release from a tag has archives whose command knows its version, with completions and manual
// page, checksums that hold, and a list of what is linked.
func TestRelease(t *testing.T) {
	thorough.Only(t) // it builds the command three times
	clone := filepath.Join(t.TempDir(), "clone")
	git := func(dir string, args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@localhost"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
	}
	git(".", "clone", "-q", "--shared", "../..", clone)
	git(clone, "tag", "v0.1.0")
	out := filepath.Join(t.TempDir(), "dist")
	here := runtime.GOOS + "/" + runtime.GOARCH
	require.NoError(t, release(clone, "v0.1.0", out, []string{here, "windows/amd64"}))

	base := "commworld_0.1.0_" + runtime.GOOS + "_" + runtime.GOARCH
	dir := t.TempDir()
	if runtime.GOOS != "windows" {
		unpack(t, filepath.Join(out, base+".tar.gz"), dir)
		version, err := exec.Command(filepath.Join(dir, base, "commworld"), "--version").Output()
		require.NoError(t, err)
		assert.Regexp(t, `^commworld v0\.1\.0 \(commit [0-9a-f]{12}, go`, string(version))
		for _, name := range []string{"man/commworld.1", "completions/commworld.bash", "completions/_commworld", "completions/commworld.fish", "README.md", "CHANGELOG.md"} {
			assert.FileExists(t, filepath.Join(dir, base, name))
		}
	}
	z, err := zip.OpenReader(filepath.Join(out, "commworld_0.1.0_windows_amd64.zip"))
	require.NoError(t, err)
	defer z.Close()
	assert.Equal(t, "commworld_0.1.0_windows_amd64/commworld.exe", z.File[0].Name)

	var doc struct {
		SPDXVersion string
		Packages    []struct{ Name, VersionInfo string }
	}
	text, err := os.ReadFile(filepath.Join(out, base+".spdx.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &doc))
	assert.Equal(t, "SPDX-2.3", doc.SPDXVersion)
	assert.Contains(t, string(text), "github.com/alecthomas/kong")
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	require.NoError(t, err)
	assert.Equal(t, 5, strings.Count(string(sums), "\n"), "two archives, two lists, notes")
	if _, err := exec.LookPath("sha256sum"); err == nil {
		check := exec.Command("sha256sum", "-c", "--quiet", "SHA256SUMS")
		check.Dir = out
		said, err := check.CombinedOutput()
		require.NoError(t, err, string(said))
	}
	assert.ErrorContains(t, release(clone, "v9.9.9", filepath.Join(dir, "no"), nil), "no tag v9.9.9")
	assert.ErrorContains(t, release(clone, "v0.1.0", out, nil), "-o: ")
}

func unpack(t *testing.T, name, dir string) {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		to := filepath.Join(dir, filepath.FromSlash(head.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
		require.NoError(t, os.WriteFile(to, text, os.FileMode(head.Mode)))
	}
}

// The notes are the section of the version, on one page.
func TestNotes(t *testing.T) {
	const text = "# Changelog\n\n## 0.2.0\n\nNew.\n\n## 0.1.0 (not tagged yet)\n\nFirst.\n\n### Changes on the main branch before this release\n\n- more\n"
	got, err := notes(text, "v0.1.0")
	require.NoError(t, err)
	assert.Equal(t, "# commworld 0.1.0\n\nFirst.\n", got)
	_, err = notes(text, "v0.3.0")
	assert.EqualError(t, err, `CHANGELOG.md has no section "## 0.3.0"`)
}
