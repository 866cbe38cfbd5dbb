//go:build !purego

package callsite

// walk puts return addresses into f: those of the function that called the one
// that called Caller, and of the functions above. It returns false where it
// cannot. What lies beyond the first function of a goroutine is 0. All functions
// on the way up have frames, because they call others.
//
//go:noescape
func walk(f *[depth]uintptr) bool

// look is [Stack.Look].
//
//go:noescape
func look(s *Stack) bool
