package filerep

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

//go:embed c/peer.c
var program []byte

const ranks = 4

// A task is the data to write: doubles of each rank, per of them contiguous.
type task struct {
	name      string
	mine, per int64
	turns     int // in each round
}

// Command returns the benchmark.
func Command() *measure.Command {
	return command([]task{
		{"segments", 1 << 18, 1 << 18, 10},
		{"blocks of 4 KiB", 1 << 18, 512, 10},
		{"blocks of 64", 1 << 17, 8, 10},
	})
}

func command(tasks []task) *measure.Command {
	return &measure.Command{
		Name: "filerep", Short: "files in external32, beside native ones and the libraries", Rounds: 3, Files: true, Libraries: true,
		Rows: func() (names []string) {
			for _, t := range tasks {
				names = append(names, t.name)
			}
			return names
		},
		Run: func(s *measure.Session) error { return run(s, tasks) },
	}
}

func run(s *measure.Session, tasks []task) error {
	libs, done, err := s.Programs(program)
	defer done()
	if err != nil {
		return err
	}
	table := s.Table("MiB/s", 28, ours, memory, peers.MPICH.Name, peers.OpenMPI.Name, "o/better", "o/native", "m/better", "m/native")
	for _, t := range tasks {
		if !s.Chosen(t.name) {
			continue
		}
		figs, err := measure.Take(s.Rounds, reps, t.sides(s.Dir, libs)...)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		for _, rep := range reps {
			t.print(table, rep, figs)
		}
	}
	return nil
}

// The names of our sides: files in a directory, and files in memory.
const (
	ours   = "ours"
	memory = "memory"
)

var reps = []string{"native", "external32"}

// sides returns this module and the libraries as sides. The libraries' files are compared
// with those that our side has left in the directory.
func (t task) sides(dir string, libs []*peers.Program) []measure.Side[string] {
	all := []measure.Side[string]{
		{Name: ours, Turn: func(_ []string, note func(string, float64)) error {
			fsys, err := iofile.NewDir(dir)
			if err != nil {
				return err
			}
			return errors.Join(t.write(fsys, note), fsys.Close())
		}},
		{Name: memory, Turn: func(_ []string, note func(string, float64)) error { return t.write(iofile.NewMem(), note) }},
	}
	for _, l := range libs {
		all = append(all, measure.Side[string]{Name: l.Library().Name, Turn: func(reps []string, note func(string, float64)) error {
			for _, rep := range reps {
				took, err := t.theirs(dir, rep, l)
				if err != nil {
					return fmt.Errorf("%s: %w", rep, err)
				}
				for _, seconds := range took {
					note(rep, seconds)
				}
			}
			return nil
		}})
	}
	return all
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

// write writes both files, in turns, and notes the time of each turn except the first.
func (t task) write(fsys *iofile.FS, note func(string, float64)) error {
	laps := measure.NewLaps(2*(t.turns+1), ranks)
	err := world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		ft := types.Resized(types.Contiguous(t.per, types.Double), 0, t.per*8*ranks)
		x := make([]float64, t.mine)
		for i := range x {
			x[i] = float64(c.Rank()) + float64(i)/8
		}
		var files [2]*iofile.File
		for i, rep := range reps {
			if c.Rank() == 0 { // the file of the round before
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
		for k := range laps.Len() {
			f := files[k%2]
			if err := c.Barrier(); err != nil {
				return err
			}
			err := laps.Do(k, c.Rank(), func() error {
				if _, err := f.WriteAtAll(types.Of(x), 0); err != nil {
					return err
				}
				return f.Sync()
			})
			if err != nil {
				return err
			}
		}
		return errors.Join(files[0].Close(), files[1].Close())
	})
	for k := 2; k < laps.Len() && err == nil; k++ {
		note(reps[k%2], laps.Seconds(k))
	}
	return err
}

func (t task) print(table *measure.Table, rep string, all measure.Figures[string]) {
	f, native := all[rep], all["native"]
	mib := float64(t.mine*8*ranks) / (1 << 20)
	better := f.Better(peers.MPICH.Name, peers.OpenMPI.Name)
	cells := []string{}
	for _, side := range []string{ours, memory, peers.MPICH.Name, peers.OpenMPI.Name} {
		cells = append(cells, f.Rate(side, mib))
	}
	for _, side := range []string{ours, memory} {
		cells = append(cells, measure.Short(f.Ratio(better, side)), measure.Short(measure.Ratio(native[side], f[side])))
	}
	table.Row(fmt.Sprintf("%-16s %s", t.name, rep), cells...)
}
