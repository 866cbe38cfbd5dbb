//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/c"
)

// TestMixed runs a world of C ranks and one Go rank, which takes part in their calls.
func TestMixed(t *testing.T) {
	p, err := c.Open(compile(t, "mixed"))
	require.NoError(t, err)
	p.Dir = t.TempDir()
	got := make([]int32, 3)
	err = world.Run(t.Context(), 4, func(ctx context.Context, w *comm.Comm) error {
		if w.Rank() > 0 {
			return p.Rank(ctx, w)
		}
		// MPI_INT is the type int in C, which is not int32 in the standard.
		if err := w.Gather(types.Of([]int32{0}).As(types.Int), types.Of(make([]int32, 4)).As(types.Int), 0); err != nil {
			return err
		}
		fsys, name, err := p.FS("mixed.dat")
		if err != nil {
			return err
		}
		f, err := iofile.Open(w, fsys, name, iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		for range 2 {
			if err := f.Sync(); err != nil {
				return err
			}
			if err := w.Barrier(); err != nil {
				return err
			}
		}
		if _, err := f.ReadAt(types.Of(got), 4); err != nil {
			return err
		}
		return f.Close()
	}, world.Seed(5))
	require.NoError(t, err)
	require.Equal(t, []int32{10, 20, 30}, got, "what the C ranks have written")
	require.NoError(t, p.Close())
}

func TestOpen(t *testing.T) {
	_, err := c.Open("nothing.so")
	require.ErrorContains(t, err, "nothing.so")
	_, err = c.Open("mixed_test.go")
	require.ErrorContains(t, err, "commworldcc prog.c -o prog.so")
}

func TestObserver(t *testing.T) {
	so := filepath.Join(t.TempDir(), "app.so")
	out, err := combined(exec.Command(filepath.Join(tools, "commworldcc"), "examples/observer/app/app.c", "-o", so))
	require.NoError(t, err, "%s", out)
	observer := filepath.Join(filepath.Dir(so), "observer")
	built, err := exec.Command("go", "build", "-o", observer, "./examples/observer").CombinedOutput()
	require.NoError(t, err, "%s", built)
	out, err = combined(exec.Command(observer, so))
	require.NoError(t, err, "%s", out)
	require.Equal(t, "step 0: [100 200 300]\nstep 1: [101 201 301]\nstep 2: [102 202 302]\n", out)
}
