package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the commands of the suite did not fit together, no tool could be scored.
func TestSuite(t *testing.T) {
	dir := t.TempDir()
	claims := filepath.Join(dir, "claims.tsv")
	sh := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"suite"}, args...), &out, &errs)
		return code, out.String(), errs.String()
	}
	code, out, errs := sh("detect", "barrier-only", "receive-first", "doubles-as-ints")
	require.Zero(t, code, errs)
	require.NoError(t, os.WriteFile(claims, []byte(out), 0o600))
	code, out, errs = sh("score", claims)
	require.Zero(t, code, errs)
	assert.Contains(t, out, "all              3       3   1.000          3          3        3      3      1.000\n")
	assert.Contains(t, out, "clean programs  0 of 3 accused")

	code, out, errs = sh("score", claims, "--json")
	require.Zero(t, code, errs)
	var score struct{ Tried, Bad, Found int }
	require.NoError(t, json.Unmarshal([]byte(out), &score))
	assert.Equal(t, 3, score.Found)
	assert.Equal(t, 6, score.Tried)
	empty := filepath.Join(dir, "empty.tsv")
	require.NoError(t, os.WriteFile(empty, []byte("# nothing\n"), 0o600))
	code, _, errs = sh("score", empty)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "has no claims")

	code, out, _ = sh("list", "--kind", "leak")
	assert.Zero(t, code)
	assert.Contains(t, out, "never-closed")
	assert.Contains(t, out, "1 pair\n")
	code, out, _ = sh("show", "corpus/barrier-only/bad.mpio")
	assert.Zero(t, code)
	assert.Contains(t, out, "race writer-sync CONS-C2")
	code, out, _ = sh("show", "corpus/barrier-only/bad.c")
	assert.Zero(t, code)
	assert.Contains(t, out, "MPI_File_write_at(")
	code, out, _ = sh("libraries")
	assert.Zero(t, code)
	assert.Contains(t, out, "Open MPI")
	code, out, _ = sh("libraries", "--all")
	assert.Zero(t, code)
	assert.Contains(t, out, "barrier-only/bad\trace\tnothing\t")

	whole := filepath.Join(dir, "whole")
	code, _, errs = sh("export", whole)
	require.Zero(t, code, errs)
	for name, says := range map[string]string{
		"corpus/barrier-only/bad.c":    "MPI_File_write_at(",
		"corpus/barrier-only/bad.go":   "WriteAt(",
		"corpus/barrier-only/bad.mpio": "write_at h 0 int 5",
		"corpus/closed-twice/bad.mpio": "close h",
		"corpus/closed-twice/clean.c":  "MPI_File_close(",
		"labels.tsv":                   "barrier-only\trace\tCONS-C2\twriter-sync\t0:8 1:10\t2\t",
		"libraries.tsv":                "barrier-only/bad\trace\t",
	} {
		got, err := os.ReadFile(filepath.Join(whole, name))
		require.NoError(t, err)
		assert.Contains(t, string(got), says, name)
	}
	for _, args := range [][]string{{"export", whole}, {"show", "barrier-only"}, {"show", "no-such/bad"}, {"show", "barrier-only/bad.f90"}, {"score", filepath.Join(dir, "none")}, {"list", "--kind", "bug"}} {
		code, _, errs = sh(args...)
		assert.Equal(t, exitUsage, code, args)
		assert.NotEmpty(t, errs)
	}
	if cc, err := exec.LookPath("mpicc"); err == nil {
		program := filepath.Join(dir, "program")
		text, err := exec.Command(cc, "-Wall", "-Werror", "-o", program, filepath.Join(whole, "corpus/barrier-only/clean.c")).CombinedOutput()
		assert.NoError(t, err, "%s", text)
	}
}
