// Package child builds programs of users and runs them in separate processes, with all
// checks and with limits of time, memory and output.
//
// Start here: [Build] makes a program of a package; [Command.Run] runs it and returns the
// records of its worlds and the end of the process.
package child

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/world"
)

// Reasons why Run killed a program.
var (
	ErrTimeout   = errors.New("longer than --timeout")
	ErrMemory    = errors.New("more memory than --memory")
	ErrProcesses = fmt.Errorf("more than %d processes", mostProcesses)
)

// ErrLibrary means that a package is not a program.
var ErrLibrary = errors.New("is a library, no program")

const (
	mostProcesses = 64
	shownBytes    = 1 << 20  // of the output that are shown
	mostReport    = 64 << 20 // bytes of a report that are read
)

// drain is how long to wait for the rest of the output after a process has ended: another
// process may keep the pipe open.
const drain = 5 * time.Second

// A Command is a program to run.
type Command struct {
	Path    string
	Args    []string
	Care    string // words of [world.CareVariable] without the report
	Report  string // name of a file for the records; each run needs a new one
	Timeout time.Duration
	Memory  int64     // bytes
	Shown   io.Writer // gets the beginning of the output; may be nil
	Keep    int       // bytes of the end of the output that are kept
	Apart   bool      // standard error goes to Errors, not to Output
	Sealed  bool      // the program gets a key on standard input, and records without its code are forged
}

// A Result is the result of a run.
type Result struct {
	Exit    int    // status; -1 if the program was killed
	Ended   error  // why Run killed the program; nil if it ended by itself
	Output  string // the end of the output; it begins with ... if something was left out
	Errors  string // the same for standard error, if Apart is set
	Records []world.CareRecord
	Forged  error // the first line of the report that no world of the process wrote, if Sealed is set
}

// Run runs the program, and kills it when ctx ends or a limit is exceeded. An error means that
// it could not be started.
func (c *Command) Run(ctx context.Context) (*Result, error) {
	ctx, stop := context.WithTimeoutCause(ctx, c.Timeout, ErrTimeout)
	defer stop()
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	cmd, key := c.command(ctx)
	out := &tail{keep: c.Keep}
	if c.Shown != nil {
		out.shown, out.left = c.Shown, shownBytes
	}
	errs := out
	if c.Apart {
		errs = &tail{keep: c.Keep}
	}
	cmd.Stdout, cmd.Stderr = out, errs
	f := familyOf(cmd, c.Report)
	if killGroup := cmd.Cancel; killGroup != nil {
		cmd.Cancel = func() error {
			defer f.killDescendants() // one that has left the group may keep the pipe of the output open
			return killGroup()
		}
	}
	if err := f.start(cmd); err != nil {
		return nil, err
	}
	failed := f.wait(cmd, c.Memory, kill)
	r := &Result{Exit: cmd.ProcessState.ExitCode(), Output: out.String()}
	r.Records, r.Forged = readReport(c.Report, key)
	if c.Apart {
		r.Errors = errs.String()
	}
	if cause := context.Cause(ctx); cause != nil && failed != nil {
		r.Exit, r.Ended = -1, cause
	}
	return r, nil
}

// command returns the command with its environment. If Sealed is set, it also returns the key
// with which the program seals its records, and which it reads from standard input.
func (c *Command) command(ctx context.Context) (cmd *exec.Cmd, key []byte) {
	cmd, care := exec.CommandContext(ctx, c.Path, c.Args...), c.Care
	if c.Sealed {
		care, key = care+","+careenv.WordSealed, make([]byte, careenv.KeyBytes)
		_, _ = rand.Read(key) // it never fails
		cmd.Stdin = bytes.NewReader(key)
	}
	cmd.Env = append(os.Environ(), world.CareVariable+"="+care+",report="+c.Report)
	if os.Getenv("GOMEMLIMIT") == "" {
		cmd.Env = append(cmd.Env, "GOMEMLIMIT="+strconv.FormatInt(c.Memory/10*9, 10))
	}
	return cmd, key
}

// wait waits until the program has ended, kills what it has started, and returns the error of
// cmd.Wait. Until then it calls kill if the family exceeds its memory or number of processes.
func (f *family) wait(cmd *exec.Cmd, memory int64, kill context.CancelCauseFunc) error {
	var guard sync.WaitGroup
	ended := make(chan struct{})
	guard.Go(func() { f.guard(memory, ended, kill) })
	err := cmd.Wait()
	close(ended)
	guard.Wait()
	f.killDescendants()
	f.forget()
	return err
}

// readReport reads the records of a report, and skips other lines, which the program may have
// written. With a key it returns the error of the first line that the key did not seal.
func readReport(name string, key []byte) (all []world.CareRecord, forged error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil // no world began
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostReport))
	for line := range bytes.Lines(text) {
		if key != nil {
			if line, err = careenv.Unseal(key, len(all)+1, line); err != nil {
				forged = cmp.Or(forged, err)
				continue
			}
		}
		var rec world.CareRecord
		if json.Unmarshal(line, &rec) == nil {
			all = append(all, rec)
		}
	}
	return all, forged
}

// A tail keeps the end of a program's output, and copies the beginning to shown.
type tail struct {
	mu    sync.Mutex
	keep  int       // greatest length of kept
	kept  []byte    // end of the output
	cut   bool      // kept is not the whole output
	shown io.Writer // nil: nothing more is copied
	left  int       // bytes that may still be copied
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shown != nil {
		n := min(t.left, len(p))
		_, _ = t.shown.Write(p[:n])
		if t.left -= n; t.left == 0 {
			fmt.Fprintf(t.shown, "\ncommworld: the program prints more than %d bytes; the rest is not shown\n", shownBytes)
			t.shown = nil
		}
	}
	t.kept = append(t.kept, p[max(0, len(p)-t.keep):]...)
	if over := len(t.kept) - t.keep; over > 0 {
		t.kept, t.cut = slices.Delete(t.kept, 0, over), true
	}
	return len(p), nil
}

// String returns the end of the output. Control characters are shown as question marks.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := brief.Show(string(t.kept))
	if t.cut {
		return "..." + text
	}
	return text
}

// Build builds the program in the package that target names, a directory or an import path,
// writes it to the directory dir and returns its path. If the package does not build, the
// messages of the go command go to stderr, and the path is empty. flags are passed to the
// go command; with flags it ignores go.work, because they say where modules are.
func Build(ctx context.Context, target, dir string, stderr io.Writer, flags ...string) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("needs the go command to build the program, and PATH has none: install Go from https://go.dev/dl, or add its bin folder to PATH")
	}
	from, arg := InDirectory(target)
	goTool := func(verb string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, tool, slices.Concat([]string{verb}, flags, args)...)
		cmd.Dir = from
		cmd.Env = WithTemp(dir)
		if len(flags) > 0 {
			cmd.Env = append(cmd.Env, "GOWORK=off")
		}
		cmd.Stderr = stderr
		Contain(cmd)
		out, err := cmd.Output()
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return strings.TrimSpace(string(out)), err
	}
	names, err := goTool("list", "-f", "{{.Name}} {{.ImportPath}}", "--", arg)
	if err != nil {
		return "", context.Cause(ctx) // if nil, the go command has printed why
	}
	name, path, _ := strings.Cut(names, " ")
	switch {
	case strings.Contains(names, "\n"):
		return "", fmt.Errorf("%s is several packages: give one, or run their tests with COMMWORLD_CARE=on in the environment: go test %s", target, target)
	case name != "main":
		return "", fmt.Errorf("%s %w: run its tests with COMMWORLD_CARE=on in the environment: go test %s", path, ErrLibrary, target)
	}
	prog := filepath.Join(dir, "prog"+exeSuffix)
	if _, err := goTool("build", "-trimpath=false", "-o", prog, "--", arg); err != nil {
		return "", context.Cause(ctx)
	}
	return prog, nil
}

// WithTemp returns the environment for a go command whose temporary files are in the
// directory dir: if the command is ended, it does not delete them.
func WithTemp(dir string) []string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	return append(os.Environ(), "GOTMPDIR="+dir)
}

// InDirectory makes the go command work on a directory of another module, too: it runs in
// dir with argument arg.
func InDirectory(target string) (dir, arg string) {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return filepath.Clean(target), "."
	}
	return "", target
}
