package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onTerminal runs a command line on a terminal of so many columns and returns what it shows.
func onTerminal(t *testing.T, columns int, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals can be made here:", err)
	}
	defer master.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: uint16(columns)}))
	got := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, master) // ends with an error when the other side is closed
		got <- b.String()
	}()
	run(t.Context(), args, slave, slave)
	require.NoError(t, slave.Close())
	return strings.ReplaceAll(<-got, "\r\n", "\n")
}

// Whatever a command prints fits the terminal, without a broken word: each line is no wider, or one
// word, and the words are those of a pipe, which gets whole lines.
func TestTerminalWidths(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	for _, line := range []string{
		"check ../../examples/stale.mpio", "run ../../examples/stale.mpio", "run --explore ../../examples/stale.mpio", "litmus lit-04 barrier-only",
		"suite list", "suite libraries", "course list", "course show 05", "cost --pattern ior --ranks 4 --machine lustre", "pattern list", "pattern show ior",
		"replay ../../examples/header.dxt.txt", "explain IO-VIEW-05", "explain MPI_File_write_at_all", "view --ranks 3 --etype int --filetype int",
		"course mark 17 ../../examples/stale.mpio", "course show 03 --script", "plan --ranks 2 --etype int --filetype int", "nonsense", "run nothing.mpio",
	} {
		for _, width := range []int{80, 100, 120} {
			t.Run(fmt.Sprint(line, " ", width), func(t *testing.T) {
				text := onTerminal(t, width, strings.Fields(line)...)
				require.NotEmpty(t, text)
				for l := range strings.SplitSeq(text, "\n") {
					assert.True(t, cells(l) <= width || len(strings.Fields(l)) == 1, "%d: %q", cells(l), l)
				}
			})
		}
	}
	_, piped, _ := cli("check", "../../examples/stale.mpio")
	assert.Equal(t, strings.Fields(piped), strings.Fields(onTerminal(t, 80, "check", "../../examples/stale.mpio")))
	assert.Contains(t, onTerminal(t, 40, "suite", "show", "barrier-only/bad.c"), " * The commonest belief of all: that a barrier between write and read is", "a program keeps its lines")
	assert.Equal(t, 1, strings.Count(onTerminal(t, 80, "check", "--json", "../../examples/stale.mpio"), "\n"))
}

// Colours are on a terminal unless the user says no.
func TestTerminalColours(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	assert.Contains(t, onTerminal(t, 80, "run", "../../examples/stale.mpio"), "\x1b[1;31m")
	assert.NotContains(t, onTerminal(t, 80, "run", "--color=never", "../../examples/stale.mpio"), "\x1b[1;31m")
}
