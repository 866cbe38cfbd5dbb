package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
)

// verifyCommand is the command line of verify.
type verifyCommand struct {
	File  string `arg:"" optional:"" help:"File to take the bytes from; without it, the first million bytes of this program itself."`
	Whole bool   `help:"Without FILE, take all bytes of this program."`
	Type  string `default:"double" enum:"double,byte,int,short,longlong,float" help:"Element type of the array: ${enum}."`
	Width *int64 `placeholder:"COLUMNS" help:"Columns of the array; without it, near square."`
	Ranks []int  `default:"1,2,3,4,6,8,16" placeholder:"N" help:"Numbers of ranks that write and read, ${default}."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
	Keep  string `placeholder:"DIR" help:"Keep the written files in this directory."`
}

// firstBytes is how many of its own bytes the program uses by default, so that a first
// trial of the command ends within seconds.
const firstBytes = 1_000_000

// mostRanks bounds --ranks: a typing mistake should not fill the memory.
const mostRanks = 4096

func (v *verifyCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	if err := v.checkRanks(); err != nil {
		return 0, err
	}
	most := 0
	if v.File == "" {
		if !v.Whole {
			most = firstBytes
		}
		self, err := os.Executable()
		if err != nil {
			return 0, fmt.Errorf("give a FILE: this program does not know its own: %w", err)
		}
		v.File = self
	}
	var in *input
	err := interruptible(ctx, func() (err error) { // reading from a pipe may wait
		in, err = load(v.File, v.Type, v.Width, most)
		return err
	})
	if err != nil {
		return 0, err
	}
	fsys, err := v.store()
	if err != nil {
		return 0, err
	}
	// Most of the memory is a few large blocks without pointers: frequent collection costs
	// next to nothing and keeps the memory at a small multiple of FILE's size.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	e := newEngine(in, v.Ranks, fsys, v.Keep != "")
	code, err := v.verify(ctx, e, stdout, stderr)
	if err == nil {
		err = fsys.Close()
	}
	return code, err
}

// verify runs e and prints the result. It prints the description of the run at once, before
// the run ends.
func (v *verifyCommand) verify(ctx context.Context, e *engine, stdout, stderr io.Writer) (int, error) {
	if !v.JSON {
		fmt.Fprintln(stdout, header(e.in)+announcement(e))
		fmt.Fprintln(stdout, newSketch(e.in.shape, v.Ranks, colours(stdout)))
	}
	bar := progress(stderr, e, !v.JSON)
	res, err := e.run(ctx)
	bar()
	if err != nil {
		return 0, err
	}
	if err := v.print(stdout, e, res); err != nil {
		return 0, err
	}
	if res.Difference != nil {
		return exitDifferent, nil
	}
	return exitIdentical, nil
}

func (v *verifyCommand) print(stdout io.Writer, e *engine, res *result) error {
	if v.JSON {
		return printJSON(stdout, e.in, v.Ranks, res)
	}
	table(stdout, res.Table)
	if v.Keep != "" {
		fmt.Fprintf(stdout, "\nThe files are in %s, named TYPE.REPRESENTATION.DECOMPOSITION.RANKS.\n", v.Keep)
	}
	_, err := fmt.Fprintf(stdout, "\n%s", conclusion(res))
	return err
}

func (v *verifyCommand) checkRanks() error {
	if len(v.Ranks) == 0 {
		return fmt.Errorf("--ranks: give at least one number")
	}
	for i, n := range v.Ranks {
		switch {
		case n < 1 || n > mostRanks:
			return fmt.Errorf("--ranks %d: a world has 1 to %d ranks here", n, mostRanks)
		case slices.Contains(v.Ranks[:i], n):
			return fmt.Errorf("--ranks has %d twice", n)
		}
	}
	return nil
}

// store returns the file system for the files: in memory, unless they are to be kept. Races
// are not searched for: a million strided items would take most of the time, and bytes are
// compared anyway.
func (v *verifyCommand) store() (*iofile.FS, error) {
	if v.Keep == "" {
		return iofile.NewMem(iofile.WithRaceDetector(consistency.Off)), nil
	}
	if err := os.MkdirAll(v.Keep, 0o777); err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	if v.keepsOver() {
		return nil, fmt.Errorf("--keep %s: a file of this run would take the place of %s; give another directory", v.Keep, v.File)
	}
	fsys, err := iofile.NewDir(v.Keep, iofile.WithRaceDetector(consistency.Off))
	if err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	return fsys, nil
}

// keepsOver reports whether FILE has the name of a file that the run would leave in its
// directory: the run would overwrite FILE.
func (v *verifyCommand) keepsOver() bool {
	here, err := os.Stat(filepath.Dir(v.File))
	there, err2 := os.Stat(v.Keep)
	return err == nil && err2 == nil && os.SameFile(here, there) && strings.HasPrefix(filepath.Base(v.File), v.Type+".")
}

// progress shows e's progress: a bar on a terminal, which done removes; elsewhere a line
// for each tenth if lines is true.
func progress(stderr io.Writer, e *engine, lines bool) (done func()) {
	switch {
	case !terminal(stderr) && !lines:
		return func() {}
	case !terminal(stderr):
		now, tenths := 0, 0
		e.step = func(n int) {
			now += n
			if t := 10 * now / e.steps(); t > tenths {
				tenths = t
				fmt.Fprintf(stderr, "writing and reading: %3d %%, %d of %d writes and reads\n", 10*t, now, e.steps())
			}
		}
		return func() {}
	}
	bar := progressbar.NewOptions(e.steps(),
		progressbar.OptionSetWriter(raw(stderr)),
		progressbar.OptionSetDescription("writing and reading"),
		progressbar.OptionSetWidth(40),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
	e.step = func(n int) { _ = bar.Add(n) }
	return func() { _ = bar.Clear() }
}

func terminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// colours reports whether w supports colours; NO_COLOR turns them off.
func colours(w io.Writer) bool {
	if c, ok := w.(*cleanWriter); ok { // it has asked before, and knows --color
		return c.colours
	}
	return terminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
