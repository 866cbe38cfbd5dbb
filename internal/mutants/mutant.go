package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A mutant is one changed piece of one source file.
type mutant struct {
	file     string // from the root of the module
	was, now string // was occurs once in file
	tests    string // arguments of go test that must fail; "" if none can
	because  string // why none can: the mutant changes no behaviour, or only speed
}

// String returns the place and the change.
func (m mutant) String() string {
	return fmt.Sprintf("%s: %s -> %s", m.file, oneLine(m.was), oneLine(m.now))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// source returns the whole file with the change made. It fails unless the
// text to be changed occurs exactly once.
func (m mutant) source(root string) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(src, []byte(m.was)); n != 1 {
		return nil, fmt.Errorf("%s: the text to be changed occurs %d times, not once: %s", m.file, n, oneLine(m.was))
	}
	return bytes.Replace(src, []byte(m.was), []byte(m.now), 1), nil
}

// A verdict is the result of the tests for a mutant.
type verdict int

const (
	survived verdict = iota // every test passed
	noticed                 // a test failed, or did not end in time
	invalid                 // it does not compile
)

func (v verdict) String() string {
	return [...]string{"survived", "noticed", "does not compile"}[v]
}

// try runs go test with the arguments, on a module in which the file has
// the given text instead of its own. limit bounds the tests' own running time.
func try(ctx context.Context, root, file string, src []byte, limit time.Duration, args ...string) (verdict, string, error) {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return survived, "", err
	}
	defer os.RemoveAll(dir)
	changed := filepath.Join(dir, "changed.go")
	overlay := filepath.Join(dir, "overlay.json")
	table, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, file): changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, src, 0o600), os.WriteFile(overlay, table, 0o600))
	}
	if err != nil {
		return survived, "", err
	}
	all := append([]string{"test", "-overlay", overlay, "-count=1", "-vet=off", "-failfast", "-timeout", limit.String()}, args...)
	cmd := exec.CommandContext(ctx, "go", all...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return survived, string(out), ctx.Err()
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return survived, string(out), fmt.Errorf("go test %s runs no test", strings.Join(args, " "))
	case err == nil:
		return survived, string(out), nil
	case !errors.As(err, &exit):
		return survived, string(out), err
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return invalid, string(out), nil
	}
	return noticed, string(out), nil
}
