// Judge asks the MPI library that it was built with the questions on which
// libraries part from the standard, and prints what it answers:
//
//	go run ./cmd/judge                 MPICH
//	go run -tags openmpi ./cmd/judge   Open MPI
//	go run ./cmd/judge -engine ""      this module's own ranks in one process
//
// Each question is put to a job of its own, by mpirun, because some end in a
// crash or in no answer. The exit code is 0 if every answer is the standard's or
// is known of that library, 1 if one is new or not given any more, 2 if the
// questions could not be put.
package main

import (
	"bytes"
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

// said begins the line that holds an answer.
const said = "judge-answer "

func main() {
	if id := os.Getenv(checkVariable); id != "" {
		if err := put(id, os.Getenv(dirVariable), "mpi"); err != nil {
			fmt.Fprintln(os.Stderr, "judge:", err)
			os.Exit(1)
		}
		return
	}
	engine := flag.String("engine", "mpi", "`name` of what is judged; empty: the ranks of one process")
	only := flag.String("only", "", "`id` of the one question to put")
	patience := flag.Duration("patience", 5*time.Second, "how long to wait for an answer")
	flag.Parse()
	code, err := judge(os.Stdout, *engine, *only, *patience)
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
	}
	os.Exit(code)
}

// put is one rank's part of a question, or that of all in one process.
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
		if text != "" && c.Rank() == 0 { // before what may go wrong at the end
			fmt.Println(said + text)
		}
		return err
	}, opts...), files.Close())
}

// judge puts all questions and prints the table of answers.
func judge(w io.Writer, engine, only string, patience time.Duration) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 2, err
	}
	library := "in one process"
	if engine != "" {
		library = mpi.Library()
	}
	name := library
	if i := strings.LastIndexByte(library, ' '); engine != "" && i > 0 {
		name = library[:i]
	}
	fmt.Fprintf(w, "%s\n\n", library)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "id\tcase\tanswer\tthe standard\tverdict")
	parts, fresh := 0, 0
	for _, c := range checks {
		if only != "" && c.id != only {
			continue
		}
		got, err := c.answered(self, engine, patience)
		if err != nil {
			return 2, err
		}
		known, parted := c.known[name]
		verdict := "as the standard"
		switch right := slices.Contains(c.standard, got); {
		case right && parted:
			verdict, fresh = "NEW: known to answer "+known, fresh+1
		case !right && parted && got == known:
			verdict, parts = "parts, as known", parts+1
		case !right:
			verdict, fresh, parts = "NEW", fresh+1, parts+1
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", c.id, c.what, got, strings.Join(c.standard, " or "), verdict)
	}
	_ = tab.Flush()
	fmt.Fprintf(w, "\n%d questions, %d answers part from the standard, %d are new\n", len(checks), parts, fresh)
	if fresh > 0 {
		return 1, nil
	}
	return 0, nil
}

// answered puts c to a job of its own.
func (c *check) answered(self, engine string, patience time.Duration) (string, error) {
	dir, err := os.MkdirTemp("", "commworld-judge")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if engine == "" {
		return c.here(dir)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	line := []string{"mpirun.mpich"}
	if strings.HasPrefix(mpi.Library(), "Open MPI") {
		line = []string{"mpirun.openmpi", "--oversubscribe", "--bind-to", "none"}
	}
	line = append(line, "-n", strconv.Itoa(c.ranks), self)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = append(os.Environ(), checkVariable+"="+c.id, dirVariable+"="+dir, "COMMWORLD_MPI_RAW=1",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Run()
	if i := strings.Index(out.String(), said); i >= 0 {
		text, _, _ := strings.Cut(out.String()[i+len(said):], "\n")
		return text, nil
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return hangs, nil
	case errors.As(err, &exit):
		if text := complaints.String(); strings.Contains(text, "judge:") && strings.Contains(text, "mpirun") {
			return "", fmt.Errorf("%s: %w\n%s", c.id, err, text)
		}
		return crashes, nil
	case err != nil:
		return "", fmt.Errorf("%v: %w", cmd, err)
	}
	return "nothing", nil
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
