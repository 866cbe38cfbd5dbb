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
	"syscall"
	"testing"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world/mpi"
)

// killed writes its process id to a file and waits for a message that never comes.
func killed(_ context.Context, c *comm.Comm) error {
	name := filepath.Join(where, fmt.Sprintf("pid%d", c.Rank()))
	if err := c.Barrier(); err != nil {
		return err
	}
	if err := os.WriteFile(name+".tmp", []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		return err
	}
	_, err := c.Recv(types.Of([]byte{0}), (c.Rank()+1)%c.Size(), 0)
	return err
}

func nothing(context.Context, *comm.Comm) error { return nil }

// TestAstray starts a rank as a launcher of another library does, or srun without --mpi:
// each process would be a world of one, and they would overwrite each other's files.
func TestAstray(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		processes string
		code      int
	}{{"4", 3}, {"1", 0}} {
		cmd := exec.Command(self)
		cmd.Env = environment(caseVariable+"=astray", "SLURM_STEP_NUM_TASKS="+row.processes)
		text, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != row.code {
			t.Errorf("of %s processes: code %d, want %d\n%s", row.processes, got, row.code, text)
		}
		if row.code != 0 && !bytes.Contains(text, []byte("a launcher has started 4 processes (SLURM_STEP_NUM_TASKS), and "+mpi.Library())) {
			t.Errorf("of %s processes:\n%s", row.processes, text)
		}
	}
}

// TestKilled kills one rank: the job ends with a message that names it, and no
// process is left.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	cmd := start(t, plays["killed"].ranks, caseVariable+"=killed", dirVariable+"="+dir)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pids := make([]int, plays["killed"].ranks)
	for r := range pids {
		for end := time.Now().Add(30 * time.Second); pids[r] == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			text, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("pid%d", r)))
			pids[r], _ = strconv.Atoi(string(text))
		}
		if pids[r] == 0 {
			t.Fatalf("rank %d never came\n%s", r, &said)
		}
	}
	if err := syscall.Kill(pids[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the job ended as if all were well")
	}
	// A launcher names the process or the rank; MPICH's sometimes names one that it killed
	// later.
	if text := said.String(); !strings.Contains(text, strconv.Itoa(pids[1])) && !strings.Contains(text, "rank 1 ") && !strings.Contains(text, "Killed (signal 9)") {
		t.Errorf("process %d, rank 1, is not named:\n%s", pids[1], text)
	}
	for r, pid := range pids {
		if !gone(pid) {
			t.Errorf("rank %d, process %d, is there still", r, pid)
		}
	}
}

// gone waits a little for a process to end.
func gone(pid int) bool {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		// A dead process whose parent has not waited for it counts, too.
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(text, []byte(") Z ")) {
			return true
		}
	}
	return false
}

// signals sends SIGUSR1 to its own process: libraries use it, so Go must not handle it.
func signals(_ context.Context, c *comm.Comm) error {
	sum := make([]int32, 1)
	for range 20 {
		if port.EngineWorld(c) != nil {
			if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
				return err
			}
		}
		if err := c.AllReduce(types.Of([]int32{1}), types.Of(sum), comm.Sum); err != nil {
			return err
		}
	}
	return same("sum", sum[0], 2)
}

// stray calls from a goroutine that is not the rank's.
func stray(_ context.Context, c *comm.Comm) error {
	done := make(chan error)
	go func() { done <- c.Send(types.Of([]byte{1}), c.Rank(), 0) }()
	return <-done
}

// TestFunneled pretends that the library lets only one thread call it.
func TestFunneled(t *testing.T) {
	const funnel = "COMMWORLD_MPI_FUNNEL=1"
	for _, name := range []string{"messages", "operations"} {
		if e := perform(t, name, funnel, dirVariable+"="+t.TempDir()); e.code != 0 {
			t.Errorf("%s on %s: code %d\n%s", name, mpi.Library(), e.code, e.err)
		}
	}
	if e := perform(t, "stray", funnel); e.code == 0 || !strings.Contains(e.err, "another goroutine") {
		t.Errorf("a stray call: code %d\n%s", e.code, e.err)
	}
}

// tidy runs the garbage collector, which would end the process if it found memory that a
// rank has left pinned.
func tidy() {
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}

// leaves ends with a receive under way, and a split access half done.
func leaves(_ context.Context, c *comm.Comm) error {
	f, err := iofile.Open(c, files, "left", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	_, err = c.IRecv(types.Of([]int64{1}), 0, 9)
	return errors.Join(err, f.WriteAtAllBegin(types.Of([]byte("half")), 0))
}

// halfway makes a collective fail after some of its buffers were prepared, and continues.
func halfway(_ context.Context, c *comm.Comm) error {
	none := types.ValueIndex(types.Int8, types.Int64) // no library has such a pair
	bufs := func() []types.Buffer {
		return []types.Buffer{types.Of(make([]byte, 1)), types.Raw(make([]byte, 64), 1, none)}
	}
	_, err := c.IAllToAllW(bufs(), bufs())
	if !errors.Is(err, comm.ErrType) {
		return fmt.Errorf("not refused: %w", err)
	}
	tidy()
	return c.Barrier()
}

// TestLeft runs programs that leave operations under way: the process reports them, and
// does not free memory that the library still uses.
func TestLeft(t *testing.T) {
	if e := perform(t, "left", dirVariable+"="+t.TempDir()); e.code != 3 || !strings.Contains(e.err, "IRecv from 0 tag 9") {
		t.Errorf("work left: code %d\n%s", e.code, e.err)
	}
	if e := perform(t, "halfway"); e.code != 0 {
		t.Errorf("a refused collective: code %d\n%s", e.code, e.err)
	}
}
