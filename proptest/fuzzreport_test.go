package proptest_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// faultyLayer is the environment variable that chooses the bug of FuzzFaulty's layer.
const faultyLayer = "COMMWORLD_FAULTY_LAYER"

// seeds is more than the layers that Fuzz makes for its own inputs. The fuzzer runs a
// failing input of its own again, and not one of these.
const seeds = 200

// A faulty layer loses the last byte of long writes, or never ends them.
type faulty struct {
	proptest.Layer
	hangs bool
}

func (l faulty) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := l.Layer.Open(c, name)
	return &faultyFile{f, l.hangs}, err
}

type faultyFile struct {
	proptest.File
	hangs bool
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if len(p) > 5 && f.hangs {
		<-make(chan int)
	}
	if len(p) > 5 {
		n, err := f.File.WriteAt(p[:len(p)-1], off)
		return n + 1, err
	}
	return f.File.WriteAt(p, off)
}

// FuzzFaulty is run by TestFuzzReport.
func FuzzFaulty(f *testing.F) {
	bug := os.Getenv(faultyLayer)
	if bug == "" {
		f.Skip("TestFuzzReport runs it")
	}
	made := 0
	proptest.Fuzz(f, func() (proptest.Layer, error) {
		l, err := proptest.Ours(nil)()
		if made++; made <= seeds {
			return l, err
		}
		return faulty{l, bug == "hangs"}, err
	}, "offsets")
}

// TestFuzzReport: go test -fuzz prints the program that fails. The fuzzer runs a failing
// input again, and kills a worker that needs ten seconds for one.
func TestFuzzReport(t *testing.T) {
	for bug, want := range map[string]string{"loses": "write_at", "hangs": "no rank finished an operation"} {
		t.Run(bug, func(t *testing.T) {
			if bug == "hangs" && testing.Short() {
				t.Skip("takes 15 s: the fuzzer repeats a program that hangs four times")
			}
			t.Parallel()
			dir := t.TempDir() // the fuzzer writes the failing input below its working directory
			cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.fuzz=^FuzzFaulty$", "-test.fuzztime=2000x",
				"-test.fuzzcachedir="+dir, "-test.parallel=1", "-test.fuzzminimizetime=3x")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), faultyLayer+"="+bug)
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "%s", out)
			assert.NotContains(t, string(out), "seed corpus entry")
			assert.NotContains(t, string(out), "terminated unexpectedly")
			assert.Contains(t, string(out), want)
			t.Logf("%s", out)
		})
	}
}
