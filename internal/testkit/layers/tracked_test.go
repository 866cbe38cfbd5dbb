package layers

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// largest is the size in bytes that a tracked file may have.
const largest = 512 << 10

// magic has the first bytes of programs and libraries, by the name of their format.
var magic = map[string][]string{
	"ELF":    {"\x7fELF"},
	"Mach-O": {"\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"},
	"PE":     {"MZ"},
	"ar":     {"!<arch>\n"},
	"wasm":   {"\x00asm"},
}

// refused returns why a file may not be tracked, empty if it may.
func refused(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Size() > largest {
		return fmt.Sprintf("%d bytes, more than %d", info.Size(), largest), nil
	}
	head := make([]byte, 8)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", err
	}
	for format, starts := range magic {
		for _, start := range starts {
			if bytes.HasPrefix(head[:n], []byte(start)) {
				return "a program in the format " + format, nil
			}
		}
	}
	return "", nil
}

// TestTracked: each user of the module downloads what is tracked, for ever. A program was
// tracked by accident, and was two fifths of the download.
func TestTracked(t *testing.T) {
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skip("no work tree of git here:", err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	require.Greater(t, len(names), 500)
	for _, name := range names {
		why, err := refused(filepath.Join("../../..", name))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		require.NoError(t, err)
		assert.Empty(t, why, "%s: git rm --cached it", name)
	}
}

// Each format, and a file that is too large, is refused.
func TestRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	for format, starts := range magic {
		for _, start := range starts {
			require.NoError(t, os.WriteFile(name, []byte(start+"rest"), 0o600))
			why, err := refused(name)
			require.NoError(t, err)
			assert.Contains(t, why, format)
		}
	}
	require.NoError(t, os.WriteFile(name, make([]byte, largest+1), 0o600))
	why, err := refused(name)
	require.NoError(t, err)
	assert.Contains(t, why, "524289 bytes")
	for _, text := range []string{"", "package x", "M"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		why, err = refused(name)
		require.NoError(t, err)
		assert.Empty(t, why)
	}
}

// TestLineEnds: a clone on Windows has the bytes that tests compare.
func TestLineEnds(t *testing.T) {
	cmd := exec.Command("git", "check-attr", "eol", "--", "README.md", "examples/stale.mpio", "teach/lab/testdata/01-stale.svg", "cmd/commworld/internal/explain/names.txt")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skip("no work tree of git here:", err)
	}
	for line := range strings.Lines(string(out)) {
		assert.Contains(t, line, "eol: lf")
	}
}
