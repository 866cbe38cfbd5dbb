//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"bytes"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A labelled is the output of a process, each line of which begins with the rank.
type labelled struct {
	to   *os.File
	from *os.File // the end of a pipe
	rank int

	mu sync.Mutex
}

// unfinished is who printed the line that has not ended yet, by descriptor; 0 if none did.
var unfinished struct {
	sync.Mutex
	by [3]int
}

// newLabelled returns the output of a rank and the file that its process writes.
func newLabelled(fd, rank int) (*labelled, *os.File, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	to := os.Stdout
	if fd == 2 {
		to = os.Stderr
	}
	if err := unix.SetNonblock(ends[0], true); err != nil {
		return nil, nil, err
	}
	l := &labelled{to: to, from: os.NewFile(uintptr(ends[0]), "output of a rank"), rank: rank}
	pipe, err := l.from.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	go func() { _ = pipe.Read(l.drain) }() // until the other end or this one is closed
	return l, os.NewFile(uintptr(ends[1]), "output of a rank"), nil
}

// drain prints what the process has written so far; it reports whether that is all.
func (l *labelled) drain(fd uintptr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		text := make([]byte, 64<<10)
		switch n, err := unix.Read(int(fd), text); {
		case err == unix.EAGAIN:
			return false
		case n <= 0:
			return true
		default:
			l.write(text[:n])
		}
	}
}

// print prints what the process has written so far.
func (l *labelled) print() {
	if pipe, err := l.from.SyscallConn(); err == nil {
		_ = pipe.Control(func(fd uintptr) { l.drain(fd) })
	}
}

func (l *labelled) write(text []byte) {
	unfinished.Lock()
	defer unfinished.Unlock()
	before := &unfinished.by[l.to.Fd()]
	for line := range bytes.Lines(text) {
		if *before != l.rank+1 {
			if *before != 0 {
				fmt.Fprintln(l.to)
			}
			fmt.Fprintf(l.to, "rank %d: ", l.rank)
		}
		_, _ = l.to.Write(line) // there is nowhere to report it
		*before = l.rank + 1
		if bytes.HasSuffix(line, []byte("\n")) {
			*before = 0
		}
	}
}

func (l *labelled) close() { _ = l.from.Close() }

// print prints what the process has written so far, if its lines get labels.
func (p *process) print() {
	for _, l := range p.labels {
		l.print()
	}
}
