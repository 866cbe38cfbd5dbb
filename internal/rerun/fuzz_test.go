package rerun

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/types"
)

// A recording of any bytes is judged, or refused with the offset: it never panics.
func FuzzRun(f *testing.F) {
	for _, body := range []func(rank int, w *writer){
		func(_ int, w *writer) {
			i := w.Type(types.Vector(2, 3, 5, types.Int))
			w.open(0, "f", -1, 0)
			w.do("File_set_view", 0, 8, w.Type(types.Int), i, w.Text("native"), -1)
			w.do("File_iwrite_at", 0, 0, 1, i, 0)
			w.do("Waitany", w.List(0), 0, -1)
			w.do("File_close", 0)
			w.do("Finalize")
		},
		func(_ int, w *writer) {
			i := w.Type(types.Int)
			w.do("Comm_split", 0, 0, 0, 2)
			w.do("Irecv", 1, i, -1, -1, 2, 0)
			w.do("Send", 1, i, 0, 3, 2)
			w.do("Wait", 0, w.List(0, 0, 3))
			w.do("Gatherv", 0, 2, i, w.List(2), w.List(0), i, 0, 2)
			w.do("Comm_free", 2)
			w.do("Finalize")
		},
	} {
		b, err := os.ReadFile(filepath.Join(record(f, 1, body), "rank.0"))
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "rank.0"), b, 0o644))
		tr, err := recording.Open(dir)
		if err != nil || tr.Absent > 0 || calls(tr) > 1000 {
			return
		}
		if _, err := Run(t.Context(), tr, Options{}); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}

// calls returns how many calls rank 0 makes, at most a few more than 1000.
func calls(tr *recording.Trace) (n int) {
	r, err := tr.Rank(0)
	for err == nil && n <= 1000 {
		_, err = r.Next()
		n++
	}
	return n
}
