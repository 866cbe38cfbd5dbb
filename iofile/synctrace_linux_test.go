package iofile_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tracedDir names the directory for the program that TestSyncTrace looks at.
const tracedDir = "COMMWORLD_TRACED_DIR"

// synced makes a file as programs do: rank 0 makes and closes it, then all ranks open it,
// write and sync.
func synced(dir string) error {
	fsys, err := iofile.NewDir(dir)
	if err != nil {
		return err
	}
	if err = fsys.Mkdir("made"); err != nil {
		return err
	}
	return world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		for _, name := range []string{"plain", "made/below"} {
			if c.Rank() == 0 {
				f, err := iofile.Open(c.Self(), fsys, name, create)
				if err != nil {
					return err
				}
				if err = f.Close(); err != nil {
					return err
				}
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			f, err := iofile.Open(c, fsys, name, iofile.ReadWrite)
			if err != nil {
				return err
			}
			if _, err = f.WriteAt(types.Of([]byte("abcd")), iofile.Offset(4*c.Rank())); err != nil {
				return err
			}
			if err = f.Sync(); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "SYNCED %s\n", name) // strace shows the write
			if err = f.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}

// If this fails, the store does not make the system calls that the model of TestPowerCut
// assumes.
func TestSyncTrace(t *testing.T) {
	if dir := os.Getenv(tracedDir); dir != "" {
		require.NoError(t, synced(dir))
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("NOT TESTED: strace is not installed, so the calls of the operating system were not looked at")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	log := filepath.Join(t.TempDir(), "log")
	run := exec.Command(strace, "-f", "-y", "-s", "200", "-e", "trace=openat,mkdirat,pwrite64,fsync,fdatasync,write", "-o", log, self, "-test.run=^TestSyncTrace$")
	run.Env = append(os.Environ(), tracedDir+"="+dir)
	out, err := run.CombinedOutput()
	text, _ := os.ReadFile(log)
	if err != nil && !strings.Contains(string(text), "SYNCED") {
		t.Skipf("NOT TESTED: strace may not trace here: %v\n%s", err, out)
	}
	require.NoError(t, err, "%s", out)
	// The synced bytes before each line of the program's output.
	seen := map[string]bool{}
	calls := regexp.MustCompile(`\b(fsync|fdatasync)\(\d+<([^>]*)>|SYNCED (\S+?)\\n`)
	reports := map[string]bool{}
	for _, m := range calls.FindAllStringSubmatch(string(text), -1) {
		if m[3] == "" {
			seen[m[2]] = true
			continue
		}
		reports[m[3]] = true
		for at := filepath.Join(dir, m[3]); ; at = filepath.Dir(at) {
			assert.Contains(t, seen, at, "CONS-SYNC-01: when %s was synced, %s was not", m[3], at)
			if at == dir {
				break
			}
		}
	}
	assert.Len(t, reports, 2, "%s", text)
}
