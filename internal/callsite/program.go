package callsite

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Module is the prefix of the paths of this module's packages.
const Module = "github.com/commworld/commworld/"

// packages lists the packages whose frames are hidden from the caller.
var packages = []string{
	"comm", "iofile", "iofile/store", "iofile/strategy", "world", "machine", "internal/fault", "internal/sched", "internal/trace", "internal/callsite", "consistency", "reps", "types", "iofile/faults", "errclass",
}

// Program returns the line of the program that called this library, for an error of the
// goroutine's present call. Frames of Go's own packages are skipped. The line is unknown if
// other parts of this module made the call: a command, a runner of scripts.
func Program() []runtime.Frame { return OfProgram(Find(IsBelow)) }

// OfProgram returns a chain of calls, or nil if it begins in this module, except in its
// examples, benchmarks and tests.
func OfProgram(chain []runtime.Frame) []runtime.Frame {
	if len(chain) > 0 && (isInside(chain[0]) || isCommand(chain[0])) {
		return nil
	}
	return chain
}

// IsBelow reports whether a frame is between the error of a call and the line that made the
// call.
func IsBelow(f runtime.Frame) bool { return IsLibrary(f) || IsGo(f) }

// isCommand reports whether a frame belongs to this module's command.
func isCommand(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	return strings.HasPrefix(f.Function, Module+"cmd/") || strings.HasPrefix(f.Function, "main.") && inCommand()
}

// Find returns the innermost frame of the calling goroutine that is not skipped, with
// those that led to it, see [Chain].
func Find(skip func(runtime.Frame) bool) []runtime.Frame {
	for size := 32; ; size *= 4 {
		pcs := make([]uintptr, size)
		n := runtime.Callers(2, pcs)
		if chain := Chain(pcs[:n], skip); n < size || len(chain) > 0 && size > 32 {
			return chain
		}
	}
}

// mostFrames bounds the number of calls in a chain.
const mostFrames = 8

// Chain returns the innermost frame that is not skipped, with the program's frames above it,
// up to the body of the rank.
func Chain(pcs []uintptr, skip func(runtime.Frame) bool) (chain []runtime.Frame) {
	if len(pcs) == 0 {
		return nil
	}
	for frames := runtime.CallersFrames(pcs); len(chain) < mostFrames; {
		f, more := frames.Next()
		n := len(chain)
		switch {
		case f.Line == 0:
		case n == 0 && !skip(f), n > 0 && !isInside(f) && !IsGo(f):
			chain = append(chain, f)
		case n > 0 && isWorld(f):
			return chain
		}
		if !more {
			return chain
		}
	}
	return chain
}

// isInside reports whether a frame belongs to this module and not to a program: the package
// is not an example, command, or test.
func isInside(f runtime.Frame) bool {
	name, ours := strings.CutPrefix(f.Function, Module)
	if !ours || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, pkg := range []string{"examples/", "cmd/", "tools/"} {
		if strings.HasPrefix(name, pkg) {
			return false
		}
	}
	return true
}

// isWorld reports whether a frame runs the body of a rank: above it are package world, and
// the code that starts goroutines.
func isWorld(f runtime.Frame) bool {
	return f.Function == Module+"internal/sched.(*Rank).live" || strings.HasPrefix(f.Function, Module+"world.") && !strings.HasSuffix(f.File, "_test.go")
}

// IsLibrary reports whether a frame belongs to a package that programs call.
func IsLibrary(f runtime.Frame) bool {
	name, ours := strings.CutPrefix(f.Function, Module)
	if !ours || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, pkg := range packages {
		if rest, ok := strings.CutPrefix(name, pkg); ok && strings.HasPrefix(rest, ".") {
			return true
		}
	}
	return false
}

// goRoot is the directory of Go's own packages with a slash at the end. It is
// empty in a program built with -trimpath.
var goRoot = sync.OnceValue(func() string {
	f := runtime.FuncForPC(reflect.ValueOf(runtime.GC).Pointer())
	file, _ := f.FileLine(f.Entry())
	root, _, _ := strings.Cut(file, "runtime/")
	return root
})

// IsGo reports whether a frame belongs to Go's own packages, to the code that go test
// generates, or to errgroup, which starts the ranks of a free world and so is on the stack
// of every rank.
func IsGo(f runtime.Frame) bool {
	if strings.HasPrefix(f.Function, "golang.org/x/sync/errgroup.") || f.File == "_testmain.go" {
		return true
	}
	if root := goRoot(); root != "" {
		return strings.HasPrefix(f.File, root)
	}
	// The function's name begins with the package's path. Go keeps paths whose first element
	// has no dot for itself, so that element is enough.
	end := strings.IndexAny(f.Function, "/.")
	return end > 0 && slices.Contains(standard, f.Function[:end])
}

// standard has the first elements of the paths of Go's own packages, in order.
var standard = []string{
	"archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed",
	"encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log",
	"maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv",
	"strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "vendor", "weak",
}

// Pick returns the innermost frame that is not skipped, or none.
func Pick(pcs []uintptr, skip func(runtime.Frame) bool) runtime.Frame {
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if f.Line > 0 && !skip(f) {
			return f
		}
		if !more {
			return runtime.Frame{}
		}
	}
}
