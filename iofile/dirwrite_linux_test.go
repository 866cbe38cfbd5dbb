package iofile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

const fileLimit = 1_000_003

func init() { roles["limited"] = limited }

// limited runs in a process whose files cannot be longer than fileLimit. It prints the
// count of a longer write.
func limited(dir string) int {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: fileLimit, Max: fileLimit}); err != nil {
		fmt.Println(err)
		return 1
	}
	s, err := NewDir(dir, WithModel(consistency.POSIX))
	if err == nil {
		err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := Open(c, s, "f", Create|ReadWrite)
			if err != nil {
				return err
			}
			for range 2 { // the second time the file is that long already
				st, err := f.WriteAt(types.Of(make([]byte, 2*fileLimit)), 3)
				n, _ := st.Count(types.Byte)
				fmt.Println(n, errors.Is(err, syscall.EFBIG))
			}
			return f.Close()
		})
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// If this fails, a write that fills a real file system returns a count of 0, or a count
// that is too high.
func TestFullDirectory(t *testing.T) {
	t.Run("IO-DA-09 IO-NAME-01 a prefix of a real write counts", func(t *testing.T) {
		other := exec.Command(os.Args[0])
		other.Env = append(os.Environ(), child+"="+t.TempDir(), role+"=limited")
		out, err := other.Output()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("SKIPPED: this program runs under an emulator that cannot start another")
		}
		assert.NoError(t, err)
		want := fmt.Sprintf("%d true\n", fileLimit-3)
		assert.Equal(t, want+want, string(out))
	})
}
