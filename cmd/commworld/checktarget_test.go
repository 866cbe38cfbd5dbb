package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, someone who gives check a program in another language reads a message of the
// go command.
func TestCheckTarget(t *testing.T) {
	for name, want := range map[string]string{
		"x.c": "commworldcc x.c -o prog.so && commworldrun -n 2 prog.so", "x.cpp": "commworldcxx x.cpp -o prog.so && commworldrun -n 2 prog.so", "x.C": "commworldcxx", "x.so": "commworldrun -n 2 x.so",
		"x.f90": "is a Fortran program", "x.F90": "is a Fortran program", "x.py": "is a Python program", "x.darshan": "commworld replay x.darshan",
		"x.txt": "commworld replay x.txt", "notes": "give a Go package, or a script FILE.mpio",
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile(name, nil, 0o600))
			code, out, errs := checkLine(t, name)
			assert.Equal(t, exitUsage, code)
			assert.Empty(t, out)
			assert.Contains(t, errs, "commworld: "+name+" is ")
			assert.Contains(t, errs, want)
		})
	}
}

// A folder that is not there is said to be missing, and not a module.
func TestCheckMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"trace", "./trace", "../trace", "/no/such/trace"} {
		code, _, errs := checkLine(t, name)
		assert.Equal(t, exitUsage, code, name)
		assert.Contains(t, errs, name+": no such folder", name)
	}
	require.NoError(t, os.WriteFile("go.mod", []byte("module trace\n"), 0o600))
	assert.False(t, isFolder("trace"), "a package of the module")
	assert.False(t, isFolder("example.com/x"))
}

// In the JSON of each command that has it, ok is false if the status is not 0.
func TestOK(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	const racy = "ranks 2\nall:\n  open h f rdwr|create\n  write_at h 0 byte 1\n  close h\n"
	race := file("race.mpio", racy)
	clean := file("clean.mpio", "ranks 2\nall:\n  open h f rdwr|create\n  close h\n")
	unmet := file("unmet.mpio", "ranks 1\n0: open h f rdwr|create\n0: close h\nallow file f absent\n")
	stuck := file("stuck.mpio", "ranks 2\n0: recv 1 0 byte*1 -> x\n")
	for _, name := range []string{race, clean, unmet, stuck} {
		for _, args := range [][]string{{"run", "--json"}, {"run", "--json", "--explore"}, {"run", "--json", "--fix"}, {"check", "--json"}} {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append(args, name), &stdout, &stderr)
			var got struct {
				OK *bool `json:"ok"`
			}
			require.NoError(t, json.Unmarshal(stdout.Bytes(), &got), "%v %s: %s%s", args, name, &stdout, &stderr)
			require.NotNil(t, got.OK)
			assert.Equal(t, code == 0, *got.OK, "%v %s: status %d", args, filepath.Base(name), code)
		}
	}
	var stdout, stderr bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"litmus", "--json", "lit-01"}, &stdout, &stderr), stderr.String())
	assert.Contains(t, stdout.String(), `"ok":true`)
}

// A script that check runs with another number of ranks has no text for it; its races have fixes all
// the same.
func TestCheckScriptWithOtherRanks(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("x.mpio", []byte("ranks 2\nall: open h f rdwr|create\nall: write_at h r/2 byte {r+1}\nall: close h\n"), 0o600))
	for _, ranks := range []string{"2", "3", "4"} {
		code, out, errs := checkLine(t, "--ranks", ranks, "x.mpio")
		assert.Equal(t, exitRace, code, errs)
		assert.Contains(t, out, "race")
		assert.NotContains(t, errs, "panic")
	}
}
