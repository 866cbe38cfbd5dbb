// Filerep measures collective writes of a file under native and external32
// beside MPICH and Open MPI, where they are installed:
//
//	go run ./bench/filerep
//
// Four ranks write a file together and sync it, in a folder of /dev/shm (-dir), and
// our ranks ("memory") also in a file system in memory, which no library has; a
// turn lasts from the first rank's start to the last one's end. Our turns go back
// and forth between a native file and one in external32, and the last column is
// the median over those pairs; the libraries follow, round by round. The files of
// all are compared.
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
	"errors"
	"flag"
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
	rounds = 3 // of each side
)

// A task is what is written: doubles of each rank, per of them side by side.
type task struct {
	name      string
	mine, per int64
	turns     int // in a round
}

func main() {
	dir := flag.String("dir", "/dev/shm", "where the files are")
	flag.Parse()
	err := run(os.Stdout, *dir, []task{
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
	libs, done, err := peers.Programs(w, program)
	defer done()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-16s %-11s %8s %8s %8s %8s %9s %9s %9s %9s\n", "MiB/s", "", "ours", "memory", "MPICH", "Open MPI", "o/better", "o/native", "m/better", "m/native")
	for _, t := range tasks {
		figs, err := t.contest(dir, libs)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		for _, rep := range reps {
			t.print(w, rep, figs)
		}
	}
	fmt.Fprintf(w, "load average at the end %s\n", peers.Load())
	return nil
}

var reps = []string{"native", "external32"}

// figures are how long turns took, by representation and side.
type figures map[string]map[string][]float64

// contest lets all sides write in turn.
func (t task) contest(dir string, libs []*peers.Program) (figures, error) {
	figs := figures{}
	for _, rep := range reps {
		figs[rep] = map[string][]float64{}
	}
	for range rounds {
		if err := t.inDirectory(dir, figs); err != nil {
			return nil, err
		}
		if err := t.ours(iofile.NewMem(), "memory", figs); err != nil {
			return nil, err
		}
		for _, l := range libs {
			for _, rep := range reps {
				took, err := t.theirs(dir, rep, l)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", rep, err)
				}
				name := l.Library().Name
				figs[rep][name] = append(figs[rep][name], took...)
			}
		}
	}
	return figs, nil
}

// theirs lets a library write the file, and compares it with ours.
func (t task) theirs(dir, rep string, l *peers.Program) ([]float64, error) {
	path := filepath.Join(dir, "theirs")
	_ = os.Remove(path)
	out, _, err := l.Run(context.Background(), ranks, path, rep,
		strconv.FormatInt(t.mine, 10), strconv.FormatInt(t.per, 10), strconv.Itoa(t.turns))
	if err != nil {
		return nil, err
	}
	var took []float64
	for _, line := range strings.Fields(string(out)) {
		s, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return nil, err
		}
		took = append(took, s)
	}
	mine, err := os.ReadFile(filepath.Join(dir, rep))
	if err != nil {
		return nil, err
	}
	theirs, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(mine, theirs) {
		return nil, fmt.Errorf("%s wrote another file", l.Library().Name)
	}
	return took, nil
}

// inDirectory is ours with files that the libraries' are compared with.
func (t task) inDirectory(dir string, figs figures) error {
	fsys, err := iofile.NewDir(dir)
	if err != nil {
		return err
	}
	defer fsys.Close()
	return t.ours(fsys, "ours", figs)
}

// ours writes both files, turn by turn, and notes how long each turn took but
// the first.
func (t task) ours(fsys *iofile.FS, side string, figs figures) error {
	starts, ends := make([][ranks]time.Time, 2*(t.turns+1)), make([][ranks]time.Time, 2*(t.turns+1))
	err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		ft := types.Resized(types.Contiguous(t.per, types.Double), 0, t.per*8*ranks)
		x := make([]float64, t.mine)
		for i := range x {
			x[i] = float64(c.Rank()) + float64(i)/8
		}
		var files [2]*iofile.File
		for i, rep := range reps {
			if c.Rank() == 0 { // there is one of the round before
				if err := iofile.Delete(fsys, rep); err != nil && !errors.Is(err, iofile.ErrNoSuchFile) {
					return err
				}
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			f, err := iofile.Open(c, fsys, rep, iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Disp: int64(c.Rank()) * t.per * 8, Etype: types.Double, Filetype: ft, Rep: rep}); err != nil {
				return err
			}
			files[i] = f
		}
		for k := range starts {
			f := files[k%2]
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
		return errors.Join(files[0].Close(), files[1].Close())
	})
	for k := 2; k < len(starts); k++ {
		first, last := slices.MinFunc(starts[k][:], time.Time.Compare), slices.MaxFunc(ends[k][:], time.Time.Compare)
		rep := reps[k%2]
		figs[rep][side] = append(figs[rep][side], last.Sub(first).Seconds())
	}
	return err
}

func (t task) print(w io.Writer, rep string, all figures) {
	figs := all[rep]
	rate := func(side string) string {
		if figs[side] == nil {
			return "-"
		}
		return fmt.Sprintf("%.0f", float64(t.mine*8*ranks)/(1<<20)/peers.Median(figs[side]))
	}
	better := figs["MPICH"]
	if o := figs["Open MPI"]; better == nil || o != nil && peers.Median(o) < peers.Median(better) {
		better = o
	}
	beside := func(side string) (peer, native string) {
		peer, native = "-", fmt.Sprintf("%.2f", peers.Ratio(all["native"][side], figs[side]))
		if better != nil {
			peer = fmt.Sprintf("%.2f", peers.Median(better)/peers.Median(figs[side]))
		}
		return peer, native
	}
	op, on := beside("ours")
	mp, mn := beside("memory")
	fmt.Fprintf(w, "%-16s %-11s %8s %8s %8s %8s %9s %9s %9s %9s\n", t.name, rep,
		rate("ours"), rate("memory"), rate("MPICH"), rate("Open MPI"), op, on, mp, mn)
}
