//go:build linux

package recorder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/world/c/internal/recorder"
)

// The wrappers fit the headers of all libraries of this machine; what a program calls is recorded,
// with its lines, in few bytes, and judged.
func TestRecord(t *testing.T) {
	thorough.Only(t)
	libs := libraries(t)
	k := commands(t)
	source, err := os.ReadFile("testdata/calls.c")
	require.NoError(t, err)
	for _, l := range libs {
		dir := l.record(t, k, string(source), 3, time.Minute)
		res := judge(t, dir)
		assert.Equal(t, "race CONS-C2 12,32", verdict(res.Findings), "%s: %v", l.name, res.Findings)
		assert.Empty(t, res.Notes, l.name)
		assert.FileExists(t, filepath.Join(dir, "lines"), l.name)
		tr, err := recording.Open(dir)
		require.NoError(t, err)
		assert.Greater(t, res.Calls, int64(30_000))
		assert.Less(t, tr.Bytes(), 2*res.Calls, "bytes of %d calls with %s", res.Calls, l.name)
		found := map[string]int{}
		for rank := range 3 {
			r, err := tr.Rank(rank)
			require.NoError(t, err)
			for {
				call, err := r.Next()
				if err != nil {
					break
				}
				found[call.Name]++
			}
			assert.Equal(t, recording.Finalized, r.End(), l.name)
		}
		assert.Equal(t, 3, found["Cart_create"], l.name)
		assert.Equal(t, 2, found["Waitany"], l.name)
	}
}

// A process that is killed leaves the calls that it has made, and the one that it was in.
func TestKilled(t *testing.T) {
	thorough.Only(t)
	libs := libraries(t)
	k := commands(t)
	const source = `#include <mpi.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int x = 0;
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 1000; i++)
		MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	if (fork() == 0) {
		usleep(200000);
		kill(getppid(), SIGKILL);
		_exit(0);
	}
	MPI_Recv(&x, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Finalize();
}
`
	for _, l := range libs {
		dir := l.record(t, k, source, 1, time.Minute)
		res := judge(t, dir)
		assert.Equal(t, "deadlock  15", verdict(res.Findings), l.name)
		assert.EqualValues(t, 1001, res.Calls, l.name)
	}
}

// Fortran's functions pass through the same wrappers.
func TestFortran(t *testing.T) {
	k := commands(t)
	thorough.Only(t)
	for _, l := range libraries(t) {
		compiler := strings.Replace(l.cc, "mpicc", "mpifort", 1)
		if _, err := exec.LookPath(compiler); err != nil {
			t.Logf("NOT TESTED with Fortran of %s: %v", l.name, err)
			continue
		}
		dir := t.TempDir()
		prog := filepath.Join(dir, "prog")
		file, err := filepath.Abs("testdata/stale.f90")
		require.NoError(t, err)
		build := exec.Command(compiler, "-g", "-o", prog, file)
		build.Dir = dir
		out, err := build.CombinedOutput()
		require.NoError(t, err, string(out))
		args := append(append([]string{}, l.run[1:]...), "-n", "2", k.rec, "--lib", l.recorder, "-o", filepath.Join(dir, "trace"), prog)
		cmd := exec.Command(l.run[0], args...)
		cmd.Dir = dir
		out, err = cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Equal(t, "race CONS-C2 10,12", verdict(judge(t, filepath.Join(dir, "trace")).Findings), l.name)
	}
}

// A recorder of another library than the program's is refused before the run.
func TestFits(t *testing.T) {
	thorough.Only(t)
	libs := libraries(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "prog.c")
	require.NoError(t, os.WriteFile(file, []byte("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); }\n"), 0o644))
	for _, l := range libs {
		prog := filepath.Join(dir, l.cc)
		out, err := exec.Command(l.cc, "-o", prog, file).CombinedOutput()
		require.NoError(t, err, string(out))
		for _, other := range libs {
			if err := recorder.Fits(other.recorder, prog); l.name == other.name {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "build a recorder with the compiler of that library")
			}
		}
	}
	assert.NoError(t, recorder.Fits(libs[0].recorder, "/bin/sh"), "a script may start anything")
}
