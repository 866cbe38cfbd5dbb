// Package seen records whether a program has looked at an error that a call
// returned: printed it, or asked errors.Is about it. A careful world watches the
// errors of its calls; otherwise a look costs one atomic load.
//
// Start here: [Watch] an error, and ask [End] whether the program looked at it.
package seen

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	watched atomic.Int64
	mu      sync.Mutex
	looked  = map[any]bool{}
)

// Watch begins to watch an error, a pointer.
func Watch(err any) {
	mu.Lock()
	defer mu.Unlock()
	if _, known := looked[err]; !known {
		looked[err] = false
		watched.Add(1)
	}
}

// End ends the watch and reports whether the program has looked.
func End(err any) bool {
	mu.Lock()
	defer mu.Unlock()
	saw, known := looked[err]
	if known {
		delete(looked, err)
		watched.Add(-1)
	}
	return saw
}

// Look records a look at err by the program. The methods of errors call it; their calls by
// this module itself do not count.
func Look(err any) {
	if watched.Load() > 0 {
		look(err)
	}
}

func look(err any) {
	mu.Lock()
	_, known := looked[err]
	mu.Unlock()
	if !known || !byProgram() {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	if _, known := looked[err]; known {
		looked[err] = true
	}
}

const module = "github.com/commworld/commworld/"

// between lists packages whose frames are between an error's method and its caller.
var between = []string{"errors.", "fmt.", "log.", module + "errclass.", module + "internal/seen."}

// library lists packages of this module that look at errors for themselves.
var library = []string{"comm.", "iofile.", "world.", "consistency.", "reps.", "types.", "internal/"}

// byProgram reports whether the innermost frame that is not between belongs to the
// program. Tests of this module are programs.
func byProgram() bool {
	var pcs [24]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !hasPrefix(f.Function, between) {
			name, ours := strings.CutPrefix(f.Function, module)
			return !ours || !hasPrefix(name, library) || strings.HasSuffix(f.File, "_test.go")
		}
		if !more {
			return true
		}
	}
}

func hasPrefix(name string, all []string) bool {
	for _, p := range all {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
