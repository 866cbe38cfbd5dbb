package sched

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/callsite"
)

// Goroutine returns the name of the calling goroutine, which is the first line of its
// stack: "goroutine 42 [running]:". It takes a microsecond.
func Goroutine() string {
	var head [64]byte
	text := head[:runtime.Stack(head[:], false)]
	name, _, _ := bytes.Cut(text, []byte(" ["))
	return string(name)
}

// Inside reports whether a goroutine, given by its name, is in a call of the library now,
// and returns the line of the program that made the call. It is false while the library
// runs a function of the program. Inside stops all goroutines to write their stacks.
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

// inside is Inside for a printed stack, which has two lines for every call: the function,
// and its file and line.
func inside(stack string) (Place, bool) {
	lines := strings.Split(stack, "\n")[1:]
	within := false
	for ; len(lines) > 1; lines = lines[2:] {
		f := frame(lines[0], lines[1])
		switch {
		case f.Line == 0 || callsite.IsGo(f):
		case callsite.IsLibrary(f):
			// Creating buffers and datatypes is not a call of a rank: another goroutine may
			// do so at any time.
			within = !strings.HasPrefix(f.Function, callsite.Module+"types.")
		default:
			return placeOf(f), within
		}
	}
	return Place{}, false
}

// frame parses the two lines "path/pkg.(*T).f(0x1, ...)" and "\t/path/file.go:12 +0x1d".
func frame(call, where string) (f runtime.Frame) {
	if strings.HasPrefix(call, "created by ") {
		return f // not a call
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

func placeOf(f runtime.Frame) Place { return errclass.PlaceOf([]runtime.Frame{f}) }
