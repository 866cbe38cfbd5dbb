package sched

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// Goroutine names the calling goroutine, as the head of its stack does:
// "goroutine 42 [running]:". It takes a microsecond.
func Goroutine() string {
	var head [64]byte
	text := head[:runtime.Stack(head[:], false)]
	name, _, _ := bytes.Cut(text, []byte(" ["))
	return string(name)
}

// Inside reports whether a goroutine, known by its name, is in a call of the
// library just now, and the line of the program that made the call. It is not
// while a function of the program runs that the library has called. All goroutines
// are stopped and their stacks written for it.
func Inside(goroutine string) (Place, bool) {
	text := make([]byte, 64<<10)
	n := runtime.Stack(text, true)
	for n == len(text) {
		text = make([]byte, 2*n)
		n = runtime.Stack(text, true)
	}
	for stack := range strings.SplitSeq(string(text[:n]), "\n\n") {
		if strings.HasPrefix(stack, goroutine+" [") {
			return inside(stack)
		}
	}
	return Place{}, false
}

// inside is Inside of a stack as it is written: a line that names the function,
// one with its file and line, for every call.
func inside(stack string) (Place, bool) {
	lines := strings.Split(stack, "\n")[1:]
	within := false
	for ; len(lines) > 1; lines = lines[2:] {
		f := frame(lines[0], lines[1])
		switch {
		case f.Line == 0 || isGo(f):
		case isLibrary(f):
			// Making buffers and datatypes is no call of a rank: another goroutine
			// may do so at any time.
			within = !strings.HasPrefix(f.Function, module+"types.")
		default:
			return placeOf(f), within
		}
	}
	return Place{}, false
}

// frame reads "path/pkg.(*T).f(0x1, ...)" and "\t/path/file.go:12 +0x1d".
func frame(call, where string) (f runtime.Frame) {
	if strings.HasPrefix(call, "created by ") {
		return f // no call
	}
	if end := strings.LastIndexByte(call, '('); end > 0 {
		f.Function = call[:end]
	}
	where, _, _ = strings.Cut(strings.TrimSpace(where), " ")
	if colon := strings.LastIndexByte(where, ':'); colon > 0 {
		f.File = where[:colon]
		f.Line, _ = strconv.Atoi(where[colon+1:])
	}
	return f
}
