// Filerep measures collective writes of a file under native and external32
// beside MPICH and Open MPI, where they are installed:
//
//	go run ./bench/filerep [DIR]
//
// Four ranks write a file in DIR, by default /dev/shm, together and sync it; a
// turn lasts from the first rank's start to the last one's end. The sides take
// turns, and the files of all are compared.
//
// # Map
//
//   - main.go: our side, and the figures
//   - c/peer.c: the same in C
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/peers"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

//go:embed c/peer.c
var program []byte

const (
	ranks  = 4
	rounds = 2 // of each side
)

// A task is what is written: doubles of each rank, per of them side by side.
type task struct {
	name      string
	mine, per int64
	turns     int // in a round
}

func main() {
	dir := "/dev/shm"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	err := run(os.Stdout, dir, []task{
		{"segments", 1 << 18, 1 << 18, 10},
		{"blocks of 4 KiB", 1 << 18, 512, 10},
		{"blocks of 64", 1 << 17, 8, 10},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "filerep:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, parent string, tasks []task) error {
	dir, err := os.MkdirTemp(parent, "commworld-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var libs []*peers.Program
	defer func() {
		for _, p := range libs {
			_ = p.Close()
		}
	}()
	for _, l := range peers.All() {
		if err := l.Missing(); err != nil {
			fmt.Fprintln(w, err)
			continue
		}
		p, err := l.Compile(program)
		if err != nil {
			return err
		}
		libs = append(libs, p)
	}
	fmt.Fprintf(w, "%-18s %-11s %8s %8s %8s %9s %9s\n", "MiB/s", "", "ours", "MPICH", "Open MPI", "o/better", "o/native")
	for _, t := range tasks {
		var native []float64
		for _, rep := range []string{"native", "external32"} {
			figs, err := t.contest(dir, rep, libs)
			if err != nil {
				return fmt.Errorf("%s %s: %w", t.name, rep, err)
			}
			if rep == "native" {
				native = figs["ours"]
			}
			t.print(w, rep, figs, native)
		}
	}
	return nil
}

// contest lets all sides write in turn and returns how long their turns took.
func (t task) contest(dir, rep string, libs []*peers.Program) (map[string][]float64, error) {
	figs := map[string][]float64{}
	args := []string{rep, strconv.FormatInt(t.mine, 10), strconv.FormatInt(t.per, 10), strconv.Itoa(t.turns)}
	for range rounds {
		_ = os.Remove(filepath.Join(dir, "ours")) // a file of the task before
		took, err := t.ours(dir, rep)
		if err != nil {
			return nil, err
		}
		figs["ours"] = append(figs["ours"], took...)
		mine, err := os.ReadFile(filepath.Join(dir, "ours"))
		if err != nil {
			return nil, err
		}
		for _, l := range libs {
			name := l.Library().Name
			path := filepath.Join(dir, "theirs")
			_ = os.Remove(path)
			out, _, err := l.Run(context.Background(), ranks, append([]string{path}, args...)...)
			if err != nil {
				return nil, err
			}
			for _, line := range strings.Fields(string(out)) {
				s, err := strconv.ParseFloat(line, 64)
				if err != nil {
					return nil, err
				}
				figs[name] = append(figs[name], s)
			}
			theirs, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if !bytes.Equal(mine, theirs) {
				return nil, fmt.Errorf("%s wrote another file", name)
			}
		}
	}
	return figs, nil
}

// ours writes the file and returns how long each turn took but the first.
func (t task) ours(dir, rep string) ([]float64, error) {
	fsys, err := iofile.NewDir(dir)
	if err != nil {
		return nil, err
	}
	defer fsys.Close()
	starts, ends := make([][ranks]time.Time, t.turns+1), make([][ranks]time.Time, t.turns+1)
	err = world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "ours", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		ft := types.Resized(types.Contiguous(t.per, types.Double), 0, t.per*8*ranks)
		x := make([]float64, t.mine)
		for i := range x {
			x[i] = float64(c.Rank()) + float64(i)/8
		}
		if err := f.SetView(iofile.View{Disp: int64(c.Rank()) * t.per * 8, Etype: types.Double, Filetype: ft, Rep: rep}); err != nil {
			return err
		}
		for k := range starts {
			if err := c.Barrier(); err != nil {
				return err
			}
			starts[k][c.Rank()] = time.Now()
			if _, err := f.WriteAtAll(types.Of(x), 0); err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return err
			}
			ends[k][c.Rank()] = time.Now()
		}
		return f.Close()
	})
	var took []float64
	for k := 1; k < len(starts); k++ {
		first, last := slices.MinFunc(starts[k][:], time.Time.Compare), slices.MaxFunc(ends[k][:], time.Time.Compare)
		took = append(took, last.Sub(first).Seconds())
	}
	return took, err
}

func (t task) print(w io.Writer, rep string, figs map[string][]float64, native []float64) {
	rate := func(v []float64) float64 { return float64(t.mine*8*ranks) / (1 << 20) / median(v) }
	text := func(v []float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.0f", rate(v))
	}
	better, best := "-", 0.0
	for _, v := range [][]float64{figs["MPICH"], figs["Open MPI"]} {
		if x := median(v) / median(figs["ours"]); v != nil && (best == 0 || x < best) {
			better, best = fmt.Sprintf("%.2f", x), x
		}
	}
	fmt.Fprintf(w, "%-18s %-11s %8s %8s %8s %9s %9.2f\n", t.name, rep, text(figs["ours"]), text(figs["MPICH"]), text(figs["Open MPI"]),
		better, median(native)/median(figs["ours"]))
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
