package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/internal/testkit/thorough"
)

var hostile = struct {
	once sync.Once
	path string
	err  error
}{}

// hostileProgram builds testdata/check/hostile once.
func hostileProgram(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	hostile.once.Do(func() {
		dir, err := os.MkdirTemp("", "hostile")
		if err == nil {
			hostile.path, err = child.Build(context.Background(), "./testdata/check/hostile", dir, io.Discard)
		}
		hostile.err = err
	})
	require.NoError(t, hostile.err)
	require.NotEmpty(t, hostile.path)
	return hostile.path
}

// checkHostile checks the hostile program with one word as its argument, and returns the
// result. Without a timeout the program has enough time on any machine.
func checkHostile(t *testing.T, ctx context.Context, c checkCommand, word string, shown io.Writer) (*checked, error) {
	t.Helper()
	prog := hostileProgram(t)
	c.Target, c.Args = "hostile", []string{word}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Minute
	}
	if c.Memory == "" {
		c.Memory = "256MB"
	}
	memory, err := c.validate()
	require.NoError(t, err)
	all, r := &checked{}, &checkRun{}
	all.Runs = []*checkRun{r}
	err = c.once(ctx, all, r, 0, prog, filepath.Join(t.TempDir(), "report"), memory, shown)
	all.OK = len(all.Findings) == 0
	return all, err
}

// If this fails, checking a hostile program makes the teacher's machine unusable, or the
// output does not say what the program did.
func TestCheckHostilePrograms(t *testing.T) {
	for _, tc := range []struct {
		word, kind, text string
		with             checkCommand
		linux            bool
	}{
		{word: "stuck", kind: "exit status", text: "with 2 ranks, had not returned", with: checkCommand{WorldEnd: 3 * time.Second}}, // Go's runtime sees it
		{word: "print", kind: "timeout", text: "the program ran for 1s and was ended", with: checkCommand{Timeout: time.Second, WorldEnd: time.Hour}},
		{word: "bomb", kind: "memory", text: "more memory than 256MB", linux: true},
		{word: "fork", kind: "processes", text: "more than 64 processes", linux: true, with: checkCommand{Memory: "8GB"}},
		{word: "exit", kind: "exit status", text: "exit status 0 inside a world; world.Run at testdata/check/hostile/main.go:"},
		{word: "fatal", kind: "exit status", text: "exit status 1 inside a world"},
		{word: "crash", kind: "exit status", text: "panic: after the world"},
	} {
		t.Run("WORLD-01 "+tc.word, func(t *testing.T) {
			if tc.linux && runtime.GOOS != "linux" {
				t.Skip("the processes of a program are watched on Linux alone")
			}
			t.Parallel()
			all, err := checkHostile(t, t.Context(), tc.with, tc.word, io.Discard)
			require.NoError(t, err)
			require.Len(t, all.Findings, 1)
			assert.Equal(t, tc.kind, string(all.Findings[0].Kind))
			assert.Contains(t, all.Findings[0].Text, tc.text)
			assert.Equal(t, 1, all.exit())
			assert.LessOrEqual(t, len(all.Runs[0].Output), tailBytes+len("..."))
			assert.NotContains(t, all.Runs[0].Output, "\x1b")
		})
	}
	t.Run("WORLD-01 loop", func(t *testing.T) {
		for timeout := time.Second; ; timeout *= 2 { // until its world has begun by then
			all, err := checkHostile(t, t.Context(), checkCommand{Timeout: timeout}, "loop", io.Discard)
			require.NoError(t, err)
			require.Len(t, all.Findings, 1)
			assert.Equal(t, kindTimeout, all.Findings[0].Kind)
			if all.Runs[0].Worlds > 0 {
				assert.Contains(t, all.Findings[0].Text, "world.Run at testdata/check/hostile/main.go:")
				break
			}
		}
	})
	t.Run("WORLD-01 a world ends by itself when the time is over", func(t *testing.T) {
		all, err := checkHostile(t, t.Context(), checkCommand{WorldEnd: 100 * time.Millisecond}, "slow", io.Discard)
		require.NoError(t, err)
		assert.Empty(t, all.Runs[0].Ended)
		require.NotEmpty(t, all.Findings)
		assert.Contains(t, all.Findings[0].Text, "longest time that COMMWORLD_CARE allows")
	})
	t.Run("WORLD-01 processes that left the group", func(t *testing.T) {
		if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
			t.Skip("needs setsid on Linux")
		}
		all, err := checkHostile(t, t.Context(), checkCommand{}, "escape", io.Discard)
		require.NoError(t, err)
		assert.True(t, all.OK, all.Findings)
		out, _ := exec.Command("pgrep", "-f", hostileProgram(t)+" sleep$").Output()
		assert.Empty(t, string(out))
		all, err = checkHostile(t, t.Context(), checkCommand{}, "vanish", io.Discard)
		require.NoError(t, err)
		assert.True(t, all.OK, all.Findings)
		out, _ = exec.Command("pgrep", "-f", hostileProgram(t)+" sleep vanished").Output()
		assert.Empty(t, string(out))
	})
	t.Run("WORLD-01 an interrupt ends it at once", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		all, err := checkHostile(t, ctx, checkCommand{Output: true}, "print", writerFunc(stop))
		require.NoError(t, err)
		assert.Equal(t, "interrupted", all.Runs[0].Ended, "not the end of its time")
		assert.Equal(t, exitUsage, (&checked{Interrupted: true}).exit(), "nothing was found, and not all was checked")
	})
}

// A writerFunc is called when something is written.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

// If this fails, a program that drops all its errors passes, or a good one is blamed.
func TestCheckPrograms(t *testing.T) {
	t.Run("WORLD-01 a good program", func(t *testing.T) {
		all, err := checkHostile(t, t.Context(), checkCommand{}, "fine", io.Discard)
		require.NoError(t, err)
		assert.True(t, all.OK, all.Findings)
		assert.Zero(t, all.exit())
		assert.Equal(t, []int{2}, all.Runs[0].Ranks)
	})
	t.Run("WORLD-01 errors that nothing returns", func(t *testing.T) {
		all, err := checkHostile(t, t.Context(), checkCommand{}, "drop", io.Discard)
		require.NoError(t, err)
		require.NotEmpty(t, all.Findings)
		assert.Contains(t, all.Findings[0].Text, "was ignored")
		assert.Contains(t, all.Findings[0].Text, "displacement -4 is negative")
		assert.Equal(t, 1, all.exit())
		all, err = checkHostile(t, t.Context(), checkCommand{Allow: []string{"ignored"}}, "drop", io.Discard)
		require.NoError(t, err)
		assert.True(t, all.OK, all.Findings)
	})
	t.Run("WORLD-01 races alone are another status", func(t *testing.T) {
		all, err := checkHostile(t, t.Context(), checkCommand{}, "race", io.Discard)
		require.NoError(t, err)
		require.Len(t, all.Findings, 1)
		assert.Equal(t, exitRace, all.exit())
	})
	t.Run("WORLD-01 no world", func(t *testing.T) {
		_, err := checkHostile(t, t.Context(), checkCommand{}, "none", io.Discard)
		assert.ErrorContains(t, err, "starts no world")
	})
}

// installSharing installs the analyzer by the command that check prints.
func installSharing(t *testing.T) string {
	t.Helper()
	_, line, found := strings.Cut(noSharingTool(t.Context(), "."), "install the analyzer: ")
	require.True(t, found)
	bin := t.TempDir()
	words := strings.Fields(line) // the path of a clone with a space would need a shell
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "GOBIN="+bin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", line, out)
	return bin
}

// checkLine runs a command line.
func checkLine(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"check"}, args...), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// If this fails, commworld check does not say that a target cannot be checked, or does not
// report it as wrong use.
func TestCheckLine(t *testing.T) {
	thorough.Only(t)
	if testing.Short() {
		t.Skip("builds programs")
	}
	hostileProgram(t)
	broken := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(broken, []byte("package main\n\nfunc main() { undefined() }\n"), 0o600))
	for name, tc := range map[string]struct {
		args []string
		text string
	}{
		"a library":       {[]string{"./testdata/check/library"}, "is a library, no program: run its tests with COMMWORLD_CARE=on in the environment: go test ./testdata/check/library"},
		"does not build":  {[]string{broken}, "undefined: undefined"},
		"several":         {[]string{"./testdata/check/..."}, "is several packages"},
		"not there":       {[]string{"./testdata/check/nothing"}, "testdata/check/nothing: no such folder"},
		"no script":       {[]string{"nothing.mpio"}, "nothing.mpio"},
		"no rank":         {[]string{"--ranks", "0", "."}, "at least 1"},
		"no memory":       {[]string{"--memory", "much", "."}, "a size such as 512MB or 2GB"},
		"too little":      {[]string{"--memory", "1MB", "."}, "at least 64MB"},
		"no time":         {[]string{"--timeout", "0s", "."}, "more than 0"},
		"several at once": {[]string{"--allow", "A=B", "."}, "one rule"},
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			code, out, errs := checkLine(t, tc.args...)
			assert.Equal(t, exitUsage, code)
			assert.Empty(t, out)
			assert.Contains(t, errs, tc.text)
		})
	}
	t.Run("WORLD-01 with other numbers of ranks", func(t *testing.T) {
		code, out, errs := checkLine(t, "--ranks", "1,2,3", "./testdata/check/hostile", "race")
		assert.Equal(t, exitRace, code, errs)
		assert.Contains(t, out, "1 rank\n2 ranks\n3 ranks\n")
		assert.Contains(t, out, "of the runs with 2, 3 ranks")
		assert.Contains(t, out, "1 finding, all races (exit status 3)")
	})
	t.Run("WORLD-01 in two orders", func(t *testing.T) {
		code, out, errs := checkLine(t, "./testdata/check/hostile", "order")
		assert.Equal(t, 1, code, errs)
		assert.Contains(t, out, "finding 1: error on rank 0, only backward, where the next lower rank goes on\n  rank 2 came first")
		assert.Contains(t, out, "\n1 finding (exit status 1)")
		code, out, errs = checkLine(t, "./testdata/check/hostile", "first")
		assert.Zero(t, code, errs)
		assert.Contains(t, out, `prints "first is 1", but backward "first is 2", by the order of the ranks, time or chance`)
		code, out, errs = checkLine(t, "--free", "./testdata/check/channel")
		assert.Zero(t, code, errs)
		assert.Contains(t, out, "run in one order: as --free says")
		code, out, errs = checkLine(t, "--timeout", "5s", "./testdata/check/channel")
		assert.Equal(t, 1, code, errs)
		assert.Contains(t, out, "ranks wait for each other by channels or locks, which they cannot do while they run one at a time")
		assert.Contains(t, out, "fix      give --free")
	})
	t.Run("WORLD-01 variables that ranks share, without the analyzer", func(t *testing.T) {
		if _, err := exec.LookPath(sharingTool); err == nil {
			t.Skip("it is installed")
		}
		_, out, errs := checkLine(t, "--free", "./testdata/check/channel")
		assert.Contains(t, out, "\nnot looked for: Go variables that ranks share. To look for them, install", errs)
		_, out, errs = checkLine(t, "./testdata/check/hostile", "first")
		assert.NotContains(t, out, "not looked for", errs)
		_, out, errs = checkLine(t, "--json", "./testdata/check/hostile", "first")
		assert.Contains(t, out, `"unchecked":"Go variables that ranks share. `, errs)
	})
	t.Run("WORLD-01 variables that ranks share", func(t *testing.T) {
		t.Setenv("PATH", installSharing(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
		code, out, errs := checkLine(t, "./testdata/check/channel")
		assert.Equal(t, 1, code, errs)
		assert.Contains(t, out, "run in one order: ranks may wait for each other by locks or channels")
		assert.Contains(t, out, "finding 1: sharing at testdata/check/channel/main.go:13\n  ranks share answer chan int: received from at main.go:16; sent to at main.go:18:")
		assert.NotContains(t, out, "not looked for")
		code, out, errs = checkLine(t, "--allow", "sharing", "./testdata/check/channel")
		assert.Zero(t, code, errs)
		assert.Contains(t, out, "no findings")
	})
	t.Run("WORLD-01 JSON", func(t *testing.T) {
		code, out, _ := checkLine(t, "--json", "--ranks", "2", "./testdata/check/hostile", "drop")
		assert.Equal(t, 1, code)
		var got struct {
			OK       bool
			Runs     []struct{ Ranks []int }
			Findings []struct {
				Kind, Text string
				With       []int
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &got), out)
		assert.False(t, got.OK)
		assert.Equal(t, []int{2}, got.Runs[0].Ranks)
		assert.Equal(t, []int{2}, got.Findings[0].With)
		assert.Contains(t, got.Findings[0].Text, "was ignored")
	})
}

// If this fails, a script is checked with an impossible number of ranks, or not with a
// possible one.
func TestCheckScripts(t *testing.T) {
	check := func(text string, args ...string) (int, string, string) {
		dir := t.TempDir()
		name := filepath.Join(dir, "s.mpio")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		code, out, errs := checkLine(t, append(args, name)...)
		return code, strings.ReplaceAll(out, dir+"/", ""), errs
	}
	const racy = "ranks 2\nall:\n  open h f rdwr|create\n  write_at h 0 byte 1\n  close h\n"
	const clean = "ranks 2\nall:\n  open h f rdwr|create\n  close h\n"
	t.Run("WORLD-01 clean", func(t *testing.T) {
		code, out, _ := check(clean, "--ranks", "1,2,5")
		assert.Zero(t, code, out)
		assert.Contains(t, out, "5 ranks    1 schedule\n\nno findings\n")
		code, out, _ = check(clean+"allow file f absent\n", "--ranks", "2,3")
		assert.Equal(t, 1, code, "the script's own expectation")
		assert.Contains(t, out, "3 ranks    without the script's allow lines; ")
	})
	t.Run("WORLD-01 races", func(t *testing.T) {
		code, out, _ := check(racy, "--ranks", "1,2,3")
		assert.Equal(t, exitRace, code, out)
		assert.Contains(t, out, "of the runs with 2, 3 ranks")
		assert.Contains(t, out, "s.mpio:4")
	})
	t.Run("CONS-C1 what views cause is said once", func(t *testing.T) {
		_, out, _ := check("ranks 2\nall:\n  open h f rdwr|create\n  view h 0 int int native\n  write_at_all h 0 int 1\n  close h\n")
		assert.Equal(t, 1, strings.Count(out, "the same offset, 0"), out)
	})
	for line, why := range map[string]string{
		"race":                  "line 6 expects a race",
		"1:\n  barrier":         "line 5: there is no rank 1: the ranks are 0 to 0",
		"0:\n  send 1 0 byte 1": "line 6: there is no rank 1: the ranks are 0 to 0",
	} {
		t.Run("WORLD-01 the script's own number: "+why, func(t *testing.T) {
			text := clean + line + "\n"
			if line == "race" {
				text = racy + line + "\n"
			}
			_, out, errs := check(text, "--ranks", "1")
			assert.Contains(t, out, "not run: "+why, errs)
		})
	}
	t.Run("WORLD-01 expressions of rank and number", func(t *testing.T) {
		views := "ranks 2\nall:\n  open h f rdwr|create\n  view h r*4 int resized(int,0,n*4) native\n  repeat n:\n    write_all h int {r+n}\n  close h\n"
		code, out, errs := check(views, "--ranks", "1,2,3,5")
		assert.Zero(t, code, out+errs)
		code, out, _ = check(views, "--ranks", "2,5000,4611686018427387904")
		assert.Zero(t, code, out)
		assert.Contains(t, out, "not run: script: 5000 ranks: a script has 1 to 4096")
	})
	t.Run("P2P-03 buffered sends", func(t *testing.T) {
		code, out, errs := check("ranks 2\n0:\n  send 1 0 byte 1\n  recv 1 0 byte*1 -> x\n1:\n  send 0 0 byte 1\n  recv 0 0 byte*1 -> x\n")
		assert.Equal(t, 1, code, errs)
		assert.Contains(t, out, "relies on buffered sends")
	})
	t.Run("IO-TM-S4 bytes that are not a value", func(t *testing.T) {
		const flags = "ranks 1\nfile f = 02 01\nall: open h f rdwr\n  view h 0 bool bool native\n  read_at h 0 bool*2 -> x\n  close h\n"
		code, out, errs := check(flags)
		assert.Equal(t, 1, code, errs)
		assert.Contains(t, out, "finding 1: bad value (IO-TM-S4) on rank 0 at s.mpio:5\n  ReadAt \"f\": element 0 of the access, bool at byte 0 of the file, bytes 02: ")
		code, out, _ = check(flags, "--allow", "IO-TM-S4")
		assert.Zero(t, code, out)
		code, out, _ = check(flags, "--match", "source000", "--allow", "IO-TM-S4")
		assert.Equal(t, 1, code)
		assert.Contains(t, out, "finding 1: error (IO-TM-S4) on rank 0 at s.mpio:5")
		code, out, _ = check(strings.Replace(flags, "rdwr", "rdwr match=source000", 1))
		assert.Equal(t, 1, code)
		assert.Contains(t, out, "finding 1: error (IO-TM-S4) on rank 0 at s.mpio:5")
		code, _, errs = check(flags, "--match", "none")
		assert.Equal(t, exitUsage, code)
		assert.Contains(t, errs, "--match none: there are final, source000, size and written")
	})
	t.Run("IO-SIZE-06 lints", func(t *testing.T) {
		hole := fmt.Sprintf("ranks 1\nall:\n  open h f rdwr|create\n%s  close h\n", "  write_at h 0 byte 1\n  write_at h 4 byte 1\n")
		code, out, errs := check(hole)
		assert.Equal(t, 1, code, errs)
		assert.Contains(t, out, "no rank wrote bytes 1 to 3")
		code, out, _ = check(hole, "--allow", "IO-SIZE-06")
		assert.Zero(t, code, out)
	})
	t.Run("IO-SIZE-06 bytes that were in the file until a change of size", func(t *testing.T) {
		const old = "ranks 2\nfile f = 01*8\n"
		for text, found := range map[string]bool{
			"all:\n  open h f rdwr\n1: read_at h 4 byte -> a\nall:\n  barrier\n  set_size h 3\n  close h\n":                                                             false,
			"all:\n  open h f rdwr\n1: read_at h 4 byte -> a\nall:\n  barrier\n  set_size h 3\n  preallocate h 8\n  close h\n":                                          false,
			"all:\n  open h f rdwr\n  set_size h 3\n  preallocate h 8\n1: read_at h 4 byte -> a\nall: close h\n":                                                        true,
			"all:\n  open h f rdwr\n  set_size h 3\n  set_size h 8\n1: read_at h 2 byte -> a\nall: close h\n":                                                           false,
			"1:\n  self open g f rdonly\n  read_at g 4 byte -> a\n  close g\nall:\n  barrier\n  open h f rdwr\n  set_size h 3\n  close h\n":                             false,
			"all:\n  open h f rdwr\n  set_size h 3\n  set_size h 8\n  close h\n1:\n  self open g f rdonly\n  read_at g 4 byte -> a\n  close g\n":                        true,
			"1: self open g f rdonly\nall:\n  open h f rdwr\n  set_size h 3\n  set_size h 8\n1: read_at g 4 byte -> a\n1: close g\nall: close h\n":                      false, // it races
			"1: self open g f rdonly\nall:\n  open h f rdwr\n  set_size h 3\n  set_size h 8\n  sync h\n1: sync g\n1: read_at g 4 byte -> a\n1: close g\nall: close h\n": true,
		} {
			_, out, errs := check(old + text)
			assert.Equal(t, found, strings.Contains(out, "no rank ever wrote byte 4"), text+out+errs)
			if !found && !strings.Contains(out, "race") {
				assert.Contains(t, out, "no findings", text)
			}
		}
	})
}
