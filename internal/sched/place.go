package sched

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/commworld/commworld/errclass"
)

// A Place is a line of a program, with the lines that led to it.
type Place = errclass.Place

const module = "github.com/commworld/commworld/"

// library lists the packages whose frames are not the caller's business.
var library = []string{"comm", "iofile", "world", "internal/sched", "internal/trace", "consistency", "reps", "types"}

// Caller returns the line that called into the library from outside: from a
// program, an example, a command or a test.
func Caller() Place { return find(isLibrary) }

// SetPlace says which line of its program r is at, nil that the stack tells: the
// program of an interpreter is no Go code, and reports shall name its lines.
func (r *Rank) SetPlace(p *Place) { r.at = p }

// Place returns the line of the program that r is at. Only r's own goroutine may
// call it.
func (r *Rank) Place() Place {
	if r.at != nil {
		return *r.at
	}
	return Caller()
}

// Placed returns the line that r was told to be at, if it was told; see
// [Rank.SetPlace]. It costs nothing, which looking at the stack does.
func (r *Rank) Placed() (Place, bool) {
	if r.at == nil {
		return Place{}, false
	}
	return *r.at, true
}

// CallSite returns the line of the program that made the call of this library which the
// goroutine is in, for an error of that call. Frames of Go's own packages are skipped.
// The line is unknown if other parts of this module made the call: a command, a runner of
// scripts.
func CallSite() Place { return ofProgram(find(isBelow)) }

// CallSite is [CallSite] for a call of r. An interpreter names the lines of its program
// itself, so after [Rank.SetPlace] the line is unknown.
func (r *Rank) CallSite() Place {
	if r.at != nil {
		return Place{}
	}
	return ofProgram(find(isBelow))
}

// CallSite is [CallSite] for the call that l was noted in.
func (l *Line) CallSite() Place {
	if l.at != nil {
		return Place{}
	}
	return ofProgram(chainOf(l.PCs[:l.depth()], isBelow))
}

// ofProgram is p, or unknown if p is a line of this module that is none of an example, a
// benchmark or a test.
func ofProgram(p Place) Place {
	f := runtime.Frame{Function: p.Func, File: p.File}
	if isInside(f) || isCommand(f) {
		return Place{}
	}
	return p
}

// isBelow reports a frame between an error of a call and the line that made the call.
func isBelow(f runtime.Frame) bool { return isLibrary(f) || isGo(f) }

// isCommand reports a frame of this module's command.
func isCommand(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	return strings.HasPrefix(f.Function, module+"cmd/") || strings.HasPrefix(f.Function, "main.") && inCommand()
}

// inCommand reports whether this program is a command of this module.
var inCommand = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && strings.HasPrefix(info.Path, module+"cmd/")
})

// culprit is Caller for a rank that panicked or left: the frames of Go itself
// and of assertion helpers are not the line to look at either. When nothing
// else is left, as for a panic of the library, the first frame counts.
func culprit() Place {
	p := find(func(f runtime.Frame) bool {
		return isLibrary(f) || isGo(f) || strings.HasPrefix(f.Function, "github.com/stretchr/testify/")
	})
	if p.Line == 0 {
		p = find(func(f runtime.Frame) bool {
			return isGo(f) || strings.HasPrefix(f.Function, module+"internal/sched.")
		})
	}
	return p
}

// find returns the innermost frame of the calling goroutine that is not skipped, with
// those that led to it.
func find(skip func(runtime.Frame) bool) Place {
	for size := 32; ; size *= 4 {
		pcs := make([]uintptr, size)
		n := runtime.Callers(3, pcs)
		if p := chainOf(pcs[:n], skip); n < size || p.Line > 0 && size > 32 {
			return p
		}
	}
}

// mostFrames bounds how many lines a place has.
const mostFrames = 8

// chainOf returns the innermost frame that is not skipped, with those above it that are
// the program's, as far as the body of the rank.
func chainOf(pcs []uintptr, skip func(runtime.Frame) bool) Place {
	if len(pcs) == 0 {
		return Place{}
	}
	var chain [mostFrames]Place
	n := 0
	for frames := runtime.CallersFrames(pcs); n < mostFrames; {
		f, more := frames.Next()
		switch {
		case f.Line == 0:
		case n == 0 && !skip(f), n > 0 && !isInside(f) && !isGo(f):
			chain[n] = placeOf(f)
			n++
		case n > 0 && isWorld(f):
			more = false
		}
		if !more {
			break
		}
	}
	if n == 0 {
		return Place{}
	}
	for i := n - 1; i > 0; i-- {
		chain[i-1].Caller = intern(chain[i])
	}
	return chain[0]
}

// callers are the lines that led to others, each once, so that equal places are equal
// by ==.
var callers struct {
	mu    Mutex
	known map[Place]*Place
}

func intern(p Place) *Place {
	callers.mu.Lock()
	defer callers.mu.Unlock()
	if q := callers.known[p]; q != nil {
		return q
	}
	if callers.known == nil {
		callers.known = map[Place]*Place{}
	}
	q := &p
	callers.known[p] = q
	return q
}

// isInside reports a frame of this module that is none of a program: a package that
// programs are built with, but no example, command, or test.
func isInside(f runtime.Frame) bool {
	name, ours := strings.CutPrefix(f.Function, module)
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

// isWorld reports a frame that runs the body of a rank: above it are package world,
// and what starts goroutines.
func isWorld(f runtime.Frame) bool {
	return f.Function == module+"internal/sched.(*Rank).live" || strings.HasPrefix(f.Function, module+"world.") && !strings.HasSuffix(f.File, "_test.go")
}

func isLibrary(f runtime.Frame) bool {
	name, ours := strings.CutPrefix(f.Function, module)
	if !ours || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, pkg := range library {
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

// isGo also reports frames of errgroup, which starts the ranks of a free world: they
// are below every rank, and no line of a program.
func isGo(f runtime.Frame) bool {
	if strings.HasPrefix(f.Function, "golang.org/x/sync/errgroup.") {
		return true
	}
	if root := goRoot(); root != "" {
		return strings.HasPrefix(f.File, root)
	}
	// The package's path begins the function's name. Go keeps paths whose first
	// element has no dot for itself, so that element is enough.
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

// A Line is a line of the program that was noted and is looked up only when
// somebody wants to know.
type Line struct {
	PCs [8]uintptr // as of runtime.Callers
	at  *Place     // what the rank said
}

// Note notes the line of the program that r is at. It costs a walk up a few
// frames, each 75 ns, and an allocation, which a call of that length cannot
// afford (see [Rank.NoteNear]); an exploration, which comes by one line many times, remembers it. Only
// r's own goroutine may call it.
func (r *Rank) Note() *Line { return r.note(1) }

func (r *Rank) note(skip int) *Line {
	switch {
	case r.at != nil && r.lines != nil:
		if l := r.lines.of(r.at); l != nil {
			return l
		}
		return r.lines.keep(r.at, &Line{at: r.at})
	case r.at != nil:
		return &Line{at: r.at}
	case r.lines != nil:
		return here(1 + skip)
	}
	l := new(Line)
	runtime.Callers(2+skip, l.PCs[:])
	return l
}

// LineAt is the line of a place that was looked up before, in another process.
func LineAt(p Place) *Line { return &Line{at: &p} }

// Place looks the line up. A nil Line is no place.
func (l *Line) Place() Place {
	switch {
	case l == nil:
		return Place{}
	case l.at != nil:
		return *l.at
	}
	return chainOf(l.PCs[:l.depth()], isLibrary)
}

// depth is how many frames l has.
func (l *Line) depth() int {
	n := 0
	for n < len(l.PCs) && l.PCs[n] != 0 {
		n++
	}
	return n
}

func placeOf(f runtime.Frame) Place { return Place{File: f.File, Line: f.Line, Func: f.Function} }

// pick returns the innermost frame that is not skipped, or none.
func pick(pcs []uintptr, skip func(runtime.Frame) bool) runtime.Frame {
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
