package iofile

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/iofile/store"
)

func init() { roles["stores"] = stores }

// stores makes file systems of several stores and prints what weakens the checks of this process.
func stores(string) int {
	for _, s := range []Store{store.NewMem(store.MemSettings{}), struct{ Store }{store.NewMem(store.MemSettings{})}} {
		NewFS(s)
		_, unchecked := careenv.Weakened()
		fmt.Println(unchecked)
	}
	return 0
}

// If this fails, a submission whose own store invents the bytes of a file is marked as right, or a check
// outside of a course refuses stores of the program.
func TestStoreOfSealedProgram(t *testing.T) {
	for care, want := range map[string]string{
		"on,overrule":        "[]\n[]\n",
		"on,overrule,sealed": "[]\n[iofile.NewFS with a store of the program]\n",
	} {
		other := exec.Command(os.Args[0])
		other.Env = append(os.Environ(), child+"="+t.TempDir(), role+"=stores", careenv.Variable+"="+care)
		out, err := other.Output()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("SKIPPED: this program runs under an emulator that cannot start another")
		}
		require.NoError(t, err)
		assert.Equal(t, want, string(out), care)
	}
}
