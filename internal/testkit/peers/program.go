package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// A Program is a C program of the caller, compiled with one library. It can be run by any
// number of ranks.
type Program struct {
	Env []string // additional ones, for settings of the library

	lib *Library
	dir string
}

// Compile makes a program of a C source. The caller closes it.
func (l *Library) Compile(source []byte) (*Program, error) { return l.compileWith(source, "-O2") }

func (l *Library) compileWith(source []byte, flags ...string) (*Program, error) {
	if err := l.Missing(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "commworld-peer")
	if err != nil {
		return nil, err
	}
	p := &Program{lib: l, dir: dir}
	if err := l.compile(source, p.path(), flags...); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// CompileStrictly does the same as [Library.Compile], but warnings of the compiler under
// -Wall are errors.
func (l *Library) CompileStrictly(source []byte) (*Program, error) {
	return l.compileWith(source, "-Wall", "-Werror", "-O1")
}

// Library returns the library that p is compiled with.
func (p *Program) Library() *Library { return p.lib }

// Close removes the executable.
func (p *Program) Close() error { return os.RemoveAll(p.dir) }

func (p *Program) path() string { return filepath.Join(p.dir, "peer") }

// Run runs the program and returns its standard output and the time that it took, including
// the start of all processes. If there are more ranks than processors, the library is set to
// yield, if it has such a setting.
func (p *Program) Run(ctx context.Context, ranks int, args ...string) (out []byte, took time.Duration, err error) {
	return p.lib.launch(ctx, p.Env, p.path(), ranks, args...)
}

// Run does the same as [Program.Run], for a program that was compiled with l elsewhere.
func (l *Library) Run(ctx context.Context, path string, ranks int, args ...string) (out []byte, took time.Duration, err error) {
	return l.launch(ctx, nil, path, ranks, args...)
}

// launch runs an executable to its end, with env in addition to the library's variables.
func (l *Library) launch(ctx context.Context, env []string, path string, ranks int, args ...string) (out []byte, took time.Duration, err error) {
	line := append([]string{}, l.launcher...)
	if ranks > runtime.NumCPU() {
		line = append(line, l.crowded...)
	}
	line = append(line, "-n", strconv.Itoa(ranks), path)
	cmd := exec.CommandContext(ctx, line[0], append(line[1:], args...)...)
	cmd.Env = slices.Concat(os.Environ(), l.env, env)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // mpirun ends its ranks
	cmd.WaitDelay = 5 * time.Second
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	start := time.Now()
	out, err = cmd.Output()
	took = time.Since(start)
	if err != nil {
		err = fmt.Errorf("%s with %d ranks: %w\n%s", l.Name, ranks, err, complaints.Bytes())
	}
	return out, took, err
}
