//go:build !purego

package callsite

// Fast says that places are identified by frame pointers here.
const Fast = true

// walk puts return addresses into f: that of the function a number of calls above the caller
// of walk, and those of the functions above it. It returns false if it cannot. Addresses
// beyond the first function of a goroutine are 0. All functions on the way up have frames,
// because they call others.
//
//go:noescape
func walk(f *Near, up int) bool

// look is [Stack.Look].
//
//go:noescape
func look(s *Stack) bool
