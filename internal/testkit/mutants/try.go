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
	cmd.Env = append(os.Environ(), "RAPID_NOFAILFILE=true") // a failure kept in the tree would fail later tests
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
