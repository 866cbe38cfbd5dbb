//go:build mpich || openmpi

// Judge asks the MPI library that it was built with the questions on which libraries
// differ from the standard, and prints the answers:
//
//	go run -tags mpich ./judge                MPICH
//	go run -tags openmpi ./judge              Open MPI
//	go run -tags mpich ./judge -engine ""     this module's own ranks in one process
//
// Each question is asked in a job of its own, by mpirun, because some end in a crash or
// never. Then the library plays random programs of the conformance suite, property by
// property, and the judge compares them with the definition of MPI-IO. It leaves out
// properties that need the layer in this process: stored bytes while files are open or
// after a crash, files that fail, and the orders of atomic accesses. The exit code is 0 if
// every answer is the standard's or is known of that library, 1 if an answer is new or a
// known one no longer appears, 2 if the questions could not be asked.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/mpi"
)

// Environment of the ranks that put one question.
const (
	checkVariable = "COMMWORLD_JUDGE_CHECK"
	dirVariable   = "COMMWORLD_JUDGE_DIR"
)

// said is the beginning of the line that has an answer.
const said = "judge-answer "

func main() {
	if group := os.Getenv(groupVariable); group != "" {
		if err := playRank(group, os.Getenv(dirVariable)); err != nil {
			fmt.Fprintln(os.Stderr, "judge:", err)
			os.Exit(1)
		}
		return
	}
	if id := os.Getenv(checkVariable); id != "" {
		if err := put(id, os.Getenv(dirVariable), "mpi"); err != nil {
			fmt.Fprintln(os.Stderr, "judge:", err)
			os.Exit(1)
		}
		return
	}
	j := &judge{w: os.Stdout, loud: io.Discard, library: inside}
	flag.StringVar(&j.engine, "engine", "mpi", "`name` of the engine to judge; empty: the ranks of one process")
	flag.StringVar(&j.only, "only", "", "`id` of the questions to put, alone")
	flag.DurationVar(&j.patience, "patience", 10*time.Second, "how long to wait for an answer; a quarter where none is known to come")
	flag.BoolVar(&j.playing, "programs", false, "also play random programs; the table of what parts there is to be made anew since the programs are drawn in another way")
	verbose := flag.Bool("v", false, "print the programs that part, with what parts")
	flag.Parse()
	if *verbose {
		j.loud = os.Stderr
	}
	code, err := j.all()
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
	}
	os.Exit(code)
}

// A judge puts questions to one library.
type judge struct {
	w, loud  io.Writer // the tables, and the results of programs that differ
	engine   string
	library  string // with its version
	self     string // this program
	only     string
	playing  bool // also play random programs
	patience time.Duration
}

// all asks all questions and prints the tables of answers.
func (j *judge) all() (code int, err error) {
	if j.self, err = os.Executable(); err != nil {
		return 2, err
	}
	if j.engine != "" {
		j.library = mpi.Library()
	}
	fmt.Fprintln(j.w, j.library)
	fresh, err := j.questions()
	if err != nil {
		return 2, err
	}
	more := 0
	if j.playing {
		more, err = j.programs()
	}
	switch {
	case err != nil:
		return 2, err
	case fresh+more > 0:
		return 1, fmt.Errorf("%d answers are NEW: not among the known ones of %s; see the rows marked NEW", fresh+more, j.library)
	}
	return 0, nil
}

// name returns the library's name without its version.
func (j *judge) name() string {
	if i := strings.LastIndexByte(j.library, ' '); j.engine != "" && i > 0 {
		return j.library[:i]
	}
	return j.library
}

// asked reports whether a question with these ids is to be asked.
func (j *judge) asked(ids string) bool {
	return j.only == "" || strings.Contains(" "+ids+" ", " "+j.only+" ")
}

// put runs one rank's part of a question, or all ranks in one process.
func put(id, dir, engine string) error {
	i := slices.IndexFunc(checks, func(c check) bool { return c.id == id })
	if i < 0 {
		return fmt.Errorf("no question %s", id)
	}
	files, err := iofile.NewDir(dir)
	if err != nil {
		return err
	}
	ranks, opts := checks[i].ranks, []world.Option{}
	if engine != "" {
		ranks, opts = 0, []world.Option{world.Engine(engine), world.Unchecked()}
	}
	return errors.Join(world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		text, err := checks[i].ask(&bench{c, files, dir})
		if text != "" && c.Rank() == 0 { // before anything can fail at the end
			fmt.Println(said + text)
		}
		return err
	}, opts...), files.Close())
}

// questions asks the questions on which libraries differ, one by one.
func (j *judge) questions() (fresh int, err error) {
	tab := tabwriter.NewWriter(j.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "\nid\tcase\tanswer\tthe standard\tverdict")
	asked, parts := 0, 0
	for i := range checks {
		c := &checks[i]
		if !j.asked(c.id) {
			continue
		}
		asked++
		got, err := j.ask(c)
		if err != nil {
			return 0, err
		}
		known, parted := c.known[j.name()]
		verdict := "as the standard"
		switch right := slices.Contains(c.standard, got); {
		case c.standard[0] == undefined && got == known:
			verdict = "left open"
		case right && parted:
			verdict, fresh = "NEW: known to answer "+known, fresh+1
		case !right && parted && got == known:
			verdict, parts = "parts, as known", parts+1
		case !right:
			verdict, fresh, parts = "NEW", fresh+1, parts+1
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", c.id, c.what, got, strings.Join(c.standard, " or "), verdict)
	}
	if asked == 0 {
		return 0, nil
	}
	_ = tab.Flush()
	_, err = fmt.Fprintf(j.w, "\n%d questions, %d answers part from the standard, %d are new\n", asked, parts, fresh)
	return fresh, err
}

// ask asks c in a job of its own.
func (j *judge) ask(c *check) (string, error) {
	dir, err := os.MkdirTemp("", "commworld-judge")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if j.engine == "" {
		return c.here(dir)
	}
	patience := j.patience
	if c.known[j.name()] == hangs {
		patience /= 4
	}
	out, complaints, ended, err := j.job(c.ranks, patience, checkVariable+"="+c.id, dirVariable+"="+dir, "COMMWORLD_MPI_RAW=1")
	if err != nil {
		return "", err
	}
	if i := strings.Index(out, said); i >= 0 {
		text, _, _ := strings.Cut(out[i+len(said):], "\n")
		return text, nil
	}
	if ended == crashes && strings.Contains(complaints, "judge:") && strings.Contains(complaints, "mpirun") {
		return "", fmt.Errorf("%s: %s", c.id, complaints)
	}
	return cmp.Or(ended, "nothing"), nil
}

// job runs ranks of this program. It returns their output and, if they failed, how they
// ended.
func (j *judge) job(ranks int, patience time.Duration, env ...string) (out, complaints, ended string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	line := []string{"mpirun.mpich"}
	if strings.HasPrefix(j.library, openMPI) {
		line = []string{"mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"}
	}
	line = append(line, "-n", strconv.Itoa(ranks), j.self)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = append(append(os.Environ(), env...), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	var said, complained bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complained
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		ended, err = hangs, nil
	case errors.As(err, &exit):
		ended, err = crashes, nil
	case err != nil:
		err = fmt.Errorf("%v: %w", cmd, err)
	}
	return said.String(), complained.String(), ended, err
}

// here asks the ranks of this process.
func (c *check) here(dir string) (string, error) {
	files, err := iofile.NewDir(dir)
	if err != nil {
		return "", err
	}
	var text string
	err = world.Run(context.Background(), c.ranks, func(_ context.Context, k *comm.Comm) error {
		got, err := c.ask(&bench{k, files, dir})
		if k.Rank() == 0 {
			text = got
		}
		return err
	})
	return text, errors.Join(err, files.Close())
}
