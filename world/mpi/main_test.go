package mpi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/mpi"
)

// port gives access to the part of package comm that only this module uses.
var port = comm.Internal(commport.Key{})

// A play is a program of ranks that the tests run in one process and on the
// library. It checks itself.
type play struct {
	ranks    int
	body     func(ctx context.Context, c *comm.Comm) error
	alone    bool // it cannot run in one process
	later    bool // a test of its own runs it
	reported bool // with a report and a picture
	opts     []world.Option
	model    consistency.Model // of files in one process
}

// caseVariable is the environment variable that names the play, for a process that mpirun
// started as a rank.
const caseVariable = "COMMWORLD_TEST_PLAY"

// dirVariable is the environment variable with the directory of its files.
const dirVariable = "COMMWORLD_TEST_DIR"

// files is where plays keep files: a directory that all ranks share.
var (
	files *iofile.FS
	where string // the same
)

// record records a result of a rank, to be compared with that of the other world.
func record(c *comm.Comm, format string, args ...any) error {
	world := port.EngineWorld(c)
	me := port.Thread(c).ID()
	if world != nil {
		me = world.Rank()
	}
	f, err := os.OpenFile(filepath.Join(where, fmt.Sprintf("rank%02d.txt", me)), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, format+"\n", args...)
	return errors.Join(err, f.Close())
}

// TestMain runs a rank of a play if the tests have started the process as one.
func TestMain(m *testing.M) {
	name := os.Getenv(caseVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	p, ok := plays[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "no play called", name)
		os.Exit(2)
	}
	if dir := os.Getenv(dirVariable); dir != "" {
		where = dir
		files, _ = iofile.NewDir(dir)
	}
	run := world.Run
	if p.reported {
		run = runReported
	}
	if err := run(context.Background(), 0, p.body, append(p.opts, world.Engine("mpi"))...); err != nil {
		tidy()
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	tidy()
	os.Exit(0)
}

// launcher returns the start of a command line for n ranks of the library that
// this test is built with, or skips.
func launcher(t testing.TB, n int) []string {
	t.Helper()
	line := []string{"mpirun.mpich"}
	if strings.HasPrefix(mpi.Library(), "Open MPI") {
		line = []string{"mpirun.openmpi", "--oversubscribe", "--bind-to", "none"}
		if n > runtime.NumCPU() {
			line = append(line, "--mca", "mpi_yield_when_idle", "1")
		}
	}
	if _, err := exec.LookPath(line[0]); err != nil {
		t.Skipf("SKIPPED: no %s here: nothing of world/mpi is tested with %s", line[0], mpi.Library())
	}
	return append(line, "-n", strconv.Itoa(n))
}

// environment returns the environment of a launcher.
func environment(more ...string) []string {
	return append(append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"), more...)
}

// An ending is how a job ended.
type ending struct {
	out, err string
	code     int
}

// start returns the command for a job of n ranks of this test's program.
func start(t testing.TB, n int, more ...string) *exec.Cmd {
	t.Helper()
	line := launcher(t, n)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, line[0], append(line[1:], self)...)
	cmd.Env = environment(more...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// perform runs a play on the library.
func perform(t testing.TB, name string, more ...string) ending {
	t.Helper()
	cmd := start(t, plays[name].ranks, append(more, caseVariable+"="+name)...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v\n%s", cmd, err, complaints.String())
	}
	return ending{out.String(), complaints.String(), cmd.ProcessState.ExitCode()}
}

// compare runs a play in one process and on the library: its records and files
// are the same.
func (p play) compare(t *testing.T, name string) {
	t.Helper()
	here, there := t.TempDir(), t.TempDir()
	where = here
	var err error
	if files, err = iofile.NewDir(here, iofile.WithModel(p.model)); err != nil {
		t.Fatal(err)
	}
	if err := world.Run(t.Context(), p.ranks, p.body, p.opts...); err != nil {
		t.Errorf("in one process: %v", err)
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
	if e := perform(t, name, dirVariable+"="+there); e.code != 0 {
		t.Errorf("on %s: code %d\n%s%s", mpi.Library(), e.code, e.out, e.err)
	}
	if diff := compareDirs(here, there); diff != "" {
		t.Errorf("files in one process and on %s: %s", mpi.Library(), diff)
	}
}

// TestPlays runs every play in one process and on the library.
func TestPlays(t *testing.T) {
	for name, p := range plays {
		if p.alone || p.later {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p.compare(t, name)
		})
	}
}

// compareDirs describes how the files of two directories differ.
func compareDirs(a, b string) string {
	x, y := contents(a), contents(b)
	for name, data := range x {
		other, ok := y[name]
		switch {
		case !ok:
			return name + " is in the first alone"
		case !bytes.Equal(data, other):
			at := 0
			for at < min(len(data), len(other)) && data[at] == other[at] {
				at++
			}
			return fmt.Sprintf("%s: %d and %d bytes, which differ at %d:\n%s\n-- and --\n%s", name, len(data), len(other), at, near(data, at), near(other, at))
		}
	}
	for name := range y {
		if x[name] == nil {
			return name + " is in the second alone"
		}
	}
	return ""
}

func contents(dir string) map[string][]byte {
	all := map[string][]byte{}
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		data, _ := os.ReadFile(dir + "/" + e.Name())
		all[e.Name()] = append([]byte{}, data...)
	}
	return all
}

// near returns the bytes around a byte of a record.
func near(data []byte, at int) []byte {
	return data[max(0, at-600):min(len(data), at+200)]
}
